//! Models of different kinds and roles, and the failure of one.

use clifford_core::models::Grouping;
use clifford_fakes::{
    anthropic::{self, AnthropicFake},
    openai::{OpenAiFake, Reply},
};
use clifford_store::usage::{self, Filter};
use jiff::tz::TimeZone;

use crate::{
    api_watch::{Watch, named, watched},
    harness::{Bot, Room, Setup, Site},
    scripted_model,
};

fn provider(name: &str, kind: &str, base_url: String) -> toml::Table {
    let mut provider = toml::Table::new();
    for (key, value) in [
        ("name", name),
        ("kind", kind),
        ("base_url", &base_url),
        ("model", "claude-test"),
    ] {
        provider.insert(key.to_owned(), value.into());
    }
    provider.insert("key".to_owned(), "sk-ant-1".into());
    provider
}

fn providers(providers: impl IntoIterator<Item = toml::Table>) -> toml::Value {
    toml::Value::Array(providers.into_iter().map(toml::Value::from).collect())
}

async fn calls_by(bot: &Bot, by: Grouping) -> Vec<(String, i64)> {
    let look = bot.look().await;
    let mut conn = look.db.read().await.unwrap();
    let groups = usage::grouped(&mut conn, by, Filter::default(), &TimeZone::UTC, 50)
        .await
        .unwrap();
    let mut calls: Vec<_> = groups
        .into_iter()
        .map(|group| (group.key.unwrap_or_default(), group.calls))
        .collect();
    calls.sort();
    calls
}

#[tokio::test]
async fn telegram_user_is_answered_by_anthropics_api_with_tools_and_is_remembered() {
    let claude = AnthropicFake::start().await;
    claude.require_key("sk-ant-1");
    claude.respond_with(scripted_model::reply);
    let list = providers([provider("claude", "anthropic", claude.base_url())]);
    let mut bot = Setup::on(Site::Telegram).set("llm.providers", list).start().await;
    let chat = bot.telegram.user(7, "Ada");
    let ada = Room::Telegram(chat);
    bot.says(ada, "two tools, and remember my hat");
    assert_eq!(bot.answers(ada, 1).await, ["two tools, and remember my hat: 42 and 43"]);
    bot.telegram.command(chat, 7, "close", "");
    bot.until("the memory", async |look| {
        (look.count("memory_items").await == 1).then_some(())
    })
    .await;
    bot.finish().await;
    assert_eq!(claude.violations(), Vec::<String>::new());
    let requests = claude.requests();
    // Between the iterations of a run, what was sent before is sent again as it was, marks for the cache apart.
    let said = |at: usize| {
        let mut said = requests[at].body["messages"].clone();
        for turn in said.as_array_mut().unwrap() {
            for block in turn["content"].as_array_mut().unwrap() {
                block.as_object_mut().unwrap().remove("cache_control");
            }
        }
        said.as_array().unwrap().clone()
    };
    assert!(said(1).starts_with(&said(0)) && said(2).starts_with(&said(1)));
    assert_eq!(requests[0].body["system"], requests[2].body["system"]);
    assert_eq!(
        calls_by(&bot, Grouping::Role).await,
        [("executor".to_owned(), 3), ("memory".to_owned(), 1)]
    );
}

#[tokio::test]
async fn the_memory_writer_asks_the_model_of_its_role() {
    let (talker, writer) = (OpenAiFake::start().await, OpenAiFake::start().await);
    talker.respond_with(scripted_model::reply);
    writer.respond_with(scripted_model::reply);
    let list = providers([
        provider("big", "openai", talker.base_url()),
        provider("small", "openai", writer.base_url()),
    ]);
    let setup = Setup::on(Site::Telegram)
        .set("llm.providers", list)
        .set("llm.roles.memory.provider", "small")
        .set("llm.roles.memory.model", "tiny");
    let mut bot = setup.start().await;
    let chat = bot.telegram.user(7, "Ada");
    bot.says(Room::Telegram(chat), "remember my hat");
    bot.answers(Room::Telegram(chat), 1).await;
    bot.telegram.command(chat, 7, "close", "");
    bot.until("the memory", async |look| {
        (look.count("memory_items").await == 1).then_some(())
    })
    .await;
    bot.finish().await;
    assert_eq!(talker.request_count(), 1);
    let models: Vec<_> = writer
        .requests()
        .iter()
        .map(|request| request.model().to_owned())
        .collect();
    assert_eq!(models, ["tiny"]);
    assert_eq!(
        calls_by(&bot, Grouping::Model).await,
        [("big/claude-test".to_owned(), 1), ("small/tiny".to_owned(), 1)]
    );
}

