//! The log of a bot at the usual level: errors and their places, in neither form with anybody's words.

use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::{Chat, Fault, Method, TelegramFake},
};
use serde_json::{Value, json};

use crate::{
    api_watch::{TOKEN, Watch, watched},
    harness::{Bot, Room, Setup, Site},
    scripted_model,
};

/// Stands in whatever is said, asked, answered and refused.
const WORDS: &str = "xyzzy plugh";
const KEY: &str = "sk-planted-in-a-log";

/// Will not read what is to be remembered, else as the model of all journeys.
fn refuse(request: &RecordedRequest) -> Reply {
    match scripted_model::memory_schema(request) {
        Some(_) => Reply::refusal(WORDS),
        None => scripted_model::reply(request),
    }
}

/// Remembers by garbage, else as the model of all journeys.
fn reply(request: &RecordedRequest) -> Reply {
    match scripted_model::memory_schema(request) {
        Some(_) => Reply::text(format!("I will not remember {WORDS}")),
        None => scripted_model::reply(request),
    }
}

async fn started(format: &str) -> Bot {
    let rule = toml::Table::from_iter([
        ("action".to_owned(), "confirm".into()),
        ("tools".to_owned(), vec![toml::Value::from("memory.put")].into()),
        ("reason".to_owned(), "what is remembered stays".into()),
    ]);
    let setup = watched(Setup::on(Site::Telegram).and(Site::Discord))
        .set("log.format", format)
        .set("log.level", "info")
        .set("engine.planning_gate", "off")
        .set("llm.retries", 1)
        .set("policies", vec![toml::Value::from(rule)])
        .provider("key", KEY)
        .provider("timeout_seconds", 1);
    let bot = setup.start().await;
    bot.model.respond_with(reply);
    bot
}

/// Says it to the bot with these replies of the model, and waits for one more answer.
async fn exchange(bot: &Bot, room: Room, replies: Vec<Reply>) {
    let before = bot.texts(room).len();
    for reply in replies {
        bot.model.push(reply);
    }
    bot.says(room, &format!("hello {WORDS}"));
    bot.answers(room, before + 1).await;
}

async fn memory_in_trouble(bot: &Bot, chat: Chat) {
    bot.model.respond_with(refuse);
    exchange(bot, Room::Telegram(chat), vec![]).await;
    let before = bot.texts(Room::Telegram(chat)).len();
    bot.telegram.command(chat, 7, "close", "");
    bot.answers(Room::Telegram(chat), before + 1).await;
    bot.until("the message that is not read for memory", async |_| {
        (bot.logged("memory writer skipped a message") > 0).then_some(())
    })
    .await;
    bot.model.respond_with(reply);
}

async fn models_in_trouble(bot: &Bot, room: Room) {
    let twice = |reply: Reply| vec![reply.clone(), reply];
    let garbage = Reply::raw(200, "application/json", format!("{{\"choices\": \"{WORDS}\"}}"));
    for replies in [
        vec![Reply::status(400, &format!("temperature is not supported: {WORDS}"))],
        vec![Reply::status(500, WORDS)],
        twice(Reply::status(503, WORDS)),
        // In each form that a request has.
        vec![Reply::status(400, WORDS); 4],
        vec![Reply::status(401, WORDS)],
        vec![Reply::status(404, WORDS)],
        vec![Reply::refusal(WORDS)],
        vec![Reply::content_filter()],
        twice(garbage),
        twice(Reply::error_in_ok(&json!({ "message": WORDS, "code": 500 }))),
        twice(Reply::text(WORDS)),
        twice(Reply::json(&json!({ "type": WORDS }))),
        twice(Reply::json(&json!({ "type": "finish", "output": WORDS })).cut_after(1)),
        twice(Reply::never()),
    ] {
        exchange(bot, room, replies).await;
        // One that works in between: a provider that keeps failing would be left alone.
        exchange(bot, room, vec![]).await;
    }
}

async fn tools_in_trouble(bot: &Bot, room: Room) {
    let call = |name: &str, args: Value| Reply::json(&json!({ "type": "tool_call", "name": name, "args": args }));
    for reply in [
        call("compute.eval", json!({ "expression": format!("{WORDS} +") })),
        call("compute.eval", json!({ WORDS: WORDS })),
        call(WORDS, json!({})),
        call("web.fetch", json!({ "url": format!("http://127.0.0.1/{WORDS}") })),
        call("files.read", json!({ "id": WORDS })),
        Reply::native_tool_call("compute.eval", &json!({ "expression": WORDS })),
    ] {
        exchange(bot, room, vec![reply]).await;
    }
    let asked = json!({ "module": "preferences", "key": "drink", "value": WORDS });
    exchange(bot, room, vec![call("memory.put", asked)]).await;
}

