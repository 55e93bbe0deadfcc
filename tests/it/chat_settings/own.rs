//! `/settings` in private, and `/model`.

use clifford_fakes::{openai::OpenAiFake, telegram::TelegramFake};

use super::{labels, last_prompt, tell};
use crate::harness::{Bot, Setup, Site};

/// A bot whose people may choose between two models.
pub(super) fn choosing(site: Site) -> Setup {
    let strong = "name = 'strong'\nmodel = 'fake-2'\nprompt_price = 2.5\ncompletion_price = 10.0";
    Setup::on(site).set(
        "llm.choices",
        toml::Value::Array(vec![strong.parse::<toml::Table>().unwrap().into()]),
    )
}

/// The models that answered runs, in order.
pub(super) fn asked(model: &OpenAiFake) -> Vec<String> {
    let requests = model.requests();
    let runs = requests
        .iter()
        .filter(|request| crate::scripted_model::memory_schema(request).is_none());
    runs.map(|request| request.body["model"].as_str().unwrap_or_default().to_owned())
        .collect()
}

async fn private(setup: Setup) -> (Bot, clifford_fakes::telegram::Chat) {
    let bot = setup.start().await;
    let chat = bot.telegram.user(7, "Ada");
    (bot, chat)
}

#[tokio::test]
async fn a_person_sets_themselves_up_in_private() {
    let (mut bot, chat) = private(choosing(Site::Telegram)).await;
    tell(&bot, chat, 7, "hello").await;
    let all = tell(&bot, chat, 7, "/settings").await;
    // A setting that she has not set herself holds as it does for the bot.
    for standing in ["memory: on", "voice_replies: when_spoken_to"] {
        assert!(all.text.contains(standing), "{}", all.text);
    }
    for name in ["language", "time_zone", "model", "voice_replies", "memory"] {
        assert!(labels(&all.buttons).contains(&name), "{name}: {:?}", all.buttons);
    }
    assert!(
        !all.text.contains("persona") && !all.text.contains("budget"),
        "{}",
        all.text
    );
    for (command, told) in [
        (
            "time_zone Europe/Berlin",
            "You set time_zone to Europe/Berlin (before: not set).",
        ),
        ("language en", "You set language to en (before: not set)."),
        (
            "voice_replies always",
            "You set voice_replies to always (before: not set).",
        ),
        ("time_zone Berlin", "Berlin is not a time zone such as Europe/Berlin."),
        ("persona Be rude", "There is no setting persona here."),
        ("wen_busy steer", "There is no setting wen_busy here."),
    ] {
        let answer = tell(&bot, chat, 7, &format!("/settings {command}")).await.text;
        assert!(answer.starts_with(told), "{answer}");
    }
    tell(&bot, chat, 7, "hello").await;
    assert!(last_prompt(&bot).contains("Europe/Berlin"));
    let undone = tell(&bot, chat, 7, "/settings undo").await.text;
    assert!(
        undone.starts_with("You took a change back: voice_replies is not set again"),
        "{undone}"
    );
    bot.finish().await;
}

#[tokio::test]
async fn what_a_person_does_not_want_remembered_is_neither_written_nor_shown() {
    let (mut bot, chat) = private(Setup::on(Site::Telegram)).await;
    tell(&bot, chat, 7, "hello").await;
    let look = bot.look().await;
    let ada: clifford_core::id::UserId = look.run().await.user_id.unwrap();
    look.remember(ada, "preferences", "drink", "oolong").await;
    tell(&bot, chat, 7, "hello").await;
    assert!(last_prompt(&bot).contains("oolong"));
    tell(&bot, chat, 7, "/settings memory off").await;
    tell(&bot, chat, 7, "hello").await;
    assert!(!last_prompt(&bot).contains("oolong"));
    tell(&bot, chat, 7, "/settings memory true").await;
    tell(&bot, chat, 7, "hello").await;
    assert!(last_prompt(&bot).contains("oolong"));
    bot.finish().await;
}

#[tokio::test]
async fn a_switch_is_shown_and_taken_in_the_words_of_its_reader() {
    let (mut bot, chat) = private(Setup::on(Site::Telegram)).await;
    let shown = tell(&bot, chat, 7, "/settings memory").await;
    assert_eq!(labels(&shown.buttons)[..2], ["✓ on", "off"]);
    let fault = tell(&bot, chat, 7, "/settings memory perhaps").await.text;
    assert_eq!(fault, "perhaps is not one of on, off.");
    tell(&bot, chat, 7, "/settings language de").await;
    let shown = tell(&bot, chat, 7, "/settings memory aus").await;
    assert_eq!(labels(&shown.buttons)[..2], ["an", "✓ aus"]);
    assert!(shown.text.contains("aus"), "{}", shown.text);
    let fault = tell(&bot, chat, 7, "/settings memory vielleicht").await.text;
    assert_eq!(fault, "vielleicht ist keines von an, aus.");
    // A press, and the words written so far, are taken as before.
    bot.telegram.press(chat, 7, "an");
    bot.telegram
        .wait_until("the changed setting", |fake| {
            let now = fake
                .sent(chat)
                .into_iter()
                .find(|sent| sent.message_id == shown.message_id)?;
            (labels(&now.buttons)[..2] == ["✓ an", "aus"]).then_some(())
        })
        .await;
    let shown = tell(&bot, chat, 7, "/settings memory false").await;
    assert_eq!(labels(&shown.buttons)[..2], ["an", "✓ aus"]);
    bot.finish().await;
}

