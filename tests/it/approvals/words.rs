//! A question is answered in words: one word is the button, any other reply is what its person wants instead.

use clifford_core::runs::RunStatus;
use serde_json::{Value, json};

use super::{asking, kept, runs, said, started, tell};
use crate::{
    api_watch::{Watch, watched},
    harness::{Bot, Site},
};

/// Waits until the question is marked as delivered, so that a reply to it finds it.
async fn landed(bot: &Bot) {
    runs(bot, 1, RunStatus::Waiting).await;
    bot.until("the question to be marked", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
}

/// Whether the model was told, in the same run, that its person said this.
fn heard(bot: &Bot, words: &str) -> bool {
    let requests = bot.model.requests();
    let mut heard = requests.iter().flat_map(|request| request.messages().to_vec());
    heard.any(|message| {
        let text = message["content"].as_str().unwrap_or_default();
        text.contains("user_message") && text.contains(words)
    })
}

/// A token of somebody's own.
async fn token_of(bot: &Bot, person: &str) -> String {
    let args = [
        "token", "create", "--user", person, "--scope", "read", "--scope", "write", "--json",
    ];
    let made: Value = serde_json::from_str(&bot.command(&args).await).unwrap();
    made["token"].as_str().expect("a token").to_owned()
}

#[tokio::test]
async fn telegram_user_answers_a_question_in_a_word() {
    for (word, expected, remembered) in [
        ("Yes!", ["Approved: memory.put.", "I know now: tea."], 1),
        ("nein", ["Denied: memory.put.", "Then I will not."], 0),
    ] {
        for setup in [Some(asking(Site::Telegram)), asking(Site::Telegram).postgres()]
            .into_iter()
            .flatten()
        {
            let mut bot = started(setup).await;
            let chat = bot.telegram.user(7, "Ada");
            let question = tell(&bot, chat, 7, "Ada drinks tea").await;
            landed(&bot).await;
            bot.telegram.reply_to(chat, 7, word, question.message_id);
            let mut texts = said(&bot, chat, 3).await.split_off(1);
            texts.sort();
            assert_eq!(texts, expected);
            assert_eq!(kept(&bot).await, remembered);
            bot.finish().await;
        }
    }
}

#[tokio::test]
async fn a_reply_in_other_words_denies_the_call_and_is_what_the_person_wants_instead() {
    for setup in [Some(asking(Site::Telegram)), asking(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = started(setup).await;
        let chat = bot.telegram.user(7, "Ada");
        let question = tell(&bot, chat, 7, "Ada drinks tea").await;
        landed(&bot).await;
        bot.telegram.reply_to(chat, 7, "yes, but coffee", question.message_id);
        said(&bot, chat, 3).await;
        runs(&bot, 1, RunStatus::Completed).await;
        assert_eq!(kept(&bot).await, 0);
        assert!(heard(&bot, "yes, but coffee"));
        bot.finish().await;
    }
}

#[tokio::test]
async fn words_behind_the_command_are_what_the_person_wants_instead() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    landed(&bot).await;
    // A code that no question has is no word.
    let answer = tell(&bot, chat, 7, "/deny 0123456789ab").await.text;
    assert!(answer.starts_with("I don't know that question."), "{answer}");
    bot.telegram.user_says(chat, 7, "/deny only coffee");
    runs(&bot, 1, RunStatus::Completed).await;
    assert_eq!(kept(&bot).await, 0);
    assert!(heard(&bot, "only coffee"));
    bot.finish().await;
}

#[tokio::test]
async fn a_strangers_words_answer_nothing() {
    let mut bot = started(asking(Site::Telegram)).await;
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Eve");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let question = tell(&bot, group, 7, "@clifford_bot Ada drinks tea").await;
    landed(&bot).await;
    bot.telegram.reply_to(group, 8, "yes", question.message_id);
    let told = said(&bot, group, 2).await.remove(1);
    assert_eq!(told, super::NOT_THEIRS);
    runs(&bot, 1, RunStatus::Waiting).await;
    // Hers is a message like any other.
    bot.telegram.reply_to(group, 8, "no, wine", question.message_id);
    said(&bot, group, 3).await;
    assert_eq!(kept(&bot).await, 0);
    let waits = bot.look().await.runs().await.into_iter();
    assert_eq!(waits.filter(|run| run.status == RunStatus::Waiting).count(), 1);
    bot.telegram.reply_to(group, 7, "ja", question.message_id);
    bot.until("the call", async |look| {
        (look.count("memory_items").await == 1).then_some(())
    })
    .await;
    bot.finish().await;
}

#[tokio::test]
async fn words_that_answer_no_question_approve_nothing() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Ada drinks tea").await;
    landed(&bot).await;
    assert_eq!(tell(&bot, chat, 7, "yes").await.text, "You said: yes");
    assert_eq!(kept(&bot).await, 0);
    bot.finish().await;
}

