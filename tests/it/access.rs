//! Strangers, pairing, and the first owner.

use clifford_core::clock::Timestamp;
use clifford_store::people::claim;

use crate::harness::{Setup, Site};

fn now() -> Timestamp {
    jiff::Timestamp::now().into()
}

/// The code between backticks, or what markup made of them.
fn code_in(text: &str) -> String {
    let (_, behind) = text.split_once("Your code is ").expect("a code");
    behind.chars().filter(|c| *c != '`').take(8).collect()
}

#[tokio::test]
async fn a_stranger_gets_a_code_and_is_heard_once_the_owner_approves() {
    for site in Site::BOTH {
        let access = format!("channels.{}.access", site.name());
        let mut bot = Setup::on(site).set(&access, "pairing").start().await;
        let room = bot.room(site, 7, "Ada");
        bot.says(room, "hello, my secret is 4711");
        let met = bot.answers(room, 1).await.remove(0);
        let code = code_in(&met);
        // A person who meets a bot without an owner may be its owner.
        assert!(met.contains("If I am your bot, send me the code that"), "{met}");
        if site == Site::Telegram {
            // A stranger's next message within the minute is not even answered.
            bot.says(room, "hello?");
            bot.telegram.wait_for_confirmed().await;
        }
        let approved = bot.command(&["pair", "approve", &code]).await;
        assert!(approved.contains("Ada"), "{approved}");
        assert!(bot.answers(room, 2).await[1].starts_with("My owner has let you in."));
        bot.says(room, "now?");
        assert_eq!(bot.answers(room, 3).await[2..], ["You said: now?"], "{site:?}");
        bot.finish().await;
        let prompts: Vec<_> = bot
            .model
            .requests()
            .iter()
            .map(|request| request.body.to_string())
            .collect();
        assert_eq!(prompts.len(), 1);
        assert!(!prompts[0].contains("4711"), "what a stranger said reached the model");
    }
}

#[tokio::test]
async fn the_code_of_the_first_owner_makes_one_owner() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "pairing")
        .start()
        .await;
    let look = bot.look().await;
    let claim = look
        .db
        .write(|tx| Box::pin(claim::make(tx, now())))
        .await
        .unwrap()
        .unwrap();
    let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
    bot.says(ada, "hello");
    assert!(bot.answers(ada, 1).await[0].contains("If I am your bot, send me the code"));
    bot.says(ada, "MISTYPED");
    let told = &bot.answers(ada, 2).await[1];
    assert!(
        told.starts_with("That is not the code") && told.contains("clifford pair claim prints another"),
        "{told}"
    );
    bot.says(ada, &format!("{} {}", &claim[..4], &claim[4..]).to_lowercase());
    assert!(bot.answers(ada, 3).await[2].starts_with("You are my owner now."));
    bot.says(bob, &claim);
    assert!(bot.answers(bob, 1).await[0].contains("I only talk to people whom my owner knows."));
    bot.says(ada, "hello");
    // She is told of Bob as well.
    let told = bot.answers(ada, 5).await.split_off(3);
    assert!(told.contains(&"You said: hello".to_owned()), "{told:?}");
    bot.finish().await;
    assert_eq!(bot.model.request_count(), 1);
}

#[tokio::test]
async fn the_owners_code_is_void_once_it_was_said_where_others_read_along() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "pairing")
        .start()
        .await;
    let look = bot.look().await;
    let claim = look
        .db
        .write(|tx| Box::pin(claim::make(tx, now())))
        .await
        .unwrap()
        .unwrap();
    let (ada, eve) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Eve"));
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let many = "elephant ".repeat(60);
    bot.telegram.user_says(
        group,
        7,
        &format!("{many} is it {}-{}?", claim[..4].to_lowercase(), &claim[4..]),
    );
    bot.telegram.wait_for_confirmed().await;
    bot.says(eve, &claim);
    assert!(bot.answers(eve, 1).await[0].contains("I only talk to people whom my owner knows."));
    // The new one stands in the log alone.
    let made = bot.until("the new code", async |_| {
        let log = bot.log_text();
        let line = log
            .lines()
            .find(|line| line.contains("voided an owner code"))?
            .to_owned();
        let (_, code) = line.split_once("code=")?;
        Some(
            code.trim_matches('"')
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect::<String>(),
        )
    });
    let made = made.await;
    assert_ne!(made, claim);
    bot.says(ada, &made);
    assert!(bot.answers(ada, 1).await[0].starts_with("You are my owner now."));
    bot.finish().await;
}

#[tokio::test]
async fn the_owners_code_is_void_once_it_stands_in_an_edit() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "pairing")
        .start()
        .await;
    let look = bot.look().await;
    let claim = look
        .db
        .write(|tx| Box::pin(claim::make(tx, now())))
        .await
        .unwrap()
        .unwrap();
    let eve = bot.room(Site::Telegram, 8, "Eve");
    bot.telegram.user(7, "Ada");
    let group = bot.telegram.supergroup(-1_001_234, "Team");
    let said = bot.telegram.user_says(group, 7, "is it this?");
    bot.telegram.edit(group, 7, said, &format!("is it {claim}?"));
    bot.has_logged("voided an owner code", 1).await;
    bot.says(eve, &claim);
    assert!(bot.answers(eve, 1).await[0].contains("I only talk to people whom my owner knows."));
    bot.finish().await;
}

#[tokio::test]
async fn who_is_not_on_the_list_hears_nothing() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "allowlist")
        .set("channels.telegram.allow", vec![7])
        .start()
        .await;
    let (ada, bob) = (bot.room(Site::Telegram, 7, "Ada"), bot.room(Site::Telegram, 8, "Bob"));
    bot.says(bob, "hello");
    bot.says(ada, "hello");
    assert_eq!(bot.answers(ada, 1).await, ["You said: hello"]);
    bot.finish().await;
    assert_eq!(bot.texts(bob), Vec::<String>::new());
    assert_eq!(bot.look().await.count("users").await, 1);
}
