use std::{sync::Arc, time::Duration};

use clifford_channel::{Address, Channel, Inbound, SendError, Signal};
use clifford_discord::Discord;
use clifford_fakes::discord::{DiscordFake, Fault, Route};

use crate::support::{Bot, Kept, config, text_part, to};

/// A person uses a command; where its answer goes, and the interaction's id.
async fn use_command(bot: &Bot, channel: u64, name: &str, options: &[(&str, &str)]) -> (Address, u64) {
    let user = bot.fake.user("Ada");
    let before = bot.kept.events().len();
    let id = bot.fake.interaction(channel, user, name, options);
    let events = bot.kept.wait_for_events(before + 1).await;
    let (reply_to, via) = match &events[before] {
        Inbound::Command(command) => (command.id.clone(), command.via.clone()),
        Inbound::Message(message) => (message.id.clone(), message.via.clone()),
        other => panic!("{other:?} is no command"),
    };
    assert_eq!(reply_to, id.to_string());
    (
        Address {
            reply_to: Some(reply_to),
            via,
            ..to(channel)
        },
        id,
    )
}

fn contents(bot: &Bot, id: u64) -> Vec<String> {
    bot.fake
        .interaction_replies(id)
        .into_iter()
        .map(|reply| reply.content)
        .collect()
}

#[tokio::test]
async fn a_command_is_acknowledged_before_it_is_handed_in_and_answered_in_place() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let (address, id) = use_command(&bot, channel, "new", &[("name", "Trip to Rome")]).await;
    assert!(bot.fake.acknowledged_after(id).unwrap() < Duration::from_secs(3));
    let Some(Inbound::Command(command)) = bot.kept.events().pop() else {
        panic!("no command");
    };
    assert_eq!(
        (command.name.as_str(), command.argument.as_str()),
        ("new", "Trip to Rome")
    );
    bot.discord.signal(&address, &Signal::Typing).await.unwrap();
    for (n, text) in ["first @everyone", "second", "third"].into_iter().enumerate() {
        bot.send(&address, text, &format!("key-{n}")).await.unwrap();
    }
    assert_eq!(contents(&bot, id), ["first @everyone", "second", "third"]);
    assert!(
        bot.fake
            .interaction_replies(id)
            .iter()
            .all(|reply| reply.pinged.is_empty())
    );
    assert_eq!((bot.fake.sent(channel), bot.fake.typings(channel)), (Vec::new(), 0));
    // The bot's own message came back to it, and is nothing that somebody wrote.
    assert_eq!(bot.kept.events().len(), 1);
    bot.finish().await;
}

#[tokio::test]
async fn asking_by_command_is_a_message_that_is_answered_in_place() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let (address, id) = use_command(&bot, channel, "ask", &[("text", "What is 6 * 7?")]).await;
    let Some(Inbound::Message(message)) = bot.kept.events().pop() else {
        panic!("no message");
    };
    assert_eq!(
        (message.text.as_str(), message.addressed.mention),
        ("What is 6 * 7?", true)
    );
    bot.send(&address, "42", "key-1").await.unwrap();
    assert_eq!(contents(&bot, id), ["42"]);
    bot.finish().await;
}

#[tokio::test]
async fn what_is_of_a_person_alone_is_seen_by_them_alone_in_a_server() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let (address, id) = use_command(&bot, channel, "memory", &[]).await;
    let Some(Inbound::Command(command)) = bot.kept.events().pop() else {
        panic!("no command");
    };
    assert!(command.answered_alone);
    for (n, text) in ["first", "second"].into_iter().enumerate() {
        bot.send(&address, text, &format!("key-{n}")).await.unwrap();
    }
    let replies = bot.fake.interaction_replies(id);
    assert_eq!(contents(&bot, id), ["first", "second"]);
    assert!(replies.iter().all(|reply| bot.fake.is_ephemeral(channel, reply.id)));
    // Nor does anybody read it once its interaction is over.
    bot.fake.advance(Duration::from_secs(15 * 60 + 1));
    let late = bot.send(&address, "third", "key-2").await;
    assert!(matches!(late, Err(SendError::Rejected(_))), "{late:?}");
    assert_eq!(bot.fake.sent(channel), []);
    bot.finish().await;
}

