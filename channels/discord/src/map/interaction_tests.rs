use clifford_channel::{PlaceKind, Speaker};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;

fn place() -> Place {
    Place {
        platform: crate::PLATFORM,
        external_id: "645027906669510667".to_owned(),
        parent: None,
        kind: PlaceKind::Group,
        name: None,
        space: None,
    }
}

/// A slash command in a guild as the gateway sends it.
fn payload(name: &str, options: &Value) -> InteractionPayload {
    let payload = json!({
        "type": 2, "token": "A_UNIQUE_TOKEN", "version": 1, "id": "786008729715212338",
        "guild_id": "290926798626357999", "app_permissions": "442368", "guild_locale": "en-US", "locale": "pt-BR",
        "member": {"user": {"id": "53908232506183680", "username": "mason", "avatar": null, "discriminator": "0",
                "global_name": "Mason", "public_flags": 131_141},
            "roles": ["539082325061836999"], "premium_since": null, "permissions": "2147483647", "pending": false,
            "nick": null, "mute": false, "joined_at": "2017-03-13T19:19:14.040000+00:00", "is_pending": false,
            "deaf": false, "flags": 0, "avatar": null},
        "data": {"type": 1, "options": options, "name": name, "id": "771825006014889984"},
        "channel_id": "645027906669510667", "application_id": "845027738276462632", "entitlements": [],
        "channel": {"id": "645027906669510667", "type": 0, "name": "general", "permissions": "2147483647"},
        "authorizing_integration_owners": {"0": "290926798626357999"}, "context": 0,
        "attachment_size_limit": 10_485_760,
    });
    InteractionPayload::read(&payload.to_string()).unwrap()
}

fn mason() -> Speaker {
    Speaker {
        id: "53908232506183680".to_owned(),
        name: "Mason".to_owned(),
        handle: Some("mason".to_owned()),
        is_bot: false,
        language: Some("pt-BR".to_owned()),
        roles: None,
    }
}

fn sent_at() -> Timestamp {
    "2020-12-08T23:18:04.5Z".parse().unwrap()
}

#[test]
fn a_slash_command_is_a_command() {
    let text = |name: &str, value: &str| json!([{"type": 3, "name": name, "value": value}]);
    let cases = [
        ("new", text("name", " Trip to Rome "), "Trip to Rome"),
        ("switch", text("name", "Rome"), "Rome"),
        ("stop", json!([]), ""),
        (
            "other",
            json!([{"type": 4, "name": "n", "value": 3}, {"type": 5, "name": "b", "value": true}]),
            "3 true",
        ),
    ];
    for (name, options, argument) in cases {
        let via = Via::parse("1:2:3:t").unwrap();
        let expected = Command {
            place: place(),
            speaker: mason(),
            id: "786008729715212338".to_owned(),
            name: name.to_owned(),
            argument: argument.to_owned(),
            sent_at: sent_at(),
            via: Some("1:2:3:t".to_owned()),
            answered_alone: false,
            below: None,
        };
        assert_eq!(
            command(&payload(name, &options), place(), Some(&via)),
            Inbound::Command(expected)
        );
    }
}

#[test]
fn asking_is_a_message_that_speaks_to_the_bot() {
    let options = json!([{"type": 3, "name": "text", "value": "What is 6 * 7?"}]);
    let expected = Message {
        place: place(),
        speaker: mason(),
        id: "786008729715212338".to_owned(),
        text: "What is 6 * 7?".to_owned(),
        sent_at: sent_at(),
        reply_to: None,
        addressed: Addressed {
            mention: true,
            reply: false,
            in_thread: false,
        },
        attachments: Vec::new(),
        album: None,
        backfilled: false,
        via: Some("1:2:3:t".to_owned()),
        quoted: None,
    };
    let read = command(&payload("ask", &options), place(), Via::parse("1:2:3:t").as_ref());
    assert_eq!(read, Inbound::Message(expected));
}

#[test]
fn whatever_can_be_answered_is_read_to_be_acknowledged() {
    let asked = |kind| {
        Ok(Some(InteractionHeader {
            id: 7,
            token: "t".to_owned(),
            kind,
        }))
    };
    let cases = [
        (
            json!({"id": "7", "token": "t", "type": 2}),
            asked(InteractionKind::Command),
        ),
        (
            json!({"id": 7, "token": "t", "type": "3", "data": 5}),
            asked(InteractionKind::Press),
        ),
        (
            json!({"id": "7", "token": "t", "type": 4}),
            asked(InteractionKind::Typed),
        ),
        (json!({"id": "7", "token": "t", "type": 1}), Ok(None)),
        (json!({"type": []}), Ok(None)),
        (json!({"token": "t", "type": 2}), Err("it has no id".to_owned())),
        (
            json!({"id": "7", "token": [], "type": 2}),
            Err("it has no token".to_owned()),
        ),
    ];
    for (value, expected) in cases {
        assert_eq!(InteractionHeader::read(&value), expected, "{value}");
    }
}

#[test]
fn a_commands_file_comes_along() {
    let options =
        json!([{"type": 3, "name": "text", "value": "What is it?"}, {"type": 11, "name": "file", "value": "8"}]);
    let mut value = json!({
        "type": 2, "token": "t", "id": "786008729715212338", "channel_id": "645027906669510667",
        "application_id": "845027738276462632", "user": {"id": "7", "username": "ada"},
        "data": {"type": 1, "name": "ask", "id": "1", "options": options, "resolved": {"attachments": {"8": {
            "id": "8", "filename": "a.txt", "size": 3, "url": "https://cdn.example/a.txt"}}}},
    });
    value["member"] = json!(7);
    let Inbound::Message(read) = command(&InteractionPayload::read(&value.to_string()).unwrap(), place(), None) else {
        panic!("asking is a message");
    };
    let files: Vec<_> = read
        .attachments
        .iter()
        .map(|file| (file.id.as_str(), file.name.as_deref()))
        .collect();
    assert_eq!(
        (read.text.as_str(), files),
        ("What is it?", vec![("https://cdn.example/a.txt", Some("a.txt"))])
    );
}
