//! `clifford memory`, `clifford users`, `clifford contexts` and `clifford settings`.

use serde_json::{Value, json};

use super::Machine;

const NOBODY: &str = "0198f2c4-0000-7000-8000-000000000000";

/// The id of who sits at this machine.
fn me(machine: &Machine) -> String {
    let users = machine.run(["users", "list", "--json"]).json();
    users[0]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn an_item_is_added_changed_marked_and_forgotten() {
    let machine = Machine::asked("hello");
    let memory = |args: &[&str]| machine.run([&["memory"], args].concat());
    assert_eq!(memory(&["list", "you"]).succeeds(), "no memories found\n");
    let said = [
        (
            &["add", "you", "preferences.drink", " green  tea "][..],
            "preferences.drink, level 1: green tea\n",
        ),
        (
            &["set", "terminal:you", "drink", "coffee"],
            "preferences.drink, level 1: coffee\n",
        ),
        (
            &["set", "You", "drink", "--level", "0"],
            "preferences.drink, level 0: coffee\n",
        ),
        (
            &["pin", "you", "drink"],
            "preferences.drink, level 0: coffee (pinned)\n",
        ),
        (
            &["share", "you", "preferences.drink"],
            "preferences.drink, level 0: coffee (pinned, shared)\n",
        ),
        (
            &["set", "you", "drink", "mate"],
            "preferences.drink, level 0: mate (pinned, shared)\n",
        ),
        (
            &["unpin", "you", "drink"],
            "preferences.drink, level 0: mate (shared)\n",
        ),
        (&["private", "you", "drink"], "preferences.drink, level 0: mate\n"),
        (
            &[
                "add",
                "you",
                "projects.drink",
                "a bar",
                "--level",
                "5",
                "--pin",
                "--share",
            ],
            "projects.drink, level 5: a bar (pinned, shared)\n",
        ),
    ];
    for (args, expected) in said {
        assert_eq!(memory(args).succeeds(), expected, "{args:?}");
    }
    let list = memory(&["list", "you"]).succeeds();
    assert!(list.starts_with("ITEM") && list.lines().count() == 3, "{list}");
    let found = memory(&[
        "list",
        &me(&machine),
        "--module",
        "preferences",
        "--query",
        "MATE",
        "--json",
    ])
    .json();
    assert_eq!(
        (found.as_array().map(Vec::len), &found[0]["key"], &found[0]["userId"]),
        (Some(1), &json!("drink"), &json!(me(&machine)))
    );
    assert_eq!(memory(&["list", "you", "--archived", "--json"]).json(), json!([]));
    assert_eq!(
        memory(&["forget", "you", "preferences.drink"]).succeeds(),
        "preferences.drink: forgotten (1)\n"
    );
    let forgotten = memory(&["forget", "you", "all", "--yes", "--json"]).json();
    assert_eq!(forgotten, json!({ "userId": me(&machine), "forgotten": 1 }));
    assert_eq!(memory(&["forget", "you", "all"]).succeeds(), "all: forgotten (0)\n");
    assert_eq!(memory(&["jobs", "you"]).code, 0);
}

#[test]
fn what_is_wrong_with_an_item_is_one_clear_line() {
    let machine = Machine::asked("hello");
    let me = me(&machine);
    let memory = |args: &[&str]| machine.run([&["memory"], args].concat());
    for item in ["identity.name", "projects.name"] {
        memory(&["add", "you", item, "Clifford"]).succeeds();
    }
    let cases = [
        (
            &["add", "you", "name", "Ada"][..],
            "write `name` with its module, such as preferences.name".to_owned(),
        ),
        (
            &["add", "you", "identity.name", "Ada"],
            format!("identity.name is known already; `clifford memory set {me} identity.name VALUE` changes it"),
        ),
        (
            &["add", "you", "pets.name", "Miez"],
            "module: `pets` is none of identity, preferences, constraints, projects, relationships, environment, \
             recent_context"
                .to_owned(),
        ),
        (
            &["set", "you", "name", "x"],
            "there are several of that key: take one of identity.name, projects.name".to_owned(),
        ),
        (
            &["set", "you", "identity.name", ""],
            "value: it is empty".to_owned(),
        ),
        (
            &["pin", "you", "town"],
            format!("nothing is known of you by the key `town`; `clifford memory list {me}` shows what is"),
        ),
        (
            &["forget", "you", "all"],
            "this deletes all that is remembered of you (2 items) for good: add --yes to do it".to_owned(),
        ),
        (
            &["list", "Bob"],
            "no user matches `Bob`: use an id or its beginning, platform:account or a unique name; see `clifford users list`"
                .to_owned(),
        ),
        (
            &["list", "telegram:7"],
            "no user matches `telegram:7`: use an id or its beginning, platform:account or a unique name; see `clifford users list`"
                .to_owned(),
        ),
    ];
    for (args, expected) in cases {
        memory(args).fails_with(&expected);
    }
}

#[test]
fn a_name_or_a_value_is_told_on_one_line_however_many_it_has() {
    let machine = Machine::asked("hello");
    let me = me(&machine);
    let memory = |args: &[&str]| machine.run([&["memory"], args].concat());
    memory(&["add", "you", "preferences.drink", "tea"]).succeeds();
    let db = rusqlite::Connection::open(machine.database()).expect("the database");
    for sql in [
        "UPDATE users SET name = 'Ada' || char(10) || 'clifford: all is well'",
        "UPDATE memory_items SET value = 'tea' || char(13) || char(10) || 'preferences.food: cake'",
        "UPDATE runs SET error = 'it failed' || char(10) || 'parent   none'",
    ] {
        assert_eq!(db.execute(sql, []).expect("an update"), 1);
    }
    drop(db);
    memory(&["pin", &me, "town"]).fails_with(&format!(
        "nothing is known of Ada clifford: all is well by the key `town`; `clifford memory list {me}` shows what is"
    ));
    memory(&["forget", &me, "all"]).fails_with(
        "this deletes all that is remembered of Ada clifford: all is well (1 item) for good: add --yes to do it",
    );
    assert_eq!(
        memory(&["pin", &me, "drink"]).succeeds(),
        "preferences.drink, level 1: tea  preferences.food: cake (pinned)\n"
    );
    assert_eq!(memory(&["list", &me]).succeeds().lines().count(), 2);
    let run = machine.run(["runs", "show", "last"]).succeeds();
    assert!(run.contains("\nerror    it failed parent   none\n"), "{run}");
}

#[test]
fn a_person_is_shown_with_their_accounts_and_changed() {
    let machine = Machine::asked("hello");
    let me = me(&machine);
    let list = machine.run(["users", "list"]).succeeds();
    assert!(list.starts_with("USER") && list.contains(&me), "{list}");
    assert_eq!(
        machine.run(["users", "list", "--role", "owner"]).succeeds(),
        "no people found\n"
    );
    let changed = machine
        .run([
            "users",
            "set",
            "you",
            "--name",
            "Ada",
            "--role",
            "owner",
            "--time-zone",
            "europe/berlin",
        ])
        .succeeds();
    assert_eq!(
        changed,
        format!(
            "user       {me}\nname       Ada\nrole       owner\nlanguage   not known\ntime zone  Europe/Berlin\naccount    \
             terminal:you (this machine)\n"
        )
    );
    assert_eq!(machine.run(["users", "show", "ADA"]).succeeds(), changed);
    let cleared = machine.run(["users", "set", &me, "--time-zone", "", "--json"]).json();
    assert_eq!(
        (&cleared["timeZone"], &cleared["role"]),
        (&Value::Null, &json!("owner"))
    );
    let shown = machine.run(["users", "show", &me, "--json"]).json();
    assert_eq!(
        shown,
        json!({
            "user": { "id": me, "name": "Ada", "role": "owner", "language": null, "timeZone": null },
            "identities": [{ "platform": "terminal", "platformUserId": "you", "name": "you" }],
        })
    );
    machine
        .run(["users", "set", "Ada", "--role", "member"])
        .fails_with("they are the only owner: make somebody else an owner first");
    machine
        .run(["users", "set", "Ada"])
        .fails_with("nothing to change: give --name, --role, --language or --time-zone");
    for wrong in [
        ["--role", "king"],
        ["--time-zone", "Berlin"],
        ["--language", "en_US"],
        ["--name", ""],
    ] {
        let ended = machine.run([&["users", "set", "Ada"], &wrong[..]].concat());
        assert_eq!(ended.code, 2, "{ended:?}");
    }
}

#[test]
fn a_conversation_is_listed_named_and_closed() {
    let machine = Machine::new();
    machine.pipe("hello\n/quit\n", &["chat"]);
    let listed = machine.run(["contexts", "list", "--user", "you", "--json"]).json();
    let id = listed[0]["id"].as_str().expect("a conversation");
    let list = machine.run(["contexts", "list"]).succeeds();
    assert!(list.starts_with("CONTEXT") && list.contains(id), "{list}");
    assert_eq!(
        machine.run(["contexts", "rename", id, "The trip"]).succeeds(),
        format!("{id}: The trip, open\n")
    );
    assert_eq!(
        machine.run(["contexts", "close", id]).succeeds(),
        format!("{id}: The trip, closed\n")
    );
    machine
        .run(["contexts", "close", id])
        .fails_with(&format!("conversation {id} is closed already"));
    let shown = machine.run(["contexts", "show", id, "--json"]).json();
    assert_eq!(
        (
            &shown["context"]["name"],
            shown["context"]["closedAt"].is_string(),
            shown["jobs"].is_array()
        ),
        (&json!("The trip"), true, true)
    );
    let shown = machine.run(["contexts", "show", id]).succeeds();
    assert!(shown.contains("state    closed"), "{shown}");
    machine
        .run(["contexts", "rename", id, " "])
        .fails_with("a name has 1 to 200 characters");
    for args in [&["show", NOBODY][..], &["close", NOBODY], &["rename", NOBODY, "x"]] {
        machine.run([&["contexts"], args].concat()).fails_with(&format!(
            "there is no conversation {NOBODY}; `clifford contexts list` shows them"
        ));
    }
}

#[test]
fn settings_are_shown_set_and_taken_back() {
    let machine = Machine::new();
    machine.pipe("hello\n/quit\n", &["chat"]);
    let settings = |args: &[&str]| machine.run([&["settings"], args].concat());
    let values = |args: &[&str]| {
        let shown = settings(&[args, &["--json"]].concat()).json();
        let shown = shown.as_array().expect("a list").iter();
        shown
            .map(|one| {
                format!(
                    "{} {} {}",
                    one["name"].as_str().unwrap_or_default(),
                    one["value"],
                    one["inherited"]
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(
        values(&["list"]),
        [
            r#"when_busy null "follow_up""#,
            "memory null true",
            "cross_channel null true",
            r#"voice_replies null "when_spoken_to""#,
            "model null null",
            r#"threads null "off""#,
            "follow_threads null null",
            "ambient_messages null 0"
        ]
    );
    assert_eq!(values(&["set", "bot", "memory", "false"]), ["memory false true"]);
    let table = settings(&["list"]).succeeds();
    assert!(table.starts_with("SETTING") && table.contains("when_busy"), "{table}");
    let context = machine.run(["contexts", "list", "--json"]).json();
    let channel = format!("channel:{}", context[0]["channelId"].as_str().expect("a channel"));
    assert_eq!(values(&["set", &channel, "memory", "true"]), ["memory true false"]);
    assert_eq!(values(&["unset", &channel, "memory"]), ["memory null false"]);
    assert_eq!(
        values(&["set", "user:you", "language", "de"]),
        [r#"language "de" null"#]
    );
    assert_eq!(
        values(&["list", &format!("user:{}", me(&machine))]),
        [
            "memory null null",
            "voice_replies null null",
            r#"language "de" null"#,
            "time_zone null null",
            "model null null"
        ]
    );
    let cases = [
        (
            &["unset", &channel, "memory"][..],
            format!("memory is not set for {channel}"),
        ),
        (
            &["set", "bot", "model", "nobody"],
            "no model can be chosen: llm.choices of bot.toml is empty".to_owned(),
        ),
        (
            &["set", &channel, "agent", "nobody"],
            "there is no agent `nobody`; there are Clifford".to_owned(),
        ),
        (
            &["set", "bot", "memory", "yes"],
            "memory: `yes` is not one of on, off".to_owned(),
        ),
        (
            &["set", "bot", "last_ready_check", "1"],
            "there is no setting `last_ready_check`; for a bot there are when_busy, memory, cross_channel, voice_replies, model, threads, follow_threads, ambient_messages".to_owned(),
        ),
        (
            &["set", "bot", "language", "de"],
            "there is no setting `language` of a bot: it is set for space, channel, user".to_owned(),
        ),
        (
            &["list", "chat:7"],
            "`chat:7` is not one of bot, space:ID, channel:ID, agent:ID, user:ID".to_owned(),
        ),
        (
            &["list", &format!("space:{NOBODY}")],
            format!("there is no space {NOBODY}"),
        ),
    ];
    for (args, expected) in cases {
        settings(args).fails_with(&expected);
    }
}

#[test]
fn a_key_of_somebodys_own_is_read_from_standard_input_and_shown_nowhere() {
    let machine = Machine::asked("hello");
    let provider = "llm.providers=[{ name = \"fake\", base_url = \"http://127.0.0.1:9/v1\" }]";
    let key = "sk-own-0123456789abcdefghij";
    let set = |input: &str, provider_name: &str| {
        machine.pipe(input, &["users", "key", "set", "you", provider_name, "--set", provider])
    };
    set("", "fake")
        .fails_with("no key stands on standard input: pipe it in, such as `clifford users key set Ada main < key.txt`");
    set("because\n", "fake")
        .fails_with("that does not look like an API key: give it as the provider shows it, without quotes or blanks");
    set(key, "other").fails_with("there is no provider `other` that takes keys; there is fake");
    assert_eq!(
        set(&format!("{key}\n"), "fake").succeeds(),
        "you is answered by their own key for fake\n"
    );
    let listed = machine.run(["users", "key", "list", "you", "--json"]).json();
    assert_eq!(
        (listed.as_array().map(Vec::len), &listed[0]["provider"]),
        (Some(1), &json!("fake"))
    );
    let bytes = std::fs::read(machine.database()).expect("the database");
    assert!(!String::from_utf8_lossy(&bytes).contains(key));
    let removed = machine.run(["users", "key", "remove", "you", "fake"]);
    assert_eq!(removed.succeeds(), "the key of you for fake is forgotten\n");
    machine
        .run(["users", "key", "remove", "you", "fake"])
        .fails_with("there is no key of you for fake; `clifford users key list` shows which there are");
}
