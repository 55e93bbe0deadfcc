//! Links that lead to the very place: the message that a memory comes from, a hit of a search, the figures of a tool,
//! and the time that a run waited and its answer took.

use clifford_core::{id::UserId, people::UserRole};
use serde_json::{Value, json};

use super::{Browser, journeys::bots, person};
use crate::{
    api::bot::Bot,
    store::world::{item, remember},
};

/// The conversation of somebody's last run, and their messages in it, the newest first.
async fn talk(browser: &Browser<'_>, run: &str) -> (String, Vec<Value>) {
    let context = browser.data(&format!("/api/runs/{run}")).await["contextId"].clone();
    let context = context.as_str().unwrap().to_owned();
    let page = browser
        .data(&format!("/api/messages?contextId={context}&limit=200"))
        .await;
    let all = page["items"].as_array().unwrap().iter();
    let theirs = all.filter(|message| message["direction"] == "inbound").cloned();
    (context, theirs.collect())
}

/// Remembers something of somebody, as from that conversation. The id of the item.
async fn note(bot: &Bot, user: UserId, context: &str, key: &str, value: &str) -> String {
    let mut noted = item("environment", key, value, 2);
    noted.last_seen_at = bot.app.clock.now();
    let id = noted.id.to_string();
    remember(&bot.app.db, user, context.parse().unwrap(), None, noted).await;
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_leads_to_the_message_that_it_comes_from_and_a_hit_to_its_own() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let (adas, bobs) = (
            Browser::log_in(&bot, Some(ada)).await,
            Browser::log_in(&bot, Some(person(&bot, "Bob", UserRole::Member).await)).await,
        );
        adas.says("My cat is called Zorro", "completed").await;
        let run = adas.says("what is 6*7?", "completed").await;
        let (context, theirs) = talk(&adas, &run).await;
        let said = theirs.last().unwrap()["id"].as_str().unwrap();
        let cat = note(&bot, ada, &context, "cat_name", "Zorro").await;
        let job = note(&bot, ada, &context, "job", "a nurse").await;

        assert!(
            adas.page("/memory")
                .await
                .contains(&format!("href=\"/memory/{cat}/source\""))
        );
        let to = format!("/conversations/{context}?around={said}#message-{said}");
        let led = adas.get(&format!("/memory/{cat}/source")).await;
        assert_eq!((led.status, led.header("location")), (303, to.as_str()));
        let page = adas.page(to.split('#').next().unwrap()).await;
        let marked = format!("<li class=\"message person sought\" id=\"message-{said}\">");
        assert!(page.contains(&marked) && page.matches("sought").count() == 1, "{page}");
        assert!(page.contains("The newest messages"), "{page}");
        // A fact that no message says leads to the conversation, and nobody else is led anywhere.
        let led = adas.get(&format!("/memory/{job}/source")).await;
        assert_eq!(led.header("location"), format!("/conversations/{context}"));
        assert_eq!(bobs.get(&format!("/memory/{cat}/source")).await.status, 404);
        // The list shows those in use until archived ones are asked for.
        let source = format!("/memory/{cat}/source");
        adas.does(
            "/memory",
            &format!("/memory/{cat}"),
            &[("archived", "true"), ("back", "/memory")],
        )
        .await;
        for (path, is_there) in [("/memory", false), ("/memory?archived=true", true)] {
            assert_eq!(adas.page(path).await.contains(&source), is_there, "{path}");
        }
        let found = adas.page("/search?q=Zorro").await;
        assert!(found.contains(&format!("?around={said}#message-{said}")), "{found}");
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_messages_ends_some_places_behind_the_one_that_is_sought() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    for number in 0..8 {
        owner.says(&format!("say {number}"), "completed").await;
    }
    let run = owner.says("what is 6*7?", "completed").await;
    let (context, theirs) = talk(&owner, &run).await;
    let first = theirs.last().unwrap()["id"].as_str().unwrap();
    let around = async |more: &str| bot.get(&format!("/api/messages?around={first}{more}")).await;
    let page = around(&format!("&contextId={context}&limit=200")).await.json();
    let ids: Vec<_> = page["items"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!((ids.len(), ids.last()), (11, Some(&&json!(first))));
    // It says where it is only within a conversation, and not together with another place.
    for more in [String::new(), format!("&contextId={context}&before={first}")] {
        let refused = around(&more).await;
        assert_eq!(
            (refused.status, refused.json()["field"].clone()),
            (400, json!("around"))
        );
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_calls_of_a_tool_are_counted_for_those_who_made_them() {
    for bot in bots().await {
        let (adas, bobs) = (
            Browser::log_in(&bot, Some(person(&bot, "Ada", UserRole::Member).await)).await,
            Browser::log_in(&bot, Some(person(&bot, "Bob", UserRole::Member).await)).await,
        );
        adas.says("what is 6*7?", "completed").await;
        let page = adas.page("/usage?by=tool").await;
        for part in [
            "Calls by tool",
            "compute.eval",
            "Took on average",
            "<option value=\"tool\" selected>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let by_model = adas.page("/usage?by=model").await;
        for part in ["Model calls by model", "Tokens by model", "offline"] {
            assert!(by_model.contains(part), "{part}: {by_model}");
        }
        let csv = adas.get("/usage.csv?by=tool").await.text;
        assert!(
            csv.starts_with("tool,calls,failures,") && csv.contains("\r\n\"compute.eval\",1,0,"),
            "{csv}"
        );
        let page = bobs.page("/usage?by=tool").await;
        assert!(page.contains("No tool was called in this time"), "{page}");
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_shows_how_long_it_waited_and_that_its_answer_was_delivered() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        let run = owner.says("what is 6*7?", "completed").await;
        let whole = owner.data(&format!("/api/runs/{run}")).await;
        assert!(whole["askedAt"].is_string(), "{whole}");
        assert_eq!(whole["deliveries"].as_array().map(Vec::len), Some(1), "{whole}");
        let page = owner.page(&format!("/runs/{run}")).await;
        for part in ["Waits for its turn", "class=\"legend small quiet\"", "#message-"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        // A chat of the dashboard reads its messages where they are kept, and the page says why it takes no time.
        let answer = &whole["deliveries"][0];
        assert_eq!(
            (&answer["status"], &answer["deliveredAt"]),
            (&json!("delivered"), &answer["createdAt"])
        );
        let (_, delivery) = page
            .split_once("Is in the chat at once")
            .expect("its delivery is shown");
        assert!(
            delivery.contains("class=\"fill delivery\"") && delivery.contains("no platform has to take it"),
            "{delivery}"
        );
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_is_not_told_that_the_words_of_somebody_else_are_theirs() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let (adas, owner) = (
            Browser::log_in(&bot, Some(ada)).await,
            Browser::log_in(&bot, None).await,
        );
        owner.holds_calls_of("compute", "ask").await;
        let run = adas.says("what is 6*7?", "waiting").await;
        for (reader, told) in [(&adas, "your message"), (&owner, "their message")] {
            let page = reader.page("/").await;
            assert!(page.contains(&format!("from: <bdi>{told}</bdi>")), "{told}: {page}");
            let why = reader.page(&format!("/runs/{run}/why")).await;
            assert!(why.contains(&format!("<bdi>{told}</bdi>")), "{told}: {why}");
        }
        assert!(owner.page("/").await.contains("asked by <bdi>Ada</bdi>"));
        bot.app.shutdown().await;
    }
}