#[tokio::test]
async fn a_provider_that_keeps_failing_is_left_alone_while_another_answers() {
    let (broken, sound) = (AnthropicFake::start().await, OpenAiFake::start().await);
    broken.respond_with(|_| anthropic::status(529, "Overloaded"));
    sound.respond_with(scripted_model::reply);
    let list = providers([
        provider("broken", "anthropic", broken.base_url()),
        provider("sound", "openai", sound.base_url()),
    ]);
    let setup = Setup::on(Site::Telegram)
        .set("llm.retries", 0)
        .set("memory.enabled", false)
        .set("llm.providers", list);
    let mut bot = setup.start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    for count in 1..=5 {
        bot.says(ada, "hello");
        assert_eq!(bot.answers(ada, count).await[count - 1], "You said: hello");
    }
    bot.finish().await;
    assert_eq!((broken.request_count(), sound.request_count()), (3, 5));
}

#[tokio::test]
async fn that_the_key_is_wrong_is_said_in_a_chat_and_not_which_one() {
    let claude = AnthropicFake::start().await;
    claude.require_key("another");
    claude.push(Reply::text("never"));
    let list = providers([provider("claude", "anthropic", claude.base_url())]);
    let mut bot = Setup::on(Site::Telegram).set("llm.providers", list).start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, "hello");
    assert_eq!(
        bot.answers(ada, 1).await,
        ["Sorry, my language model does not accept my key. My owner has to fix that."]
    );
    bot.finish().await;
    assert_eq!(bot.logged("sk-ant-1"), 0);
}

#[tokio::test]
async fn a_provider_that_stays_silent_leaves_time_for_another_and_is_left_alone() {
    let (silent, sound) = (OpenAiFake::start().await, OpenAiFake::start().await);
    silent.respond_with(|_| Reply::never());
    sound.respond_with(scripted_model::reply);
    let list = providers([
        provider("silent", "openai", silent.base_url()),
        provider("sound", "openai", sound.base_url()),
    ]);
    let setup = watched(Setup::on(Site::Telegram))
        .set("engine.max_run_seconds", 6)
        .set("memory.enabled", false)
        .set("llm.providers", list);
    let mut bot = setup.start().await;
    let rooms: Vec<_> = (7..10).map(|id| bot.room(Site::Telegram, id, "Ada")).collect();
    for room in &rooms {
        bot.says(*room, "hello");
    }
    for room in &rooms {
        assert_eq!(bot.answers(*room, 1).await, ["You said: hello"]);
    }
    let watch = Watch::on(&bot);
    let (status, checks) = watch.ready().await;
    let told = checks["provider"]["detail"].as_str().unwrap();
    assert!(
        status == 200 && told.starts_with("silent keeps failing and is left alone for ") && told.ends_with("; sound"),
        "{checks}"
    );
    let open = |provider| named("clifford_provider_circuit_open", &[("provider", provider)]);
    let samples = watch.samples().await;
    assert_eq!((samples[&open("silent")], samples[&open("sound")]), (1.0, 0.0));
    bot.says(rooms[0], "again");
    assert_eq!(bot.answers(rooms[0], 2).await[1], "You said: again");
    bot.finish().await;
    assert_eq!((silent.request_count(), sound.request_count()), (3, 4));
}

