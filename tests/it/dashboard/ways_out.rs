//! Pages that tell a person that something is not right, and where they can go on.

use clifford_core::people::UserRole;
use reqwest::Method;
use serde_json::json;

use super::{Browser, encoded, person, routes, token};
use crate::api::bot::Bot;

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_only_takes_forms_shows_a_page_with_a_way_out() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let id = "0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    let mut tried = 0;
    for route in routes().into_iter().filter(|route| route.takes && !route.shows) {
        let path = route.path.replace("{id}", id).replace("{message}", id);
        let path = path.replace("{action}", "retry");
        let answer = owner.get(&path).await;
        assert_eq!(answer.status, 405, "{path}");
        assert!(answer.text.contains("There is no page here"), "{path}: {}", answer.text);
        assert!(answer.text.contains("Go to the start page"), "{path}");
        assert_eq!(answer.header("allow"), "POST", "{path}");
        assert!(
            answer.header("content-security-policy").contains("default-src"),
            "{path}"
        );
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_logged_out_meanwhile_comes_back_to_the_page_of_the_form() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (desk, phone) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, Some(ada)).await,
    );
    let page = "/memory?archived=true";
    let token = token(&desk.page(page).await).to_owned();
    phone.does("/settings", "/sessions/end-others", &[]).await;
    let item = "/memory/0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d";
    for (referer, expected) in [
        (
            format!("http://{}{page}", bot.address),
            "/login?to=%2Fmemory%3Farchived%3Dtrue",
        ),
        (
            "http://evil.example/".to_owned(),
            "/login?to=%2Fmemory%2F0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d",
        ),
    ] {
        let request = bot.request(Method::POST, item).header("cookie", &desk.cookie);
        let request = request.header("origin", format!("http://{}", bot.address));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let fields = [("token", token.as_str()), ("pinned", "true")];
        let answer = bot
            .send(request.header("referer", &referer).body(encoded(&fields)))
            .await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, expected),
            "{}",
            answer.text
        );
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_is_refused_says_what_is_wrong_in_its_own_words() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let long = "x".repeat(30_000);
    for (page, action, fields, expected) in [
        (
            "/agents",
            "/agents",
            vec![("name", ""), ("prompt", "p")],
            ["Something is missing", "Fill in “Name”"],
        ),
        (
            "/agents",
            "/agents",
            vec![("name", long.as_str()), ("prompt", "p")],
            ["Something is not right", "Name: it is longer than 100 characters"],
        ),
        (
            "/agents",
            "/agents",
            vec![("name", "n"), ("prompt", "p"), ("mode", long.as_str())],
            ["Something is not right", "is none of run or chat"],
        ),
        (
            "/tokens",
            "/tokens",
            vec![("name", "n"), ("scope.read", "yes"), ("user", "nobody")],
            ["Something is not right", "Person: an id is a UUID"],
        ),
        (
            "/policies",
            "/policies",
            vec![("name", long.as_str()), ("tools", "web"), ("action", "deny")],
            ["Something is not right", "Name: it is longer than 200 characters"],
        ),
        (
            "/policies",
            "/policies",
            vec![
                ("name", "n"),
                ("tools", "web"),
                ("action", "deny"),
                ("priority", "high"),
            ],
            ["Something is not right", "Priority: give a whole number"],
        ),
    ] {
        let answer = owner.submit(page, action, &fields).await;
        assert_eq!(answer.status, 422, "{action}: {}", answer.text);
        for words in expected {
            assert!(answer.text.contains(words), "{words} is not in: {}", answer.text);
        }
        assert!(answer.text.len() < 5_000, "{action}: what was sent is repeated");
    }
    let answer = owner.get("/runs?before=yesterday").await;
    assert_eq!(answer.status, 400);
    assert!(answer.text.contains("The address is not right"), "{}", answer.text);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_writes_too_fast_reads_when_to_go_on_and_comes_back_to_the_page() {
    let bot = Bot::with(&[("ingress.user_messages_per_minute", "2")]).await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let adas = Browser::log_in(&bot, Some(ada)).await;
    let token = token(&adas.page("/chat").await).to_owned();
    let send = async |content: &str| {
        let request = bot.request(Method::POST, "/chat").header("cookie", &adas.cookie);
        let request = request.header("origin", format!("http://{}", bot.address));
        let request = request.header("referer", format!("http://{}/chat", bot.address));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let fields = [("token", token.as_str()), ("content", content)];
        bot.send(request.body(encoded(&fields))).await
    };
    assert_eq!([send("one").await.status, send("two").await.status], [303, 303]);
    let refused = send("three").await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    let seconds: u64 = refused.header("retry-after").parse().expect("when to go on");
    assert!((1..=60).contains(&seconds), "{seconds}");
    for part in [
        "Too many messages were sent",
        &format!("try again in {seconds} s"),
        "href=\"/chat\" data-back",
    ] {
        assert!(refused.text.contains(part), "{part}: {}", refused.text);
    }
    // To look costs nothing.
    assert_eq!(adas.get("/chat").await.status, 200);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strange_address_is_answered_by_a_page() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    for (path, status, told) in [
        ("/runs/%ff", 404, "There is no such page"),
        ("/runs/%00", 400, "The address is not right"),
        (
            "/runs?status=running&status=failed",
            200,
            "<option value=\"failed\" selected>",
        ),
        ("/runs?status=%ff", 400, "The address is not right"),
        ("/memory?q&q=a&=b&utm_source=chat", 200, "value=\"a\""),
    ] {
        let answer = owner.get(path).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
        assert!(answer.text.contains(told), "{path}: {}", answer.text);
        assert!(answer.text.starts_with("<!DOCTYPE html>"), "{path}: {}", answer.text);
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_who_is_shut_out_reads_so_at_the_login_and_logs_out() {
    let bot = Bot::start().await;
    let bob = person(&bot, "Bob", UserRole::Member).await;
    let browser = Browser::log_in(&bot, Some(bob)).await;
    let role = async |role: &str| {
        let (path, body) = (format!("/api/users/{bob}"), json!({ "role": role }));
        assert_eq!(bot.call(Method::PATCH, &path, &body).await.status, 200);
    };
    role("stranger").await;
    let away = browser.get("/memory").await;
    assert_eq!((away.status, away.header("location")), (303, "/login?to=%2Fmemory"));
    let page = browser.page("/login?to=/memory").await;
    assert!(
        page.contains("You are shut out") && !page.contains("You are not logged in"),
        "{page}"
    );
    // The session is over with that: it is not good again once they are let in.
    let left = browser.submit("/login", "/logout", &[]).await;
    assert_eq!((left.status, left.header("location")), (303, "/login"), "{}", left.text);
    role("member").await;
    assert!(browser.page("/login").await.contains("You are not logged in"));
    bot.app.shutdown().await;
}
