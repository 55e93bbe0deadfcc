//! Errors of the API: always a problem, never details of the inside.

use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Bot, OWNER};

/// The status, the code and the field of a problem, after its form was checked.
fn problem(answer: &super::bot::Answer) -> (u16, String, Option<String>) {
    assert_eq!(
        answer.header("content-type"),
        "application/problem+json",
        "{}",
        answer.text
    );
    let body = answer.json();
    assert_eq!(body["type"], "about:blank");
    assert_eq!(body["status"], answer.status);
    for name in ["title", "detail"] {
        assert!(!body[name].as_str().unwrap().is_empty(), "{body}");
    }
    let text = |name: &str| body[name].as_str().map(str::to_owned);
    (answer.status, text("code").unwrap(), text("field"))
}

fn expected(status: u16, code: &str, field: &str) -> (u16, String, Option<String>) {
    let field = (!field.is_empty()).then(|| field.to_owned());
    (status, code.to_owned(), field)
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_of_every_wrong_kind_are_refused_and_nothing_is_stored() {
    let bot = Bot::with(&[("http.max_body_bytes", "2048")]).await;
    let large = format!(r#"{{"content":"{}"}}"#, "x".repeat(3000));
    let deep = "[".repeat(1000);
    let key = format!(r#"{{"content":"x","idempotencyKey":"{}"}}"#, "k".repeat(201));
    let some = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    let agent = format!(r#"{{"inputText":"x","agentId":"{some}"}}"#);
    let channel = format!(r#"{{"content":"x","channelId":"{some}"}}"#);
    let context = format!(r#"{{"content":"x","contextId":"{some}"}}"#);
    let cases: &[(&str, &str, u16, &str, &str)] = &[
        ("/api/messages", "", 400, "invalid_json", ""),
        ("/api/messages", "{", 400, "invalid_json", ""),
        ("/api/messages", "hello", 400, "invalid_json", ""),
        ("/api/messages", r#"{"content":"x"} {}"#, 400, "invalid_json", ""),
        ("/api/messages", &deep, 400, "invalid_json", ""),
        ("/api/messages", "null", 422, "invalid_input", ""),
        (
            "/api/messages",
            r#"[null,null,"x",[],null,null]"#,
            422,
            "invalid_input",
            "",
        ),
        ("/api/messages", "{}", 422, "invalid_input", "content"),
        ("/api/messages", r#"{"content":1}"#, 422, "invalid_input", "content"),
        ("/api/messages", r#"{"content":null}"#, 422, "invalid_input", "content"),
        ("/api/messages", r#"{"content":"  "}"#, 422, "invalid_input", "content"),
        (
            "/api/messages",
            r#"{"content":"a\u0000b"}"#,
            422,
            "invalid_input",
            "content",
        ),
        (
            "/api/messages",
            r#"{"content":"x","content":"y"}"#,
            422,
            "invalid_input",
            "content",
        ),
        (
            "/api/messages",
            r#"{"content":"x","kontextId":"y"}"#,
            422,
            "invalid_input",
            "kontextId",
        ),
        (
            "/api/messages",
            r#"{"content":"x","contextId":"y"}"#,
            422,
            "invalid_input",
            "contextId",
        ),
        (
            "/api/messages",
            r#"{"content":"x","channelId":7}"#,
            422,
            "invalid_input",
            "channelId",
        ),
        (
            "/api/messages",
            r#"{"content":"x","mode":"loud"}"#,
            422,
            "invalid_input",
            "mode",
        ),
        (
            "/api/messages",
            r#"{"content":"x","fileIds":["a"]}"#,
            422,
            "invalid_input",
            "fileIds",
        ),
        (
            "/api/messages",
            r#"{"content":"x","fileIds":[1]}"#,
            422,
            "invalid_input",
            "fileIds[0]",
        ),
        (
            "/api/messages",
            r#"{"content":"x","idempotencyKey":""}"#,
            422,
            "invalid_input",
            "idempotencyKey",
        ),
        ("/api/messages", &key, 422, "invalid_input", "idempotencyKey"),
        ("/api/messages", &large, 413, "body_too_large", ""),
        ("/api/messages", &channel, 404, "not_found", ""),
        ("/api/messages", &context, 404, "not_found", ""),
        (
            "/api/messages?wait=301",
            r#"{"content":"x"}"#,
            400,
            "invalid_query",
            "wait",
        ),
        (
            "/api/messages?wait=soon",
            r#"{"content":"x"}"#,
            400,
            "invalid_query",
            "wait",
        ),
        (
            "/api/messages?weight=1",
            r#"{"content":"x"}"#,
            400,
            "invalid_query",
            "weight",
        ),
        ("/api/runs", "{}", 422, "invalid_input", "inputText"),
        ("/api/runs", r#"{"inputText":""}"#, 422, "invalid_input", "inputText"),
        (
            "/api/runs",
            r#"{"inputText":"x","profile":" "}"#,
            422,
            "invalid_input",
            "profile",
        ),
        (
            "/api/runs",
            r#"{"inputText":"x","profile":"nobody"}"#,
            422,
            "invalid_input",
            "profile",
        ),
        (
            "/api/runs",
            r#"{"inputText":"x","allowedTools":"compute"}"#,
            422,
            "invalid_input",
            "allowedTools",
        ),
        (
            "/api/runs",
            r#"{"inputText":"x","allowedTools":["compute","rm"]}"#,
            422,
            "invalid_input",
            "allowedTools[1]",
        ),
        ("/api/runs", &agent, 422, "invalid_input", "agentId"),
        ("/api/contexts", r#"{"name":""}"#, 422, "invalid_input", "name"),
        ("/api/contexts", r#"{"name":7}"#, 422, "invalid_input", "name"),
    ];
    for (path, body, status, code, field) in cases {
        let request = bot
            .request(Method::POST, path)
            .bearer_auth(OWNER)
            .header("content-type", "application/json")
            .body((*body).to_owned());
        let got = problem(&bot.send(request).await);
        assert_eq!(got, expected(*status, code, field), "{path} {body}");
    }
    let plain = bot.request(Method::POST, "/api/messages").bearer_auth(OWNER);
    let got = problem(&bot.send(plain.body("{}")).await);
    assert_eq!(got, expected(415, "unsupported_media_type", "Content-Type"));
    let nothing = json!({ "items": [], "next": null });
    for path in ["/api/messages", "/api/runs", "/api/contexts", "/api/channels"] {
        assert_eq!(bot.get(path).await.json(), nothing, "{path}");
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_methods_and_queries_that_are_wrong_are_refused() {
    let bot = Bot::start().await;
    let some = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    let known = |path: &str| format!("/api/{path}/{some}");
    let runs = ["", "/stream", "/replay"].map(|rest| format!("{}{rest}", known("runs")));
    let changes = ["/cancel", "/wake", "/retry"].map(|rest| format!("{}{rest}", known("runs")));
    let mut cases: Vec<(Method, String, u16, &str, &str)> = vec![
        (Method::GET, "/nowhere".into(), 404, "unknown_route", ""),
        (Method::GET, "/api/runs/x/y/z".into(), 404, "unknown_route", ""),
        (Method::GET, "/api/runs/7".into(), 400, "invalid_path", "id"),
        (Method::GET, "/api/runs/%ff".into(), 400, "invalid_path", "id"),
        (Method::POST, "/api/runs/x/cancel".into(), 400, "invalid_path", "id"),
        (Method::GET, "/api/contexts/x".into(), 400, "invalid_path", "id"),
        (Method::POST, "/api/quarantine/%ff/retry".into(), 404, "not_found", ""),
        (Method::POST, "/api/quarantine/%ff/forget".into(), 404, "not_found", ""),
        (Method::POST, "/api/hooks/%ff".into(), 401, "not_signed", ""),
        (Method::DELETE, "/api/runs".into(), 405, "method_not_allowed", ""),
        (Method::PUT, "/api/messages".into(), 405, "method_not_allowed", ""),
        (Method::GET, known("runs") + "/cancel", 405, "method_not_allowed", ""),
        (Method::GET, "/api/runs?limit=0".into(), 400, "invalid_query", "limit"),
        (Method::GET, "/api/runs?limit=201".into(), 400, "invalid_query", "limit"),
        (
            Method::GET,
            "/api/runs?limit=many".into(),
            400,
            "invalid_query",
            "limit",
        ),
        (
            Method::GET,
            "/api/runs?status=done".into(),
            400,
            "invalid_query",
            "status",
        ),
        (Method::GET, "/api/runs?before=1".into(), 400, "invalid_query", "before"),
        (Method::GET, "/api/runs?who=me".into(), 400, "invalid_query", "who"),
        (
            Method::GET,
            "/api/messages?channelId=1".into(),
            400,
            "invalid_query",
            "channelId",
        ),
        (Method::GET, "/api/search".into(), 400, "invalid_query", "q"),
        (Method::GET, "/api/search?q=x".into(), 400, "invalid_query", "userId"),
        (
            Method::GET,
            format!("/api/search?q=%22*%22&userId={some}"),
            400,
            "invalid_query",
            "q",
        ),
        (
            Method::GET,
            format!("/api/search?q=x&userId={some}&before={some}"),
            400,
            "invalid_query",
            "before",
        ),
        (Method::GET, known("contexts"), 404, "not_found", ""),
        (Method::GET, known("channels"), 404, "not_found", ""),
        (Method::GET, known("agents"), 404, "not_found", ""),
    ];
    cases.extend(runs.map(|path| (Method::GET, path, 404, "not_found", "")));
    cases.extend(changes.map(|path| (Method::POST, path, 404, "not_found", "")));
    for (method, path, status, code, field) in cases {
        let answer = bot.send(bot.request(method.clone(), &path).bearer_auth(OWNER)).await;
        assert_eq!(problem(&answer), expected(status, code, field), "{method} {path}");
    }
    let answer = bot
        .send(bot.request(Method::DELETE, "/api/runs").bearer_auth(OWNER))
        .await;
    assert_eq!(answer.header("allow"), "GET,HEAD,POST");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_nothing_but_health_and_the_description_answers_and_scopes_limit_the_others() {
    let bot = Bot::start().await;
    let some = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    let read = bot.token(&["read"]).await;
    let write = bot.token(&["write"]).await;
    let admin = bot.token(&["admin"]).await;
    let agent = format!("/api/agents/{some}");
    let cancel = format!("/api/runs/{some}/cancel");
    let cases: &[(Method, &str, [u16; 6])] = &[
        // No token, an unknown one, read, write, admin, owner.
        (Method::GET, "/healthz", [200, 200, 200, 200, 200, 200]),
        // On this machine.
        (Method::GET, "/readyz", [200, 401, 200, 403, 200, 200]),
        (Method::GET, "/metrics", [401, 401, 200, 403, 200, 200]),
        (Method::GET, "/api/openapi.json", [200, 200, 200, 200, 200, 200]),
        (Method::GET, "/api/runs", [401, 401, 200, 403, 200, 200]),
        (Method::POST, "/api/runs", [401, 401, 403, 422, 422, 422]),
        (Method::POST, "/api/messages", [401, 401, 403, 422, 422, 422]),
        (Method::POST, &cancel, [401, 401, 403, 404, 404, 404]),
        (Method::PATCH, &agent, [401, 401, 403, 403, 404, 404]),
        (Method::GET, "/nowhere", [401, 401, 404, 404, 404, 404]),
        (Method::DELETE, "/api/runs", [401, 401, 405, 405, 405, 405]),
    ];
    let tokens = [
        None,
        Some("wrong"),
        Some(read.as_str()),
        Some(&write),
        Some(&admin),
        Some(OWNER),
    ];
    for (method, path, statuses) in cases {
        for (token, status) in tokens.iter().zip(statuses) {
            let mut request = bot.request(method.clone(), path);
            if let Some(token) = token {
                request = request.bearer_auth(token);
            }
            if *method != Method::GET {
                request = request.json(&json!({}));
            }
            let answer = bot.send(request).await;
            assert_eq!(answer.status, *status, "{method} {path} {token:?} {}", answer.text);
            let challenge = answer.header("www-authenticate");
            match status {
                401 => assert!(challenge.starts_with("Bearer realm="), "{challenge}"),
                403 => assert!(challenge.contains("insufficient_scope"), "{challenge}"),
                _ => assert_eq!(challenge, ""),
            }
        }
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_no_enabled_agent_the_answer_is_500_and_a_later_try_is_answered() {
    let bot = Bot::start().await;
    let agents = bot.get("/api/agents").await.json();
    let agent = format!("/api/agents/{}", agents["items"][0]["id"].as_str().unwrap());
    let off = bot.call(Method::PATCH, &agent, &json!({ "enabled": false })).await;
    assert_eq!((off.status, off.json()["enabled"].clone()), (200, Value::Bool(false)));
    let message = json!({ "content": "hello", "idempotencyKey": "once" });
    for (path, body) in [
        ("/api/messages", &message),
        ("/api/runs", &json!({ "inputText": "hello" })),
    ] {
        let answer = bot.post(path, body).await;
        assert_eq!(
            (answer.status, answer.json()),
            (500, json!({ "error": "No enabled agent found" }))
        );
    }
    bot.call(Method::PATCH, &agent, &json!({ "enabled": true })).await;
    let answer = bot.post("/api/messages?wait=30", &message).await;
    assert_eq!(
        (answer.status, answer.json()["status"].clone()),
        (200, json!("completed"))
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_away_is_a_503_without_its_reasons() {
    let bot = Bot::start().await;
    bot.app.db.clone().close().await;
    for path in ["/api/runs", "/api/messages", "/api/contexts"] {
        let answer = bot.get(path).await;
        assert_eq!(problem(&answer), expected(503, "database_unavailable", ""));
        assert!(!answer.text.to_lowercase().contains("pool"), "{}", answer.text);
    }
    let ready = bot.get("/readyz").await;
    assert_eq!(
        (ready.status, ready.json()["checks"]["database"]["ok"].clone()),
        (503, json!(false))
    );
    let metrics = bot.get("/metrics").await;
    assert_eq!(metrics.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_at_most_so_long_even_where_longer_bodies_are_taken() {
    const LONGEST: usize = 1 << 20;
    let bot = Bot::with(&[("http.max_body_bytes", "8388608")]).await;
    let posts = async |path: &str, field: &str, length: usize| {
        let text = "ü".repeat(length);
        bot.post(path, &json!({ field: text })).await
    };
    for (path, field) in [("/api/messages", "content"), ("/api/runs", "inputText")] {
        let answer = posts(path, field, LONGEST + 1).await;
        assert_eq!(problem(&answer), expected(422, "invalid_input", field), "{path}");
        assert_eq!(bot.get("/api/runs").await.json()["items"], json!([]), "{path}");
    }
    let told = json!({"model": "clifford", "messages": [{"role": "user", "content": "x".repeat(LONGEST + 1)}]});
    assert_eq!(bot.post("/v1/chat/completions", &told).await.status, 422);
    assert_eq!(posts("/api/messages", "content", LONGEST).await.status, 202);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_a_route_does_not_have_is_refused_with_the_near_name() {
    let bot = Bot::start().await;
    let some = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    for (path, field, detail) in [
        ("/api/me?verbose=1", "verbose", "there is no `verbose` here"),
        ("/api/tokens?limit=5", "limit", "there is no `limit` here"),
        ("/api/openapi.json?x", "x", "there is no `x` here"),
        (
            &format!("/api/runs/{some}?steps=9&x=1"),
            "steps",
            "there is no `steps` here",
        ),
        (
            "/api/runs?stauts=failed",
            "stauts",
            "there is no `stauts` here; did you mean `status`?",
        ),
        (
            "/api/settings?name=memory",
            "name",
            "there is no `name` here; there are scope",
        ),
    ] {
        let refused = bot.get(path).await;
        assert_eq!(problem(&refused), expected(400, "invalid_query", field), "{path}");
        assert_eq!(refused.json()["detail"], detail, "{path}");
    }
    // Parameters that others send along are theirs, and a page is shown whatever its link got on its way.
    for path in [
        "/healthz?x=1",
        "/readyz?x=1",
        "/metrics?x=1",
        "/v1/models?x=1",
        "/runs?utm_source=chat",
        "/?x=1",
    ] {
        assert_eq!(bot.get(path).await.status, 200, "{path}");
    }
    let hook = bot.call(Method::POST, "/api/hooks/none?from=ci", &json!({})).await;
    assert!(matches!(hook.status, 401 | 404), "{}", hook.text);
    bot.app.shutdown().await;
}
