//! The calls of one reply are asked for in one question, and one answer holds for exactly these.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

use clifford_core::runs::RunStatus;
use clifford_fakes::openai::{OpenAiFake, RecordedRequest, Reply};
use serde_json::{Value, json};

use super::{asking, kept, runs, said};
use crate::{
    api_watch::{Watch, watched},
    harness::{Bot, Setup, Site},
    scripted_model,
};

/// Remembers three drinks in one reply, then tells what became of it.
fn remembers_three(request: &RecordedRequest) -> Reply {
    if scripted_model::memory_schema(request).is_some() {
        return scripted_model::reply(request);
    }
    let put = |key: &str, value: &str| json!({"name": "memory.put", "args": {"module": "preferences", "key": key, "value": value}});
    let messages = request.messages();
    let last = messages
        .last()
        .and_then(|message| message["content"].as_str())
        .unwrap_or_default();
    Reply::json(&if messages.iter().all(|message| message["role"] != "assistant") {
        let mut call = put("morning", "tea");
        call["type"] = json!("tool_call");
        call["then"] = json!([put("noon", "juice"), put("evening", "milk")]);
        call
    } else if last.contains("denied") {
        json!({"type": "finish", "output": "Then I will not."})
    } else {
        json!({"type": "finish", "output": "I know all three."})
    })
}

async fn started(setup: Setup) -> Bot {
    let bot = setup.start().await;
    bot.model.respond_with(remembers_three);
    bot
}

fn shows_all(question: &str) {
    let expected = [
        "May I do these 3 things? One answer holds for all.",
        "1. memory.put",
        "value: \"tea\"",
        "2. memory.put",
        "value: \"juice\"",
        "3. memory.put",
        "value: \"milk\"",
    ];
    let plain = question.replace(['*', '`'], "");
    let mut rest = plain.as_str();
    for part in expected {
        let at = rest.find(part);
        assert!(at.is_some(), "{part} is not where it belongs in:\n{question}");
        rest = &rest[at.unwrap_or_default()..];
    }
}

