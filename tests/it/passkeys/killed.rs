//! The process dies, as by `kill -9`, between the request that lets somebody in and its end: nothing half of it stays,
//! and a second try does all of it, once.

use clifford_fakes::{authenticator::Authenticator, telegram::Chat};
use serde_json::{Value, json};

use super::{Page, TO_ADD, TO_LOG_IN, named, pages, with_api};
use crate::{
    db_probe::DbProbe,
    harness::{Setup, Site},
};

const EVE: Chat = Chat { id: 8, thread: None };

impl Page {
    /// Sends what the process dies of: no answer comes.
    async fn dies(&self, path: &str, cookie: &str, body: &Value) {
        let request = self.client.post(format!("http://{}{path}", self.address));
        let request = request.header("host", super::HOST).header("origin", super::ORIGIN);
        let answer = request.header("cookie", cookie).json(body).send().await;
        assert!(answer.is_err(), "{answer:?}");
    }

    async fn listed(&self, path: &str, cookie: &str) -> Vec<Value> {
        let request = self.client.get(format!("http://{}{path}", self.address));
        let answer = request
            .header("host", super::HOST)
            .header("cookie", cookie)
            .send()
            .await;
        let mut page: Value = answer.unwrap().json().await.unwrap();
        serde_json::from_value(page["items"].take()).unwrap()
    }
}

#[tokio::test]
async fn a_passkey_whose_process_dies_is_not_there_and_lets_nobody_in_until_it_is_tried_again() {
    let mut bot = with_api(Setup::on(Site::Telegram)).prepare().await;
    bot.start_crashing("challenge_spent").await;
    let first = pages(&bot, 1).await.remove(0);
    let cookie = first.log_in(&bot).await;
    let mut phone = Authenticator::new();
    let made = named(phone.create(super::ORIGIN, &first.challenge(TO_ADD, &cookie).await));
    first.dies("/api/passkeys", &cookie, &made).await;
    bot.crashed().await;

    // It is not there, and its challenge is used up; a new one takes it.
    bot.start_crashing("challenge_spent:2").await;
    let second = pages(&bot, 2).await.remove(1);
    assert_eq!(second.listed("/api/passkeys", &cookie).await, Vec::<Value>::new());
    let (status, _, text) = second.post("/api/passkeys", &cookie, Some(&made)).await;
    assert_eq!((status.as_u16(), &text["code"]), (422, &json!("passkey_refused")));
    let made = named(phone.create(super::ORIGIN, &second.challenge(TO_ADD, &cookie).await));
    let (status, _, text) = second.post("/api/passkeys", &cookie, Some(&made)).await;
    assert_eq!(status, 201, "{text}");
    let answer = phone.get(super::ORIGIN, &second.challenge(TO_LOG_IN, "").await);
    second.dies("/api/sessions/passkey", "", &answer).await;
    bot.crashed().await;

    // No session began by it, and its device may sign again.
    bot.start().await;
    let third = pages(&bot, 3).await.remove(2);
    assert_eq!(third.listed("/api/sessions", &cookie).await.len(), 1);
    let (status, _, text) = third.post("/api/sessions/passkey", "", Some(&answer)).await;
    assert_eq!((status.as_u16(), &text["code"]), (422, &json!("passkey_refused")));
    let answer = phone.get(super::ORIGIN, &third.challenge(TO_LOG_IN, "").await);
    let (status, entered, text) = third.post("/api/sessions/passkey", "", Some(&answer)).await;
    assert_eq!(status, 201, "{text}");
    assert_eq!(third.role(&entered).await, "operator");
    assert_eq!(third.listed("/api/sessions", &cookie).await.len(), 2);
    assert_eq!(third.listed("/api/passkeys", &cookie).await.len(), 1);
    bot.finish().await;
}

#[tokio::test]
async fn a_stranger_whose_approval_dies_with_its_process_still_waits_and_is_let_in_once() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let setup = with_api(setup).set("channels.telegram.access", "pairing");
        let mut bot = setup.prepare().await;
        bot.start_crashing("pairing_decided").await;
        let first = pages(&bot, 1).await.remove(0);
        let cookie = first.log_in(&bot).await;
        bot.telegram.user(8, "Eve");
        bot.telegram.user_says(EVE, 8, "hello");
        bot.telegram.wait_for_sent(EVE, 1).await;
        let told = async |look: &DbProbe| (look.undelivered().await == 0).then_some(());
        bot.until("the mark of its delivery", told).await;
        let asked = first.listed("/api/pairings", &cookie).await;
        assert_eq!((asked.len(), &asked[0]["platformUserId"]), (1, &json!("8")));
        let decision = json!({ "platform": "telegram", "platformUserId": "8", "decision": "approve" });
        first.dies("/api/pairings/decide", &cookie, &decision).await;
        bot.crashed().await;

        bot.start().await;
        let second = pages(&bot, 2).await.remove(1);
        assert_eq!(second.listed("/api/pairings", &cookie).await, asked);
        let request = second
            .client
            .post(format!("http://{}/api/pairings/decide", second.address))
            .header("host", super::HOST)
            .header("origin", super::ORIGIN)
            .header("cookie", &cookie);
        let decided = request.json(&decision).send().await.unwrap();
        assert_eq!(decided.status(), 204);
        let (status, ..) = second.post("/api/pairings/decide", &cookie, Some(&decision)).await;
        assert_eq!(status, 404, "it is decided");
        assert_eq!(second.listed("/api/pairings", &cookie).await, Vec::<Value>::new());
        let said = bot.telegram.wait_for_sent(EVE, 2).await;
        let welcome = "My owner has let you in. What can I do for you? /help shows what I can do.";
        assert_eq!(said[1].text, welcome);
        bot.telegram.user_says(EVE, 8, "now?");
        let said = bot.telegram.wait_for_sent(EVE, 3).await;
        assert_eq!(said[2].text, "You said: now?");
        bot.finish().await;
    }
}