#[tokio::test]
async fn what_is_of_a_person_alone_is_not_said_where_it_could_not_be_acknowledged() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    let refused = Fault::Status(404);
    bot.fake.fail_next(Route::Acknowledge, refused);
    bot.fake.interaction(channel, user, "memory", &[]);
    bot.fake.user_says(channel, user, "next");
    assert_eq!(bot.kept.wait_for_texts(1).await, ["next"]);
    assert_eq!(bot.kept.events().len(), 1);
    bot.finish().await;
}

#[tokio::test]
async fn in_private_it_stays_in_the_chat() {
    let bot = Bot::start().await;
    let direct = bot.fake.dm(bot.fake.user("Bob"));
    let (address, id) = use_command(&bot, direct, "memory", &[]).await;
    bot.send(&address, "first", "key-1").await.unwrap();
    let replies = bot.fake.interaction_replies(id);
    assert!(!bot.fake.is_ephemeral(direct, replies[0].id));
    bot.finish().await;
}

#[tokio::test]
async fn an_answer_after_15_minutes_goes_to_the_channel() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let (address, id) = use_command(&bot, channel, "ask", &[("text", "slow?")]).await;
    bot.fake.advance(Duration::from_secs(15 * 60 + 1));
    bot.send(&address, "at last", "key-1").await.unwrap();
    assert_eq!(contents(&bot, id), Vec::<String>::new());
    let sent = bot.fake.sent(channel).remove(0);
    assert_eq!(sent.content, "at last");
    assert!(sent.reply_to.is_some_and(|placeholder| placeholder > id));
    bot.finish().await;
}

#[tokio::test]
async fn a_placeholder_says_before_its_end_that_the_answer_comes_below_and_the_answer_points_at_it() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let asked = async |text| use_command(&bot, channel, "ask", &[("text", text)]).await;
    let (slow, slow_id) = asked("slow?").await;
    let (_, thinking) = asked("slower?").await;
    let (answered, answered_id) = asked("quick?").await;
    bot.send(&answered, "quick", "key-1").await.unwrap();
    let (silent, silent_id) = asked("in an hour").await;
    bot.discord.signal(&silent, &Signal::Done).await.unwrap();
    bot.kept.queues.store(true, std::sync::atomic::Ordering::SeqCst);
    let (_, queued) = asked("and then?").await;
    bot.fake.wait_for_replies(queued, 1).await;
    bot.fake.fail_next(Route::EditOriginal, Fault::Status(503));
    bot.fake.advance(Duration::from_secs(13 * 60 + 1));
    for id in [slow_id, thinking, queued] {
        let says_so = |fake: &DiscordFake| {
            let replies = fake.interaction_replies(id);
            replies.iter().any(|reply| reply.content == BELOW).then_some(())
        };
        bot.fake.wait_for("the word about the late answer", says_so).await;
        assert!(!bot.fake.is_thinking(id));
    }
    // A draft would stay there.
    let draft = Signal::Draft {
        key: clifford_channel::DeliveryKey("key-2".to_owned()),
        text: "so far".to_owned(),
        plain: "so far".to_owned(),
        stop: "stop 1".to_owned(),
    };
    bot.discord.signal(&slow, &draft).await.unwrap();
    assert_eq!(contents(&bot, slow_id), [BELOW]);
    assert_eq!(
        (contents(&bot, answered_id), contents(&bot, silent_id)),
        (vec!["quick".to_owned()], vec![SILENT.to_owned()])
    );
    let placeholder = bot.fake.interaction_replies(slow_id)[0].id;
    bot.fake.advance(Duration::from_secs(2 * 60));
    // Also if another process was told to answer.
    let process = Discord::new(config(&bot.fake)).unwrap();
    let key = clifford_channel::DeliveryKey("key-2".to_owned());
    process.send(&slow, &text_part("at last"), &key).await.unwrap();
    let sent = bot.fake.sent(channel).remove(0);
    assert_eq!((sent.content.as_str(), sent.reply_to), ("at last", Some(placeholder)));
    assert_eq!(contents(&bot, slow_id), [BELOW]);
    bot.finish().await;
}

