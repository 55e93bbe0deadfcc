//! Passkeys through the real binary: a challenge is made before a restart and answered after it, by one process and
//! answered by another.

mod killed;

use clifford_fakes::authenticator::Authenticator;
use futures::future::join_all;
use reqwest::{Client, StatusCode, redirect::Policy};
use serde_json::{Value, json};

use crate::harness::{Bot, Setup, Site};

fn with_api(setup: Setup) -> Setup {
    setup.set("http.enabled", true).set("http.bind", "127.0.0.1:0")
}

/// Where people open the dashboard, whichever process answers: a proxy is before them.
const HOST: &str = "localhost:8088";
const ORIGIN: &str = "http://localhost:8088";

/// A page of the dashboard of one process.
struct Page {
    client: Client,
    address: String,
}

/// The dashboards of a bot, in the order in which their processes were started.
async fn pages(bot: &Bot, count: usize) -> Vec<Page> {
    let addresses = bot.until("the APIs to be served", async |_| {
        let log = bot.log_text();
        let lines = log.lines().filter(|line| line.contains("serving the API"));
        let address = |line: &str| Some(line.rsplit_once("address=")?.1.trim().to_owned());
        Some(lines.filter_map(address).collect::<Vec<_>>()).filter(|found| found.len() == count)
    });
    let page = |address: String| Page {
        client: Client::builder().no_proxy().redirect(Policy::none()).build().unwrap(),
        address,
    };
    addresses.await.into_iter().map(page).collect()
}

impl Page {
    /// The API's answer to a page with this cookie: its status, the cookie that it sets, and the rest.
    async fn post(&self, path: &str, cookie: &str, body: Option<&Value>) -> (StatusCode, String, Value) {
        let request = self.client.post(format!("http://{}{path}", self.address));
        let request = request.header("host", HOST).header("origin", ORIGIN);
        let mut request = request.header("cookie", cookie);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.unwrap();
        let set = answer.headers().get("set-cookie");
        let set = set.map_or("", |set| set.to_str().unwrap().split(';').next().unwrap());
        let set = set.to_owned();
        (answer.status(), set, answer.json().await.unwrap())
    }

    /// Logs in by a link of the command line; the cookie.
    async fn log_in(&self, bot: &Bot) -> String {
        let told: Value = serde_json::from_str(&bot.command(&["login", "--json"]).await).unwrap();
        let link = told["url"].as_str().unwrap().split_once("link=").unwrap().1;
        let (status, cookie, text) = self.post("/api/sessions", "", Some(&json!({ "link": link }))).await;
        assert_eq!(status, 201, "{text}");
        cookie
    }

    async fn challenge(&self, path: &str, cookie: &str) -> Value {
        let (status, _, options) = self.post(path, cookie, None).await;
        assert_eq!(status, 200, "{options}");
        options
    }

    async fn role(&self, cookie: &str) -> Value {
        let request = self.client.get(format!("http://{}/api/me", self.address));
        let request = request.header("host", HOST).header("cookie", cookie);
        let answer = request.send().await.unwrap();
        answer.json::<Value>().await.unwrap()["role"].clone()
    }
}

const TO_ADD: &str = "/api/passkeys/challenge";
const TO_LOG_IN: &str = "/api/sessions/challenge";

fn named(mut made: Value) -> Value {
    made["name"] = json!("phone");
    made
}

#[tokio::test]
async fn a_challenge_that_was_made_before_a_restart_is_answered_after_it() {
    let mut bot = with_api(Setup::on(Site::Telegram)).start().await;
    let mut phone = Authenticator::new();
    let before = pages(&bot, 1).await.remove(0);
    let cookie = before.log_in(&bot).await;
    let to_add = before.challenge(TO_ADD, &cookie).await;
    bot.kill().await;
    bot.start().await;
    let between = pages(&bot, 2).await.remove(1);
    let made = named(phone.create(ORIGIN, &to_add));
    let (status, _, text) = between.post("/api/passkeys", &cookie, Some(&made)).await;
    assert_eq!(status, 201, "{text}");
    let to_log_in = between.challenge(TO_LOG_IN, "").await;
    bot.kill().await;
    bot.start().await;
    let after = pages(&bot, 3).await.remove(2);
    let answer = phone.get(ORIGIN, &to_log_in);
    let (status, cookie, text) = after.post("/api/sessions/passkey", "", Some(&answer)).await;
    assert_eq!(status, 201, "{text}");
    assert_eq!(after.role(&cookie).await, "operator");
    let (status, _, text) = after.post("/api/sessions/passkey", "", Some(&answer)).await;
    assert_eq!((status.as_u16(), &text["code"]), (422, &json!("passkey_refused")));
    // The log says who came in how; it holds nothing that lets in.
    let log = bot.log_text();
    for line in [
        "added a passkey",
        "began a session with a passkey",
        "refused a login by a passkey",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    for secret in ["id", "signature", "authenticatorData", "userHandle"] {
        let secret = answer[secret].as_str().unwrap();
        assert!(!log.contains(secret), "{log}");
    }
    bot.finish().await;
}

#[tokio::test]
async fn what_one_process_asked_another_takes_the_answer_to_and_only_once() {
    let Some(setup) = Setup::on(Site::Telegram).postgres() else {
        return;
    };
    let mut bot = with_api(setup).start().await;
    bot.spawn(None);
    let mut phone = Authenticator::new();
    let pages = pages(&bot, 2).await;
    let (one, other) = (&pages[0], &pages[1]);
    let cookie = one.log_in(&bot).await;
    let to_add = one.challenge(TO_ADD, &cookie).await;
    let made = named(phone.create(ORIGIN, &to_add));
    let (status, _, text) = other.post("/api/passkeys", &cookie, Some(&made)).await;
    assert_eq!(status, 201, "{text}");
    for _ in 0..3 {
        let to_log_in = one.challenge(TO_LOG_IN, "").await;
        let answer = phone.get(ORIGIN, &to_log_in);
        let all = join_all([other, one, other].map(|page| page.post("/api/sessions/passkey", "", Some(&answer)))).await;
        let begun: Vec<_> = all.iter().filter(|(status, ..)| *status == 201).collect();
        assert_eq!(begun.len(), 1, "{all:?}");
        for page in [one, other] {
            assert_eq!(page.role(&begun[0].1).await, "operator");
        }
    }
    bot.finish().await;
}
