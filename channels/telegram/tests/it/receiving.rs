//! Updates in: confirmed after they were committed, whatever breaks.

use clifford_channel::{ChannelError, ConnectionStatus, Inbound, MenuCommand, ShownTo};
use clifford_fakes::telegram::{Fault, Method, TelegramFake};
use clifford_vault::Secret;
use serde_json::json;

use crate::{ADA, Running, config, ingress::Memory, telegram};

const NO_VIOLATIONS: [&str; 0] = [];

#[tokio::test]
async fn every_kind_of_update_arrives_and_is_confirmed() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let forum = fake.forum(-1_001_000, "Engines");
    let topic = fake.topic(forum, "Steam");
    let group = fake.group(-55, "Boilers");
    let first = fake.user_says(ada, ADA, "hello");
    fake.edit(ada, ADA, first, "hello!");
    fake.command(ada, ADA, "new", "Trip to Rome");
    fake.album(ada, ADA, &["two photos", ""]);
    let in_topic = fake.user_says(topic, ADA, "@clifford_bot, in the topic");
    fake.reply_to(topic, ADA, "and again", in_topic);
    fake.block(ADA);
    fake.kick(forum, ADA);
    let new = fake.migrate(group, ADA);
    fake.user_says(new, ADA, "we moved");
    let ingress = Memory::new();
    let running = Running::start(telegram(&fake), &ingress);
    fake.wait_for_confirmed().await;
    running.stop().await.unwrap();
    let expected = [
        "hello",
        "edit: hello!",
        "/new Trip to Rome",
        "two photos",
        "",
        "in the topic",
        "and again",
        "left: the bot was blocked by the user",
        "left: the bot was kicked from the group",
        &format!("moved: -55 to {}", new.id),
        &format!("moved: -55 to {}", new.id),
        "we moved",
    ];
    assert_eq!(ingress.taken(), expected);
    assert_eq!(
        ingress.statuses(),
        [ConnectionStatus::Connected("@clifford_bot".to_owned())]
    );
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

#[tokio::test]
async fn nothing_is_confirmed_before_it_was_committed() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let bo = fake.user(8, "Bo");
    let ingress = Memory::new();
    ingress.hold("held");
    fake.user_says(ada, ADA, "held");
    fake.user_says(bo, 8, "one");
    fake.user_says(bo, 8, "two");
    fake.user_says(ada, ADA, "behind the held one");
    let running = Running::start(telegram(&fake), &ingress);
    assert_eq!(ingress.wait_for(2).await, ["one", "two"]);
    assert_eq!((fake.pending(), fake.polls()), (4, 1));
    ingress.release();
    fake.wait_for_confirmed().await;
    assert_eq!(ingress.taken(), ["one", "two", "held", "behind the held one"]);
    running.stop().await.unwrap();
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

#[tokio::test]
async fn an_event_that_was_not_taken_is_handed_in_again() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let ingress = Memory::new();
    ingress.refuse(1);
    fake.user_says(ada, ADA, "one");
    fake.user_says(ada, ADA, "two");
    let running = Running::start(telegram(&fake), &ingress);
    fake.wait_for_confirmed().await;
    assert_eq!(ingress.taken(), ["one", "two"]);
    assert_eq!(ingress.attempts(), 3);
    running.stop().await.unwrap();
}

#[tokio::test]
async fn a_stop_gives_up_on_what_is_not_taken_and_confirms_the_rest() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let ingress = Memory::new();
    let running = Running::start(telegram(&fake), &ingress);
    fake.user_says(ada, ADA, "one");
    fake.wait_for_confirmed().await;
    ingress.refuse(usize::MAX);
    fake.user_says(ada, ADA, "two");
    ingress.wait_until(|ingress| ingress.attempts() >= 2).await;
    running.stop().await.unwrap();
    assert_eq!(fake.pending(), 1);
    ingress.refuse(0);
    let running = Running::start(telegram(&fake), &ingress);
    assert_eq!(ingress.wait_for(2).await, ["one", "two"]);
    running.stop().await.unwrap();
}

#[tokio::test]
async fn after_a_crash_the_unconfirmed_comes_again() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let ingress = Memory::new();
    ingress.hold("two");
    fake.user_says(ada, ADA, "one");
    fake.user_says(ada, ADA, "two");
    let running = Running::start(telegram(&fake), &ingress);
    ingress.wait_until(|ingress| ingress.attempts() == 2).await;
    running.kill().await;
    ingress.release();
    let running = Running::start(telegram(&fake), &ingress);
    fake.wait_for_confirmed().await;
    assert_eq!(ingress.taken(), ["one", "one", "two"]);
    running.stop().await.unwrap();
}

