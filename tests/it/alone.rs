//! Commands of a person's own in a group of Telegram: nobody else sees them, nor what is answered.

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
