//! Recall by the model: the messages that it finds, and those that it never finds.

use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::Chat,
};
use serde_json::{Value, json};

use crate::{
    harness::{Bot, Setup, Site},
    scripted_model::{self, Prompt},
};

/// A message of this form is carried out by the model: `call NAME ARGS`.
fn reply(request: &RecordedRequest) -> Reply {
    let prompt = Prompt::read(request);
    let Some((_, call)) = prompt.input().split_once("call ") else {
        return scripted_model::reply(request);
    };
    if result(request).is_some() {
        return Reply::json(&json!({"type": "finish", "output": "Done."}));
    }
    let (name, args) = call.split_once(' ').unwrap();
    Reply::json(&json!({
        "type": "tool_call", "name": name, "args": serde_json::from_str::<Value>(args).unwrap(),
        "notes": [{"category": "requirements", "content": "a call"}, {"category": "plan", "content": "make it"}],
    }))
}

/// The result of the tool that a prompt tells.
fn result(request: &RecordedRequest) -> Option<Value> {
    let entries = request.messages().get(2..)?.iter();
    let mut texts = entries.filter(|entry| entry["role"] == "user").rev();
    let entry: Value = serde_json::from_str(texts.next()?["content"].as_str()?).ok()?;
    entry.get("tool_result").cloned()
}

/// Says something, and waits for the answer.
async fn says(bot: &Bot, chat: Chat, user: i64, text: &str) {
    let before = bot.telegram.sent(chat).len();
    bot.telegram.user_says(chat, user, text);
    bot.telegram.wait_for_sent(chat, before + 1).await;
}

/// Has the model call a tool, and returns what it was told. The model may be asked about a conversation that ended
/// meanwhile, so the last request need not be that of the run.
async fn call(bot: &Bot, chat: Chat, user: i64, name: &str, args: Value) -> Value {
    says(bot, chat, user, &format!("Clifford call {name} {args}")).await;
    let requests = bot.model.requests();
    requests.iter().rev().find_map(|request| result(request)).unwrap()
}

fn texts<'a>(result: &'a Value, list: &str, field: &str) -> Vec<&'a str> {
    let items = result["result"][list].as_array().unwrap_or_else(|| panic!("{result}"));
    items.iter().map(|item| item[field].as_str().unwrap()).collect()
}

async fn each_finds_what_was_said_where_they_are(setup: Setup) {
    let mut bot = setup.start().await;
    bot.model.respond_with(reply);
    let (ada, bob) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Bob"));
    let (club, board) = (bot.telegram.group(-50, "Club"), bot.telegram.group(-60, "Board"));
    for (chat, user, text) in [
        (ada, 7, "my parrot is called Polly"),
        (bob, 8, "my parrot is called Rex"),
        (club, 7, "Clifford, the parrot meets on Monday"),
        (board, 7, "Clifford, the parrot costs too much"),
    ] {
        says(&bot, chat, user, text).await;
    }
    let item = json!({"module": "preferences", "key": "pet", "value": "a parrot", "level": 4});
    assert_eq!(
        call(&bot, ada, 7, "memory.put", item).await["result"],
        json!({"stored": true})
    );

    let query = json!({"query": "parrot"});
    let known = json!([{"module": "preferences", "key": "pet", "value": "a parrot", "level": 4}]);
    for (chat, user, items, expected) in [
        (
            ada,
            7,
            known,
            vec![
                "my **parrot** is called Polly",
                "You said: my **parrot** is called Polly",
            ],
        ),
        (
            bob,
            8,
            json!([]),
            vec!["my **parrot** is called Rex", "You said: my **parrot** is called Rex"],
        ),
        (
            club,
            7,
            json!([]),
            vec![
                "[Ada] Clifford, the **parrot** meets on Monday",
                "You said: [Ada] Clifford, the **parrot** meets on Monday",
            ],
        ),
        (
            board,
            8,
            json!([]),
            vec![
                "[Ada] Clifford, the **parrot** costs too much",
                "You said: [Ada] Clifford, the **parrot** costs too much",
            ],
        ),
    ] {
        let found = call(&bot, chat, user, "memory.search", query.clone()).await;
        assert_eq!(found["result"]["items"], items, "{found}");
        let mut snippets: Vec<_> = texts(&found, "messages", "snippet");
        // Neighbours of an answer are found behind it.
        snippets.retain(|snippet| snippet.contains("parrot") && !snippet.contains("call memory"));
        snippets.sort_by_key(|snippet| snippet.starts_with("You said"));
        assert_eq!(snippets, expected);
        assert!(
            texts(&found, "messages", "platform")
                .iter()
                .all(|platform| *platform == "telegram")
        );
    }
    let nothing = call(&bot, ada, 7, "memory.search", json!({"query": "\" * \""})).await;
    assert_eq!(
        nothing["error"], "query: there is no word in it to look for",
        "{nothing}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn each_finds_what_was_said_where_they_are_and_nothing_else() {
    each_finds_what_was_said_where_they_are(Setup::on(Site::Telegram)).await;
}

#[tokio::test]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn each_finds_what_was_said_where_they_are_and_nothing_else_on_postgresql() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        each_finds_what_was_said_where_they_are(setup).await;
    }
}

