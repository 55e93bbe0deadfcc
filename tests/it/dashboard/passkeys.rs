//! Passkeys on the pages: what the script puts into the forms lets in, and every page says what else does.

use clifford_core::people::UserRole;
use clifford_fakes::authenticator::Authenticator;
use reqwest::Method;
use serde_json::Value;

use super::{Browser, cookie_of, encoded, person, token};
use crate::api::bot::{Answer, Bot};

/// A browser that opens the dashboard by its name, with a phone beside it.
struct Visitor<'a> {
    bot: &'a Bot,
    host: String,
    cookie: String,
}

impl Visitor<'_> {
    fn origin(&self) -> String {
        format!("http://{}", self.host)
    }

    async fn ask(&self, method: Method, path: &str, form: Option<String>) -> Answer {
        let request = self.bot.request(method, path).header("host", &self.host);
        let request = request.header("cookie", &self.cookie).header("origin", self.origin());
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let request = request.header("referer", format!("{}/settings", self.origin()));
        self.bot
            .send(match form {
                Some(form) => request.body(form),
                None => request,
            })
            .await
    }

    async fn page(&self, path: &str) -> String {
        let answer = self.ask(Method::GET, path, None).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.text
    }

    /// Sends a form of a page, as it stands there.
    async fn submit(&self, page: &str, action: &str, fields: &[(&str, &str)]) -> Answer {
        let shown = self.page(page).await;
        assert!(shown.contains(&format!("action=\"{action}\"")), "{shown}");
        let token = token(&shown).to_owned();
        let all: Vec<_> = fields.iter().copied().chain([("token", token.as_str())]).collect();
        self.ask(Method::POST, action, Some(encoded(&all))).await
    }

    /// The options that the script gets from the address that stands at a form.
    async fn challenge(&self, page: &str, path: &str) -> Value {
        let shown = self.page(page).await;
        assert!(shown.contains(&format!("data-challenge=\"{path}\"")), "{shown}");
        let answer = self.ask(Method::POST, path, Some(String::new())).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_adds_a_passkey_comes_in_by_it_and_removes_it() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let mut phone = Authenticator::new();
    let mut adas = Visitor {
        bot: &bot,
        host: format!("localhost:{}", bot.address.port()),
        cookie: Browser::log_in(&bot, Some(ada)).await.cookie,
    };
    assert!(adas.page("/settings").await.contains("No passkey"));
    let options = adas.challenge("/settings", "/api/passkeys/challenge").await;
    let made = phone.create(&adas.origin(), &options).to_string();
    let fields = [("name", "my <b>phone</b>"), ("credential", made.as_str())];
    let added = adas.submit("/settings", "/passkeys", &fields).await;
    assert_eq!(
        (added.status, added.header("location")),
        (303, "/settings"),
        "{}",
        added.text
    );
    let page = adas.page("/settings").await;
    assert!(
        page.contains("my &lt;b&gt;phone&lt;/b&gt;") && page.contains("never used"),
        "{page}"
    );

    adas.cookie = String::new();
    let options = adas.challenge("/login", "/api/sessions/challenge").await;
    let answer = phone.get(&adas.origin(), &options).to_string();
    let fields = [("back", "/memory"), ("credential", answer.as_str())];
    let entered = adas.submit("/login", "/login/passkey", &fields).await;
    assert_eq!(
        (entered.status, entered.header("location")),
        (303, "/memory"),
        "{}",
        entered.text
    );
    let again = adas.submit("/login", "/login/passkey", &fields).await;
    assert_eq!((again.status, again.header("set-cookie")), (422, ""));
    assert!(again.text.contains("The passkey was not taken"), "{}", again.text);
    adas.cookie = cookie_of(&entered);
    let page = adas.page("/settings").await;
    assert!(
        page.contains("Here as") && page.contains("Ada") && page.contains("last used"),
        "{page}"
    );

    let listed = adas.ask(Method::GET, "/api/passkeys", None).await.json();
    let action = format!("/passkeys/{}", listed["items"][0]["id"].as_str().unwrap());
    let renamed = adas.submit("/settings", &action, &[("name", "tablet")]).await;
    assert_eq!(renamed.status, 303, "{}", renamed.text);
    assert!(adas.page("/settings").await.contains("tablet"));
    let removed = adas.submit("/settings", &format!("{action}/remove"), &[]).await;
    assert_eq!(removed.status, 303, "{}", removed.text);
    assert!(adas.page("/settings").await.contains("No passkey"));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_script_or_a_passkey_the_pages_say_that_a_link_is_the_way_in() {
    let bot = Bot::start().await;
    let owner = Browser::log_in(&bot, None).await;
    let stranger = Browser {
        bot: &bot,
        cookie: String::new(),
    };
    for page in [owner.page("/settings").await, stranger.page("/login").await] {
        for sentence in [
            "Passkeys need JavaScript. Without it, a link is the way in.",
            "This browser has no passkeys, or is too old for them.",
            "Browsers keep passkeys for the name of a secure page",
        ] {
            assert!(page.contains(sentence), "{sentence}: {page}");
        }
        let script = page.split("src=\"").find(|rest| rest.starts_with("/assets/passkeys-"));
        let script = script.unwrap().split('"').next().unwrap();
        assert!(owner.page(script).await.contains("navigator.credentials"));
    }
    assert!(stranger.page("/login").await.contains("clifford login"));
    // A form that the script did not fill says so, and a link is not asked for a passkey.
    for credential in ["", "no json", "[]"] {
        let sent = stranger
            .submit("/login", "/login/passkey", &[("credential", credential)])
            .await;
        assert_eq!(sent.status, 422, "{}", sent.text);
        assert!(sent.text.contains("No passkey came with the form"), "{}", sent.text);
    }
    assert!(!stranger.page("/login?link=x").await.contains("data-passkeys"));
    bot.app.shutdown().await;
}
