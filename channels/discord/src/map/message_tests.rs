use clifford_channel::{Attachment, PlaceKind, Space, Speaker};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;

const ME: Me = Me {
    user: 1000,
    application: 1001,
    role: Some(1002),
};

fn place() -> Place {
    Place {
        platform: crate::PLATFORM,
        external_id: "290926798999357250".to_owned(),
        parent: None,
        kind: PlaceKind::Group,
        name: Some("general".to_owned()),
        space: Some(Space {
            external_id: "41771983423143937".to_owned(),
            name: Some("Home".to_owned()),
        }),
    }
}

/// A message in a guild's channel as the gateway sends it, with some fields replaced.
fn payload(fields: &Value) -> Value {
    let mut payload = json!({
        "type": 0, "tts": false, "timestamp": "2017-07-11T17:27:24.250000+00:00", "pinned": false, "nonce": "1183",
        "mentions": [], "mention_roles": [], "mention_everyone": false, "id": "334385199974967042",
        "member": {"roles": [], "mute": false, "joined_at": "2016-05-15T21:40:22.563000+00:00", "deaf": false,
            "nick": "Mason of Home", "flags": 0, "pending": false, "premium_since": null, "banner": null,
            "avatar": null, "communication_disabled_until": null},
        "flags": 0, "embeds": [], "edited_timestamp": null, "content": "Supa Hot", "components": [],
        "channel_id": "290926798999357250", "channel_type": 0, "guild_id": "41771983423143937",
        "author": {"username": "mason", "public_flags": 131_328, "id": "53908099506183680", "global_name": "Mason",
            "discriminator": "0", "avatar": "a_bab14f271d565501444b2ca3be944b25", "primary_guild": null,
            "display_name_styles": null, "collectibles": null, "clan": null, "avatar_decoration_data": null},
        "attachments": [],
    });
    for (name, value) in fields.as_object().unwrap() {
        payload[name] = value.clone();
    }
    payload
}

fn read(fields: &Value) -> Option<Message> {
    let payload = Payload::read(&payload(fields).to_string()).unwrap();
    message(
        &payload,
        ME,
        place(),
        &|named| matches!(named, Named::Origin(5) | Named::Channel(5)).then(|| "random".to_owned()),
        false,
    )
}

fn mason() -> Speaker {
    Speaker {
        id: "53908099506183680".to_owned(),
        name: "Mason of Home".to_owned(),
        handle: Some("mason".to_owned()),
        is_bot: false,
        language: None,
        roles: None,
    }
}

fn expected() -> Message {
    Message {
        place: place(),
        speaker: mason(),
        id: "334385199974967042".to_owned(),
        text: "Supa Hot".to_owned(),
        sent_at: "2017-07-11T17:27:24.25Z".parse::<Timestamp>().unwrap(),
        reply_to: None,
        addressed: Addressed::default(),
        attachments: Vec::new(),
        album: None,
        backfilled: false,
        via: None,
        quoted: None,
    }
}

/// Ada's message that is replied to.
fn quoted() -> Quoted {
    Quoted {
        id: Some("334385199974967041".to_owned()),
        is_own: false,
        author_id: Some("7".to_owned()),
        author: "ada".to_owned(),
        text: "Supa Hot".to_owned(),
        is_part: false,
        attachments: Vec::new(),
    }
}

fn bot() -> Value {
    json!({"id": "1000", "username": "clifford", "global_name": null, "bot": true, "discriminator": "0"})
}

fn answered(author: &Value) -> Value {
    json!({
        "type": 19, "content": "yes?", "mentions": [author],
        "message_reference": {"type": 0, "message_id": "334385199974967041", "channel_id": "290926798999357250"},
        "referenced_message": payload(&json!({"id": "334385199974967041", "author": author})),
    })
}

