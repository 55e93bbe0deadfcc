//! Groups and servers of people whom the bot does not know: they are told, and the owner lets them in by a press.

use clifford_fakes::telegram::Chat;
use serde_json::json;

use super::{ADA, on_telegram, owned, reads, sent};
use crate::harness::{Bot, Room, Setup, Site};

const KNOWN: &str = "I only answer people whom my owner knows.";

/// A group in which somebody addressed the bot whom it does not know.
async fn asked(bot: &Bot) -> Chat {
    bot.telegram.user(8, "Eve *");
    let group = bot.telegram.supergroup(-1_001_234, "Family");
    bot.telegram.user_says(group, 8, "@clifford_bot my secret is 4711");
    let told = sent(bot, group, 1).await.remove(0).text;
    assert_eq!(
        told,
        format!("{KNOWN} I have asked my owner whether I may answer everybody here.")
    );
    group
}

#[tokio::test]
async fn telegram_owner_lets_a_whole_group_in_by_a_press() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let (mut bot, _) = owned(setup, Site::Telegram).await;
        let group = asked(&bot).await;
        let notice = sent(&bot, ADA, 2).await.remove(1);
        let begins = "Eve * addressed me in Family (telegram:-1001234), where I answer only people";
        assert!(
            notice.text.starts_with(begins) && !notice.text.contains("4711"),
            "{}",
            notice.text
        );
        // Once a day is enough, whoever asks; and what does not address the bot is nobody's business.
        bot.telegram.user(9, "Eva");
        bot.telegram.user_says(group, 9, "@clifford_bot hello?");
        bot.telegram.user_says(group, 8, "is it deaf?");
        bot.telegram.wait_for_confirmed().await;
        bot.telegram.press(ADA, 7, "Everybody there");
        reads(&bot, ADA, "\u{2705} Everybody there may talk to me: Ada decided so.").await;
        reads(&bot, group, "My owner has let everybody here talk to me.").await;
        bot.telegram.user_says(group, 9, "@clifford_bot now?");
        reads(&bot, group, "You said: [Eva] now?").await;
        // In private they are strangers as before.
        let eva = Chat { id: 9, thread: None };
        bot.telegram.user_says(eva, 9, "and here?");
        assert!(
            sent(&bot, eva, 1).await[0]
                .text
                .contains("I only talk to people whom my owner knows.")
        );
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
        assert_eq!(bot.telegram.sent(group).len(), 3);
        let prompts: Vec<_> = bot
            .model
            .requests()
            .iter()
            .map(|request| request.body.to_string())
            .collect();
        assert!(prompts.len() == 1 && !prompts[0].contains("4711"));
    }
}

#[tokio::test]
async fn managers_of_a_group_that_is_let_in_set_it_up_before_they_are_known() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let (mut bot, _) = owned(setup, Site::Telegram).await;
        let group = asked(&bot).await;
        bot.telegram.user(9, "Eva");
        (bot.telegram).standing(group, 8, json!({ "status": "administrator" }));
        sent(&bot, ADA, 2).await;
        bot.telegram.press(ADA, 7, "Everybody there");
        reads(&bot, group, "My owner has let everybody here talk to me.").await;
        bot.telegram.user_says(group, 9, "/settings@clifford_bot");
        reads(&bot, group, "Only people who manage this place can see").await;
        bot.telegram.user_says(group, 8, "/settings@clifford_bot");
        reads(&bot, group, "when_busy: follow_up").await;
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_group_that_the_owner_leaves_as_it_is_is_asked_about_no_more() {
    let mut bot = on_telegram().await;
    let group = asked(&bot).await;
    sent(&bot, ADA, 2).await;
    bot.telegram.press(ADA, 7, "Leave it so");
    reads(&bot, ADA, "\u{274c} It stays as it is: Ada decided so.").await;
    reads(&bot, ADA, "In Family I go on answering only people whom I know").await;
    bot.telegram.user_says(group, 8, "@clifford_bot hello?");
    bot.telegram.wait_for_confirmed().await;
    // The owner is known everywhere, and changes it by words.
    bot.telegram.user_says(group, 7, "@clifford_bot hello");
    reads(&bot, group, "You said: [Ada] hello").await;
    bot.telegram.user_says(ADA, 7, "/pair everybody telegram:-1001234");
    reads(&bot, group, "My owner has let everybody here talk to me.").await;
    bot.telegram.user_says(group, 8, "@clifford_bot now?");
    reads(&bot, group, "You said: [Eve *] now?").await;
    // Nobody else decides that.
    bot.telegram.user_says(group, 8, "/pair nobody telegram:-1001234");
    reads(&bot, group, "Only an owner of mine decides who may talk to me.").await;
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
    assert_eq!(bot.telegram.sent(group).len(), 5);
}

#[tokio::test]
async fn discord_owner_lets_a_server_in_whose_people_are_told_by_command_as_well() {
    let (mut bot, ada) = owned(Setup::on(Site::Discord), Site::Discord).await;
    let Room::Discord { channel, user } = ada else {
        unreachable!("a room on Discord")
    };
    let (eve, guild) = (bot.discord.user("Eve"), bot.discord.guild("Home"));
    let general = bot.discord.channel(guild, "general");
    // A command waits for an answer, and gets one.
    let tell = async |name: &str, options: &[(&str, &str)]| {
        let id = bot.discord.interaction(general, eve, name, options);
        bot.discord.wait_for_acknowledgement(id).await;
        bot.discord.wait_for_replies(id, 1).await.remove(0).content
    };
    let told = tell("ask", &[("text", "hello")]).await;
    assert_eq!(
        told,
        format!("{KNOWN} I have asked my owner whether I may answer everybody here.")
    );
    assert_eq!(tell("whoami", &[]).await, KNOWN);
    let notice = bot.discord.wait_for_sent(channel, 2).await.remove(1);
    assert!(
        notice.content.starts_with("**Eve** addressed me in **Home**"),
        "{}",
        notice.content
    );
    bot.discord.press(channel, user, &notice, "Everybody there");
    bot.discord
        .wait_for("the server to be told", |fake| {
            let sent = fake.sent(general);
            (sent
                .iter()
                .any(|sent| sent.content.contains("let everybody here talk to me")))
            .then_some(())
        })
        .await;
    bot.discord
        .user_says(general, eve, &format!("<@{}> now?", bot.discord.bot()));
    bot.discord
        .wait_for("the answer", |fake| {
            let sent = fake.sent(general);
            (sent.iter().any(|sent| sent.content == "You said: [Eve] now?")).then_some(())
        })
        .await;
    bot.finish().await;
}