#[tokio::test]
async fn a_provider_that_hangs_costs_its_first_caller_the_time_for_a_first_token_and_the_others_nothing() {
    let (silent, sound) = (OpenAiFake::start().await, OpenAiFake::start().await);
    // It takes the call, says who speaks, and keeps the connection open.
    let hangs = || Reply::text("never").keep_alive_after(1, std::time::Duration::from_millis(100));
    silent.respond_with(move |_| hangs());
    sound.respond_with(scripted_model::reply);
    let mut first = provider("silent", "openai", silent.base_url());
    first.insert("first_token_timeout_seconds".to_owned(), 1.into());
    let list = providers([first, provider("sound", "openai", sound.base_url())]);
    let mut bot = Setup::on(Site::Telegram)
        .set("memory.enabled", false)
        .set("llm.providers", list)
        .start()
        .await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    for count in 1..=3 {
        bot.says(ada, "hello");
        assert_eq!(bot.answers(ada, count).await[count - 1], "You said: hello");
    }
    bot.finish().await;
    assert_eq!((silent.request_count(), sound.request_count()), (1, 3));
}

#[tokio::test]
async fn what_is_too_long_for_one_provider_is_asked_of_the_next_that_holds_more() {
    let (small, large) = (OpenAiFake::start().await, OpenAiFake::start().await);
    small.respond_with(scripted_model::reply);
    large.respond_with(scripted_model::reply);
    // Not even the instructions fit.
    small.context_window(512);
    let list = providers([
        provider("small", "openai", small.base_url()),
        provider("large", "openai", large.base_url()),
    ]);
    let mut bot = Setup::on(Site::Telegram)
        .set("memory.enabled", false)
        .set("llm.providers", list)
        .start()
        .await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    for count in 1..=2 {
        bot.says(ada, "hello");
        assert_eq!(bot.answers(ada, count).await[count - 1], "You said: hello");
    }
    bot.finish().await;
    // It is refused once, and known to be too small then.
    assert_eq!((small.request_count(), large.request_count()), (1, 2));
}

/// A bot that may finish at once, and remembers nothing.
async fn unplanned() -> Bot {
    let setup = Setup::on(Site::Telegram).set("engine.planning_gate", "off");
    setup.set("memory.enabled", false).start().await
}

