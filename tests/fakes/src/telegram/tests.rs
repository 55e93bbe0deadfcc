//! The fake against Telegram's documentation: offsets, one poller, limits, refusals.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::*;

const ADA: i64 = 7;

/// Posts raw bytes over a plain socket, and returns the status and the body: 0 and nothing if the
/// connection broke.
async fn post(fake: &TelegramFake, path: &str, kind: &str, body: &[u8]) -> (u16, String) {
    let host = fake.api_url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let Some((head, body)) = answer.split_once("\r\n\r\n") else {
        return (0, String::new());
    };
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

async fn call(fake: &TelegramFake, method: &str, params: Value) -> Value {
    let path = format!("/bot{}/{method}", fake.token());
    let (_, body) = post(fake, &path, "application/json", params.to_string().as_bytes()).await;
    serde_json::from_str(&body).unwrap()
}

/// The ids of the updates that a poll returns.
async fn poll(fake: &TelegramFake, params: Value) -> Vec<i64> {
    let answer = call(fake, "GetUpdates", params).await;
    let updates = answer["result"].as_array().unwrap();
    updates
        .iter()
        .map(|update| update["update_id"].as_i64().unwrap())
        .collect()
}

fn refusal(code: u16, description: &str) -> Value {
    json!({"ok": false, "error_code": code, "description": description})
}

#[tokio::test]
async fn an_offset_confirms_what_is_below_it_and_nothing_else() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    for text in ["one", "two", "three"] {
        fake.user_says(ada, ADA, text);
    }
    let first = 700_000_001;
    assert_eq!(poll(&fake, json!({})).await, [first, first + 1, first + 2]);
    assert_eq!(
        poll(&fake, json!({"offset": first, "limit": 2})).await,
        [first, first + 1]
    );
    assert_eq!(poll(&fake, json!({"offset": first + 1})).await, [first + 1, first + 2]);
    assert_eq!(poll(&fake, json!({})).await, [first + 1, first + 2]);
    assert_eq!(poll(&fake, json!({"offset": -1})).await, [first + 2]);
    assert_eq!(fake.pending(), 1);
    assert_eq!(poll(&fake, json!({"offset": first + 3})).await, [0; 0]);
    assert_eq!(fake.pending(), 0);
    assert_eq!(fake.violations(), [""; 0]);
}

#[tokio::test]
async fn a_long_poll_ends_with_the_first_update() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let poll = poll(&fake, json!({"timeout": 50}));
    let speak = async {
        fake.wait_until("a poll", |fake| (fake.polls() == 1).then_some(()))
            .await;
        fake.user_says(ada, ADA, "hello");
    };
    let (updates, ()) = tokio::join!(poll, speak);
    assert_eq!(updates, [700_000_001]);
}

#[tokio::test]
async fn of_two_pollers_the_earlier_gets_409() {
    let fake = TelegramFake::start().await.unwrap();
    let earlier = call(&fake, "getUpdates", json!({"timeout": 50}));
    let later = async {
        fake.wait_until("a poll", |fake| (fake.polls() == 1).then_some(()))
            .await;
        call(&fake, "getUpdates", json!({})).await
    };
    let (earlier, later) = tokio::join!(earlier, later);
    let text = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
    assert_eq!(earlier, refusal(409, text));
    assert_eq!(later, json!({"ok": true, "result": []}));
}