async fn what_was_said_is_found_in_chat_and_on_the_command_line(setup: Setup) {
    let mut bot = setup.start().await;
    bot.model.respond_with(reply);
    let (ada, bob) = (bot.telegram.user(7, "Ada"), bot.telegram.user(8, "Bob"));
    says(&bot, ada, 7, "my cat is named Zorro").await;
    says(&bot, bob, 8, "my cat is named Rex").await;
    let tell = async |chat: Chat, user: i64, words: &str| {
        let before = bot.telegram.sent(chat).len();
        bot.telegram.command(chat, user, "search", words);
        bot.telegram.wait_for_sent(chat, before + 1).await.pop().unwrap().text
    };
    let found = tell(ada, 7, "What is the name of my cat?").await;
    assert!(
        found.starts_with("This is what I found:") && found.contains("my cat is named Zorro"),
        "{found}"
    );
    assert!(!found.contains("Rex"), "{found}");
    assert_eq!(tell(ada, 7, "elephants").await, "I found nothing like that here.");
    assert_eq!(
        tell(ada, 7, "?!").await,
        "What shall I look for? Give me a few words: /search cat name."
    );
    let shown = bot.command(&["search", "--user", "telegram:8", "cats", "--json"]).await;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let snippets: Vec<_> = (shown["items"].as_array().unwrap().iter())
        .map(|item| item["snippet"].as_str().unwrap())
        .collect();
    assert_eq!(
        snippets,
        ["my **cat** is named Rex", "You said: my **cat** is named Rex"]
    );
    assert_eq!(shown["items"][0]["after"]["content"], "You said: my cat is named Rex");
    let table = bot
        .command(&["search", "--user", "telegram:7", "--from", "2020", "zorro"])
        .await;
    assert!(table.contains("my **cat") || table.contains("**Zorro**"), "{table}");
    let nothing = bot
        .command(&["search", "--user", "telegram:7", "--to", "2020", "zorro"])
        .await;
    assert_eq!(nothing.trim(), "no messages found");
    bot.finish().await;
}

#[tokio::test]
async fn what_was_said_is_found_in_chat_and_on_the_command_line_on_sqlite() {
    what_was_said_is_found_in_chat_and_on_the_command_line(Setup::on(Site::Telegram)).await;
}

#[tokio::test]
async fn what_was_said_is_found_in_chat_and_on_the_command_line_on_postgresql() {
    if let Some(setup) = Setup::on(Site::Telegram).postgres() {
        what_was_said_is_found_in_chat_and_on_the_command_line(setup).await;
    }
}

