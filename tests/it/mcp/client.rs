//! `clifford mcp`, driven by an MCP client over its standard input and output.

use std::{net::TcpListener, process::Stdio};

use clifford_fakes::telegram::TelegramFake;
use rmcp::{
    RoleClient,
    model::{CallToolRequestParams, CallToolResponse},
    service::{RunningService, serve_client},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
};

use crate::harness::{Setup, Site};

/// A machine of one's own, on which `clifford mcp` is started.
struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn start(&self, args: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_clifford"))
            .arg("mcp")
            .args(args)
            .env_clear()
            .env("HOME", self.0.path())
            .env("XDG_DATA_HOME", self.0.path())
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }
}

type Client = RunningService<RoleClient, ()>;

/// A client of a process.
async fn client(child: &mut Child) -> Client {
    let pipes = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    serve_client((), pipes).await.unwrap()
}

/// The result of a tool.
async fn call(client: &Client, tool: &'static str, args: Value) -> Result<Value, String> {
    let args = args.as_object().cloned().unwrap();
    let params = CallToolRequestParams::new(tool).with_arguments(args);
    let CallToolResponse::Complete(result) = client.call_tool_once(params).await.unwrap() else {
        panic!("not a result");
    };
    match result.structured_content {
        Some(value) if result.is_error != Some(true) => Ok(value),
        _ => Err(result.content[0].as_text().unwrap().text.clone()),
    }
}

#[tokio::test]
async fn a_client_talks_to_the_bot_lists_its_runs_and_reads_what_happened() {
    let machine = Machine::new();
    let mut child = machine.start(&[]);
    let client = client(&mut child).await;
    let info = client.peer_info().unwrap().server_info.clone().unwrap();
    assert_eq!(
        (info.name.as_str(), info.version.as_str()),
        ("clifford", env!("CARGO_PKG_VERSION"))
    );
    let tools = client.list_all_tools().await.unwrap();
    let tools: Vec<_> = tools
        .iter()
        .map(|tool| (&*tool.name, tool.annotations.as_ref().unwrap().read_only_hint))
        .collect();
    assert_eq!(
        tools,
        [
            ("send_message", Some(false)),
            ("list_runs", Some(true)),
            ("read_trace", Some(true))
        ]
    );

    let answer = call(&client, "send_message", json!({ "text": "what is 17 * 23?" }))
        .await
        .unwrap();
    assert_eq!(
        (&answer["status"], &answer["answer"]),
        (&json!("completed"), &json!("17 * 23 = 391"))
    );
    let again = json!({ "text": "what is 2 + 2?", "conversation": answer["conversation"] });
    let again = call(&client, "send_message", again).await.unwrap();
    assert_eq!(
        (&again["answer"], &again["conversation"]),
        (&json!("2 + 2 = 4"), &answer["conversation"])
    );

    let runs = call(&client, "list_runs", json!({ "status": "completed", "limit": 1 }))
        .await
        .unwrap();
    assert_eq!(
        (&runs["runs"][0]["id"], &runs["runs"][0]["inputText"]),
        (&again["run"], &json!("what is 2 + 2?"))
    );
    let trace = call(&client, "read_trace", json!({ "run": answer["run"] }))
        .await
        .unwrap();
    let steps: Vec<_> = trace["runSteps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["type"])
        .collect();
    assert!(steps.contains(&&json!("tool_call")), "{steps:?}");

    let wrong = async |tool, args| call(&client, tool, args).await.unwrap_err();
    assert_eq!(
        wrong("read_trace", json!({ "run": "last" })).await,
        "run: `last` is no run's id"
    );
    assert_eq!(
        wrong("list_runs", json!({ "status": "done" })).await,
        "status: there is no `done`"
    );
    assert!(
        wrong("send_message", json!({}))
            .await
            .starts_with("the arguments are wrong: `text` is missing")
    );
    let empty = wrong("send_message", json!({ "text": " " })).await;
    assert_eq!(empty, "The body is invalid: it is empty");

    client.cancel().await.unwrap();
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test]
async fn standard_output_carries_only_the_protocol() {
    let machine = Machine::new();
    let mut child = machine.start(&["--set", "log.level=debug"]);
    let mut stdin = child.stdin.take().unwrap();
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "send_message", "arguments": { "text": "what is 6 * 7?" } } }),
    ];
    for message in messages {
        stdin.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let mut stdout = tokio::io::BufReader::new(child.stdout.take().unwrap());
    let mut said = Vec::new();
    while said.len() < 2 {
        let mut line = String::new();
        tokio::io::AsyncBufReadExt::read_line(&mut stdout, &mut line)
            .await
            .unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        said.push(message);
    }
    assert_eq!((&said[0]["id"], &said[1]["id"]), (&json!(1), &json!(2)));
    assert_eq!(said[1]["result"]["structuredContent"]["answer"], "6 * 7 = 42");
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "");
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).await.unwrap();
    assert!(!log.is_empty(), "the log is on standard error");
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test]
async fn without_a_token_of_its_own_it_is_let_in_as_this_machine() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut bot = Setup::on(Site::Telegram)
        .set("http.enabled", true)
        .set("http.bind", address.to_string())
        .start()
        .await;
    let mut child = bot.beside(&["mcp"]);
    let client = client(&mut child).await;
    let answer = call(&client, "send_message", json!({ "text": "hello again" }))
        .await
        .unwrap();
    assert_eq!(answer["answer"], "You said: hello again");
    client.cancel().await.unwrap();
    assert!(child.wait().await.unwrap().success());
    bot.finish().await;
}

#[tokio::test]
async fn beside_a_server_on_sqlite_it_speaks_to_that_one() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut bot = Setup::on(Site::Telegram)
        .set("http.enabled", true)
        .set("http.bind", address.to_string())
        .set("http.token", "clf_a-token-of-this-test")
        .start()
        .await;
    let mut child = bot.beside(&["mcp"]);
    let client = client(&mut child).await;
    let answer = call(&client, "send_message", json!({ "text": "hello there" }))
        .await
        .unwrap();
    assert_eq!(answer["answer"], "You said: hello there");
    let runs = call(&client, "list_runs", json!({})).await.unwrap();
    assert_eq!(runs["runs"][0]["id"], answer["run"]);
    client.cancel().await.unwrap();
    assert!(child.wait().await.unwrap().success());

    // Without a way in it says what to do.
    let ended = bot
        .beside(&["mcp", "--set", "http.enabled=false"])
        .wait_with_output()
        .await
        .unwrap();
    assert!(!ended.status.success() && ended.stdout.is_empty());
    let told = String::from_utf8(ended.stderr).unwrap();
    assert!(told.contains("clifford token create --name mcp"), "{told}");
    let ended = bot
        .beside(&["mcp", "--set", "http.token=clf_another-token"])
        .wait_with_output()
        .await
        .unwrap();
    let told = String::from_utf8(ended.stderr).unwrap();
    assert!(
        told.contains("A valid token is needed") && !told.contains("clf_another"),
        "{told}"
    );
    assert!(!told.contains(TelegramFake::TOKEN));
    bot.finish().await;
}
