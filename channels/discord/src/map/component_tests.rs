use clifford_channel::{PlaceKind, Speaker};
use serde_json::{Value, json};

use super::*;

fn place() -> Place {
    Place {
        platform: crate::PLATFORM,
        external_id: "345626669114982402".to_owned(),
        parent: None,
        kind: PlaceKind::Group,
        name: None,
        space: None,
    }
}

fn user() -> Value {
    json!({"id": "53908232506183680", "username": "mason", "avatar": "a_d5efa99b3eeaa7dd43acca82f5692432",
        "discriminator": "0", "global_name": "Mason", "public_flags": 131_141})
}

/// A pressed button in a guild as the gateway sends it, with some fields replaced.
fn payload(fields: &Value) -> Value {
    let mut payload = json!({
        "version": 1, "type": 3, "token": "unique_interaction_token", "id": "846462639134605312",
        "message": {"type": 20, "tts": false, "timestamp": "2021-05-19T02:12:51.710000+00:00", "pinned": false,
            "mentions": [], "mention_roles": [], "mention_everyone": false, "id": "844397162624450620", "flags": 0,
            "embeds": [], "edited_timestamp": null, "content": "1. **Rome**", "channel_id": "345626669114982402",
            "components": [{"type": 1, "id": 1, "components": [{"type": 2, "id": 2, "style": 2, "label": "Rome",
                "custom_id": "switch 5"}]}, {"type": 99, "id": 3, "hologram": true}],
            "author": {"username": "clifford", "id": "845027738276462632", "bot": true, "discriminator": "0"}},
        "member": {"user": user(), "roles": ["290926798626357999"], "premium_since": null, "is_pending": false,
            "permissions": "17179869183", "pending": false, "nick": "Mason of Home", "mute": false, "deaf": false,
            "joined_at": "2017-03-13T19:19:14.040000+00:00", "avatar": null, "flags": 0},
        "guild_id": "290926798626357999", "guild_locale": "en-US", "locale": "pt-BR", "app_permissions": "442368",
        "data": {"custom_id": "switch 5", "component_type": 2, "id": 2},
        "channel_id": "345626669114982402", "application_id": "845027738276462632", "entitlements": [],
        "channel": {"id": "345626669114982402", "type": 0, "name": "general", "permissions": "2147483647"},
        "authorizing_integration_owners": {"0": "290926798626357999"}, "context": 0,
    });
    for (name, value) in fields.as_object().unwrap() {
        payload[name] = value.clone();
    }
    payload
}

fn read(payload: Value) -> Option<Inbound> {
    press(
        &InteractionPayload::read(&payload.to_string()).unwrap(),
        place(),
        Some("via".to_owned()),
    )
}

fn expected() -> Command {
    Command {
        place: place(),
        speaker: Speaker {
            id: "53908232506183680".to_owned(),
            name: "Mason of Home".to_owned(),
            handle: Some("mason".to_owned()),
            is_bot: false,
            language: Some("pt-BR".to_owned()),
            roles: None,
        },
        id: "846462639134605312".to_owned(),
        name: "switch".to_owned(),
        argument: "5".to_owned(),
        sent_at: "2021-05-24T19:00:19.685Z".parse().unwrap(),
        via: Some("via".to_owned()),
        answered_alone: false,
        below: None,
    }
}

#[test]
fn a_pressed_button_is_its_command() {
    let data = |custom_id: &str| json!({"data": {"custom_id": custom_id, "component_type": 2}});
    let forget = Command {
        name: "forget".to_owned(),
        argument: "all yes".to_owned(),
        ..expected()
    };
    let cases = [
        (json!({}), expected()),
        (data("forget all yes"), forget),
        (json!({"message": {"id": "1"}, "guild_locale": null}), expected()),
    ];
    for (fields, command) in cases {
        assert_eq!(read(payload(&fields)), Some(Inbound::Command(command)), "{fields}");
    }
    let mut direct = payload(&json!({"user": user(), "context": 1}));
    for name in ["guild_id", "member", "guild_locale"] {
        direct.as_object_mut().unwrap().remove(name);
    }
    let mut command = expected();
    command.speaker.name = "Mason".to_owned();
    assert_eq!(read(direct), Some(Inbound::Command(command)));
}

#[test]
fn a_button_that_is_none_of_the_bots_is_no_command() {
    for custom_id in ["", "{\"action\":\"buy\"}", "/switch 5", "switch@other 5"] {
        let data = json!({"data": {"custom_id": custom_id, "component_type": 2}});
        assert_eq!(read(payload(&data)), None, "{custom_id}");
    }
    assert_eq!(read(payload(&json!({"data": {}}))), None);
}

#[test]
fn a_press_that_cannot_be_read_is_an_error() {
    for (fields, error) in [
        (json!({"member": null}), "it names nobody who gave it"),
        (json!({"channel_id": null}), "it has no channel"),
        (json!({"id": "x"}), "it has no id"),
    ] {
        let read = InteractionPayload::read(&payload(&fields).to_string());
        assert_eq!(read.err().as_deref(), Some(error), "{fields}");
    }
}

#[test]
fn chosen_roles_are_the_words_of_their_command() {
    let chosen = json!({
        "custom_id": "@settings use_roles", "component_type": 6, "values": ["11", "12", "13"],
        "resolved": {"roles": {"11": {"id": "11", "name": "Staff"}, "12": {"id": "12", "name": "Cats, dogs"}}},
    });
    let picked = Command {
        name: "settings".to_owned(),
        argument: "use_roles Staff, 12, 13".to_owned(),
        ..expected()
    };
    assert_eq!(read(payload(&json!({"data": chosen}))), Some(Inbound::Command(picked)));
}