#[tokio::test]
async fn past_conversations_are_listed_and_read_page_by_page_but_not_from_elsewhere() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    bot.model.respond_with(reply);
    let ada = bot.telegram.user(7, "Ada");
    let club = bot.telegram.group(-50, "Club");
    says(&bot, ada, 7, "about cats").await;
    says(&bot, ada, 7, &format!("a long {}", "story ".repeat(100))).await;
    let sent = bot.telegram.sent(ada).len();
    bot.telegram.command(ada, 7, "new", "Trip");
    bot.telegram.wait_for_sent(ada, sent + 1).await;

    let listed = call(&bot, ada, 7, "memory.sessions", json!({})).await;
    assert_eq!(texts(&listed, "sessions", "name"), ["Trip", "about cats"]);
    assert_eq!(listed["result"]["sessions"][1]["turns"], 2);
    let session = texts(&listed, "sessions", "id")[1];
    let older = call(
        &bot,
        ada,
        7,
        "memory.sessions",
        json!({"before": texts(&listed, "sessions", "id")[0]}),
    )
    .await;
    assert_eq!(texts(&older, "sessions", "id"), [session]);

    let newest = call(
        &bot,
        ada,
        7,
        "memory.session_messages",
        json!({"id": session, "limit": 2}),
    )
    .await;
    assert_eq!(texts(&newest, "messages", "role"), ["user", "assistant"]);
    let contents = texts(&newest, "messages", "content");
    assert!(
        contents
            .iter()
            .all(|text| text.chars().count() == 501 && text.ends_with('…')),
        "{contents:?}"
    );
    let before = texts(&newest, "messages", "id")[0];
    let rest = json!({"id": session, "before": before});
    let rest = call(&bot, ada, 7, "memory.session_messages", rest).await;
    assert_eq!(
        texts(&rest, "messages", "content"),
        ["about cats", "You said: about cats"]
    );

    let around = texts(&newest, "messages", "id")[0];
    let around = json!({"id": session, "around": around, "limit": 3});
    let around = call(&bot, ada, 7, "memory.session_messages", around).await;
    assert_eq!(texts(&around, "messages", "content")[0], "You said: about cats");
    assert_eq!(texts(&around, "messages", "content")[1..], contents);
    let both = json!({"id": session, "before": before, "around": before});
    let both = call(&bot, ada, 7, "memory.session_messages", both).await;
    assert_eq!(both["error"], "give before or around, one of them", "{both}");

    let elsewhere = call(&bot, club, 7, "memory.session_messages", json!({"id": session})).await;
    let error = format!("there is no session {session}; memory.sessions lists them");
    assert_eq!(elsewhere["error"], error, "{elsewhere}");
    let there = call(&bot, club, 7, "memory.sessions", json!({})).await;
    assert!(!texts(&there, "sessions", "id").contains(&session), "{there}");
    bot.finish().await;
}

#[tokio::test]
async fn where_memory_is_off_the_model_neither_knows_nor_remembers_anything() {
    let mut bot = Setup::on(Site::Telegram)
        .provider("context_tokens", 128_000)
        .start()
        .await;
    bot.model.respond_with(reply);
    let ada = bot.telegram.user(7, "Ada");
    let item = json!({"module": "preferences", "key": "pet", "value": "a parrot"});
    call(&bot, ada, 7, "memory.put", item.clone()).await;
    let got = call(&bot, ada, 7, "memory.get", json!({})).await;
    assert_eq!(texts(&got, "items", "key"), ["pet"]);
    bot.command(&["settings", "set", "bot", "memory", "false"]).await;
    let refused = call(&bot, ada, 7, "memory.put", item).await;
    assert_eq!(
        refused["error"], "memory is off in this place: nothing is remembered here",
        "{refused}"
    );
    let got = call(&bot, ada, 7, "memory.get", json!({})).await;
    assert_eq!(got["result"]["items"], json!([]), "{got}");
    let found = call(&bot, ada, 7, "memory.search", json!({"query": "parrot"})).await;
    assert_eq!(found["result"]["items"], json!([]), "{found}");
    assert!(!texts(&found, "messages", "snippet").is_empty(), "{found}");
    bot.finish().await;
}
