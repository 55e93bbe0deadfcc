//! A person's own keys for model providers, and codes that link another account.

use clifford_core::people::UserRole;
use serde_json::{Value, json};

use super::{Browser, person};
use crate::api::bot::Bot;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_gives_and_removes_a_key_and_nobody_reads_it() {
    let provider = r#"[{ name = "fake", base_url = "http://127.0.0.1:9/v1" }]"#;
    let bot = Bot::with(&[("llm.providers", provider)]).await;
    let (ada, bob) = (
        person(&bot, "Ada", UserRole::Member).await,
        person(&bot, "Bob", UserRole::Member).await,
    );
    let (adas, bobs) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, Some(bob)).await,
    );
    let page = format!("/people/{ada}");
    assert!(adas.page(&page).await.contains("No keys"));
    let key = "sk-own-0123456789abcdefghij";
    let fields = [("provider", "fake"), ("key", key)];
    let stolen = bobs.submit("/", &format!("{page}/keys"), &fields).await;
    assert!(matches!(stolen.status, 403 | 404), "{}", stolen.text);
    adas.does(&page, &format!("{page}/keys"), &fields).await;
    let shown = adas.page(&page).await;
    assert!(shown.contains("fake") && !shown.contains(key), "{shown}");
    for (provider, key, status) in [("elsewhere", key, 404), ("fake", "because", 422), ("fake", "", 422)] {
        let refused = adas
            .submit(&page, &format!("{page}/keys"), &[("provider", provider), ("key", key)])
            .await;
        assert_eq!(refused.status, status, "{provider}: {}", refused.text);
    }
    adas.does(&page, &format!("{page}/keys/remove"), &fields[..1]).await;
    assert!(adas.page(&page).await.contains("No keys"));
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_for_another_account_is_shown_once_to_its_person() {
    let bot = Bot::start().await;
    let (ada, bob) = (
        person(&bot, "Ada", UserRole::Member).await,
        person(&bot, "Bob", UserRole::Member).await,
    );
    let (adas, bobs) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, Some(bob)).await,
    );
    let page = format!("/people/{ada}");
    let made = adas.submit(&page, &format!("{page}/code"), &[]).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let code = made
        .text
        .split("value=\"/link ")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let code = code.expect("the code is shown");
    assert!(code.len() >= 8 && !adas.page(&page).await.contains(code), "{code}");
    let refused = bobs.submit("/", &format!("{page}/code"), &[]).await;
    assert!(matches!(refused.status, 403 | 404), "{}", refused.text);
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_changed_after_the_difference_was_seen() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (adas, owner) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, None).await,
    );
    let page = format!("/people/{ada}");
    let fields = [
        ("was.name", "Ada"),
        ("name", "Ada L."),
        ("was.timeZone", ""),
        ("timeZone", "Europe/Berlin"),
    ];
    let (review, saved) = adas.saves(&page, &page, &fields).await;
    assert!(
        review.contains("Ada L.") && review.contains("Europe/Berlin"),
        "{review}"
    );
    assert_eq!(saved.status, 303, "{}", saved.text);
    let role = [("was.role", "member"), ("role", "owner")];
    let refused = adas.saves(&page, &page, &role).await.1;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert_eq!(owner.saves(&page, &page, &role).await.1.status, 303);
    let wrong = owner
        .submit(&page, &page, &[("was.name", "Ada L."), ("name", "")])
        .await;
    assert_eq!(wrong.status, 422, "{}", wrong.text);
    let cleared = [("was.timeZone", "Europe/Berlin"), ("timeZone", "")];
    assert_eq!(owner.saves(&page, &page, &cleared).await.1.status, 303);
    let kept = bot.get(&format!("/api/users/{ada}")).await.json();
    assert_eq!(
        [&kept["name"], &kept["role"], &kept["timeZone"]],
        [&json!("Ada L."), &json!("owner"), &Value::Null]
    );
    bot.app.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_and_tokens_are_no_accounts_and_nobody_else_is_sent_to_bot_toml() {
    let bot = Bot::start().await;
    let ada = person(&bot, "Ada", UserRole::Member).await;
    let (adas, owner) = (
        Browser::log_in(&bot, Some(ada)).await,
        Browser::log_in(&bot, None).await,
    );
    let run = adas.says("what is 6*7?", "completed").await;
    let page = adas.page(&format!("/people/{ada}")).await;
    assert!(page.contains("Accounts") && !page.contains("api:"), "{page}");
    let prompt = format!("/runs/{run}/prompt");
    let (hers, owners) = (adas.page(&prompt).await, owner.page(&prompt).await);
    assert!(
        hers.contains("was not recorded") && !hers.contains("bot.toml"),
        "{hers}"
    );
    assert!(owners.contains("engine.record_prompts = true"), "{owners}");
    let level = owner.get("/memory?level=9").await;
    assert!(
        level.status == 400 && level.text.contains("There is no such level"),
        "{}",
        level.text
    );
    bot.app.shutdown().await;
}
