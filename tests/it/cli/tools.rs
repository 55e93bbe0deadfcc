//! `clifford tools`: the tools, their settings, and a call by hand.

use super::Machine;

#[test]
fn tools_are_listed_shown_set_and_taken_back() {
    let machine = Machine::new();
    machine.run(["db", "migrate"]).succeeds();
    let field = |name: &str| {
        let shown = machine.run(["tools", "show", "compute", "--json"]).json();
        let fields = shown["fields"].as_array().unwrap().clone();
        let field = fields.into_iter().find(|field| field["name"] == name).unwrap();
        (field["value"].clone(), field["setBy"].clone(), field["setHere"].clone())
    };
    assert_eq!(
        field("max_seconds"),
        (2.into(), "default".into(), serde_json::Value::Null)
    );
    machine.run(["tools", "set", "compute", "max_seconds", "5"]).succeeds();
    assert_eq!(field("max_seconds"), (5.into(), "bot".into(), 5.into()));
    machine.run(["tools", "unset", "compute", "max_seconds"]).succeeds();
    assert_eq!(
        field("max_seconds"),
        (2.into(), "default".into(), serde_json::Value::Null)
    );

    machine.run(["tools", "set", "system", "enabled", "false"]).succeeds();
    let list = machine.run(["tools", "list"]).succeeds();
    let system = list.lines().find(|line| line.starts_with("system")).unwrap();
    assert!(system.contains("off: it is turned off (bot)"), "{list}");
}

#[test]
fn what_cannot_be_set_says_why_and_what_can() {
    let machine = Machine::new();
    machine.run(["db", "migrate"]).succeeds();
    let cases: [(&[&str], &str); 3] = [
        (
            &["tools", "set", "compute", "max_seconds", "99"],
            "clifford: max_seconds: 99 is greater than the maximum of 15\n",
        ),
        (
            &["tools", "set", "compute", "max_second", "1"],
            "clifford: max_second: compute has no such field; did you mean `max_seconds`?\n",
        ),
        (
            &["tools", "show", "compte"],
            "clifford: there is no tool `compte`; did you mean `compute`?\n",
        ),
    ];
    for (args, err) in cases {
        let ended = machine.run(args);
        assert_eq!((ended.code, ended.err.as_str()), (1, err), "{args:?}");
    }
}

#[test]
fn a_command_that_reads_is_called_by_hand_unless_it_is_turned_off() {
    let machine = Machine::new();
    let call = |args: &[&str]| machine.run([&["tools", "call"], args].concat());
    let product = r#"{"expression": "17 * 23"}"#;
    assert_eq!(call(&["compute.eval", product]).succeeds(), "391\n");
    let stats = call(&["compute.stats", r#"{"values": [1, 2, 6]}"#, "--json"]).json();
    assert_eq!((&stats["mean"], &stats["median"]), (&3.0.into(), &2.0.into()));
    let cases: [(&[&str], &str); 4] = [
        (
            &["compute.evl", product],
            "clifford: there is no tool compute.evl; did you mean compute.eval?\n",
        ),
        (
            &["compute.eval", r#"{"expr": 1}"#],
            "clifford: compute.eval: the arguments are wrong: \"expression\" is a required property\n",
        ),
        (
            &["compute.eval", "17 * 23"],
            "clifford: the arguments are not a JSON object",
        ),
        (
            &["memory.put", "{}"],
            "clifford: memory.put does more than read: only a run may call it",
        ),
    ];
    for (args, err) in cases {
        let ended = call(args);
        assert!(ended.code == 1 && ended.err.starts_with(err), "{args:?}: {ended:?}");
    }
    machine.run(["tools", "set", "compute", "enabled", "false"]).succeeds();
    let ended = call(&["compute.eval", product]);
    assert_eq!(
        (ended.code, ended.err.as_str()),
        (
            1,
            "clifford: compute.eval: the tool compute is turned off here; do without it\n"
        )
    );
}

#[test]
fn the_tools_of_a_platform_are_on_once_it_is_set_up() {
    let machine = Machine::new();
    machine.run(["db", "migrate"]).succeeds();
    let state = || {
        let tools = machine.run(["tools", "list", "--json"]).json();
        let tools = tools.as_array().expect("a list").clone();
        let of = |name: &str| {
            tools
                .iter()
                .find(|tool| tool["name"] == name)
                .map(|tool| tool["why"].clone())
        };
        (of("telegram"), of("discord"))
    };
    let off = |name: &str| Some(format!("[channels.{name}] is not set up").into());
    assert_eq!(state(), (off("telegram"), off("discord")));
    // Its token is the server's: this command needs none.
    machine.write("bot.toml", "[channels.telegram]\n");
    assert_eq!(state(), (Some(serde_json::Value::Null), off("discord")));
}

#[test]
fn a_call_of_no_tool_names_the_command_that_lists_them() {
    let machine = Machine::new();
    machine
        .run(["tools", "call", "nope.nothing"])
        .fails_with("there is no tool nope.nothing; `clifford tools list` shows them");
    machine.run(["tools", "call", "compute.eval", "1 + 1"]).fails_with(
        "the arguments are not a JSON object: write them in quotes, such as '{\"expression\": \"17 * 23\"}'",
    );
}

#[test]
fn a_tool_whose_server_is_not_there_is_told_from_one_that_nobody_has() {
    let machine = Machine::new();
    machine.write(
        "bot.toml",
        "[[tools.mcp]]\nname = \"far\"\ncommand = \"/no/such/program\"\n",
    );
    machine.run(["tools", "call", "far.say", "{}"]).fails_with(
        "far.say cannot be called: the MCP server `far` is not at work now; it is being started, which may take a \
         while; `clifford doctor` tries it",
    );
    machine
        .run(["tools", "call", "near.say", "{}"])
        .fails_with("there is no tool near.say; `clifford tools list` shows them");
}
