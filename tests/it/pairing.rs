//! Strangers are let in where the owner reads of them: in the chat, by a press.

mod places;

use clifford_core::clock::Timestamp;
use clifford_fakes::telegram::{Chat, Sent, TelegramFake};
use clifford_store::people::claim;
use serde_json::Value;

use crate::{
    db_probe::DbProbe,
    harness::{Bot, Room, Setup, Site},
};

/// A code for the owner, in place of the one that the bot makes for itself after its start.
async fn code(bot: &Bot) -> String {
    let own = async |look: &DbProbe| claim::hash(&mut look.db.read().await.ok()?).await.ok().flatten();
    bot.until("the bot's own code", own).await;
    let now: Timestamp = jiff::Timestamp::now().into();
    let look = bot.look().await;
    let made = look.db.write(move |tx| Box::pin(claim::make(tx, now))).await;
    made.expect("writes").expect("a code")
}

/// A bot for people whom its owner knows, owned by Ada (account 7 on Telegram).
async fn owned(setup: Setup, site: Site) -> (Bot, Room) {
    let access = format!("channels.{}.access", site.name());
    let bot = setup.set(&access, "pairing").start().await;
    let made = code(&bot).await;
    let ada = bot.room(site, 7, "Ada");
    bot.says(ada, &made);
    assert!(bot.answers(ada, 1).await[0].starts_with("You are my owner now."));
    (bot, ada)
}

#[tokio::test]
async fn who_asked_before_there_was_an_owner_is_told_to_the_first_one() {
    let mut bot = Setup::on(Site::Telegram)
        .set("channels.telegram.access", "pairing")
        .start()
        .await;
    let eve = bot.room(Site::Telegram, 8, "Eve");
    bot.says(eve, "hello");
    bot.answers(eve, 1).await;
    let made = code(&bot).await;
    let ada = bot.room(Site::Telegram, 7, "Ada");
    bot.says(ada, &made);
    let told = sent(&bot, ADA, 2).await;
    assert!(told[0].text.starts_with("You are my owner now."), "{}", told[0].text);
    assert!(
        told[1].text.starts_with("Eve wrote to me in private"),
        "{}",
        told[1].text
    );
    // Once is enough.
    bot.says(eve, "hello again");
    bot.telegram.press(ADA, 7, "Approve");
    reads(&bot, EVE, "My owner has let you in.").await;
    reads(&bot, ADA, "may talk to me now, and was told.").await;
    bot.finish().await;
    let notices = bot.telegram.sent(ADA).into_iter();
    assert_eq!(notices.filter(|sent| sent.text.starts_with("Eve wrote")).count(), 1);
}

async fn on_telegram() -> Bot {
    owned(Setup::on(Site::Telegram), Site::Telegram).await.0
}

const ADA: Chat = Chat { id: 7, thread: None };
const EVE: Chat = Chat { id: 8, thread: None };

/// The messages of the bot in a chat, once there are so many.
async fn sent(bot: &Bot, chat: Chat, count: usize) -> Vec<Sent> {
    bot.telegram.wait_for_sent(chat, count).await
}

/// Waits until the bot has said this somewhere in a chat, or changed a message so.
async fn reads(bot: &Bot, chat: Chat, text: &str) {
    bot.telegram
        .wait_until(text, |fake: &TelegramFake| {
            fake.sent(chat)
                .iter()
                .any(|sent| sent.text.contains(text))
                .then_some(())
        })
        .await;
}

async fn listed(bot: &Bot, args: &[&str]) -> Vec<Value> {
    let list = bot.command(&[&["pair", "list", "--json"][..], args].concat()).await;
    serde_json::from_str(&list).expect("a list")
}

