//! The commands on PostgreSQL.

use std::process::Stdio;

use clifford_fakes::postgres::Cluster;

use super::{Ended, Machine};

/// A password that the server does not ask for, and that nobody may read.
const PASSWORD: &str = "hush-hush";

/// A machine whose database is a new one of PostgreSQL's, and its address as it is shown.
fn on_postgres() -> Option<(Machine, String)> {
    let url = Cluster::shared().database()?;
    let machine = Machine::new();
    let secret = url.replacen("clifford@", &format!("clifford:{PASSWORD}@"), 1);
    assert_ne!(secret, url);
    machine.write("bot.toml", &format!("[database]\nurl = \"{secret}\"\n"));
    Some((machine, url))
}

#[track_caller]
fn hushed(ended: Ended) -> Ended {
    assert!(!format!("{ended:?}").contains(PASSWORD), "{ended:?}");
    ended
}

#[test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
fn a_database_is_made_and_looked_at() {
    let Some((machine, _)) = on_postgres() else { return };
    let before = hushed(machine.run(["db", "status"])).succeeds();
    assert!(
        before.contains("schema    version 0, ") && before.contains("migrations behind: `clifford db migrate`"),
        "{before}"
    );
    // Looking changes nothing.
    assert_eq!(
        hushed(machine.run(["db", "status", "--json"])).json()["upToDate"],
        false
    );
    let migrated = hushed(machine.run(["db", "migrate"])).succeeds();
    assert!(
        migrated.starts_with("postgres://") && migrated.ends_with(", up to date\n"),
        "{migrated}"
    );
    let after = hushed(machine.run(["db", "status"])).succeeds();
    assert!(
        after.starts_with("database  postgres://") && after.ends_with(", up to date\n"),
        "{after}"
    );
    let status = hushed(machine.run(["db", "status", "--json"])).json();
    assert_eq!(
        (&status["upToDate"], &status["applied"]),
        (&true.into(), &status["known"])
    );
    assert!(!machine.database().exists());
}

#[test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
fn what_only_sqlite_can_do_names_the_tool_of_postgresql() {
    let Some((machine, _)) = on_postgres() else { return };
    machine.run(["db", "migrate"]).succeeds();
    for (args, tool) in [
        (&["db", "backup", "copy.db"][..], "pg_dump"),
        (&["db", "check"], "pg_amcheck"),
    ] {
        let ended = hushed(machine.run(args));
        assert_eq!(
            (ended.code, ended.out.as_str(), ended.err.lines().count()),
            (1, "", 1),
            "{ended:?}"
        );
        assert!(ended.err.contains(tool), "{ended:?}");
    }
    assert!(!machine.path("copy.db").exists());
}

#[test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
fn a_question_is_answered_and_its_run_is_listed_and_shown() {
    let Some((machine, _)) = on_postgres() else { return };
    assert_eq!(machine.run(["ask", "what is 17 * 23?"]).succeeds(), "17 * 23 = 391\n");
    let runs = machine.run(["runs", "list", "--json"]).json();
    assert_eq!(
        (
            runs[0]["inputText"].as_str(),
            runs[0]["status"].as_str(),
            runs.as_array().map(Vec::len)
        ),
        (Some("what is 17 * 23?"), Some("completed"), Some(1))
    );
    let list = machine.run(["runs", "list"]).succeeds();
    assert!(
        list.contains("what is 17 * 23?") && list.contains("completed"),
        "{list}"
    );
    let shown = machine.run(["runs", "show", "last"]).succeeds();
    assert!(shown.contains("compute.eval"), "{shown}");
    let id = runs[0]["id"].as_str().expect("an id");
    machine
        .run(["runs", "cancel", id])
        .fails_with(&format!("run {id} has ended already"));
    assert!(
        machine
            .run(["runs", "replay", "last"])
            .succeeds()
            .contains("⇒ pending: nothing")
    );
    assert!(!machine.database().exists());
}

#[test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
fn a_token_is_made_listed_and_revoked() {
    let Some((machine, _)) = on_postgres() else { return };
    let made = machine.run(["token", "create", "--name", "laptop", "--json"]).json();
    let (token, id) = (
        made["token"].as_str().expect("a token"),
        made["id"].as_str().expect("an id"),
    );
    assert_eq!(made["scopes"], serde_json::json!(["read", "write"]));
    let list = machine.run(["token", "list"]).succeeds();
    assert!(
        list.contains(id) && list.contains("in use") && !list.contains(token),
        "{list}"
    );
    machine.run(["token", "revoke", id]).succeeds();
    machine.run(["token", "revoke", id]).fails_with(&format!(
        "there is no token {id} in use; `clifford token list` shows them"
    ));
    assert!(machine.run(["token", "list"]).succeeds().contains("revoked "));
}

#[test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
fn commands_share_the_database_with_one_another() {
    let Some((machine, _)) = on_postgres() else { return };
    let questions: Vec<_> = (1..=4)
        .map(|number| {
            machine
                .command(["ask".to_owned(), format!("what is {number} + {number}?")])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the binary runs")
        })
        .collect();
    for (number, question) in (1..).zip(questions) {
        let ended = Ended::of(question.wait_with_output().expect("it ends"));
        assert_eq!(ended.succeeds(), format!("{number} + {number} = {}\n", number * 2));
    }
    assert_eq!(
        machine.run(["runs", "list", "--json"]).json().as_array().map(Vec::len),
        Some(4)
    );
}

