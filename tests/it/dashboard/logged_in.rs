//! The browsers in which people are logged in: which they are, which is this one, and how the others are logged out.

use clifford_core::{id::UserId, people::UserRole};
use reqwest::Method;
use serde_json::json;

use super::{Browser, cookie_of, link, person};
use crate::api::bot::Bot;

const DESK: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:151.0) Gecko/20100101 Firefox/151.0";
const PHONE: &str =
    "Mozilla/5.0 (Linux; Android 17) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36";

/// The mark of the browser that shows the page.
const HERE: &str = ">this browser</span>";

/// Logs somebody in by a browser that calls itself so.
async fn by<'a>(bot: &'a Bot, user: Option<UserId>, agent: &str) -> Browser<'a> {
    let link = link(bot, user).await;
    let request = bot.request(Method::POST, "/api/sessions").header("user-agent", agent);
    let answer = bot.send(request.json(&json!({ "link": link }))).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    Browser {
        bot,
        cookie: cookie_of(&answer),
    }
}

/// The list of a page of settings.
async fn listed(browser: &Browser<'_>) -> String {
    let page = browser.page("/settings").await;
    let from = page.find("id=\"sessions\"").expect("the list");
    let to = page[from..].find("</section>").expect("its end");
    page[from..from + to].to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_sees_which_browser_is_which_and_logs_out_the_others() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let bob = person(&bot, "Bob", UserRole::Member).await;
    let odd = format!("<script>alert(1)</script>{}", "x".repeat(2000));
    let (desk, phone, strange) = (
        by(&bot, Some(ada), DESK).await,
        by(&bot, Some(ada), PHONE).await,
        by(&bot, Some(ada), &odd).await,
    );
    let bobs = by(&bot, Some(bob), PHONE).await;
    let shown = listed(&desk).await;
    let (here, others) = shown.split_once(HERE).expect("this one is marked");
    assert!(here.contains("Firefox on Linux") && !others.contains(HERE), "{shown}");
    assert!(
        others.contains("Chrome on Android") && others.contains("&lt;script"),
        "{shown}"
    );
    assert!(
        !shown.contains("<script") && !shown.contains(&"x".repeat(300)),
        "{shown}"
    );
    assert_eq!(shown.matches("<li>").count(), 3, "{shown}");
    // This browser's button leads out, the others' end their sessions.
    assert_eq!(shown.matches("action=\"/logout\"").count(), 1, "{shown}");
    assert!(
        listed(&phone)
            .await
            .split_once(HERE)
            .expect("marked")
            .0
            .contains("Android")
    );

    desk.does("/settings", "/sessions/end-others", &[]).await;
    for gone in [&phone, &strange] {
        let answer = gone.get("/settings").await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, "/login?to=%2Fsettings")
        );
    }
    let left = listed(&desk).await;
    assert!(
        left.matches("<li>").count() == 1 && !left.contains("end-others"),
        "{left}"
    );
    assert!(listed(&bobs).await.contains(HERE), "it is another person's");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_sees_whose_each_browser_is_and_logs_out_only_their_own_at_once() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let eve = person(&bot, "Eve", UserRole::Owner).await;
    let adas = by(&bot, Some(ada), PHONE).await;
    let operators = by(&bot, None, DESK).await;
    let (old, eves) = (by(&bot, Some(eve), PHONE).await, by(&bot, Some(eve), DESK).await);
    let shown = listed(&eves).await;
    let of_ada = format!("href=\"/people/{ada}\"");
    assert!(shown.contains(&of_ada) && shown.contains("of the operator"), "{shown}");
    eves.does("/settings", "/sessions/end-others", &[]).await;
    assert_eq!(old.get("/").await.status, 303);
    for stays in [&adas, &operators, &eves] {
        assert_eq!(stays.get("/").await.status, 200);
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_logged_in_reads_so_at_the_login_and_goes_on() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada <b>L</b>", UserRole::Member).await;
    let adas = by(&bot, Some(ada), DESK).await;
    let page = adas.page("/login?to=/memory").await;
    assert!(
        page.contains("You are logged in") && page.contains("Ada &lt;b&gt;"),
        "{page}"
    );
    assert!(
        page.contains("href=\"/memory\"") && !page.contains("You are not logged in"),
        "{page}"
    );
    // A link may be another person's: it is offered, and used up by nobody who only looks.
    let eve = person(&bot, "Eve", UserRole::Owner).await;
    let link = link(&bot, Some(eve)).await;
    let page = adas.page(&format!("/login?link={link}")).await;
    assert!(page.contains("Log in anew") && page.contains(&link), "{page}");
    let entered = adas.submit("/login?link=x", "/login", &[("link", &link)]).await;
    let eves = Browser {
        bot: &bot,
        cookie: cookie_of(&entered),
    };
    assert!(eves.page("/login").await.contains("Eve"));
    bot.app.shutdown().await;
}
