//! `clifford export --out` and `clifford import`.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Child, Stdio},
};

use clifford_core::{clock::Timestamp, settings::Database};
use clifford_fakes::postgres::Cluster;
use clifford_portable::{Head, Writer};
use clifford_store::{Db, DbOptions, portable as rows};
use serde_json::{Value, json};

use super::Machine;

const NOW: Timestamp = Timestamp(1_767_225_600_000);
/// More than one commit of an import stores, with enough behind it that a kill comes in time.
const MESSAGES: u64 = 36_000;

/// An archive of one person with so many messages in private.
pub(super) fn archive(machine: &Machine, name: &str, messages: u64) -> String {
    let path = machine.path(name);
    let head = Head::new("1.0.0", NOW, "everything".to_owned());
    let file = fs::File::create(&path).expect("a file");
    let mut writer = Writer::new(std::io::BufWriter::new(file), &head).expect("writes");
    let id = |number: u64| format!("019b7000-{:04x}-7000-8000-{number:012x}", number >> 16);
    let (person, channel, context, when) = (id(1), id(2), id(3), "2026-01-01T00:00:00Z");
    let mut put = |record: Value| {
        let record = serde_json::from_value(record).expect("a record");
        writer.record(&record).expect("writes");
    };
    put(
        json!({"person": {"id": person, "name": "Ada", "isAllowed": true, "createdAt": when, "accounts": [
        {"platform": "telegram", "account": "4711", "name": "Ada", "createdAt": when}]}}),
    );
    put(
        json!({"channel": {"id": channel, "platform": "telegram", "externalId": "4711", "kind": "private", "name": "Ada",
        "userId": person, "account": "4711", "enabled": true, "mode": "run", "activeContextId": context, "createdAt": when}}),
    );
    put(
        json!({"context": {"id": context, "channelId": channel, "userId": person, "turnCount": 1,
        "lastUserInteractionAt": when, "createdAt": when}}),
    );
    for number in 0..messages {
        put(
            json!({"message": {"id": id(number + 16), "direction": "inbound", "channelId": channel, "contextId": context,
            "userId": person, "content": format!("message {number} of the garden"), "status": "history", "sentAt": when,
            "createdAt": when}}),
        );
    }
    writer.finish().expect("writes");
    path.to_str().expect("text").to_owned()
}