#[tokio::test]
async fn telegram_owner_lets_a_stranger_in_by_a_press() {
    for setup in [Some(Setup::on(Site::Telegram)), Setup::on(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let (mut bot, _) = owned(setup, Site::Telegram).await;
        bot.telegram.user(8, "Eve *");
        bot.telegram.user_says(EVE, 8, "hello, my secret is 4711");
        assert!(
            sent(&bot, EVE, 1).await[0]
                .text
                .contains("I only talk to people whom my owner knows.")
        );
        let notice = sent(&bot, ADA, 2).await.remove(1);
        let begins = "Eve * wrote to me in private and asks to be let in (telegram:8";
        assert!(notice.text.starts_with(begins), "{}", notice.text);
        let labels: Vec<_> = notice.buttons.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, ["Approve", "Refuse", "Block"]);
        assert_eq!(notice.styles, ["success", "", "danger"]);
        assert!(!notice.text.contains("4711"), "{}", notice.text);
        assert_eq!(listed(&bot, &[]).await.len(), 1);
        bot.telegram.press(ADA, 7, "Approve");
        reads(&bot, EVE, "My owner has let you in.").await;
        reads(&bot, ADA, "\u{2705} Approved by Ada.").await;
        reads(&bot, ADA, "may talk to me now, and was told.").await;
        assert_eq!(sent(&bot, ADA, 2).await[1].buttons, []);
        assert_eq!(listed(&bot, &[]).await, Vec::<Value>::new());
        bot.telegram.user_says(EVE, 8, "now?");
        reads(&bot, EVE, "You said: now?").await;
        bot.telegram.wait_for_answers().await;
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_code_that_somebody_tells_the_owner_is_found_in_every_list() {
    let mut bot = on_telegram().await;
    for (id, name) in [(8, "Eve"), (9, "Finn")] {
        bot.telegram.user(id, name);
        bot.telegram.user_says(Chat { id, thread: None }, id, "hello");
    }
    let told = sent(&bot, EVE, 1).await.remove(0).text;
    sent(&bot, Chat { id: 9, thread: None }, 1).await;
    let list = listed(&bot, &[]).await;
    let code = |account: &str| {
        let of = list.iter().find(|one| one["platformUserId"] == account);
        of.and_then(|one| one["code"].as_str()).expect("a code").to_owned()
    };
    let (eve, finn) = (code("8"), code("9"));
    assert!(told.contains(&eve) && !told.contains(&finn), "{told}: {list:?}");
    let table = bot.command(&["pair", "list"]).await;
    assert!(table.contains(&eve) && table.contains(&finn), "{table}");
    bot.telegram.user_says(ADA, 7, "/pair");
    reads(&bot, ADA, &format!("Eve (telegram:8) · {eve}")).await;
    let approved = bot.command(&["pair", "approve", &eve]).await;
    assert!(approved.contains("Eve may talk to the bot now"), "{approved}");
    reads(&bot, EVE, "My owner has let you in.").await;
    let left = listed(&bot, &[]).await;
    assert_eq!((left.len(), &left[0]["code"]), (1, &finn.into()));
    bot.finish().await;
}

#[tokio::test]
async fn discord_owner_refuses_a_stranger_who_is_told_so() {
    let (mut bot, ada) = owned(Setup::on(Site::Discord), Site::Discord).await;
    let Room::Discord { channel, user } = ada else {
        unreachable!("a room on Discord")
    };
    let eve = bot.room(Site::Discord, 8, "Eve");
    bot.says(eve, "hello");
    let notice = bot.discord.wait_for_sent(channel, 2).await.remove(1);
    assert!(
        notice
            .content
            .starts_with("**Eve** wrote to me in private and asks to be let in"),
        "{}",
        notice.content
    );
    assert_eq!(notice.styles, [3, 2, 4]);
    bot.discord.press(channel, user, &notice, "Refuse");
    assert_eq!(bot.answers(eve, 2).await[1], "My owner does not let you in for now.");
    bot.discord
        .wait_for("the notice to be changed", |fake| {
            let notice = fake.sent(channel).into_iter().nth(1)?;
            (notice.content.ends_with("**Refused** by Ada.") && notice.buttons.is_empty()).then_some(())
        })
        .await;
    assert_eq!(listed(&bot, &[]).await, Vec::<Value>::new());
    bot.finish().await;
}

#[tokio::test]
async fn a_blocked_stranger_is_not_heard_until_they_are_approved() {
    let mut bot = on_telegram().await;
    bot.telegram.user(8, "Eve");
    bot.telegram.user_says(EVE, 8, "hello");
    sent(&bot, ADA, 2).await;
    bot.telegram.press(ADA, 7, "Block");
    reads(&bot, ADA, "\u{1f6ab} Blocked by Ada.").await;
    reads(&bot, ADA, "I don't listen to Eve any more.").await;
    bot.telegram.user_says(EVE, 8, "please");
    bot.telegram.user_says(EVE, 8, "/start");
    bot.telegram.wait_for_confirmed().await;
    assert_eq!((sent(&bot, EVE, 1).await.len(), sent(&bot, ADA, 3).await.len()), (1, 3));
    assert_eq!(listed(&bot, &[]).await, Vec::<Value>::new());
    let blocked = listed(&bot, &["--blocked"]).await;
    assert_eq!(blocked[0]["platformUserId"], "8");
    let approved = bot.command(&["pair", "approve", "telegram:8"]).await;
    assert!(approved.contains("Eve may talk to the bot now"), "{approved}");
    reads(&bot, EVE, "My owner has let you in.").await;
    bot.telegram.user_says(EVE, 8, "now?");
    reads(&bot, EVE, "You said: now?").await;
    bot.finish().await;
}

#[tokio::test]
async fn a_flood_of_strangers_makes_no_flood_of_notices() {
    let mut bot = on_telegram().await;
    for id in 100..112 {
        let chat = bot.telegram.user(id, "Eve");
        bot.telegram.user_says(chat, id, "hello");
        sent(&bot, chat, 1).await;
    }
    let told = sent(&bot, ADA, 6).await;
    bot.until("all to be sent", async |look| {
        (look.undelivered().await == 0).then_some(())
    })
    .await;
    assert_eq!(sent(&bot, ADA, 6).await.len(), 6);
    let (last, others) = told[1..].split_last().expect("notices");
    assert!(
        last.text.contains("More people may ask within the hour"),
        "{}",
        last.text
    );
    assert!(others.iter().all(|notice| !notice.text.contains("More people")));
    // All of them are listed.
    bot.telegram.user_says(ADA, 7, "/pair");
    let list = sent(&bot, ADA, 7).await.remove(6);
    assert!(list.text.contains("and 2 more: clifford pair list"), "{}", list.text);
    assert_eq!(list.buttons.len(), 10);
    bot.finish().await;
}

#[tokio::test]
async fn nobody_but_an_owner_decides() {
    let mut bot = on_telegram().await;
    bot.telegram.user(8, "Eve");
    let bob = bot.telegram.user(9, "Bob");
    bot.telegram.user_says(bob, 9, "hello");
    sent(&bot, ADA, 2).await;
    bot.telegram.press(ADA, 7, "Approve");
    reads(&bot, bob, "My owner has let you in.").await;
    bot.telegram.user_says(EVE, 8, "hello");
    reads(&bot, ADA, "Eve wrote to me").await;
    // A member types it, and a stranger does.
    bot.telegram.user_says(bob, 9, "/pair approve telegram:8");
    reads(&bot, bob, "Only an owner of mine decides who may talk to me.").await;
    bot.telegram.user_says(EVE, 8, "/pair approve telegram:8");
    bot.telegram.press_old(EVE, 8, "pair approve telegram:8");
    bot.telegram.wait_for_confirmed().await;
    bot.telegram.wait_for_answers().await;
    assert_eq!(listed(&bot, &[]).await.len(), 1);
    assert_eq!(sent(&bot, EVE, 1).await.len(), 1);
    bot.finish().await;
}

#[tokio::test]
async fn each_owner_is_asked_and_the_first_answer_counts() {
    let mut bot = on_telegram().await;
    let bob = bot.telegram.user(9, "Bob");
    bot.telegram.user_says(bob, 9, "hello");
    sent(&bot, ADA, 2).await;
    bot.telegram.press(ADA, 7, "Approve");
    reads(&bot, bob, "My owner has let you in.").await;
    bot.command(&["users", "set", "telegram:9", "--role", "owner"]).await;
    bot.telegram.user(8, "Eve");
    bot.telegram.user_says(EVE, 8, "hello");
    reads(&bot, ADA, "Eve wrote to me").await;
    reads(&bot, bob, "Eve wrote to me").await;
    bot.telegram.press(bob, 9, "Approve");
    reads(&bot, ADA, "\u{2705} Approved by Bob.").await;
    reads(&bot, bob, "\u{2705} Approved by Bob.").await;
    bot.telegram.press_old(ADA, 7, "pair block telegram:8");
    reads(&bot, ADA, "That is settled already, or nobody asked from that account.").await;
    bot.telegram.user_says(EVE, 8, "now?");
    reads(&bot, EVE, "You said: now?").await;
    bot.finish().await;
}
