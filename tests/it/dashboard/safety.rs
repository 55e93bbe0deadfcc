//! What strangers try: words that want to be code, forms of other sites, sessions of others, names that lead here.

use clifford_core::people::UserRole;
use reqwest::Method;
use serde_json::json;

use super::{Browser, PAGES, cookie_of, link, person, token};
use crate::api::bot::Bot;

/// Words that would run, load something or leave their element, if anything took them for more than words.
const PAYLOADS: [&str; 24] = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><img src=x onerror=alert(1)>",
    "'><img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg/onload=alert(1)>",
    "<body onload=alert(1)>",
    "<iframe src=javascript:alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](https://evil.example/pixel.png)",
    "<style>*{display:none}</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<meta http-equiv=refresh content=0;url=https://evil.example>",
    "<form action=https://evil.example><input name=token>",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "--><script>alert(1)</script>",
    "`</code><script>alert(1)</script>`",
    "\u{202e}<script>alert(1)</script>",
    "<details open ontoggle=alert(1)>",
];

/// What no page may hold: the beginnings of elements and attributes that none of ours has.
const FORBIDDEN: [&str; 14] = [
    "<script>",
    "<img",
    "<svg onload",
    "<svg/",
    "<body onload",
    "<iframe",
    "<style",
    "<link rel=stylesheet ",
    "<meta http-equiv",
    "<form action=https",
    "href=\"javascript:",
    "href=\"JaVaScRiPt:",
    "href=\"data:",
    "<details open ontoggle",
];

#[tokio::test(flavor = "multi_thread")]
async fn words_of_anybody_stay_words_on_every_page() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let mut paths: Vec<String> = PAGES.iter().map(|path| (*path).to_owned()).collect();
    for (place, payload) in PAYLOADS.into_iter().enumerate() {
        let user = person(&bot, &format!("{place} {payload}"), UserRole::Member).await;
        let item = json!({ "userId": user, "module": "identity", "key": format!("key_{place}"), "value": payload });
        assert_eq!(bot.post("/api/memories", &item).await.status, 201, "{payload}");
        let request = bot.request(
            Method::POST,
            &format!("/api/files?{}", super::encoded(&[("name", payload)])),
        );
        let request = request
            .bearer_auth(crate::api::bot::OWNER)
            .header("content-type", "text/plain");
        let kept = bot.send(request.body("text")).await;
        assert_eq!(kept.status, 201, "{payload}: {}", kept.text);
        let run = owner.says(&format!("say {payload}"), "completed").await;
        paths.push(format!("/runs/{run}"));
        paths.push(format!("/people/{user}"));
        paths.push(format!("/search?{}", super::encoded(&[("q", payload)])));
    }
    let rule = [("name", PAYLOADS[0]), ("tools", "web"), ("action", "confirm")];
    owner.does("/policies", "/policies", &rule).await;
    let contexts = owner.data("/api/contexts").await;
    for context in contexts["items"].as_array().unwrap() {
        let id = context["id"].as_str().unwrap();
        owner
            .does("/chat", &format!("/chat/{id}"), &[("name", PAYLOADS[2])])
            .await;
        paths.extend([format!("/chat/{id}"), format!("/conversations/{id}")]);
    }
    paths.push("/policies".to_owned());
    for path in &paths {
        let page = owner.page(path).await;
        for word in FORBIDDEN {
            assert!(!page.contains(word), "{path} holds {word}");
        }
        assert!(!page.contains('\u{202e}'), "{path}");
    }
    assert!(
        owner
            .page("/memory")
            .await
            .contains("&lt;script&gt;alert(1)&lt;/script&gt;")
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_forbids_what_it_does_not_need() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    for path in PAGES
        .iter()
        .copied()
        .chain(["/login", "/design", "/runs/none", "/usage.csv", "/assets/none"])
    {
        let answer = owner.get(path).await;
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
    // No form is sent by looking at something.
    for path in ["/logout", "/runs/x/cancel", "/chat/new", "/policies/x/delete"] {
        assert_eq!(owner.get(path).await.status, 405, "{path}");
    }
    assert_eq!(owner.get("/").await.status, 200);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_begins_a_session_of_its_own_and_leads_nowhere_else() {
    let bot = Bot::start().await;
    let attackers = "clifford_session=clf_of-an-attacker";
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
            cookie: attackers.to_owned(),
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
            cookie.starts_with("clifford_session=") && cookie != attackers,
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
    for path in ["/", "/runs", "/login", "/assets/x"] {
        let request = bot.request(Method::GET, path).header("cookie", &owner.cookie);
        let answer = bot.send(request.header("host", "evil.example")).await;
        assert_eq!(answer.json()["code"], "unknown_host", "{path}");
    }
    bot.app.shutdown().await;
}
