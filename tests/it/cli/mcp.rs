//! `clifford mcp add`, `list`, `remove`: with the server that does as it is told.

use std::fs;

use super::Machine;

const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes/mcp.sh");
/// The owner's own file.
const MINE: &str = "# mine\n[log]\nlevel = \"warn\" # less\n\n[tools.web]\n# the way out\n";

fn machine() -> Machine {
    let machine = Machine::new();
    machine.write("bot.toml", MINE);
    machine
}

fn add<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    let begin = ["mcp", "add", "disk", "--command", "sh"];
    [&begin[..], flags, &["--", FAKE]].concat()
}

fn settings(machine: &Machine) -> String {
    fs::read_to_string(machine.path("bot.toml")).expect("settings")
}

#[test]
fn a_script_adds_a_server_and_everything_else_stays_as_it_was_written() {
    let machine = machine();
    let flags = ["--yes", "--class", "grow=READ", "--trust", "echo"];
    let out = machine.run(add(&flags)).succeeds();
    for row in [
        "fake 1.2.3 offers 10 tools:",
        "echo",
        "readOnlyHint: true",
        "destructiveHint: true",
        "DESTRUCT",
    ] {
        assert!(out.contains(row), "{row} is not in:\n{out}");
    }
    let grow = out.lines().find(|line| line.trim_start().starts_with("grow")).unwrap();
    assert!(grow.contains("nothing") && grow.contains("READ"), "{grow}");
    let text = settings(&machine);
    assert!(text.starts_with(MINE.trim_end()), "{text}");
    let section = format!(
        "[[tools.mcp]]\nname = \"disk\"\ncommand = \"sh\"\nargs = [\"{FAKE}\"]\nclasses = {{ grow = \"READ\" }}\ntrusted = \
         [\"echo\"]\n"
    );
    assert!(text.contains(&section), "{text}");
    machine.run(["config", "check"]).succeeds();
    let listed = machine.run(["mcp", "list", "--json"]).json();
    assert_eq!(
        listed,
        serde_json::json!([{ "name": "disk", "reach": "sh", "enabled": true, "classes": { "grow": "READ" },
            "trusted": ["echo"] }])
    );
    // Its tools are judged by that.
    let tried = machine.run(["policy", "test", "disk.grow", "--json"]);
    assert!(
        tried.err.contains("there is no database") || tried.out.contains("READ"),
        "{tried:?}"
    );
    machine.run(add(&["--yes"])).fails_with(
        "there is an MCP server `disk` already; `clifford mcp remove disk` takes it out, or choose another name",
    );
    assert_eq!(settings(&machine), text);
    let out = machine.run(["mcp", "remove", "disk"]).succeeds();
    assert_eq!(out, "disk: taken out of bot.toml\n");
    assert_eq!(settings(&machine).trim_end(), MINE.trim_end());
    machine
        .run(["mcp", "remove", "disk"])
        .fails_with("there is no MCP server `disk` in bot.toml; `clifford mcp list` shows them");
}

#[test]
fn a_person_is_asked_once_what_a_tool_may_do_that_does_not_say_so() {
    let machine = machine();
    let out = machine.pipe("maybe\nwrite\nnosuch\necho fail\n", &add(&[])).succeeds();
    for part in [
        "The class of grow? [READ/WRITE/DESTRUCT/SENSITIVE] Write one of READ, WRITE, DESTRUCT, SENSITIVE.",
        "Trusted tools, with spaces between, or Enter for none: It offers no tool nosuch.",
        "disk is in bot.toml.",
    ] {
        assert!(out.contains(part), "{part} is not in:\n{out}");
    }
    // A tool that says what it does is not asked for.
    assert!(!out.contains("The class of wipe?"), "{out}");
    let text = settings(&machine);
    assert!(
        text.contains("classes = { grow = \"WRITE\" }\ntrusted = [\"echo\", \"fail\"]\n"),
        "{text}"
    );
}

#[test]
fn nothing_is_written_unless_everything_is_in_order() {
    let machine = machine();
    let cases: [(&[&str], &str); 3] = [
        (
            &["mcp", "add", "disk", "--command", "sh", "--yes", "--", "-c", "exit 1"],
            "disk cannot be used, and nothing was written: ",
        ),
        (
            &["mcp", "add", "memory", "--command", "sh", "--yes"],
            "this is the name of a tool that is built in; give it another",
        ),
        (&["mcp", "add", "disk", "--yes"], "--url"),
    ];
    for (args, fault) in cases {
        let ended = machine.run(args);
        assert!(ended.code != 0 && ended.err.contains(fault), "{ended:?}");
        assert_eq!(settings(&machine), MINE);
    }
    let ended = machine.run(add(&["--yes", "--class", "nosuch=READ"]));
    assert!(ended.err.contains("disk offers no tool nosuch"), "{ended:?}");
    // Broken off in the middle of the questions.
    let ended = machine.pipe("write\n", &add(&[]));
    assert!(ended.err.contains("stopped; nothing was written"), "{ended:?}");
    assert_eq!(settings(&machine), MINE);
    assert!(!machine.path("bot.toml.new").exists());
}

#[test]
fn without_a_file_one_is_made() {
    let machine = Machine::new();
    machine.run(add(&["--yes"])).succeeds();
    assert!(settings(&machine).contains("[[tools.mcp]]\nname = \"disk\"\n"));
    machine.run(["config", "check"]).succeeds();
}
