//! Parts out: rendered, in their place, and refused with the next step.

use std::time::{Duration, Instant};

use clifford_channel::{Address, Channel, DeliveryKey, Part, SendError, Signal};
use clifford_fakes::telegram::{Action, Chat, Document, Fault, Method, TelegramFake};
use clifford_telegram::{Telegram, TelegramSettings};
use serde_json::json;

use crate::{ADA, config, telegram};

const NO_VIOLATIONS: [&str; 0] = [];

fn address(chat: Chat) -> Address {
    Address {
        place: match chat.thread {
            Some(thread) => format!("{}:{thread}", chat.id),
            None => chat.id.to_string(),
        },
        private: chat.id > 0,
        reply_to: None,
        via: None,
    }
}

fn text(text: &str) -> Part {
    Part::Text {
        text: text.to_owned(),
        plain: "plain".to_owned(),
        rich: None,
        buttons: Vec::new(),
    }
}

async fn send(telegram: &Telegram, to: &Address, part: &Part) -> Result<String, SendError> {
    let key = DeliveryKey("key".to_owned());
    telegram.send(to, part, &key).await.map(|receipt| receipt.id)
}

fn file() -> Part {
    Part::File {
        name: "answer.md".to_owned(),
        content: "42".to_owned(),
        caption: String::new(),
        markup: None,
    }
}

/// Sends a part, and returns the error as text.
async fn fail_part(telegram: &Telegram, chat: Chat, part: &Part) -> String {
    format!("{:?}", send(telegram, &address(chat), part).await.unwrap_err())
}

/// Sends a text, and returns the error as text.
async fn fail(telegram: &Telegram, chat: Chat) -> String {
    fail_part(telegram, chat, &text("x")).await
}

#[tokio::test]
async fn a_text_arrives_rendered_and_points_at_what_it_answers() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let group = fake.group(-7, "Friends");
    let question = fake.user_says(group, ADA, "2+2?");
    let mut to = address(group);
    to.reply_to = Some(question.to_string());
    let id = send(&telegram(&fake), &to, &text("it is <b>4</b>")).await.unwrap();
    to.reply_to = Some("99999".to_owned());
    send(&telegram(&fake), &to, &text("the question is gone"))
        .await
        .unwrap();
    // In private everyone knows what is answered.
    let private = Address {
        reply_to: Some(fake.user_says(ada, ADA, "3+3?").to_string()),
        ..address(ada)
    };
    send(&telegram(&fake), &private, &text("it is 6")).await.unwrap();
    assert_eq!(fake.sent(ada)[0].reply_to, None);
    let sent = fake.sent(group);
    assert_eq!(sent[0].message_id.to_string(), id);
    assert_eq!((sent[0].text.as_str(), sent[0].reply_to), ("it is 4", Some(question)));
    assert_eq!(
        (sent[1].text.as_str(), sent[1].reply_to),
        ("the question is gone", None)
    );
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

#[tokio::test]
async fn a_topic_gets_its_own_and_the_general_topic_too() {
    let fake = TelegramFake::start().await.unwrap();
    let forum = fake.forum(-1_001_000, "Engines");
    let topic = fake.topic(forum, "Steam");
    let telegram = telegram(&fake);
    send(&telegram, &address(topic), &text("steam")).await.unwrap();
    send(&telegram, &address(forum), &text("general")).await.unwrap();
    telegram.signal(&address(topic), &Signal::Typing).await.unwrap();
    assert_eq!(fake.sent(topic)[0].text, "steam");
    assert_eq!(fake.sent(forum)[0].text, "general");
    let typing = Action {
        chat: topic,
        action: "typing".to_owned(),
    };
    assert_eq!(fake.actions(topic), [typing]);
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

#[tokio::test]
async fn a_file_goes_out_as_a_document() {
    let fake = TelegramFake::start().await.unwrap();
    let forum = fake.forum(-1_001_000, "Engines");
    let topic = fake.topic(forum, "Steam");
    fake.user(ADA, "Ada");
    let question = fake.user_says(topic, ADA, "a long one, please");
    let part = Part::File {
        name: "answer.md".to_owned(),
        content: "# 42 ü".to_owned(),
        caption: "It is <long>".to_owned(),
        markup: Some("It is <b>&lt;long&gt;</b>".to_owned()),
    };
    let mut to = address(topic);
    to.reply_to = Some(question.to_string());
    send(&telegram(&fake), &to, &part).await.unwrap();
    let sent = &fake.sent(topic)[0];
    let expected = Document {
        name: "answer.md".to_owned(),
        content: "# 42 ü".as_bytes().to_vec(),
    };
    assert_eq!(sent.document, Some(expected));
    assert_eq!((sent.text.as_str(), sent.reply_to), ("It is <long>", Some(question)));
    assert_eq!(sent.parse_mode.as_deref(), Some("HTML"));
    assert_eq!(fake.violations(), NO_VIOLATIONS);
    // Markup that Telegram cannot read is left out.
    let part = Part::File {
        name: "answer.md".to_owned(),
        content: "42".to_owned(),
        caption: "It is 42".to_owned(),
        markup: Some("It is <b>42".to_owned()),
    };
    send(&telegram(&fake), &to, &part).await.unwrap();
    let sent = &fake.sent(topic)[1];
    assert_eq!((sent.text.as_str(), sent.parse_mode.as_deref()), ("It is 42", None));
}

#[tokio::test]
async fn markup_that_telegram_cannot_read_goes_out_plain() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    send(&telegram(&fake), &address(ada), &text("<b>never closed"))
        .await
        .unwrap();
    let sent = &fake.sent(ada)[0];
    assert_eq!((sent.text.as_str(), sent.parse_mode.as_deref()), ("plain", None));
    let expected =
        "SendMessage: Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"";
    assert_eq!(fake.violations(), [expected]);
}

