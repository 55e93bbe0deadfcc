//! Requests whose head or framing is malformed, byte by byte over a socket: one answer or none, no second request out of
//! the first one's body, and nothing stored.

use tokio::{io::AsyncWriteExt, net::TcpStream};

use super::{
    bot::{Bot, OWNER},
    limits::rest,
};

/// So many bytes of a request are read at once.
const SHORT: usize = 4096;

/// A request that must never be answered: it stands in another one's body.
fn hidden() -> String {
    format!("GET /api/runs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {OWNER}\r\n\r\n")
}

/// The begin of a request that stores a message, up to its last headers.
fn post() -> String {
    format!(
        "POST /api/messages HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {OWNER}\r\n\
         content-type: application/json\r\n"
    )
}

/// The statuses of all answers that come until the server closes. It must close.
async fn statuses(bot: &Bot, request: &[u8]) -> Vec<u16> {
    let mut stream = TcpStream::connect(bot.address).await.unwrap();
    // A server that has refused the head already takes no more of it.
    let _ = stream.write_all(request).await;
    let answers = rest(&mut stream).await;
    let heads = answers.split("HTTP/1.1 ").skip(1);
    heads.map(|head| head[..3].parse().unwrap()).collect()
}

/// Only what is told here comes of each of them.
async fn answers(cases: Vec<(&str, String, &[u16])>) {
    let bot = Bot::start().await;
    for (name, request, expected) in cases {
        let found = statuses(&bot, request.as_bytes()).await;
        // Of a long request the server does not read all: its answer may be lost with the connection.
        let is_lost = found.is_empty() && request.len() > SHORT;
        assert!(found == expected || is_lost, "{name}: {found:?}");
        assert_eq!(bot.get("/healthz").await.text, "ok", "{name}");
    }
    assert_eq!(bot.get("/api/messages").await.json()["items"], serde_json::json!([]));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_with_two_ends_hides_no_second_request() {
    let with = |headers: &str, body: &str| format!("{}{headers}\r\n\r\n{body}{}", post(), hidden());
    answers(vec![
        (
            "a length and chunks",
            with("content-length: 4\r\ntransfer-encoding: chunked", "0\r\n\r\n"),
            &[400],
        ),
        (
            "chunks and a length",
            with("transfer-encoding: chunked\r\ncontent-length: 4", "0\r\n\r\n"),
            &[400],
        ),
        (
            "two lengths",
            with("content-length: 2\r\ncontent-length: 3", "{}"),
            &[400],
        ),
        ("a list of lengths", with("content-length: 2, 2", "{}"), &[400]),
        ("a length with a plus", with("content-length: +2", "{}"), &[400]),
        ("a negative length", with("content-length: -2", "{}"), &[400]),
        (
            "a length in hexadecimal digits",
            with("content-length: 0x2", "{}"),
            &[400],
        ),
        (
            "a length beyond all numbers",
            with("content-length: 99999999999999999999", "{}"),
            &[400],
        ),
        ("an unknown encoding", with("transfer-encoding: xchunked", "{}"), &[400]),
        (
            "no encoding by its name",
            with("transfer-encoding: identity", "{}"),
            &[400],
        ),
        (
            "chunks that are not last",
            with("transfer-encoding: chunked, identity", "0\r\n\r\n"),
            &[400],
        ),
        (
            "packed chunks",
            with("transfer-encoding: gzip, chunked", "2\r\n{}\r\n0\r\n\r\n"),
            &[400],
        ),
        (
            "chunks twice",
            with("transfer-encoding: chunked\r\ntransfer-encoding: chunked", "0\r\n\r\n"),
            &[400],
        ),
        (
            "a space before the colon",
            with("transfer-encoding : chunked", "0\r\n\r\n"),
            &[400],
        ),
        (
            "a header over two lines",
            with("x: a\r\n transfer-encoding: chunked", "0\r\n\r\n"),
            &[400],
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_that_are_none_break_a_body_off() {
    let with = |body: &str| format!("{}transfer-encoding: chunked\r\n\r\n{body}{}", post(), hidden());
    answers(vec![
        ("a size of no digits", with("zz\r\n{}\r\n0\r\n\r\n"), &[400]),
        ("a negative size", with("-1\r\n{}\r\n0\r\n\r\n"), &[400]),
        (
            "a size beyond all numbers",
            with("ffffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
            &[400],
        ),
        ("no end of a chunk", with("2\r\n{}0\r\n\r\n"), &[400]),
        (
            "a long extension",
            with(&format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "a".repeat(100_000))),
            &[400],
        ),
        (
            "thousands of trailers",
            with(&format!("2\r\n{{}}\r\n0\r\n{}\r\n", "t: x\r\n".repeat(5000))),
            &[400],
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_that_are_too_long_or_none_at_all_are_refused() {
    let get =
        |head: &str| format!("{head}\r\nhost: localhost\r\nauthorization: Bearer {OWNER}\r\nconnection: close\r\n\r\n");
    let with = |header: &str| get(&format!("GET /api/runs HTTP/1.1\r\n{header}"));
    let headers = |count: usize| (0..count).map(|number| format!("h{number}: x\r\n")).collect::<String>();
    answers(vec![
        (
            "half a megabyte in a header",
            with(&format!("x: {}", "a".repeat(500_000))),
            &[431],
        ),
        ("three hundred headers", with(headers(300).trim_end()), &[431]),
        (
            "a long path",
            get(&format!("GET /{} HTTP/1.1", "a".repeat(200_000))),
            &[431],
        ),
        ("a NUL", with("x: a\0b"), &[400]),
        ("a lone carriage return", with("x: a\rb"), &[400]),
        ("no version", "GET /api/runs\r\n\r\n".to_owned(), &[400]),
        (
            "another protocol",
            "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}".to_owned() + &"\0".repeat(200),
            &[400],
        ),
        (
            "the next version's beginning",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
            &[],
        ),
        (
            "a method of this protocol that is none here",
            get("TRACE /api/runs HTTP/1.1"),
            &[405],
        ),
        ("a way through", get("CONNECT localhost:443 HTTP/1.1"), &[404]),
        ("two hosts", with("host: evil.example"), &[400]),
        (
            "the address of another host",
            get("GET http://evil.example/api/runs HTTP/1.1"),
            &[421],
        ),
        ("a way up", get("GET /api/../../etc/passwd HTTP/1.1"), &[404]),
        ("two slashes", get("GET //api/runs HTTP/1.1"), &[404]),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_counts_in_one_header_and_nowhere_else() {
    let get = |path: &str, headers: &str| {
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}connection: close\r\n\r\n")
    };
    let (good, bad) = (
        format!("authorization: Bearer {OWNER}\r\n"),
        "authorization: Bearer wrong\r\n",
    );
    let query = format!("/api/runs?token={OWNER}&access_token={OWNER}&authorization={OWNER}");
    let cookie = format!("cookie: token={OWNER}; clifford={OWNER}\r\n");
    answers(vec![
        ("one", get("/api/runs", &good), &[200]),
        ("a wrong one behind it", get("/api/runs", &(good.clone() + bad)), &[401]),
        (
            "a wrong one before it",
            get("/api/runs", &(bad.to_owned() + &good)),
            &[401],
        ),
        ("the same twice", get("/api/runs", &good.repeat(2)), &[401]),
        ("in the query", get(&query, ""), &[401]),
        ("in a cookie", get("/api/runs", &cookie), &[401]),
    ])
    .await;
}
