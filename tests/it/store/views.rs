//! Runs and messages for lists and pages.

use std::time::Duration;

use clifford_core::{
    clock::Timestamp,
    id::{RunId, UserId},
    runs::RunStatus,
};
use clifford_store::{
    messages,
    runs::{Filter, NewRun, views as run_views},
};

use super::{
    erasure::script,
    world::{Home, LEASE, NOW, World},
};

/// The runs of a status, the oldest first. Those of their person and of their channel are the same.
async fn seen(world: &World, status: Option<RunStatus>, now: Timestamp) -> Vec<(RunId, RunStatus)> {
    let of_status = Filter {
        status,
        ..Filter::default()
    };
    let of_person = Filter {
        user: Some(world.user.id),
        ..of_status.clone()
    };
    let of_channel = Filter {
        channel: Some(world.channel.id),
        ..of_status.clone()
    };
    let nobodys = Filter {
        user: Some(UserId::new()),
        ..of_status.clone()
    };
    let mut conn = world.db.read().await.expect("reads");
    let mut pages = Vec::new();
    for filter in [of_status, of_person, of_channel, nobodys] {
        let page = run_views::page(&mut conn, &filter, 10, now).await.expect("reads");
        let runs = page.into_iter().rev().map(|run| (run.id, run.status));
        pages.push(runs.collect::<Vec<_>>());
    }
    assert_eq!(pages[3], []);
    assert_eq!((&pages[0], &pages[0]), (&pages[1], &pages[2]));
    pages.swap_remove(0)
}

#[tokio::test]
async fn a_run_that_its_worker_holds_from_the_start_is_seen_at_work_for_as_long_as_it_does() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let world = World::new(&home.db).await;
        let (held, _) = world.held(world.loose_run()).await;
        let later = NewRun {
            not_before: Some(NOW.after(LEASE * 2)),
            ..world.loose_run()
        };
        let (later, _) = world.held(later).await;
        let free = world.insert(world.loose_run()).await.expect("inserts");
        let soon = NOW.after(Duration::from_secs(1));
        let (pending, running) = (RunStatus::Pending, RunStatus::Running);
        assert_eq!(
            seen(&world, None, soon).await,
            [(held.id, running), (later.id, pending), (free.id, pending)]
        );
        assert_eq!(seen(&world, Some(running), soon).await, [(held.id, running)]);
        // Those that changed since a moment, whatever their age.
        for (status, since, expected) in [
            (None, NOW, 3),
            (Some(pending), NOW, 2),
            (None, NOW.after(Duration::from_secs(3600)), 0),
            (Some(pending), NOW.after(Duration::from_secs(3600)), 0),
        ] {
            let filter = Filter {
                status,
                changed_since: Some(since),
                ..Filter::default()
            };
            let mut conn = world.db.read().await.expect("reads");
            let page = run_views::page(&mut conn, &filter, 10, soon).await.expect("reads");
            assert_eq!(page.len(), expected, "{filter:?}");
        }
        assert_eq!(
            seen(&world, Some(pending), soon).await,
            [(later.id, pending), (free.id, pending)]
        );
        let mut conn = world.db.read().await.expect("reads");
        let one = run_views::get(&mut conn, held.id, soon)
            .await
            .expect("reads")
            .expect("a run");
        assert_eq!(one.status, running);
        let mut counts = run_views::counts(&mut conn, soon).await.expect("reads");
        counts.sort_by_key(|(status, _)| status.as_str());
        assert_eq!(counts, [(pending, 2), (running, 1)]);
        // Its row is as it was, and that is what is seen once nobody holds it.
        assert_eq!(world.get(held.id).await.status, pending);
        let over = NOW.after(LEASE).after(Duration::from_secs(1));
        assert_eq!(seen(&world, Some(running), over).await, []);
    }
}

#[tokio::test]
async fn what_was_said_aside_is_found_behind_what_it_answers() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let world = World::new(&home.db).await;
        let id = |number: u32| format!("00000000-0000-7000-9000-00000000000{number}");
        let (channel, context) = (world.channel.id, format!("'{}'", world.context));
        for (number, direction, context) in [
            (1, "outbound", "NULL"),
            (2, "inbound", "NULL"),
            (3, "outbound", "NULL"),
            (4, "outbound", &*context),
            (5, "outbound", "NULL"),
        ] {
            script(
                &world.db,
                &format!(
                    "INSERT INTO messages (id, direction, channel_id, context_id, content, status, attempts, sent_at, created_at)
                         VALUES ('{}', '{direction}', '{channel}', {context}, 'x', 'delivered', 0, 1, 1)",
                    id(number)
                ),
            )
            .await;
        }
        let mut conn = world.db.read().await.expect("reads");
        for (limit, expected) in [(1, &[3][..]), (9, &[3, 5])] {
            let found = messages::said_aside(&mut conn, channel, id(2).parse().expect("an id"), limit).await;
            let found: Vec<_> = found
                .expect("reads")
                .into_iter()
                .map(|said| said.id.to_string())
                .collect();
            assert_eq!(found, expected.iter().map(|number| id(*number)).collect::<Vec<_>>());
        }
    }
}