#[tokio::test]
async fn a_stop_accepts_and_confirms_the_batch_in_hand() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let ingress = Memory::new();
    ingress.hold("one");
    fake.user_says(ada, ADA, "one");
    let running = Running::start(telegram(&fake), &ingress);
    ingress.wait_until(|ingress| ingress.attempts() == 1).await;
    running.stop.cancel();
    fake.user_says(ada, ADA, "after the stop");
    ingress.release();
    running.ended().await.unwrap();
    assert_eq!(ingress.taken(), ["one"]);
    assert_eq!(fake.pending(), 1);
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

#[tokio::test]
async fn a_stop_ends_a_long_poll_at_once() {
    let fake = TelegramFake::start().await.unwrap();
    let ingress = Memory::new();
    let running = Running::start(telegram(&fake), &ingress);
    fake.wait_until("a poll", |fake| (fake.polls() == 1).then_some(()))
        .await;
    let start = std::time::Instant::now();
    running.stop().await.unwrap();
    assert!(start.elapsed().as_secs() < 5, "the poll of 30 s held up the stop");
    assert_eq!(fake.polls(), 1);
}

#[tokio::test]
async fn another_poller_is_a_conflict() {
    let fake = TelegramFake::start().await.unwrap();
    let ingress = Memory::new();
    let mut config = config(&fake);
    config.menu.push(command("new", ShownTo::Everybody));
    // That it waits for an hour to set a menu keeps nobody from hearing of the end.
    fake.fail_next(Method::SetMyCommands, Fault::TooMany(3600));
    let earlier = Running::start(config.telegram(), &ingress);
    fake.wait_until("a poll and a menu", |fake| {
        let requests = fake.requests();
        let asked = requests.iter().any(|request| request.method == Method::GetMyCommands);
        (fake.polls() == 1 && asked).then_some(())
    })
    .await;
    let later = Running::start(telegram(&fake), &ingress);
    assert!(matches!(earlier.ended().await, Err(ChannelError::Conflict(_))));
    later.stop().await.unwrap();
}

#[tokio::test]
async fn a_wrong_token_names_its_setting() {
    let fake = TelegramFake::start().await.unwrap();
    let mut config = config(&fake);
    config.token = Secret::new("1:wrong");
    let running = Running::start(config.telegram(), &Memory::new());
    let Err(ChannelError::Misconfigured(text)) = running.ended().await else {
        panic!("the token was taken");
    };
    assert!(text.contains("channels.telegram.token"), "{text}");
    assert!(!text.contains("1:wrong"), "{text}");
}

#[tokio::test]
async fn failures_are_reported_and_polling_goes_on() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    for fault in [Fault::Server(502), Fault::Drop] {
        fake.fail_next(Method::GetMe, fault);
    }
    for fault in [Fault::TooMany(1), Fault::Garbage] {
        fake.fail_next(Method::GetUpdates, fault);
    }
    let ingress = Memory::new();
    fake.user_says(ada, ADA, "hello");
    let running = Running::start(telegram(&fake), &ingress);
    assert_eq!(ingress.wait_for(1).await, ["hello"]);
    running.stop().await.unwrap();
    let connected = |status: &ConnectionStatus| matches!(status, ConnectionStatus::Connected(_));
    let states: Vec<bool> = ingress.statuses().iter().map(connected).collect();
    assert_eq!(states, [false, false, true, false, false, true]);
    let texts = format!("{:?}", ingress.statuses());
    assert!(!texts.contains(fake.token()), "{texts}");
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

#[tokio::test]
async fn an_unreachable_server_shows_no_token() {
    let fake = TelegramFake::start().await.unwrap();
    let mut config = config(&fake);
    // Nothing listens on port 1.
    config.api_url = "http://127.0.0.1:1".into();
    let ingress = Memory::new();
    let running = Running::start(config.telegram(), &ingress);
    ingress.wait_until(|ingress| !ingress.statuses().is_empty()).await;
    running.stop().await.unwrap();
    let texts = format!("{:?}", ingress.statuses());
    assert!(
        texts.contains("Disconnected") && !texts.contains(fake.token()),
        "{texts}"
    );
}

#[tokio::test]
async fn a_foreign_webhook_is_taken_over() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    fake.set_webhook("https://elsewhere.example/hook");
    fake.user_says(ada, ADA, "hello");
    let ingress = Memory::new();
    let running = Running::start(telegram(&fake), &ingress);
    assert_eq!(ingress.wait_for(1).await, ["hello"]);
    running.stop().await.unwrap();
}

