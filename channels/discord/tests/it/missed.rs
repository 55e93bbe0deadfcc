use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use clifford_channel::{Inbound, PlaceKind, Served};
use clifford_fakes::discord::{DiscordFake, Fault, Route};
use serde_json::json;

use crate::support::{Bot, Kept};

fn served(channel: u64, kind: PlaceKind, last: u64) -> Served {
    Served {
        external_id: channel.to_string(),
        kind,
        space: None,
        last_message_id: Some(last.to_string()),
    }
}

/// Texts, and whether they were read from the history.
fn read(events: &[Inbound]) -> Vec<(String, bool)> {
    let messages = events.iter().filter_map(|event| match event {
        Inbound::Message(message) => Some((message.text.clone(), message.backfilled)),
        _ => None,
    });
    messages.collect()
}

#[tokio::test]
async fn at_the_start_what_was_missed_is_read_before_what_is_new() {
    let fake = Arc::new(DiscordFake::start().await);
    let guild = fake.guild("Home");
    let (channel, user) = (fake.channel(guild, "general"), fake.user("Ada"));
    let dm = fake.dm(user);
    let last = fake.say_while_offline(channel, user, "stored");
    let last_dm = fake.say_while_offline(dm, user, "stored");
    // More than two pages, whose reading is slow and fails at times.
    for n in 0..230 {
        fake.say_while_offline(channel, user, &format!("missed {n}"));
    }
    fake.say_while_offline(dm, user, "missed dm");
    fake.fail_next(Route::ReadMessages, Fault::Slow(Duration::from_millis(300)));
    fake.fail_next(Route::ReadMessages, Fault::Status(502));
    fake.fail_next(
        Route::ReadMessages,
        Fault::TooMany {
            retry_after: Duration::from_millis(10),
            global: false,
        },
    );
    let kept = Kept::new(false);
    kept.serve(vec![
        served(channel, PlaceKind::Group, last),
        served(dm, PlaceKind::Private, last_dm),
    ]);
    let bot = Bot::with(fake, kept);
    bot.connected().await;
    bot.fake.user_says(channel, user, "new");
    bot.kept.wait_for_texts(232).await;
    let events = bot.kept.events();
    let in_channel: Vec<Inbound> = events
        .iter()
        .filter(|event| matches!(event, Inbound::Message(message) if message.place.external_id == channel.to_string()))
        .cloned()
        .collect();
    let mut expected: Vec<(String, bool)> = (0..230).map(|n| (format!("missed {n}"), true)).collect();
    // Depending on when it was said, the history has it too.
    expected.push(("new".to_owned(), false));
    let mut in_channel = read(&in_channel);
    in_channel.retain(|(text, backfilled)| !(text == "new" && *backfilled));
    assert_eq!(in_channel, expected);
    let missed_dm = events.iter().find_map(|event| match event {
        Inbound::Message(message) if message.text == "missed dm" => Some((message.place.kind, message.backfilled)),
        _ => None,
    });
    assert_eq!(missed_dm, Some((PlaceKind::Private, true)));
    bot.finish().await;
}

#[tokio::test]
async fn of_what_is_too_old_to_be_answered_a_busy_channel_waits_for_ten_pages_only() {
    // Nothing is young enough, or all of it is.
    for (catch_up, expected) in [(0, 1_000), (3_600, 1_150)] {
        let fake = Arc::new(DiscordFake::start().await);
        let guild = fake.guild("Home");
        let (channel, user) = (fake.channel(guild, "general"), fake.user("Ada"));
        let last = fake.say_while_offline(channel, user, "stored");
        for n in 0..1_150 {
            fake.say_while_offline(channel, user, &format!("missed {n}"));
        }
        let kept = Kept::new(false);
        kept.catch_up.store(catch_up, Ordering::SeqCst);
        kept.serve(vec![served(channel, PlaceKind::Group, last)]);
        let bot = Bot::with(fake, kept);
        bot.connected().await;
        bot.kept.wait_for_texts(expected).await;
        bot.fake.user_says(channel, user, "new");
        let new = ("new".to_owned(), false);
        let mut all = bot
            .kept
            .wait_for(|kept| Some(read(&kept.events())).filter(|all| all.contains(&new)))
            .await;
        // Depending on when it was said, the history has it too.
        all.retain(|(text, backfilled)| !(text == "new" && *backfilled));
        let missed = (0..expected).map(|n| (format!("missed {n}"), true));
        assert_eq!(all, missed.chain([new]).collect::<Vec<_>>());
        bot.finish().await;
    }
}

