//! Words for one person alone where others read along: their own commands in a group of Telegram, which nobody else
//! sees, nor the answers; and what they told the bot in private.

use crate::harness::{Setup, Site};

#[tokio::test]
async fn what_is_of_a_person_alone_is_given_and_answered_unseen_by_the_group() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.start().await;
        bot.telegram.user(7, "Ada");
        let group = bot.telegram.supergroup(-1_001_234, "Team");
        let menu = bot
            .telegram
            .wait_until("the menus", |fake| {
                Some(fake.commands_alone("all_chat_administrators")).filter(|menu| !menu.is_empty())
            })
            .await;
        for (name, expected) in [
            ("whoami", true),
            ("memory", true),
            ("new", false),
            ("settings", false),
            ("ask", false),
        ] {
            assert_eq!(menu.iter().any(|known| known == name), expected, "{name}");
        }
        assert!(bot.telegram.commands_alone("all_private_chats").is_empty());

        bot.telegram.command_alone(group, 7, "/whoami");
        let told = bot.telegram.wait_for_sent(group, 1).await.remove(0);
        assert_eq!(told.only_for, Some(7), "{told:?}");
        bot.telegram.command_alone(group, 7, "/help");
        let help = bot.telegram.wait_for_sent(group, 2).await.remove(1);
        assert_eq!(help.only_for, Some(7), "{help:?}");
        // So is what is pressed below it.
        bot.telegram.press(group, 7, "Conversations");
        let topic = bot.telegram.wait_for_sent(group, 3).await.remove(2);
        assert_eq!(topic.only_for, Some(7), "{topic:?}");
        assert!(topic.text.contains("/contexts"), "{topic:?}");
        bot.telegram.wait_for_answers().await;
        // Where a client or a server does not know that, the command is one as before.
        bot.telegram.command(group, 7, "whoami", "");
        let told = bot.telegram.wait_for_sent(group, 4).await.remove(3);
        assert_eq!(told.only_for, None, "{told:?}");
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_command_that_nobody_else_sees_is_refused_as_such() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "allowlist")
        .set("channels.telegram.allow", vec!["7"])
        .start()
        .await;
    bot.telegram.user(8, "Eve");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    bot.telegram.command_alone(group, 8, "/whoami");
    let told = bot.telegram.wait_for_sent(group, 1).await.remove(0);
    assert_eq!(
        (told.text.as_str(), told.only_for),
        ("I only answer people whom my owner knows.", Some(8))
    );
    bot.finish().await;
    assert_eq!(bot.look().await.count("messages").await, 0);
}

#[tokio::test]
async fn in_a_private_channel_of_people_nothing_is_known_that_one_of_them_told_in_private() {
    let mut bot = Setup::on(Site::Discord)
        .set("channels.discord.access", "open")
        .start()
        .await;
    let (ada, bob) = (bot.discord.user("Ada"), bot.discord.user("Bob"));
    let direct = bot.discord.dm(ada);
    bot.discord.user_says(direct, ada, "my secret is PINEAPPLE");
    bot.discord.wait_for_sent(direct, 1).await;
    let theirs = bot.discord.private_channel(bob);
    let asked = bot.discord.asks_elsewhere(theirs, ada, "what do you know?");
    let replies = bot.discord.wait_for_replies(asked, 1).await;
    assert_eq!(replies[0].content, "You said: [Ada] what do you know?");
    let request = bot.model.requests().pop().unwrap();
    let prompt = format!("{}{}", request.text(0), request.text(1));
    assert!(!prompt.contains("PINEAPPLE"), "{prompt}");
    bot.finish().await;
    let shared = bot
        .look()
        .await
        .channels()
        .await
        .into_iter()
        .filter(|channel| !channel.is_private());
    assert_eq!(shared.count(), 1);
}
