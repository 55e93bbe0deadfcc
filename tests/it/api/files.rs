//! Files through the API: uploaded, sent with a message, handed out to their owners, deleted.

use reqwest::Method;
use serde_json::json;

use super::bot::Bot;

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_uploaded_sent_with_a_message_had_back_and_deleted() {
    let bot = Bot::start().await;
    let upload = |name: &str, content: &'static [u8]| {
        let path = format!("/api/files?name={name}");
        bot.request(Method::POST, &path)
            .bearer_auth(super::bot::OWNER)
            .body(content)
    };
    let made = bot.send(upload("..%2FZ%C3%BCrich.html", b"<b>hello</b>")).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let file = made.json();
    let id = file["id"].as_str().unwrap().to_owned();
    assert_eq!(
        (&file["name"], &file["mediaType"], &file["size"]),
        (&json!("Zürich.html"), &json!("text/html"), &json!(12))
    );
    assert_eq!(file.get("location"), None);
    assert_eq!(bot.get("/api/files?q=z%C3%BCrich").await.json()["items"], json!([file]));

    let content = bot.get(&format!("/api/files/{id}/content")).await;
    assert_eq!(content.text, "<b>hello</b>");
    let headers = [
        "content-type",
        "content-disposition",
        "x-content-type-options",
        "content-security-policy",
    ];
    assert_eq!(
        headers.map(|name| content.header(name)),
        [
            "text/html",
            "attachment; filename=\"Z_rich.html\"; filename*=UTF-8''Z%C3%BCrich.html",
            "nosniff",
            "sandbox; default-src 'none'",
        ]
    );

    // Another caller has none of it.
    let other = bot.token(&["read", "write"]).await;
    for (method, path) in [
        (Method::GET, format!("/api/files/{id}")),
        (Method::GET, format!("/api/files/{id}/content")),
        (Method::DELETE, format!("/api/files/{id}")),
    ] {
        let answer = bot.send(bot.request(method, &path).bearer_auth(&other)).await;
        assert_eq!(answer.status, 404, "{path}");
    }
    let body = json!({"content": "look", "fileIds": [id]});
    let stolen = bot
        .request(Method::POST, "/api/messages")
        .bearer_auth(&other)
        .json(&body);
    let stolen = bot.send(stolen).await;
    assert_eq!((stolen.status, &stolen.json()["field"]), (422, &json!("fileIds")));

    let said = bot.post("/api/messages?wait=30", &body).await;
    assert_eq!(said.status, 200, "{}", said.text);
    let run = said.json()["run"].clone();
    assert_eq!(run["inputText"], "look\n[document: Zürich.html]");
    let kept = bot.get(&format!("/api/files/{id}")).await.json();
    assert_eq!(kept["messageId"], said.json()["messageId"]);
    let again = bot.post("/api/messages", &body).await;
    assert_eq!((again.status, &again.json()["field"]), (422, &json!("fileIds")));

    let gone = bot.call(Method::DELETE, &format!("/api/files/{id}"), &json!({})).await;
    assert_eq!(gone.status, 204);
    assert_eq!(bot.get(&format!("/api/files/{id}/content")).await.status, 404);
    let files = &bot.app.context.tools.services.files;
    let now = bot.app.clock.now();
    assert_eq!(
        clifford_content::files::sweep(&bot.app.db, files.storage(), now)
            .await
            .unwrap(),
        1,
        "its content goes, too"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_beyond_what_is_allowed_is_refused_with_the_setting_that_says_so() {
    let bot = Bot::with(&[("files.max_file_bytes", "2000"), ("files.max_user_bytes", "3000")]).await;
    let upload = async |size: usize| {
        let request = bot
            .request(Method::POST, "/api/files?name=a.bin")
            .bearer_auth(super::bot::OWNER);
        let answer = bot.send(request.body(vec![7_u8; size])).await;
        (
            answer.status,
            answer.json()["detail"].as_str().unwrap_or_default().to_owned(),
        )
    };
    assert_eq!(
        upload(2001).await.1,
        "at most 2000 bytes are taken (files.max_file_bytes)"
    );
    assert_eq!(upload(2000).await.0, 201);
    let full = "there is no room for a.bin: 3000 bytes are kept of each person at most (files.max_user_bytes); \
                delete files first";
    assert_eq!(upload(1001).await, (409, full.to_owned()));
    assert_eq!(upload(1000).await.0, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_uploaded_twice_with_one_key_is_one_and_goes_with_a_message_alone() {
    let bot = Bot::start().await;
    let other = bot.token(&["read", "write"]).await;
    let upload = async |token: &str, key: &str| {
        let path = format!("/api/files?name=a.txt&idempotencyKey={key}");
        let sent = bot.request(Method::POST, &path).bearer_auth(token).body("hello");
        let made = bot.send(sent).await;
        assert_eq!(made.status, 201, "{}", made.text);
        made.json()["id"].clone()
    };
    let first = upload(super::bot::OWNER, "k").await;
    assert_eq!(upload(super::bot::OWNER, "k").await, first);
    assert_ne!(upload(super::bot::OWNER, "l").await, first);
    assert_ne!(upload(&other, "k").await, first, "a key is its caller's own");
    let message = json!({ "content": "", "fileIds": [first], "idempotencyKey": "m" });
    let said = bot.post("/api/messages?wait=30", &message).await;
    assert_eq!(said.status, 200, "{}", said.text);
    assert_eq!(said.json()["run"]["inputText"], "[document: a.txt]");
    // A second try of the whole is the same file and the same message.
    assert_eq!(upload(super::bot::OWNER, "k").await, first);
    let again = bot.post("/api/messages?wait=30", &message).await.json();
    assert_eq!(again["messageId"], said.json()["messageId"]);
    let nothing = bot
        .post("/api/messages", &json!({ "content": "", "fileIds": [] }))
        .await;
    assert_eq!((nothing.status, &nothing.json()["field"]), (422, &json!("content")));
    bot.app.shutdown().await;
}
