//! Feedback on answers by reactions and buttons, status reactions of the bot, and the use of both.

use std::time::Duration;

use clifford_fakes::{
    discord::{Fault as Lost, Route},
    telegram::{Chat, Fault, Method},
};
use serde_json::{Value, json};

use crate::harness::{Bot, Setup, Site};

const UP: &str = "\u{1f44d}";
const DOWN: &str = "\u{1f44e}";

/// The verdicts, as they stand: `liked` or `disliked` and their way, in the order of the answers.
async fn stand(bot: &Bot, expected: &[&str]) {
    bot.until("the verdicts", async |look| {
        let sql = "SELECT verdict || ' ' || given_by FROM run_feedback ORDER BY run_id, given_at";
        (look.texts(sql).await == expected).then_some(())
    })
    .await;
}

/// Waits until all that was sent is known to be: a reaction in that very moment would find no answer.
async fn landed(bot: &Bot) {
    bot.until("the delivery", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
}

/// Asks on Telegram, and returns the id of the answer.
async fn answer(bot: &Bot, chat: Chat, user: i64, text: &str) -> i64 {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.user_says(chat, user, text);
    bot.telegram.wait_for_sent(chat, before + 1).await[before].message_id
}

#[tokio::test]
async fn a_thumb_on_telegram_is_kept_with_the_run_until_it_is_taken_back() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.telegram.user(7, "Ada");
    let question = bot.telegram.user_says(ada, 7, "hello");
    let first = bot.telegram.wait_for_sent(ada, 1).await[0].message_id;
    landed(&bot).await;
    // A thumb on one's own words is no verdict.
    bot.telegram.reacts(ada, 7, question, &[DOWN]);
    bot.telegram.reacts(ada, 7, first, &[UP]);
    stand(&bot, &["liked reaction"]).await;
    bot.telegram.reacts(ada, 7, first, &[DOWN]);
    stand(&bot, &["disliked reaction"]).await;
    bot.telegram.reacts(ada, 7, first, &["\u{2764}"]);
    stand(&bot, &[]).await;
    bot.telegram.reacts(ada, 7, first, &[DOWN]);
    stand(&bot, &["disliked reaction"]).await;
    bot.finish().await;

    let run = bot.look().await.run().await.id.to_string();
    let shown = bot.command(&["runs", "show", &run]).await;
    assert!(shown.lines().any(|line| line.starts_with("disliked by ")), "{shown}");
    let shown: Value = serde_json::from_str(&bot.command(&["runs", "show", &run, "--json"]).await).unwrap();
    assert_eq!(shown["feedback"][0]["verdict"], "disliked");
    let usage = bot.command(&["usage"]).await;
    assert!(usage.contains("answers liked: 0, disliked: 1"), "{usage}");
    let usage: Value = serde_json::from_str(&bot.command(&["usage", "--json"]).await).unwrap();
    assert_eq!(usage["feedback"], json!({"liked": 0, "disliked": 1}));
    assert_eq!(usage["usage"][0]["calls"], 1);

    // It becomes a golden task once.
    let file = tempfile::tempdir().unwrap();
    let file = file.path().join("own.jsonl").display().to_string();
    for expected in ["added 1 to ", "no answer was disliked that has no task yet"] {
        let told = bot.command(&["eval", &file, "--add-disliked"]).await;
        assert!(told.starts_with(expected), "{told}");
    }
    let task: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let expected = json!({
        "name": format!("disliked {run}"), "turns": ["hello"], "expect": {"answer_lacks": ["You said: hello"]},
    });
    assert_eq!(task, expected);
}

#[tokio::test]
async fn a_thumb_that_comes_before_the_answer_is_known_to_be_sent_counts() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.start().await;
        let ada = bot.telegram.user(7, "Ada");
        // Telegram shows the message to people before it tells the bot its id.
        bot.telegram
            .fail_next(Method::SendMessage, Fault::SlowAfter(Duration::from_millis(700)));
        let id = answer(&bot, ada, 7, "hello").await;
        bot.telegram.reacts(ada, 7, id, &[UP]);
        stand(&bot, &["liked reaction"]).await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_thumb_on_discord_that_comes_before_the_answer_is_known_to_be_sent_counts() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let channel = bot.discord.channel(bot.discord.guild("Team"), "general");
    // Discord took the message, and its answer is lost: people see it before the bot knows its id.
    bot.discord.fail_next(Route::SendMessage, Lost::DropAfter);
    bot.discord.user_says(channel, ada, "Clifford hello");
    let sent = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    bot.discord.reacts(channel, ada, sent.id, UP, true);
    stand(&bot, &["liked reaction"]).await;
    bot.finish().await;
    assert_eq!(bot.discord.sent(channel).len(), 1);
}

