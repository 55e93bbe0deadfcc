//! The pages of a run: its prompts, why the rules decided so, what it knew, a rerun, and two runs side by side.

use std::time::Duration;

use clifford_core::{clock::Timestamp, people::UserRole};
use clifford_engine::jobs::maintenance::retention::Lifetimes;
use clifford_store::messages::outbox;
use serde_json::{Value, json};

use super::{Browser, person};
use crate::api::bot::Bot;

/// The pages of a run.
const OF_RUN: [&str; 5] = ["", "/why", "/replay", "/prompt", "/rerun"];

/// How much a person has: messages and runs.
async fn counts(browser: &Browser<'_>) -> (usize, usize) {
    let count = |page: &Value| page["items"].as_array().map_or(0, Vec::len);
    let messages = browser.data("/api/messages").await;
    let runs = browser.data("/api/runs").await;
    (count(&messages), count(&runs))
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_finds_out_why_their_run_did_what_it_did() {
    let bot = Bot::with(&[("engine.record_prompts", "true")]).await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let browser = Browser::log_in(&bot, Some(ada)).await;
    let run = browser.says("what is 6*7?", "completed").await;
    let before = counts(&browser).await;
    let page = browser.page(&format!("/runs/{run}")).await;
    assert!(page.contains("Run once more from here"), "{page}");
    assert!(
        page.contains("Asked by") && page.contains("the dashboard or the API"),
        "{page}"
    );
    for (path, parts) in [
        (
            "/why",
            &["compute.eval", "allowed", "Where the arguments come from"][..],
        ),
        ("/replay", &["Iteration 1", "What changed", "Call tool"][..]),
        ("/prompt", &["What is new", "tool_result", "SHA-256"][..]),
        (
            "/rerun?from=1",
            &[
                "From step",
                "calls compute.eval",
                "the same as recorded",
                "offline/offline",
            ][..],
        ),
    ] {
        let page = browser.page(&format!("/runs/{run}{path}")).await;
        for part in parts {
            assert!(page.contains(part), "{path} {part}: {page}");
        }
    }
    let first = browser.data(&format!("/api/runs/{run}")).await["runSteps"]
        .as_array()
        .unwrap()
        .iter()
        .find(|step| step["resultJson"]["event"] == "llm_request")
        .unwrap()["seq"]
        .to_string();
    let prompt = browser.page(&format!("/runs/{run}/prompt?step={first}")).await;
    assert!(prompt.contains("The whole prompt"), "{prompt}");
    // The form has no prompt of the agent: that is the owner's.
    let form = browser.page(&format!("/runs/{run}/rerun")).await;
    assert!(!form.contains("name=\"prompt\""), "{form}");
    let action = format!("/runs/{run}/rerun");
    let same = browser.submit(&action, &action, &[("from", first.as_str())]).await;
    assert_eq!(same.status, 200, "{}", same.text);
    for part in ["It did the same.", "it was answered from there", "Rerun"] {
        assert!(same.text.contains(part), "{part}: {}", same.text);
    }
    let reply = r#"{"type":"send_message","message":"<b>Guess!</b>"}"#;
    let other = browser.submit(&action, &action, &[("reply", reply)]).await;
    assert_eq!(other.status, 200, "{}", other.text);
    for part in ["different", "would have; not carried out", "&lt;b&gt;Guess!&lt;/b&gt;"] {
        assert!(other.text.contains(part), "{part}: {}", other.text);
    }
    for (field, value, told) in [
        ("model", "nobody", "there is no model"),
        ("from", "first", "is a whole number"),
        ("prompt", "Be rude.", ""),
    ] {
        let wrong = browser.submit(&action, &action, &[(field, value)]).await;
        assert!(matches!(wrong.status, 403 | 422), "{field}: {}", wrong.status);
        assert!(wrong.text.contains(told), "{field}: {}", wrong.text);
    }
    assert_eq!(counts(&browser).await, before);
    let waiting = outbox::failures_of(&mut bot.app.db.read().await.unwrap(), run.parse().unwrap()).await;
    assert!(waiting.unwrap().is_empty());
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_say_that_steps_and_prompts_were_deleted_by_retention() {
    let bot = Bot::with(&[("engine.record_prompts", "true")]).await;
    let owner = Browser::log_in(&bot, None).await;
    let run = owner.says("what is 6*7?", "completed").await;
    let past = Some(Duration::from_secs(1));
    let later = Timestamp(4_000_000_000_000);
    let apply = async |lifetimes: Lifetimes| lifetimes.apply(&bot.app.db, later).await.unwrap();
    let prompts = Lifetimes {
        prompts: past,
        ..Lifetimes::default()
    };
    assert!(apply(prompts).await.prompts > 0);
    let page = owner.page(&format!("/runs/{run}/prompt")).await;
    assert!(page.contains("This prompt was deleted"), "{page}");
    let page = owner.page(&format!("/runs/{run}")).await;
    assert!(page.contains("The exact prompt was deleted by retention."), "{page}");
    let steps = Lifetimes {
        steps: past,
        ..Lifetimes::default()
    };
    assert_eq!(apply(steps).await.steps, 1);
    for (path, part) in [
        ("", "The steps of this run were deleted"),
        ("", "Deleted by retention"),
        ("/why", "The steps of this run were deleted"),
        ("/prompt", "The steps of this run were deleted"),
        ("/replay", "Deleted by retention"),
        ("/rerun", "deleted by retention, so there is nothing to do once more"),
    ] {
        let page = owner.page(&format!("/runs/{run}{path}")).await;
        assert!(page.contains(part), "{path} {part}: {page}");
    }
    let whole = owner.data(&format!("/api/runs/{run}")).await;
    assert_eq!(whole["runSteps"][0]["resultJson"]["event"], "steps_deleted", "{whole}");
    assert!(
        whole["outputText"].is_string() && whole["status"] == "completed",
        "{whole}"
    );
    assert!(owner.data(&format!("/api/runs/{run}/why")).await["stepsDeletedAt"].is_string());
    let action = format!("/runs/{run}/rerun");
    let again = owner.submit(&action, &action, &[]).await;
    assert!(again.text.contains("were deleted by retention"), "{}", again.text);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_are_compared_and_an_owner_tries_another_prompt() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let first = owner.says("what is 6*7?", "completed").await;
    let second = owner.says("what is 2+2?", "completed").await;
    let choices = owner.page(&format!("/runs/compare?a={first}")).await;
    assert!(choices.contains(&format!("b={second}")), "{choices}");
    let both = owner.page(&format!("/runs/compare?a={first}&b={second}")).await;
    for part in ["what is 6*7?", "what is 2+2?", "steps differ", "different", "same"] {
        assert!(both.contains(part), "{part}: {both}");
    }
    let prompt = owner.page(&format!("/runs/{first}/prompt")).await;
    assert!(prompt.contains("This prompt was not recorded"), "{prompt}");
    let action = format!("/runs/{first}/rerun");
    let rude = owner.submit(&action, &action, &[("prompt", "Be rude.")]).await;
    assert_eq!(rude.status, 200, "{}", rude.text);
    assert!(rude.text.contains("another than the recorded one"), "{}", rude.text);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_looks_into_or_reruns_the_run_of_somebody_else() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let bob = person(&bot, "Bob", UserRole::Member).await;
    let adas = Browser::log_in(&bot, Some(ada)).await;
    let bobs = Browser::log_in(&bot, Some(bob)).await;
    let run = adas.says("what is 6*7?", "completed").await;
    let own = bobs.says("hello", "completed").await;
    for path in OF_RUN {
        let path = format!("/runs/{run}{path}");
        assert_eq!(adas.get(&path).await.status, 200, "{path}");
        let refused = bobs.get(&path).await;
        assert_eq!(refused.status, 404, "{path}: {}", refused.text);
        assert!(!refused.text.contains("6*7"), "{path}");
    }
    for path in [
        format!("/runs/compare?a={own}&b={run}"),
        format!("/runs/compare?a={run}&b={own}"),
    ] {
        assert_eq!(bobs.get(&path).await.status, 404, "{path}");
    }
    let refused = bobs.submit("/", &format!("/runs/{run}/rerun"), &[]).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
    let api = format!("/api/runs/{run}/rerun");
    bot.token_of(bob, "bobs-token", &["write"]).await;
    let request = bot.request(reqwest::Method::POST, &api).bearer_auth("bobs-token");
    let refused = bot.send(request.json(&serde_json::json!({}))).await;
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (404, Some("not_found"))
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_says_who_asked_for_it_and_where_or_what_began_it() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (adas, owner) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, None).await,
    );
    let run = adas.says("hello", "completed").await;
    let whose = format!("href=\"/people/{ada}\"");
    for reader in [&adas, &owner] {
        let page = reader.page(&format!("/runs/{run}")).await;
        let (_, asked) = page.split_once("id=\"asked-by\"").unwrap();
        let (asked, _) = asked.split_once("</p>").unwrap();
        assert!(
            asked.contains(&whose) && asked.contains("/conversations?channelId="),
            "{asked}"
        );
    }
    // One that was asked for on a platform, by a schedule.
    let new = json!({"kind": "run", "name": "sum", "content": "what is 2+2?", "cron": "0 8 * * *", "userId": ada});
    let trigger = bot.post("/api/triggers", &new).await.json()["id"].clone();
    let fired = format!("/api/triggers/{}/fire", trigger.as_str().unwrap());
    let fired = bot.post(&fired, &json!({})).await;
    assert!(fired.status < 300, "{}", fired.text);
    let begun = bot.get("/api/runs?limit=1").await.json()["items"][0].clone();
    assert_eq!(begun["inputJson"]["trigger"]["name"], "sum");
    let page = owner.page(&format!("/runs/{}", begun["id"].as_str().unwrap())).await;
    assert!(
        page.contains("Begun by a <a href=\"/reminders\">schedule</a>: <bdi>sum</bdi>"),
        "{page}"
    );
    assert!(page.contains(&format!("For <a {whose}>")), "{page}");
    bot.app.shutdown().await;
}
