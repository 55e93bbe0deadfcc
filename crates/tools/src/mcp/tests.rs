//! Servers that behave, and servers that do not, over pipes and over HTTP.

use std::{collections::BTreeMap, fs, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use clifford_core::policy::class::Class;
use rmcp::model::CallToolResult;
use rustix::process::{Pid, test_kill_process};
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    Supervisor,
    connection::Connection,
    endpoints, outcome, probe,
    settings::{Endpoint, Servers},
};
use crate::{Options, Registry, Services, ToolError, ToolSettings};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

fn fake(dir: &TempDir) -> Value {
    json!({
        "name": "fake", "command": "sh", "args": [concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fakes/mcp.sh")],
        "cwd": dir.path(), "env": { "PLACE": "here" },
    })
}

fn endpoint(server: Value) -> Endpoint {
    let servers = Servers::deserialize(json!([server])).expect("a server");
    servers.endpoints(&BTreeMap::new()).remove(0)
}

async fn connected(dir: &TempDir) -> Connection {
    Connection::open(&endpoint(fake(dir))).await.expect("a connection")
}

async fn called(connection: &Connection, tool: &str, args: Value) -> Result<CallToolResult, ToolError> {
    let args = args.as_object().cloned().unwrap_or_default();
    connection.link.call(tool.to_owned(), args).await
}

async fn answered(connection: &Connection, tool: &str) -> Result<Value, String> {
    outcome::read(called(connection, tool, json!({})).await.expect("an answer"))
}

fn supervised(dir: &TempDir) -> (Arc<Registry>, Supervisor) {
    let config = ToolSettings::deserialize(json!({ "mcp": [fake(dir)] })).expect("settings");
    let services = Services {
        config,
        ..Services::default()
    };
    let registry = Arc::new(Registry::built_in(1));
    let supervisor = Supervisor::start(&registry, &services);
    (registry, supervisor)
}

/// The names of the server's commands that a model sees.
fn seen(registry: &Registry) -> Vec<String> {
    let visible = registry
        .visible(None, &Options::default())
        .into_iter()
        .filter(|visible| visible.tool.name == "fake");
    visible
        .flat_map(|visible| visible.names().collect::<Vec<_>>())
        .collect()
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    assert!(waited.await.is_ok(), "waited in vain for {what}");
}

fn starts(dir: &TempDir) -> Vec<i32> {
    let pids = fs::read_to_string(dir.path().join("starts")).unwrap_or_default();
    pids.lines().map(|pid| pid.parse().expect("a pid")).collect()
}

#[tokio::test]
async fn a_server_tells_who_it_is_and_answers() {
    let dir = tempfile::tempdir().expect("a directory");
    let connection = connected(&dir).await;
    assert_eq!(
        (connection.about.name.as_str(), connection.about.version.as_str()),
        ("fake", "1.2.3")
    );
    let echo = called(&connection, "echo", json!({ "text": "hi" }))
        .await
        .expect("an answer");
    assert_eq!(outcome::read(echo), Ok(json!({ "data": { "text": "hi" } })));
    assert_eq!(answered(&connection, "fail").await, Err("no such file".to_owned()));
    assert!(connection.link.is_alive().await);
    connection.close().await;
}

#[tokio::test]
async fn a_server_with_odd_tools_offers_the_others() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("odd"), "").expect("a file");
    let connection = connected(&dir).await;
    let tools = connection.link.tools().await.expect("a list");
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(
        names,
        [
            "echo",
            "wipe",
            "environment",
            "fail",
            "big",
            "huge",
            "garbage",
            "slow",
            "die",
            "bare",
            "hinted",
            "grow"
        ]
    );
    connection.close().await;
}

#[tokio::test]
async fn an_odd_answer_is_read_but_for_what_is_odd() {
    let dir = tempfile::tempdir().expect("a directory");
    let connection = connected(&dir).await;
    let text = "half \u{fffd} of it\n(left out: a part that cannot be read here, of the type hologram)";
    assert_eq!(answered(&connection, "odd_answer").await, Ok(json!({ "text": text })));
    connection.close().await;
}

#[tokio::test]
async fn a_program_is_given_no_environment_but_its_own() {
    let dir = tempfile::tempdir().expect("a directory");
    let connection = connected(&dir).await;
    let environment = answered(&connection, "environment").await.expect("an answer");
    let names: Vec<_> = environment["text"]
        .as_str()
        .expect("a text")
        .split_whitespace()
        .collect();
    for name in ["HOME", "PATH", "PLACE"] {
        assert!(names.contains(&name), "{names:?}");
    }
    // This process has those of cargo; a shell adds a few of its own.
    assert!(
        !names
            .iter()
            .any(|name| name.starts_with("CARGO") || name.starts_with("RUST")),
        "{names:?}"
    );
    connection.close().await;
}

