//! Whether a bot says that it can work, and why not.

use std::time::Duration;

use clifford_fakes::{
    discord::DiscordFake,
    telegram::{Fault, Method, TelegramFake},
};
use serde_json::{Value, json};

use super::bot::{Answer, Bot};
use crate::{harness::PATIENCE, tcp_proxy::Way};

/// Asks until the bot says whether it is ready as it should, and returns what it checked.
async fn checks(bot: &Bot, ready: bool) -> Value {
    let mut often = tokio::time::interval(Duration::from_millis(25));
    let asked = tokio::time::timeout(PATIENCE, async {
        loop {
            often.tick().await;
            let answer = bot.get("/readyz").await;
            let said = answer.json();
            assert_eq!(said["ready"], answer.status == 200, "{said}");
            if said["ready"] == ready {
                assert_eq!(answer.status, if ready { 200 } else { 503 });
                return said["checks"].clone();
            }
        }
    });
    match asked.await {
        Ok(checks) => checks,
        Err(_) => panic!("not so: ready = {ready}: {}", bot.get("/readyz").await.text),
    }
}

fn settings<'a>(telegram: &'a TelegramFake, token: &'a str) -> [(&'a str, &'a str); 3] {
    [
        ("channels.telegram.api_url", telegram.api_url()),
        ("channels.telegram.token", token),
        ("channels.telegram.poll_seconds", "1"),
    ]
}

fn good(detail: &str) -> Value {
    json!({ "ok": true, "detail": detail })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_is_ready_when_telegram_answers_and_says_why_when_it_does_not() {
    let telegram = TelegramFake::start().await.unwrap();
    let bot = Bot::connected(&settings(&telegram, TelegramFake::TOKEN)).await;
    let all = json!({
        "channel:telegram": good("connected as @clifford_bot"),
        "database": good("it takes writes"),
        "maintenance": good("no maintenance job fails"),
        "provider": good("offline"),
    });
    assert_eq!(checks(&bot, true).await, all);
    for fault in [Fault::Server(502), Fault::Drop, Fault::Server(502)] {
        telegram.fail_next(Method::GetUpdates, fault);
    }
    let down = checks(&bot, false).await;
    let telegram_check = &down["channel:telegram"];
    assert_eq!(telegram_check["ok"], false);
    let why = telegram_check["detail"].as_str().unwrap();
    assert!(!why.is_empty() && !why.contains(TelegramFake::TOKEN), "{why}");
    assert_eq!(down["database"], all["database"]);
    assert_eq!(checks(&bot, true).await, all);
    let connections = bot.get("/api/connections").await.json();
    let connection = &connections["items"][0];
    assert_eq!(
        (&connection["platform"], &connection["state"], &connection["name"]),
        (&json!("telegram"), &json!("connected"), &json!("@clifford_bot"))
    );
    // The connection is up again, and why it was down is known still.
    assert!(
        connection["lastError"].is_string() && connection["since"].is_string(),
        "{connections}"
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_is_ready_when_the_gateway_is_open_and_says_why_when_it_is_not() {
    let discord = DiscordFake::start().await;
    let url = discord.api_url();
    let settings = [
        ("channels.discord.api_url", url.as_str()),
        ("channels.discord.token", DiscordFake::TOKEN),
    ];
    let bot = Bot::connected(&settings).await;
    let name = checks(&bot, true).await["channel:discord"].clone();
    assert!(name["detail"].as_str().unwrap().starts_with("connected as "), "{name}");
    discord.gateway_open(false);
    discord.disconnect();
    let down = checks(&bot, false).await["channel:discord"].clone();
    assert_eq!(down["ok"], false);
    let why = down["detail"].as_str().unwrap();
    assert!(!why.is_empty() && !why.contains(DiscordFake::TOKEN), "{why}");
    discord.gateway_open(true);
    assert_eq!(checks(&bot, true).await["channel:discord"], name);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_the_platform_refuses_is_named_by_its_setting() {
    let telegram = TelegramFake::start().await.unwrap();
    let discord = DiscordFake::start().await;
    discord.revoke_token();
    let url = discord.api_url();
    let mut settings = settings(&telegram, "123456789:another_token_that_nobody_knows").to_vec();
    settings.extend([
        ("channels.discord.api_url", url.as_str()),
        ("channels.discord.token", DiscordFake::TOKEN),
    ]);
    let bot = Bot::connected(&settings).await;
    let expected = [
        ("channel:telegram", "channels.telegram.token"),
        ("channel:discord", "channels.discord.token"),
    ];
    let mut often = tokio::time::interval(Duration::from_millis(25));
    let named = |checks: &Value| {
        expected
            .iter()
            .all(|(check, setting)| checks[check]["detail"].as_str().unwrap().contains(setting))
    };
    let mut said = checks(&bot, false).await;
    let waited = tokio::time::timeout(PATIENCE, async {
        while !named(&said) {
            often.tick().await;
            said = checks(&bot, false).await;
        }
    });
    let in_time = waited.await.is_ok();
    assert!(in_time, "{said}");
    for (check, _) in expected {
        assert_eq!(said[check]["ok"], false, "{said}");
    }
    let text = said.to_string();
    assert!(
        !text.contains("nobody_knows") && !text.contains(DiscordFake::TOKEN),
        "{text}"
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(skip_postgres, ignore = "CLIFFORD_SKIP_POSTGRES=1")]
async fn a_bot_is_not_ready_while_postgresql_is_gone_and_ready_when_it_is_back() {
    let Some((way, url)) = Way::to_postgres().await else {
        return;
    };
    let bot = Bot::with(&[("database.url", &url)]).await;
    assert_eq!(checks(&bot, true).await["database"], good("it takes writes"));
    way.close();
    let gone = checks(&bot, false).await;
    assert_eq!(gone["database"]["ok"], false);
    let why = gone["database"]["detail"].as_str().unwrap();
    assert!(
        ["it takes no writes; the log says why", "it did not answer within 5 s"].contains(&why),
        "{why}"
    );
    let alive: Answer = bot.get("/healthz").await;
    assert_eq!((alive.status, alive.text.as_str()), (200, "ok"));
    way.open();
    assert_eq!(checks(&bot, true).await["database"], good("it takes writes"));
    bot.ask("hello").await;
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn this_machine_asks_without_a_token_and_what_a_proxy_hands_on_does_not() {
    let bot = Bot::start().await;
    let ask = async |headers: &[(&str, &str)]| {
        let request = bot.request(reqwest::Method::GET, "/readyz");
        let request = headers
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value));
        bot.send(request).await
    };
    let here = ask(&[]).await;
    assert_eq!(here.status, 200, "{}", here.text);
    assert_eq!(here.json()["ready"], true);
    for header in ["x-forwarded-for", "forwarded", "x-real-ip", "via"] {
        assert_eq!(ask(&[(header, "192.0.2.1")]).await.status, 401, "{header}");
    }
    assert_eq!(ask(&[("authorization", "Bearer wrong")]).await.status, 401);
    bot.app.shutdown().await;
}