#[tokio::test]
async fn refusals_say_what_becomes_of_the_part() {
    let fake = TelegramFake::start().await.unwrap();
    let (ada, bo) = (fake.user(ADA, "Ada"), fake.user(8, "Bo"));
    let group = fake.group(-55, "Boilers");
    let kicked = fake.supergroup(-1_001_000, "Engines");
    let stranger = Chat { id: 99, thread: None };
    fake.block(ADA);
    fake.deactivate(8);
    fake.kick(kicked, ADA);
    let new = fake.migrate(group, ADA);
    let telegram = telegram(&fake);
    assert_eq!(
        fail(&telegram, ada).await,
        "Gone(\"Forbidden: bot was blocked by the user\")"
    );
    assert_eq!(fail(&telegram, bo).await, "Gone(\"Forbidden: user is deactivated\")");
    assert_eq!(
        fail(&telegram, kicked).await,
        "Gone(\"Forbidden: bot was kicked from the supergroup chat\")"
    );
    assert_eq!(fail(&telegram, stranger).await, "Gone(\"Bad Request: chat not found\")");
    let deleted = Chat {
        id: new.id,
        thread: Some(5),
    };
    assert_eq!(
        fail(&telegram, deleted).await,
        "Gone(\"Bad Request: message thread not found\")"
    );
    let error = send(&telegram, &address(group), &text("x")).await.unwrap_err();
    assert!(matches!(error, SendError::Moved(to) if to == address(new)));
    let refusal = Fault::Refuse(
        400,
        "Bad Request: not enough rights to send text messages to the chat".to_owned(),
    );
    fake.fail_chat(new, Some(refusal));
    assert_eq!(
        fail(&telegram, new).await,
        "Barred(\"Bad Request: not enough rights to send text messages to the chat\")"
    );
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

#[tokio::test]
async fn what_may_have_arrived_is_failed_or_unreachable_and_shows_no_token() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let telegram = telegram(&fake);
    let start = Instant::now();
    let echo = format!("<html>POST /bot{}/</html>", fake.token());
    let internal = "Internal Server Error".to_owned();
    for (fault, means) in [
        (Fault::Server(502), "Failed("),
        (Fault::Refuse(500, internal), "Failed("),
        (Fault::Drop, "Unreachable("),
        (Fault::DropAfter, "Unreachable("),
        (Fault::Garbage, "Unreachable("),
        (Fault::Answer(200, echo), "Unreachable("),
    ] {
        for (method, part) in [(Method::SendMessage, text("x")), (Method::SendDocument, file())] {
            fake.fail_next(method, fault.clone());
            let error = fail_part(&telegram, ada, &part).await;
            assert!(error.starts_with(means), "{method} {fault:?}: {error}");
            assert!(!error.contains(fake.token()), "{method} {fault:?}: {error}");
        }
    }
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "a failing server is told at once"
    );
    assert_eq!(fake.sent(ada).len(), 2);
}

#[tokio::test]
async fn a_refusal_is_read_whatever_stands_beside_it() {
    let fake = TelegramFake::start().await.unwrap();
    let group = fake.group(-55, "Boilers");
    let day = 86_400;
    for (code, body, expected) in [
        (
            400,
            r#"{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat",
                "parameters":{"hologram":{},"migrate_to_chat_id":-1005}}"#,
            "Moved(Address { place: \"-1005\", private: false, reply_to: None, via: None })".to_owned(),
        ),
        (
            429,
            r#"{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 99999999999",
                "parameters":{"retry_after":99999999999}}"#,
            format!("RetryAfter({day}s)"),
        ),
        (
            429,
            r#"{"ok":false,"error_code":429,"description":"Too Many Requests"}"#,
            "RetryAfter(5s)".to_owned(),
        ),
        (
            400,
            r#"{"ok":false,"error_code":400,"description":{},"parameters":[1e999]}"#,
            "Rejected(\"error 400\")".to_owned(),
        ),
    ] {
        fake.fail_next(Method::SendDocument, Fault::Answer(code, body.to_owned()));
        // Each wait is the business of an adapter of its own.
        assert_eq!(fail_part(&telegram(&fake), group, &file()).await, expected, "{body}");
        // A text that is refused goes out plain.
        if !expected.starts_with("Rejected") {
            fake.fail_next(Method::SendMessage, Fault::Answer(code, body.to_owned()));
            assert_eq!(fail(&telegram(&fake), group).await, expected, "{body}");
        }
    }
}