#[tokio::test]
async fn a_reply_that_is_there_is_taken_whatever_becomes_of_its_stream() {
    let mut bot = unplanned().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    let action = serde_json::json!({"type": "finish", "output": "done"});
    // The opening, the text in two pieces, and the reason to end.
    let replies = [Reply::json(&action).cut_after(4), Reply::json(&action).hang_after(4)];
    for (count, reply) in (1..).zip(replies) {
        bot.model.push(reply);
        bot.says(ada, "hello");
        assert_eq!(bot.answers(ada, count).await[count - 1], "done");
        assert_eq!(bot.model.request_count(), count);
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_reply_that_its_server_withholds_as_not_of_the_form_is_read_all_the_same() {
    let mut bot = unplanned().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    let action = serde_json::json!({"type": "finish", "output": "done"});
    let error = serde_json::json!({"error": {"message": "Failed to generate JSON. Please adjust your prompt.",
        "type": "invalid_request_error", "code": "json_validate_failed", "failed_generation": action.to_string()}});
    bot.model.push(Reply::raw(400, "application/json", error.to_string()));
    bot.says(ada, "hello");
    assert_eq!(bot.answers(ada, 1).await, ["done"]);
    bot.finish().await;
    assert_eq!(bot.model.request_count(), 1);
}

#[tokio::test]
async fn an_answer_whose_characters_come_in_halves_is_whole() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    let text = "Bravo 😀👩‍👩‍👧! Grüße 🇩🇪";
    let action = serde_json::json!({"type": "send_message", "message": text});
    bot.model.push(Reply::json(&action).splitting_surrogates());
    bot.says(ada, "hello");
    assert_eq!(bot.answers(ada, 1).await, [text]);
    bot.finish().await;
    assert_eq!(bot.model.request_count(), 1);
}

#[tokio::test]
async fn an_action_within_an_answer_is_never_shown_as_json() {
    let mut bot = Setup::on(Site::Telegram).start().await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    let nested = r#"{"type":"send_message","message":"{\"type\":\"finish\",\"output\":\"hello\"}"}"#;
    let honest = r#"{"type":"send_message","message":"{\"city\":\"Paris\"}"}"#;
    for (count, (reply, expected)) in (1..).zip([(nested, "hello"), (honest, r#"{"city":"Paris"}"#)]) {
        bot.model.push(Reply::text(reply));
        bot.says(ada, "say it");
        assert_eq!(bot.answers(ada, count).await[count - 1], expected);
    }
    // One that says nothing is asked for again.
    bot.model.push(Reply::text(
        r#"{"type":"send_message","message":"{\"type\":\"tool_call\",\"name\":\"a.b\"}"}"#,
    ));
    bot.says(ada, "hello");
    assert_eq!(bot.answers(ada, 3).await[2], "You said: hello");
    bot.finish().await;
}

#[tokio::test]
async fn a_provider_that_refuses_the_key_is_not_ready_until_it_answers() {
    let claude = AnthropicFake::start().await;
    claude.require_key("another");
    claude.respond_with(scripted_model::reply);
    let list = providers([provider("claude", "anthropic", claude.base_url())]);
    let setup = watched(Setup::on(Site::Telegram)).set("llm.providers", list);
    let mut bot = setup.start().await;
    let watch = Watch::on(&bot);
    let (status, checks) = watch.ready().await;
    assert_eq!((status, &checks["provider"]["detail"]), (200, &"claude".into()));
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, "hello");
    bot.answers(ada, 1).await;
    let (status, checks) = watch.ready().await;
    assert_eq!(
        (status, &checks["provider"]["detail"]),
        (
            503,
            &"claude refused the last call: check `key` of provider `claude`".into()
        )
    );
    claude.require_key("sk-ant-1");
    bot.says(ada, "hello");
    assert_eq!(bot.answers(ada, 2).await[1], "You said: hello");
    let (status, checks) = watch.ready().await;
    assert_eq!((status, &checks["provider"]["detail"]), (200, &"claude".into()));
    bot.finish().await;
}

#[tokio::test]
async fn a_role_s_model_is_charged_at_the_role_s_prices() {
    let model = OpenAiFake::start().await;
    model.respond_with(scripted_model::reply);
    let mut main = provider("main", "openai", model.base_url());
    main.insert("prompt_price".to_owned(), 1000.0.into());
    main.insert("completion_price".to_owned(), 2000.0.into());
    let setup = Setup::on(Site::Telegram)
        .set("llm.providers", providers([main]))
        .set("llm.roles.memory.model", "tiny")
        .set("llm.roles.memory.prompt_price", 10.0);
    let mut bot = setup.start().await;
    let chat = bot.telegram.user(7, "Ada");
    bot.says(Room::Telegram(chat), "remember my hat");
    bot.answers(Room::Telegram(chat), 1).await;
    bot.telegram.command(chat, 7, "close", "");
    bot.until("the memory", async |look| {
        (look.count("memory_items").await == 1).then_some(())
    })
    .await;
    bot.finish().await;
    let look = bot.look().await;
    let mut conn = look.db.read().await.unwrap();
    let by_model = usage::grouped(&mut conn, Grouping::Model, Filter::default(), &TimeZone::UTC, 50).await;
    for group in by_model.unwrap() {
        let (prompt, completion) = match group.key.as_deref() {
            Some("main/tiny") => (10.0, 2000.0),
            Some("main/claude-test") => (1000.0, 2000.0),
            other => panic!("{other:?}"),
        };
        let cost = (group.prompt_tokens as f64 * prompt + group.completion_tokens as f64 * completion) / 1e6;
        assert!((group.cost - cost).abs() < 1e-9, "{group:?} instead of {cost}");
    }
}
