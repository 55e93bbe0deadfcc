//! Agents in an owner's hands, quarantined work, connections, feedback and recorded prompts.

use reqwest::Method;
use serde_json::{Value, json};

use super::bot::Bot;
use crate::store::erasure::script;

async fn only_agent(bot: &Bot) -> Value {
    let agents = bot.get("/api/agents").await.json();
    assert_eq!(agents["items"].as_array().unwrap().len(), 1);
    agents["items"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_made_answers_where_it_is_chosen_and_is_deleted() {
    let bot = Bot::start().await;
    bot.ask("hello").await;
    let new = json!({ "name": "Ada", "prompt": "You are Ada." });
    let made = bot.post("/api/agents", &new).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let ada = made.json();
    assert_eq!(
        (&ada["source"], &ada["enabled"], &ada["mode"], &ada["promptVersion"]),
        (&json!("owner"), &json!(true), &json!("run"), &json!(1))
    );
    let taken = bot.post("/api/agents", &new).await;
    assert_eq!((taken.status, &taken.json()["field"]), (409, &json!("name")));
    for (body, field) in [
        (json!({ "name": " ", "prompt": "x" }), "name"),
        (json!({ "name": "x", "prompt": "p".repeat(20_001) }), "prompt"),
        (json!({ "name": "x", "prompt": "x", "mode": "sing" }), "mode"),
    ] {
        let refused = bot.post("/api/agents", &body).await;
        assert_eq!((refused.status, &refused.json()["field"]), (422, &json!(field)));
    }

    let channel = bot.get("/api/channels").await.json()["items"][0]["id"].clone();
    let channel = format!("/api/channels/{}", channel.as_str().unwrap());
    bot.call(Method::PATCH, &channel, &json!({ "agentId": ada["id"] }))
        .await;
    let said = bot.ask("what is 2 + 2?").await;
    assert_eq!(said["run"]["agentId"], ada["id"]);

    let one = format!("/api/agents/{}", ada["id"].as_str().unwrap());
    assert_eq!(bot.call(Method::DELETE, &one, &json!({})).await.status, 204);
    assert_eq!(bot.get(&one).await.status, 404);
    assert_eq!(bot.get(&channel).await.json()["agentId"], Value::Null);
    let clifford = only_agent(&bot).await;
    assert_eq!(bot.ask("and now?").await["run"]["agentId"], clifford["id"]);
    let refused = bot
        .call(
            Method::DELETE,
            &format!("/api/agents/{}", clifford["id"].as_str().unwrap()),
            &json!({}),
        )
        .await;
    assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("wrong_state")));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_keeps_its_versions_and_goes_back_to_one() {
    let bot = Bot::start().await;
    let first = only_agent(&bot).await;
    let one = format!("/api/agents/{}", first["id"].as_str().unwrap());
    let changed = bot
        .call(Method::PATCH, &one, &json!({ "prompt": "You are terse." }))
        .await
        .json();
    assert_eq!(
        (&changed["prompt"], &changed["promptVersion"]),
        (&json!("You are terse."), &json!(2))
    );
    let old = bot.get(&format!("{one}/prompts/1")).await.json();
    assert_eq!((&old["prompt"], &old["source"]), (&first["prompt"], &json!("config")));
    assert_eq!(bot.get(&format!("{one}/prompts/9")).await.status, 404);
    assert_eq!(bot.get(&format!("{one}/prompts/two")).await.status, 400);
    let restored = bot.post(&format!("{one}/prompts/1/restore"), &json!({})).await.json();
    assert_eq!(
        (&restored["prompt"], &restored["promptVersion"]),
        (&first["prompt"], &json!(3))
    );
    let page = bot.get(&format!("{one}/prompts?limit=2")).await.json();
    let versions: Vec<_> = page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["version"].clone(), item["restores"].clone()))
        .collect();
    assert_eq!(versions, [(json!(3), json!(1)), (json!(2), Value::Null)]);
    let rest = bot
        .get(&format!("{one}/prompts?before={}", page["next"].as_str().unwrap()))
        .await
        .json();
    assert_eq!((&rest["items"][0]["version"], &rest["next"]), (&json!(1), &Value::Null));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn quarantined_work_is_retried_or_taken_off_the_list() {
    let bot = Bot::start().await;
    let mut runs = Vec::new();
    for question in ["what is 2 + 3?", "what is 2 + 4?"] {
        runs.push(bot.ask(question).await["runId"].as_str().unwrap().to_owned());
    }
    script(
        &bot.app.db,
        "UPDATE runs SET status = 'failed', error = 'quarantined', quarantined_at = 5",
    )
    .await;
    let listed = async || {
        bot.get("/api/quarantine").await.json()["items"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(listed().await, 2);
    let why = bot.get("/api/quarantine?limit=1").await.json()["items"][0].clone();
    assert_eq!((&why["error"], &why["runId"]), (&json!("quarantined"), &why["id"]));
    let retried = bot
        .post(&format!("/api/quarantine/{}/retry", runs[0]), &json!({}))
        .await;
    assert_eq!(retried.status, 202, "{}", retried.text);
    let retried = retried.json();
    assert_eq!((&retried["kind"], &retried["id"]), (&json!("run"), &json!(runs[0])));
    let again = bot
        .get(&format!("/api/runs/{}", retried["runId"].as_str().unwrap()))
        .await
        .json();
    assert_eq!(again["inputText"], "what is 2 + 3?");
    let forget = format!("/api/quarantine/{}/forget", runs[1]);
    assert_eq!(bot.post(&forget, &json!({})).await.status, 204);
    assert_eq!(listed().await, 0);
    assert_eq!(bot.post(&forget, &json!({})).await.status, 404);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_prompt_is_read_by_its_step() {
    let bot = Bot::with(&[("engine.record_prompts", "true")]).await;
    let said = bot.ask("what is 17 * 23?").await;
    let run = format!("/api/runs/{}", said["runId"].as_str().unwrap());
    let steps = bot.get(&run).await.json()["runSteps"].clone();
    let steps = steps.as_array().unwrap();
    let asked = steps
        .iter()
        .find(|step| step["resultJson"]["event"] == "llm_request")
        .unwrap();
    let prompt = bot.get(&format!("{run}/steps/{}/prompt", asked["seq"])).await;
    assert_eq!(prompt.status, 200, "{}", prompt.text);
    let prompt = prompt.json();
    assert_eq!(
        (&prompt["promptHash"], &prompt["seq"]),
        (&asked["resultJson"]["promptHash"], &asked["seq"])
    );
    let messages = prompt["messages"].as_array().unwrap();
    assert_eq!(messages[0]["role"], "system");
    assert!(prompt["messages"].to_string().contains("17 * 23"), "{prompt}");
    let other = steps
        .iter()
        .find(|step| step["resultJson"]["event"] != "llm_request")
        .unwrap();
    assert_eq!(
        bot.get(&format!("{run}/steps/{}/prompt", other["seq"])).await.status,
        404
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_is_listed_by_who_gave_it_and_on_what() {
    let bot = Bot::start().await;
    let said = bot.ask("hello").await;
    let run = said["runId"].as_str().unwrap();
    let user = said["run"]["userId"].as_str().unwrap();
    script(
        &bot.app.db,
        &format!(
            "INSERT INTO run_feedback (run_id, user_id, verdict, given_by, given_at)
             VALUES ('{run}', '{user}', 'disliked', 'button', 5)"
        ),
    )
    .await;
    let items = async |query: &str| {
        let page = bot.get(&format!("/api/feedback{query}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        page.json()["items"].clone()
    };
    let found = items("?verdict=disliked").await;
    assert_eq!((&found[0]["runId"], &found[0]["userId"]), (&json!(run), &json!(user)));
    assert_eq!(items("?verdict=liked").await, json!([]));
    let channel = found[0]["channelId"].as_str().unwrap().to_owned();
    assert_eq!(items(&format!("?channelId={channel}&userId={user}")).await, found);
    assert_eq!(bot.get("/api/feedback?before=x").await.json()["field"], "before");
    bot.app.shutdown().await;
}
