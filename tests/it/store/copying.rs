//! A database that moves from one engine to the other.

use std::collections::BTreeSet;

use clifford_store::{
    Db, DbOptions,
    copy::{Phase, Progress, Verified, copy},
    search,
};
use tokio::sync::Notify;

use super::{
    erasure::{column, script, two_people},
    world::Home,
};

const SOURCE: &str = "sqlite:/of/ada/and/bob.db";

/// A database again, as a command that copies from it opens it.
async fn reopened(options: &DbOptions) -> Db {
    let mut options = options.clone();
    options.section.max_connections = 1;
    options.migrate = false;
    Db::open(&options).await.expect("opens")
}

async fn copied(from: &Db, to: &Db) -> Result<Vec<Verified>, String> {
    let outcome = copy(SOURCE, from, to, &mut |_| {}).await;
    outcome.map_err(|error| error.to_string())
}

/// Begins a copy and drops it once the first page of messages is in.
async fn interrupted(from: &Db, to: &Db) {
    let reached = Notify::new();
    let mut progress = |progress: Progress<'_>| {
        if progress.phase == Phase::Copying && progress.table == "messages" {
            reached.notify_one();
        }
    };
    tokio::select! {
        biased;
        () = reached.notified() => {}
        outcome = copy(SOURCE, from, to, &mut progress) => panic!("it ended: {outcome:?}"),
    }
}