#[test]
fn a_message_is_read() {
    let mentioned = Addressed {
        mention: true,
        reply: false,
        in_thread: false,
    };
    let reply_to = Some("334385199974967041".to_owned());
    let cases = [
        ("plain", json!({}), expected()),
        (
            "mentions the bot",
            json!({"content": "<@1000> hot?", "mentions": [bot()]}),
            Message {
                text: "hot?".to_owned(),
                addressed: mentioned,
                ..expected()
            },
        ),
        (
            "mentions a role, everyone, a channel",
            json!({"content": "<@&1000> @everyone <#5>", "mention_roles": ["1000"], "mention_everyone": true}),
            Message {
                text: "<@&1000> @everyone #random".to_owned(),
                ..expected()
            },
        ),
        (
            "answers the bot",
            answered(&bot()),
            Message {
                text: "yes?".to_owned(),
                reply_to: reply_to.clone(),
                addressed: Addressed {
                    mention: false,
                    reply: true,
                    in_thread: false,
                },
                quoted: Some(Quoted {
                    is_own: true,
                    author_id: Some("1000".to_owned()),
                    author: "clifford".to_owned(),
                    ..quoted()
                }),
                ..expected()
            },
        ),
        (
            "answers somebody",
            answered(&json!({"id": "7", "username": "ada", "discriminator": "0"})),
            Message {
                text: "yes?".to_owned(),
                reply_to: reply_to.clone(),
                quoted: Some(quoted()),
                ..expected()
            },
        ),
        (
            "answers the beginning of a thread",
            json!({"type": 19, "referenced_message": {"id": "334385199974967041", "type": 21, "content": ""},
                "message_reference": {"type": 0, "message_id": "334385199974967041", "channel_id": "290926798999357250"}}),
            Message {
                reply_to: reply_to.clone(),
                ..expected()
            },
        ),
        (
            "answers a deleted message",
            json!({"type": 19, "referenced_message": null, "message_reference":
                {"type": 0, "message_id": "334385199974967041", "channel_id": "290926798999357250"}}),
            Message {
                reply_to,
                quoted: Some(Quoted {
                    id: Some("334385199974967041".to_owned()),
                    ..Quoted::default()
                }),
                ..expected()
            },
        ),
        (
            "a bot",
            json!({"author": {"id": "8", "username": "other", "bot": true, "discriminator": "0"}, "member": null}),
            Message {
                speaker: Speaker {
                    id: "8".to_owned(),
                    name: "other".to_owned(),
                    handle: Some("other".to_owned()),
                    is_bot: true,
                    language: None,
                    roles: None,
                },
                ..expected()
            },
        ),
        (
            "a webhook",
            json!({"webhook_id": "9", "author": {"id": "9", "username": "hook", "discriminator": "0000"}, "member": null}),
            Message {
                speaker: Speaker {
                    id: "9".to_owned(),
                    name: "hook".to_owned(),
                    handle: Some("hook".to_owned()),
                    is_bot: true,
                    language: None,
                    roles: None,
                },
                ..expected()
            },
        ),
        (
            "a picture and a voice message",
            json!({"content": "", "attachments": [
                {"id": "1", "filename": "cat.png", "size": 10, "url": "https://cdn.example/cat.png?ex=1",
                    "proxy_url": "https://media.example/cat.png", "content_type": "image/png", "width": 1, "height": 1},
                {"id": "2", "filename": "voice.ogg", "size": 20, "url": "https://cdn.example/voice.ogg",
                    "proxy_url": "https://media.example/voice.ogg", "content_type": "audio/ogg",
                    "duration_secs": 1.5, "waveform": "AAAA"}]}),
            Message {
                text: String::new(),
                attachments: vec![
                    file("photo", "https://cdn.example/cat.png?ex=1", "cat.png", "image/png", 10),
                    Attachment {
                        seconds: Some(2),
                        ..file("voice", "https://cdn.example/voice.ogg", "voice.ogg", "audio/ogg", 20)
                    },
                ],
                ..expected()
            },
        ),
    ];
    for (name, fields, expected) in cases {
        assert_eq!(read(&fields), Some(expected), "{name}");
    }
}