#[tokio::test]
async fn a_late_answer_goes_out_where_its_placeholder_cannot_be_found() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let (address, _) = use_command(&bot, channel, "ask", &[("text", "slow?")]).await;
    bot.fake.advance(Duration::from_secs(15 * 60 + 1));
    bot.fake.fail_next(Route::ReadMessages, Fault::Status(403));
    bot.send(&address, "at last", "key-1").await.unwrap();
    let sent = bot.fake.sent(channel).remove(0);
    assert_eq!((sent.content.as_str(), sent.reply_to), ("at last", None));
    bot.finish().await;
}

#[tokio::test]
async fn an_answer_to_an_interaction_that_is_gone_goes_to_the_channel() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let (mut address, _) = use_command(&bot, channel, "ask", &[("text", "hm?")]).await;
    address.via = address.via.map(|via| format!("{via}x"));
    bot.send(&address, "here", "key-1").await.unwrap();
    assert_eq!(bot.fake.sent(channel)[0].content, "here");
    bot.finish().await;
}

#[tokio::test]
async fn an_answer_whose_connection_broke_is_not_said_twice() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let (address, id) = use_command(&bot, channel, "ask", &[("text", "once?")]).await;
    bot.fake.fail_next(Route::EditOriginal, Fault::DropAfter);
    assert!(bot.send(&address, "once", "key-1").await.is_err());
    bot.send(&address, "once", "key-1").await.unwrap();
    bot.send(&address, "then", "key-2").await.unwrap();
    assert_eq!(contents(&bot, id), ["once", "then"]);
    bot.finish().await;
}

#[tokio::test]
async fn another_process_goes_on_where_the_first_ended() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let (address, id) = use_command(&bot, channel, "ask", &[("text", "hello?")]).await;
    for (text, key) in [("first", "key-1"), ("first", "key-1"), ("second", "key-2")] {
        let process = Discord::new(config(&bot.fake)).unwrap();
        process
            .send(
                &address,
                &text_part(text),
                &clifford_channel::DeliveryKey(key.to_owned()),
            )
            .await
            .unwrap();
    }
    assert_eq!(contents(&bot, id), ["first", "second"]);
    bot.finish().await;
}

#[tokio::test]
async fn an_acknowledgement_that_broke_is_tried_again() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.fake.fail_next(Route::Acknowledge, Fault::DropBefore);
    let (address, id) = use_command(&bot, channel, "stop", &[]).await;
    bot.send(&address, "stopped", "key-1").await.unwrap();
    assert_eq!(contents(&bot, id), ["stopped"]);
    bot.finish().await;
}

#[tokio::test]
async fn a_command_that_could_not_be_acknowledged_is_answered_in_the_channel() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.fake.fail_next(Route::Acknowledge, Fault::Status(500));
    bot.fake.fail_next(Route::Acknowledge, Fault::Status(500));
    let (address, id) = use_command(&bot, channel, "stop", &[]).await;
    assert_eq!(address.via, None);
    bot.send(
        &Address {
            reply_to: None,
            ..address
        },
        "stopped",
        "key-1",
    )
    .await
    .unwrap();
    assert_eq!((contents(&bot, id), bot.fake.sent(channel).len()), (Vec::new(), 1));
    bot.finish().await;
}