#[test]
fn a_server_that_is_not_there_is_one_clear_line() {
    let machine = Machine::new();
    let url = format!("database.url=postgres://clifford:{PASSWORD}@127.0.0.1:1/bot");
    let commands = [
        &["ask", "hello"][..],
        &[
            "serve",
            "--set",
            "http.bind=127.0.0.1:0",
            "--set",
            "database.wait_seconds=0",
        ],
        &["db", "status"],
        &["db", "migrate"],
        &["runs", "list"],
        &["token", "create"],
    ]
    .map(|args| {
        let mut command = machine.command([args, &["--set", &url]].concat());
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        (args, piped.spawn().expect("the binary runs"))
    });
    for (args, child) in commands {
        let ended = hushed(Ended::of(child.wait_with_output().expect("it ends")));
        assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{args:?}: {ended:?}");
        assert!(
            ended.err.lines().count() == 1
                && ended.err.contains("PostgreSQL at 127.0.0.1:1/bot cannot be used: ")
                && ended.err.ends_with("check database.url and that the server runs\n"),
            "{args:?}: {ended:?}"
        );
    }
}

#[test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
fn a_server_that_refuses_is_not_waited_for() {
    let Some((machine, url)) = on_postgres() else { return };
    let wrong = [
        (
            url.replacen("clifford@", "nobody@", 1),
            "role \"nobody\" does not exist",
        ),
        (format!("{url}_of_nobody"), "_of_nobody\" does not exist"),
    ];
    for (url, why) in wrong {
        let url = format!("database.url={url}");
        let args = [
            "serve",
            "--set",
            "database.wait_seconds=3600",
            "--set",
            "http.bind=127.0.0.1:0",
            "--set",
            &url,
        ];
        let ended = machine.run(args);
        assert!(
            ended.code == 1 && ended.err.lines().count() == 1 && ended.err.contains(why),
            "{ended:?}"
        );
    }
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_right_that_is_missing_is_not_waited_for() {
    let Some((machine, url)) = on_postgres() else { return };
    machine.run(["db", "migrate"]).succeeds();
    let pool = sqlx_postgres::PgPool::connect(&url).await.expect("the database");
    for statement in [
        "CREATE ROLE bystander LOGIN",
        "CREATE ROLE reader LOGIN",
        "GRANT CREATE ON SCHEMA public TO reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
    ] {
        sqlx::query(statement).execute(&pool).await.expect(statement);
    }
    pool.close().await;
    for (role, table) in [("bystander", "_sqlx_migrations"), ("reader", "agents")] {
        let url = format!("database.url={}", url.replacen("clifford@", &format!("{role}@"), 1));
        let ended = machine.run(["serve", "--set", "database.wait_seconds=3600", "--set", &url]);
        let why = format!("permission denied for table {table}; grant its user that right");
        assert!(ended.code == 1 && ended.err.contains(&why), "{ended:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_database_of_sqlite_moves_to_postgresql() {
    let Some(url) = tokio::task::spawn_blocking(|| Cluster::shared().database())
        .await
        .expect("a cluster")
    else {
        return;
    };
    let machine = Machine::asked("what is 17 * 23?");
    let secret = url.replacen("clifford@", &format!("clifford:{PASSWORD}@"), 1);
    let from = format!("sqlite:{}", machine.database().display());
    let options = clifford_store::DbOptions {
        url: from,
        section: clifford_core::settings::Database::default(),
        exclusive: true,
        migrate: false,
    };
    let held = clifford_store::Db::open(&options).await.expect("opens");
    let refused = hushed(machine.run(["db", "copy", "--to", &secret]));
    assert!(
        refused.code == 1 && refused.out.is_empty() && refused.err.contains("another process works with"),
        "{refused:?}"
    );
    held.close().await;
    drop(held);
    let copied = hushed(machine.run(["db", "copy", "--to", &secret])).succeeds();
    assert!(
        copied.contains("run_steps") && copied.contains(" tables are the same in both databases"),
        "{copied}"
    );
    let there = format!("database.url={secret}");
    let runs = hushed(machine.run(["runs", "list", "--json", "--set", &there])).json();
    assert_eq!(runs, machine.run(["runs", "list", "--json"]).json());
    assert_eq!(runs[0]["inputText"], "what is 17 * 23?");
    assert_eq!(
        machine.run(["ask", "what is 2 + 2?", "--set", &there]).succeeds(),
        "2 + 2 = 4\n"
    );
    hushed(machine.run(["db", "copy", "--from", &secret, "--to", "sqlite:back.db", "--json"])).succeeds();
    let back = machine
        .run(["runs", "list", "--json", "--set", "database.url=sqlite:back.db"])
        .json();
    assert_eq!(back.as_array().map(Vec::len), Some(2));
    let missing = machine.run(["db", "copy", "--from", "sqlite:none.db", "--to", &secret]);
    hushed(missing).fails_with("there is no database at none.db: name another with --from");
    assert!(!machine.path("none.db").exists());
}