#[tokio::test]
async fn broken_updates_are_kept_and_stop_nothing() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    fake.push_raw(json!({"hologram": {"id": 3}}));
    fake.push_raw(json!({"message": {"message_id": "x"}}));
    fake.push_raw(json!({"message": 17, "update_id": "one"}));
    fake.push_raw(json!(17));
    fake.user_says(ada, ADA, "hello");
    let ingress = Memory::new();
    let running = Running::start(telegram(&fake), &ingress);
    ingress.wait_for(5).await;
    fake.wait_for_confirmed().await;
    running.stop().await.unwrap();
    let unreadable = |event: &&Inbound| matches!(event, Inbound::Unreadable(_));
    assert_eq!(ingress.events().iter().filter(unreadable).count(), 4);
    assert!(ingress.taken().contains(&"hello".to_owned()));
}

#[tokio::test]
async fn an_update_that_no_json_reader_takes_costs_its_batch_nothing() {
    let fake = TelegramFake::start().await.unwrap();
    let message = |id: i32, text: &str, odd: &str| {
        format!(
            r#"{{"update_id":{id},"message":{{"message_id":{id},"date":1760000000,"text":"{text}","odd":{odd},
                "chat":{{"id":7,"type":"private"}},"from":{{"id":7,"is_bot":false,"first_name":"Ada"}}}}}}"#
        )
    };
    for (first, odd) in [(1, "1e999"), (3, r#""\ud800""#)] {
        let batch = [message(first, "odd", odd), message(first + 1, "hello", "1")].join(",");
        let body = format!(r#"{{"ok":true,"result":[{batch}]}}"#);
        fake.fail_next(Method::GetUpdates, Fault::Answer(200, body));
    }
    let ingress = Memory::new();
    let running = Running::start(telegram(&fake), &ingress);
    let taken = ingress.wait_for(4).await;
    running.stop().await.unwrap();
    assert_eq!(taken.iter().filter(|text| *text == "hello").count(), 2, "{taken:?}");
    let kept = |event: &&Inbound| matches!(event, Inbound::Unreadable(kept) if kept.payload.contains("\"odd\""));
    assert_eq!(ingress.events().iter().filter(kept).count(), 2, "{taken:?}");
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

fn command(name: &str, shared: ShownTo) -> MenuCommand {
    MenuCommand {
        name: name.to_owned(),
        description: clifford_text::Localized::same("Begin anew"),
        arguments: Vec::new(),
        private: false,
        personal: false,
        shared,
    }
}

#[tokio::test]
async fn menus_of_commands_are_set_by_scope_and_only_where_they_differ() {
    let fake = TelegramFake::start().await.unwrap();
    let mut config = config(&fake);
    for (name, shared) in [
        ("new", ShownTo::Everybody),
        ("settings", ShownTo::Managers),
        ("erase", ShownTo::Nobody),
    ] {
        config.menu.push(command(name, shared));
    }
    let asked = |method: Method| {
        let requests = fake.requests();
        requests.iter().filter(|request| request.method == method).count()
    };
    let start = async |config: &crate::Config, times: usize| {
        let running = Running::start(config.telegram(), &Memory::new());
        fake.wait_until("the menus", |_| {
            (asked(Method::GetMyCommands) >= 3 * times).then_some(())
        })
        .await;
        fake.wait_until("a poll", |fake| (fake.polls() >= 1).then_some(()))
            .await;
        running
    };
    let names = |scope: &str| {
        let shown = fake.commands_of(scope);
        shown.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    // In haste Telegram wants a pause, after which the menu is set all the same.
    fake.fail_next(Method::SetMyCommands, Fault::TooMany(0));
    let running = start(&config, 1).await;
    fake.wait_until("the last menu", |_| {
        (names("all_chat_administrators") == ["ask", "new", "settings"]).then_some(())
    })
    .await;
    assert_eq!(names("all_private_chats"), ["new", "settings", "erase"]);
    assert_eq!(names("all_group_chats"), ["ask", "new"]);
    running.stop().await.unwrap();
    // Nothing differs at the second start, and one menu at the third.
    let set = asked(Method::SetMyCommands);
    start(&config, 2).await.stop().await.unwrap();
    assert_eq!(asked(Method::SetMyCommands), set);
    config.menu.pop();
    let running = start(&config, 3).await;
    fake.wait_until("the menu", |_| {
        (names("all_private_chats") == ["new", "settings"]).then_some(())
    })
    .await;
    running.stop().await.unwrap();
    assert_eq!(asked(Method::SetMyCommands), set + 1);
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}
