//! Documents found by words and by meaning, and images seen and made, through the real binary.

use clifford_core::{
    models::Grouping,
    run::step::{Event, StepKind},
};
use clifford_fakes::{
    openai::{RecordedRequest, Reply},
    telegram::Method,
};
use clifford_store::{
    runs::steps,
    usage::{self, Filter},
};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::harness::{Bot, Room, Setup, Site};

/// The results of tools so far.
fn results(request: &RecordedRequest) -> Vec<Value> {
    let entries = (request.messages().iter().skip(2)).filter(|message| message["role"] == "user");
    entries
        .filter_map(|message| {
            let entry: Value = serde_json::from_str(message["content"].as_str()?).ok()?;
            entry.get("tool_result").cloned()
        })
        .collect()
}

/// The question, and the first file that came with it.
fn asked(request: &RecordedRequest) -> (String, Value) {
    let payload: Value = serde_json::from_str(request.text(1)).unwrap();
    (
        payload["input"].as_str().unwrap().to_owned(),
        payload["files"][0]["id"].clone(),
    )
}

fn call(name: &str, args: Value) -> Value {
    json!({"type": "tool_call", "name": name, "args": args, "notes": [
        {"category": "requirements", "content": "what is asked"},
        {"category": "plan", "content": "one step after the other"},
    ]})
}

fn finish(output: &str) -> Value {
    json!({"type": "finish", "output": output})
}

/// `keep TITLE: TEXT` indexes; everything else is looked for.
fn librarian(request: &RecordedRequest) -> Reply {
    let (input, _) = asked(request);
    let results = results(request);
    Reply::json(&match (input.strip_prefix("keep "), results.first()) {
        (Some(rest), None) => {
            let (title, text) = rest.split_once(": ").unwrap();
            call("retrieval.index", json!({"title": title, "text": text}))
        }
        (Some(_), Some(kept)) => finish(&format!("Kept in {} pieces.", kept["result"]["pieces"])),
        (None, None) => call("retrieval.search", json!({"query": input, "limit": 1})),
        (None, Some(found)) => {
            let hits = found["result"]["results"].as_array().unwrap();
            finish(hits.first().map_or("Nothing.", |hit| hit["title"].as_str().unwrap()))
        }
    })
}

