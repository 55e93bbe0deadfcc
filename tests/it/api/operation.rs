//! Requests of people who operate a bot.

use std::collections::BTreeSet;

use clifford_http::Socket;
use serde_json::json;

use super::bot::Bot;

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_tells_that_it_lives_and_is_ready_and_what_it_has_counted() {
    let bot = Bot::start().await;
    assert_eq!(bot.get("/healthz").await.text, "ok");
    bot.ask("hello").await;
    let ready = bot.get("/readyz").await;
    assert_eq!(ready.status, 200);
    let checks = json!({
        "database": { "ok": true, "detail": "it takes writes" },
        "maintenance": { "ok": true, "detail": "no maintenance job fails" },
        "provider": { "ok": true, "detail": "offline" },
    });
    assert_eq!(ready.json(), json!({ "ready": true, "checks": checks }));
    let metrics = bot.get("/metrics").await;
    assert_eq!(
        metrics.header("content-type"),
        "text/plain; version=0.0.4; charset=utf-8"
    );
    for name in [
        "clifford_runs{status=\"waiting\"}",
        "clifford_queue_depth{queue=\"outbox\"}",
        "clifford_queue_oldest_seconds{queue=\"outbox\"}",
        "clifford_database_up 1",
        "clifford_runs_total{status=\"completed\"}",
        "clifford_model_seconds_bucket{provider=\"offline\"",
        "clifford_http_requests_total{status=\"200\"}",
    ] {
        assert!(metrics.text.contains(name), "{name} is not in {}", metrics.text);
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_lists_every_route() {
    let bot = Bot::start().await;
    let description = bot.get("/api/openapi.json").await.json();
    assert!(description["openapi"].as_str().unwrap().starts_with("3.1"));
    let listed: BTreeSet<_> = description["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(move |method| format!("{method} {path}"))
        })
        .collect();
    let expected = [
        "get /v1/models",
        "post /v1/chat/completions",
        "delete /api/sessions/current",
        "delete /api/sessions/others",
        "post /api/sessions/challenge",
        "post /api/sessions/passkey",
        "get /api/passkeys",
        "post /api/passkeys",
        "post /api/passkeys/challenge",
        "patch /api/passkeys/{id}",
        "delete /api/passkeys/{id}",
        "delete /api/sessions/{id}",
        "delete /api/tokens/{id}",
        "delete /api/agents/{id}",
        "get /api/agents/{id}/prompts",
        "get /api/agents/{id}/prompts/{version}",
        "get /api/budgets",
        "get /api/connections",
        "get /api/events",
        "get /api/feedback",
        "put /api/runs/{id}/feedback",
        "delete /api/runs/{id}/feedback",
        "get /api/models",
        "get /api/terminal",
        "post /api/terminal/messages",
        "post /api/terminal/shown",
        "post /api/tools/{name}/call",
        "patch /api/messages/{id}",
        "get /api/runs/{id}/steps/{seq}/prompt",
        "post /api/agents",
        "post /api/agents/{id}/prompts/{version}/restore",
        "post /api/quarantine/{id}/forget",
        "post /api/quarantine/{id}/retry",
        "get /api/me",
        "get /api/outages",
        "get /api/outbox",
        "get /api/pairings",
        "get /api/quarantine",
        "get /api/sessions",
        "get /api/spaces",
        "get /api/spaces/{id}",
        "get /api/tokens",
        "post /api/tokens",
        "post /api/outbox/{id}/give-up",
        "post /api/outbox/{id}/resend",
        "post /api/pairings/decide",
        "post /api/reload",
        "post /api/sessions",
        "delete /api/files/{id}",
        "delete /api/memories/{id}",
        "delete /api/policies/{id}",
        "delete /api/settings/{scope}/{name}",
        "delete /api/triggers/{id}",
        "delete /api/users/{id}",
        "delete /api/users/{id}/keys/{provider}",
        "get /api/agents",
        "get /api/agents/{id}",
        "get /api/channels",
        "get /api/channels/{id}",
        "get /api/contexts",
        "get /api/contexts/{id}",
        "get /api/contexts/{id}/jobs",
        "get /api/files",
        "get /api/files/{id}",
        "get /api/files/{id}/content",
        "get /api/memories",
        "get /api/memories/jobs",
        "get /api/memories/{id}",
        "get /api/memories/{id}/source",
        "get /api/messages",
        "get /api/openapi.json",
        "get /api/policies",
        "get /api/policies/{id}",
        "get /api/runs",
        "get /api/runs/{id}",
        "get /api/runs/{id}/compare",
        "get /api/runs/{id}/replay",
        "get /api/runs/{id}/stream",
        "get /api/runs/{id}/why",
        "get /api/search",
        "get /api/settings",
        "get /api/settings/{scope}/{name}",
        "get /api/tools",
        "get /api/tools/{name}",
        "get /api/triggers",
        "get /api/triggers/{id}",
        "get /api/usage",
        "get /api/usage/tools",
        "get /api/users",
        "get /api/users/{id}",
        "get /api/users/{id}/export",
        "get /api/users/{id}/identities",
        "get /api/users/{id}/keys",
        "get /healthz",
        "get /metrics",
        "get /readyz",
        "patch /api/agents/{id}",
        "patch /api/channels/{id}",
        "patch /api/contexts/{id}",
        "patch /api/memories/{id}",
        "patch /api/settings/{scope}",
        "patch /api/tools/{name}",
        "patch /api/triggers/{id}",
        "patch /api/users/{id}",
        "post /api/contexts",
        "post /api/files",
        "post /api/hooks/{name}",
        "post /api/memories",
        "post /api/messages",
        "post /api/policies",
        "post /api/policies/test",
        "post /api/runs",
        "post /api/runs/{id}/cancel",
        "post /api/runs/{id}/confirm",
        "post /api/runs/{id}/rerun",
        "post /api/runs/{id}/retry",
        "post /api/runs/{id}/undo",
        "post /api/runs/{id}/wake",
        "post /api/triggers",
        "post /api/triggers/{id}/fire",
        "post /api/users/{id}/link",
        "post /api/users/{id}/link-code",
        "put /api/policies/{id}",
        "put /api/settings/{scope}/{name}",
        "put /api/users/{id}/keys/{provider}",
    ];
    assert_eq!(listed, expected.map(str::to_owned).into());
    bot.app.shutdown().await;
}

#[tokio::test]
async fn an_address_in_use_is_an_error_that_names_the_setting() {
    let settings = clifford_config::Http {
        bind: "127.0.0.1:0".parse().unwrap(),
        ..Default::default()
    };
    let first = Socket::bind(&settings).await.unwrap();
    let taken = clifford_config::Http {
        bind: first.address(),
        ..settings
    };
    let error = Socket::bind(&taken).await.err().unwrap().to_string();
    assert!(
        error.starts_with(&format!("http.bind: {} cannot be listened on", first.address())),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_beyond_the_connection_limit_wait_and_are_answered() {
    let bot = Bot::with(&[("http.max_connections", "2")]).await;
    let calls = (0..20).map(|_| {
        let client = reqwest::Client::builder()
            .no_proxy()
            .pool_max_idle_per_host(0)
            .build()
            .unwrap();
        let request = client.get(format!("http://{}/healthz", bot.address));
        async move { request.send().await.unwrap().status().as_u16() }
    });
    assert_eq!(futures::future::join_all(calls).await, [200; 20]);
    bot.app.shutdown().await;
}