#[tokio::test]
async fn only_the_kinds_asked_for_come() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    assert_eq!(
        poll(&fake, json!({"allowed_updates": ["edited_message"]})).await,
        [0; 0]
    );
    let message = fake.user_says(ada, ADA, "one");
    fake.edit(ada, ADA, message, "two");
    let answer = call(&fake, "GetUpdates", json!({})).await;
    assert_eq!(answer["result"][0]["edited_message"]["text"], json!("two"));
    assert_eq!(answer["result"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_wrong_token_or_method_is_refused() {
    let fake = TelegramFake::start().await.unwrap();
    let (status, body) = post(&fake, "/bot1:wrong/GetMe", "application/json", b"{}").await;
    assert_eq!(
        (status, serde_json::from_str::<Value>(&body).unwrap()),
        (401, refusal(401, "Unauthorized"))
    );
    assert_eq!(call(&fake, "SendLove", json!({})).await, refusal(404, "Not Found"));
    assert_eq!(fake.violations(), ["no such method: SendLove"]);
}

#[tokio::test]
async fn what_telegram_refuses_is_refused_and_what_is_careless_is_a_violation() {
    let fake = TelegramFake::start().await.unwrap();
    fake.user(ADA, "Ada");
    fake.user(8, "Bo");
    fake.block(8);
    let forum = fake.forum(-1_001_000, "Engines");
    let cases = [
        (
            json!({"chat_id": ADA, "text": " "}),
            400,
            "Bad Request: message text is empty",
            true,
        ),
        (
            json!({"chat_id": ADA, "text": "x".repeat(4097)}),
            400,
            "Bad Request: message is too long",
            true,
        ),
        (
            json!({"chat_id": ADA, "text": "😀".repeat(2049)}),
            400,
            "Bad Request: message is too long",
            true,
        ),
        (
            json!({"chat_id": ADA, "text": "<b>x", "parse_mode": "HTML"}),
            400,
            "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"",
            true,
        ),
        (
            json!({"chat_id": ADA, "text": "x", "colour": 1}),
            400,
            "Bad Request: unknown parameter `colour` of SendMessage",
            true,
        ),
        (
            json!({"chat_id": ADA, "text": 1}),
            400,
            "Bad Request: parameter `text` has the wrong type: 1",
            true,
        ),
        (
            json!({"chat_id": 99, "text": "x"}),
            400,
            "Bad Request: chat not found",
            false,
        ),
        (
            json!({"chat_id": 8, "text": "x"}),
            403,
            "Forbidden: bot was blocked by the user",
            false,
        ),
        (
            json!({"chat_id": forum.id, "text": "x", "message_thread_id": 5}),
            400,
            "Bad Request: message thread not found",
            false,
        ),
        (
            json!({"chat_id": ADA, "text": "x", "reply_parameters": {"message_id": 99}}),
            400,
            "Bad Request: message to be replied not found",
            false,
        ),
    ];
    for (params, code, description, violation) in cases {
        let before = fake.violations().len();
        assert_eq!(
            call(&fake, "SendMessage", params.clone()).await,
            refusal(code, description),
            "{params}"
        );
        assert_eq!(fake.violations().len() - before, usize::from(violation), "{params}");
    }
}

#[tokio::test]
async fn the_limit_counts_what_people_see() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let text = format!("<b>{}</b>", "&lt;".repeat(4096));
    let answer = call(
        &fake,
        "sendmessage",
        json!({"chat_id": ADA, "text": text, "parse_mode": "HTML"}),
    )
    .await;
    assert_eq!(answer["result"]["text"], json!("<".repeat(4096)));
    assert_eq!(
        fake.sent(ada)[0].entities,
        [json!({"type": "bold", "offset": 0, "length": 4096})]
    );
    assert_eq!(fake.violations(), [""; 0]);
}

#[tokio::test]
async fn a_group_that_moved_tells_where() {
    let fake = TelegramFake::start().await.unwrap();
    fake.user(ADA, "Ada");
    let group = fake.group(-55, "Engines");
    let new = fake.migrate(group, ADA);
    let mut expected = refusal(400, "Bad Request: group chat was upgraded to a supergroup chat");
    expected["parameters"] = json!({"migrate_to_chat_id": new.id});
    assert_eq!(
        call(&fake, "SendMessage", json!({"chat_id": group.id, "text": "x"})).await,
        expected
    );
}

#[tokio::test]
async fn rates_are_enforced_when_asked_for() {
    let fake = TelegramFake::start().await.unwrap();
    fake.user(ADA, "Ada");
    fake.enforce_rates();
    let message = json!({"chat_id": ADA, "text": "x"});
    assert_eq!(call(&fake, "SendMessage", message.clone()).await["ok"], json!(true));
    let mut expected = refusal(429, "Too Many Requests: retry after 1");
    expected["parameters"] = json!({"retry_after": 1});
    assert_eq!(call(&fake, "SendMessage", message).await, expected);
    assert_eq!(fake.refused_by_rate(), 1);
}

#[tokio::test]
async fn a_document_comes_as_a_form() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let body = "--B\r\ncontent-disposition: form-data; name=\"chat_id\"\r\n\r\n7\r\n\
        --B\r\ncontent-disposition: form-data; name=\"caption\"\r\n\r\nlook\r\n\
        --B\r\ncontent-disposition: form-data; name=\"document\"; filename=\"a.md\"\r\n\r\n# A\r\n--B--\r\n";
    let path = format!("/bot{}/SendDocument", fake.token());
    let (status, _) = post(&fake, &path, "multipart/form-data; boundary=B", body.as_bytes()).await;
    assert_eq!(status, 200);
    let sent = &fake.sent(ada)[0];
    let expected = Document {
        name: "a.md".to_owned(),
        content: b"# A".to_vec(),
    };
    assert_eq!((sent.text.as_str(), sent.document.as_ref()), ("look", Some(&expected)));
}

#[tokio::test]
async fn faults_come_once_each_and_a_message_may_arrive_without_an_answer() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    fake.fail_next(Method::SendMessage, Fault::TooMany(3));
    fake.fail_next(Method::SendMessage, Fault::Refuse(400, "Bad Request: no".to_owned()));
    fake.fail_next(Method::SendMessage, Fault::Slow(Duration::from_millis(1)));
    let message = json!({"chat_id": ADA, "text": "x"});
    assert_eq!(
        call(&fake, "SendMessage", message.clone()).await["error_code"],
        json!(429)
    );
    let refused = call(&fake, "SendMessage", message.clone()).await;
    assert_eq!(refused, refusal(400, "Bad Request: no"));
    assert_eq!(call(&fake, "SendMessage", message.clone()).await["ok"], json!(true));
    fake.fail_next(Method::SendMessage, Fault::DropAfter);
    let path = format!("/bot{}/SendMessage", fake.token());
    let (_, body) = post(&fake, &path, "application/json", message.to_string().as_bytes()).await;
    assert_eq!(body, "");
    assert_eq!(fake.sent(ada).len(), 2);
}