#[tokio::test]
async fn after_an_invalid_session_what_was_missed_is_read() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let last = bot.fake.user_says(channel, user, "stored");
    bot.kept.wait_for_texts(1).await;
    bot.kept.serve(vec![served(channel, PlaceKind::Group, last)]);
    bot.fake.gateway_open(false);
    bot.fake.disconnect();
    bot.fake.forget_sessions();
    bot.fake.say_while_offline(channel, user, "missed");
    bot.fake.gateway_open(true);
    bot.kept.wait_for_texts(2).await;
    assert_eq!(
        read(&bot.kept.events()),
        [("stored".to_owned(), false), ("missed".to_owned(), true)]
    );
    assert_eq!(
        (bot.fake.identifies(), bot.kept.looks_back.load(Ordering::SeqCst)),
        (2, 2)
    );
    bot.finish().await;
}

#[tokio::test]
async fn when_discord_ends_the_session_what_was_missed_is_read() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let last = bot.fake.user_says(channel, user, "stored");
    bot.kept.wait_for_texts(1).await;
    bot.kept.serve(vec![served(channel, PlaceKind::Group, last)]);
    bot.fake.say_while_offline(channel, user, "missed");
    bot.fake.invalidate_session(false);
    bot.kept.wait_for_texts(2).await;
    assert_eq!(
        read(&bot.kept.events()),
        [("stored".to_owned(), false), ("missed".to_owned(), true)]
    );
    bot.finish().await;
}

#[tokio::test]
async fn a_successful_resume_reads_no_history() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    bot.fake.disconnect();
    bot.fake
        .wait_for("a resume", |fake| (fake.resumes() == 1).then_some(()))
        .await;
    bot.fake.wait_for_connection().await;
    bot.fake.user_says(channel, user, "hello");
    bot.kept.wait_for_texts(1).await;
    assert_eq!(
        (
            bot.kept.looks_back.load(Ordering::SeqCst),
            bot.fake.requests(Route::ReadMessages)
        ),
        (1, 0)
    );
    bot.finish().await;
}

#[tokio::test]
async fn a_channel_that_cannot_be_read_any_more_holds_nothing_up() {
    let fake = Arc::new(DiscordFake::start().await);
    let guild = fake.guild("Home");
    let (channel, user) = (fake.channel(guild, "general"), fake.user("Ada"));
    let last = fake.say_while_offline(channel, user, "stored");
    fake.refuse(channel, 403, 50_001, "Missing Access");
    let kept = Kept::new(false);
    kept.serve(vec![served(channel, PlaceKind::Group, last)]);
    let bot = Bot::with(fake, kept);
    bot.connected().await;
    bot.fake.user_says(channel, user, "new");
    assert_eq!(bot.kept.wait_for_texts(1).await, ["new"]);
    bot.finish().await;
}

#[tokio::test]
async fn what_is_odd_in_the_history_is_read_or_kept_and_ends_no_page() {
    let fake = Arc::new(DiscordFake::start().await);
    let guild = fake.guild("Home");
    let (channel, user) = (fake.channel(guild, "general"), fake.user("Ada"));
    let last = fake.say_while_offline(channel, user, "stored");
    let odd = fake.send_while_offline(channel, user, "a number", &json!({"webhook_id": 5}));
    fake.send_while_offline(channel, user, "no id", &json!({"id": {"odd": true}}));
    fake.say_while_offline(channel, user, "as usual");
    // A whole page that cannot be paged by.
    let full = fake.channel(guild, "full");
    let first = fake.say_while_offline(full, user, "stored");
    for _ in 0..100 {
        fake.send_while_offline(full, user, "no id", &json!({"id": null}));
    }
    let kept = Kept::new(false);
    kept.serve(vec![
        served(channel, PlaceKind::Group, last),
        served(full, PlaceKind::Group, first),
    ]);
    let bot = Bot::with(fake, kept);
    bot.connected().await;
    let events = bot.kept.wait_for_events(103).await;
    assert_eq!(
        read(&events),
        [("a number".to_owned(), true), ("as usual".to_owned(), true)]
    );
    let unreadable = |event: &&Inbound| matches!(event, Inbound::Unreadable(_));
    assert_eq!(events.iter().filter(unreadable).count(), 101);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Inbound::Message(message) if message.id == odd.to_string()))
    );
    bot.fake.user_says(full, user, "new");
    bot.kept.wait_for_texts(3).await;
    assert_eq!(bot.fake.requests(Route::ReadMessages), 2);
    bot.finish().await;
}

#[tokio::test]
async fn what_was_missed_and_says_nothing_is_not_taken_for_an_empty_message() {
    let fake = Arc::new(DiscordFake::start().await);
    fake.without_message_content();
    let (channel, user) = (fake.channel(fake.guild("Home"), "general"), fake.user("Ada"));
    let seen = fake.say_while_offline(channel, user, "seen");
    fake.say_while_offline(channel, user, "to each other");
    fake.say_while_offline(channel, user, &format!("<@{}> missed", fake.bot()));
    let kept = Kept::new(false);
    kept.serve(vec![served(channel, PlaceKind::Group, seen)]);
    let bot = Bot::with(fake, kept);
    assert_eq!(bot.kept.wait_for_texts(1).await, ["missed"]);
    assert_eq!(bot.kept.events().len(), 1);
    bot.finish().await;
}