async fn telegram_in_trouble(bot: &Bot, chat: Chat) {
    for fault in [
        Fault::Refuse(400, format!("Bad Request: can't parse entities: {WORDS}")),
        Fault::Refuse(500, WORDS.to_owned()),
        Fault::Server(502),
        Fault::Garbage,
    ] {
        bot.telegram.fail_next(Method::SendMessage, fault);
        exchange(bot, Room::Telegram(chat), vec![]).await;
    }
    // A refusal for good is followed by something else. A
    // refused text goes without markup, then as a file.
    for method in [Method::SendMessage, Method::SendMessage, Method::SendDocument] {
        bot.telegram
            .fail_next(method, Fault::Refuse(400, format!("Bad Request: {WORDS}")));
    }
    bot.says(Room::Telegram(chat), &format!("lost {WORDS}"));
    bot.until("a message that was given up", async |_| {
        (bot.logged("gave up sending a message") > 0).then_some(())
    })
    .await;
    for broken in [
        json!({ "message": { "text": WORDS, "chat": WORDS, "from": { "id": WORDS } } }),
        json!({ "message": WORDS }),
        json!({ "callback_query": { "id": 7, "data": WORDS } }),
    ] {
        bot.telegram.push_raw(broken);
    }
    bot.until("the unreadable updates", async |look| {
        (look.count("unreadable_events").await >= 3).then_some(())
    })
    .await;
}

async fn commands(bot: &Bot, chat: Chat) {
    for name in [
        "remember", "forget", "rename", "search", "remind", "link", "nonsense", "approve", "new",
    ] {
        bot.telegram.command(chat, 7, name, WORDS);
    }
    exchange(bot, Room::Telegram(chat), vec![]).await;
}

async fn callers_in_trouble(watch: &Watch) {
    for (path, body) in [
        ("/api/messages", format!("{{\"content\": {WORDS}}}")),
        ("/api/messages", json!({ "content": { "text": WORDS } }).to_string()),
        ("/api/runs", json!({ "inputText": WORDS, WORDS: 1 }).to_string()),
        ("/api/memories", json!({ "value": WORDS }).to_string()),
        ("/api/xyzzy plugh", String::new()),
    ] {
        let (status, text) = watch.post(&path.replace(' ', "%20"), body).await;
        assert!((400..500).contains(&status), "{path}: {status} {text}");
    }
    let asked = json!({ "content": WORDS }).to_string();
    assert_eq!(watch.post("/api/messages?wait=30", asked).await.0, 200);
}

async fn is_silent_about_words(format: &str) {
    let mut bot = started(format).await;
    let watch = Watch::on(&bot);
    let chat = bot.telegram.user(7, &format!("Ada {WORDS}"));
    let rooms = [Room::Telegram(chat), bot.room(Site::Discord, 8, "xyzzy")];
    memory_in_trouble(&bot, chat).await;
    models_in_trouble(&bot, rooms[0]).await;
    tools_in_trouble(&bot, rooms[0]).await;
    exchange(&bot, rooms[1], vec![Reply::status(500, WORDS)]).await;
    telegram_in_trouble(&bot, chat).await;
    commands(&bot, chat).await;
    callers_in_trouble(&watch).await;
    bot.until("the memory that could not be written", async |_| {
        (bot.logged("job failed, retrying later") > 0).then_some(())
    })
    .await;
    bot.stop().await;

    let log = bot.log_text();
    for told in [
        "retrying a model call",
        "provider refused request fields, falling back to others",
        "model call failed",
        "failed to send a message, retrying",
        "Telegram refused the text, sending it without markup",
        "failed to parse an event, kept it in unreadable_events",
    ] {
        assert!(log.contains(told), "nobody was told that {told}: {log}");
    }
    for secret in ["xyzzy", "plugh", KEY, TOKEN, TelegramFake::TOKEN, "AAF-fake_token"] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "it holds {secret}");
    }
    if format == "json" {
        for line in log.lines() {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(line["timestamp"].is_string() && line["level"].is_string(), "{line}");
        }
    }
}

#[tokio::test]
async fn lines_of_text_hold_no_words_and_no_secrets() {
    is_silent_about_words("text").await;
}

#[tokio::test]
async fn lines_of_json_hold_no_words_and_no_secrets() {
    is_silent_about_words("json").await;
}
