//! Opening, migrating, and SQLite's one writer.

use std::{path::PathBuf, sync::Arc};

use clifford_core::settings::Database;
use clifford_store::{Db, DbOptions, Pools, SchemaState, StoreError, places::settings};
use futures::future::join_all;
use tokio::sync::Notify;

use super::world::{Home, NOW, World, options};

async fn opens_at_once(options: DbOptions) {
    let opened = join_all((0..8).map(|_| {
        let options = options.clone();
        async move { Db::open(&options).await }
    }))
    .await;
    for db in opened {
        let db = db.expect("opens");
        let schema = db.schema().await.expect("reads");
        assert_eq!(schema.state(), SchemaState::UpToDate);
        db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_sqlite_database_can_be_opened_by_several_at_once() {
    for _ in 0..5 {
        let dir = tempfile::tempdir().expect("a directory");
        opens_at_once(options(format!("sqlite:{}", dir.path().join("new.db").display()))).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_postgres_database_can_be_opened_by_several_at_once() {
    use clifford_fakes::postgres::Cluster;
    let url = tokio::task::spawn_blocking(|| Cluster::shared().database()).await;
    if let Some(url) = url.expect("a cluster") {
        let few = DbOptions {
            section: Database {
                max_connections: 2,
                ..Database::default()
            },
            ..options(url)
        };
        opens_at_once(few).await;
    }
}

/// Marks the database as one of a newer version with this name.
async fn make_newer(home: &Home, name: &str) {
    let sql = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
               SELECT 9999, $1, success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
    match home.db.pools() {
        Pools::Sqlite { read } => {
            sqlx::query(sql).bind(name).execute(read).await.expect("marks");
        }
        Pools::Postgres(pool) => {
            sqlx::query(sql).bind(name).execute(pool).await.expect("marks");
        }
    }
    home.db.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_a_newer_version_added_to_is_worked_with_on_both_engines() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        make_newer(&home, "add what nobody here knows").await;
        let db = Db::open(&home.options).await.expect("opens");
        let schema = db.schema().await.expect("looks");
        assert_eq!((schema.version(), schema.state()), (9999, SchemaState::Ahead));
        World::new(&db).await;
        db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_needs_a_newer_version_is_refused_by_name_on_both_engines() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        make_newer(&home, "drop what is in use needs 9998").await;
        let refused = Db::open(&home.options).await.expect_err("refused");
        assert!(
            matches!(&refused, StoreError::Newer(why) if why.contains("schema version 9999 and needs a Clifford that knows version 9998")),
            "{refused}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_process_is_kept_off_a_sqlite_database_in_use() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = DbOptions {
        exclusive: true,
        ..options(format!("sqlite:{}", dir.path().join("a.db").display()))
    };
    let first = Db::open(&options).await.expect("opens");
    assert!(matches!(Db::open(&options).await, Err(StoreError::InUse(_))));
    drop(first);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_writes_that_fails_or_panics_harms_none_of_the_others() {
    let home = Home::sqlite().await;
    World::new(&home.db).await;
    let written = join_all((0..60).map(|index| {
        home.db.write(move |tx| {
            Box::pin(async move {
                settings::put(tx, "test", &index.to_string(), "x", NOW).await?;
                match index % 3 {
                    0 => Ok(()),
                    1 => Err(StoreError::WrongState("on purpose".into())),
                    _ => panic!("on purpose"),
                }
            })
        })
    }))
    .await;
    let mut conn = home.db.read().await.expect("reads");
    for (index, written) in written.into_iter().enumerate() {
        match index % 3 {
            0 => written.expect("written"),
            1 => assert!(matches!(written, Err(StoreError::WrongState(_)))),
            _ => assert!(matches!(written, Err(StoreError::Corrupt(_)))),
        }
        let kept = settings::get(&mut conn, "test", &index.to_string())
            .await
            .expect("reads");
        assert_eq!(kept.is_some(), index % 3 == 0, "{index}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_of_a_write_before_others_can_read_it() {
    let home = Home::sqlite().await;
    join_all((0..40).map(|index| {
        let db = home.db.clone();
        async move {
            let name = index.to_string();
            let put = name.clone();
            db.write(move |tx| Box::pin(async move { settings::put(tx, "test", &put, "x", NOW).await }))
                .await
                .expect("written");
            let mut conn = db.read().await.expect("reads");
            let kept = settings::get(&mut conn, "test", &name).await.expect("reads");
            assert_eq!(kept.as_deref(), Some("x"));
        }
    }))
    .await;
}

/// Lets the database grow no more, on the connection that writes.
async fn fill(db: &Db) {
    db.write(|tx| Box::pin(tx.fill())).await.expect("limits");
}

async fn put_much(db: &Db, index: usize) -> Result<(), StoreError> {
    db.write(move |tx| {
        Box::pin(async move { settings::put(tx, "test", &index.to_string(), &"x".repeat(50_000), NOW).await })
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_to_a_full_disk_is_unavailable_and_the_next_one_goes_on_when_there_is_space() {
    let home = Home::sqlite().await;
    fill(&home.db).await;
    let full = put_much(&home.db, 0).await;
    assert!(matches!(full, Err(StoreError::Unavailable(_))), "{full:?}");
    // The connection is made anew, without the limit.
    put_much(&home.db, 0).await.expect("written");
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_that_share_a_commit_on_a_full_disk_leave_nothing() {
    let home = Home::sqlite().await;
    fill(&home.db).await;
    let (started, open) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begun, opened) = (Arc::clone(&started), Arc::clone(&open));
    // Holds the writer until all the others wait for it.
    let first = home.db.write(move |_| {
        Box::pin(async move {
            begun.notify_one();
            opened.notified().await;
            Ok(())
        })
    });
    let others = async {
        started.notified().await;
        let written = join_all((0..8).map(|index| put_much(&home.db, index)));
        let (written, ()) = tokio::join!(written, async { open.notify_one() });
        written
    };
    let (first, others) = tokio::join!(first, others);
    first.expect("written");
    for written in others {
        assert!(matches!(written, Err(StoreError::Unavailable(_))), "{written:?}");
    }
    let mut conn = home.db.read().await.expect("reads");
    for index in 0..8 {
        let kept = settings::get(&mut conn, "test", &index.to_string()).await;
        assert_eq!(kept.expect("reads"), None);
    }
    put_much(&home.db, 0).await.expect("written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_made_says_what_to_do() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("file");
    std::fs::write(&file, "x").expect("writes");
    let refused = Db::open(&options(format!("sqlite:{}", file.join("a.db").display())))
        .await
        .expect_err("refused");
    let StoreError::Unavailable(why) = refused else {
        panic!("{refused}")
    };
    assert!(why.contains("check that its directory exists"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_file_in_the_place_of_the_database_is_never_opened() {
    let home = Home::sqlite().await;
    let file = PathBuf::from(home.options.url.strip_prefix("sqlite:").expect("a path"));
    let away = file.with_extension("away");
    let put = |name: &'static str| {
        home.db
            .write(move |tx| Box::pin(async move { settings::put(tx, "test", name, "x", NOW).await }))
    };
    put("before").await.expect("written");
    // At first nobody but the writer has the file open.
    std::fs::rename(&file, &away).expect("moved");
    put("lost")
        .await
        .expect_err("nothing is written to a file that is gone");
    std::fs::copy(&away, &file).expect("copied");
    for _ in 0..3 {
        put("lost")
            .await
            .expect_err("nothing is written to a file that is gone");
        for read in join_all((0..20).map(|_| home.db.read())).await {
            let refused = read.err().expect("nothing is opened");
            assert!(refused.to_string().contains("another file was put"), "{refused}");
        }
        let glances = join_all((0..20).map(|_| home.db.read_local())).await;
        assert!(glances.iter().all(Result::is_err));
    }
    std::fs::rename(&away, &file).expect("moved back");

    put("after").await.expect("written");
    for conn in join_all((0..20).map(|_| home.db.read_local())).await {
        let mut conn = conn.expect("a connection");
        for (name, kept) in [("before", true), ("lost", false), ("after", true)] {
            let found = settings::get(&mut conn, "test", name).await.expect("reads");
            assert_eq!(found.is_some(), kept, "{name}");
        }
    }
    assert_eq!(home.db.integrity().await.expect("reads"), Some(vec![]));

    // A process that has the file open goes on reading it.
    std::fs::rename(&file, &away).expect("moved");
    std::fs::copy(&away, &file).expect("copied");
    for _ in 0..3 {
        let mut conn = home.db.read_local().await.expect("what is open");
        let found = settings::get(&mut conn, "test", "after").await.expect("reads");
        assert_eq!(found.as_deref(), Some("x"));
    }
    std::fs::rename(&away, &file).expect("moved back");
    put("at last").await.expect("written");
}