#[tokio::test]
async fn telegram_user_approves_three_calls_by_one_button() {
    for setup in [Some(asking(Site::Telegram)), asking(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = started(setup).await;
        let chat = bot.telegram.user(7, "Ada");
        bot.telegram.user_says(chat, 7, "remember my drinks");
        let question = said(&bot, chat, 1).await.remove(0);
        shows_all(&question);
        bot.telegram.press(chat, 7, "Approve");
        let mut texts = said(&bot, chat, 3).await.split_off(1);
        texts.sort();
        assert_eq!(texts, ["Approved: memory.put.", "I know all three."]);
        assert_eq!(kept(&bot).await, 3);
        let run = runs(&bot, 1, RunStatus::Completed).await.remove(0);
        let steps = bot.look().await.steps(run.id).await;
        let of = |kind: &str| steps.iter().filter(|step| *step == kind).count();
        assert_eq!((of("confirm_request"), of("tool_call"), of("llm_response")), (1, 3, 2));
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn none_of_them_is_made_once_the_question_is_denied() {
    let mut bot = started(asking(Site::Telegram)).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.user_says(chat, 7, "remember my drinks");
    said(&bot, chat, 1).await;
    bot.telegram.press(chat, 7, "Deny");
    let mut texts = said(&bot, chat, 3).await.split_off(1);
    texts.sort();
    assert_eq!(texts, ["Denied: memory.put.", "Then I will not."]);
    assert_eq!(kept(&bot).await, 0);
    bot.telegram.wait_for_answers().await;
    bot.finish().await;
}

#[tokio::test]
async fn an_approval_of_three_calls_survives_kill_9_between_them() {
    for setup in [Some(asking(Site::Telegram)), asking(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let mut bot = setup.prepare().await;
        bot.model.respond_with(remembers_three);
        bot.start_crashing("tool_called").await;
        let chat = bot.telegram.user(7, "Ada");
        bot.telegram.user_says(chat, 7, "remember my drinks");
        said(&bot, chat, 1).await;
        bot.telegram.press(chat, 7, "Approve");
        bot.crashed().await;
        bot.start().await;
        runs(&bot, 1, RunStatus::Completed).await;
        assert_eq!(kept(&bot).await, 3);
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn discord_user_approves_three_calls_by_one_button() {
    let mut bot = started(asking(Site::Discord)).await;
    let user = bot.discord.user("Ada");
    let dm = bot.discord.dm(user);
    bot.discord.user_says(dm, user, "remember my drinks");
    let question = bot.discord.wait_for_sent(dm, 1).await.remove(0);
    shows_all(&question.content);
    bot.discord.press(dm, user, &question, "Approve");
    runs(&bot, 1, RunStatus::Completed).await;
    assert_eq!(kept(&bot).await, 3);
    bot.finish().await;
}

#[tokio::test]
async fn the_api_answers_for_all_of_them() {
    let mut bot = started(watched(asking(Site::Telegram))).await;
    let chat = bot.telegram.user(7, "Ada");
    bot.telegram.user_says(chat, 7, "remember my drinks");
    said(&bot, chat, 1).await;
    let run = runs(&bot, 1, RunStatus::Waiting).await.remove(0);
    let api = Watch::on(&bot);
    let (_, steps) = api.get(&format!("/api/runs/{}", run.id)).await;
    let steps: Value = serde_json::from_str(&steps).unwrap();
    let asked = steps.to_string();
    assert!(
        ["tea", "juice", "milk"].iter().all(|drink| asked.contains(drink)),
        "{asked}"
    );
    let confirm = format!("/api/runs/{}/confirm", run.id);
    let words = json!({"decision": "deny", "words": "only tea"}).to_string();
    // The owner's token is nobody's own word.
    assert_eq!(api.post(&confirm, words).await.0, 422);
    assert_eq!(
        api.post(&confirm, json!({"decision": "approve"}).to_string()).await.0,
        202
    );
    runs(&bot, 1, RunStatus::Completed).await;
    assert_eq!(kept(&bot).await, 3);
    bot.finish().await;
}

/// A chat in the terminal, with this model, that asks before it remembers.
pub(super) struct Terminal {
    _home: tempfile::TempDir,
    child: std::process::Child,
    stdin: std::process::ChildStdin,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Terminal {
    pub(super) fn open(model: &OpenAiFake) -> Self {
        let home = tempfile::tempdir().unwrap();
        let settings = format!(
            "[engine]\nplanning_gate = \"off\"\n[[policies]]\naction = \"confirm\"\ntools = [\"memory.put\"]\n\
             [[llm.providers]]\nname = \"fake\"\nmodel = \"fake-1\"\nbase_url = \"{}\"\n",
            model.base_url()
        );
        std::fs::write(home.path().join("bot.toml"), settings).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_clifford"))
            .args(["chat", "--quiet"])
            .env_clear()
            .env("HOME", home.path())
            .env("XDG_DATA_HOME", home.path().join("data"))
            .current_dir(home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            stdin: child.stdin.take().unwrap(),
            lines: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
            _home: home,
        }
    }

    pub(super) fn types(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    /// Everything up to a line that holds this.
    pub(super) fn reads(&mut self, end: &str) -> String {
        let mut read = String::new();
        for line in self.lines.by_ref() {
            let line = line.unwrap();
            read.push_str(&line);
            read.push('\n');
            if line.contains(end) {
                return read;
            }
        }
        panic!("{end} never came after:\n{read}");
    }

    pub(super) fn ends(mut self) {
        drop(self.stdin);
        assert!(self.child.wait().unwrap().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_terminal_three_calls_are_approved_by_one_word() {
    let model = OpenAiFake::start().await;
    model.respond_with(remembers_three);
    tokio::task::spawn_blocking(move || {
        let mut terminal = Terminal::open(&model);
        terminal.types("remember my drinks");
        shows_all(&terminal.reads("/approve"));
        terminal.types("yes");
        terminal.reads("I know all three.");
        terminal.ends();
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_terminal_other_words_behind_a_question_are_what_is_wanted_instead() {
    let model = OpenAiFake::start().await;
    model.respond_with(remembers_three);
    tokio::task::spawn_blocking(move || {
        let mut terminal = Terminal::open(&model);
        terminal.types("remember my drinks");
        terminal.reads("/approve");
        terminal.types("only tea, please");
        terminal.reads("Then I will not.");
        let told = model.requests().pop().unwrap();
        let heard = told.messages().iter().any(|message| {
            let text = message["content"].as_str().unwrap_or_default();
            text.contains("user_message") && text.contains("only tea, please")
        });
        assert!(heard);
        terminal.ends();
    })
    .await
    .unwrap();
}
