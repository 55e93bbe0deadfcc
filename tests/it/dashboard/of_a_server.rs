//! Somebody who manages a group and opens the dashboard for the first time: the start page leads to what is theirs
//! there, every list says which place it is of, and no link leads to a page that they may not see.

use clifford_core::id::UserId;
use clifford_fakes::telegram::{Chat, TelegramFake};
use reqwest::Method;
use serde_json::{Value, json};

use super::Browser;
use crate::{
    api::bot::Bot,
    store::erasure::{column, script},
};

/// The accounts on Telegram: Mia manages the group, Ada only speaks there.
const MIA: i64 = 7;
const ADA: i64 = 8;

struct Garden {
    telegram: TelegramFake,
    chat: Chat,
    bot: Bot,
    space: String,
    channel: String,
}

/// A group in which Ada asked twice and Mia once; Mia asked once in private.
async fn garden() -> Garden {
    let telegram = TelegramFake::start().await.unwrap();
    let chat = telegram.supergroup(-1_000_500, "Garden");
    let mias = telegram.user(MIA, "Mia");
    telegram.user(ADA, "Ada");
    telegram.standing(chat, MIA, json!({ "status": "administrator" }));
    let bot = Bot::connected(&[
        ("channels.telegram.api_url", telegram.api_url()),
        ("channels.telegram.token", TelegramFake::TOKEN),
        ("channels.telegram.access", "open"),
    ])
    .await;
    for (count, (chat, person, question)) in [
        (chat, ADA, "@clifford_bot what is 3*4?"),
        (chat, ADA, "@clifford_bot what is 3*5?"),
        (chat, MIA, "@clifford_bot what is 3*6?"),
    ]
    .into_iter()
    .enumerate()
    {
        telegram.user_says(chat, person, question);
        telegram.wait_for_sent(chat, count + 1).await;
    }
    telegram.user_says(mias, MIA, "what is 2*7?");
    telegram.wait_for_sent(mias, 1).await;
    let space = column(&bot.app.db, "SELECT id FROM spaces").await.remove(0);
    let channel = column(&bot.app.db, "SELECT id FROM channels WHERE space_id IS NOT NULL").await;
    Garden {
        telegram,
        chat,
        bot,
        space,
        channel: channel.into_iter().next().unwrap(),
    }
}

impl Garden {
    async fn person(&self, name: &str) -> UserId {
        let sql = format!("SELECT id FROM users WHERE name = '{name}'");
        column(&self.bot.app.db, &sql).await[0].parse().unwrap()
    }