#[tokio::test]
async fn in_a_group_those_count_who_may_use_the_bot() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "allowlist")
        .set("channels.telegram.allow", vec![7, 8])
        .start()
        .await;
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    for (id, name) in [(7, "Ada"), (8, "Ben"), (9, "Eve")] {
        bot.telegram.user(id, name);
    }
    let id = answer(&bot, group, 7, "Clifford hello").await;
    landed(&bot).await;
    // A bot that is no administrator hears of no reaction.
    bot.telegram.reacts(group, 7, id, &[UP]);
    bot.telegram.standing(
        group,
        clifford_fakes::telegram::TelegramFake::BOT_ID,
        json!({"status": "administrator"}),
    );
    bot.telegram.reacts(group, 9, id, &[DOWN]);
    bot.telegram.reacts(group, 8, id, &[UP]);
    stand(&bot, &["liked reaction"]).await;
    bot.finish().await;
}

#[tokio::test]
async fn a_thumb_on_discord_is_kept_and_taken_back() {
    let mut bot = Setup::on(Site::Discord).start().await;
    let ada = bot.discord.user("Ada");
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    bot.discord.user_says(channel, ada, "Clifford hello");
    let sent = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    landed(&bot).await;
    bot.discord.reacts(channel, ada, sent.id, UP, true);
    stand(&bot, &["liked reaction"]).await;
    bot.discord.reacts(channel, ada, sent.id, DOWN, true);
    stand(&bot, &["disliked reaction"]).await;
    // The thumb up is no verdict any more: taking it back changes nothing.
    bot.discord.reacts(channel, ada, sent.id, UP, false);
    bot.discord.reacts(channel, ada, sent.id, DOWN, false);
    stand(&bot, &[]).await;
    bot.finish().await;
}

#[tokio::test]
async fn buttons_below_an_answer_ask_whether_it_is_good() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.feedback_buttons", true)
        .start()
        .await;
    let ada = bot.telegram.user(7, "Ada");
    answer(&bot, ada, 7, "hello").await;
    let labels: Vec<_> = bot.telegram.sent(ada)[0]
        .buttons
        .iter()
        .map(|(label, _)| label.clone())
        .collect();
    assert_eq!(labels, [UP, DOWN]);
    let query = bot.telegram.press(ada, 7, DOWN);
    bot.telegram
        .wait_until("the thanks", |fake| fake.told(&query).map(drop))
        .await;
    assert_eq!(bot.telegram.told(&query).as_deref(), Some("Thank you. That was noted."));
    stand(&bot, &["disliked button"]).await;
    // A reaction says it anew.
    bot.telegram.reacts(ada, 7, bot.telegram.sent(ada)[0].message_id, &[UP]);
    stand(&bot, &["liked reaction"]).await;
    bot.finish().await;
    assert_eq!(bot.telegram.sent(ada).len(), 1);
}

#[tokio::test]
async fn buttons_below_an_answer_on_discord_ask_whether_it_is_good() {
    let mut bot = Setup::on(Site::Discord)
        .set("channels.discord.feedback_buttons", true)
        .start()
        .await;
    let ada = bot.discord.user("Ada");
    let channel = bot.discord.dm(ada);
    bot.discord.user_says(channel, ada, "hello");
    let sent = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    let labels: Vec<_> = sent.buttons.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(labels, [UP, DOWN]);
    landed(&bot).await;
    let pressed = bot.discord.press(channel, ada, &sent, UP);
    bot.discord.wait_for_acknowledgement(pressed).await;
    stand(&bot, &["liked button"]).await;
    bot.finish().await;
}

#[tokio::test]
async fn marks_on_a_message_show_how_far_the_bot_is() {
    let mut bot = Setup::on(Site::Telegram)
        .and(Site::Discord)
        .set("channels.telegram.feedback", "reaction")
        .set("channels.discord.feedback", "reaction")
        .start()
        .await;
    let ada = bot.telegram.user(7, "Ada");
    let (user, guild) = (bot.discord.user("Ada"), bot.discord.guild("Team"));
    let channel = bot.discord.channel(guild, "general");
    let hold = bot.model.hold();
    let (first, there) = (
        bot.telegram.user_says(ada, 7, "hello"),
        bot.discord.user_says(channel, user, "Clifford hello"),
    );
    let marked = async |message: i64, expected: &[&str]| {
        bot.telegram
            .wait_until("the marks", |fake| (fake.marks(ada, message) == expected).then_some(()))
            .await;
    };
    let marked_there = async |expected: &[&str]| {
        bot.discord
            .wait_for("the marks", |fake| {
                (fake.marks(channel, there) == expected).then_some(())
            })
            .await;
    };
    marked(first, &["\u{270d}"]).await;
    marked_there(&["\u{23f3}"]).await;
    let second = bot.telegram.user_says(ada, 7, "and again");
    marked(second, &["\u{1f440}"]).await;
    hold.release();
    marked(first, &["\u{270d}", "\u{1f44c}"]).await;
    marked(second, &["\u{1f440}", "\u{270d}", "\u{1f44c}"]).await;
    marked_there(&["\u{2705}"]).await;
    // One that is stopped.
    let hold = bot.model.hold();
    let third = bot.telegram.user_says(ada, 7, "never mind");
    marked(third, &["\u{270d}"]).await;
    bot.telegram.command(ada, 7, "stop", "");
    marked(third, &["\u{270d}", "\u{1f494}"]).await;
    hold.release();
    bot.finish().await;
    assert_eq!(bot.telegram.actions(ada), []);
}
