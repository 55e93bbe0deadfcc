//! `/api/tools`: the tools, their settings, and the scopes of those.

use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Answer, Bot};

async fn patch(bot: &Bot, path: &str, body: &Value) -> Answer {
    bot.call(Method::PATCH, path, body).await
}

fn field<'a>(tool: &'a Value, name: &str) -> &'a Value {
    let mut fields = tool["fields"].as_array().unwrap().iter();
    fields.find(|field| field["name"] == name).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_set_for_the_bot_and_an_agent_and_tells_where_each_value_comes_from() {
    let bot = Bot::with(&[("tools.compute.time_limit_seconds", "9")]).await;
    let all = bot.get("/api/tools").await.json();
    let names: Vec<_> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(
        ["tools", "memory", "compute", "system"]
            .iter()
            .all(|name| names.contains(name)),
        "{names:?}"
    );

    let agents = bot.get("/api/agents").await.json();
    let agent = format!("agent:{}", agents["items"][0]["id"].as_str().unwrap());
    let changed = patch(&bot, "/api/tools/compute", &json!({"max_seconds": 5, "pinned": false})).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let path = format!("/api/tools/compute?scope={agent}");
    let changed = patch(&bot, &path, &json!({"enabled": false})).await.json();
    assert_eq!(
        (&changed["usable"], &changed["why"]),
        (&json!(false), &json!("it is turned off (agent)"))
    );
    let told = |tool: &Value, name: &str| {
        let field = field(tool, name);
        (field["value"].clone(), field["setBy"].clone(), field["setHere"].clone())
    };
    assert_eq!(told(&changed, "max_seconds"), (json!(5), json!("bot"), Value::Null));
    assert_eq!(
        told(&changed, "time_limit_seconds"),
        (json!(9), json!("configuration"), Value::Null)
    );
    assert_eq!(told(&changed, "enabled"), (json!(false), json!("agent"), json!(false)));

    // Elsewhere it stands as it was; `null` takes back what was set.
    let of_bot = bot.get("/api/tools/compute").await.json();
    assert_eq!(
        (&of_bot["usable"], told(&of_bot, "max_seconds").2),
        (&json!(true), json!(5))
    );
    let back = patch(&bot, "/api/tools/compute", &json!({"max_seconds": null}))
        .await
        .json();
    assert_eq!(told(&back, "max_seconds"), (json!(2), json!("default"), Value::Null));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_set_is_told_by_field() {
    let bot = Bot::start().await;
    let cases = [
        ("/api/tools/compute", json!({"max_seconds": 99}), 422, "max_seconds"),
        ("/api/tools/compute", json!({"what": 1}), 422, "what"),
        (
            "/api/tools/compute?scope=place:1",
            json!({"enabled": false}),
            400,
            "scope",
        ),
    ];
    for (path, body, status, of_field) in cases {
        let answer = patch(&bot, path, &body).await;
        assert_eq!(
            (answer.status, &answer.json()["field"]),
            (status, &json!(of_field)),
            "{}",
            answer.text
        );
    }
    let missing = bot.get("/api/tools/compte").await;
    assert_eq!(missing.status, 404);
    assert!(missing.text.contains("did you mean `compute`?"), "{}", missing.text);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_servers_tools_what_every_tool_has_is_set() {
    let server = r#"[{ name = "disk", command = "/no/such/program" }]"#;
    let bot = Bot::with(&[("tools.mcp", server)]).await;
    let changed = patch(
        &bot,
        "/api/tools/disk",
        &json!({"enabled": false, "time_limit_seconds": 5}),
    )
    .await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let tool = bot.get("/api/tools/disk").await.json();
    assert_eq!(
        (
            &tool["usable"],
            &tool["why"],
            &field(&tool, "time_limit_seconds")["value"]
        ),
        (&json!(false), &json!("it is turned off (bot)"), &json!(5))
    );
    let back = patch(&bot, "/api/tools/disk", &json!({"enabled": null})).await.json();
    assert!(
        back["why"]
            .as_str()
            .is_some_and(|why| why.contains("is not at work now")),
        "{back}"
    );
    let wrong = patch(&bot, "/api/tools/disk", &json!({"command": "sh"})).await;
    assert_eq!((wrong.status, &wrong.json()["field"]), (422, &json!("command")));
    bot.app.shutdown().await;
}