/// Two people on SQLite, closed again, with references within tables to rows that come later.
async fn source() -> Home {
    let home = Home::sqlite().await;
    two_people(&home.db).await;
    script(
        &home.db,
        "UPDATE contexts SET continued_from = '00000000-0000-7000-8000-0000000000d3'
         WHERE id = '00000000-0000-7000-8000-0000000000d1'",
    )
    .await;
    home.db.close().await;
    home
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn everything_moves_to_postgresql_and_back_though_the_copy_is_killed() {
    let Some(postgres) = Home::postgres().await else { return };
    let sqlite = source().await;
    let from = reopened(&sqlite.options).await;
    interrupted(&from, &postgres.db).await;
    from.close().await;
    let begun: usize = column(&postgres.db, "SELECT id FROM messages").await.len();
    assert!(begun >= 500, "{begun}");

    let from = reopened(&sqlite.options).await;
    let other = copy("sqlite:/of/others.db", &from, &postgres.db, &mut |_| {}).await;
    assert_eq!(
        other.expect_err("another source").to_string(),
        format!(
            "the target holds a part of a copy of {SOURCE}, not of sqlite:/of/others.db: go on with that one, or name a \
             new database"
        )
    );
    let there = copied(&from, &postgres.db).await.expect("goes on");
    let again = copied(&from, &postgres.db).await.expect_err("it is full");
    assert!(again.starts_with("the target is not empty, its table "), "{again}");
    from.close().await;

    // Every table of the schema was taken.
    let tables: BTreeSet<_> = column(
        &postgres.db,
        "SELECT CAST(table_name AS TEXT) FROM information_schema.tables
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
         AND table_name NOT IN ('_sqlx_migrations', 'message_search', 'chunk_search')",
    )
    .await
    .into_iter()
    .collect();
    let taken: BTreeSet<_> = there.iter().map(|one| one.table.clone()).collect();
    assert_eq!(taken, tables);
    for one in &there {
        let rows = column(
            &postgres.db,
            &format!("SELECT CAST(COUNT(*) AS TEXT) FROM \"{}\"", one.table),
        )
        .await;
        assert_eq!(rows, [one.rows.to_string()], "{one:?}");
    }
    assert!(there.iter().filter(|one| one.rows > 0).count() > 25, "{there:?}");
    // It is searched, and numbered on.
    assert!(
        !search::has_unindexed(&mut postgres.db.read().await.unwrap())
            .await
            .unwrap()
    );
    let pieces = "SELECT CAST(id AS TEXT) FROM document_chunks ORDER BY id";
    let indexed = column(&postgres.db, "SELECT CAST(id AS TEXT) FROM chunk_search ORDER BY id").await;
    assert_eq!((indexed.len(), column(&postgres.db, pieces).await), (1, indexed));

    // A process at work keeps a copy off.
    let back = Home::sqlite().await;
    let from = reopened(&postgres.options).await;
    let kept_off = copied(&from, &back.db).await.expect_err("in use");
    assert!(
        kept_off.starts_with("another Clifford works with the source: stop it first"),
        "{kept_off}"
    );
    from.close().await;
    postgres.db.close().await;
    let from = reopened(&postgres.options).await;
    interrupted(&from, &back.db).await;
    from.close().await;
    // The writer lives on here, where a process that dies takes it along: what it had begun ends before this.
    back.db.write(|_| Box::pin(async { Ok(()) })).await.expect("settles");
    let from = reopened(&postgres.options).await;
    let here = copied(&from, &back.db).await.expect("comes back");
    assert_eq!(here, there);
    script(
        &from,
        "INSERT INTO document_chunks (document_id, seq, content) SELECT id, 1, 'more' FROM documents",
    )
    .await;
    from.close().await;
    assert_eq!(back.db.integrity().await.expect("reads"), Some(Vec::new()));
    assert!(!search::has_unindexed(&mut back.db.read().await.unwrap()).await.unwrap());
    let linked = column(
        &back.db,
        "SELECT continued_from FROM contexts WHERE continued_from IS NOT NULL",
    )
    .await;
    assert_eq!(linked, ["00000000-0000-7000-8000-0000000000d3"]);
    back.db.close().await;
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_source_that_changed_while_a_copy_was_interrupted_is_noticed() {
    let Some(postgres) = Home::postgres().await else { return };
    let sqlite = source().await;
    let from = reopened(&sqlite.options).await;
    interrupted(&from, &postgres.db).await;
    from.close().await;
    let from = reopened(&sqlite.options).await;
    script(&from, "UPDATE users SET name = 'Somebody' WHERE name = 'Bobnym'").await;
    let changed = copied(&from, &postgres.db).await.expect_err("it differs");
    assert_eq!(
        changed,
        "table users differs: 2 rows in the source, 2 in the target, with other contents; the source changed since this \
         copy began, so stop everything that works with it, make a new target and copy again"
    );
    from.close().await;
    postgres.db.close().await;
}

#[tokio::test]
async fn a_copy_within_one_engine_is_refused() {
    let (from, to) = (Home::sqlite().await, Home::sqlite().await);
    assert_eq!(
        copied(&from.db, &to.db).await.expect_err("one engine"),
        "a copy goes from SQLite to PostgreSQL or back: within one engine use `clifford db backup` or pg_dump"
    );
}

#[tokio::test]
async fn the_index_is_made_anew_by_one_look_at_each_message() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        two_people(&home.db).await;
        script(
            &home.db,
            "UPDATE messages SET search_id = NULL; DELETE FROM message_search;
             UPDATE messages SET deleted_at = 1 WHERE direction = 'outbound'",
        )
        .await;
        let all = column(&home.db, "SELECT id FROM messages").await.len();
        let (mut after, mut looked, mut pages) = (None, 0, 0);
        while let Some(reached) = home
            .db
            .write(move |tx| Box::pin(search::index_anew(tx, after, 100)))
            .await
            .expect("indexes")
        {
            after = Some(reached.message);
            looked += reached.messages;
            pages += 1;
        }
        assert_eq!((looked, pages), (all, all.div_ceil(100)));
        let mut conn = home.db.read().await.expect("reads");
        assert!(!search::has_unindexed(&mut conn).await.expect("reads"));
        drop(conn);
        // Rows that are deleted are passed over.
        let indexed = "SELECT id FROM messages WHERE search_id IS NOT NULL AND deleted_at IS NOT NULL";
        assert_eq!(column(&home.db, indexed).await, Vec::<String>::new());
        home.db.close().await;
    }
}
