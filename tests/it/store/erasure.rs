//! A person is erased: nothing of them is left in any column or byte, and nothing of others is missing.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clifford_content::files::Storage;
use clifford_core::{
    id::{JobId, UserId, WorkerId},
    work::JobStatus,
};
use clifford_engine::jobs::erase;
use clifford_store::{
    Db, Pools,
    jobs::{self, JobLease},
    leases::ClaimWindow,
    runs::steps,
};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::world::{Home, NOW};
use crate::harness::PATIENCE;

/// The person who is erased.
const ADA: &str = "00000000-0000-7000-8000-0000000000aa";
/// Her traces, in a group and in private, and her names.
const TRACES: [&str; 44] = [
    ADA,
    "qquotewort",
    "qadanym",
    "qsurnym",
    "qadahandle",
    "987654321",
    "qprivname",
    "qsummary",
    "qprivwort",
    "qoutput",
    "qtask",
    "qresult",
    "qguildwort",
    "qfilewort",
    "qanswer",
    "qguildanswer",
    "qnote",
    "qitemwort",
    "qarchivewort",
    "qsetting",
    "qtoken",
    "qtokenhash",
    "qsessionhash",
    "qbrowser",
    "qloginhash",
    "qcredential",
    "qhandle",
    "qpublickey",
    "qphone",
    "qchallengehash",
    "qlinkhash",
    "qjobwort",
    "qitemkey",
    "of qers",
    "qhash",
    "qmany",
    "so be it",
    "what we go by",
    "0 8 * * *",
    "spoke of a thing",
    "qremindwort",
    "qhookwort",
    "qhooksecret",
    "qsignature",
];

/// Executes statements of either engine.
pub async fn script(db: &Db, sql: &str) {
    let sql = AssertSqlSafe(sql.to_owned());
    match db.pools() {
        Pools::Sqlite { read, .. } => drop(sqlx::raw_sql(sql).execute(read).await.expect("runs")),
        Pools::Postgres(pool) => drop(sqlx::raw_sql(sql).execute(pool).await.expect("runs")),
    }
}

/// The first column of every row.
pub async fn column(db: &Db, sql: &str) -> Vec<String> {
    let sql = AssertSqlSafe(sql.to_owned());
    match db.pools() {
        Pools::Sqlite { read, .. } => sqlx::query_scalar(sql).fetch_all(read).await.expect("reads"),
        Pools::Postgres(pool) => sqlx::query_scalar(sql).fetch_all(pool).await.expect("reads"),
    }
}

/// Two people, with a good deal of talk between what counts, all of it in the search index.
pub async fn two_people(db: &Db) {
    script(db, include_str!("two_people.sql")).await;
    let many = |who: &str, user: &str, digit: &str| {
        format!(
            "INSERT INTO messages (id, direction, channel_id, context_id, user_id, content, status, attempts, sent_at, created_at)
             WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1600)
             SELECT '00000000-0000-7000-8000-0000000{digit}' || i, 'inbound', '00000000-0000-7000-8000-0000000000c3',
                    '00000000-0000-7000-8000-0000000000d3', '{user}', '[{who}nym] {who}many says ' || i || ' and ' || (i * 7919),
                    'history', 0, 2000, 2000 FROM n;"
        )
    };
    let bob = "00000000-0000-7000-8000-0000000000bb";
    script(
        db,
        &format!(
            "{} {}",
            many("Qada", ADA, "1").replace("Qadamany", "qmany"),
            many("Bob", bob, "2")
        ),
    )
    .await;
    let index = if db.is_shared() {
        "UPDATE messages SET search_id = n.i FROM (SELECT id, row_number() OVER (ORDER BY content) AS i FROM messages) n
         WHERE n.id = messages.id;
         INSERT INTO message_search (id, terms)
         SELECT search_id, to_tsvector('simple', content) FROM messages; ANALYZE"
    } else {
        "UPDATE messages SET search_id = rowid;
         INSERT INTO message_search (rowid, terms) SELECT search_id, content FROM messages"
    };
    script(db, index).await;
}

pub fn ada() -> UserId {
    ADA.parse().expect("an id")
}

/// Makes the job, and claims it.
async fn begin(db: &Db) -> (JobId, JobLease) {
    db.write(|tx| {
        Box::pin(async move {
            let (job, _) = erase::begin(tx, ada(), NOW).await?;
            let look = ClaimWindow::new(WorkerId::new(), NOW, Duration::from_secs(30));
            let lease = jobs::claim_one(tx, job, look).await?;
            Ok((job, lease.expect("a claim")))
        })
    })
    .await
    .expect("begins")
}

