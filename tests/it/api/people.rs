//! People and settings.

use clifford_chat::{inbound::Speaker, platform::Platform};
use clifford_core::people::UserRole;
use clifford_store::people::users;
use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Answer, Bot};

const NOBODY: &str = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";

/// Somebody who spoke once.
async fn somebody(bot: &Bot, name: &str, role: UserRole) -> String {
    let speaker = Speaker {
        id: name.to_lowercase(),
        name: name.to_owned(),
        handle: None,
        is_bot: false,
        language: None,
        roles: None,
    };
    let now = bot.app.clock.now();
    let user = bot.app.db.write(move |tx| {
        Box::pin(async move { users::find_or_create(tx, Platform::new("telegram"), &speaker, role, now).await })
    });
    user.await.unwrap().id.to_string()
}

fn refusal(answer: &Answer) -> (u16, Value, Value) {
    let body = answer.json();
    (answer.status, body["code"].clone(), body["field"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn people_are_listed_shown_with_their_accounts_and_changed() {
    let bot = Bot::start().await;
    let ada = somebody(&bot, "Ada", UserRole::Owner).await;
    let bob = somebody(&bot, "Bob", UserRole::Stranger).await;
    let page = bot.get("/api/users?limit=1").await.json();
    let expected = json!({ "id": bob, "name": "Bob", "role": "stranger", "language": null, "timeZone": null });
    assert_eq!(page, json!({ "items": [expected], "next": bob }));
    let rest = bot.get(&format!("/api/users?limit=1&before={bob}")).await.json();
    assert_eq!((&rest["items"][0]["id"], &rest["next"]), (&json!(ada), &Value::Null));
    let strangers = bot.get("/api/users?role=stranger").await.json();
    assert_eq!(strangers, json!({ "items": [expected], "next": null }));

    let one = format!("/api/users/{bob}");
    let accounts = bot.get(&format!("{one}/identities")).await.json();
    let account = json!({ "platform": "telegram", "platformUserId": "bob", "name": "Bob" });
    assert_eq!(accounts, json!({ "items": [account], "next": null }));
    let change = json!({ "name": "Robert", "role": "member", "language": "de", "timeZone": "europe/berlin" });
    let changed = bot.call(Method::PATCH, &one, &change).await;
    let expected =
        json!({ "id": bob, "name": "Robert", "role": "member", "language": "de", "timeZone": "Europe/Berlin" });
    assert_eq!((changed.status, changed.json()), (200, expected.clone()));
    assert_eq!(bot.get(&one).await.json(), expected);
    let cleared = bot.call(Method::PATCH, &one, &json!({ "timeZone": null })).await.json();
    assert_eq!(
        (&cleared["timeZone"], &cleared["language"]),
        (&Value::Null, &json!("de"))
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_owner_stays_one_and_is_not_erased() {
    let bot = Bot::start().await;
    let ada = format!("/api/users/{}", somebody(&bot, "Ada", UserRole::Owner).await);
    let bob = format!("/api/users/{}", somebody(&bot, "Bob", UserRole::Member).await);
    let no_owner = json!({ "role": "member" });
    for refused in [
        bot.call(Method::PATCH, &ada, &no_owner).await,
        bot.call(Method::DELETE, &ada, &json!({})).await,
    ] {
        assert_eq!(refusal(&refused), (409, json!("wrong_state"), Value::Null));
        assert!(refused.json()["detail"].as_str().unwrap().contains("the only owner"));
    }
    assert_eq!(bot.get(&ada).await.json()["role"], "owner");
    assert_eq!(
        bot.call(Method::PATCH, &bob, &json!({ "role": "owner" })).await.status,
        200
    );
    assert_eq!(bot.call(Method::PATCH, &ada, &no_owner).await.status, 200);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_to_be_erased_gets_a_job_in_the_background() {
    let bot = Bot::start().await;
    let bob = somebody(&bot, "Bob", UserRole::Member).await;
    let asked = bot.call(Method::DELETE, &format!("/api/users/{bob}"), &json!({})).await;
    let job = asked.json();
    assert_eq!(
        (asked.status, &job["kind"], &job["userId"], &job["status"]),
        (202, &json!("erase"), &json!(bob), &json!("pending"))
    );
    let gone = bot
        .call(Method::DELETE, &format!("/api/users/{NOBODY}"), &json!({}))
        .await;
    assert_eq!(refusal(&gone), (404, json!("not_found"), Value::Null));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_of_every_wrong_kind_are_refused_by_field() {
    let bot = Bot::start().await;
    let bob = format!("/api/users/{}", somebody(&bot, "Bob", UserRole::Member).await);
    let before = bot.get(&bob).await.json();
    for (field, value) in [
        ("name", json!(" ")),
        ("name", json!("x".repeat(201))),
        ("name", json!("Ada\u{202e}evE")),
        ("name", json!("Ad\u{200b}a")),
        ("name", json!("Ada\nEve")),
        ("role", json!("king")),
        ("language", json!("en_US")),
        ("timeZone", json!("Berlin")),
        ("id", json!(NOBODY)),
    ] {
        let refused = bot.call(Method::PATCH, &bob, &json!({ field: value })).await;
        assert_eq!(
            refusal(&refused),
            (422, json!("invalid_input"), json!(field)),
            "{value}"
        );
    }
    assert_eq!(bot.get(&bob).await.json(), before);
    for path in ["", "/identities"] {
        let unknown = bot.get(&format!("/api/users/{NOBODY}{path}")).await;
        assert_eq!(refusal(&unknown), (404, json!("not_found"), Value::Null));
    }
    let refused = bot.get("/api/users?role=king").await;
    assert_eq!(refusal(&refused), (400, json!("invalid_query"), json!("role")));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_set_by_scope_inherited_and_taken_back() {
    let bot = Bot::with(&[("memory.enabled", "false")]).await;
    bot.ask("hello").await;
    let channel = bot.get("/api/channels").await.json()["items"][0]["id"].clone();
    let scope = format!("channel:{}", channel.as_str().unwrap());
    let names = |page: &Value| {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["name"].clone()).collect::<Vec<_>>()
    };
    let all = bot.get("/api/settings").await.json();
    assert_eq!(
        names(&all),
        [
            "when_busy",
            "memory",
            "cross_channel",
            "voice_replies",
            "model",
            "threads",
            "follow_threads",
            "ambient_messages"
        ]
    );
    let own = format!("/api/settings/{scope}/memory");
    let expected = |scope: &str, value: Value, inherited: bool| {
        json!({
            "scope": scope, "name": "memory", "value": value, "inherited": inherited,
            "inheritedFrom": if inherited { "bot" } else { "configuration" }, "values": ["true", "false"],
            "fixedBy": null,
            "description": "Whether items are written and shown to the model. A person's holds wherever they write.",
        })
    };
    assert_eq!(bot.get(&own).await.json(), expected(&scope, Value::Null, false));
    let put = bot
        .call(Method::PUT, "/api/settings/bot/memory", &json!({ "value": true }))
        .await;
    assert_eq!((put.status, put.json()), (200, expected("bot", json!(true), false)));
    let put = bot.call(Method::PUT, &own, &json!({ "value": "false" })).await;
    assert_eq!((put.status, put.json()), (200, expected(&scope, json!(false), true)));
    let listed = bot.get(&format!("/api/settings?scope={scope}")).await.json();
    assert_eq!(listed["items"][1], expected(&scope, json!(false), true));
    assert_eq!(bot.call(Method::DELETE, &own, &json!({})).await.status, 204);
    let again = bot.call(Method::DELETE, &own, &json!({})).await;
    assert_eq!(refusal(&again), (404, json!("not_found"), Value::Null));
    assert_eq!(bot.get(&own).await.json(), expected(&scope, Value::Null, true));

    let user = bot.get("/api/users").await.json()["items"][0]["id"].clone();
    let zone = format!("/api/settings/user:{}/time_zone", user.as_str().unwrap());
    let put = bot
        .call(Method::PUT, &zone, &json!({ "value": "Europe/Berlin" }))
        .await
        .json();
    assert_eq!(put["value"], "Europe/Berlin");
    let person = bot.get(&format!("/api/users/{}", user.as_str().unwrap())).await.json();
    assert_eq!(person["timeZone"], "Europe/Berlin");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_are_not_there_or_the_bots_own_are_neither_shown_nor_set() {
    let bot = Bot::start().await;
    // The readiness check keeps a setting of its own.
    assert_eq!(bot.get("/readyz").await.status, 200);
    let listed = bot.get("/api/settings?scope=bot").await.text;
    assert!(!listed.contains("last_ready_check"), "{listed}");
    let nowhere = format!("channel:{NOBODY}");
    let cases = [
        (
            "bot/last_ready_check".to_owned(),
            json!("1"),
            (404, json!("not_found"), Value::Null),
        ),
        (
            "bot/language".to_owned(),
            json!("de"),
            (404, json!("not_found"), Value::Null),
        ),
        (
            format!("{nowhere}/memory"),
            json!(true),
            (404, json!("not_found"), Value::Null),
        ),
        (
            format!("user:{NOBODY}/language"),
            json!("de"),
            (404, json!("not_found"), Value::Null),
        ),
        (
            "chat:7/memory".to_owned(),
            json!(true),
            (400, json!("invalid_path"), json!("scope")),
        ),
        (
            "channel:7/memory".to_owned(),
            json!(true),
            (400, json!("invalid_path"), json!("scope")),
        ),
        (
            "bot/memory".to_owned(),
            json!("yes"),
            (422, json!("invalid_input"), json!("value")),
        ),
        (
            "bot/memory".to_owned(),
            json!(1),
            (422, json!("invalid_input"), json!("value")),
        ),
        (
            "bot/when_busy".to_owned(),
            json!("never"),
            (422, json!("invalid_input"), json!("value")),
        ),
    ];
    for (path, value, expected) in cases {
        let path = format!("/api/settings/{path}");
        let refused = bot.call(Method::PUT, &path, &json!({ "value": value })).await;
        assert_eq!(refusal(&refused), expected, "{path} {value}");
        if expected.0 != 422 {
            assert_eq!(refusal(&bot.get(&path).await), expected, "{path}");
            let refused = bot.call(Method::DELETE, &path, &json!({})).await;
            assert_eq!(refusal(&refused), expected, "{path}");
        }
    }
    let refused = bot.get("/api/settings?scope=everything").await;
    assert_eq!(refusal(&refused), (400, json!("invalid_query"), json!("scope")));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setting_names_an_agent_and_a_model_that_are_there() {
    let choices = r#"[{ name = "strong", provider = "fake", model = "large" }]"#;
    let providers = r#"[{ name = "fake", base_url = "http://127.0.0.1:9/v1" }]"#;
    let bot = Bot::with(&[("llm.providers", providers), ("llm.choices", choices)]).await;
    bot.ask("hello").await;
    let channel = bot.get("/api/channels").await.json()["items"][0]["id"].clone();
    let scope = format!("channel:{}", channel.as_str().unwrap());
    for (name, value, detail) in [
        (
            "agent",
            "Cliford",
            "there is no agent `Cliford`; did you mean `Clifford`?",
        ),
        ("model", "small", "there is no model `small`; there are strong"),
    ] {
        let path = format!("/api/settings/{scope}/{name}");
        let refused = bot.call(Method::PUT, &path, &json!({ "value": value })).await;
        assert_eq!(
            (refused.status, &refused.json()["detail"]),
            (422, &json!(detail)),
            "{name}"
        );
        let several = json!({ "memory": false, name: value });
        let refused = bot
            .call(Method::PATCH, &format!("/api/settings/{scope}"), &several)
            .await;
        assert_eq!(refusal(&refused), (422, json!("invalid_input"), json!(name)));
        assert_eq!(bot.get(&path).await.json()["value"], Value::Null);
    }
    let both = json!({ "agent": "Clifford", "model": "strong" });
    let set = bot.call(Method::PATCH, &format!("/api/settings/{scope}"), &both).await;
    assert_eq!(set.status, 200, "{}", set.text);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_somebodys_own_goes_in_and_never_out() {
    let provider = r#"[{ name = "fake", base_url = "http://127.0.0.1:9/v1" }]"#;
    let bot = Bot::with(&[("llm.providers", provider)]).await;
    let keys = format!("/api/users/{}/keys", somebody(&bot, "Ada", UserRole::Member).await);
    let key = "sk-own-0123456789abcdefghij";
    let given = bot
        .call(Method::PUT, &format!("{keys}/fake"), &json!({ "key": key }))
        .await;
    assert_eq!((given.status, &given.json()["provider"]), (200, &json!("fake")));
    let listed = bot.get(&keys).await.json();
    assert_eq!(listed, json!({ "items": [given.json()], "next": null }));
    assert!(!listed.to_string().contains(key));

    let refused = bot
        .call(Method::PUT, &format!("{keys}/fake"), &json!({ "key": "because" }))
        .await;
    assert_eq!(refusal(&refused), (422, json!("invalid_input"), json!("key")));
    for (method, path) in [
        (Method::PUT, format!("{keys}/elsewhere")),
        (Method::PUT, format!("/api/users/{NOBODY}/keys/fake")),
        (Method::DELETE, format!("{keys}/elsewhere")),
    ] {
        let refused = bot.call(method, &path, &json!({ "key": key })).await;
        assert_eq!(refusal(&refused), (404, json!("not_found"), Value::Null), "{path}");
    }
    assert_eq!(
        bot.call(Method::DELETE, &format!("{keys}/fake"), &json!({}))
            .await
            .status,
        204
    );
    assert_eq!(bot.get(&keys).await.json()["items"], json!([]));
    bot.app.shutdown().await;
}
