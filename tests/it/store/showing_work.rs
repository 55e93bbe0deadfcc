//! Messages that stand while a run is at work, and verdicts on answers.

use std::time::Duration;

use clifford_chat::{inbound::Verdict, outbound::Address, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, RunId, SpaceId, WorkerId},
    json_text::JsonText,
    runs::{GivenBy, RunStatus},
};
use clifford_store::{
    messages::status_messages::{self, StatusMessage},
    runs::feedback::{self, Filter, GivenVerdict, Position, Verdicts},
};

use super::world::{NOW, World};

const TELEGRAM: Platform = Platform::new("telegram");

fn message(world: &World, run: RunId) -> StatusMessage {
    StatusMessage {
        run_id: run,
        channel_id: world.channel.id,
        platform: TELEGRAM.as_str().to_owned(),
        address: JsonText(Address {
            place: "7".to_owned(),
            private: true,
            reply_to: None,
            via: None,
        }),
        platform_message_id: None,
        key: "key".to_owned(),
        becomes: None,
    }
}

async fn put(world: &World, message: StatusMessage, worker: WorkerId) {
    let written = world.db.write(move |tx| {
        let message = message.clone();
        Box::pin(async move { status_messages::put(tx, &message, worker, NOW).await })
    });
    written.await.expect("writes");
}

pub async fn a_status_message_is_left_behind_when_its_run_is_not_at_work(world: World) {
    let (run, lease) = world.held(world.run()).await;
    let worker = lease.owner;
    put(&world, message(&world, run.id), worker).await;
    let shown = StatusMessage {
        platform_message_id: Some("9".to_owned()),
        ..message(&world, run.id)
    };
    put(&world, shown.clone(), worker).await;
    let left = async |worker: WorkerId, now: Timestamp, served: &[Platform]| {
        let mut conn = world.db.read().await.expect("reads");
        let after = (now, Duration::from_secs(30));
        let left = status_messages::left_behind(&mut conn, worker, served, after, 10).await;
        left.expect("reads")
    };
    // At work.
    assert_eq!(left(worker, NOW, &[TELEGRAM]).await, []);
    world.advance(lease, RunStatus::Completed).await.expect("ends");
    let (other, later) = (WorkerId::new(), NOW.after(Duration::from_secs(31)));
    assert_eq!(left(worker, NOW, &[TELEGRAM]).await, std::slice::from_ref(&shown));
    // Its own process may be about to make an answer of it.
    assert_eq!(left(other, NOW, &[TELEGRAM]).await, []);
    assert_eq!(left(other, later, &[TELEGRAM]).await, std::slice::from_ref(&shown));
    assert_eq!(left(other, later, &[Platform::new("discord")]).await, []);
    let mut conn = world.db.read().await.expect("reads");
    assert_eq!(
        status_messages::of_run(&mut conn, run.id).await.expect("reads"),
        Some(shown)
    );
    drop(conn);
    let id = run.id;
    let removed = world.db.write(move |tx| Box::pin(status_messages::remove(tx, id)));
    removed.await.expect("writes");
    assert_eq!(left(worker, NOW, &[TELEGRAM]).await, []);
}