#[tokio::test]
async fn a_model_is_chosen_for_this_conversation_or_for_good() {
    for setup in [Some(choosing(Site::Telegram)), choosing(Site::Telegram).postgres()]
        .into_iter()
        .flatten()
    {
        let (mut bot, chat) = private(setup).await;
        tell(&bot, chat, 7, "one").await;
        let list = tell(&bot, chat, 7, "/model").await;
        assert!(
            list.text
                .contains("strong: fake-2 (fake), 2.5 read, 10 written, for a million tokens"),
            "{}",
            list.text
        );
        assert_eq!(labels(&list.buttons), ["✓ default", "strong"]);
        let told = tell(&bot, chat, 7, "/model strong").await.text;
        assert!(
            told.starts_with("This conversation goes on with strong (fake-2)."),
            "{told}"
        );
        tell(&bot, chat, 7, "two").await;
        tell(&bot, chat, 7, "/new").await;
        tell(&bot, chat, 7, "three").await;
        tell(&bot, chat, 7, "/model strong always").await;
        tell(&bot, chat, 7, "four").await;
        tell(&bot, chat, 7, "/new").await;
        tell(&bot, chat, 7, "five").await;
        tell(&bot, chat, 7, "/model default always").await;
        tell(&bot, chat, 7, "six").await;
        assert_eq!(
            asked(&bot.model),
            ["fake-1", "fake-2", "fake-1", "fake-2", "fake-2", "fake-1"]
        );
        // The price of the chosen one is charged.
        let cost = "SELECT COUNT(*) FROM usage WHERE cost > 0 AND role = 'executor'";
        assert_eq!(bot.look().await.number(cost).await, 3);
        assert!(
            tell(&bot, chat, 7, "/model huge")
                .await
                .text
                .starts_with("There is no model huge to choose.")
        );
        bot.finish().await;
    }
}

#[tokio::test]
async fn a_model_of_several_words_is_chosen_by_its_name_and_by_its_button() {
    let big = "name = 'big one'\nmodel = 'fake-2'".parse::<toml::Table>().unwrap();
    let setup = Setup::on(Site::Telegram).set("llm.choices", toml::Value::Array(vec![big.into()]));
    let (mut bot, chat) = private(setup).await;
    tell(&bot, chat, 7, "one").await;
    let told = tell(&bot, chat, 7, "/model big one").await.text;
    assert!(told.contains("goes on with big one"), "{told}");
    tell(&bot, chat, 7, "two").await;
    let told = tell(&bot, chat, 7, "/model default").await;
    let button = told.buttons.iter().find(|(label, _)| label == "big one");
    bot.telegram.press_old(chat, 7, &button.unwrap().1);
    bot.telegram
        .wait_until("the choice by the button", |fake: &TelegramFake| {
            let chosen = fake.sent(chat).into_iter();
            let chosen = chosen.filter(|sent| sent.text.contains("goes on with big one"));
            (chosen.count() == 2).then_some(())
        })
        .await;
    tell(&bot, chat, 7, "three").await;
    tell(&bot, chat, 7, "/model big one always").await;
    tell(&bot, chat, 7, "/new").await;
    tell(&bot, chat, 7, "four").await;
    assert_eq!(asked(&bot.model), ["fake-1", "fake-2", "fake-2", "fake-2"]);
    let told = tell(&bot, chat, 7, "/model big two").await.text;
    assert!(told.starts_with("There is no model big two to choose."), "{told}");
    bot.finish().await;
}

#[tokio::test]
async fn settings_are_words_in_the_terminals_and_the_apis_way_too() {
    let (mut bot, chat) = private(Setup::on(Site::Telegram)).await;
    let told = tell(&bot, chat, 7, "/settings when_busy interrupt").await.text;
    assert!(
        told.starts_with("You set when_busy to interrupt (before: not set)."),
        "{told}"
    );
    let value = "SELECT COUNT(*) FROM settings WHERE name = 'when_busy' AND value = 'interrupt'";
    assert_eq!(bot.look().await.number(value).await, 1);
    bot.finish().await;
}
