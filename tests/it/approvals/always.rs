//! "Always here": offered where it holds, and only there.

use clifford_core::runs::RunStatus;
use clifford_fakes::openai::{RecordedRequest, Reply};
use serde_json::json;

use super::{asking, kept, runs, said, started, tell};
use crate::{
    harness::{Setup, Site},
    scripted_model::{self, Prompt},
};

/// Keeps what follows "keeps" in a file, then says so.
fn keeps(request: &RecordedRequest) -> Reply {
    let prompt = Prompt::read(request);
    let Some((_, word)) = prompt.input().split_once("keeps ") else {
        return scripted_model::reply(request);
    };
    Reply::json(
        &if request.messages().iter().all(|message| message["role"] != "assistant") {
            json!({"type": "tool_call", "name": "files.create", "args": {"name": format!("{word}.txt"), "content": word}})
        } else {
            json!({"type": "finish", "output": format!("{word} is kept.")})
        },
    )
}

#[tokio::test]
async fn what_no_rule_but_the_default_wants_asked_is_settled_by_it() {
    let mut bot = Setup::on(Site::Telegram)
        .set("engine.planning_gate", "off")
        .start()
        .await;
    bot.model.respond_with(keeps);
    bot.telegram.user(7, "Ada");
    bot.telegram.user(8, "Bob");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let question = tell(&bot, group, 7, "@clifford_bot keeps tea").await;
    let labels: Vec<_> = question.buttons.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(labels, ["Approve", "Deny", "Always here"]);
    bot.telegram.press(group, 7, "Always here");
    let mut texts = said(&bot, group, 3).await.split_off(1);
    texts.sort();
    let told = "Approved: files.create. In this conversation I will not ask you again before I use it.";
    assert_eq!(texts, [told, "tea is kept."]);
    let next = tell(&bot, group, 7, "@clifford_bot keeps milk").await;
    assert_eq!(next.text, "milk is kept.");
    // It is a rule for who asked, and for nobody else.
    let question = tell(&bot, group, 8, "@clifford_bot keeps rum").await;
    assert!(
        question.text.starts_with("Bob is asked: May I do this?"),
        "{}",
        question.text
    );
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
}

#[tokio::test]
async fn what_somebodys_rule_wants_asked_is_asked_each_time_and_nothing_else_is_promised() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    let question = tell(&bot, chat, 7, "Ada drinks tea").await;
    let labels: Vec<_> = question.buttons.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(labels, ["Approve", "Deny"]);
    // Typed, it is refused, and the person is still asked.
    let refused = tell(&bot, chat, 7, "/approve always").await.text;
    assert!(refused.starts_with("This cannot be approved for good: "), "{refused}");
    runs(&bot, 1, RunStatus::Waiting).await;
    bot.telegram.user_says(chat, 7, "/approve");
    said(&bot, chat, 4).await;
    let question = tell(&bot, chat, 7, "Ada drinks coffee").await;
    assert!(question.text.contains("value: \"coffee\""), "{}", question.text);
    assert_eq!(kept(&bot).await, 1);
    bot.finish().await;
}
