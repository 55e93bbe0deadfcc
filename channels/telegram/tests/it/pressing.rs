//! Buttons: shown below a text, pressed by people, and each press answered.

use clifford_channel::{Address, Button, Channel, DeliveryKey, Part};
use clifford_fakes::telegram::{Chat, Fault, Method, TelegramFake};

use crate::{ADA, Running, ingress::Memory, telegram};

const NO_VIOLATIONS: [&str; 0] = [];

/// Sends a text with buttons to switch to these conversations.
async fn offer(fake: &TelegramFake, chat: Chat, text: &str, names: &[&str]) {
    let buttons = names
        .iter()
        .map(|name| Button::new(name, format!("switch {name}")))
        .collect();
    let part = Part::Text {
        text: text.to_owned(),
        plain: "plain".to_owned(),
        rich: None,
        buttons,
    };
    let to = Address {
        place: match chat.thread {
            Some(thread) => format!("{}:{thread}", chat.id),
            None => chat.id.to_string(),
        },
        private: chat.id > 0,
        reply_to: None,
        via: None,
    };
    let key = DeliveryKey("key".to_owned());
    telegram(fake).send(&to, &part, &key).await.unwrap();
}

fn shown(fake: &TelegramFake, chat: Chat) -> Vec<(String, String)> {
    fake.sent(chat).pop().unwrap().buttons
}

#[tokio::test]
async fn buttons_stand_below_a_text_and_stay_where_it_goes_out_plain() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let pair = |name: &str| (name.to_owned(), format!("switch {name}"));
    offer(&fake, ada, "Where <b>to</b>?", &["Rome", "Paris"]).await;
    assert_eq!(shown(&fake, ada), [pair("Rome"), pair("Paris")]);
    assert_eq!(fake.violations(), NO_VIOLATIONS);
    offer(&fake, ada, "Where <b>to?", &["Rome"]).await;
    let sent = fake.sent(ada).pop().unwrap();
    assert_eq!((sent.text.as_str(), sent.buttons), ("plain", vec![pair("Rome")]));
}

#[tokio::test]
async fn presses_arrive_as_commands_wherever_and_are_answered_once() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let group = fake.group(-55, "Boilers");
    let forum = fake.forum(-1_001_000, "Engines");
    let topic = fake.topic(forum, "Steam");
    for chat in [ada, group, topic] {
        offer(&fake, chat, "Where to?", &["Rome"]).await;
    }
    let ingress = Memory::new();
    let running = Running::start(telegram(&fake), &ingress);
    fake.wait_until("a poll", |fake| (fake.polls() > 0).then_some(())).await;
    for chat in [ada, group, topic] {
        fake.press(chat, ADA, "Rome");
    }
    fake.press_old(ada, ADA, "switch Paris");
    fake.press_old(ada, ADA, "no/command");
    fake.wait_for_answers().await;
    fake.wait_for_confirmed().await;
    running.stop().await.unwrap();
    let mut places: Vec<_> = ingress
        .events()
        .iter()
        .map(|event| match event {
            clifford_channel::Inbound::Command(command) => {
                format!("{} /{} {}", command.place.external_id, command.name, command.argument)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    places.sort();
    let mut expected = [
        "7 /switch Rome".to_owned(),
        "-55 /switch Rome".to_owned(),
        format!("-1001000:{} /switch Rome", topic.thread.unwrap()),
        "7 /switch Paris".to_owned(),
    ];
    expected.sort();
    assert_eq!(places, expected);
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

#[tokio::test]
async fn a_press_is_answered_while_it_is_not_taken_and_whatever_refuses_the_answer() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    offer(&fake, ada, "Where to?", &["Rome"]).await;
    let ingress = Memory::new();
    ingress.hold("/switch Rome");
    let running = Running::start(telegram(&fake), &ingress);
    fake.wait_until("a poll", |fake| (fake.polls() > 0).then_some(())).await;
    fake.fail_next(Method::AnswerCallbackQuery, Fault::Server(502));
    fake.press(ada, ADA, "Rome");
    fake.wait_for_answers().await;
    assert_eq!(ingress.taken(), Vec::<String>::new());
    ingress.release();
    assert_eq!(ingress.wait_for(1).await, ["/switch Rome"]);
    let old = fake.press(ada, ADA, "Rome");
    fake.expire(&old);
    fake.wait_for_answers().await;
    fake.press_again(&old);
    fake.wait_until("the second answer", |fake| (fake.answers(&old) == 2).then_some(()))
        .await;
    fake.wait_for_confirmed().await;
    running.stop().await.unwrap();
    assert_eq!(ingress.taken().len(), 3);
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}
