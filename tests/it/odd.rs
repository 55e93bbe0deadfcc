//! Events with fields of other types than the platform writes: what can be read of them is, and what cannot is named and
//! kept once.

use serde_json::json;

use crate::{
    harness::{Bot, Room, Setup, Site},
    scripted_model,
};

#[tokio::test]
async fn a_message_is_read_without_the_fields_of_it_that_are_odd() {
    let mut bot = Setup::on(Site::Telegram).and(Site::Discord).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let fields = json!({"text": "hello", "entities": "none", "reply_to_message": 7, "photo": "x", "quote": [1],
        "edit_date": null, "link_preview_options": true});
    bot.telegram.user_sends(chat, 7, fields);
    assert_eq!(bot.telegram.wait_for_sent(chat, 1).await[0].text, "You said: hello");

    let ada = bot.discord.user("Ada");
    let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
    let own = bot.discord.bot().to_string();
    let fields = json!({"mentions": [{"id": own, "username": "clifford", "public_flags": "0", "avatar": 7}],
        "attachments": "none", "embeds": null, "pinned": "no", "type": "0", "flags": "0", "mention_roles": 5,
        "stickers": {}, "reactions": "many", "poll": 1, "message_snapshots": "none"});
    bot.discord
        .user_sends(channel, ada, &format!("<@{own}> hello"), &fields);
    let sent = bot.discord.wait_for_sent(channel, 1).await;
    assert_eq!(sent[0].content, "You said: [Ada] hello");
    bot.finish().await;
    assert_eq!(bot.look().await.count("unreadable_events").await, 0);
    let inputs = scripted_model::inputs(&bot.model.requests());
    assert_eq!(inputs, ["hello", "[Ada] hello"]);
}

/// The warnings that an event could not be read.
fn warnings(bot: &Bot) -> Vec<String> {
    let log = bot.log_text();
    let lines = log.lines().filter(|line| line.contains("failed to parse an event,"));
    lines.map(str::to_owned).collect()
}

#[tokio::test]
async fn what_cannot_be_read_is_named_with_its_reason_and_kept_once_however_often_it_comes() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let room = bot.room(Site::Discord, 7, "Ada");
    let Room::Discord { channel, user } = room else {
        unreachable!("a room on Discord")
    };
    bot.says(room, "hello");
    bot.answers(room, 1).await;
    let broken = json!({"id": "none", "channel_id": channel.to_string()});
    for _ in 0..3 {
        bot.discord.dispatch("MESSAGE_CREATE", &broken);
    }
    bot.has_logged("failed to parse an event,", 1).await;
    // The history that is read after a gap holds a message without an id.
    bot.stop().await;
    bot.discord
        .send_while_offline(channel, user, "which am I?", &json!({"id": null}));
    for round in 1..=2 {
        bot.discord.expire_sessions();
        bot.start().await;
        bot.says(room, "again");
        bot.answers(room, 1 + round).await;
        bot.has_logged("failed to parse an event,", 2).await;
        bot.stop().await;
    }
    assert_eq!(bot.look().await.count("unreadable_events").await, 2);
    let warnings = warnings(&bot);
    assert_eq!(warnings.len(), 2, "{warnings:#?}");
    assert!(
        warnings[0].contains("MESSAGE_CREATE") && warnings[0].contains("id"),
        "{warnings:#?}"
    );
    assert!(warnings[1].contains("reason="), "{warnings:#?}");
    bot.finish().await;
}

#[tokio::test]
async fn what_cannot_be_read_on_telegram_is_named_with_its_reason_and_kept_once() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    let broken = json!({"message": {"message_id": "no number", "chat": 7}});
    bot.telegram.push_raw(broken);
    bot.says(room, "hello");
    bot.answers(room, 1).await;
    bot.telegram.wait_for_confirmed().await;
    bot.finish().await;
    assert_eq!(bot.look().await.count("unreadable_events").await, 1);
    let warnings = warnings(&bot);
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    assert!(warnings[0].contains("message"), "{warnings:#?}");
}
