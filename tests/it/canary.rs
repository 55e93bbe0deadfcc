//! Visibility of words: a word that was said in one place never comes to another where it does not belong: not in a
//! prompt, not in a search, not in an answer, not in a page, not in an export.
//!
//! Every message carries a word of its own. The model of these worlds does its worst: it searches for everything,
//! opens every conversation of which it ever heard, remembers all that it reads, and says all that it knows.

mod attacker;
mod world;

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};

use self::world::{Act, How, Spot, World};

const PEOPLE: usize = 3;

fn spot() -> impl Strategy<Value = Spot> {
    prop_oneof![
        2 => Just(Spot::TelegramPrivate),
        2 => Just(Spot::DiscordPrivate),
        2 => (0..2_usize).prop_map(Spot::Group),
        2 => (0..2_usize).prop_map(Spot::Guild),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let how = prop_oneof![
        3 => Just(How::Plainly),
        2 => Just(How::ToRemember),
        2 => Just(How::ToSearch),
        2 => Just(How::ToBrowse),
    ];
    let command = prop_oneof![
        3 => Just(("new", "")),
        2 => Just(("memory", "")),
        1 => Just(("contexts", "")),
        2 => Just(("continue", "1")),
        1 => Just(("close", "")),
    ];
    prop_oneof![
        6 => (0..PEOPLE, spot(), how).prop_map(|(who, spot, how)| Act::Say { who, spot, how }),
        3 => (0..PEOPLE, spot(), command).prop_map(|(who, spot, (name, argument))| Act::Command { who, spot, name, argument }),
        1 => (0..PEOPLE).prop_map(|who| Act::Link { who }),
        2 => (0..PEOPLE, spot(), any::<prop::sample::Index>())
            .prop_map(|(who, spot, which)| Act::Share { who, spot, which }),
    ]
}

#[test]
fn what_was_said_in_one_place_is_never_known_where_it_does_not_belong() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let config = Config {
        cases: 8,
        max_shrink_iters: 40,
        failure_persistence: None,
        ..Config::default()
    };
    let acts = proptest::collection::vec(act(), 20..30);
    TestRunner::new(config)
        .run(&acts, |acts| runtime.block_on(live(acts)).map_err(TestCaseError::fail))
        .unwrap();
}

/// Plays a world through; what came to where it does not belong, if anything did.
async fn live(acts: Vec<Act>) -> Result<(), String> {
    let mut world = World::begin(PEOPLE).await;
    for act in acts {
        world.play(act).await;
        world.check()?;
    }
    // Closed and long conversations are read by the memory writer too.
    world.close_everything().await;
    world.check()?;
    world.check_exports().await?;
    world.end().await;
    Ok(())
}