#[tokio::test]
async fn discord_user_answers_a_question_in_a_word() {
    let mut bot = started(asking(Site::Discord)).await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    bot.discord.user_says(dm, user, "Ada drinks tea");
    let question = bot.discord.wait_for_sent(dm, 1).await.remove(0);
    landed(&bot).await;
    bot.discord.user_replies(dm, user, question.id, "oui");
    runs(&bot, 1, RunStatus::Completed).await;
    assert_eq!(kept(&bot).await, 1);
    bot.finish().await;
}

#[tokio::test]
async fn on_discord_a_reply_in_other_words_is_what_the_person_wants_instead() {
    for setup in [Some(asking(Site::Discord)), asking(Site::Discord).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = started(setup).await;
        let user = bot.discord.user("Ada");
        let dm = bot.discord.dm(user);
        bot.discord.user_says(dm, user, "Ada drinks tea");
        let question = bot.discord.wait_for_sent(dm, 1).await.remove(0);
        landed(&bot).await;
        bot.discord.user_replies(dm, user, question.id, "yes, but coffee");
        runs(&bot, 1, RunStatus::Completed).await;
        assert_eq!(kept(&bot).await, 0);
        assert!(heard(&bot, "yes, but coffee"));
        bot.finish().await;
    }
}

#[tokio::test]
async fn on_discord_a_strangers_words_answer_nothing() {
    let mut bot = started(asking(Site::Discord)).await;
    let (ada, eve) = (bot.discord.user("Ada"), bot.discord.user("Eve"));
    let guild = bot.discord.guild("Team");
    let channel = bot.discord.channel(guild, "general");
    bot.discord.join(guild, ada, &[]);
    bot.discord.join(guild, eve, &[]);
    let asks = format!("<@{}> Ada drinks tea", bot.discord.bot());
    bot.discord.user_says(channel, ada, &asks);
    let question = bot.discord.wait_for_sent(channel, 1).await.remove(0);
    landed(&bot).await;
    bot.discord.user_replies(channel, eve, question.id, "yes");
    let told = bot.discord.wait_for_sent(channel, 2).await.remove(1);
    assert!(told.content.contains(super::NOT_THEIRS), "{}", told.content);
    runs(&bot, 1, RunStatus::Waiting).await;
    assert_eq!(kept(&bot).await, 0);
    bot.discord.user_replies(channel, ada, question.id, "ja");
    runs(&bot, 1, RunStatus::Completed).await;
    assert_eq!(kept(&bot).await, 1);
    bot.finish().await;
}

#[tokio::test]
async fn by_the_api_the_run_goes_on_with_the_words_of_its_person_alone() {
    for setup in [Some(asking(Site::Telegram)), asking(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = started(watched(setup)).await;
        let (ada, bob) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Bob"));
        tell(&bot, bob, 8, "hello").await;
        tell(&bot, ada, 7, "Ada drinks tea").await;
        let run = bot
            .until("the run to wait", async |look| {
                let mut runs = look.runs().await.into_iter();
                runs.find(|run| run.status == RunStatus::Waiting)
            })
            .await;
        let (hers, his) = (token_of(&bot, "telegram:7").await, token_of(&bot, "telegram:8").await);
        let api = Watch::on(&bot);
        let confirm = format!("/api/runs/{}/confirm", run.id);
        let words = |decision: &str| json!({"decision": decision, "words": "yes, but coffee"}).to_string();
        assert_eq!(api.post_as(&his, &confirm, words("deny")).await.0, 404);
        assert_eq!(api.post_as(&hers, &confirm, words("approve")).await.0, 422);
        assert_eq!(api.post_as(&hers, &confirm, words("deny")).await.0, 202);
        said(&bot, ada, 2).await;
        runs(&bot, 2, RunStatus::Completed).await;
        assert_eq!(kept(&bot).await, 0);
        assert!(heard(&bot, "yes, but coffee"));
        assert_eq!(api.post_as(&hers, &confirm, words("deny")).await.0, 409);
        bot.finish().await;
    }
}
