//! Configured secrets stay where they are configured, wherever a model, a tool or a person puts them.

mod configured;
mod everywhere;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use clifford_fakes::{openai::Reply, telegram::TelegramFake};
use serde_json::{Value, json};

use self::configured::{ENCRYPTION_KEY, KEY};
use crate::{
    harness::{Bot, Room, Setup, Site},
    store::erasure::column,
};

/// A piece of each secret that no text of the bot's own holds, as it is written in any form.
const PIECES: [&str; 3] = ["sk-planted", "cGxhbnRlZC1zZWFsaW5n", "AAF-fake_token"];

fn secrets() -> [&'static str; 3] {
    [KEY, ENCRYPTION_KEY, TelegramFake::TOKEN]
}

async fn started() -> (Bot, Room) {
    let bot = Setup::on(Site::Telegram)
        .set("secrets.key", ENCRYPTION_KEY)
        .set("engine.record_prompts", true)
        .set("engine.max_tool_retries", 9)
        .provider("key", KEY)
        .start()
        .await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    (bot, room)
}

/// The ways of a model with a secret that it came to know.
fn plants(secret: &str) -> Vec<Value> {
    let notes = json!([
        { "category": "requirements", "content": secret },
        { "category": "plan", "content": format!("use {secret}.") },
    ]);
    vec![
        json!({ "type": "tool_call", "name": "compute.eval", "args": { "expression": format!("{secret} +") }, "notes": notes }),
        json!({ "type": "tool_call", "name": secret, "args": {} }),
        json!({ "type": "tool_call", "name": "tools.describe", "args": { "name": secret } }),
        json!({ "type": "tool_call", "name": "compute.eval", "args": { "expression": "1 + 1", secret: secret } }),
        json!({ "type": "tool_call", "name": "memory.put", "args": { "module": "projects", "key": "thing", "value": format!("it is {secret}") } }),
        json!({ "type": "tool_call", "name": "memory.get", "args": {} }),
        json!({ "type": "decision", "content": secret }),
        json!({ "type": "set_output", "output": format!("[link](https://example.org/?k={secret})") }),
        json!({ "type": "recover", "reason": secret, "action": "retry" }),
        json!({ "type": "send_message", "message": format!("so far: {secret}") }),
    ]
}

/// Everything that is kept or was shown.
pub async fn everything(bot: &Bot, room: Room) -> Vec<(String, String)> {
    let mut seen = Vec::new();
    for request in bot.model.requests() {
        seen.push(("a prompt".to_owned(), request.body.to_string()));
    }
    seen.extend(bot.texts(room).into_iter().map(|text| ("a message".to_owned(), text)));
    let db = bot.look().await.db;
    for table in column(&db, "SELECT name FROM sqlite_master WHERE type = 'table'").await {
        for name in column(&db, &format!("SELECT name FROM pragma_table_info('{table}')")).await {
            let sql = format!(
                "SELECT CAST(\"{name}\" AS TEXT) FROM \"{table}\" WHERE TYPEOF(\"{name}\") IN ('text', 'integer')"
            );
            let cells = column(&db, &sql).await;
            seen.extend(cells.into_iter().map(|cell| (format!("{table}.{name}"), cell)));
        }
    }
    seen.push(("the log".to_owned(), bot.log_text()));
    // The newest, for these take a process each.
    for run in bot.look().await.runs().await.iter().rev().take(8) {
        let id = run.id.to_string();
        for arguments in [vec!["runs", "show", &id], vec!["runs", "replay", &id, "--json"]] {
            seen.push((arguments.join(" "), bot.command(&arguments).await));
        }
    }
    seen.push(("config show".to_owned(), bot.command(&["config", "show"]).await));
    seen.push(("doctor".to_owned(), bot.doctor().await));
    seen
}

#[tokio::test]
async fn a_secret_shows_nowhere_whoever_says_it() {
    let (mut bot, room) = started().await;
    let mut answers = 0;
    for secret in secrets() {
        for plant in plants(secret) {
            bot.model.push(Reply::json(&plant));
        }
        bot.says(room, &format!("what is {secret} for?"));
        answers += 1;
        bot.answers(room, answers).await;
        let notes = json!([{ "category": "requirements", "content": "it" }, { "category": "plan", "content": "it" }]);
        bot.model.push(Reply::json(
            &json!({ "type": "finish", "output": format!("done with `{secret}`"), "notes": notes }),
        ));
        bot.says(room, &format!("done with {secret}?"));
        answers += 1;
        bot.answers(room, answers).await;
        // In the provider's own form of a call, and as no action at all.
        bot.model.push(Reply::native_tool_call(
            "compute.eval",
            &json!({ "expression": secret }),
        ));
        bot.model.push(Reply::text(format!("I can't, because of {secret}")));
        bot.model.push(Reply::text(format!("{secret} again")));
        bot.says(room, &format!("and {secret}?"));
        answers += 1;
        bot.answers(room, answers).await;
    }
    bot.stop().await;
    for (place, text) in everything(&bot, room).await {
        for piece in PIECES {
            assert!(!text.contains(piece), "{piece} in {place}: {text}");
        }
    }
    let said = bot.texts(room);
    assert!(said[0].contains("so far: [secret]"), "{said:?}");
    assert!(said[1].contains("done with [secret]"), "{said:?}");
    bot.assert_no_violations();
}

/// A secret as a model writes it that is to smuggle it out.
fn spellings(secret: &str) -> Vec<String> {
    let with = |between: &str| secret.chars().map(String::from).collect::<Vec<_>>().join(between);
    let hexadecimal = clifford_vault::hex(secret.as_bytes());
    vec![
        secret.chars().rev().collect(),
        secret.to_uppercase(),
        with(" "),
        with("-"),
        with(" ").chars().rev().collect(),
        secret.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        secret
            .bytes()
            .map(|byte| format!("{byte:02x} "))
            .collect::<String>()
            .trim()
            .to_owned(),
        hexadecimal.to_uppercase(),
        hexadecimal,
        STANDARD.encode(secret),
        STANDARD.encode(format!("key {secret};")),
        STANDARD.encode(format!("the key: {secret}")),
    ]
}

#[tokio::test]
async fn a_secret_leaves_in_no_spelling() {
    let (mut bot, room) = started().await;
    let spellings = spellings(TelegramFake::TOKEN);
    for (answers, spelled) in spellings.iter().enumerate() {
        let notes = json!([{ "category": "requirements", "content": "it" }, { "category": "plan", "content": "it" }]);
        let output = format!("It is «{spelled}».");
        bot.model.push(Reply::json(
            &json!({ "type": "finish", "output": output, "notes": notes }),
        ));
        bot.says(room, "what is the key?");
        let said = bot.answers(room, answers + 1).await.remove(answers);
        // Of a longer text in Base64 the beginning and the end are left.
        let kept = said.replace("[secret]", "");
        assert!(said.contains("[secret]") && kept.len() < 40, "{said}");
    }
    bot.finish().await;
}
