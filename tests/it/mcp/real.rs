//! The reference server of the protocol's makers, over both transports.
//!
//! `CLIFFORD_TEST_MCP` names its program (`npm install @modelcontextprotocol/server-everything`, then
//! `node_modules/.bin/mcp-server-everything`); without it these tests say that they were skipped.

use std::{env, net::TcpListener, process::Stdio};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use super::{bot_with, told};

const VARIABLE: &str = "CLIFFORD_TEST_MCP";

/// The server's program, if there is one here.
fn program() -> Option<String> {
    let program = env::var(VARIABLE).ok();
    match &program {
        Some(path) => assert!(std::path::Path::new(path).exists(), "{VARIABLE}: there is no {path}"),
        None => println!("skipped: {VARIABLE} names no MCP server"),
    }
    program
}

fn table(entries: &[(&str, toml::Value)]) -> toml::Table {
    let entries = entries.iter().cloned();
    entries.map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The server as a program, with these of its environment. The bot of a journey has no PATH; the program needs one.
fn started(program: String, given: &[(&str, toml::Value)]) -> toml::Table {
    let mut env = table(given);
    env.insert("PATH".to_owned(), env::var("PATH").unwrap().into());
    table(&[
        ("name", "everything".into()),
        ("command", program.into()),
        ("env", env.into()),
    ])
}

/// The requests to the server, and its presentation to models and people.
async fn asks_everything(server: toml::Table) {
    let mut bot = bot_with(&[server]).await;
    let answers = told(
        &bot,
        "everything.get-sum {\"a\":17,\"b\":25}\n\
         everything.get-structured-content {\"location\":\"Chicago\"}\n\
         everything.get-sum {\"a\":\"many\"}\n\
         everything.get-tiny-image",
    )
    .await;
    let lines: Vec<_> = answers.lines().collect();
    assert_eq!(lines[0], "The sum of 17 and 25 is 42.");
    assert!(lines[1].contains("\"temperature\":"), "{answers}");
    assert!(lines[2].starts_with("the arguments are wrong: "), "{answers}");
    assert!(!answers.contains("iVBOR"), "an image is named, not shown: {answers}");
    let system = bot.model.requests()[0].text(0).to_owned();
    assert!(
        system.contains("get-sum {a, b}: Returns the sum of two numbers"),
        "{system}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn telegram_user_is_answered_by_a_real_mcp_server() {
    let Some(program) = program() else { return };
    asks_everything(started(program, &[])).await;
}

#[tokio::test]
async fn a_real_mcp_server_knows_nothing_of_the_bots_environment() {
    let Some(program) = program() else { return };
    let mut server = started(program, &[("GIVEN", "on purpose".into())]);
    server.insert("include".to_owned(), vec!["get-env"].into());
    let mut bot = bot_with(&[server]).await;
    let environment = told(&bot, "everything.get-env").await;
    let names: std::collections::BTreeMap<String, serde_json::Value> = serde_json::from_str(&environment).unwrap();
    assert_eq!(names.keys().collect::<Vec<_>>(), ["GIVEN", "HOME", "PATH"]);
    bot.finish().await;
}

/// The server over HTTP, ready.
async fn over_http(program: &str) -> (Child, u16) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut child = Command::new(program)
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.contains("listening on port") {
            return (child, port);
        }
    }
    panic!("it ended");
}

#[tokio::test]
async fn telegram_user_is_answered_by_a_real_mcp_server_over_http() {
    let Some(program) = program() else { return };
    let (_child, port) = over_http(&program).await;
    let url = format!("http://127.0.0.1:{port}/mcp");
    asks_everything(table(&[("name", "everything".into()), ("url", url.into())])).await;
}
