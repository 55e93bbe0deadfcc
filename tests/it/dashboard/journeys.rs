//! Journeys of people through the dashboard, on both engines.

use clifford_core::people::UserRole;
use reqwest::Method;

use super::{Browser, PAGES, link, person, token};
use crate::{api::bot::Bot, harness::migrated};

/// The most bytes of a page on the wire.
const HEAVIEST: usize = 150_000;

/// One bot an engine: PostgreSQL too, where it is installed.
pub async fn bots() -> Vec<Bot> {
    let mut bots = vec![Bot::start().await];
    let postgres = tokio::task::spawn_blocking(migrated).await.unwrap();
    if let Some(url) = postgres {
        bots.push(Bot::with(&[("database.url", &url)]).await);
    }
    bots
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_opened_by_a_button_and_every_page_is_there() {
    for bot in bots().await {
        let link = link(&bot, None).await;
        let stranger = Browser {
            bot: &bot,
            cookie: String::new(),
        };
        let away = stranger.get("/runs?status=failed").await;
        assert_eq!(
            (away.status, away.header("location")),
            (303, "/login?to=%2Fruns%3Fstatus%3Dfailed")
        );
        assert!(stranger.page("/login").await.contains("clifford login"));
        // Looking at a link does not use it up.
        for _ in 0..2 {
            assert!(stranger.page(&format!("/login?link={link}")).await.contains(&link));
        }
        let owner = Browser::log_in(&bot, None).await;
        owner.says("what is 6*7?", "completed").await;
        for path in PAGES
            .iter()
            .copied()
            .chain(["/policies", "/agents", "/quarantine", "/tools/web", "/design"])
        {
            let page = owner.page(path).await;
            assert!(page.len() < HEAVIEST, "{path}: {} bytes", page.len());
            assert!(page.contains("<title>") && page.contains("id=\"main\""), "{path}");
        }
        let left = owner.submit("/", "/logout", &[]).await;
        assert_eq!((left.status, left.header("location")), (303, "/login"));
        assert_eq!(owner.get("/").await.status, 303);
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_chats_and_sees_what_the_bot_did() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        assert!(browser.page("/chat").await.contains("Nothing was said yet"));
        let run = browser.says("what is 6*7?", "completed").await;
        let chat = browser.page("/chat").await;
        assert!(chat.contains("what is 6*7?") && chat.contains("6*7 = 42"), "{chat}");
        let trace = browser.page(&format!("/runs/{run}")).await;
        for part in [
            "compute.eval",
            "Asks the model",
            "Notes: Plan",
            "tokens sent",
            "Ends: Finish",
        ] {
            assert!(trace.contains(part), "{part}: {trace}");
        }
        let location = browser.does("/chat", "/chat/new", &[]).await;
        assert!(browser.page(&location).await.contains("Nothing was said yet"));
        browser.does(&location, &location, &[("name", "Sums & <more>")]).await;
        assert!(browser.page("/chat").await.contains("Sums &amp; &lt;more&gt;"));
        assert!(browser.page("/conversations").await.contains("Sums &amp; &lt;more&gt;"));
        // The question holds no such number, and stands beside its answer.
        let found = browser.page("/search?q=42").await;
        assert!(
            found.contains("<mark>") && found.contains("said next to what was found"),
            "{found}"
        );
        let csv = browser.get("/usage.csv").await;
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        assert!(csv.text.lines().count() >= 2, "{}", csv.text);
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_is_made_and_tried_and_its_question_is_answered_on_the_start_page() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        owner.holds_calls_of("compute", "ask before sums").await;
        assert!(owner.page("/policies").await.contains("ask before sums"));
        let call = [
            ("call", "compute.eval"),
            ("args", r#"{"expression":"1+1"}"#),
            ("place", "private"),
        ];
        let tried = owner.submit("/policies", "/policies/test", &call).await;
        assert_eq!(tried.status, 200, "{}", tried.text);
        assert!(
            tried.text.contains("Confirm") && tried.text.contains("ask before sums"),
            "{}",
            tried.text
        );
        let run = owner.says("what is 6*7?", "waiting").await;
        let home = owner.page("/").await;
        // All that will be done is read before the buttons, with where it comes from.
        for part in [
            "Waiting for your approval",
            "May the bot make this call?",
            "compute.eval",
            "expression",
            "6*7",
            "from: ",
        ] {
            assert!(home.contains(part), "{part}: {home}");
        }
        let asked = owner.data(&format!("/api/runs/{run}")).await["question"].clone();
        assert_eq!(asked["calls"][0]["arguments"][0]["value"], "6*7", "{asked}");
        let code = asked["code"].as_str().unwrap();
        assert!(home.contains(&format!("value=\"{code}\"")), "{home}");
        let action = format!("/runs/{run}/confirm");
        let other = [("decision", "approve"), ("code", "000000000000"), ("back", "/")];
        let other = owner.submit("/", &action, &other).await;
        assert_eq!(other.status, 409, "{}", other.text);
        let location = owner
            .does("/", &action, &[("decision", "approve"), ("code", code), ("back", "/")])
            .await;
        assert_eq!(location, "/");
        while owner.data(&format!("/api/runs/{run}")).await["status"] != "completed" {
            tokio::task::yield_now().await;
        }
        assert!(owner.page(&format!("/runs/{run}")).await.contains("Approved"));
        assert!(!owner.page("/").await.contains("Waiting for your approval"));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_goes_along_with_a_message() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        let page = browser.page("/chat").await;
        let body = |token: &str| {
            let field = |head: &str, content: &str| {
                format!("--cut\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
            };
            let file = "name=\"file\"; filename=\"list <b>.txt\"\r\nContent-Type: text/plain";
            let none = "name=\"file\"; filename=\"\"\r\nContent-Type: application/octet-stream";
            let parts = [
                field("name=\"token\"", token),
                field("name=\"content\"", "what is 6*7?"),
                field(file, "quinces, flour"),
                field(none, ""),
            ];
            format!("{}--cut--\r\n", parts.concat())
        };
        for (token, status) in [("wrong", 403), (token(&page), 303)] {
            let request = bot.request(Method::POST, "/chat").header("cookie", &browser.cookie);
            let request = request.header("origin", format!("http://{}", bot.address));
            let request = request.header("content-type", "multipart/form-data; boundary=cut");
            let answer = bot.send(request.body(body(token))).await;
            assert_eq!(answer.status, status, "{}", answer.text);
        }
        let files = browser.page("/files").await;
        assert!(files.contains("list _b_.txt") && files.contains("14 B"), "{files}");
        let kept = browser.data("/api/files").await;
        assert_eq!(kept["items"].as_array().unwrap().len(), 1);
        let id = kept["items"][0]["id"].as_str().unwrap();
        assert_eq!(
            browser.page(&format!("/api/files/{id}/content")).await,
            "quinces, flour"
        );
        // An owner finds the files of everybody, and a member nobody else's.
        let eve = Browser::log_in(&bot, Some(person(&bot, "Eve", UserRole::Owner).await)).await;
        let bob = Browser::log_in(&bot, Some(person(&bot, "Bob", UserRole::Member).await)).await;
        let of_theirs = format!("/files?userId={}", kept["items"][0]["userId"].as_str().unwrap());
        assert!(!eve.page("/files").await.contains("list _b_.txt"));
        assert!(eve.page(&of_theirs).await.contains("list _b_.txt"));
        assert_eq!(bob.get(&of_theirs).await.status, 404);
        browser.does("/files", &format!("/files/{id}/delete"), &[]).await;
        assert!(browser.page("/files").await.contains("No files here"));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_the_api_hold_every_operation_and_need_no_session() {
    let bot = Bot::start().await;
    let stranger = Browser {
        bot: &bot,
        cookie: String::new(),
    };
    let description = stranger.data("/api/openapi.json").await;
    let index = stranger.page("/api/docs").await;
    let mut operations = 0;
    for (path, methods) in description["paths"].as_object().unwrap() {
        for operation in methods.as_object().unwrap().values() {
            let (tag, id) = (
                operation["tags"][0].as_str().unwrap(),
                operation["operationId"].as_str().unwrap(),
            );
            assert!(index.contains(&format!("href=\"/api/docs/{tag}#{id}\"")), "{path}");
            let page = stranger.page(&format!("/api/docs/{tag}")).await;
            assert!(page.contains(&format!("id=\"{id}\"")), "{path}");
            let lacks = "href=\"#object-";
            for name in page.split(lacks).skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(page.contains(&format!("id=\"object-{name}\"")), "{tag} lacks {name}");
            }
            operations += 1;
        }
    }
    assert!(operations > 90, "{operations}");
    let events = stranger.page("/api/docs/events").await;
    for part in ["LiveEvent", "Last-Event-ID", "$CLIFFORD/api/events", "--no-buffer"] {
        assert!(events.contains(part), "{part} is not in {events}");
    }
    assert_eq!(stranger.get("/api/docs/nothing").await.status, 404);
    bot.app.shutdown().await;
}
