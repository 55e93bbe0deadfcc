//! The shapes of `--json`, as docs/reference/json.md lists them.

use std::{collections::BTreeSet, fs, path::Path, process::Stdio};

use serde_json::Value;

use super::Machine;

/// Rows that no command makes without a platform: a group, undelivered messages there, pairing requests.
const OTHERS: &str = include_str!("shapes.sql");

/// The meaning of a word in capitals, at the moment when it is needed.
fn meant(machine: &Machine, word: &str) -> Option<String> {
    let id = |of: &str| Some(format!("{of}-0000-7000-8000-000000000000"));
    let field = |args: &[&str], path: &str| {
        let printed = machine.run([args, &["--json"]].concat()).json();
        Some(printed.pointer(path)?.as_str()?.to_owned())
    };
    match word {
        "ASKING" | "ASKING_TOO" => Some(waiting(machine, "what is 17 * 23?")),
        "WAITING" => Some(waiting(machine, "wait 10 minutes")),
        "CONTEXT" => field(&["contexts", "list"], "/0/id"),
        "CHANNEL" => id("01910000"),
        "SPACE" => id("01900000"),
        "MESSAGE" => id("01920000"),
        "UNSENT" => id("01930000"),
        "TRIGGER" => id("01940000"),
        "CODE" => field(&["link", "code", "ann"], "/code"),
        "TOKEN" => field(&["token", "create"], "/id"),
        "RULE" => field(&["policy", "add", "deny", "--tool", "web"], "/id"),
        _ => None,
    }
}

/// A run that waits: for somebody's approval, or for its time.
fn waiting(machine: &Machine, question: &str) -> String {
    let confirm = "policies=[{ action = \"confirm\", tools = [\"compute.eval\"] }]";
    let known = |machine: &Machine| -> BTreeSet<String> {
        let runs = machine.run(["runs", "list", "--status", "waiting", "--json"]).json();
        let ids = runs.as_array().into_iter().flatten();
        ids.filter_map(|run| run["id"].as_str().map(str::to_owned)).collect()
    };
    let before = known(machine);
    let mut ask = machine.command(["ask", question, "--set", confirm]);
    let mut ask = ask
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let found = (0..500).find_map(|_| known(machine).difference(&before).next().cloned());
    ask.kill().expect("it runs");
    ask.wait().expect("it ends");
    found.expect("a run that waits")
}

#[test]
fn the_page_of_json_lists_what_the_commands_print() {
    let machine = Machine::new();
    let said = machine.pipe("remember that my cat is called Miro\n", &["chat", "--quiet"]);
    assert_eq!(said.code, 0, "{said:?}");
    machine.run(["token", "create"]).succeeds();
    let db = rusqlite::Connection::open(machine.database()).expect("the database");
    db.execute_batch(OTHERS).expect("rows");
    drop(db);
    machine.write("mcp.toml", "[[tools.mcp]]\nname = \"disk\"\ncommand = \"disk\"\n");
    machine.write(
        "tasks.jsonl",
        "{\"name\": \"add\", \"turns\": [\"1 + 2\"], \"expect\": {\"answer_contains\": [\"3\"]}}\n",
    );
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/json.md");
    let page = fs::read_to_string(page).expect("the page");
    let mut wrong = Vec::new();
    let mut checked = 0;
    let mut waits: Option<String> = None;
    for line in page.lines().filter(|line| line.starts_with("| `clifford ")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [command, shape, fields] = cells[..] else {
            panic!("{line}");
        };
        let words = command.trim_matches('`').split(' ').skip(1);
        let args: Vec<_> = words
            .map(|word| match (word, &waits) {
                ("WAITING", Some(run)) => run.clone(),
                _ => meant(&machine, word).unwrap_or_else(|| word.to_owned()),
            })
            .collect();
        if command.contains("WAITING") {
            waits = args.get(2).cloned();
        }
        let ended = machine.run(args.iter().map(String::as_str).chain(["--json"]));
        checked += 1;
        let Ok(printed) = serde_json::from_str::<Value>(&ended.out) else {
            wrong.push(format!("{command}: {ended:?}"));
            continue;
        };
        let first = match shape {
            "list" => printed[0].clone(),
            _ => printed,
        };
        let Value::Object(first) = first else {
            wrong.push(format!("{command} printed no {shape} of objects: {first}"));
            continue;
        };
        let told: BTreeSet<_> = fields
            .split(", ")
            .map(|field| field.trim_matches('`').to_owned())
            .collect();
        let found: BTreeSet<_> = first.keys().cloned().collect();
        if told != found {
            wrong.push(format!("{command} prints {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 90, "{checked} commands were found on the page");
}