#[tokio::test]
async fn what_telegram_took_has_arrived_whatever_it_tells_of_it() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let telegram = telegram(&fake);
    let file = file();
    let mut sent = 0;
    for (result, id) in [
        (json!({}), ""),
        (json!(true), ""),
        (json!(null), ""),
        (json!({"message_id": "seven"}), ""),
        (json!({"message_id": {"id": 7}}), ""),
        (json!({"message_id": "7"}), "7"),
        (json!({"message_id": 7, "chat": "odd"}), "7"),
    ] {
        for (method, part) in [(Method::SendMessage, &text("x")), (Method::SendDocument, &file)] {
            fake.fail_next(method, Fault::Result(result.clone()));
            assert_eq!(send(&telegram, &address(ada), part).await.unwrap(), id, "{result}");
            sent += 1;
            assert_eq!(fake.sent(ada).len(), sent, "{result}");
        }
        // Nobody needs what this tells.
        fake.fail_next(Method::SendChatAction, Fault::Result(result));
        telegram.probe(&address(ada)).await.unwrap();
    }
}

#[tokio::test]
async fn a_ban_is_obeyed_by_messages_and_typing() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let telegram = telegram(&fake);
    fake.fail_next(Method::SendMessage, Fault::TooMany(1));
    assert_eq!(fail(&telegram, ada).await, "RetryAfter(1s)");
    let banned = Instant::now();
    telegram.signal(&address(ada), &Signal::Typing).await.unwrap();
    assert_eq!(fake.actions(ada), []);
    send(&telegram, &address(ada), &text("at last")).await.unwrap();
    assert!(banned.elapsed() > Duration::from_millis(900));
    assert_eq!(fake.sent(ada)[0].text, "at last");
}

#[tokio::test]
async fn a_burst_goes_out_at_once_and_what_telegram_refuses_when_it_says() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let mut config = config(&fake);
    config.settings = TelegramSettings::default();
    let telegram = config.telegram();
    let to = address(ada);
    let parts = ["one", "two", "three"];
    for part in parts {
        send(&telegram, &to, &text(part)).await.unwrap();
    }
    let at: Vec<_> = fake.sent(ada).iter().map(|sent| sent.at).collect();
    assert!(at[2] - at[0] < Duration::from_secs(1), "{at:?}");
    // A server that takes one a second.
    fake.enforce_rates();
    for part in parts {
        while let Err(error) = send(&telegram, &to, &text(part)).await {
            assert!(matches!(error, SendError::RetryAfter(_)), "{error}");
        }
    }
    let sent: Vec<_> = fake.sent(ada).into_iter().map(|sent| sent.text).collect();
    assert_eq!(sent, [parts, parts].concat());
    assert_eq!(fake.early_by_rate(), 0);
    // It complains once, and is asked no faster from then on.
    assert_eq!(fake.refused_by_rate(), 1);
    assert_eq!(fake.violations(), NO_VIOLATIONS);
}

#[tokio::test]
async fn signals_that_telegram_has_no_sign_for_send_nothing() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    telegram(&fake).signal(&address(ada), &Signal::Done).await.unwrap();
    assert_eq!(fake.requests(), []);
}

#[tokio::test]
async fn a_probe_asks_telegram_however_much_is_typed() {
    let fake = TelegramFake::start().await.unwrap();
    let ada = fake.user(ADA, "Ada");
    let mut config = config(&fake);
    config.settings.rate_overall_per_second = 1;
    let telegram = config.telegram();
    let to = address(ada);
    // Until a second one within a second is not shown.
    loop {
        let before = fake.actions(ada).len();
        telegram.signal(&to, &Signal::Typing).await.unwrap();
        if fake.actions(ada).len() == before {
            break;
        }
    }
    fake.fail_chat(ada, Some(Fault::Server(500)));
    let probed = telegram.probe(&to).await;
    assert!(matches!(probed, Err(SendError::Failed(_))), "{probed:?}");
    fake.fail_chat(ada, None);
    let before = fake.actions(ada).len();
    telegram.probe(&to).await.unwrap();
    assert_eq!(fake.actions(ada).len(), before + 1);
}