    /// The run of a question, once it is over.
    async fn run(&self, browser: &Browser<'_>, question: &str) -> Value {
        let path = format!("/api/runs?channel={}", self.channel);
        loop {
            let runs = browser.data(&path).await;
            let runs = runs["items"].as_array().unwrap();
            let found = runs.iter().find(|run| {
                let asked = run["inputText"].as_str().unwrap();
                asked.contains(question) && run["status"] == "completed"
            });
            if let Some(run) = found {
                return run.clone();
            }
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_start_page_leads_a_manager_to_what_they_manage() {
    let garden = garden().await;
    let mias = Browser::log_in(&garden.bot, Some(garden.person("Mia").await)).await;
    let adas = Browser::log_in(&garden.bot, Some(garden.person("Ada").await)).await;
    let home = mias.page("/").await;
    assert!(home.contains("What you manage") && home.contains("Garden"), "{home}");
    let space = &garden.space;
    let ways = [
        format!("/channels?space={space}"),
        format!("/usage?space={space}"),
        format!("/feedback?place=space%3A{space}"),
        format!("/settings?scope=space:{space}"),
        format!("/tools?scope=space:{space}"),
    ];
    for way in &ways {
        assert!(home.contains(&format!("href=\"{way}\"")), "{way}: {home}");
        mias.page(way).await;
        assert!(matches!(adas.get(way).await.status, 403 | 404), "{way}");
    }
    let others = adas.page("/").await;
    assert!(
        !others.contains("What you manage") && !others.contains("href=\"/tools\""),
        "{others}"
    );
    // The navigation leads to the tools of the only place that she manages.
    assert!(home.contains("href=\"/tools\""), "{home}");
    let there = mias.get("/tools").await;
    assert_eq!((there.status, there.header("location")), (303, ways[4].as_str()));
    assert_eq!(adas.get("/tools").await.status, 403);
    // From their settings to their tools, and back.
    let settings = mias.page(&ways[3]).await;
    assert!(
        settings.contains(&format!("href=\"/tools?scope=space%3A{space}\"")),
        "{settings}"
    );
    let tools = mias.page(&ways[4]).await;
    for back in [
        format!("href=\"/settings?scope=space%3A{space}\""),
        "href=\"/channels\"".to_owned(),
    ] {
        assert!(tools.contains(&back), "{tools}");
    }
    assert!(!tools.contains("Of the whole bot"), "{tools}");
    let list = mias.page(&ways[0]).await;
    let runs = format!("/runs?channel={}", garden.channel);
    assert!(list.contains(&format!("href=\"{runs}\"")), "{list}");
    // A status is chosen within the channel.
    let page = mias.page(&runs).await;
    let chosen = format!("<option value=\"{}\" selected>Garden</option>", garden.channel);
    assert!(page.contains(&chosen), "{page}");
    let there = format!("/conversations?channelId={}", garden.channel);
    let page = mias.page(&there).await;
    assert!(
        page.contains("What was said in Garden.") && page.contains("everybody there"),
        "{page}"
    );
    // So it is searched, and feedback names it.
    let page = mias
        .page(&format!("/search?q=nothing&channelId={}", garden.channel))
        .await;
    assert!(page.contains(&chosen), "{page}");
    let page = mias.page(&ways[2]).await;
    let there = format!("<option value=\"channel:{}\">Garden</option>", garden.channel);
    assert!(page.contains(&there), "{page}");
    garden.bot.app.shutdown().await;
    assert!(garden.telegram.violations().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_manager_changes_is_told_in_the_place_once_and_taken_back_there() {
    let garden = garden().await;
    let chat = garden.chat;
    let mia = garden.person("Mia").await;
    let mias = Browser::log_in(&garden.bot, Some(mia)).await;
    let change = async |scope: &str, values: &Value| {
        let request = garden.bot.request(Method::PATCH, &format!("/api/settings/{scope}"));
        let origin = format!("http://{}", garden.bot.address);
        let request = request.header("cookie", &mias.cookie).header("origin", origin);
        assert_eq!(garden.bot.send(request.json(values)).await.status, 200, "{values}");
    };
    let before = garden.telegram.sent(chat).len();
    let place = format!("space:{}", garden.space);
    change(&place, &json!({ "when_busy": "steer", "ambient_messages": 5 })).await;
    let told = garden
        .telegram
        .wait_for_sent(chat, before + 1)
        .await
        .pop()
        .unwrap()
        .text;
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(lines.len(), 2, "{told}");
    for line in [
        "Mia set when_busy to steer (before: not set).",
        "Mia set ambient_messages to 5 (before: not set).",
    ] {
        assert!(lines.contains(&line), "{told}");
    }
    // A setting that is as it was, and one that is a person's own, is told nobody.
    change(&place, &json!({ "when_busy": "steer" })).await;
    change(&format!("user:{mia}"), &json!({ "language": "en" })).await;
    change(&place, &json!({ "when_busy": null })).await;
    let told = garden
        .telegram
        .wait_for_sent(chat, before + 2)
        .await
        .pop()
        .unwrap()
        .text;
    assert_eq!(told, "Mia reset when_busy (before: steer).");
    garden.telegram.user_says(chat, MIA, "/settings@clifford_bot undo");
    let told = garden
        .telegram
        .wait_for_sent(chat, before + 3)
        .await
        .pop()
        .unwrap()
        .text;
    assert!(
        told.starts_with("Mia took a change back: when_busy is steer again"),
        "{told}"
    );
    garden.bot.app.shutdown().await;
    assert!(garden.telegram.violations().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_use_of_a_place_counts_all_who_write_there_and_only_there() {
    let garden = garden().await;
    let mias = Browser::log_in(&garden.bot, Some(garden.person("Mia").await)).await;
    for question in ["3*4", "3*5", "3*6"] {
        garden.run(&mias, question).await;
    }
    let calls = async |path: &str| {
        let groups = mias.data(path).await;
        let groups = groups["items"].as_array().unwrap();
        groups.iter().map(|group| group["calls"].as_u64().unwrap()).sum::<u64>()
    };
    let there = format!("spaceId={}", garden.space);
    let (mine, tools) = ("/api/usage?by=day", "/api/usage/tools");
    // Each answer takes two calls of the offline responder, and one of a tool.
    assert_eq!(calls(mine).await, 4, "hers there and in private");
    assert_eq!(calls(&format!("{mine}&{there}")).await, 6, "everybody's there");
    assert_eq!(calls(tools).await, 2);
    assert_eq!(calls(&format!("{tools}?{there}")).await, 3);
    let page = mias
        .page(&format!("/usage?by=user&days=7&space={}", garden.space))
        .await;
    assert!(page.contains(">Ada<") && page.contains(">Mia<"), "{page}");
    let selected = format!("<option value=\"{}\" selected>Garden</option>", garden.space);
    assert!(page.contains(&selected), "{page}");
    // Budgets that she set there, with what is left of them.
    let set = format!("/api/settings/space:{}/budget", garden.space);
    let set = garden.bot.call(Method::PUT, &set, &json!({ "value": "5/day" })).await;
    assert_eq!(set.status, 200, "{}", set.text);
    let budgets = mias.data(&format!("/api/budgets?{there}")).await;
    let budget = &budgets["items"][0];
    assert_eq!(
        (&budget["scope"], &budget["cost"], &budget["spentCost"]),
        (&json!("space"), &json!(5.0), &json!(0.0)),
        "{budgets}"
    );
    let page = mias.page(&format!("/usage?space={}", garden.space)).await;
    assert!(page.contains("Everybody there, this day: "), "{page}");
    assert!(!mias.page("/usage").await.contains("Everybody there"));
    let file = mias
        .page(&format!("/usage.csv?by=user&days=7&space={}", garden.space))
        .await;
    assert!(file.contains("\"Ada\","), "{file}");
    garden.bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_link_of_a_managers_pages_leads_where_they_may_not_go() {
    let garden = garden().await;
    let mia = garden.person("Mia").await;
    let mias = Browser::log_in(&garden.bot, Some(mia)).await;
    let ada = garden.person("Ada").await;
    let adas = garden.run(&mias, "3*4").await;
    let own = garden.run(&mias, "3*6").await;
    let of_run = async |run: &Value| mias.page(&format!("/runs/{}", run["id"].as_str().unwrap())).await;
    let page = of_run(&adas).await;
    assert!(
        page.contains("Runs of this channel") && !page.contains(&format!("user={ada}")),
        "{page}"
    );
    assert!(of_run(&own).await.contains(&format!("href=\"/runs?user={mia}\"")));
    let owner = Browser::log_in(&garden.bot, None).await;
    let run = format!("/runs/{}", adas["id"].as_str().unwrap());
    assert!(owner.page(&run).await.contains(&format!("href=\"/runs?user={ada}\"")));
    // A channel without answers says why, and how that ends.
    let off = "UPDATE channels SET enabled = FALSE, disabled_reason = 'chat not found' WHERE space_id IS NOT NULL";
    script(&garden.bot.app.db, off).await;
    let list = format!("/channels?space={}", garden.space);
    let page = mias.page(&list).await;
    assert!(
        page.contains("chat not found") && page.contains("The next message there turns it on again."),
        "{page}"
    );
    let off = "UPDATE channels SET disabled_reason = 'turned off' WHERE space_id IS NOT NULL";
    script(&garden.bot.app.db, off).await;
    assert!(mias.page(&list).await.contains("An owner turned it off."));
    garden.bot.app.shutdown().await;
}
