//! Real payloads, and their events.

use clifford_channel::{Place, PlaceKind, Space, Speaker};
use serde_json::{Value, json};
use teloxide::types::UserId;

use super::*;
use crate::{me::Me, read::inbound};

const GROUP: i64 = -1_001_555_296_434;

fn now() -> Timestamp {
    Timestamp::from_second(1_760_000_100).unwrap()
}

fn ada() -> Value {
    json!({"id": 7, "is_bot": false, "first_name": "Ada", "last_name": "Lovelace", "username": "ada", "language_code": "en"})
}

fn private() -> Value {
    json!({"id": 7, "first_name": "Ada", "last_name": "Lovelace", "username": "ada", "type": "private"})
}

fn forum() -> Value {
    json!({"id": GROUP, "title": "Engines", "type": "supergroup", "is_forum": true})
}

/// The bot's message that the button stands below, with some fields more.
fn below(chat: &Value, fields: &Value) -> Value {
    let mut message = json!({
        "message_id": 90, "date": 1_760_000_000, "chat": chat, "text": "1. Rome",
        "from": {"id": 123_456_789, "is_bot": true, "first_name": "Clifford", "username": "clifford_bot"},
        "entities": [{"type": "hologram", "offset": 0, "length": 1}],
        "reply_markup": {"inline_keyboard": [[{"text": "Rome", "callback_data": "switch 5"}]]},
    });
    for (name, value) in fields.as_object().unwrap() {
        message[name] = value.clone();
    }
    message
}

fn update(message: &Value, fields: &Value) -> String {
    let mut query = json!({
        "id": "4382bfdwdsb323b2d9", "from": ada(), "chat_instance": "-3499573041268", "data": "switch 5",
        "message": message,
    });
    for (name, value) in fields.as_object().unwrap() {
        query[name] = value.clone();
    }
    json!({"update_id": 1, "callback_query": query}).to_string()
}

fn read_update(raw: &str) -> Option<Inbound> {
    let me = Me {
        id: UserId(123_456_789),
        username: Some("clifford_bot".to_owned()),
        name: "@clifford_bot".to_owned(),
        takes_guests: true,
    };
    inbound(raw, &me, now())
}

fn pressed(place: Place, name: &str, argument: &str) -> Option<Inbound> {
    Some(Inbound::Command(Command {
        place,
        speaker: Speaker {
            id: "7".to_owned(),
            name: "Ada Lovelace".to_owned(),
            handle: Some("ada".to_owned()),
            is_bot: false,
            language: Some("en".to_owned()),
            roles: None,
        },
        id: "press:4382bfdwdsb323b2d9".to_owned(),
        name: name.to_owned(),
        argument: argument.to_owned(),
        sent_at: now(),
        via: None,
        answered_alone: false,
        below: None,
    }))
}

fn in_private() -> Place {
    Place {
        platform: crate::PLATFORM,
        external_id: "7".to_owned(),
        parent: None,
        kind: PlaceKind::Private,
        name: Some("Ada Lovelace".to_owned()),
        space: None,
    }
}

fn in_group(topic: Option<i32>) -> Place {
    Place {
        platform: crate::PLATFORM,
        external_id: topic.map_or_else(|| GROUP.to_string(), |topic| format!("{GROUP}:{topic}")),
        parent: topic.map(|_| GROUP.to_string()),
        kind: if topic.is_some() {
            PlaceKind::Thread
        } else {
            PlaceKind::Group
        },
        name: topic.is_none().then(|| "Engines".to_owned()),
        space: Some(Space {
            external_id: GROUP.to_string(),
            name: Some("Engines".to_owned()),
        }),
    }
}

#[test]
fn a_press_is_its_command_where_its_message_stands() {
    let none = json!({});
    let cases = [
        ("private", below(&private(), &none), in_private()),
        ("group", below(&forum(), &none), in_group(None)),
        (
            "topic",
            below(&forum(), &json!({"message_thread_id": 3, "is_topic_message": true})),
            in_group(Some(3)),
        ),
        (
            "a thread of replies",
            below(&forum(), &json!({"message_thread_id": 3})),
            in_group(None),
        ),
        (
            "too old",
            json!({"chat": private(), "message_id": 90, "date": 0}),
            in_private(),
        ),
        (
            "too old, in a group",
            json!({"chat": forum(), "message_id": 90, "date": 0}),
            in_group(None),
        ),
    ];
    for (name, message, place) in cases {
        let is_old = message["date"] == 0;
        let mut expected = pressed(place, "switch", "5");
        if let Some(Inbound::Command(command)) = &mut expected {
            command.below = is_old.then(|| "90".to_owned());
        }
        assert_eq!(read_update(&update(&message, &none)), expected, "{name}");
    }
    let all = update(&below(&private(), &none), &json!({"data": "forget all yes"}));
    assert_eq!(read_update(&all), pressed(in_private(), "forget", "all yes"));
}

#[test]
fn what_is_no_button_of_the_bots_is_nothing_and_yet_is_answered() {
    let message = below(&private(), &json!({}));
    let channel = json!({"id": -1_001_000_000_001_i64, "title": "News", "type": "channel"});
    for raw in [
        update(&message, &json!({"data": "{\"action\":\"buy\"}"})),
        update(&message, &json!({"data": ""})),
        update(&message, &json!({"data": null, "game_short_name": "chess"})),
        update(&Value::Null, &json!({"inline_message_id": "AAAA"})),
        update(&below(&channel, &json!({})), &json!({})),
    ] {
        assert_eq!(read_update(&raw), None, "{raw}");
        assert_eq!(query_id(&raw).as_deref(), Some("4382bfdwdsb323b2d9"), "{raw}");
    }
}

#[test]
fn a_press_that_cannot_be_read_is_kept_and_answered() {
    for (fields, id) in [
        (json!({"from": null}), Some("4382bfdwdsb323b2d9")),
        (json!({"from": null, "id": 5}), Some("5")),
        (json!({"data": []}), Some("4382bfdwdsb323b2d9")),
        (json!({"id": []}), None),
    ] {
        let raw = update(&below(&private(), &json!({})), &fields);
        let Some(Inbound::Unreadable(unreadable)) = read_update(&raw) else {
            panic!("{raw} was read");
        };
        assert!(
            unreadable
                .error
                .starts_with("a `callback_query` that could not be read: "),
            "{}",
            unreadable.error
        );
        assert_eq!((unreadable.payload, query_id(&raw).as_deref()), (raw, id));
    }
}

#[test]
fn a_message_that_speaks_of_presses_is_none() {
    let raw = json!({"update_id": 1, "message": {
        "message_id": 12, "from": ada(), "chat": private(), "date": 1_760_000_000, "text": "\"callback_query\""}})
    .to_string();
    assert_eq!(query_id(&raw), None);
    assert!(matches!(read_update(&raw), Some(Inbound::Message(_))));
}
