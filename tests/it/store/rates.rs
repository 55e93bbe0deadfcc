//! Token buckets as rows.

use std::time::Duration;

use clifford_core::{
    rate::Counted,
    settings::{RateLimit, RatePeriod},
};
use clifford_store::rates;

use super::world::{NOW, World};

pub async fn a_bucket_is_emptied_and_fills_by_the_clock(world: World) {
    let limit = RateLimit {
        messages: 2,
        per: RatePeriod::Minute,
        ..RateLimit::default()
    };
    let take = async |at| {
        let limit = limit.clone();
        let taken = world
            .db
            .write(move |tx| Box::pin(async move { rates::take(tx, "ada", &limit, at).await }))
            .await
            .unwrap();
        (taken.tokens, taken.refused)
    };
    let at = |seconds| NOW.after(Duration::from_secs(seconds));
    assert_eq!(take(at(0)).await, (1.0, 0));
    assert_eq!(take(at(0)).await, (0.0, 0));
    assert_eq!(take(at(15)).await, (0.5, 1));
    assert_eq!(take(at(15)).await, (0.5, 2));
    assert_eq!(take(at(30)).await, (0.0, 0));
    // The clock was stepped back: nothing is added, and nothing lost.
    assert_eq!(take(at(0)).await, (0.0, 1));
    assert_eq!(take(at(999)).await, (1.0, 0));
    let later = limit.clone();
    let counted = world.db.write(move |tx| {
        Box::pin(async move {
            rates::take_later(tx, "ada", &later, at(999)).await?;
            rates::of(tx, "ada").await
        })
    });
    let held = counted.await.unwrap();
    let bucket = rates::find(&held, "ada", &limit, at(999)).unwrap();
    assert_eq!((bucket.tokens, bucket.filled_at, bucket.refused), (0.0, at(999), 0));
    // A message that another count refuses takes nothing, and is one of those in a row.
    let refuse = async |subject: &'static str| {
        let limit = limit.clone();
        let refused = world
            .db
            .write(move |tx| Box::pin(async move { rates::refuse(tx, subject, &limit, at(999)).await }));
        refused.await.unwrap()
    };
    assert_eq!((refuse("ada").await, refuse("ada").await), (1, 2));
    assert_eq!(take(at(999)).await, (0.0, 3));
    assert_eq!(refuse("bob").await, 1);
    let forget = async |before| {
        let gone = world
            .db
            .write(move |tx| {
                Box::pin(async move {
                    rates::forget_before(tx, before).await?;
                    rates::of(tx, "ada").await
                })
            })
            .await
            .unwrap();
        gone.len()
    };
    assert_eq!(forget(at(999)).await, 1);
    assert_eq!(forget(at(1_000)).await, 0);
    // The clock ran ahead for a moment: the bucket does not wait until it is that time.
    assert_eq!((take(at(90_000)).await, take(at(90_000)).await), ((1.0, 0), (0.0, 0)));
    assert_eq!((take(at(1_000)).await, take(at(1_060)).await), ((0.0, 1), (1.0, 0)));
}

pub async fn what_comes_late_leaves_the_bucket_of_what_is_said_now_alone(world: World) {
    let limit = RateLimit {
        messages: 2,
        per: RatePeriod::Minute,
        ..RateLimit::default()
    };
    let at = |seconds| NOW.after(Duration::from_secs(seconds));
    let late = |seconds| Counted {
        at: at(seconds),
        came: at(1_000),
    };
    let take = async |counted: Counted| {
        let limit = limit.clone();
        let taken = (world.db).write(move |tx| Box::pin(async move { rates::take(tx, "ada", &limit, counted).await }));
        let taken = taken.await.unwrap();
        (taken.tokens, taken.refused)
    };
    for (counted, expected) in [
        (at(1_000).into(), (1.0, 0)),
        (at(1_000).into(), (0.0, 0)),
        (at(1_000).into(), (0.0, 1)),
        (late(700), (1.0, 0)),
        (late(700), (0.0, 0)),
        (late(700), (0.0, 1)),
        (late(730), (0.0, 0)),
        (at(1_000).into(), (0.0, 2)),
        (at(1_030).into(), (0.0, 0)),
    ] {
        assert_eq!(take(counted).await, expected, "{counted:?}");
    }
}
