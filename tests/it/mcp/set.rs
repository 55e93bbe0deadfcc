//! The settings for tools of servers, the rules about them, and how they may be called.

use serde_json::{Value, json};

use super::{at_work, bot_with, caller, fake, told};
use crate::harness::{Bot, Setup, Site};

/// The tools that the last prompt told of.
fn shown(bot: &Bot) -> bool {
    let last = bot.model.requests().pop().unwrap();
    last.text(0).contains("\n- fake (mcp): ")
}

#[tokio::test]
async fn a_servers_tools_are_turned_off_for_a_channel_and_hold_elsewhere() {
    let mut bot = bot_with(&[fake()]).await;
    assert_eq!(told(&bot, r#"fake.echo {"text":"hi"}"#).await, r#"{"text":"hi"}"#);
    assert!(shown(&bot));
    let channel = bot.look().await.channels().await.remove(0).id;
    let scope = format!("channel:{channel}");
    bot.command(&["tools", "set", "fake", "enabled", "false", "--scope", &scope])
        .await;
    let off = "the tool fake is turned off here; do without it";
    assert_eq!(told(&bot, r#"fake.echo {"text":"hi"}"#).await, off);
    assert!(!shown(&bot));
    let bob = bot.room(Site::Telegram, 8, "Bob");
    bot.says(bob, r#"fake.echo {"text":"hi"}"#);
    assert_eq!(bot.answers(bob, 1).await, [r#"{"text":"hi"}"#]);
    let tool = bot
        .command(&["tools", "show", "fake", "--scope", &scope, "--json"])
        .await;
    let tool: Value = serde_json::from_str(&tool).unwrap();
    assert_eq!(
        (&tool["usable"], &tool["why"]),
        (&json!(false), &json!("it is turned off (channel)"))
    );
    bot.finish().await;
}

#[tokio::test]
async fn a_server_whose_calls_take_too_long_is_given_less_time_by_a_setting() {
    let mut bot = bot_with(&[fake()]).await;
    bot.command(&["tools", "set", "fake", "time_limit_seconds", "1"]).await;
    assert_eq!(told(&bot, "fake.slow").await, "it took longer than 1 s");
    bot.finish().await;
}

#[tokio::test]
async fn a_call_of_a_servers_tool_is_tried_by_what_the_server_says_of_it() {
    let mut bot = bot_with(&[fake()]).await;
    for (call, class, outcome) in [
        ("fake.echo", "READ", "allow"),
        ("fake.wipe", "DESTRUCT", "confirm"),
        ("memory.put", "WRITE", "allow"),
    ] {
        let tried = bot.command(&["policy", "test", call, "--json"]).await;
        let tried: Value = serde_json::from_str(&tried).unwrap();
        assert_eq!(
            (&tried["class"], &tried["outcome"]),
            (&json!(class), &json!(outcome)),
            "{call}"
        );
    }
    bot.finish().await;
}

#[tokio::test]
async fn a_servers_tool_that_reads_is_called_by_hand() {
    let mut bot = bot_with(&[fake()]).await;
    bot.stop().await;
    let call = ["tools", "call", "fake.echo", r#"{"text":"hi"}"#, "--json"];
    let result: Value = serde_json::from_str(&bot.command(&call).await).unwrap();
    assert_eq!(result, json!({ "data": { "text": "hi" } }));
}

#[tokio::test]
async fn a_server_with_one_tool_may_be_called_by_its_own_name() {
    let mut server = fake();
    server.insert("include".to_owned(), vec!["echo"].into());
    let setup = Setup::on(Site::Telegram).set("tools.mcp", vec![toml::Value::Table(server)]);
    let mut bot = setup.start().await;
    bot.model.respond_with(caller);
    at_work(&bot, 1).await;
    assert_eq!(told(&bot, r#"fake {"text":"hi"}"#).await, r#"{"text":"hi"}"#);
    let look = bot.look().await;
    let run = look.run().await;
    let shown = bot.command(&["runs", "show", &run.id.to_string()]).await;
    assert!(shown.contains("fake.echo"), "{shown}");
    bot.finish().await;
}
