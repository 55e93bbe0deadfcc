//! Buttons and completion in a chat: pressing is giving the command, for those who may give it.

use clifford_fakes::{
    discord::DiscordFake,
    telegram::{Chat, TelegramFake},
};

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::Prompt,
};

/// Says something on Telegram, or gives a command, and returns the answer.
async fn tell(bot: &Bot, chat: Chat, user: i64, text: &str) -> clifford_fakes::telegram::Sent {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.user_says(chat, user, text);
    bot.telegram.wait_for_sent(chat, before + 1).await.remove(before)
}

fn labels(buttons: &[(String, String)]) -> Vec<&str> {
    buttons.iter().map(|(label, _)| label.as_str()).collect()
}

#[tokio::test]
async fn telegram_user_presses_a_conversation_and_is_in_it_again() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "about cats").await;
    tell(&bot, chat, 7, "/new Trip").await;
    tell(&bot, chat, 7, "about trains").await;
    let list = tell(&bot, chat, 7, "/contexts").await;
    assert_eq!(labels(&list.buttons), ["Trip", "about cats"]);
    let before = bot.telegram.sent(chat).len();
    let query = bot.telegram.press(chat, 7, "about cats");
    let sent = bot.telegram.wait_for_sent(chat, before + 1).await;
    assert_eq!(sent[before].text, "Going on with about cats.");
    // Delivered again, it acts no second time, and is answered all the same.
    bot.telegram.press_again(&query);
    bot.telegram
        .wait_until("the second answer", |fake: &TelegramFake| {
            (fake.answers(&query) == 2).then_some(())
        })
        .await;
    bot.telegram.wait_for_confirmed().await;
    assert_eq!(tell(&bot, chat, 7, "more").await.text, "You said: more");
    assert_eq!(bot.telegram.sent(chat).len(), before + 2);
    // A button of long ago says what is wrong with it.
    bot.telegram
        .press_old(chat, 7, "switch 0192d2a4-0000-7000-8000-000000000000");
    let sent = bot.telegram.wait_for_sent(chat, before + 3).await;
    assert_eq!(
        sent[before + 2].text,
        "I can't find a conversation 0192d2a4-0000-7000-8000-000000000000 here. /contexts lists them."
    );
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
    let last = bot.model.requests().pop().unwrap();
    assert_eq!(
        Prompt::read(&last).conversation(),
        ["about cats", "You said: about cats"]
    );
}

#[tokio::test]
async fn a_press_below_a_message_of_a_topic_that_telegram_tells_nothing_of_is_answered_in_the_topic() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.telegram.user(7, "Ada");
    let forum = bot.telegram.forum(-1_001_234, "Engines");
    let topic = bot.telegram.topic(forum, "Steam");
    let asked = tell(&bot, topic, 7, "/help@clifford_bot").await;
    bot.until("the delivery", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
    bot.telegram.press_below_old(forum, 7, asked.message_id, "usage");
    let answer = bot.telegram.wait_for_sent(topic, 2).await.remove(1);
    assert!(answer.text.contains("today"), "{answer:?}");
    bot.finish().await;
    assert_eq!(bot.telegram.sent(forum), []);
}

#[tokio::test]
async fn discord_user_presses_a_conversation_and_is_in_it_again() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let user = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    let tell = async |name: &str, options: &[(&str, &str)]| {
        let id = bot.discord.interaction(channel, user, name, options);
        bot.discord.wait_for_replies(id, 1).await.remove(0)
    };
    tell("ask", &[("text", "about cats")]).await;
    tell("new", &[("name", "Trip")]).await;
    let list = tell("contexts", &[]).await;
    assert_eq!(labels(&list.buttons), ["Trip", "about cats"]);
    let id = bot.discord.press(channel, user, &list, "about cats");
    assert!(bot.discord.wait_for_acknowledgement(id).await.as_secs() < 3);
    let answer = bot.discord.wait_for_replies(id, 1).await.remove(0);
    assert_eq!(answer.content, "Going on with **about cats**.");
    tell("ask", &[("text", "more")]).await;
    bot.finish().await;
    let last = bot.model.requests().pop().unwrap();
    assert_eq!(
        Prompt::read(&last).conversation(),
        ["[Ada] about cats", "You said: [Ada] about cats"]
    );
}

#[tokio::test]
async fn a_strangers_press_does_nothing_and_is_answered() {
    let setup = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "allowlist")
        .set("channels.telegram.allow", vec![toml::Value::from("7")]);
    let mut bot = setup.start().await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Eve");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    tell(&bot, group, 7, "/new@clifford_bot Trip").await;
    tell(&bot, group, 7, "/new@clifford_bot Home").await;
    tell(&bot, group, 7, "/contexts@clifford_bot").await;
    let messages = bot.look().await.count("messages").await;
    let query = bot.telegram.press(group, 8, "Trip");
    bot.telegram.wait_for_answers().await;
    bot.telegram.wait_for_confirmed().await;
    assert_eq!((bot.telegram.answers(&query), bot.telegram.sent(group).len()), (1, 3));
    let look = bot.look().await;
    assert_eq!(look.count("messages").await, messages);
    // Anyone who may speak there may press another's button.
    bot.telegram.press(group, 7, "Trip");
    let sent = bot.telegram.wait_for_sent(group, 4).await;
    assert_eq!(sent[3].text, "Going on with Trip.");
    bot.finish().await;
}

