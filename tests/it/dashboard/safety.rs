//! Attacks on the dashboard: injected markup, forged requests, stolen sessions, rebound host names.

use std::time::Duration;

use clifford_core::people::UserRole;
use reqwest::Method;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{Browser, cookie_of, link, person, routes, token};
use crate::api::bot::Bot;

#[tokio::test(flavor = "multi_thread")]
async fn every_page_forbids_what_it_does_not_need() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let others = ["/runs/none", "/usage.csv", "/feedback.csv", "/assets/none"].map(str::to_owned);
    for path in super::pages().into_iter().chain(others) {
        let answer = owner.get(&path).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"),
            "{path}: {policy}"
        );
        assert!(
            !policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        for word in [" style=\"", " onclick=", "http://", "https://"] {
            assert!(!answer.text.contains(word) || path == "/tools", "{path} holds {word}");
        }
    }
    let page = owner.page("/").await;
    let style = page
        .split("rel=\"stylesheet\" href=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let request = bot.request(Method::GET, style).header("accept-encoding", "gzip");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.headers()["content-encoding"], "gzip");
    assert!(
        answer.headers()["cache-control"]
            .to_str()
            .unwrap()
            .contains("immutable")
    );
    assert!(answer.bytes().await.unwrap().len() < 20_000);
    bot.app.shutdown().await;
}