fn file(kind: &str, id: &str, name: &str, media_type: &str, size: u64) -> Attachment {
    Attachment {
        kind: kind.to_owned(),
        id: id.to_owned(),
        name: Some(name.to_owned()),
        media_type: Some(media_type.to_owned()),
        size: Some(size),
        seconds: None,
    }
}

#[test]
fn notices_and_the_bots_own_messages_are_none() {
    let mut cases: Vec<Value> = [1, 3, 6, 7, 8, 12, 18, 21, 24, 46, 200]
        .map(|kind| json!({"type": kind}))
        .to_vec();
    cases.push(json!({"author": bot(), "member": null}));
    cases.push(json!({"application_id": "1001", "webhook_id": "1001", "type": 20, "flags": 128, "content": ""}));
    for fields in cases {
        assert_eq!(read(&fields), None, "{fields}");
    }
}

#[test]
fn a_direct_message_has_no_nickname() {
    let mut payload = payload(&json!({"channel_type": 1}));
    let fields = payload.as_object_mut().unwrap();
    fields.remove("guild_id");
    fields.remove("member");
    let payload = Payload::read(&payload.to_string()).unwrap();
    let speaker = Speaker {
        name: "Mason".to_owned(),
        ..mason()
    };
    let read = message(&payload, ME, place(), &|_| None, true);
    assert_eq!(
        read,
        Some(Message {
            speaker,
            backfilled: true,
            ..expected()
        })
    );
}

#[test]
fn only_an_edit_by_its_author_is_an_edit() {
    let edited = json!({"content": "Supa Cold <@1000>", "edited_timestamp": "2017-07-11T17:28:07.299000+00:00"});
    let own = json!({"author": bot(), "edited_timestamp": "2017-07-11T17:28:07.299000+00:00", "member": null});
    let preview = json!({"embeds": [{"type": "link", "url": "https://example.org"}]});
    let expected = Edit {
        place: place(),
        speaker: mason(),
        id: "334385199974967042".to_owned(),
        text: "Supa Cold".to_owned(),
    };
    for (fields, expected) in [(edited, Some(expected)), (own, None), (preview, None)] {
        let update = Payload::read_change(&payload(&fields).to_string()).unwrap();
        assert_eq!(edit(&update, ME, place(), &|_| None), expected, "{fields}");
    }
    let embeds_only = json!({"id": "334385199974967042", "channel_id": "290926798999357250", "embeds": []});
    let update = Payload::read_change(&embeds_only.to_string()).unwrap();
    assert_eq!(edit(&update, ME, place(), &|_| None), None);
}

