//! Callers who are slow or send too much, byte by byte over a socket: told so, cut off, and their place given on.

use std::time::Duration;

use futures::future::join_all;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{interval, timeout},
};

use super::bot::{Bot, OWNER};
use crate::harness::PATIENCE;

const IMPATIENT: [(&str, &str); 2] = [("http.request_timeout_seconds", "1"), ("http.max_body_bytes", "1024")];

/// The head of a request with a body, with one more header.
fn head(path: &str, header: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {OWNER}\r\ncontent-type: application/json\r\n{header}\r\n\r\n"
    )
}

async fn connect(bot: &Bot) -> TcpStream {
    TcpStream::connect(bot.address).await.unwrap()
}

/// All that comes until the server closes. It must close.
pub(super) async fn rest(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut all = Vec::new();
    match timeout(PATIENCE, stream.read_to_end(&mut all)).await {
        // A connection that is reset is closed as well.
        Ok(_) => String::from_utf8(all).unwrap(),
        Err(_) => panic!("not closed after {}", String::from_utf8_lossy(&all)),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_stops_in_the_middle_of_a_body_is_told_so_and_cut_off() {
    let bot = Bot::with(&IMPATIENT).await;
    let stop_at = async |path: &str, header: &str, begun: &str| {
        let mut stream = connect(&bot).await;
        stream.write_all((head(path, header) + begun).as_bytes()).await.unwrap();
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 408 "), "{path} {header}: {answer}");
        assert!(
            answer.contains("\"code\":\"body_timeout\""),
            "{path} {header}: {answer}"
        );
    };
    let told = ("content-length: 100", "{\"con");
    let chunked = ("transfer-encoding: chunked", "5\r\n{\"con\r\n");
    let paths = ["/api/messages", "/api/messages?wait=30", "/api/runs", "/api/contexts"];
    // Many of each: it must not depend on which of two clocks is a moment ahead.
    let callers = paths
        .iter()
        .flat_map(|path| [told, chunked].repeat(20).into_iter().map(move |how| (*path, how)))
        .map(|(path, (header, begun))| stop_at(path, header, begun));
    join_all(callers).await;
    assert_eq!(bot.get("/api/runs").await.json()["items"], serde_json::json!([]));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sends_a_body_drop_by_drop_is_cut_off_as_well() {
    let bot = Bot::with(&IMPATIENT).await;
    let (mut reading, mut writing) = connect(&bot).await.into_split();
    let head = head("/api/messages", "content-length: 1000");
    writing.write_all(head.as_bytes()).await.unwrap();
    let drops = async {
        let mut often = interval(Duration::from_millis(50));
        while writing.write_all(b" ").await.is_ok() {
            often.tick().await;
        }
    };
    let answer = tokio::select! {
        answer = rest(&mut reading) => answer,
        () = drops => rest(&mut reading).await,
    };
    assert!(answer.starts_with("HTTP/1.1 408 ") || answer.is_empty(), "{answer}");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_whose_length_is_not_told_is_measured_as_it_comes() {
    let bot = Bot::with(&IMPATIENT).await;
    for (size, status) in [(1024, "422 "), (1025, "413 ")] {
        let mut stream = connect(&bot).await;
        let body = format!("{{\"x\":\"{}\"}}", "x".repeat(size - 8));
        let (one, two) = body.split_at(500);
        let chunks = format!("{:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n", one.len(), two.len());
        let head = head("/api/messages", "transfer-encoding: chunked\r\nconnection: close");
        stream.write_all((head + &chunks).as_bytes()).await.unwrap();
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{size}: {answer}");
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_on_which_nothing_comes_give_their_places_to_others() {
    let limit = [IMPATIENT[0], ("http.max_connections", "2")];
    // Nothing at all, half of a head, and nothing more after a request that was answered.
    let whole = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    for (said, answered) in [
        ("", ""),
        ("GET /healthz HTTP/1.1\r\nho", ""),
        (whole, "HTTP/1.1 200 OK"),
    ] {
        let bot = Bot::with(&limit).await;
        let mut silent = Vec::new();
        for _ in 0..2 {
            let mut stream = connect(&bot).await;
            stream.write_all(said.as_bytes()).await.unwrap();
            let mut begun = vec![0; answered.len()];
            timeout(PATIENCE, stream.read_exact(&mut begun)).await.unwrap().unwrap();
            assert_eq!(begun, answered.as_bytes());
            silent.push(stream);
        }
        // A third caller is answered while those hold their ends open.
        let third = timeout(PATIENCE, bot.get("/healthz")).await;
        assert_eq!(third.unwrap().text, "ok", "{said}");
        let mut ends = Vec::new();
        for stream in &mut silent {
            ends.push(rest(stream).await);
        }
        let refused = ends.iter().all(|end| !end.contains("HTTP/1.1 2"));
        assert!(refused, "{said}: {ends:?}");
        bot.app.shutdown().await;
    }
}

/// Nothing ends by itself in these tests.
const PATIENT: [(&str, &str); 3] = [
    ("http.request_timeout_seconds", "3600"),
    ("http.header_timeout_seconds", "3600"),
    ("http.max_connections", "32"),
];

#[tokio::test(flavor = "multi_thread")]
async fn whatever_others_hold_open_without_a_token_health_and_other_callers_are_answered() {
    let hook = "POST /api/hooks/none HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\nhal";
    let idle = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    for said in ["", "GET /healthz HTTP/1.1\r\nhost", hook, idle] {
        let bot = Bot::with(&PATIENT).await;
        let mut held = Vec::new();
        for _ in 0..100 {
            let mut stream = connect(&bot).await;
            // One that had to go already cannot be written to.
            let _ = stream.write_all(said.as_bytes()).await;
            held.push(stream);
        }
        let health = timeout(PATIENCE, bot.get("/healthz")).await.unwrap();
        let runs = timeout(PATIENCE, bot.get("/api/runs")).await.unwrap();
        assert_eq!((health.status, runs.status), (200, 200), "{said}");
        drop(held);
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_nothing_is_cut_off_by_the_time_for_a_head() {
    let bot = Bot::with(&[PATIENT[0], ("http.header_timeout_seconds", "1")]).await;
    for said in ["", "GET /healthz HTTP/1.1\r\nhost: loc"] {
        let mut stream = connect(&bot).await;
        stream.write_all(said.as_bytes()).await.unwrap();
        assert_eq!(rest(&mut stream).await, "", "{said}");
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_has_so_many_streams_and_no_more() {
    let bot = Bot::with(&[("http.max_streams_per_token", "2")]).await;
    let run = bot.sleeper().await;
    let path = format!("/api/runs/{run}/stream");
    let open = async |token: &str| {
        let request = bot.request(reqwest::Method::GET, &path).bearer_auth(token);
        request.send().await.unwrap()
    };
    let first = open(OWNER).await;
    let second = open(OWNER).await;
    assert_eq!(
        (first.status(), second.status()),
        (reqwest::StatusCode::OK, reqwest::StatusCode::OK)
    );
    let third = open(OWNER).await;
    assert_eq!(third.status(), 429);
    let problem: serde_json::Value = third.json().await.unwrap();
    assert_eq!(problem["code"], "too_many_connections");
    let other = bot.token(&["read"]).await;
    assert_eq!(open(&other).await.status(), 200);
    drop(first);
    let mut often = interval(Duration::from_millis(20));
    let freed = async {
        while open(OWNER).await.status() != 200 {
            often.tick().await;
        }
    };
    timeout(PATIENCE, freed).await.unwrap();
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_tokens_have_all_places_but_one_that_is_kept_for_health() {
    let bot = Bot::with(&[("http.max_connections", "16"), ("http.max_streams_per_token", "100")]).await;
    let run = bot.sleeper().await;
    let path = format!("/api/runs/{run}/stream");
    let mut streams = Vec::new();
    for place in 0..16 {
        let request = bot.request(reqwest::Method::GET, &path).bearer_auth(OWNER);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), if place < 15 { 200 } else { 429 }, "{place}");
        streams.push(response);
    }
    let health = bot.send(bot.request(reqwest::Method::GET, "/healthz")).await;
    assert_eq!(health.status, 200);
    drop(streams);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_for_another_host_is_refused_webhooks_too() {
    let bot = Bot::with(&[("http.allowed_hosts", "[\"bot.example.org\"]")]).await;
    for (method, path) in [("GET", "/healthz"), ("GET", "/api/runs"), ("POST", "/api/hooks/none")] {
        for (host, refused) in [
            ("evil.example.net", true),
            ("localhost.evil.net", true),
            ("bot.example.org", false),
            ("localhost", false),
            ("127.0.0.1:1", false),
        ] {
            let mut stream = connect(&bot).await;
            let head =
                format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
            let answer = rest(&mut stream).await;
            assert_eq!(answer.starts_with("HTTP/1.1 421 "), refused, "{path} {host}: {answer}");
            assert_eq!(answer.contains("\"code\":\"unknown_host\""), refused, "{path} {host}");
        }
    }
    bot.app.shutdown().await;
}
