//! Memory items of people, in the hands of the API's callers.

use reqwest::Method;
use serde_json::{Value, json};

use super::bot::{Answer, Bot, OWNER};

const NOBODY: &str = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";

/// The caller's own person, once something was said.
async fn me(bot: &Bot) -> String {
    bot.ask("hello").await;
    let users = bot.get("/api/users").await.json();
    users["items"][0]["id"].as_str().unwrap().to_owned()
}

fn keys(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().unwrap();
    items.iter().map(|item| item["key"].as_str().unwrap()).collect()
}

fn refusal(answer: &Answer) -> (u16, Value, Value) {
    let body = answer.json();
    (answer.status, body["code"].clone(), body["field"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_is_made_listed_changed_and_deleted() {
    let bot = Bot::start().await;
    let user = me(&bot).await;
    let body = json!({ "userId": user, "module": "preferences", "key": "drink", "value": " green\n tea " });
    let made = bot.post("/api/memories", &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let mut expected = made.json();
    for (field, value) in [
        ("level", json!(1)),
        ("value", json!("green tea")),
        ("confidence", json!(1.0)),
        ("contextId", Value::Null),
        ("originSpace", Value::Null),
        ("shareable", json!(false)),
        ("pinned", json!(false)),
        ("archived", json!(false)),
    ] {
        assert_eq!(expected[field], value, "{field}");
    }
    let one = format!("/api/memories/{}", expected["id"].as_str().unwrap());
    assert_eq!(bot.get(&one).await.json(), expected);
    let again = bot.post("/api/memories", &body).await;
    assert_eq!(refusal(&again), (409, json!("conflict"), Value::Null));

    // Pinned against the memory writer, not against this hand.
    let pinned = bot
        .call(Method::PATCH, &one, &json!({ "pinned": true, "shareable": true }))
        .await;
    (expected["pinned"], expected["shareable"]) = (json!(true), json!(true));
    assert_eq!((pinned.status, pinned.json()), (200, expected.clone()));
    let changed = bot
        .call(
            Method::PATCH,
            &one,
            &json!({ "value": "coffee", "level": 0, "private": true }),
        )
        .await
        .json();
    for (field, value) in [
        ("value", json!("coffee")),
        ("level", json!(0)),
        ("shareable", json!(false)),
    ] {
        expected[field] = value;
    }
    expected["lastSeenAt"] = changed["lastSeenAt"].clone();
    assert_eq!(changed, expected);

    let deleted = bot.call(Method::DELETE, &one, &json!({})).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    for answer in [bot.get(&one).await, bot.call(Method::DELETE, &one, &json!({})).await] {
        assert_eq!(refusal(&answer), (404, json!("not_found"), Value::Null));
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_paged_and_filtered_and_only_an_admin_lists_those_of_everybody() {
    let bot = Bot::start().await;
    let user = me(&bot).await;
    for (key, level, value) in [("name", 0, "Ada"), ("cat_name", 1, "Miez"), ("trip", 4, "Rome in May")] {
        let body = json!({ "userId": user, "module": "identity", "key": key, "level": level, "value": value });
        assert_eq!(bot.post("/api/memories", &body).await.status, 201);
    }
    let first = bot.get(&format!("/api/memories?userId={user}&limit=2")).await.json();
    assert_eq!(keys(&first), ["trip", "cat_name"]);
    let before = first["next"].as_str().unwrap();
    let rest = bot.get(&format!("/api/memories?limit=2&before={before}")).await.json();
    assert_eq!((keys(&rest), &rest["next"]), (vec!["name"], &Value::Null));
    let trip = format!("/api/memories/{}", first["items"][0]["id"].as_str().unwrap());
    bot.call(Method::PATCH, &trip, &json!({ "archived": true })).await;
    for (filter, expected) in [
        ("level=1", vec!["cat_name"]),
        ("archived=true", vec!["trip"]),
        ("archived=false", vec!["cat_name", "name"]),
        ("module=projects", vec![]),
        ("q=MIEZ", vec!["cat_name"]),
        ("q=name", vec!["cat_name", "name"]),
    ] {
        let page = bot.get(&format!("/api/memories?userId={user}&{filter}")).await.json();
        assert_eq!(keys(&page), expected, "{filter}");
    }
    let nobodys = bot.get(&format!("/api/memories?userId={NOBODY}")).await.json();
    assert_eq!(nobodys, json!({ "items": [], "next": null }));

    let read = bot.token(&["read"]).await;
    let list = |path: String| {
        let request = bot.request(Method::GET, &path).bearer_auth(&read);
        bot.send(request)
    };
    let refused = list("/api/memories".into()).await;
    assert_eq!(refusal(&refused), (400, json!("invalid_query"), json!("userId")));
    assert_eq!(list(format!("/api/memories?userId={user}")).await.status, 200);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn items_of_every_wrong_kind_are_refused_by_field() {
    let bot = Bot::start().await;
    let user = me(&bot).await;
    let good = json!({ "userId": user, "module": "identity", "key": "name", "value": "Ada", "level": 0 });
    let made = bot.post("/api/memories", &good).await.json();
    let one = format!("/api/memories/{}", made["id"].as_str().unwrap());
    let long = "x".repeat(51);
    for (field, value) in [
        ("userId", json!(NOBODY)),
        ("userId", json!("7")),
        ("module", json!("pets")),
        ("key", json!("Cat name")),
        ("key", json!("")),
        ("value", json!("  ")),
        ("value", json!(long)),
        ("level", json!(6)),
        ("level", json!("0")),
        ("confidence", json!(1.5)),
        ("origin", json!("private")),
    ] {
        let mut body = good.clone();
        body[field] = value.clone();
        let refused = bot.post("/api/memories", &body).await;
        assert_eq!(
            refusal(&refused),
            (422, json!("invalid_input"), json!(field)),
            "{value}"
        );
        if field != "userId" {
            let refused = bot.call(Method::PATCH, &one, &json!({ field: value })).await;
            assert_eq!(
                refusal(&refused),
                (422, json!("invalid_input"), json!(field)),
                "{value}"
            );
        }
    }
    for body in [
        json!({ "private": false }),
        json!({ "private": true, "shareable": true }),
    ] {
        let refused = bot.call(Method::PATCH, &one, &body).await;
        assert_eq!(refusal(&refused), (422, json!("invalid_input"), json!("private")));
    }
    assert_eq!(bot.get(&one).await.json(), made);
    let gone = format!("/api/memories/{NOBODY}");
    let refused = bot.call(Method::PATCH, &gone, &json!({ "pinned": true })).await;
    assert_eq!(refusal(&refused), (404, json!("not_found"), Value::Null));
    for path in [
        "/api/memories?level=-1",
        "/api/memories?archived=yes",
        "/api/memories?who=me",
    ] {
        let field = path.split(['?', '=']).nth(1).unwrap();
        assert_eq!(
            refusal(&bot.get(path).await),
            (400, json!("invalid_query"), json!(field))
        );
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_look_changes_nothing() {
    let bot = Bot::start().await;
    let user = me(&bot).await;
    let (read, write) = (bot.token(&["read"]).await, bot.token(&["write"]).await);
    let item = format!("/api/memories/{NOBODY}");
    let person = format!("/api/users/{user}");
    let setting = "/api/settings/bot/memory".to_owned();
    let cases = [
        (Method::POST, "/api/memories".to_owned(), [403, 422, 422]),
        (Method::PATCH, item.clone(), [403, 404, 404]),
        (Method::DELETE, item, [403, 404, 404]),
        (Method::PATCH, person.clone(), [403, 403, 200]),
        (Method::GET, person, [200, 403, 200]),
        (Method::DELETE, format!("/api/users/{NOBODY}"), [403, 403, 404]),
        (Method::PUT, setting.clone(), [403, 403, 422]),
        (Method::DELETE, setting, [403, 403, 404]),
        (Method::GET, "/api/settings".to_owned(), [200, 403, 200]),
        (Method::GET, "/api/memories/jobs".to_owned(), [200, 403, 200]),
    ];
    for (method, path, expected) in cases {
        for (token, status) in [read.as_str(), &write, OWNER].iter().zip(expected) {
            let request = bot.request(method.clone(), &path).bearer_auth(token);
            let request = if method == Method::GET {
                request
            } else {
                request.json(&json!({}))
            };
            let answer = bot.send(request).await;
            assert_eq!(answer.status, status, "{method} {path} {}", answer.text);
        }
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_memory_writer_is_to_do_is_listed_by_conversation_and_person() {
    let bot = Bot::start().await;
    let user = me(&bot).await;
    let context = bot.get("/api/contexts").await.json()["items"][0]["id"].clone();
    let context = context.as_str().unwrap();
    let now = bot.app.clock.now();
    let new = clifford_store::jobs::NewJob {
        kind: clifford_core::work::JobKind::MemoryWrite,
        mode: Some(clifford_core::work::WriteMode::Close),
        context_id: Some(context.parse().unwrap()),
        user_id: None,
        through: None,
        // Not in this test's time.
        due_at: now.after(std::time::Duration::from_secs(3600)),
    };
    let job = bot
        .app
        .db
        .write(move |tx| Box::pin(async move { clifford_store::jobs::insert(tx, new, now).await }))
        .await
        .unwrap()
        .unwrap();
    for path in [
        format!("/api/contexts/{context}/jobs"),
        format!("/api/memories/jobs?contextId={context}"),
        format!("/api/memories/jobs?userId={user}"),
    ] {
        let found = bot.get(&path).await.json();
        let ids: Vec<_> = found["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|job| &job["id"])
            .collect();
        assert_eq!(ids, [&json!(job)], "{path}");
        let first = &found["items"][0];
        assert_eq!(
            (&first["kind"], &first["status"]),
            (&json!("memory_write"), &json!("pending"))
        );
    }
    for path in [
        format!("/api/contexts/{context}/jobs?before={job}"),
        format!("/api/memories/jobs?contextId={NOBODY}"),
    ] {
        assert_eq!(
            bot.get(&path).await.json(),
            json!({ "items": [], "next": null }),
            "{path}"
        );
    }
    let unknown = bot.get(&format!("/api/contexts/{NOBODY}/jobs")).await;
    assert_eq!(refusal(&unknown), (404, json!("not_found"), Value::Null));
    bot.app.shutdown().await;
}