/// An importer that has stored a part of its records, and was killed then.
async fn killed(machine: &Machine, db: &Db, path: &str) {
    let mut child: Child = machine
        .command(["import", path, "--trusted"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    loop {
        let reached = reached(db).await;
        assert!(
            child.try_wait().expect("a child").is_none(),
            "it ended before it could be killed"
        );
        if reached.is_some_and(|reached| reached > 0) {
            break;
        }
        tokio::task::yield_now().await;
    }
    child.kill().expect("kills");
    child.wait().expect("it is over");
}

/// How far the only import is.
async fn reached(db: &Db) -> Option<u64> {
    let ids = crate::store::erasure::column(db, "SELECT id FROM imports").await;
    let id = ids.first()?;
    let mut conn = db.read().await.expect("reads");
    rows::progress(&mut conn, id)
        .await
        .expect("reads")
        .map(|progress| progress.reached)
}

pub(super) async fn open(url: String) -> Db {
    let options = DbOptions {
        url,
        section: Database::default(),
        exclusive: false,
        migrate: true,
    };
    Db::open(&options).await.expect("opens")
}

/// A killed import goes on, and two at once store everything once.
async fn goes_on(machine: &Machine, db: &Db) {
    let path = archive(machine, "many.tar", MESSAGES);
    killed(machine, db, &path).await;
    let stored: u64 = crate::store::erasure::column(db, "SELECT CAST(COUNT(*) AS TEXT) FROM messages").await[0]
        .parse()
        .expect("a number");
    assert!(stored > 0 && stored < MESSAGES, "{stored}");
    let children: Vec<_> = (0..2)
        .map(|_| {
            let mut command = machine.command(["import", &path, "--trusted", "--json"]);
            command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the binary runs")
        })
        .collect();
    for child in children {
        let ended = super::Ended::of(child.wait_with_output().expect("it ends"));
        assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{}", ended.out);
        let told = ended.json();
        assert!(told["resumedAt"].as_u64().expect("a number") > 0, "{told}");
        assert_eq!(told["records"]["messages"], MESSAGES);
    }
    let sql = "SELECT CAST(COUNT(*) AS TEXT) || ' ' || CAST(COUNT(DISTINCT content) AS TEXT) FROM messages";
    assert_eq!(
        crate::store::erasure::column(db, sql).await,
        [format!("{MESSAGES} {MESSAGES}")]
    );
    let again = machine.run(["import", &path, "--trusted"]).succeeds();
    assert_eq!(again, "Clifford: stored nothing new\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_import_goes_on_on_sqlite() {
    let machine = Machine::asked("hello");
    let db = open(format!("sqlite:{}", machine.database().display())).await;
    crate::store::erasure::script(
        &db,
        "DELETE FROM message_parts; DELETE FROM run_steps; DELETE FROM messages",
    )
    .await;
    goes_on(&machine, &db).await;
    db.close().await;
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_killed_import_goes_on_on_postgresql() {
    let Some(url) = tokio::task::spawn_blocking(|| Cluster::shared().database())
        .await
        .expect("a cluster")
    else {
        return;
    };
    let machine = Machine::new();
    machine.write("bot.toml", &format!("[database]\nurl = \"{url}\"\n"));
    let db = open(url).await;
    goes_on(&machine, &db).await;
    db.close().await;
}

#[test]
fn what_a_person_said_here_is_known_there_after_a_look_at_who_would_know_it() {
    let machine = Machine::new();
    let chat = machine.pipe("remember my qprivwort\n", &["chat", "--quiet"]);
    assert_eq!(chat.code, 0, "{chat:?}");
    machine
        .run(["memory", "add", "terminal:you", "preferences.tea", "likes oolong"])
        .succeeds();
    let written = machine
        .run(["export", "terminal:you", "--out", "me.tar", "--json"])
        .json();
    assert_eq!(written["records"]["people"], 1, "{written}");
    let archive = machine.path("me.tar");
    let mode = fs::metadata(&archive).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    machine
        .run(["export", "--out", "me.tar"])
        .fails_with("me.tar exists already: name a new file");
    let same = machine.run(["import", "me.tar", "--trusted"]).succeeds();
    assert_eq!(same, "Clifford: stored nothing new\n", "it is all here");

    let there = Machine::new();
    let archive = archive.to_str().expect("text");
    let plan = there.run(["import", archive, "--dry-run"]).succeeds();
    for told in ["PERSON", "you", "terminal:you", "READ BY", "nothing was written"] {
        assert!(plan.contains(told), "{told}: {plan}");
    }
    let plan = there.run(["import", archive, "--dry-run", "--json"]).json();
    assert_eq!((&plan["dryRun"], &plan["stored"]), (&true.into(), &Value::Null));
    assert_eq!(
        (&plan["people"][0]["name"], &plan["people"][0]["isNew"]),
        (&"you".into(), &true.into())
    );
    let imported = there.run(["import", archive, "--json"]).json();
    assert_eq!(
        imported["stored"]["memory items"], written["records"]["memory items"],
        "{imported}"
    );
    assert_eq!(imported["stored"]["messages"], written["records"]["messages"]);
    assert!(imported["stored"]["messages"].as_u64() >= Some(2), "{imported}");
    assert!(
        there
            .run(["memory", "list", "terminal:you"])
            .succeeds()
            .contains("likes oolong")
    );
    // The same once more, out of the other bot.
    there.run(["export", "--out", "again.tar"]).succeeds();
    let again = there.run(["import", "again.tar", "--trusted"]).succeeds();
    assert_eq!(again, "Clifford: stored nothing new\n");
}

#[test]
fn data_of_other_programs_need_a_person() {
    let machine = Machine::asked("hello");
    machine.write("result.json", r#"{"name": "Bob", "type": "personal_chat", "id": 8, "messages": [
        {"id": 2, "type": "message", "date_unixtime": "1700000000", "from": "Bob", "from_id": "user8", "text": "qbobwort"}]}"#);
    machine
        .run(["import", "result.json"])
        .fails_with("these data of Telegram do not tell whose they are: name the person with --for");
    machine
        .run(["import", "result.json", "--for", "you", "--trusted"])
        .fails_with("--trusted is for archives of Clifford: what other programs export is data of one person");
    let told = machine.run(["import", "result.json", "--for", "you"]).succeeds();
    assert!(
        told.starts_with("Telegram: stored 1 channel, 1 conversation, 1 message"),
        "{told}"
    );
    let found = machine.run(["search", "qbobwort", "--user", "you"]);
    assert!(found.out.contains("qbobwort"), "{found:?}");
    machine.write("package.zip", "PK\u{3}\u{4}");
    let zip = machine.path("package.zip");
    let zip = zip.to_str().expect("text");
    machine
        .run(["import", zip, "--for", "you"])
        .fails_with(&format!("{zip}: a zip file: unpack it first, and name the directory"));
    let gzip = machine.path("bot.tar.gz");
    std::fs::write(&gzip, [0x1f, 0x8b, 8, 0, 0]).expect("a file");
    let gzip = gzip.to_str().expect("text");
    machine.run(["import", gzip]).fails_with(&format!(
        "{gzip}: compressed with gzip: unpack it first, and name the archive"
    ));
    machine.write("lines.jsonl", &machine.run(["export", "you"]).succeeds());
    let refused = machine.run(["import", "lines.jsonl"]);
    assert!(
        refused.code == 1 && refused.err.contains("`clifford export --out FILE` writes an archive"),
        "{refused:?}"
    );
}
