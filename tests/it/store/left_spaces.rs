//! Rows of spaces that the bot was removed from go after some time.

use std::time::Duration;

use clifford_content::files::Storage;
use clifford_core::clock::Timestamp;
use clifford_engine::jobs::maintenance::left_spaces;
use clifford_store::Db;

use super::{
    erasure::{column, script, two_people},
    world::Home,
};

const LEFT: Timestamp = Timestamp(5_000);

async fn purge(db: &Db, before: Timestamp) -> usize {
    left_spaces::purge(db, &Storage::new("/nonexistent", None), before)
        .await
        .expect("purges")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_space_that_was_left_long_ago_is_deleted_and_people_stay() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let db = &home.db;
        two_people(db).await;
        script(db, "UPDATE spaces SET left_at = 5000").await;
        assert_eq!(
            purge(db, LEFT.before(Duration::from_millis(1))).await,
            0,
            "it is not time yet"
        );
        script(db, "UPDATE spaces SET left_at = NULL").await;
        assert_eq!(purge(db, LEFT).await, 0, "the bot came back");
        script(
            db,
            "UPDATE spaces SET left_at = 5000; UPDATE channels SET last_message_at = 5001 WHERE space_id IS NOT NULL",
        )
        .await;
        assert_eq!(purge(db, LEFT).await, 0, "something was said since");
        script(db, "UPDATE channels SET last_message_at = 9 WHERE space_id IS NOT NULL").await;
        script(db, "UPDATE spaces SET left_at = 5000").await;
        assert_eq!(purge(db, LEFT).await, 1);
        let count = async |table: &str| {
            column(db, &format!("SELECT CAST(COUNT(*) AS TEXT) FROM {table}"))
                .await
                .remove(0)
        };
        for (table, rows) in [
            ("spaces", "0"),
            ("channels", "2"),
            ("contexts", "2"),
            ("messages", "4"),
            ("message_parts", "1"),
            ("runs", "2"),
            ("run_steps", "1"),
            ("usage", "1"),
            ("jobs", "1"),
            ("users", "2"),
        ] {
            assert_eq!(count(table).await, rows, "{table}");
        }
        let items = column(db, "SELECT value FROM memory_items ORDER BY id").await;
        assert_eq!(items, ["likes qitemwort", "liked qarchivewort"]);
        assert_eq!(purge(db, LEFT).await, 0);
        home.db.close().await;
    }
}