fn rule(token: &str) -> [(&'static str, &str); 4] {
    [("name", "r"), ("tools", "web"), ("action", "allow"), ("token", token)]
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_of_other_sites_and_other_sessions_change_nothing() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (owner, other) = (
        Browser::log_in(&bot, None).await,
        Browser::log_in(&bot, Some(ada)).await,
    );
    let own = format!("http://{}", bot.address);
    let page = owner.page("/policies").await;
    let (good, others) = (token(&page).to_owned(), token(&other.page("/").await).to_owned());
    assert_ne!(good, others);
    for (origin, token) in [
        ("http://evil.example", good.as_str()),
        ("null", good.as_str()),
        ("http://localhost", good.as_str()),
        (own.as_str(), ""),
        (own.as_str(), others.as_str()),
        (own.as_str(), "0000"),
    ] {
        let answer = owner.send("/policies", origin, &rule(token)).await;
        assert_eq!(answer.status, 403, "{origin} {token}: {}", answer.text);
    }
    assert_eq!(owner.data("/api/policies").await["items"], json!([]));
    assert_eq!(owner.send("/policies", &own, &rule(&good)).await.status, 303);
    assert_eq!(owner.get("/").await.status, 200);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_is_refused_to_other_sites_and_none_is_sent_by_looking() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let own = format!("http://{}", bot.address);
    let good = token(&owner.page("/").await).to_owned();
    for route in routes().into_iter().filter(|route| route.takes) {
        let path = filled(&route.path);
        for (origin, token) in [
            ("http://evil.example", good.as_str()),
            (own.as_str(), ""),
            (own.as_str(), "0000"),
        ] {
            let fields = [("token", token), ("link", "x"), ("back", "/")];
            let answer = owner.send(&path, origin, &fields).await;
            assert_eq!(answer.status, 403, "{path} {origin} {token}: {}", answer.text);
        }
        for site in ["cross-site", "same-site", "none"] {
            let request = bot.request(Method::POST, &path).header("cookie", &owner.cookie);
            let request = request.header("sec-fetch-site", site);
            let request = request.header("content-type", "application/x-www-form-urlencoded");
            let answer = bot.send(request.body(format!("token={good}"))).await;
            assert_eq!(answer.status, 403, "{path} {site}: {}", answer.text);
        }
        if !route.shows {
            assert_eq!(owner.get(&path).await.status, 405, "{path}");
        }
    }
    // The cookie still lets in: nothing of that logged anybody out.
    assert_eq!(owner.get("/").await.status, 200);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_a_page_or_sends_a_form_without_a_session() {
    let bot = Bot::start().await;
    let own = format!("http://{}", bot.address);
    let ported = |value: &str| format!("clifford_session_{}={value}", bot.address.port());
    for cookie in [
        String::new(),
        "clifford_session=clf_guessed".to_owned(),
        "clifford_session=".to_owned(),
        ported("clf_guessed"),
        ported(""),
    ] {
        let stranger = Browser { bot: &bot, cookie };
        let page = stranger.page("/login").await;
        let token = token(&page).to_owned();
        for route in routes() {
            let path = filled(&route.path);
            let open = ["/login", "/design", "/assets/{name}", "/api/docs", "/api/docs/{tag}"];
            if open.contains(&route.path.as_str()) {
                continue;
            }
            if route.shows {
                let answer = stranger.get(&path).await;
                let to_login = answer.header("location").starts_with("/login");
                assert!(
                    answer.status == 303 && to_login,
                    "{path}: {} {}",
                    answer.status,
                    answer.text
                );
            }
            if route.takes {
                let fields = [
                    ("token", token.as_str()),
                    ("name", "x"),
                    ("value", "x"),
                    ("content", "x"),
                ];
                let answer = stranger.send(&path, &own, &fields).await;
                let is_in = answer.status < 400 && !answer.header("location").starts_with("/login");
                assert!(!is_in, "{path}: {} {}", answer.status, answer.header("location"));
            }
        }
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_form_of_nobody_nothing_is_read() {
    let bot = Bot::start().await;
    for cookie in ["", "Cookie: clifford_session=clf_guessed\r\n"] {
        let mut stream = TcpStream::connect(bot.address).await.unwrap();
        let head = format!(
            "POST /chat HTTP/1.1\r\nHost: {}\r\n{cookie}Content-Type: multipart/form-data; boundary=x\r\n\
             Content-Length: 60000000\r\n\r\n--x\r\n",
            bot.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        // The rest of it never comes.
        let mut answer = vec![0; 12];
        let read = tokio::time::timeout(Duration::from_secs(20), stream.read_exact(&mut answer));
        read.await.expect("it is answered").unwrap();
        assert_eq!(answer, b"HTTP/1.1 303");
    }
    bot.app.shutdown().await;
}

/// A path with something in the place of each parameter.
fn filled(route: &str) -> String {
    let pieces = route
        .split('/')
        .map(|piece| if piece.starts_with('{') { "x" } else { piece });
    pieces.collect::<Vec<_>>().join("/")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_begins_a_session_of_its_own_and_leads_nowhere_else() {
    let bot = Bot::start().await;
    let attackers = format!(
        "clifford_session=clf_of-an-attacker; clifford_session_{}=clf_of-an-attacker",
        bot.address.port()
    );
    let own = format!("http://{}", bot.address);
    for (back, expected) in [
        ("/runs", "/runs"),
        ("//evil.example", "/"),
        ("https://evil.example", "/"),
        ("/\\evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
    ] {
        let link = link(&bot, None).await;
        let browser = Browser {
            bot: &bot,
            cookie: attackers.clone(),
        };
        let page = browser
            .page(&format!("/login?link={link}&to=https://evil.example"))
            .await;
        assert!(!page.contains("evil.example"), "{page}");
        let fields = [("link", link.as_str()), ("back", back), ("token", token(&page))];
        let entered = browser.send("/login", &own, &fields).await;
        assert_eq!((entered.status, entered.header("location")), (303, expected), "{back}");
        let cookie = cookie_of(&entered);
        assert!(
            cookie.starts_with("clifford_session_") && !cookie.ends_with("=clf_of-an-attacker"),
            "{cookie}"
        );
        assert_eq!(browser.get("/").await.status, 303);
        let again = browser.send("/login", &own, &fields).await;
        assert_eq!(again.status, 422, "{}", again.text);
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_of_another_site_that_leads_here_is_refused() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let port = bot.address.port();
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
    ] {
        for route in routes() {
            let path = filled(&route.path);
            for method in [Method::GET, Method::POST] {
                let request = bot.request(method, &path).header("cookie", &owner.cookie);
                let answer = bot.send(request.header("host", &host)).await;
                assert_eq!(answer.json()["code"], "unknown_host", "{path} {host}");
            }
        }
    }
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_with_its_logout_for_whoever_has_its_cookie() {
    let bot = Bot::start().await;
    let (phone, desk) = (Browser::log_in(&bot, None).await, Browser::log_in(&bot, None).await);
    assert_ne!(phone.cookie, desk.cookie);
    let kept = phone.cookie.clone();
    let left = phone.submit("/", "/logout", &[]).await;
    assert!(
        left.header("set-cookie").contains("Max-Age=0"),
        "{}",
        left.header("set-cookie")
    );
    // A thief of the cookie is out as well; the other browser is not.
    let copy = Browser {
        bot: &bot,
        cookie: kept,
    };
    assert_eq!((copy.get("/").await.status, desk.get("/").await.status), (303, 200));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_leads_nowhere_is_a_page_for_people_and_data_for_programs() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    for (path, accept, is_page) in [
        ("/nonsense", "text/html,*/*", true),
        ("/runz/1", "text/html", true),
        ("/nonsense", "application/json", false),
        ("/api/nonsense", "text/html", false),
        ("/v1/nonsense", "text/html", false),
    ] {
        for cookie in [owner.cookie.as_str(), ""] {
            let request = bot.request(Method::GET, path).header("cookie", cookie);
            let answer = bot.send(request.header("accept", accept)).await;
            assert!(matches!(answer.status, 401 | 404 | 405), "{path}: {}", answer.status);
            let way_out = answer.text.contains("There is no such page") && answer.text.contains("href=\"/\"");
            assert_eq!(way_out, is_page, "{path} {accept}: {}", answer.text);
            let policy = answer.header("content-security-policy");
            assert!(!is_page || policy.contains("default-src 'none'"), "{path}: {policy}");
        }
    }
    bot.app.shutdown().await;
}
