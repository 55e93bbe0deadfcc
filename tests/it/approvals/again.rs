//! The same question is not asked twice in a conversation, unless its person asks for the call anew.

use clifford_core::runs::RunStatus;
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::json;

use super::{asking, kept, runs, said, tell};
use crate::{
    harness::{Bot, Site},
    scripted_model::{self, Prompt},
};

/// Remembers that tea is drunk, whatever it is told; says so if it was denied.
fn insists(request: &RecordedRequest) -> Reply {
    if let Some(memory) = scripted_model::memory(request) {
        return Reply::json(&memory);
    }
    let text = |message: &serde_json::Value| message["content"].as_str().unwrap_or_default().to_owned();
    let last = request.messages().last().map(text).unwrap_or_default();
    let has_replied = request.messages().iter().any(|message| message["role"] == "assistant");
    Reply::json(&match Prompt::read(request).input() {
        "hello" => json!({"type": "finish", "output": "Hello."}),
        _ if last.contains("already denied") => json!({"type": "finish", "output": "That stays undone."}),
        _ if last.contains("denied") => json!({"type": "finish", "output": "Then I will not."}),
        _ if !has_replied => json!({"type": "tool_call", "name": "memory.put",
            "args": {"module": "preferences", "key": "drink", "value": "tea"}}),
        _ => json!({"type": "finish", "output": "It is kept."}),
    })
}

/// The bot's next message, but for the note that an answer was taken.
async fn denied(bot: &Bot, chat: clifford_fakes::telegram::Chat, before: usize) {
    bot.telegram.press(chat, 7, "Deny");
    let mut texts = said(bot, chat, before + 2).await.split_off(before);
    texts.sort();
    assert_eq!(texts, ["Denied: memory.put.", "Then I will not."]);
}

#[tokio::test]
async fn what_was_denied_is_asked_again_only_if_its_person_says_it_anew() {
    for setup in [Some(asking(Site::Telegram)), asking(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.prepare().await;
        bot.model.respond_with(insists);
        let chat = bot.telegram.user(7, "Ada");
        bot.start().await;
        let question = tell(&bot, chat, 7, "Remember what I like").await;
        assert_eq!(question.buttons.len(), 2, "{}", question.text);
        denied(&bot, chat, 1).await;
        assert_eq!(tell(&bot, chat, 7, "Please go on").await.text, "That stays undone.");
        // Neither a restart nor another request makes it a new question.
        bot.until("all to be delivered", async |look| {
            (look.undelivered().await == 0).then_some(())
        })
        .await;
        bot.kill().await;
        bot.start().await;
        assert_eq!(tell(&bot, chat, 7, "hello").await.text, "Hello.");
        assert_eq!(tell(&bot, chat, 7, "And now?").await.text, "That stays undone.");
        assert_eq!(kept(&bot).await, 0);
        let question = tell(&bot, chat, 7, "My preferences: I drink tea").await;
        assert_eq!(question.buttons.len(), 2, "{}", question.text);
        bot.telegram.press(chat, 7, "Approve");
        runs(&bot, 5, RunStatus::Completed).await;
        assert_eq!(kept(&bot).await, 1);
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn what_was_denied_is_a_new_question_in_another_conversation() {
    let mut bot = asking(Site::Telegram).start().await;
    bot.model.respond_with(insists);
    let chat = bot.telegram.user(7, "Ada");
    tell(&bot, chat, 7, "Remember what I like").await;
    denied(&bot, chat, 1).await;
    tell(&bot, chat, 7, "/new").await;
    let question = tell(&bot, chat, 7, "Please go on").await;
    assert_eq!(question.buttons.len(), 2, "{}", question.text);
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
}