#[test]
fn nothing_that_came_with_a_message_is_lost() {
    let snapshot = json!({"message": {"content": "see <@7>", "mentions": [{"id": "7", "username": "ada"}],
        "embeds": [{"title": "A title", "description": "its text"}],
        "attachments": [{"id": "1", "filename": "a.txt", "size": 3, "url": "https://cdn.example/a.txt"}]}});
    let reference = json!({"type": 1, "message_id": "9", "channel_id": "5"});
    let cases = [
        (
            json!({"content": "", "message_reference": reference, "message_snapshots": [snapshot]}),
            "[forwarded] (from #random) see @ada\nA title\nits text",
            vec![("document", "https://cdn.example/a.txt", Some("a.txt"))],
        ),
        (
            json!({"content": "look", "sticker_items": [{"id": "3", "name": "Wave", "format_type": 1}]}),
            "look",
            vec![("sticker", "", Some("Wave"))],
        ),
        (
            json!({"content": "see", "attachments": [{"id": "1", "filename": "cat.png", "size": 3, "content_type": "image/png",
                "url": "https://cdn.example/cat.png", "description": "A cat on a mat"}]}),
            "see\n(cat.png: A cat on a mat)",
            vec![("photo", "https://cdn.example/cat.png", Some("cat.png"))],
        ),
        (
            json!({"content": "", "activity": {"type": 1, "party_id": "p"}, "application": {"id": "9", "name": "Chess"}}),
            "",
            vec![("activity", "", Some("Chess"))],
        ),
        (
            json!({"content": "", "poll": {"question": {"text": "Which?"}, "answers": [
                {"poll_media": {"emoji": {"id": null, "name": "🍵"}, "text": "tea"}}, {"poll_media": {"emoji": {"name": "☕"}}},
                {"poll_media": {}}]}}),
            "",
            vec![("poll", "", Some("Which? — 🍵 tea / ☕"))],
        ),
        (
            json!({"content": "", "poll": {"question": {"text": "Tea?"}, "answers": [
                {"answer_id": 1, "poll_media": {"text": "yes"}}, {"answer_id": 2, "poll_media": {"text": "no"}}],
                "expiry": null, "allow_multiselect": false, "layout_type": 1}}),
            "",
            vec![("poll", "", Some("Tea? — yes / no"))],
        ),
    ];
    for (fields, text, attachments) in cases {
        let read = read(&fields).unwrap();
        let files: Vec<_> = read
            .attachments
            .iter()
            .map(|file| (file.kind.as_str(), file.id.as_str(), file.name.as_deref()))
            .collect();
        assert_eq!((read.text.as_str(), files), (text, attachments), "{fields}");
        assert!(read.attachments.iter().all(|file| file.is_file() != file.id.is_empty()));
    }
}

/// A message with everything that may be odd: an answer with a file, a mention and a member.
fn rich() -> Value {
    let mut rich = payload(&answered(&json!({"id": "7", "username": "ada", "discriminator": "0"})));
    rich["content"] = json!("<@1000> hot?");
    rich["mentions"] = json!([bot()]);
    rich["attachments"] = json!([{"id": "1", "filename": "cat.png", "size": 10, "url": "https://cdn.example/cat.png",
        "proxy_url": "https://media.example/cat.png", "content_type": "image/png", "width": 1, "height": 1}]);
    rich
}

/// Every place within a value, by its path.
fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (format!("{at}/{name}"), value))
            .collect(),
        Value::Array(values) => values
            .iter()
            .enumerate()
            .map(|(n, value)| (format!("{at}/{n}"), value))
            .collect(),
        _ => return,
    };
    for (path, value) in members {
        paths(value, &path, found);
        found.push(path);
    }
}

#[test]
fn one_odd_field_loses_no_message() {
    let mut all = Vec::new();
    paths(&rich(), "", &mut all);
    assert!(all.len() > 60, "{all:?}");
    let odd = [
        json!(null),
        json!("0"),
        json!(-7),
        json!({"a": 1}),
        json!([[]]),
        json!(true),
    ];
    for path in all {
        for odd in &odd {
            let mut payload = rich();
            *payload.pointer_mut(&path).unwrap() = odd.clone();
            let is_needed = ["/id", "/channel_id", "/author", "/author/id"].contains(&path.as_str());
            match Payload::read(&payload.to_string()) {
                Ok(payload) => {
                    let read = message(&payload, ME, place(), &|_| None, false);
                    // One of its own, and a notice, are none.
                    assert!(read.is_some() || path == "/type", "{path} = {odd}");
                }
                Err(error) => assert!(is_needed, "{path} = {odd}: {error}"),
            }
        }
    }
    for path in [
        "/member",
        "/mentions",
        "/flags",
        "/timestamp",
        "/author/global_name",
        "/author/public_flags",
    ] {
        let mut payload = rich();
        let (parent, name) = path.rsplit_once('/').unwrap();
        payload
            .pointer_mut(parent)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .remove(name);
        let payload = Payload::read(&payload.to_string()).unwrap();
        assert!(message(&payload, ME, place(), &|_| None, false).is_some(), "{path}");
    }
}
