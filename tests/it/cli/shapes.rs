//! The shapes of `--json`, as docs/reference/json.md lists them.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use super::Machine;

#[test]
fn the_page_of_json_lists_what_the_commands_print() {
    let machine = Machine::new();
    let said = machine.pipe("remember that my cat is called Miro\n", &["chat", "--quiet"]);
    assert_eq!(said.code, 0, "{said:?}");
    machine.run(["token", "create"]).succeeds();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/json.md");
    let page = fs::read_to_string(page).expect("the page");
    let mut checked = 0;
    for line in page.lines().filter(|line| line.starts_with("| `clifford ")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [command, shape, fields] = cells[..] else {
            panic!("{line}");
        };
        let args = command.trim_matches('`').split(' ').skip(1).chain(["--json"]);
        let printed = machine.run(args).json();
        let first = match shape {
            "list" => printed[0].clone(),
            _ => printed,
        };
        let Value::Object(first) = first else {
            panic!("{command} printed no {shape} of objects: {first}");
        };
        let told: BTreeSet<_> = fields
            .split(", ")
            .map(|field| field.trim_matches('`').to_owned())
            .collect();
        let found: BTreeSet<_> = first.keys().cloned().collect();
        assert_eq!(told, found, "{command}");
        checked += 1;
    }
    assert!(checked > 40, "{checked} commands were found on the page");
}