async fn erase(db: &Db, files: &Path) {
    let files = &Storage::new(files, None);
    let (job, lease) = begin(db).await;
    let erased = erase::rows(db, ada(), lease, files, NOW).await.expect("erases");
    assert!(erased.was_owner);
    assert_eq!(erased.counts["users"], 1, "{:?}", erased.counts);
    assert_eq!(erased.taken.len(), 1, "{:?}", erased.taken);
    assert!(erase::finish(db, lease, NOW).await.expect("cleans"));
    let job = jobs::get(&mut db.read().await.expect("reads"), job)
        .await
        .expect("reads")
        .expect("a job");
    assert_eq!((job.status, job.user_id), (JobStatus::Done, None));
}

fn holds(bytes: &[u8], trace: &str) -> bool {
    let (text, trace) = (bytes.to_ascii_lowercase(), trace.to_ascii_lowercase());
    text.windows(trace.len()).any(|window| window == trace.as_bytes())
}

fn found_in(bytes: &[u8]) -> Vec<&'static str> {
    TRACES.into_iter().filter(|trace| holds(bytes, trace)).collect()
}

/// The rows of the other person that stay, and the bot's words to them.
async fn others_are_whole(db: &Db) {
    let texts = column(
        db,
        "SELECT content FROM messages WHERE id < '00000000-0000-7000-8000-000000000900' ORDER BY id",
    )
    .await;
    assert_eq!(
        texts,
        [
            "[Bobnym] bjoint too",
            "[Bobnym] bkeepwort asks",
            "Bobnym, [erased] (@[erased]) said: \"[erased]\"; her [erased] bkeepwort.",
            "In the group, somebody likes [erased]; you like bitemwort.",
            "bprivwort in private",
        ]
    );
    let many = column(db, "SELECT content FROM messages WHERE content LIKE '%Bobmany%'").await;
    assert_eq!(many.len(), 601);
    let runs = column(
        db,
        "SELECT input_text || ' / ' || COALESCE(output_text, '') || ' / ' || status || ' / ' || COALESCE(lease_owner, '')
         FROM runs ORDER BY id",
    )
    .await;
    assert_eq!(
        runs,
        [
            "[erased]\n[Bobnym] bkeepwort asks / [erased] said [erased] / completed / ",
            "[Bobnym] bkeepwort waits /  / pending / ",
        ]
    );
    assert_eq!(column(db, "SELECT value FROM memory_items").await, ["likes bitemwort"]);
    assert_eq!(
        column(db, "SELECT content FROM triggers").await,
        ["tell her of [erased], bremindwort"]
    );
    let contexts = column(
        db,
        "SELECT COALESCE(name, '-') || ' / ' || COALESCE(summary, '-') FROM contexts ORDER BY id",
    )
    .await;
    assert_eq!(contexts, ["bprivname / He was told of [erased].", "- / -"]);
    let parts = column(db, "SELECT body FROM message_parts").await;
    let part: Value = serde_json::from_str(&parts[0]).expect("JSON");
    let expected = json!({"type": "text", "text": "said:\n[erased] <b>[erased]</b>", "plain": "[erased] bkeepwort"});
    assert_eq!((parts.len(), part), (1, expected));
    assert_eq!(
        column(db, "SELECT result FROM jobs WHERE mode = 'compact'").await,
        [
            r#"{"applied":["[erased]","bitemwort","[erased]"],"people":{"00000000-0000-7000-8000-0000000000bb":{"applied":["of bhis"]}}}"#
        ]
    );
    assert_eq!(column(db, "SELECT id FROM unreadable_events").await, ["u2"]);
    assert_eq!(column(db, "SELECT platform_user_id FROM link_attempts").await, ["8"]);
    assert_eq!(column(db, "SELECT scope FROM settings").await, ["bot"]);
    let run = "00000000-0000-7000-8000-0000000000e4".parse().expect("an id");
    let steps = steps::of_run(&mut db.read().await.expect("reads"), run)
        .await
        .expect("can be read");
    let prompt = serde_json::to_string(&clifford_core::run::columns::parts(&steps[0].kind).1).expect("JSON");
    assert!(prompt.contains(r"[[erased]] my [erased]\\n[erased]"), "{prompt}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_byte_of_an_erased_person_is_left_in_a_sqlite_file_and_others_are_whole() {
    let home = Home::sqlite().await;
    two_people(&home.db).await;
    let path = home.options.url.strip_prefix("sqlite:").expect("a path").to_owned();
    let dir = Path::new(&path).parent().expect("a directory").to_owned();
    std::fs::create_dir(dir.join("files")).expect("a directory");
    std::fs::write(dir.join("files/qfilewort.jpg"), "a picture").expect("a file");
    let before = [&path, &format!("{path}-wal")]
        .map(|file| std::fs::read(file).expect("a file"))
        .concat();
    assert_eq!(found_in(&before), TRACES);

    erase(&home.db, &dir).await;

    assert!(!dir.join("files/qfilewort.jpg").exists());
    others_are_whole(&home.db).await;
    let log = std::fs::read(format!("{path}-wal")).expect("a file");
    assert_eq!(found_in(&log), [""; 0], "in the log");
    assert_eq!(found_in(&std::fs::read(&path).expect("a file")), [""; 0], "in the file");
    let index = "SELECT CAST(COUNT(*) AS TEXT) FROM message_search WHERE message_search MATCH ";
    for (word, count) in [("qguildwort", "0"), ("qmany", "0"), ("bobmany", "601")] {
        assert_eq!(column(&home.db, &format!("{index}'{word}'")).await, [count], "{word}");
    }
    assert_eq!(home.db.integrity().await.expect("looks"), Some(vec![]));
}

/// Has the server write its files anew. A file that still tells of who was erased.
async fn vacuumed(db: &Db) -> Option<PathBuf> {
    script(db, "VACUUM FULL").await;
    script(db, "CHECKPOINT").await;
    let dirs = column(
        db,
        "SELECT current_setting('data_directory') || '/base/' || oid FROM pg_database WHERE datname = current_database()",
    )
    .await;
    let files = std::fs::read_dir(&dirs[0]).expect("the cluster's directory");
    // A file may go at any moment.
    let tells = |path: &PathBuf| !found_in(&std::fs::read(path).unwrap_or_default()).is_empty();
    files.map(|entry| entry.expect("an entry").path()).find(tells)
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn no_column_and_no_byte_of_an_erased_person_is_left_in_postgresql_and_others_are_whole() {
    let Some(home) = Home::postgres().await else { return };
    let db = &home.db;
    two_people(db).await;
    let tables = column(db, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'").await;
    let dump = async || {
        let mut text = String::new();
        for table in &tables {
            let rows = column(db, &format!("SELECT x::text FROM \"{table}\" x")).await;
            text.push_str(&rows.join("\n"));
        }
        text.into_bytes()
    };
    assert_eq!(found_in(&dump().await), TRACES);

    erase(db, Path::new("/nonexistent")).await;

    others_are_whole(db).await;
    assert_eq!(found_in(&dump().await), [""; 0]);
    // Dead rows are the database's to reuse; when it has, or is made to, no byte is left either. An analysis that the
    // server makes meanwhile still sees them, and so they stay until it has ended.
    let began = Instant::now();
    while let Some(file) = vacuumed(db).await {
        assert!(began.elapsed() < PATIENCE, "{} tells of them", file.display());
    }
    db.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_that_stopped_in_the_middle_goes_on_where_it_was() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let (db, nowhere) = (&home.db, &Storage::new("/nonexistent", None));
        two_people(db).await;
        let (job, lost) = begin(db).await;
        // Its process died before anything was deleted, and again before the space was cleaned.
        let claim = async |after: u64| {
            let now = NOW.after(Duration::from_secs(after));
            db.write(move |tx| {
                let look = ClaimWindow::new(WorkerId::new(), now, Duration::from_secs(30));
                Box::pin(jobs::claim_one(tx, job, look))
            })
            .await
            .expect("claims")
        };
        assert_eq!(claim(10).await, None, "somebody has it");
        let second = claim(60).await.expect("a claim");
        assert!(
            erase::rows(db, ada(), lost, nowhere, NOW).await.is_err(),
            "it is somebody else's"
        );
        erase::rows(db, ada(), second, nowhere, NOW).await.expect("erases");
        assert!(erase::finish(db, lost, NOW).await.is_err());
        let third = claim(120).await.expect("a claim");
        assert!(erase::finish(db, third, NOW).await.expect("cleans"));
        others_are_whole(db).await;
        assert_eq!(claim(999).await, None, "it is done");
        db.close().await;
    }
}
