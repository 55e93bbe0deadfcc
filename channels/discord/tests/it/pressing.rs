//! Buttons and arguments that are being typed: shown, pressed, acknowledged and completed in time.

use std::{sync::atomic::Ordering, time::Duration};

use clifford_channel::{Address, Button, Channel, Choice, DeliveryKey, Inbound, Part};
use clifford_fakes::discord::{Fault, Route, Sent};

use crate::support::{Bot, to};

fn offer(names: &[&str]) -> Part {
    Part::Text {
        text: "Where to?".to_owned(),
        plain: "Where to?".to_owned(),
        rich: None,
        buttons: names
            .iter()
            .map(|name| Button::new(name, format!("switch {name}")))
            .collect(),
    }
}

async fn send(bot: &Bot, to: &Address, part: &Part, key: &str) {
    bot.discord.send(to, part, &DeliveryKey(key.to_owned())).await.unwrap();
}

/// The message with the buttons.
async fn offered(bot: &Bot, channel: u64, names: &[&str]) -> Sent {
    send(bot, &to(channel), &offer(names), &format!("k{channel}")).await;
    bot.fake.sent(channel).pop().unwrap()
}

fn pair(name: &str) -> (String, String) {
    (name.to_owned(), format!("switch {name}"))
}

#[tokio::test]
async fn a_press_is_acknowledged_handed_in_as_its_command_and_answered_in_place() {
    let bot = Bot::start().await;
    let (channel, ada) = bot.channel();
    let dm = bot.fake.dm(ada);
    for place in [channel, dm] {
        let message = offered(&bot, place, &["Rome", "Paris"]).await;
        assert_eq!(message.buttons, [pair("Rome"), pair("Paris")]);
        let before = bot.kept.events().len();
        let id = bot.fake.press(place, ada, &message, "Paris");
        let events = bot.kept.wait_for_events(before + 1).await;
        assert!(bot.fake.acknowledged_after(id).unwrap() < Duration::from_secs(3));
        let Some(Inbound::Command(command)) = events.last() else {
            panic!("no command: {events:?}");
        };
        assert_eq!(
            (
                &*command.id,
                &*command.name,
                &*command.argument,
                &*command.place.external_id
            ),
            (&*id.to_string(), "switch", "Paris", &*place.to_string())
        );
        assert_eq!(command.place.kind.is_private(), place == dm);
        assert_eq!(command.speaker.id, ada.to_string());
        let answer = Address {
            reply_to: Some(command.id.clone()),
            via: command.via.clone(),
            ..to(place)
        };
        send(&bot, &answer, &offer(&["Oslo"]), &format!("key-{place}")).await;
        let replies = bot.fake.interaction_replies(id);
        assert_eq!((replies.len(), &*replies[0].content), (1, "Where to?"));
        assert_eq!(replies[0].buttons, [pair("Oslo")]);
        // Buttons below an answer to a press can be pressed too.
        bot.fake.press(place, ada, &replies[0], "Oslo");
        bot.kept.wait_for_events(before + 2).await;
    }
    bot.finish().await;
}

#[tokio::test]
async fn as_many_buttons_are_shown_as_discord_takes_and_none_twice() {
    let bot = Bot::start().await;
    let (channel, _) = bot.channel();
    let names: Vec<String> = (0..30).map(|n| format!("City {n}")).collect();
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    all.insert(1, "City 0");
    let message = offered(&bot, channel, &all).await;
    let expected: Vec<_> = names.iter().take(25).map(|name| pair(name)).collect();
    assert_eq!(message.buttons, expected);
    bot.finish().await;
}

#[tokio::test]
async fn a_press_of_a_foreign_button_is_acknowledged_and_leaves_nothing() {
    let bot = Bot::start().await;
    let (channel, ada) = bot.channel();
    let message = offered(&bot, channel, &["Rome"]).await;
    let id = bot.fake.press_id(channel, ada, message.id, "{\"action\":\"buy\"}");
    bot.fake.wait_for_acknowledgement(id).await;
    bot.fake
        .wait_for("the end of thinking", |fake| (!fake.is_thinking(id)).then_some(()))
        .await;
    assert_eq!(bot.kept.events(), []);
    bot.finish().await;
}

#[tokio::test]
async fn a_press_is_acknowledged_while_the_store_is_down() {
    let bot = Bot::start().await;
    let (channel, ada) = bot.channel();
    let message = offered(&bot, channel, &["Rome"]).await;
    bot.kept.unavailable.store(usize::MAX, Ordering::SeqCst);
    let id = bot.fake.press(channel, ada, &message, "Rome");
    assert!(bot.fake.wait_for_acknowledgement(id).await < Duration::from_secs(3));
    bot.kept.unavailable.store(0, Ordering::SeqCst);
    bot.kept.wait_for_events(1).await;
    bot.finish().await;
}

#[tokio::test]
async fn an_argument_is_completed_while_it_is_typed() {
    let bot = Bot::start().await;
    let (channel, ada) = bot.channel();
    let choice = |label: &str, value: &str| Choice {
        label: label.to_owned(),
        value: value.to_owned(),
    };
    *bot.kept.choices.lock().unwrap() = vec![choice("Trip to Rome", "5"), choice("", "6")];
    let id = bot.fake.types(channel, ada, "new", "name", "Ro");
    let shown = [("Trip to Rome".to_owned(), "5".to_owned())];
    assert_eq!(bot.fake.wait_for_choices(id).await, shown);
    let asked = bot.kept.asked.lock().unwrap().clone();
    let asked: Vec<_> = asked
        .iter()
        .map(|asked| {
            (
                &*asked.place.external_id,
                &*asked.speaker.id,
                &*asked.command,
                &*asked.typed,
            )
        })
        .collect();
    assert_eq!(asked, [(&*channel.to_string(), &*ada.to_string(), "new", "Ro")]);
    bot.fake
        .wait_for("commands", |fake| {
            Some(fake.commands(None)).filter(|all| !all.is_empty())
        })
        .await;
    let completes = |name: &str| {
        let commands = bot.fake.commands(None);
        let command = commands.iter().find(|command| command["name"] == name).unwrap();
        command["options"][0]["autocomplete"].as_bool()
    };
    assert_eq!((completes("new"), completes("ask")), (Some(true), None));
    // Nothing that was typed is an event.
    assert_eq!(bot.kept.events(), []);
    bot.finish().await;
}

#[tokio::test]
async fn where_no_choices_come_in_time_none_are_shown_in_time() {
    let bot = Bot::start().await;
    let (channel, ada) = bot.channel();
    bot.kept.choices.lock().unwrap().push(Choice {
        label: "never shown".to_owned(),
        value: "1".to_owned(),
    });
    let id = bot.fake.types(channel, ada, "new", "name", "for ever");
    assert_eq!(bot.fake.wait_for_choices(id).await, []);
    assert!(bot.fake.acknowledged_after(id).unwrap() < Duration::from_secs(3));
    bot.kept.unavailable.store(1, Ordering::SeqCst);
    let id = bot.fake.types(channel, ada, "new", "name", "x");
    assert_eq!(bot.fake.wait_for_choices(id).await, []);
    // An answer that is lost is not missed: what is typed next is asked for anew.
    bot.fake.fail_next(Route::Acknowledge, Fault::Status(500));
    bot.fake.types(channel, ada, "new", "name", "y");
    bot.finish().await;
}