async fn says(bot: &Bot, room: Room, text: &str, answers: usize) -> String {
    bot.says(room, text);
    bot.answers(room, answers).await.pop().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_found_by_its_words_and_where_there_is_a_model_by_its_meaning() {
    for has_model in [false, true] {
        let mut setup = Setup::on(Site::Telegram);
        if has_model {
            setup = setup
                .set("tools.retrieval.model", "embed-1")
                .set("tools.retrieval.price", 1_000_000.0);
        }
        let mut bot = setup.prepare().await;
        if has_model {
            bot.configure("tools.retrieval.base_url", bot.model.base_url());
            // It has no room for the first document at once.
            bot.model.refuse_others([429]);
        }
        bot.start().await;
        bot.model.respond_with(librarian);
        let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
        assert_eq!(
            says(&bot, ada, "keep Garage: The car is parked below.", 1).await,
            "Kept in 1 pieces."
        );
        assert_eq!(
            says(&bot, ada, "keep Kitchen: Every meal is at noon.", 2).await,
            "Kept in 1 pieces."
        );
        assert_eq!(says(&bot, ada, "where is it parked", 3).await, "Garage");
        let by_meaning = if has_model { "Garage" } else { "Nothing." };
        assert_eq!(says(&bot, ada, "automobile", 4).await, by_meaning);
        assert_eq!(
            says(&bot, bob, "where is it parked", 1).await,
            "Nothing.",
            "it is Ada's"
        );
        bot.finish().await;
        let asked = bot.model.others();
        assert!(asked.iter().all(|(path, _)| path == "/v1/embeddings"), "{asked:?}");
        assert_eq!(asked.is_empty(), !has_model);
        // Each request has a token, as the provider tells, which costs 1.
        let mut conn = bot.look().await.db.read().await.unwrap();
        let by_model = usage::grouped(&mut conn, Grouping::Model, Filter::default(), &TimeZone::UTC, 9).await;
        let used: Vec<_> = (by_model.unwrap().into_iter())
            .filter(|group| group.key.as_deref() == Some("tools.retrieval/embed-1"))
            .map(|group| (group.calls, group.prompt_tokens, group.cost, group.estimated_calls))
            .collect();
        let count = i64::try_from(asked.len()).unwrap() - i64::from(has_model);
        let expected = has_model.then_some((count, count, count as f64, 0));
        assert_eq!(used, Vec::from_iter(expected));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_keeps_so_many_pieces_of_documents() {
    let setup = Setup::on(Site::Telegram).set("tools.retrieval.max_pieces", 1);
    let mut bot = setup.start().await;
    bot.model.respond_with(librarian);
    let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
    let garage = "keep Garage: The car is parked below.";
    assert_eq!(says(&bot, ada, garage, 1).await, "Kept in 1 pieces.");
    let kitchen = "keep Kitchen: Every meal is at noon.";
    assert_eq!(says(&bot, ada, kitchen, 2).await, "Kept in null pieces.");
    assert_eq!(says(&bot, bob, kitchen, 1).await, "Kept in 1 pieces.");
    bot.finish().await;
    assert_eq!(bot.look().await.count("documents").await, 2);
}

/// Describes the image that came along; without one, makes one and sends it.
fn artist(request: &RecordedRequest) -> Reply {
    if request.model() == "sees-1" {
        let url = request.messages()[0]["content"][0]["image_url"]["url"]
            .as_str()
            .unwrap();
        return Reply::text(format!("A picture: {}", url[5..].split(';').next().unwrap()));
    }
    let (input, file) = asked(request);
    let results = results(request);
    Reply::json(&match (file.is_string(), results.first()) {
        (true, None) => call("image.describe", json!({"file_id": file, "question": "What is it?"})),
        (true, Some(seen)) => finish(
            seen["result"]["description"]
                .as_str()
                .or(seen["error"].as_str())
                .unwrap(),
        ),
        (false, None) => call("image.make", json!({"prompt": input, "size": "1024x1024"})),
        (false, Some(made)) => match made["result"]["id"].as_str() {
            Some(id) => json!({"type": "finish", "output": "Here it is.", "file_ids": [id]}),
            None => finish(made["error"].as_str().unwrap()),
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_is_seen_and_one_is_made_and_sent_where_a_provider_is_set() {
    // Making images costs money, so it asks first, unless that is allowed; all the more after a file was read.
    let rule = toml::toml! {
        action = "allow_tainted"
        tools = ["image.make"]
    };
    let mut bot = Setup::on(Site::Telegram)
        .set("policies", vec![toml::Value::from(rule)])
        .set("tools.image.make_price", 0.25)
        .set("llm.roles.vision.model", "sees-1")
        .set("tools.image.make_model", "gpt-image-1")
        .prepare()
        .await;
    bot.configure("tools.image.base_url", bot.model.base_url());
    bot.start().await;
    bot.model.respond_with(artist);
    let Room::Telegram(chat) = bot.room(Site::Telegram, 7, "Ada") else {
        panic!("a Telegram room")
    };
    let room = Room::Telegram(chat);
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    bot.telegram.user_sends_file(chat, 7, "look", "a.png", png);
    assert_eq!(bot.answers(room, 1).await, ["A picture: image/png"]);
    bot.telegram.user_sends_file(chat, 7, "look", "a.png", b"no image");
    assert_eq!(
        bot.answers(room, 2).await[1],
        "a.png is no image that models see: they see JPEG, PNG, GIF and WebP"
    );
    bot.says(room, "a lighthouse at dusk");
    bot.telegram.wait_for_sent(chat, 4).await;
    let made = bot.telegram.sent(chat).pop().unwrap();
    assert_eq!(made.method, Method::SendPhoto);
    let made = made.document.unwrap();
    assert_eq!((made.name.as_str(), made.content.get(..8)), ("image.png", png.get(..8)));
    // A provider may name its address in place of the image: its own is fetched, another private one is not.
    let base = bot.model.base_url().trim_end_matches("/v1").to_owned();
    bot.says(room, &format!("a pier {base}/made/1.png"));
    bot.telegram.wait_for_sent(chat, 6).await;
    let fetched = bot.telegram.sent(chat).pop().unwrap().document.unwrap();
    assert_eq!(fetched.content, made.content);
    let refused = says(&bot, room, "a pier http://127.0.0.1:9/1.png", 7).await;
    assert!(refused.contains("could not be fetched from its address"), "{refused}");
    let refused = says(&bot, room, "something forbidden", 8).await;
    assert_eq!(
        refused,
        "the provider refused it: Your request was rejected by the safety system."
    );
    // Both are paid for as any other call; what came to nothing is not.
    let mut conn = bot.look().await.db.read().await.unwrap();
    let by_role = usage::grouped(&mut conn, Grouping::Model, Filter::default(), &TimeZone::UTC, 9).await;
    let used: Vec<_> = (by_role.unwrap().into_iter())
        .map(|group| (group.key.unwrap(), group.calls, group.cost))
        .filter(|(model, ..)| model != "fake/fake-1")
        .collect();
    assert_eq!(
        used,
        [
            ("tools.image/gpt-image-1".to_owned(), 3, 0.75),
            ("fake/sees-1".to_owned(), 1, 0.0)
        ]
    );
    drop(conn);
    bot.finish().await;
}

/// Has an image described by a model that never answers, until that was stopped or took too long.
async fn looks_in_vain(limit: Option<(&str, u32)>, ended: impl AsyncFnOnce(&Bot, Room)) {
    let mut budget = toml::Table::new();
    budget.insert("scope".to_owned(), "bot".into());
    budget.insert("period".to_owned(), "day".into());
    budget.insert("cost".to_owned(), 1_000.0.into());
    let mut setup = Setup::on(Site::Telegram)
        .provider("prompt_price", 1_000.0)
        .set("budgets", vec![toml::Value::Table(budget)])
        .set("memory.enabled", false)
        .set("llm.roles.vision.model", "sees-1");
    if let Some((setting, seconds)) = limit {
        setup = setup.set(setting, seconds);
    }
    let mut bot = setup.start().await;
    bot.model.respond_with(|request| match request.model() {
        "sees-1" => Reply::never(),
        _ => artist(request),
    });
    let Room::Telegram(chat) = bot.room(Site::Telegram, 7, "Ada") else {
        panic!("a Telegram room")
    };
    bot.telegram
        .user_sends_file(chat, 7, "look", "a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    bot.until("a look at it", async |_| {
        bot.model
            .requests()
            .iter()
            .any(|request| request.model() == "sees-1")
            .then_some(())
    })
    .await;
    ended(&bot, Room::Telegram(chat)).await;

    let look = bot.look().await;
    let mut conn = look.db.read().await.unwrap();
    let by_model = usage::grouped(&mut conn, Grouping::Model, Filter::default(), &TimeZone::UTC, 9)
        .await
        .unwrap();
    drop(conn);
    let looked = by_model
        .iter()
        .find(|group| group.key.as_deref() == Some("fake/(broken off)"))
        .unwrap();
    assert_eq!((looked.calls, looked.estimated_calls), (1, 1), "{by_model:?}");
    // The image alone is so much.
    assert!(looked.cost > 1.6 && looked.prompt_tokens > 1_600, "{looked:?}");
    assert_eq!(look.count("budget_reservations").await, 0);
    let spent: f64 = by_model.iter().map(|group| group.cost).sum();
    let settled = look
        .number("SELECT CAST(ROUND(SUM(cost) * 1000) AS BIGINT) FROM budget_spending")
        .await;
    assert!(
        (spent * 1_000.0 - settled as f64).abs() < 0.6,
        "{spent} was spent, {settled} thousandths settled"
    );
    bot.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_asks_of_a_model_is_charged_though_it_takes_too_long() {
    looks_in_vain(Some(("tools.image.time_limit_seconds", 1)), async |bot, room| {
        assert_eq!(bot.answers(room, 1).await, ["it took longer than 1 s"]);
        let run = bot.look().await.run().await;
        assert!(run.cost > 1.6, "the run has cost {}", run.cost);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_asks_of_a_model_is_charged_though_the_time_of_a_run_is_over() {
    looks_in_vain(Some(("engine.max_run_seconds", 3)), async |bot, room| {
        bot.answers(room, 1).await;
        let run = bot.look().await.run().await;
        assert!(run.cost > 1.6, "the run has cost {}", run.cost);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_asks_of_a_model_is_charged_though_it_is_stopped() {
    looks_in_vain(None, async |bot, room| {
        bot.says(room, "/stop");
        bot.until("what it has cost", async |look| {
            (look.count("usage").await == 2).then_some(())
        })
        .await;
    })
    .await;
}

/// Has a subagent look at the image that came along.
fn delegator(request: &RecordedRequest) -> Reply {
    if request.model() == "sees-1" {
        return Reply::text("A picture.").without_usage();
    }
    let payload: Value = serde_json::from_str(request.text(1)).unwrap();
    let said = |name: &str| {
        let entries = request.messages().iter().skip(2);
        entries
            .filter_map(|message| message["content"].as_str())
            .any(|text| text.starts_with(&format!("{{\"{name}\"")))
    };
    Reply::json(&match payload["task"].as_str() {
        Some(_) if said("tool_result") => finish("A picture."),
        Some(task) => call(
            "image.describe",
            json!({"file_id": task.trim_start_matches("look at ")}),
        ),
        None if said("subagents") => finish("It is a picture."),
        None => {
            let task = format!("look at {}", payload["files"][0]["id"].as_str().unwrap());
            let mut spawn = call("", json!({}));
            spawn["type"] = "spawn_subagent".into();
            spawn["subagent"] = json!({ "task": task });
            for key in ["name", "args"] {
                spawn.as_object_mut().unwrap().remove(key);
            }
            spawn
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_tools_of_a_subagent_take_counts_as_what_its_run_has_used() {
    let mut bot = Setup::on(Site::Telegram)
        .set("llm.roles.vision.model", "sees-1")
        .set("memory.enabled", false)
        .start()
        .await;
    bot.model.respond_with(delegator);
    let Room::Telegram(chat) = bot.room(Site::Telegram, 7, "Ada") else {
        panic!("a Telegram room")
    };
    bot.telegram
        .user_sends_file(chat, 7, "look", "a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    assert_eq!(bot.answers(Room::Telegram(chat), 1).await, ["It is a picture."]);
    bot.finish().await;
    let look = bot.look().await;
    let runs = look.runs().await;
    let [root, child] = runs.as_slice() else {
        panic!("{runs:?}")
    };
    let of_child = |what: &str| {
        format!(
            "SELECT CAST(SUM({what}) AS BIGINT) FROM usage WHERE run_id = '{}'",
            child.id
        )
    };
    let looked = "CASE WHEN role = 'vision' THEN prompt_tokens ELSE 0 END";
    assert!(look.number(&of_child(looked)).await > 0);
    assert_eq!(
        (child.prompt_tokens, child.completion_tokens),
        (
            look.number(&of_child("prompt_tokens")).await,
            look.number(&of_child("completion_tokens")).await
        )
    );
    let steps = steps::of_run(&mut look.db.read().await.unwrap(), root.id)
        .await
        .unwrap();
    let used: Vec<_> = (steps.iter())
        .filter_map(|step| match &step.kind {
            StepKind::Event(Event::SubagentEnded { used, .. }) => Some(used.tokens),
            _ => None,
        })
        .collect();
    assert_eq!(used, [(child.prompt_tokens + child.completion_tokens).cast_unsigned()]);
}

/// Says what it is shown, and asks for what is none of its business.
fn viewer(request: &RecordedRequest) -> Reply {
    let shown = request
        .messages()
        .iter()
        .filter_map(|message| message["content"].as_array());
    let images = shown.flatten().filter(|piece| piece["type"] == "image_url").count();
    let results = results(request);
    Reply::json(&match results.first() {
        None => call(
            "memory.put",
            json!({"module": "preferences", "key": "drink", "value": format!("{images} tea")}),
        ),
        Some(_) => finish("done"),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_sees_is_shown_the_image_of_a_message_as_data_from_outside() {
    let mut bot = Setup::on(Site::Telegram).provider("images", true).start().await;
    bot.model.respond_with(viewer);
    let Room::Telegram(chat) = bot.room(Site::Telegram, 7, "Ada") else {
        panic!("a Telegram room")
    };
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    bot.telegram.user_sends_file(chat, 7, "look", "a.png", png);
    // Its next call needs a person's word, as after any file of others.
    let asked = bot.answers(Room::Telegram(chat), 1).await;
    assert!(
        asked[0].contains("memory.put") && asked[0].contains("1 tea"),
        "{asked:?}"
    );
    bot.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_image_is_promised_where_no_provider_is_set() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let room = bot.room(Site::Telegram, 7, "Ada");
    says(&bot, room, "hello", 1).await;
    bot.finish().await;
    let request = bot.model.requests().remove(0);
    let system = request.text(0);
    assert!(system.contains("- retrieval ("), "{system}");
    assert!(!system.contains("- image ("), "{system}");
}
