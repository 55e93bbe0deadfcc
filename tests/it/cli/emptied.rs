//! A database that was there and is empty or gone: nothing begins anew in silence.

use std::{fs, path::Path};

use clifford_fakes::postgres::Cluster;
use rusqlite::Connection;
use sqlx::Connection as _;

use super::Machine;

/// Each of the commands that would make a new database, or write down that there is nothing.
const COMMANDS: [&[&str]; 8] = [
    &["users", "list"],
    &["ask", "hello"],
    &["serve", "--set", "http.bind=127.0.0.1:0"],
    &["status"],
    &["db", "migrate"],
    &["db", "status"],
    &["backup", "worthless.tar"],
    &["export", "--out", "worthless-export.tar"],
];

#[track_caller]
fn all_refuse(machine: &Machine, what: &str) {
    for args in COMMANDS {
        let ended = machine.run(args);
        assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{args:?} {ended:?}");
        assert!(ended.err.contains(what), "{args:?} {ended:?}");
    }
    let worthless = |name: &str| machine.path(name).exists();
    assert!(!worthless("worthless.tar") && !worthless("worthless-export.tar"));
    let doctor = machine
        .run(["doctor", "--json", "--set", "http.bind=127.0.0.1:0"])
        .json();
    let checks = doctor["checks"].as_array().expect("checks");
    let database = checks
        .iter()
        .find(|check| check["check"] == "database")
        .expect("a check");
    assert_eq!(database["status"], "fail", "{database}");
}

/// Takes the files beside a database away, after what they hold is in it.
fn settle(database: &Path) {
    let db = Connection::open(database).expect("opens");
    db.pragma_update(None, "journal_mode", "DELETE").expect("no log");
}

#[test]
fn an_emptied_or_deleted_database_is_no_new_one() {
    let machine = Machine::asked("hello");
    let database = machine.database();
    let shown = database.display();
    let no_backup = format!("{shown} is empty, though this bot has worked with it: no backup is known here.");
    settle(&database);
    let whole = fs::read(&database).expect("reads");
    fs::write(&database, "").expect("emptied");
    all_refuse(&machine, &no_backup);
    assert_eq!(fs::metadata(&database).expect("it is there").len(), 0);
    fs::write(&database, whole).expect("put back");

    machine.run(["backup", "all.tar"]).succeeds();
    let backup = format!(
        "the newest backup known here is {}, of 2",
        machine.path("all.tar").display()
    );
    fs::write(&database, "").expect("emptied");
    all_refuse(&machine, &backup);
    machine.run(["restore", "all.tar", "--force"]).succeeds();
    let users = machine.run(["users", "list", "--json"]).json();
    assert_eq!(users.as_array().map(Vec::len), Some(1));

    for end in ["", "-wal", "-shm", ".lock"] {
        fs::remove_file(format!("{shown}{end}")).unwrap_or_default();
    }
    all_refuse(
        &machine,
        &format!("{shown} is gone, though this bot has worked with it: the newest backup"),
    );
    assert!(!database.exists());
    machine.run(["db", "migrate", "--new"]).succeeds();
    let users = machine.run(["users", "list", "--json"]).json();
    assert_eq!(users.as_array().map(Vec::len), Some(0));
    // A database elsewhere was never there.
    machine
        .run(["ask", "hello", "--set", "database.url=sqlite:other.db"])
        .succeeds();
    fs::remove_file(machine.path("other.db")).expect("removed");
    let gone = machine.run(["ask", "hello", "--set", "database.url=sqlite:other.db"]);
    assert!(gone.err.contains("other.db is gone, though"), "{gone:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_dropped_schema_is_no_new_database() {
    let Some(url) = Cluster::shared().database() else {
        return;
    };
    let machine = Machine::new();
    machine.write("bot.toml", &format!("[database]\nurl = \"{url}\"\n"));
    machine.run(["ask", "hello"]).succeeds();
    let mut server = sqlx_postgres::PgConnection::connect(&url).await.expect("connects");
    let dropped = sqlx::raw_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        .execute(&mut server)
        .await;
    dropped.expect("dropped");
    all_refuse(
        &machine,
        " is empty, though this bot has worked with it: no backup is known here.",
    );
    machine.run(["db", "migrate", "--new"]).succeeds();
    let users = machine.run(["users", "list", "--json"]).json();
    assert_eq!(users.as_array().map(Vec::len), Some(0));
}
