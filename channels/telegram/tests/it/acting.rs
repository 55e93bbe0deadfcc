//! Acts besides sending, with the rights of the person who asks.

use clifford_channel::{Act, ActError, Acted, Actor, Poll};
use clifford_fakes::telegram::{Chat, Fault, Method, TelegramFake};
use clifford_telegram::Telegram;
use serde_json::json;

const ADA: i64 = 7;
const BOB: i64 = 8;

async fn world() -> (TelegramFake, Telegram) {
    let fake = TelegramFake::start().await.unwrap();
    let telegram = crate::telegram(&fake);
    fake.user(ADA, "Ada");
    fake.user(BOB, "Bob");
    (fake, telegram)
}

async fn act(telegram: &Telegram, chat: Chat, account: i64, act: &Act) -> Result<Acted, ActError> {
    telegram.act(&chat.id.to_string(), &account.to_string(), act).await
}

#[tokio::test]
async fn pins_polls_and_topics_take_the_persons_own_rights() {
    let (fake, telegram) = world().await;
    let forum = fake.forum(-1_001_234, "Team");
    let message = fake.user_says(forum, ADA, "important");
    let pin = Act::Pin {
        message: message.to_string(),
    };
    let lacks = |right: &str| Err(ActError::NotTheirs(format!("they lack the right to {right}")));
    assert_eq!(act(&telegram, forum, BOB, &pin).await, lacks("pin messages"));
    assert!(fake.pins(forum).is_empty());
    fake.standing(
        forum,
        ADA,
        json!({ "status": "administrator", "can_pin_messages": true, "can_manage_topics": true }),
    );
    assert_eq!(act(&telegram, forum, ADA, &pin).await, Ok(Acted::Done));
    assert_eq!(fake.pins(forum), [message]);

    let poll = Act::Poll(Poll {
        question: "Pizza?".to_owned(),
        answers: vec!["Yes".to_owned(), "No".to_owned()],
        several: true,
        hours: 24,
    });
    assert!(matches!(act(&telegram, forum, BOB, &poll).await, Ok(Acted::Message(_))));
    assert_eq!(
        fake.asked(forum),
        [("Pizza?".to_owned(), vec!["Yes".to_owned(), "No".to_owned()])]
    );
    fake.fail_next(Method::SendPoll, Fault::Result(json!({})));
    assert_eq!(act(&telegram, forum, BOB, &poll).await, Ok(Acted::Done));
    fake.standing(forum, BOB, json!({ "status": "left" }));
    assert_eq!(
        act(&telegram, forum, BOB, &poll).await,
        lacks("be there: they are no member")
    );

    let topic = Act::Thread {
        name: "Plans".to_owned(),
        message: None,
    };
    let made = act(&telegram, forum, ADA, &topic).await;
    assert!(
        matches!(&made, Ok(Acted::Place(place)) if place.starts_with("-1001234:")),
        "{made:?}"
    );
    assert_eq!(fake.topics(forum), ["Plans"]);
    assert_eq!(fake.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn nobody_acts_in_anothers_private_chat_and_history_is_not_to_be_had() {
    let (fake, telegram) = world().await;
    let ada = fake.user(ADA, "Ada");
    let message = fake.user_says(ada, ADA, "note");
    let pin = Act::Pin {
        message: message.to_string(),
    };
    let others = ActError::NotTheirs("it is another person's private chat".to_owned());
    assert_eq!(act(&telegram, ada, BOB, &pin).await, Err(others));
    assert_eq!(act(&telegram, ada, ADA, &pin).await, Ok(Acted::Done));
    let history = Act::History { limit: 5, before: None };
    let none = ActError::Unknown("Telegram shows bots no history".to_owned());
    assert_eq!(act(&telegram, ada, ADA, &history).await, Err(none));
}