#[tokio::test]
async fn a_command_is_acknowledged_while_the_store_is_down() {
    let bot = Bot::start().await;
    let (channel, user) = bot.channel();
    bot.kept
        .unavailable
        .store(usize::MAX, std::sync::atomic::Ordering::SeqCst);
    bot.fake.user_says(channel, user, "waits");
    let id = bot.fake.interaction(channel, user, "stop", &[]);
    assert!(bot.fake.wait_for_acknowledgement(id).await < Duration::from_secs(3));
    bot.kept.unavailable.store(0, std::sync::atomic::Ordering::SeqCst);
    let events = bot.kept.wait_for_events(2).await;
    assert!(
        matches!(events[..], [Inbound::Message(_), Inbound::Command(_)]),
        "{events:?}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn an_ignored_command_does_not_go_on_thinking() {
    let bot = Bot::with(Arc::new(DiscordFake::start().await), Kept::new(true));
    bot.connected().await;
    let (channel, _) = bot.channel();
    let (_, id) = use_command(&bot, channel, "stop", &[]).await;
    bot.fake
        .wait_for("the end of thinking", |fake| (!fake.is_thinking(id)).then_some(()))
        .await;
    assert_eq!(bot.fake.requests(Route::DeleteOriginal), 1);
    bot.finish().await;
}

const WAITS: &str = "⏳ This comes after what I am doing now. It may be answered together with a later message.";
const SILENT: &str = "⏸️ No answer for now.";
const BELOW: &str = "⤵️ This takes longer. I answer below.";

#[tokio::test]
async fn a_command_whose_turn_comes_later_says_so_until_it_is_answered() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    bot.kept.queues.store(true, std::sync::atomic::Ordering::SeqCst);
    // Discord need not take the word at once.
    bot.fake.fail_next(Route::EditOriginal, Fault::Status(503));
    let (address, id) = use_command(&bot, channel, "ask", &[("text", "and then?")]).await;
    assert_eq!(bot.fake.wait_for_replies(id, 1).await[0].content, WAITS);
    assert!(!bot.fake.is_thinking(id));
    for (text, key) in [("first", "key-1"), ("second", "key-2")] {
        bot.send(&address, text, key).await.unwrap();
    }
    assert_eq!(contents(&bot, id), ["first", "second"]);
    let (address, id) = use_command(&bot, channel, "ask", &[("text", "after a restart?")]).await;
    bot.fake.wait_for_replies(id, 1).await;
    let process = Discord::new(config(&bot.fake)).unwrap();
    let key = clifford_channel::DeliveryKey("key-3".to_owned());
    process.send(&address, &text_part("here"), &key).await.unwrap();
    assert_eq!(contents(&bot, id), ["here"]);
    bot.finish().await;
}

#[tokio::test]
async fn a_command_for_which_nothing_is_at_work_any_more_does_not_look_as_if() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let (address, id) = use_command(&bot, channel, "ask", &[("text", "in an hour")]).await;
    bot.fake.fail_next(Route::EditOriginal, Fault::DropBefore);
    bot.discord.signal(&address, &Signal::Done).await.unwrap();
    assert_eq!(contents(&bot, id), [SILENT]);
    let requests = bot.fake.requests(Route::EditOriginal);
    bot.discord.signal(&address, &Signal::Done).await.unwrap();
    assert_eq!(bot.fake.requests(Route::EditOriginal), requests);
    bot.send(&address, "the hour is over", "key-1").await.unwrap();
    bot.discord.signal(&address, &Signal::Done).await.unwrap();
    assert_eq!(contents(&bot, id), ["the hour is over"]);
    // Another process, which knows nothing of it, leaves an answer alone.
    let process = Discord::new(config(&bot.fake)).unwrap();
    process.signal(&address, &Signal::Done).await.unwrap();
    assert_eq!(contents(&bot, id), ["the hour is over"]);
    bot.fake.advance(Duration::from_secs(15 * 60 + 1));
    process.signal(&address, &Signal::Done).await.unwrap();
    bot.finish().await;
}
