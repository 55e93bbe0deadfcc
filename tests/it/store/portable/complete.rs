//! An archive of everything holds each column of each table, or a reason stands here and in the documentation: a new
//! one that nobody decided about fails.

use std::collections::BTreeSet;

use clifford_core::places::Mode;
use clifford_store::portable::{Kind, Record, Scope};

use super::{Place, TRUSTED, archive, places, source};
use crate::store::{
    erasure::{column, script},
    world::Home,
};

/// Tables that are in no archive, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("api_tokens", "secrets: an owner makes new tokens"),
    ("budget_notices", "what counts against limits begins anew"),
    ("budget_reservations", "at work"),
    ("budget_spending", "what counts against limits begins anew"),
    ("imports", "how far imports into this very database are"),
    ("inbound_attempts", "at work"),
    ("jobs", "at work; what jobs made is in it"),
    ("leases", "at work"),
    ("link_attempts", "what counts against limits begins anew"),
    ("link_codes", "secrets, good for minutes"),
    ("login_links", "secrets, good for minutes"),
    ("loose_files", "at work"),
    ("maintenance_jobs", "how this installation maintains itself"),
    ("model_images", "learned anew from the provider"),
    ("model_windows", "learned anew from the provider"),
    (
        "pairings",
        "people who ask to be let in ask again; their codes are secrets",
    ),
    ("passkey_challenges", "good for minutes"),
    ("passkeys", "ways in to this very address: people add new ones"),
    ("policy_uses", "what counts against limits begins anew"),
    ("rate_buckets", "what counts against limits begins anew"),
    ("sessions", "secrets: people sign in again"),
    ("status_messages", "at work"),
    ("trigger_firings", "which times have fired in this very database"),
    ("trigger_secrets", "secrets: a webhook is made anew"),
    ("unreadable_events", "nobody knows whose they are"),
    ("user_secrets", "secrets: people give their keys again"),
    ("webhook_calls", "secrets, good for minutes"),
];

/// Columns that are in no archive though others of their tables are.
const COLUMNS_LEFT_OUT: &[(&str, &[&str])] = &[
    // The configuration says which is the default; the rest is when the row last changed.
    ("agents", &["is_default", "updated_at"]),
    ("channels", &["config", "updated_at"]),
    // How it is found, which each database works out for itself.
    ("document_chunks", &["id", "model", "embedding"]),
    ("documents", &["idempotency_key"]),
    // Where the content is, which run made it, and deaths while it was read.
    (
        "files",
        &["location", "root_run_id", "idempotency_key", "deaths", "quarantined_at"],
    ),
    // An archive does not decide whose word is believed.
    ("memory_items", &["own_at"]),
    // Work that is over, and marks of what a run may believe.
    (
        "messages",
        &[
            "metadata",
            "idempotency_key",
            "album",
            "address",
            "attempts",
            "lease_owner",
            "lease_until",
            "search_id",
            "request_hash",
            "deaths",
            "isolation",
            "quarantined_at",
            "late_since",
            "edits",
        ],
    ),
    // An imported run is tainted, whatever it was.
    (
        "runs",
        &[
            "address",
            "wake_at",
            "wake_reason",
            "wake_on",
            "lease_owner",
            "lease_until",
            "epoch",
            "updated_at",
            "tainted",
            "deaths",
            "isolation",
            "quarantined_at",
            "platform_roles",
            "lane",
        ],
    ),
    // Of reminders and runs by the clock alone: none sleeps, and none is a webhook.
    (
        "triggers",
        &[
            "run_id",
            "webhook",
            "idempotency_key",
            "last_error",
            "waiting_at",
            "deaths",
            "quarantined_at",
            "lease_owner",
            "lease_until",
        ],
    ),
    // The owner of a bot is claimed there; a stranger stays one (`isAllowed`).
    ("users", &["role", "updated_at"]),
];

