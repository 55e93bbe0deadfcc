//! Copies and restores that are killed on their way: the same command goes on, or begins anew, and all is there.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
};

use clifford_fakes::postgres::Cluster;
use clifford_store::Db;
use serde_json::Value;

use super::{Ended, Machine, importing};
use crate::store::erasure::column;

fn spawn(machine: &Machine, args: &[&str]) -> Child {
    let mut command = machine.command(args.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the binary runs")
}

/// Kills a process as soon as something is so; one that was faster has ended.
fn killed_when(mut child: Child, is_so: impl Fn() -> bool) {
    while !is_so() && child.try_wait().expect("a child").is_none() {
        std::thread::yield_now();
    }
    child.kill().ok();
    child.wait().expect("it is over");
}

pub(super) fn has_name(dir: &Path, beginning: &str) -> bool {
    fs::read_dir(dir).is_ok_and(|entries| {
        (entries.flatten()).any(|entry| entry.file_name().to_string_lossy().starts_with(beginning))
    })
}

fn runs(machine: &Machine) -> Value {
    machine.run(["runs", "list", "--json"]).json()
}

#[test]
fn a_restore_that_is_killed_anywhere_loses_nothing_and_ends_when_it_is_given_again() {
    let machine = Machine::asked("what is 17 * 23?");
    let data = machine.path("data/clifford");
    fs::write(data.join("secret.key"), "qkeyword").expect("a key");
    for number in 0..200 {
        let dir = data.join(format!("files/{number:02x}"));
        fs::create_dir_all(&dir).expect("a directory");
        fs::write(
            dir.join(format!("0192cafe0000700080000000000000{number:02x}")),
            "a file's text",
        )
        .expect("a file");
    }
    machine.run(["backup", "all.tar"]).succeeds();
    let before = runs(&machine);
    for beginning in [".restore-", "before-restore-"] {
        let child = spawn(&machine, &["restore", "all.tar", "--force"]);
        killed_when(child, || has_name(&data, beginning));
        let again = machine.run(["restore", "all.tar", "--force", "--json"]).json();
        assert_eq!(again["files"], 200, "{again}");
        assert_eq!(runs(&machine), before);
        assert_eq!(fs::read_to_string(data.join("secret.key")).expect("a key"), "qkeyword");
        assert!(
            !has_name(&data, ".restore-"),
            "what the killed one had taken apart is gone"
        );
        for entry in fs::read_dir(&data).expect("a directory").flatten() {
            if entry.file_name().to_string_lossy().starts_with("before-restore-") {
                fs::remove_dir_all(entry.path()).expect("removed");
            }
        }
    }
}

#[test]
fn nothing_works_where_only_some_parts_of_a_backup_are_in_place() {
    let machine = Machine::asked("what is 17 * 23?");
    let data = machine.path("data/clifford");
    let mark = data.join("restore-in-progress");
    machine.run(["backup", "all.tar"]).succeeds();
    let before = runs(&machine);
    // As one that is killed in the middle leaves it.
    fs::write(&mark, "").expect("a mark");
    let commands: [&[&str]; 4] = [
        &["runs", "list"],
        &["ask", "hello"],
        &["token", "create", "--name", "x"],
        &["serve"],
    ];
    for args in commands {
        let refused = machine.run(args);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(
            refused.err.contains("a restore has not come to its end")
                && refused.err.contains("clifford restore --force"),
            "{refused:?}"
        );
    }
    // Another one that fails takes the mark away no more than one that is killed.
    fs::write(machine.path("cut.tar"), "no archive").expect("a file");
    assert_eq!(machine.run(["restore", "cut.tar", "--force"]).code, 1);
    assert!(mark.exists());
    machine.run(["restore", "all.tar", "--force"]).succeeds();
    assert!(!mark.exists());
    assert_eq!(runs(&machine), before);
}

/// How many messages the target has.
async fn copied(target: &Db) -> u64 {
    let found = column(target, "SELECT CAST(COUNT(*) AS TEXT) FROM messages").await;
    found[0].parse().expect("a number")
}

/// Kills a copy once some messages are there; then the same command copies the rest.
async fn goes_on(machine: &Machine, target: &Db, to: &str) {
    const MESSAGES: u64 = 12_000;
    let archive = importing::archive(machine, "many.tar", MESSAGES);
    machine.run(["import", &archive, "--trusted"]).succeeds();
    let args = ["db", "copy", "--to", to];
    let mut child = spawn(machine, &args);
    while copied(target).await == 0 {
        assert!(
            child.try_wait().expect("a child").is_none(),
            "it ended before it could be killed"
        );
        tokio::task::yield_now().await;
    }
    child.kill().expect("kills");
    child.wait().expect("it is over");
    let there = copied(target).await;
    assert!(there > 0 && there < MESSAGES, "{there}");
    let told: Ended = machine.run(["db", "copy", "--to", to, "--json"]);
    let told = told.json();
    let tables = told["tables"].as_array().expect("tables");
    let messages = tables
        .iter()
        .find(|table| table["table"] == "messages")
        .expect("messages");
    assert_eq!(messages["rows"], MESSAGES, "{messages}");
    assert_eq!(copied(target).await, MESSAGES);
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_killed_copy_to_postgresql_goes_on() {
    let Some(url) = tokio::task::spawn_blocking(|| Cluster::shared().database())
        .await
        .expect("a cluster")
    else {
        return;
    };
    let machine = Machine::new();
    let target = importing::open(url.clone()).await;
    goes_on(&machine, &target, &url).await;
    target.close().await;
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_killed_copy_to_sqlite_goes_on() {
    let Some(url) = tokio::task::spawn_blocking(|| Cluster::shared().database())
        .await
        .expect("a cluster")
    else {
        return;
    };
    let machine = Machine::new();
    machine.write("bot.toml", &format!("[database]\nurl = \"{url}\"\n"));
    let to = format!("sqlite:{}", machine.path("copied.db").display());
    let target = importing::open(to.clone()).await;
    goes_on(&machine, &target, &to).await;
    target.close().await;
}