#[tokio::test]
async fn a_program_ends_with_its_connection_and_leaves_nobody_behind() {
    let dir = tempfile::tempdir().expect("a directory");
    connected(&dir).await.close().await;
    let pid = starts(&dir)[0];
    let group = Pid::from_raw(pid).expect("a pid");
    assert!(test_kill_process(group).is_err(), "the server is still there");
    until("the end of what it started", || {
        rustix::process::test_kill_process_group(group).is_err()
    })
    .await;
}

#[tokio::test]
async fn garbage_is_passed_over_and_what_is_huge_is_thrown_away() {
    let dir = tempfile::tempdir().expect("a directory");
    let connection = connected(&dir).await;
    assert_eq!(
        answered(&connection, "garbage").await,
        Ok(json!({ "text": "after the garbage" }))
    );
    let huge = called(&connection, "huge", json!({}));
    assert!(
        tokio::time::timeout(Duration::from_secs(2), huge).await.is_err(),
        "it is not taken"
    );
    let slow = called(&connection, "slow", json!({}));
    assert!(tokio::time::timeout(Duration::from_millis(200), slow).await.is_err());
    assert!(connection.link.is_alive().await, "and the next ones are answered");
    let big = answered(&connection, "big").await.expect("an answer");
    assert!(
        big["text"]
            .as_str()
            .is_some_and(|text| text.ends_with("… (60000 more characters)"))
    );
    connection.close().await;
}

#[tokio::test]
async fn what_is_no_server_is_told_from_what_is_not_there() {
    let why = async |server: Value| probe(&endpoint(server)).await.expect_err("no server");
    let missing = why(json!({ "name": "a", "command": "/no/such/program" })).await;
    assert!(
        missing.starts_with("`/no/such/program` cannot be started: No such file"),
        "{missing}"
    );
    let silent = why(json!({ "name": "a", "command": "sh", "args": ["-c", "echo I am a shell"] })).await;
    assert_eq!(silent, "it ended before it answered as an MCP server");
    let nobody = why(json!({ "name": "a", "url": "http://127.0.0.1:1/mcp" })).await;
    assert!(
        nobody.contains("Connection refused") && !nobody.contains("127.0.0.1:1/"),
        "{nobody}"
    );
}

#[tokio::test]
async fn tools_are_offered_as_the_server_describes_them_and_follow_its_list() {
    let dir = tempfile::tempdir().expect("a directory");
    let (registry, supervisor) = supervised(&dir);
    assert_eq!(seen(&registry), Vec::<String>::new(), "it is not waited for");
    supervisor.settled(PATIENCE).await;
    let names = [
        "echo",
        "wipe",
        "environment",
        "fail",
        "big",
        "huge",
        "garbage",
        "slow",
        "die",
        "grow",
    ];
    assert_eq!(seen(&registry), names.map(|name| format!("fake.{name}")));
    let echo = registry.command("fake.echo").expect("a command");
    assert_eq!(
        (&*echo.summary, echo.class, echo.idempotent, echo.untrusted),
        ("{text}: Says the same", Class::Read, true, true)
    );
    let wipe = registry.command("fake.wipe").expect("a command");
    assert_eq!((wipe.class, wipe.idempotent), (Class::Destruct, false));
    let fault = echo.fault(&serde_json::Map::new());
    assert_eq!(
        fault.as_deref(),
        Some("the arguments are wrong: \"text\" is a required property")
    );

    // Another client of the same files makes no difference to this one's; its own growth does.
    let endpoint = endpoints(&Services {
        config: ToolSettings::deserialize(json!({ "mcp": [fake(&dir)] })).expect("settings"),
        ..Services::default()
    });
    assert_eq!(probe(&endpoint[0]).await.map(|(_, tools)| tools), Ok(10));
    supervisor.end(tokio::time::Instant::now() + PATIENCE).await;
}

#[tokio::test]
async fn a_server_whose_list_changes_is_read_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let connection = connected(&dir).await;
    assert_eq!(answered(&connection, "grow").await, Ok(json!({ "text": "grown" })));
    tokio::time::timeout(PATIENCE, connection.changed.notified())
        .await
        .expect("it is told");
    let names: Vec<_> = connection
        .link
        .tools()
        .await
        .expect("tools")
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names.last().map(|name| &**name), Some("grown"));
    connection.close().await;
}