#[tokio::test]
async fn nothing_is_completed_for_a_stranger() {
    let mut bot = Setup::on(Site::Discord)
        .set("channels.discord.access", "pairing")
        .prepare()
        .await;
    let ada = bot.discord.user("Ada");
    let eve = bot.discord.user("Eve");
    bot.start().await;
    let id = bot.discord.types(bot.discord.dm(eve), eve, "switch", "name", "");
    assert_eq!(bot.discord.wait_for_choices(id).await, []);
    let id = bot.discord.types(bot.discord.dm(ada), ada, "forget", "key", "");
    assert_eq!(bot.discord.wait_for_choices(id).await, []);
    bot.finish().await;
}

#[tokio::test]
async fn discord_user_sees_their_conversations_while_typing() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    let tell = async |name: &str, options: &[(&str, &str)]| {
        let id = bot.discord.interaction(dm, user, name, options);
        bot.discord.wait_for_replies(id, 1).await.remove(0).content
    };
    tell("new", &[("name", "Trip to Rome")]).await;
    tell("new", &[("name", "Rome")]).await;
    tell("new", &[("name", "Paris")]).await;
    let typed = async |text: &str| {
        let id = bot.discord.types(dm, user, "switch", "name", text);
        bot.discord.wait_for_choices(id).await
    };
    let choices = typed("rom").await;
    assert_eq!(labels(&choices), ["Rome", "Trip to Rome"]);
    assert_eq!(typed("London").await, []);
    let answer = tell("switch", &[("name", &choices[1].1)]).await;
    assert_eq!(answer, "Going on with **Trip to Rome**.");
    let registered = bot
        .discord
        .wait_for("commands", |fake: &DiscordFake| {
            Some(fake.commands(None)).filter(|all| !all.is_empty())
        })
        .await;
    let mut completing: Vec<_> = registered
        .iter()
        .filter(|command| command["options"][0]["autocomplete"] == true)
        .map(|command| command["name"].as_str().unwrap())
        .collect();
    completing.sort_unstable();
    let expected = [
        "approve",
        "continue",
        "deny",
        "forget",
        "help",
        "model",
        "pin",
        "private",
        "reminders",
        "settings",
        "share",
        "switch",
    ];
    assert_eq!(completing, expected);
    bot.finish().await;
}

/// Presses what a question asks for on Telegram, and returns the question as it reads then: it is changed in place.
async fn settled(bot: &Bot, chat: Chat, user: i64, question: &clifford_fakes::telegram::Sent) -> String {
    let [(label, _)] = &question.buttons[..] else {
        panic!("one button: {question:?}")
    };
    let before = bot.telegram.sent(chat).len();
    bot.telegram.press(chat, user, label);
    let changed = |fake: &TelegramFake| {
        let sent = fake.sent(chat).into_iter();
        let mut changed = sent.filter(|sent| sent.message_id == question.message_id && sent.edits > 0);
        changed.next()
    };
    let settled = bot.telegram.wait_until("the settled question", changed).await;
    assert_eq!((settled.buttons.len(), bot.telegram.sent(chat).len()), (0, before));
    settled.text
}

#[tokio::test]
async fn a_question_that_telegram_user_answers_by_its_button_says_what_came_of_it() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.start().await;
        let (ada, other) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Ada"));
        tell(&bot, ada, 7, "hello").await;
        let user = bot.look().await.run().await.user_id.unwrap();
        bot.look().await.remember(user, "preferences", "drink", "oolong").await;
        let question = tell(&bot, ada, 7, "/forget all").await;
        let told = settled(&bot, ada, 7, &question).await;
        assert_ne!(told, question.text);
        let left = "SELECT COUNT(*) FROM memory_items WHERE value = 'oolong'";
        assert_eq!(bot.look().await.number(left).await, 0);

        let code = tell(&bot, ada, 7, "/link").await.text;
        let (_, code) = code.split_once("/link ").unwrap();
        let question = tell(&bot, other, 8, &format!("/link {}", &code[..8])).await;
        settled(&bot, other, 8, &question).await;
        let people = "SELECT COUNT(DISTINCT user_id) FROM identities";
        assert_eq!(bot.look().await.number(people).await, 1);
        let question = tell(&bot, other, 8, "/unlink").await;
        settled(&bot, other, 8, &question).await;
        assert_eq!(bot.look().await.number(people).await, 2);

        let question = tell(&bot, ada, 7, "/erase").await;
        settled(&bot, ada, 7, &question).await;
        bot.until("the erasure", async |look| {
            (look
                .number("SELECT COUNT(*) FROM jobs WHERE kind = 'erase' AND status = 'done'")
                .await
                == 1)
                .then_some(())
        })
        .await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_question_that_discord_user_answers_by_its_button_says_what_came_of_it() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let dm = bot.discord.dm(ada);
    let asked = bot.discord.interaction(dm, ada, "erase", &[]);
    let question = bot.discord.wait_for_replies(asked, 1).await.remove(0);
    let pressed = bot.discord.press(dm, ada, &question, "Delete everything");
    let settled = bot.discord.wait_for_replies(pressed, 1).await.remove(0);
    assert_eq!((settled.id, settled.buttons.len()), (question.id, 0));
    assert_ne!(settled.content, question.content);
    bot.finish().await;
}