pub async fn a_verdict_stands_until_it_is_taken_back(world: World) {
    let run = world.insert(world.run()).await.expect("inserts");
    let (run, user) = (run.id, world.user.id);
    let put = async |verdict, by| {
        let given = GivenVerdict { verdict, by };
        let written = world
            .db
            .write(move |tx| Box::pin(async move { feedback::put(tx, run, user, given, NOW).await }));
        written.await.expect("writes");
    };
    let withdraw = async |verdict| {
        let written = world
            .db
            .write(move |tx| Box::pin(async move { feedback::withdraw(tx, run, user, verdict).await }));
        written.await.expect("writes");
    };
    let standing = async || {
        let mut conn = world.db.read().await.expect("reads");
        let of_run = feedback::of_run(&mut conn, run).await.expect("reads");
        let counted = feedback::verdicts(&mut conn, NOW, Some(user)).await.expect("reads");
        let words: Vec<_> = of_run
            .iter()
            .map(|given| format!("{} {}", given.verdict, given.given_by))
            .collect();
        (words.join(", "), counted)
    };
    let counts = |liked, disliked| Verdicts { liked, disliked };
    put(Verdict::Liked, GivenBy::Reaction).await;
    assert_eq!(standing().await, ("liked reaction".to_owned(), counts(1, 0)));
    put(Verdict::Disliked, GivenBy::Reaction).await;
    withdraw(Some(Verdict::Liked)).await;
    assert_eq!(standing().await, ("disliked reaction".to_owned(), counts(0, 1)));
    withdraw(None).await;
    assert_eq!(standing().await, (String::new(), counts(0, 0)));
    // A verdict by a button is not taken back by a reaction.
    put(Verdict::Disliked, GivenBy::Button).await;
    withdraw(None).await;
    assert_eq!(standing().await, ("disliked button".to_owned(), counts(0, 1)));
    let mut conn = world.db.read().await.expect("reads");
    assert_eq!(feedback::disliked(&mut conn, 10).await.expect("reads"), [run]);
    assert_eq!(feedback::asked_until(&mut conn, run, 5).await.expect("reads").len(), 1);
}

pub async fn verdicts_are_paged_by_when_they_were_given(world: World) {
    let mut runs = Vec::new();
    // Two of them at the same moment.
    for (at, verdict) in [(1, Verdict::Liked), (2, Verdict::Disliked), (2, Verdict::Liked)] {
        let run = world.insert(world.loose_run()).await.expect("inserts").id;
        let (user, by) = (world.user.id, GivenBy::Button);
        let given = GivenVerdict { verdict, by };
        let put = world
            .db
            .write(move |tx| Box::pin(async move { feedback::put(tx, run, user, given, Timestamp(at)).await }));
        put.await.expect("writes");
        runs.push(run);
    }
    let page = async |filter: Filter, limit: u32| {
        let mut conn = world.db.read().await.expect("reads");
        let found = feedback::page(&mut conn, filter, limit).await.expect("reads");
        assert!(found.iter().all(|found| !found.asked.is_empty()));
        found.into_iter().map(|found| found.given).collect::<Vec<_>>()
    };
    let mut same = [runs[1], runs[2]];
    same.sort_unstable_by_key(|run| std::cmp::Reverse(run.to_string()));
    let expected = [same[0], same[1], runs[0]];
    let mut filter = Filter::default();
    for run in expected {
        let found = page(filter, 1).await;
        assert_eq!(found.iter().map(|found| found.run_id).collect::<Vec<_>>(), [run]);
        filter.before = found.first().map(|found| Position {
            given_at: found.given_at,
            run: found.run_id,
            user: found.user_id,
        });
    }
    assert_eq!(page(filter, 1).await, []);
    let disliked = Filter {
        verdict: Some(Verdict::Disliked),
        user: Some(world.user.id),
        ..Filter::default()
    };
    let found = page(disliked, 9).await;
    assert_eq!(found.iter().map(|found| found.run_id).collect::<Vec<_>>(), [runs[1]]);
    for (channel, count) in [(world.channel.id, 3), (ChannelId::new(), 0)] {
        let there = Filter {
            channel: Some(channel),
            ..Filter::default()
        };
        assert_eq!(page(there, 9).await.len(), count);
    }
    let there = Filter {
        context: Some(ContextId::new()),
        ..Filter::default()
    };
    assert_eq!(page(there, 9).await, []);
    let there = Filter {
        space: Some(SpaceId::new()),
        ..Filter::default()
    };
    assert_eq!(page(there, 9).await, []);
    let (run, user) = (runs[0], world.user.id);
    for expected in [true, false] {
        let taken = world
            .db
            .write(move |tx| Box::pin(async move { feedback::take_back(tx, run, user).await }));
        assert_eq!(taken.await.expect("writes"), expected);
    }
    assert_eq!(page(Filter::default(), 9).await.len(), 2);
}
