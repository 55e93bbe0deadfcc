//! Every route in a good state, and its error in a state that does not allow it.

use reqwest::Method;
use serde_json::{Value, json};

use super::bot::Bot;

/// The names of an object's fields.
fn fields(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn contents(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().unwrap();
    items
        .iter()
        .map(|message| message["content"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_answered_and_its_run_tells_how() {
    let bot = Bot::start().await;
    let said = bot.ask("what is 17 * 23?").await;
    assert_eq!(fields(&said), ["messageId", "runId", "status", "run", "messages"]);
    assert_eq!(said["status"], "completed");
    let reply = said["messages"].as_array().unwrap();
    assert!(reply.len() == 1 && reply[0].as_str().unwrap().contains("391"), "{said}");
    let run = bot
        .get(&format!("/api/runs/{}", said["runId"].as_str().unwrap()))
        .await
        .json();
    assert_eq!(run["id"], said["runId"]);
    let steps = run["runSteps"].as_array().unwrap();
    let seqs: Vec<_> = steps.iter().map(|step| step["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=steps.len() as u64).collect::<Vec<_>>());
    let called: Vec<_> = steps.iter().filter(|step| step["type"] == "tool_call").collect();
    assert_eq!(called[0]["toolName"], "compute.eval");
    assert!(run["createdAt"].as_str().unwrap().ends_with('Z'));
    let messages = bot.get("/api/messages").await.json();
    assert_eq!(contents(&messages), [reply[0].as_str().unwrap(), "what is 17 * 23?"]);
    assert_eq!(messages["items"][1]["id"], said["messageId"]);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_waiting_a_message_is_accepted_at_once_and_the_same_key_stores_it_once() {
    let bot = Bot::start().await;
    let message = json!({ "content": "hello", "idempotencyKey": "a" });
    let first = bot.post("/api/messages", &message).await;
    assert_eq!(first.status, 202);
    assert_eq!(fields(&first.json()), ["messageId", "runId", "status"]);
    let again = bot.post("/api/messages?wait=30", &message).await;
    assert_eq!(again.status, 200);
    for field in ["messageId", "runId"] {
        assert_eq!(first.json()[field], again.json()[field]);
    }
    assert_eq!(bot.get("/api/runs").await.json()["items"].as_array().unwrap().len(), 1);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_caller_has_a_channel_of_its_own_and_only_an_admin_may_name_anothers() {
    let bot = Bot::start().await;
    bot.ask("hello").await;
    let token = bot.token(&["write"]).await;
    let body = json!({ "content": "hello" });
    let request = bot
        .request(Method::POST, "/api/messages?wait=30")
        .bearer_auth(&token)
        .json(&body);
    assert_eq!(bot.send(request).await.status, 200);
    let channels = bot.get("/api/channels").await.json();
    let channels = channels["items"].as_array().unwrap();
    assert_eq!(channels.len(), 2);
    assert_eq!(channels[1]["externalId"], "api:owner");
    let own = channels[1]["id"].as_str().unwrap();
    let others = channels[0]["id"].as_str().unwrap();
    let body = json!({ "content": "who is there?", "channelId": own });
    let admin = bot.token(&["admin"]).await;
    for (token, channel, status) in [(&token, own, 403), (&token, others, 202), (&admin, own, 202)] {
        for (path, mut body) in [
            ("/api/runs", json!({ "inputText": "hello" })),
            ("/api/contexts", json!({})),
        ] {
            body["channelId"] = json!(channel);
            let request = bot.request(Method::POST, path).bearer_auth(token).json(&body);
            let answer = bot.send(request).await;
            let expected = if (path, status) == ("/api/contexts", 202) {
                201
            } else {
                status
            };
            assert_eq!(answer.status, expected, "{path} {}", answer.text);
        }
    }
    let request = |token: &str| {
        bot.request(Method::POST, "/api/messages?wait=30")
            .bearer_auth(token)
            .json(&body)
    };
    let refused = bot.send(request(&token)).await;
    assert_eq!(
        (refused.status, refused.json()["field"].clone()),
        (403, json!("channelId"))
    );
    assert_eq!(bot.send(request(&admin)).await.status, 200);
    let there = bot.get(&format!("/api/messages?channelId={own}")).await.json();
    let asked = |text: &&str| *text == "who is there?";
    assert_eq!(contents(&there).into_iter().filter(asked).count(), 1);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_are_begun_renamed_closed_and_gone_on_with() {
    let bot = Bot::start().await;
    let first = bot.post("/api/contexts", &json!({ "name": "first" })).await;
    assert_eq!(first.status, 201);
    let first = first.json();
    let id = first["id"].as_str().unwrap();
    let second = bot.post("/api/contexts", &json!({})).await.json();
    let one = format!("/api/contexts/{id}");
    let closed = bot.get(&one).await.json();
    assert_eq!(
        (closed["name"].clone(), closed["closedAt"].is_string()),
        (json!("first"), true)
    );
    let go_on = json!({ "content": "hello", "contextId": id });
    assert_eq!(bot.post("/api/messages?wait=30", &go_on).await.status, 200);
    assert_eq!(bot.get(&one).await.json()["closedAt"], Value::Null);
    let said = bot.get(&format!("/api/messages?contextId={id}")).await.json();
    assert_eq!(contents(&said).len(), 2);
    let change = json!({ "name": "renamed", "closed": true });
    let changed = bot.call(Method::PATCH, &one, &change).await;
    assert_eq!(changed.status, 200);
    let changed = changed.json();
    assert_eq!(
        (changed["name"].clone(), changed["closedAt"].is_string()),
        (json!("renamed"), true)
    );
    let reopened = bot.call(Method::PATCH, &one, &json!({ "closed": false })).await;
    assert_eq!(
        (reopened.status, reopened.json()["field"].clone()),
        (422, json!("closed"))
    );
    let page = bot.get("/api/contexts?limit=1").await.json();
    assert_eq!(
        (page["items"][0]["id"].clone(), page["next"].clone()),
        (second["id"].clone(), second["id"].clone())
    );
    let rest = bot
        .get(&format!(
            "/api/contexts?limit=1&before={}",
            page["next"].as_str().unwrap()
        ))
        .await
        .json();
    assert_eq!(
        (rest["items"][0]["id"].clone(), rest["next"].clone()),
        (first["id"].clone(), Value::Null)
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_that_is_turned_off_takes_nothing_until_it_is_turned_on() {
    let bot = Bot::start().await;
    bot.ask("hello").await;
    let id = bot.get("/api/channels").await.json()["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let one = format!("/api/channels/{id}");
    let off = bot
        .call(Method::PATCH, &one, &json!({ "enabled": false, "name": "desk" }))
        .await
        .json();
    assert_eq!(
        (off["enabled"].clone(), off["name"].clone()),
        (json!(false), json!("desk"))
    );
    for (path, body) in [
        ("/api/messages", json!({ "content": "hello" })),
        ("/api/messages", json!({ "content": "hello", "channelId": id })),
        ("/api/runs", json!({ "inputText": "hello", "channelId": id })),
        ("/api/contexts", json!({ "channelId": id })),
    ] {
        let answer = bot.post(path, &body).await;
        assert_eq!(
            (answer.status, answer.json()["code"].clone()),
            (409, json!("channel_disabled")),
            "{path}"
        );
    }
    bot.call(Method::PATCH, &one, &json!({ "enabled": true })).await;
    bot.ask("hello").await;
    let agent = bot.get("/api/agents").await.json()["items"][0]["id"].clone();
    let own = bot.call(Method::PATCH, &one, &json!({ "agentId": agent })).await.json();
    assert_eq!(own["agentId"], agent);
    let none = bot.call(Method::PATCH, &one, &json!({ "agentId": null })).await.json();
    assert_eq!(
        (none["agentId"].clone(), none["enabled"].clone()),
        (Value::Null, json!(true))
    );
    let some = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    let unknown = bot.call(Method::PATCH, &one, &json!({ "agentId": some })).await;
    assert_eq!(
        (unknown.status, unknown.json()["field"].clone()),
        (422, json!("agentId"))
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_message_is_done_with_the_tools_it_is_allowed() {
    let bot = Bot::with(&[("profiles", r#"[{ name = "clerk" }]"#)]).await;
    let body = json!({
        "inputText": "what is 17 * 23?", "inputJson": { "a": 17 }, "profile": "clerk", "allowedTools": ["compute"],
    });
    let begun = bot.post("/api/runs", &body).await;
    assert_eq!(begun.status, 202);
    let begun = begun.json();
    assert_eq!(begun["status"], "pending");
    let id = begun["id"].as_str().unwrap();
    let patience = std::time::Duration::from_secs(30);
    bot.app.runs.wait_for_end(id.parse().unwrap(), patience).await.unwrap();
    let run = bot.get(&format!("/api/runs/{id}")).await.json();
    assert_eq!(run["status"], "completed", "{run}");
    assert!(run["outputText"].as_str().unwrap().contains("391"));
    for field in ["inputText", "inputJson", "profile", "allowedTools"] {
        assert_eq!(run[field], body[field], "{field}");
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_cancelled_woken_and_done_again_only_where_their_state_allows_it() {
    let bot = Bot::start().await;
    let run = bot.sleeper().await;
    let change = |what: &str, run: &str| {
        let path = format!("/api/runs/{run}/{what}");
        let bot = &bot;
        async move { bot.post(&path, &json!({})).await }
    };
    let refused = change("retry", &run).await;
    assert_eq!(
        (refused.status, refused.json()["code"].clone()),
        (409, json!("wrong_state"))
    );
    let cancelled = change("cancel", &run).await;
    assert_eq!(
        (cancelled.status, cancelled.json()["status"].clone()),
        (200, json!("cancelled"))
    );
    for what in ["cancel", "wake"] {
        let refused = change(what, &run).await;
        assert_eq!(
            (refused.status, refused.json()["code"].clone()),
            (409, json!("wrong_state")),
            "{what}"
        );
    }
    let again = change("retry", &run).await;
    assert_eq!(
        (again.status, again.json()["inputText"].clone()),
        (202, cancelled.json()["inputText"].clone())
    );
    let page = bot.get("/api/runs?status=cancelled").await.json();
    let ids: Vec<_> = page["items"].as_array().unwrap().iter().map(|run| &run["id"]).collect();
    assert_eq!(ids, [&json!(run)]);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_tells_what_was_known_and_decided_in_each_iteration() {
    let bot = Bot::start().await;
    let said = bot.ask("what is 17 * 23?").await;
    let run = said["runId"].as_str().unwrap();
    let replay = bot.get(&format!("/api/runs/{run}/replay")).await.json();
    let shown = bot.get(&format!("/api/runs/{run}")).await.json();
    let iterations = replay["iterations"].as_array().unwrap();
    let numbers: Vec<_> = iterations
        .iter()
        .map(|iteration| iteration["iteration"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=iterations.len() as u64).collect::<Vec<_>>());
    let steps: Vec<_> = iterations
        .iter()
        .flat_map(|iteration| iteration["steps"].as_array().unwrap())
        .collect();
    let seqs: Vec<_> = steps.iter().map(|step| &step["seq"]).collect();
    let recorded: Vec<_> = shown["runSteps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["seq"])
        .collect();
    assert_eq!(seqs, recorded);
    let decisions: Vec<_> = steps
        .iter()
        .filter_map(|step| step["decision"]["decision"].as_str())
        .collect();
    assert_eq!(decisions.len(), iterations.len());
    assert!(decisions.contains(&"call_tool"), "{decisions:?}");
    let end = &steps.last().unwrap()["state"];
    assert_eq!(
        (end["pending"].clone(), end["output"].clone()),
        (json!("nothing"), shown["outputText"].clone())
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_belongs_to_one_content_and_a_repeat_is_a_repeat_with_its_files() {
    let bot = Bot::start().await;
    let upload = bot
        .request(Method::POST, "/api/files?name=a.txt")
        .bearer_auth(super::bot::OWNER);
    let file = bot.send(upload.body("text")).await.json()["id"].clone();
    let message = json!({ "content": "look at this", "idempotencyKey": "k", "fileIds": [file] });
    let first = bot.post("/api/messages?wait=30", &message).await;
    assert_eq!(first.status, 200, "{}", first.text);
    let again = bot.post("/api/messages?wait=30", &message).await;
    assert_eq!(
        (again.status, &again.json()["messageId"]),
        (200, &first.json()["messageId"])
    );
    for other in [
        json!({ "content": "look at that", "idempotencyKey": "k", "fileIds": [file] }),
        json!({ "content": "look at this", "idempotencyKey": "k" }),
        json!({ "content": "look at this", "idempotencyKey": "k", "fileIds": [file], "mode": "chat" }),
    ] {
        let refused = bot.post("/api/messages", &other).await;
        assert_eq!(
            (
                refused.status,
                refused.json()["code"].clone(),
                refused.json()["field"].clone()
            ),
            (422, json!("key_reused"), json!("idempotencyKey")),
            "{other}"
        );
    }
    assert_eq!(bot.get("/api/runs").await.json()["items"].as_array().unwrap().len(), 1);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_again_with_its_key_chooses_no_conversation() {
    let bot = Bot::start().await;
    let send = async |content: &str, key: &str, context: Option<&serde_json::Value>| {
        let mut message = json!({ "content": content, "idempotencyKey": key });
        if let Some(context) = context {
            message["contextId"] = context.clone();
        }
        let sent = bot.post("/api/messages?wait=30", &message).await;
        (sent.status, sent.json()["run"]["contextId"].clone())
    };
    let (_, first) = send("one", "1", None).await;
    assert_eq!(bot.post("/api/contexts", &json!({})).await.status, 201);
    let (_, second) = send("two", "2", None).await;
    assert_ne!(first, second);
    // Refused, and repeated as it was: neither leads back.
    assert_eq!(send("other", "1", Some(&first)).await.0, 422);
    assert_eq!(send("three", "3", None).await, (200, second.clone()));
    assert_eq!(send("four", "4", Some(&first)).await, (200, first.clone()));
    assert_eq!(send("five", "5", Some(&second)).await, (200, second.clone()));
    assert_eq!(send("four", "4", Some(&first)).await, (200, first));
    assert_eq!(send("six", "6", None).await, (200, second));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_messages_holds_for_people_and_not_for_the_operator() {
    let bot = Bot::with(&[("ingress.user_messages_per_minute", "2")]).await;
    bot.ask("hello").await;
    let user: clifford_core::id::UserId = bot.get("/api/users").await.json()["items"][0]["id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    bot.token_of(user, "hers", &["write"]).await;
    let body = json!({ "content": "hello" });
    let send = async || {
        let request = bot
            .request(Method::POST, "/api/messages")
            .bearer_auth("hers")
            .json(&body);
        bot.send(request).await
    };
    assert_eq!([send().await.status, send().await.status], [202, 202]);
    for _ in 0..2 {
        let refused = send().await;
        assert_eq!(
            (refused.status, refused.json()["code"].clone()),
            (429, json!("too_many_messages"))
        );
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
    }
    // It holds for whatever begins a run.
    let run = json!({ "inputText": "hello" });
    let trigger = json!({ "kind": "run", "content": "hello", "at": "2100-01-01T00:00:00Z", "userId": user });
    let made = bot.post("/api/triggers", &trigger).await.json();
    let theirs = bot.get("/api/runs").await.json()["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for (path, body) in [
        ("/api/runs".to_owned(), &run),
        (format!("/api/runs/{theirs}/retry"), &json!({})),
        ("/api/triggers".to_owned(), &trigger),
        (
            format!("/api/triggers/{}/fire", made["id"].as_str().unwrap()),
            &json!({}),
        ),
    ] {
        let request = bot.request(Method::POST, &path).bearer_auth("hers").json(body);
        let refused = bot.send(request).await;
        assert_eq!(
            (refused.status, refused.json()["code"].clone()),
            (429, json!("too_many_messages")),
            "{path}"
        );
    }
    for _ in 0..5 {
        assert_eq!(bot.post("/api/messages", &body).await.status, 202);
        assert_eq!(bot.post("/api/runs", &run).await.status, 202);
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_has_no_more_triggers_by_the_api_than_reminders_by_asking() {
    let bot = Bot::with(&[("tools.reminders.max_per_user", "2")]).await;
    bot.ask("hello").await;
    let user: clifford_core::id::UserId = bot.get("/api/users").await.json()["items"][0]["id"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    bot.token_of(user, "hers", &["write"]).await;
    let reminder = json!({ "kind": "reminder", "content": "stretch", "at": "2100-01-01T00:00:00Z" });
    let send = async |method: Method, path: &str, body: &serde_json::Value| {
        let request = bot.request(method, path).bearer_auth("hers").json(body);
        bot.send(request).await
    };
    let set = async || send(Method::POST, "/api/triggers", &reminder).await;
    let first = set().await;
    assert_eq!((first.status, set().await.status), (201, 201), "{}", first.text);
    let refused = set().await;
    assert_eq!(
        (refused.status, refused.json()["code"].clone()),
        (409, json!("wrong_state"))
    );
    // One that is turned off makes room for another, and then has none itself.
    let path = format!("/api/triggers/{}", first.json()["id"].as_str().unwrap());
    let turn = async |enabled: bool| {
        send(
            Method::PATCH,
            &path,
            &json!({ "enabled": enabled, "at": if enabled { json!("2100-01-01T00:00:00Z") } else { json!(null) } }),
        )
        .await
        .status
    };
    assert_eq!(
        (turn(false).await, set().await.status, turn(true).await),
        (200, 201, 409)
    );
    // As many begin runs, and no more, however many reminders there are.
    assert_eq!(
        refused.json()["detail"],
        "there are already 2 reminders, and the maximum is 2: remove one first"
    );
    let run = json!({ "kind": "run", "content": "look around", "cron": "0 3 * * *" });
    let begin = async || send(Method::POST, "/api/triggers", &run).await;
    assert_eq!(
        [begin().await.status, begin().await.status, begin().await.status],
        [201, 201, 409]
    );
    assert_eq!(
        begin().await.json()["detail"],
        "you already have 2 run triggers, and the maximum is 2: disable or delete one first"
    );
    // An owner makes as many as they want for them.
    let mut theirs = reminder.clone();
    theirs["userId"] = json!(user);
    assert_eq!(bot.post("/api/triggers", &theirs).await.status, 201);
    bot.app.shutdown().await;
}
