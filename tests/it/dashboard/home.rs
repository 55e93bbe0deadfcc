//! The start page: what comes next and what could not be delivered, each with its buttons.

use clifford_core::people::UserRole;
use clifford_fakes::telegram::TelegramFake;

use super::{Browser, journeys::bots, person};
use crate::{api::bot::Bot, store::erasure::script};

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_next_happens_at_once_or_not_at_all_by_its_buttons() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let browser = Browser::log_in(&bot, Some(ada)).await;
        assert!(browser.page("/").await.contains("Nothing is planned"));
        browser.says("hello", "completed").await;
        let fields = [("content", "buy <b>sugar</b>"), ("at", "2099-07-01T09:00")];
        browser.does("/reminders", "/reminders", &fields).await;
        let trigger = async || browser.data("/api/triggers").await["items"][0].clone();
        let action = format!("/reminders/{}", trigger().await["id"].as_str().unwrap());
        let home = browser.page("/").await;
        let (_, next) = home.split_once("Comes next").expect("what comes next");
        for part in [
            "buy &lt;b&gt;sugar",
            "Fire now",
            "Turn off",
            &format!("action=\"{action}\""),
        ] {
            assert!(next.contains(part), "{part}: {home}");
        }
        let back = ("back", "/");
        assert_eq!(browser.does("/", &action, &[("do", "off"), back]).await, "/");
        assert_eq!(trigger().await["enabled"], false);
        assert!(browser.page("/").await.contains("Nothing is planned"));
        // Its time is gone with that: another is given to it first.
        let page = browser.page("/reminders").await;
        assert!(page.contains("Fire now") && !page.contains("Turn on"), "{page}");
        // Another one is said in the chat at once.
        let fields = [("content", "buy salt"), ("at", "2099-07-01T09:00")];
        browser.does("/reminders", "/reminders", &fields).await;
        let items = browser.data("/api/triggers").await["items"].clone();
        let salt = items.as_array().unwrap().iter().find(|item| item["enabled"] == true);
        let action = format!("/reminders/{}", salt.expect("it is on")["id"].as_str().unwrap());
        assert_eq!(browser.does("/", &action, &[("do", "fire"), back]).await, "/");
        while !browser.page("/chat").await.contains("salt") {
            tokio::task::yield_now().await;
        }
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_delivered_is_sent_again_from_the_start_page() {
    for bot in bots().await {
        let owner = Browser::log_in(&bot, None).await;
        let run = owner.says("what is 6*7?", "completed").await;
        assert!(!owner.page("/").await.contains("Could not be delivered"));
        let channel = owner.data(&format!("/api/runs/{run}")).await["channelId"].clone();
        let (channel, now) = (channel.as_str().unwrap(), bot.app.clock.now().0);
        // One of today, and one of long ago.
        for (place, at) in [(1, now), (2, 9)] {
            script(
                &bot.app.db,
                &format!(
                    "INSERT INTO messages (id, direction, channel_id, content, status, attempts, error, sent_at, created_at)
                         VALUES ('00000000-0000-7000-8000-00000000010{place}', 'outbound', '{channel}', 'quince {place}',
                                 'failed', 3, 'the chat is gone', {at}, {at});
                     INSERT INTO message_parts (message_id, seq, delivery_key, body, status)
                         VALUES ('00000000-0000-7000-8000-00000000010{place}', 1, 'k{place}', '{{\"type\":\"text\",\"text\":\"quince\",\"plain\":\"quince\"}}', 'failed')"
                ),
            )
            .await;
        }
        let home = owner.page("/").await;
        for part in [
            "Could not be delivered in the last day",
            "quince 1",
            "the chat is gone",
            "Send again",
        ] {
            assert!(home.contains(part), "{part}: {home}");
        }
        assert!(!home.contains("quince 2"), "{home}");
        let action = "/outbox/00000000-0000-7000-8000-000000000101/resend";
        assert_eq!(owner.does("/", action, &[("back", "/")]).await, "/");
        assert!(!owner.page("/").await.contains("quince 1"));
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cost_of_the_bot_is_told_from_that_of_peoples_own_keys() {
    for bot in bots().await {
        let ada = person(&bot, "Ada", UserRole::Member).await;
        let (adas, owner) = (
            Browser::log_in(&bot, Some(ada)).await,
            Browser::log_in(&bot, None).await,
        );
        adas.says("what is 6*7?", "completed").await;
        script(&bot.app.db, "UPDATE usage SET cost = 1.25").await;
        assert!(!owner.page("/").await.contains("paid by own keys"));
        script(&bot.app.db, "UPDATE usage SET own_key = TRUE").await;
        let home = owner.page("/").await;
        assert!(home.contains("paid by own keys") && home.contains("nothing"), "{home}");
        let usage = owner.page("/usage").await;
        let of_bot = usage.split("data-label=\"Cost\"").nth(1).unwrap();
        let (of_bot, own) = of_bot.split_once("data-label=\"By own keys\"").unwrap();
        assert!(!of_bot.contains(['1', '2', '5']), "{of_bot}");
        assert!(own.contains("calls") || own.contains("1 call"), "{own}");
        bot.app.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_failed_today_is_on_the_start_page_however_long_ago_it_began() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (adas, owner) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, None).await,
    );
    let sleeper = adas.says("what is 6*7?", "completed").await;
    for number in 0..7 {
        adas.says(&format!("what is {number}+9?"), "completed").await;
    }
    // All failed, of which only the oldest one today.
    let fails =
        format!("UPDATE runs SET status = 'failed', updated_at = CASE id WHEN '{sleeper}' THEN updated_at ELSE 1 END");
    script(&bot.app.db, &fails).await;
    let home = owner.page("/").await;
    assert!(home.contains(&format!("href=\"/runs/{sleeper}\"")), "{home}");
    assert!(
        !home.contains("No failures") && home.matches("/retry").count() == 1,
        "{home}"
    );
    let soon = bot.app.clock.now().after(std::time::Duration::from_secs(60)).to_jiff();
    let none = owner
        .data(&format!("/api/runs?status=failed&changedSince={soon}"))
        .await;
    assert_eq!(none["items"], serde_json::json!([]));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_told_what_keeps_the_bot_from_answering_them_and_nothing_of_its_operator() {
    let settings = [
        ("channels.telegram.api_url", "http://127.0.0.1:9"),
        ("channels.telegram.token", TelegramFake::TOKEN),
    ];
    let bot = Bot::connected(&settings).await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (adas, owner) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, None).await,
    );
    let home = adas.page("/").await;
    assert!(home.contains("Telegram is not connected"), "{home}");
    assert!(!home.contains("Health") && !home.contains("127.0.0.1:9"), "{home}");
    assert!(!owner.page("/").await.contains("Write in the chat here"));
    let down = serde_json::json!([{ "what": "platform", "platform": "telegram" }]);
    assert_eq!(adas.data("/api/outages").await["items"], down);
    bot.app.shutdown().await;
}