/// The columns of records that hold what hangs on them.
const NESTED: &[(&str, &[&str])] = &[
    (
        "users",
        &["id", "name", "language", "language_set", "time_zone", "created_at"],
    ),
    (
        "identities",
        &[
            "platform",
            "platform_user_id",
            "user_id",
            "name",
            "handle",
            "created_at",
        ],
    ),
    (
        "agents",
        &[
            "id",
            "name",
            "prompt",
            "mode",
            "enabled",
            "source",
            "created_at",
            "deleted_at",
        ],
    ),
    (
        "agent_prompts",
        &["agent_id", "version", "prompt", "source", "restores", "created_at"],
    ),
    (
        "documents",
        &[
            "id",
            "user_id",
            "channel_id",
            "file_id",
            "title",
            "created_at",
            "made_by",
        ],
    ),
    ("document_chunks", &["document_id", "seq", "content"]),
];

fn all(of: &[(&str, &[&str])]) -> BTreeSet<String> {
    (of.iter())
        .flat_map(|(table, columns)| columns.iter().map(move |column| format!("{table}.{column}")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_column_of_the_schema_is_in_an_archive_or_left_out_for_a_reason() {
    let home = Home::sqlite().await;
    let there: BTreeSet<_> = column(
        &home.db,
        "SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE '%\\_search%' ESCAPE '\\' AND t.name NOT LIKE '\\_sqlx%' ESCAPE '\\'",
    )
    .await
    .into_iter()
    .collect();
    home.db.close().await;
    let mut decided = all(NESTED);
    for kind in Kind::ALL {
        decided.extend((kind.fields().iter()).map(|field| format!("{}.{}", kind.table(), kind.column(field))));
    }
    let left_out = all(COLUMNS_LEFT_OUT);
    let both: Vec<_> = decided.intersection(&left_out).collect();
    assert!(both.is_empty(), "in the archive and left out: {both:?}");
    decided.extend(left_out);
    let is_left_out = |name: &&String| LEFT_OUT.iter().any(|(table, _)| name.split('.').next() == Some(table));
    let undecided: Vec<_> = there.difference(&decided).filter(|name| !is_left_out(name)).collect();
    assert!(
        undecided.is_empty(),
        "neither in an archive nor left out: {undecided:?}"
    );
    let unknown: Vec<_> = decided.difference(&there).collect();
    assert!(unknown.is_empty(), "no such columns: {unknown:?}");
    for (table, _) in LEFT_OUT {
        assert!(
            there.iter().any(|name| name.starts_with(&format!("{table}."))),
            "{table}"
        );
        assert!(
            !decided.iter().any(|name| name.starts_with(&format!("{table}."))),
            "{table}"
        );
    }
}

#[test]
fn the_documentation_names_each_kind_with_its_fields_and_each_table_that_is_left_out() {
    let page = include_str!("../../../../docs/reference/export-archive.md");
    for (table, reason) in LEFT_OUT {
        let row = format!("| `{table}` | {reason} |");
        assert!(page.contains(&row), "{row}");
    }
    for kind in Kind::ALL {
        let name = serde_json::to_string(&kind).expect("a word").replace('"', "");
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("{name}"));
        for field in kind.fields() {
            let mut camel = String::new();
            for (number, part) in field.split('_').enumerate() {
                let upper = part[..1].to_uppercase() + &part[1..];
                camel.push_str(if number == 0 { part } else { &upper });
            }
            assert!(row.contains(&format!("`{camel}`")), "{name}: {camel}");
        }
    }
}

/// Secrets of two people, and codes that settings keep for a moment.
const CODES: &str = "INSERT INTO settings VALUES
    ('00000000-0000-7000-8000-0000000000aa', 'erase_code', 'qerasecode', 2000),
    ('00000000-0000-7000-8000-0000000000aa', 'accounts_code', 'qaccountscode', 2000),
    ('bot', 'claim_code_hash', 'qclaimhash', 2000), ('bot', 'pairing_code_key', 'qpairingkey', 2000), ('bot', 'last_ready_check', 'qready', 2000)";

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_any_archive() {
    let secrets = [
        "qhash",
        "qtokenhash",
        "qsessionhash",
        "qloginhash",
        "qcredential",
        "qhandle",
        "qpublickey",
        "qchallengehash",
        "qlinkhash",
        "qhooksecret",
        "qsignature",
        "qsealed",
        "qerasecode",
        "qaccountscode",
        "qclaimhash",
        "qpairingkey",
        "qready",
        "qhookwort",
    ];
    for place in with_two_people().await {
        let person = "00000000-0000-7000-8000-0000000000aa".parse().expect("an id");
        let space = "00000000-0000-7000-8000-000000000005".parse().expect("an id");
        let channel = "00000000-0000-7000-8000-0000000000c3".parse().expect("an id");
        for scope in [
            Scope::Everything,
            Scope::Person(person),
            Scope::Space(space),
            Scope::Channel(channel),
        ] {
            let out = serde_json::to_string(&place.given_out(scope).await).expect("JSON");
            let found: Vec<_> = secrets.iter().filter(|secret| out.contains(**secret)).collect();
            assert!(found.is_empty(), "{scope:?}: {found:?}");
        }
        place.home.db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_did_what_it_cost_and_what_they_may_do_is_in_an_archive_of_everything_alone() {
    for place in with_two_people().await {
        let kinds = |records: &[Record]| -> BTreeSet<Kind> { records.iter().map(Record::kind).collect() };
        let all = kinds(&place.given_out(Scope::Everything).await);
        assert_eq!(all.len(), Kind::ALL.len() - 1, "all but files: {all:?}");
        let person = "00000000-0000-7000-8000-0000000000bb".parse().expect("an id");
        let theirs = place.given_out(Scope::Person(person)).await;
        for kind in [Kind::Agent, Kind::Step, Kind::Rule] {
            assert!(!kinds(&theirs).contains(&kind), "{kind:?}");
        }
        let text = serde_json::to_string(&theirs).expect("JSON");
        assert!(text.contains("bprivwort") && !text.contains("qprivwort"), "{text}");
        let space = "00000000-0000-7000-8000-000000000005".parse().expect("an id");
        let shared = kinds(&place.given_out(Scope::Space(space)).await);
        for kind in [Kind::Agent, Kind::Step, Kind::Usage] {
            assert!(!shared.contains(&kind), "{kind:?}");
        }
        place.home.db.close().await;
    }
}

async fn with_two_people() -> Vec<Place> {
    let mut with = Vec::new();
    let homes = [Some(Home::sqlite().await), Home::postgres().await];
    for home in homes.into_iter().flatten() {
        script(&home.db, include_str!("../two_people.sql")).await;
        script(&home.db, CODES).await;
        script(&home.db, "DELETE FROM files").await;
        with.push(Place {
            dir: tempfile::tempdir().expect("a directory"),
            agent: clifford_core::id::AgentId::new(),
            home,
        });
    }
    with
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_known_by_its_name_keeps_its_prompt_and_takes_the_runs() {
    for place in places().await {
        let dir = tempfile::tempdir().expect("a directory");
        let (mut records, contents) = super::generated::records(11);
        for record in &mut records {
            if let Record::Agent(agent) = record
                && agent.name == "agent 0"
            {
                "clifford".clone_into(&mut agent.name);
                agent.prompt = "Another prompt.".to_owned();
                agent.mode = Mode::Chat;
            }
        }
        let path = archive(dir.path(), &records, &contents);
        place.take_in(&source(&path), TRUSTED).await.expect("comes in");
        let prompts = "SELECT prompt FROM agents WHERE name = 'clifford'";
        assert_ne!(column(place.db(), prompts).await, ["Another prompt."]);
        let strangers = "SELECT COUNT(*) FROM runs WHERE agent_id NOT IN (SELECT id FROM agents)";
        assert_eq!(place.number(strangers).await, 0);
        assert_eq!(place.number("SELECT COUNT(*) FROM agents WHERE is_default").await, 1);
        place.home.db.close().await;
    }
}
