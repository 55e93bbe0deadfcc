//! Control sequences for terminals in texts of people and models: nothing but their text reaches the operator's
//! terminal.

use rusqlite::{Connection, types::ValueRef};

use super::Machine;

/// Sets the title, clears the screen, writes the clipboard, turns the letters around, moves the cursor.
const HOSTILE: &str =
    "a\u{1b}]0;pwned\u{7}b\u{1b}[2Jc\u{1b}]52;c;aGk=\u{1b}\\d\u{9b}31me\u{202e}f\u{2066}g\rh\u{8}i\u{7f}\u{feff}";
/// The placeholder in the rows until then.
const WORD: &str = "HOSTILE";

/// Puts it wherever the word stands: as it is, and within JSON as JSON has it.
fn poison(machine: &Machine) -> usize {
    let db = Connection::open(machine.database()).expect("the database");
    let names = |sql: &str| -> Vec<String> {
        let mut found = db.prepare(sql).expect("a statement");
        let rows = found.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("a name")).collect()
    };
    // Fields that people see and that no command fills in here.
    for sql in [
        "UPDATE users SET name = 'you ' || ?1",
        "UPDATE identities SET name = ?1, handle = ?1",
        "UPDATE channels SET name = ?1",
        "UPDATE contexts SET name = ?1",
        "UPDATE memory_items SET value = ?1, key = 'key_' || ?1",
        "UPDATE runs SET error = ?1",
        "UPDATE triggers SET name = ?1",
        "UPDATE api_tokens SET name = ?1",
        "UPDATE messages SET error = ?1 WHERE direction = 'outbound'",
        "UPDATE jobs SET last_error = ?1",
    ] {
        db.execute(sql, [WORD]).unwrap_or_default();
    }
    let json = serde_json::to_string(HOSTILE).expect("JSON");
    let in_json = json.trim_matches('"');
    let mut poisoned = 0;
    for table in names("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'") {
        for column in names(&format!(
            "SELECT name FROM pragma_table_info('{table}') WHERE type = 'TEXT'"
        )) {
            let rows: Vec<(i64, String)> = {
                let sql = format!("SELECT rowid, {column} FROM {table} WHERE {column} LIKE '%{WORD}%'");
                let Ok(mut found) = db.prepare(&sql) else { continue };
                let rows = found.query_map([], |row| {
                    let text = match row.get_ref(1)? {
                        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                        _ => String::new(),
                    };
                    Ok((row.get(0)?, text))
                });
                rows.expect("rows").map(|row| row.expect("a row")).collect()
            };
            for (row, text) in rows {
                let is_json = text.starts_with(['{', '[', '"']);
                let text = text.replace(WORD, if is_json { in_json } else { HOSTILE });
                let sql = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2");
                poisoned += db.execute(&sql, rusqlite::params![text, row]).expect("an update");
            }
        }
    }
    poisoned
}

fn is_text(text: &str) -> bool {
    !text.chars().any(clifford_markup::is_obeyed)
}

#[test]
fn no_command_shows_a_terminal_anything_but_text() {
    let machine = Machine::asked("remember that my cat is HOSTILE");
    machine.pipe("hello HOSTILE\n", &["chat"]).succeeds();
    machine
        .run(["memory", "add", "you", "preferences.drink", "HOSTILE tea"])
        .succeeds();
    machine.run(["token", "create", "--name", "HOSTILE"]).succeeds();
    machine
        .run([
            "triggers",
            "add",
            "HOSTILE",
            "--reminder",
            "--user",
            "you",
            "--when",
            "in 20 minutes",
        ])
        .succeeds();
    let poisoned = poison(&machine);
    assert!(poisoned >= 10, "{poisoned}");
    let context = machine.run(["contexts", "list", "--json"]).json()[0]["id"].clone();
    let context = context.as_str().expect("a conversation").to_owned();
    let user = machine.run(["users", "list", "--json"]).json()[0]["id"].clone();
    let user = user.as_str().expect("a person").to_owned();
    let commands: [&[&str]; 23] = [
        &["runs", "list"],
        &["runs", "show", "last"],
        &["runs", "replay", "last"],
        &["runs", "tail", "last"],
        &["contexts", "list"],
        &["contexts", "show", &context],
        &["contexts", "rename", &context, HOSTILE],
        &["memory", "list", &user],
        &["memory", "jobs", &user],
        &["memory", "set", &user, "drink", HOSTILE],
        &["users", "list"],
        &["users", "show", &user],
        &["triggers", "list"],
        &["token", "list"],
        &["pair", "list"],
        &["settings", "list"],
        &["policy", "list"],
        &["usage"],
        &["usage", "--by", "tool"],
        &["link", "code", &user],
        &["export", &user],
        &["db", "status"],
        &["runs", "retry", "last"],
    ];
    let mut seen = 0;
    for command in commands {
        for json in [&[][..], &["--json"]] {
            let ended = machine.run([command, json].concat());
            assert!(is_text(&ended.out), "{command:?} {:?}", ended.out);
            assert!(is_text(&ended.err), "{command:?} {:?}", ended.err);
            seen += usize::from(ended.out.contains("pwned"));
        }
    }
    // They did show it.
    assert!(seen >= 12, "{seen}");
}
