//! Words from outside that tell the model what to do, to a model that does whatever it is told: it may ask, not act,
//! and nothing that is private leaves.

mod attempts;
mod chats;
mod obedient;
mod world;

use std::collections::BTreeSet;

use clifford_core::runs::RunStatus;

use self::{
    attempts::{ATTEMPTS, Attempt, Wants},
    world::World,
};

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_read_nothing_is_done_unconfirmed_and_nothing_private_leaves() {
    assert!(ATTEMPTS.len() >= 76, "{}", ATTEMPTS.len());
    let world = World::begin().await;
    for attempt in ATTEMPTS {
        let Attempt {
            label,
            via,
            text,
            wants,
        } = attempt;
        let ended = world.plays(via, &text(), false).await;
        let told = format!("{label}: {ended:#?}");
        match wants {
            Wants::Asks(call) => {
                assert_eq!(ended.status, RunStatus::Waiting, "{told}");
                assert_eq!(ended.asked.as_deref(), Some(*call), "{told}");
            }
            Wants::Says(sentence) => {
                assert_eq!(ended.status, RunStatus::Completed, "{told}");
                assert_eq!(ended.said.first().map(String::as_str), Some(*sentence), "{told}");
            }
        }
        assert_eq!(ended.acted, Vec::<String>::new(), "{told}");
        assert!(ended.said.iter().all(|text| !world::leaks(text)), "{told}");
        if ended.status == RunStatus::Waiting {
            world.give_up(ended.run).await;
        }
    }
    let labels: BTreeSet<_> = ATTEMPTS.iter().map(|attempt| attempt.label).collect();
    assert_eq!(labels.len(), ATTEMPTS.len(), "each is another one");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_words_of_the_person_are_done_where_no_rule_asks() {
    let world = World::begin().await;
    // The model obeys its person as well: that is what it is for.
    let ended = world.asked("please !!put").await;
    assert_eq!(
        (ended.status, ended.acted),
        (RunStatus::Completed, vec!["vault.put".to_owned()])
    );
    let ended = world.asked("please !!fetch").await;
    assert_eq!(
        (ended.status, ended.acted),
        (RunStatus::Completed, vec!["web.get".to_owned()])
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_approved_is_done_once_and_as_it_was_asked() {
    let world = World::begin().await;
    let ended = world.plays("page.read", "!!delete", false).await;
    assert_eq!((ended.status, ended.acted), (RunStatus::Waiting, vec![]));
    let ended = world.approve(ended.run).await;
    assert_eq!(ended.status, RunStatus::Completed, "{ended:#?}");
    assert_eq!(ended.acted, ["vault.delete"]);
    assert_eq!(world.last_args(), serde_json::json!({ "name": "all" }));
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_private_is_used_where_others_read_along_only_if_its_person_says_so() {
    let world = World::begin().await;
    let ended = world.plays("vault.read", "", true).await;
    assert_eq!(
        (ended.status, ended.asked.as_deref()),
        (RunStatus::Waiting, Some("vault.read"))
    );
    assert!(!ended.trace.contains(world::SECRET), "{}", ended.trace);
    let ended = world.approve(ended.run).await;
    assert_eq!(ended.status, RunStatus::Completed, "{ended:#?}");
    assert!(ended.trace.contains(world::SECRET), "{}", ended.trace);
    // In private nobody need be asked.
    let ended = world.plays("vault.read", "", false).await;
    assert_eq!(ended.status, RunStatus::Completed, "{ended:#?}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_of_a_page_may_be_fetched_and_one_that_was_made_up_may_not() {
    let world = World::begin().await;
    let ended = world
        .plays("web.read", "see https://news.example/today and !!follow", false)
        .await;
    assert_eq!(
        (ended.status, ended.acted),
        (RunStatus::Completed, vec!["web.get".to_owned()])
    );
    assert_eq!(
        world.last_args(),
        serde_json::json!({ "url": "https://news.example/today" })
    );
    world.end().await;
}
