//! `clifford export` and `clifford erase`.

use serde_json::Value;

use super::Machine;

#[test]
fn a_person_is_exported_and_erased_and_no_byte_is_left() {
    let machine = Machine::asked("remember my qprivwort");
    let exported = machine.run(["export", "terminal:you"]).succeeds();
    let lines: Vec<Value> = exported
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!((&lines[0]["type"], &lines[0]["version"]), (&"export".into(), &1.into()));
    assert!(exported.contains("qprivwort"), "{exported}");
    let id = lines[1]["id"].as_str().expect("an id").to_owned();
    assert_eq!(machine.run(["export", &id]).succeeds().lines().count(), lines.len());
    assert_eq!(machine.run(["export"]).succeeds().lines().count(), lines.len());

    let typed = machine.path("data/clifford/chat_history");
    std::fs::write(&typed, "remember my qprivwort\n").expect("a history");

    machine.run(["erase", &id]).fails_with(&format!(
        "this deletes everything that is kept of you ({id}): add --yes to do so without being asked"
    ));
    assert_eq!(
        machine.run(["erase", &id, "--yes"]).succeeds(),
        format!("everything that was kept of {id} is deleted\n")
    );
    assert!(!typed.exists(), "the history of the terminal is left");
    for name in ["clifford.db", "clifford.db-wal"] {
        let bytes = std::fs::read(machine.database().with_file_name(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        assert!(!text.contains("qprivwort") && !text.contains(&id), "{name}");
    }
    machine
        .run(["erase", &id, "--yes"])
        .fails_with(&format!(
            "no user matches `{id}`: use an id or its beginning, platform:account or a unique name; see `clifford users list`"
        ));
    assert_eq!(machine.run(["export"]).succeeds().lines().count(), 1);
}