#[tokio::test]
async fn a_server_that_dies_fails_its_calls_and_is_started_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let connection = connected(&dir).await;
    let link = connection.link.clone();
    let dying = async { link.call("die".to_owned(), serde_json::Map::new()).await };
    let noticed = async {
        connection.gone().await;
        connection.close().await;
    };
    let (died, ()) = tokio::time::timeout(PATIENCE, futures::future::join(dying, noticed))
        .await
        .expect("an end");
    assert_eq!(
        died.expect_err("it died").to_string(),
        "the MCP server `fake` broke off: the call may or may not have taken effect"
    );

    let (registry, supervisor) = supervised(&dir);
    supervisor.settled(PATIENCE).await;
    let first = *starts(&dir).last().expect("a start");
    rustix::process::kill_process(Pid::from_raw(first).expect("a pid"), rustix::process::Signal::KILL).expect("a kill");
    until("its tools to go", || {
        seen(&registry).is_empty() || starts(&dir).last() != Some(&first)
    })
    .await;
    until("another start", || {
        starts(&dir).last() != Some(&first) && !seen(&registry).is_empty()
    })
    .await;
    supervisor.end(tokio::time::Instant::now() + PATIENCE).await;
    assert_eq!(starts(&dir).len(), 3);
}

/// A server over HTTP that wants a token, and answers as JSON or as events.
async fn over_http() -> String {
    async fn answer(headers: HeaderMap, Json(asked): Json<Value>) -> Response {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        if header("authorization") != Some("Bearer hunter22") {
            return (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")]).into_response();
        }
        let answered = |result: Value| json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result });
        let events = |result: Value| {
            let text = format!("event: message\ndata: {}\n\n", answered(result));
            ([("content-type", "text/event-stream")], text).into_response()
        };
        match asked["method"].as_str() {
            Some("initialize") => {
                let result = json!({
                    "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
                    "serverInfo": { "name": "far", "version": "2" },
                });
                ([("mcp-session-id", "s1")], Json(answered(result))).into_response()
            }
            _ if header("mcp-session-id") != Some("s1") => StatusCode::BAD_REQUEST.into_response(),
            Some("tools/list") => events(json!({ "tools": [{ "name": "say", "inputSchema": { "type": "object" } }] })),
            Some("tools/call") if asked["params"]["name"] == "odd" => {
                let content = json!([{ "type": "hologram" }, { "type": "text", "text": "CUT" }]);
                let answer = answered(json!({ "content": content }))
                    .to_string()
                    .replace("CUT", "from far \\ud83d");
                let text = format!("\u{feff}: hello\r\nid: 1\r\nevent: message\r\ndata: {answer}\r\n\r\n");
                ([("content-type", "text/event-stream; charset=utf-8")], text).into_response()
            }
            Some("tools/call") if asked["params"]["name"] == "bare" => {
                let list = json!([answered(json!("from far"))]).to_string();
                ([("content-type", "text/plain")], list).into_response()
            }
            Some("tools/call") => {
                Json(answered(json!({ "content": [{ "type": "text", "text": "from far" }] }))).into_response()
            }
            _ => StatusCode::ACCEPTED.into_response(),
        }
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let moved = || async {
        (
            StatusCode::PERMANENT_REDIRECT,
            [("location", "http://elsewhere.example/mcp?key=1")],
        )
    };
    let router = Router::new()
        .route("/mcp", post(answer).delete(|| async { StatusCode::NO_CONTENT }))
        .route("/moved", post(moved));
    tokio_util::task::TaskTracker::new().spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}/mcp")
}

#[tokio::test]
async fn a_server_over_http_is_asked_with_its_token() {
    let url = over_http().await;
    let with = |token: &str| endpoint(json!({ "name": "far", "url": url, "headers": { "Authorization": token } }));
    let connection = Connection::open(&with("Bearer hunter22")).await.expect("a connection");
    let tools: Vec<_> = connection
        .link
        .tools()
        .await
        .expect("tools")
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(tools, ["say"]);
    assert_eq!(answered(&connection, "say").await, Ok(json!({ "text": "from far" })));
    assert_eq!(answered(&connection, "bare").await, Ok(json!({ "text": "from far" })));
    let odd = "(left out: a part that cannot be read here, of the type hologram)\nfrom far \u{fffd}";
    assert_eq!(answered(&connection, "odd").await, Ok(json!({ "text": odd })));
    connection.close().await;
    let moved = endpoint(json!({ "name": "far", "url": url.replace("/mcp", "/moved"), "headers": { "X-Key": "k" } }));
    let moved = probe(&moved).await.expect_err("a redirect");
    assert!(
        moved.contains(
            "it redirects to http://elsewhere.example, which is not followed: name the server itself in its url"
        ),
        "{moved}"
    );
    let refused = probe(&with("Bearer wrong")).await.expect_err("a refusal");
    assert!(
        refused.contains("Auth required") && !refused.contains("wrong"),
        "{refused}"
    );
}
