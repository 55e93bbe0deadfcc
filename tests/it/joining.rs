//! The bot is added to a group or server: it introduces itself once.

use clifford_fakes::telegram::{Chat, Fault};
use serde_json::json;

use crate::harness::{Bot, Setup, Site};

async fn greetings(bot: &Bot, group: Chat, count: usize) -> Vec<String> {
    let sent = bot.telegram.wait_for_sent(group, count).await;
    sent.into_iter().map(|sent| sent.text).collect()
}

#[tokio::test]
async fn on_telegram_the_bot_greets_a_group_once_a_joining() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.start().await;
        bot.telegram.user(7, "Ada");
        let group = bot.telegram.supergroup(-1_001_234, "Team");
        bot.telegram.add(group, 7);
        let greeting = greetings(&bot, group, 1).await.remove(0);
        assert!(greeting.contains("Mention me or reply to me"), "{greeting}");
        let labels = bot.telegram.sent(group)[0].buttons.clone();
        assert_eq!(labels[0].0, "What I can do");
        // Told again, also to a process that is new, it says nothing.
        bot.telegram.add(group, 7);
        bot.telegram.wait_for_confirmed().await;
        bot.stop().await;
        bot.start().await;
        bot.telegram.add(group, 7);
        bot.telegram.wait_for_confirmed().await;
        bot.until("what is to be sent", async |look| {
            (look.undelivered().await == 0).then_some(())
        })
        .await;
        assert_eq!(greetings(&bot, group, 1).await.len(), 1);
        // Thrown out and added again, it does.
        bot.telegram.kick(group, 7);
        bot.telegram.add(group, 7);
        assert_eq!(greetings(&bot, group, 2).await.len(), 2);
        bot.telegram.press(group, 7, "What I can do");
        assert!(greetings(&bot, group, 3).await[2].contains("/help memory"));
        bot.telegram.standing(group, 7, json!({ "status": "administrator" }));
        bot.telegram.press(group, 7, "Set me up");
        assert!(greetings(&bot, group, 4).await[3].contains("when_busy: follow_up"));
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn on_discord_the_bot_greets_a_server_that_it_joined_just_now_and_no_other() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let old = bot.discord.channel(bot.discord.guild("Old"), "general");
    let (guild, welcome) = bot.discord.add_to_guild("Team");
    let sent = bot.discord.wait_for_sent(welcome, 1).await.remove(0);
    assert!(sent.content.contains("Mention me or reply to me"), "{}", sent.content);
    bot.discord.joins(guild, welcome);
    let ada = bot.discord.user("Ada");
    let keeper = bot.discord.named_role(guild, "Keeper", 1 << 5);
    bot.discord.join(guild, ada, &[keeper]);
    for (label, told) in [("What I can do", "/help memory"), ("Set me up", "when_busy")] {
        let pressed = bot.discord.press(welcome, ada, &sent, label);
        let reply = bot.discord.wait_for_replies(pressed, 1).await.remove(0);
        assert!(reply.content.contains(told), "{}", reply.content);
    }
    let asks = format!("<@{}> hello", bot.discord.bot());
    for channel in [welcome, old] {
        bot.discord.user_says(channel, ada, &asks);
    }
    let sent = bot.discord.wait_for_sent(welcome, 2).await;
    assert!(sent[1].content.contains("You said:"), "{}", sent[1].content);
    let sent = bot.discord.wait_for_sent(old, 1).await;
    assert!(sent[0].content.contains("You said:"), "{}", sent[0].content);
    bot.finish().await;
}

#[tokio::test]
async fn where_strangers_are_not_heard_the_greeting_says_so() {
    let setup = Setup::on(Site::Telegram).set("channels.telegram.access", "pairing");
    let mut bot = setup.start().await;
    bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.add(group, 7);
    let greeting = greetings(&bot, group, 1).await.remove(0);
    assert!(greeting.contains("I answer people whom my owner knows"), "{greeting}");
    bot.finish().await;
}

#[tokio::test]
async fn a_greeting_that_a_dead_process_had_not_sent_is_sent_once() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.start().await;
        bot.telegram.user(7, "Ada");
        let group = bot.telegram.supergroup(-1_001_234, "Team");
        bot.telegram.fail_chat(group, Some(Fault::Drop));
        bot.telegram.add(group, 7);
        bot.until("the greeting to wait", async |look| {
            (look.undelivered().await == 1).then_some(())
        })
        .await;
        bot.kill().await;
        bot.telegram.fail_chat(group, None);
        bot.start().await;
        assert_eq!(greetings(&bot, group, 1).await.len(), 1);
        // The platform tells it again.
        bot.telegram.add(group, 7);
        bot.telegram.wait_for_confirmed().await;
        bot.until("everything to be sent", async |look| {
            (look.undelivered().await == 0).then_some(())
        })
        .await;
        bot.finish().await;
        assert_eq!(bot.telegram.sent(group).len(), 1);
    }
}
