//! Real payloads, and their events. This file is long because it holds one of every kind.

use clifford_channel::{
    Addressed, Attachment, Command, Edit, Left, Message as Said, Moved, Place, PlaceKind, Quoted, Space, Speaker,
};
use jiff::Timestamp;
use serde_json::json;
use teloxide::types::UserId;

use super::*;

mod addressees;
mod media;
mod topics;

const GROUP: i64 = -1_001_555_296_434;

fn me() -> Me {
    Me {
        id: UserId(123_456_789),
        username: Some("clifford_bot".to_owned()),
        name: "@clifford_bot".to_owned(),
        takes_guests: true,
    }
}

fn bot() -> Value {
    json!({"id": 123_456_789, "is_bot": true, "first_name": "Clifford", "username": "clifford_bot"})
}

fn ada() -> Value {
    json!({"id": 7, "is_bot": false, "first_name": "Ada", "last_name": "Lovelace", "username": "ada", "language_code": "en"})
}

fn group() -> Value {
    json!({"id": GROUP, "title": "Engines", "type": "supergroup", "is_forum": true})
}

/// A message of Ada's, in private unless `fields` say something else.
fn message(fields: &Value) -> Value {
    let mut message = json!({
        "message_id": 12,
        "from": ada(),
        "chat": {"id": 7, "first_name": "Ada", "last_name": "Lovelace", "username": "ada", "type": "private"},
        "date": 1_760_000_000,
    });
    for (name, value) in fields.as_object().unwrap() {
        message[name] = value.clone();
    }
    message
}

fn read(kind: &str, payload: &Value) -> Option<Inbound> {
    inbound(
        &json!({"update_id": 1, kind: payload}).to_string(),
        &me(),
        Timestamp::UNIX_EPOCH,
    )
}

fn say(fields: &Value) -> Option<Inbound> {
    read("message", &message(fields))
}

fn speaker() -> Speaker {
    Speaker {
        id: "7".to_owned(),
        name: "Ada Lovelace".to_owned(),
        handle: Some("ada".to_owned()),
        is_bot: false,
        language: Some("en".to_owned()),
        roles: None,
    }
}

fn private() -> Place {
    Place {
        platform: crate::PLATFORM,
        external_id: "7".to_owned(),
        parent: None,
        kind: PlaceKind::Private,
        name: Some("Ada Lovelace".to_owned()),
        space: None,
    }
}

fn engines() -> Place {
    Place {
        platform: crate::PLATFORM,
        external_id: GROUP.to_string(),
        parent: None,
        kind: PlaceKind::Group,
        name: Some("Engines".to_owned()),
        space: Some(Space {
            external_id: GROUP.to_string(),
            name: Some("Engines".to_owned()),
        }),
    }
}

fn topic(name: Option<&str>) -> Place {
    Place {
        external_id: format!("{GROUP}:3"),
        parent: Some(GROUP.to_string()),
        kind: PlaceKind::Thread,
        name: name.map(str::to_owned),
        ..engines()
    }
}

fn sent_at() -> Timestamp {
    Timestamp::from_second(1_760_000_000).unwrap()
}

fn said(text: &str) -> Said {
    Said {
        place: private(),
        speaker: speaker(),
        id: "12".to_owned(),
        text: text.to_owned(),
        sent_at: sent_at(),
        reply_to: None,
        addressed: Addressed::default(),
        attachments: Vec::new(),
        album: None,
        backfilled: false,
        via: None,
        quoted: None,
    }
}

/// The text of message 11.
fn quoted(from: &Value, text: &str) -> Quoted {
    let name = ["first_name", "last_name"].map(|name| from[name].as_str().unwrap_or_default());
    Quoted {
        id: Some("11".to_owned()),
        is_own: false,
        author_id: Some(from["id"].to_string()),
        author: name.join(" ").trim().to_owned(),
        text: text.to_owned(),
        is_part: false,
        attachments: Vec::new(),
    }
}

fn said_in(place: Place, text: &str) -> Said {
    Said { place, ..said(text) }
}

const MENTION: Addressed = Addressed {
    mention: true,
    reply: false,
    in_thread: false,
};
const REPLY: Addressed = Addressed {
    mention: false,
    reply: true,
    in_thread: false,
};

#[test]
fn a_private_message_is_read() {
    assert_eq!(say(&json!({"text": "hello"})), Some(Inbound::Message(said("hello"))));
}

#[test]
fn a_group_message_names_its_space_and_whether_the_bot_is_meant() {
    let mention = |offset: usize| json!([{"type": "mention", "offset": offset, "length": 13}]);
    let plain = json!({"chat": group(), "text": "hello all"});
    assert_eq!(say(&plain), Some(Inbound::Message(said_in(engines(), "hello all"))));

    let mentioned = json!({"chat": group(), "text": "😀 @clifford_bot hello", "entities": mention(3)});
    let expected = Said {
        addressed: MENTION,
        ..said_in(engines(), "😀 hello")
    };
    assert_eq!(say(&mentioned), Some(Inbound::Message(expected)));

    let by_name = json!([{"type": "text_mention", "offset": 0, "length": 8, "user": bot()}]);
    let mentioned = json!({"chat": group(), "text": "Clifford hello", "entities": by_name});
    let expected = Said {
        addressed: MENTION,
        ..said_in(engines(), "hello")
    };
    assert_eq!(say(&mentioned), Some(Inbound::Message(expected)));
}

#[test]
fn a_mention_in_a_caption_counts() {
    let photo = json!([
        {"file_id": "small", "file_unique_id": "s", "width": 90, "height": 60, "file_size": 1253},
        {"file_id": "large", "file_unique_id": "l", "width": 1280, "height": 853, "file_size": 98123},
    ]);
    let payload = json!({
        "chat": group(),
        "photo": photo,
        "caption": "@clifford_bot what is this?",
        "caption_entities": [{"type": "mention", "offset": 0, "length": 13}],
        "media_group_id": "13379",
    });
    let expected = Said {
        addressed: MENTION,
        attachments: vec![Attachment {
            kind: "photo".to_owned(),
            id: "large".to_owned(),
            name: None,
            media_type: Some("image/jpeg".to_owned()),
            size: Some(98123),
            seconds: None,
        }],
        album: Some("13379".to_owned()),
        ..said_in(engines(), "what is this?")
    };
    assert_eq!(say(&payload), Some(Inbound::Message(expected)));
}

#[test]
fn an_answer_to_the_bot_speaks_to_it_and_one_to_others_does_not() {
    let answered =
        |from: Value| json!({"message_id": 11, "from": from, "chat": group(), "date": 1_760_000_000, "text": "x"});
    for (from, addressed) in [(bot(), REPLY), (ada(), Addressed::default())] {
        let payload = json!({"chat": group(), "text": "why?", "reply_to_message": answered(from.clone())});
        let expected = Said {
            reply_to: Some("11".to_owned()),
            addressed,
            quoted: Some(Quoted {
                is_own: addressed.reply,
                ..quoted(&from, "x")
            }),
            ..said_in(engines(), "why?")
        };
        assert_eq!(say(&payload), Some(Inbound::Message(expected)));
    }
}

#[test]
fn commands_are_read_if_they_are_for_this_bot() {
    let command = |text: &str| {
        let entities = json!([{"type": "bot_command", "offset": 0, "length": text.split(' ').next().unwrap().len()}]);
        say(&json!({"text": text, "entities": entities}))
    };
    for text in [
        "/New Trip to Rome",
        "/new@clifford_bot Trip to Rome",
        "/new@Clifford_Bot  Trip to Rome ",
    ] {
        let expected = Command {
            place: private(),
            speaker: speaker(),
            id: "12".to_owned(),
            name: "new".to_owned(),
            argument: "Trip to Rome".to_owned(),
            sent_at: sent_at(),
            via: None,
            answered_alone: false,
            below: None,
        };
        assert_eq!(command(text), Some(Inbound::Command(expected)), "{text}");
    }
    let other = "/new@other_bot x";
    assert_eq!(command(other), Some(Inbound::Message(said(other))));
}

#[test]
fn asking_by_command_is_a_message_with_all_that_came_with_it() {
    let bob = json!({"id": 8, "is_bot": false, "first_name": "Bob"});
    let answered = json!({
        "message_id": 11, "from": bob, "chat": group(), "date": 1_760_000_000, "text": "The rocket launches at noon",
    });
    let photo = json!([{"file_id": "P", "file_unique_id": "p", "width": 90, "height": 60}]);
    let file = Attachment {
        kind: "photo".to_owned(),
        id: "P".to_owned(),
        name: None,
        media_type: Some("image/jpeg".to_owned()),
        size: None,
        seconds: None,
    };
    let asked = |text: &str| Said {
        addressed: MENTION,
        ..said_in(engines(), text)
    };
    let answering = |text: &str| Said {
        reply_to: Some("11".to_owned()),
        quoted: Some(quoted(&bob, "The rocket launches at noon")),
        ..asked(text)
    };
    let showing = |text: &str| Said {
        attachments: vec![file.clone()],
        ..asked(text)
    };
    let cases = [
        (
            json!({"text": "/ask@clifford_bot when is it?", "reply_to_message": answered}),
            answering("when is it?"),
        ),
        (json!({"text": "/Ask", "reply_to_message": answered}), answering("")),
        (json!({"text": "@clifford_bot /ask when?"}), asked("when?")),
        (
            json!({"photo": photo, "caption": "/ask what is it?"}),
            showing("what is it?"),
        ),
        (json!({"photo": photo, "caption": "/ask@clifford_bot"}), showing("")),
        (
            json!({"photo": photo, "caption": "/ask which?", "media_group_id": 13_379}),
            Said {
                album: Some("13379".to_owned()),
                ..showing("which?")
            },
        ),
    ];
    for (mut fields, expected) in cases {
        fields["chat"] = group();
        let text = fields["text"].as_str().unwrap_or_default().to_owned();
        if text.starts_with('@') {
            fields["entities"] = json!([{"type": "mention", "offset": 0, "length": 13}]);
        }
        assert_eq!(say(&fields), Some(Inbound::Message(expected)), "{fields}");
    }
    // Another bot's, and what somebody else wrote.
    for (fields, text) in [
        (
            json!({"photo": photo, "caption": "/ask@other_bot x"}),
            "/ask@other_bot x",
        ),
        (
            json!({"photo": photo, "caption": "/ask x", "via_bot": bot()}),
            "[by an inline bot] /ask x",
        ),
        (
            json!({"text": "/ask x", "forward_origin": {"type": "hologram"}}),
            "[forwarded] /ask x",
        ),
    ] {
        let Some(Inbound::Message(said)) = say(&fields) else {
            panic!("{fields} is a message");
        };
        assert_eq!((said.text.as_str(), said.addressed.mention), (text, false), "{fields}");
    }
    assert!(matches!(say(&json!({"text": "/ask"})), Some(Inbound::Command(_))));
    // Another command is one in a caption as well.
    for fields in [
        json!({"text": "/new x"}),
        json!({"photo": photo, "caption": "/new x", "caption_entities": [{"type": "bot_command", "offset": 0, "length": 4}]}),
        json!({"photo": photo, "caption": "/new@clifford_bot x"}),
    ] {
        let Some(Inbound::Command(given)) = say(&fields) else {
            panic!("{fields} is a command");
        };
        assert_eq!((given.name.as_str(), given.argument.as_str()), ("new", "x"), "{fields}");
    }
}

#[test]
fn an_edit_of_a_question_is_the_question() {
    for (fields, expected) in [
        (json!({"text": "/ask@clifford_bot when then?"}), "when then?"),
        (json!({"caption": "/ask when then?", "photo": []}), "when then?"),
        (json!({"text": "/ask@other_bot when?"}), "/ask@other_bot when?"),
        (json!({"text": "/note when?"}), "/note when?"),
    ] {
        let Some(Inbound::Edit(edit)) = read("edited_message", &message(&fields)) else {
            panic!("{fields} is an edit");
        };
        assert_eq!(edit.text, expected);
    }
}

#[test]
fn an_edit_carries_the_new_text() {
    let edited = message(&json!({"text": "hello!", "edit_date": 1_760_000_010}));
    let expected = Edit {
        place: private(),
        speaker: speaker(),
        id: "12".to_owned(),
        text: "hello!".to_owned(),
    };
    let mut of_another = edited.clone();
    of_another["via_bot"] = json!({"id": 99, "is_bot": true, "first_name": "Gif", "username": "gif"});
    let rewritten = Edit {
        text: "[by an inline bot] hello!".to_owned(),
        ..expected.clone()
    };
    let mut forwarded = message(&json!({"text": "/ask hello!", "edit_date": 1_760_000_010}));
    forwarded["forward_origin"] = json!({"type": "hidden_user", "sender_user_name": "Eve", "date": 1});
    let changed = Edit {
        text: "[forwarded] (from Eve) /ask hello!".to_owned(),
        ..expected.clone()
    };
    assert_eq!(read("edited_message", &edited), Some(Inbound::Edit(expected)));
    assert_eq!(read("edited_message", &of_another), Some(Inbound::Edit(rewritten)));
    assert_eq!(read("edited_message", &forwarded), Some(Inbound::Edit(changed)));
    let moved = message(&json!({"location": {"latitude": 1.5, "longitude": 2.0}, "edit_date": 1_760_000_010}));
    assert_eq!(read("edited_message", &moved), None);
}

#[test]
fn files_and_places_are_noted_as_metadata() {
    let file = |extra: Value| {
        let mut file = json!({"file_id": "F", "file_unique_id": "U", "file_size": 10});
        for (name, value) in extra.as_object().unwrap() {
            file[name] = value.clone();
        }
        file
    };
    let attachment =
        |kind: &str, id: &str, name: Option<&str>, media_type: Option<&str>, size: Option<u64>| Attachment {
            kind: kind.to_owned(),
            id: id.to_owned(),
            name: name.map(str::to_owned),
            media_type: media_type.map(str::to_owned),
            size,
            // As the files below say.
            seconds: matches!(kind, "voice" | "video" | "audio").then_some(3),
        };
    let cases = [
        (
            json!({"voice": file(json!({"duration": 3, "mime_type": "audio/ogg"}))}),
            attachment("voice", "F", None, Some("audio/ogg"), Some(10)),
        ),
        (
            json!({"document": file(json!({"file_name": "a.pdf", "mime_type": "application/pdf"}))}),
            attachment("document", "F", Some("a.pdf"), Some("application/pdf"), Some(10)),
        ),
        (
            json!({"video": file(json!({"duration": 3, "width": 1, "height": 1}))}),
            attachment("video", "F", None, None, Some(10)),
        ),
        (
            json!({"video": file(json!({"duration": 3, "width": 1, "height": 1, "file_size": 5_000_000_000_u64}))}),
            attachment("video", "F", None, None, Some(5_000_000_000)),
        ),
        (
            json!({"audio": file(json!({"duration": 3, "title": "Song"}))}),
            attachment("audio", "F", Some("Song"), None, Some(10)),
        ),
        (
            json!({"location": {"latitude": 52.5, "longitude": 13.25}}),
            attachment("location", "52.5, 13.25", Some("52.5, 13.25"), None, None),
        ),
        (
            json!({"contact": {"phone_number": "+49 1", "first_name": "Bo"}}),
            attachment("contact", "+49 1", Some("Bo, +49 1"), None, None),
        ),
        (
            json!({"venue": {"location": {"latitude": 1.5, "longitude": -2}, "title": "Steam Works", "address": "1 Mill Lane"},
                "location": {"latitude": 1.5, "longitude": -2}}),
            attachment(
                "venue",
                "1.5, -2",
                Some("Steam Works, 1 Mill Lane, 1.5, -2"),
                None,
                None,
            ),
        ),
        (
            json!({"poll": {"id": "55", "question": "Tea?", "options": [{"text": "yes", "voter_count": 0}, {"text": "no", "voter_count": 1}]}}),
            attachment("poll", "55", Some("Tea? — yes / no"), None, None),
        ),
        (
            json!({"dice": {"emoji": "🎲", "value": 4}}),
            attachment("dice", "", Some("🎲 4"), None, None),
        ),
        (
            json!({"sticker": file(json!({"width": 1, "height": 1, "emoji": "👋", "type": "regular"}))}),
            attachment("sticker", "F", Some("👋"), None, Some(10)),
        ),
        (
            json!({"game": {"title": "Chess", "description": "With pieces", "photo": []}}),
            attachment("game", "", Some("Chess — With pieces"), None, None),
        ),
        (
            json!({"invoice": {"title": "Tea", "description": "A cup", "start_parameter": "", "currency": "EUR", "total_amount": 250}}),
            attachment(
                "invoice",
                "",
                Some("Tea — A cup — 250 of the smallest units of EUR"),
                None,
                None,
            ),
        ),
        (
            json!({"checklist": {"title": "Trip", "tasks": [{"id": 1, "text": "pack"}, {"id": 2, "text": "go", "completed_by_user": ada()}]}}),
            attachment("checklist", "", Some("Trip: [ ] pack [x] go"), None, None),
        ),
        (
            json!({"story": {"id": 3, "chat": group()}}),
            attachment("story", "3", None, None, None),
        ),
    ];
    for (fields, expected) in cases {
        let expected = Said {
            attachments: vec![expected],
            ..said("")
        };
        assert_eq!(say(&fields), Some(Inbound::Message(expected)), "{fields}");
    }
}

#[test]
fn a_group_that_becomes_a_supergroup_moves_whichever_of_both_chats_says_so() {
    let chat = json!({"id": -55, "title": "Engines", "type": "group"});
    let expected = Moved {
        platform: crate::PLATFORM,
        from: "-55".to_owned(),
        to: GROUP.to_string(),
    };
    let to = json!({"chat": chat, "migrate_to_chat_id": GROUP});
    assert_eq!(say(&to), Some(Inbound::Moved(expected.clone())));
    let from = json!({"chat": group(), "migrate_from_chat_id": -55});
    assert_eq!(say(&from), Some(Inbound::Moved(expected)));
}

#[test]
fn being_blocked_or_removed_is_told() {
    let change = |chat: Value, status: Value| {
        let mut new = json!({"user": bot()});
        for (name, value) in status.as_object().unwrap() {
            new[name] = value.clone();
        }
        let old = json!({"user": bot(), "status": "member"});
        let payload = json!({
            "chat": chat, "from": ada(), "date": 1_760_000_000, "old_chat_member": old, "new_chat_member": new,
        });
        read("my_chat_member", &payload)
    };
    let left = |place: Option<&str>, space: Option<String>, reason: &str| {
        Some(Inbound::Left(Left {
            platform: crate::PLATFORM,
            place: place.map(str::to_owned),
            space,
            reason: reason.to_owned(),
        }))
    };
    let kicked = json!({"status": "kicked", "until_date": 0});
    let private = json!({"id": 7, "first_name": "Ada", "type": "private"});
    assert_eq!(
        change(private.clone(), kicked.clone()),
        left(Some("7"), None, "the bot was blocked by the user")
    );
    let id = Some(GROUP.to_string());
    assert_eq!(
        change(group(), kicked),
        left(None, id.clone(), "the bot was kicked from the group")
    );
    let gone = json!({"status": "left"});
    assert_eq!(
        change(group(), gone),
        left(None, id, "the bot is no member of the group any more")
    );
    assert_eq!(change(private, json!({"status": "member"})), None);
}

#[test]
fn being_added_to_a_group_is_told_and_being_promoted_or_unblocked_is_not() {
    let change = |chat: &Value, old: Value, new: Value| {
        let payload = json!({
            "chat": chat, "from": ada(), "date": 1_760_000_000, "old_chat_member": old, "new_chat_member": new,
        });
        match read("my_chat_member", &payload) {
            Some(Inbound::Joined(joined)) => Some(joined.place.external_id),
            None => None,
            other => panic!("{other:?}"),
        }
    };
    let member = |status: &str| json!({"user": bot(), "status": status});
    let muted = |is_member: bool| json!({"user": bot(), "status": "restricted", "is_member": is_member});
    let joined = Some(GROUP.to_string());
    assert_eq!(change(&group(), member("left"), member("member")), joined);
    assert_eq!(change(&group(), member("kicked"), member("administrator")), joined);
    assert_eq!(change(&group(), muted(false), muted(true)), joined);
    assert_eq!(change(&group(), member("member"), member("administrator")), None);
    assert_eq!(change(&group(), muted(true), member("member")), None);
    let private = json!({"id": 7, "first_name": "Ada", "type": "private"});
    assert_eq!(change(&private, member("kicked"), member("member")), None);
}

#[test]
fn who_writes_as_a_group_or_channel_is_that_group_or_channel() {
    let stand_in = json!({"id": 1_087_968_824, "is_bot": true, "first_name": "Group", "username": "GroupAnonymousBot"});
    let expected = Said {
        speaker: Speaker {
            id: GROUP.to_string(),
            name: "Engines".to_owned(),
            handle: None,
            is_bot: false,
            language: None,
            roles: None,
        },
        ..said_in(engines(), "hi")
    };
    let payload = json!({"chat": group(), "from": stand_in, "sender_chat": group(), "text": "hi"});
    assert_eq!(say(&payload), Some(Inbound::Message(expected)));
}

#[test]
fn what_nobody_said_to_the_bot_means_nothing() {
    let channel = json!({"id": -100_777, "title": "News", "type": "channel"});
    assert_eq!(say(&json!({"chat": group(), "new_chat_members": [ada()]})), None);
    assert_eq!(say(&json!({"chat": group(), "left_chat_member": ada()})), None);
    assert_eq!(say(&json!({"chat": group(), "new_chat_photo": []})), None);
    assert_eq!(say(&json!({"chat": group(), "from": bot(), "text": "my own"})), None);
    assert_eq!(
        say(&json!({"chat": group(), "sender_chat": channel, "is_automatic_forward": true, "text": "x"})),
        None
    );
    assert_eq!(
        read(
            "channel_post",
            &message(&json!({"chat": channel, "sender_chat": channel, "text": "x"}))
        ),
        None
    );
}

#[test]
fn a_message_with_decoration_that_is_too_new_is_read_without_it() {
    let payload = json!({
        "chat": group(),
        "text": "@clifford_bot see you on Friday",
        "entities": [
            {"type": "mention", "offset": 0, "length": 13},
            {"type": "hologram", "offset": 25, "length": 6, "unix_time": 1},
        ],
        "reply_to_message": {
            "message_id": 11, "from": bot(), "chat": group(), "date": 1_760_000_000, "hologram": {"id": 1},
        },
    });
    let expected = Said {
        reply_to: Some("11".to_owned()),
        addressed: Addressed {
            mention: true,
            reply: true,
            in_thread: false,
        },
        quoted: Some(Quoted {
            is_own: true,
            ..quoted(&bot(), "")
        }),
        ..said_in(engines(), "see you on Friday")
    };
    assert_eq!(say(&payload), Some(Inbound::Message(expected)));
    let payload = json!({"caption": "look", "photo": "a new kind of photo"});
    assert_eq!(say(&payload), Some(Inbound::Message(said("look"))));
}

#[test]
fn what_cannot_be_read_is_handed_in_with_its_payload() {
    let error = |update: Value| {
        let raw = update.to_string();
        let Some(Inbound::Unreadable(unreadable)) = inbound(&raw, &me(), Timestamp::UNIX_EPOCH) else {
            panic!("{raw} was read");
        };
        assert_eq!(unreadable.payload, raw);
        unreadable.error
    };
    let hologram = error(json!({"update_id": 1, "hologram": {"id": 3}}));
    assert_eq!(hologram, "an update of the kind `hologram` that could not be read");
    assert_eq!(error(json!({"update_id": 1})), "an update without content");
    let unknown = error(json!({"update_id": 1, "message": message(&json!({"hologram": {}}))}));
    let expected = "a `message` without known content or sender; it has message_id, from, chat, date, hologram";
    assert_eq!(unknown, expected);
    let mut nobody = message(&json!({"text": "hi"}));
    nobody.as_object_mut().unwrap().shift_remove("from");
    let expected = "a `message` without known content or sender; it has message_id, chat, date, text";
    assert_eq!(error(json!({"update_id": 1, "message": nobody})), expected);
    for wrong in [json!(7), json!([]), json!({"message_id": "x"}), json!(null)] {
        let text = error(json!({"update_id": 1, "message": wrong}));
        assert!(text.starts_with("a `message` that could not be read: "), "{text}");
    }
    assert!(error(json!({"update_id": "one", "message": message(&json!({"text": "hi"}))})).starts_with("no update: "));
    assert!(error(json!(17)).starts_with("no update: "));
}

#[test]
fn only_an_id_that_can_be_confirmed_is_one() {
    assert_eq!(update_id(r#"{"update_id":17,"message":{}}"#), Some(17));
    for raw in [
        r#"{"update_id":"17"}"#,
        r#"{"update_id":-3000000000}"#,
        "{}",
        "17",
        "null",
    ] {
        assert_eq!(update_id(raw), None, "{raw}");
    }
}

#[test]
fn a_quote_a_reply_elsewhere_and_a_story_are_told() {
    let bob = json!({"id": 8, "is_bot": false, "first_name": "Bob"});
    let answered = json!({
        "message_id": 11, "from": bob, "chat": group(), "date": 1_760_000_000, "text": "The rocket launches at noon. Bring tea.",
    });
    let quote = json!({"text": "at noon", "position": 20, "is_manual": true});
    let photo = json!([{"file_id": "P", "file_unique_id": "p", "width": 90, "height": 60}]);
    let origin = json!({"type": "channel", "chat": {"id": -100_777, "title": "News", "type": "channel"}, "message_id": 5, "date": 1});
    let elsewhere =
        json!({"origin": origin, "chat": {"id": -100_777, "title": "News", "type": "channel"}, "photo": photo});
    let file = Attachment {
        kind: "photo".to_owned(),
        id: "P".to_owned(),
        name: None,
        media_type: Some("image/jpeg".to_owned()),
        size: None,
        seconds: None,
    };
    let news = Quoted {
        id: None,
        is_own: false,
        author_id: Some("-100777".to_owned()),
        author: "News".to_owned(),
        text: String::new(),
        is_part: false,
        attachments: vec![file],
    };
    let cases = [
        (
            json!({"reply_to_message": answered}),
            quoted(&bob, "The rocket launches at noon. Bring tea."),
        ),
        (
            json!({"reply_to_message": answered, "quote": quote}),
            Quoted {
                is_part: true,
                ..quoted(&bob, "at noon")
            },
        ),
        (
            json!({"reply_to_checklist_task_id": 2, "reply_to_message": {
                "message_id": 11, "from": bob, "chat": group(), "date": 1_760_000_000, "checklist": {
                    "title": "Trip", "tasks": [
                        {"id": 1, "text": "stove", "completed_by_user": null},
                        {"id": 2, "text": "tent", "completed_by_user": bob},
                    ],
                },
            }}),
            Quoted {
                is_part: true,
                attachments: vec![Attachment {
                    kind: "checklist".to_owned(),
                    name: Some("Trip: [ ] stove [x] tent".to_owned()),
                    id: String::new(),
                    media_type: None,
                    size: None,
                    seconds: None,
                }],
                ..quoted(&bob, "[x] tent")
            },
        ),
        (json!({"external_reply": elsewhere}), news.clone()),
        (
            json!({"external_reply": elsewhere, "quote": {"text": "a part", "position": 0}}),
            Quoted {
                text: "a part".to_owned(),
                is_part: true,
                ..news
            },
        ),
        (
            json!({"external_reply": {"origin": {"type": "hidden_user", "sender_user_name": "Eve", "date": 1}},
                "quote": {"text": "psst", "position": 0}}),
            Quoted {
                author: "Eve".to_owned(),
                text: "psst".to_owned(),
                is_part: true,
                ..Quoted::default()
            },
        ),
    ];
    for (mut fields, expected) in cases {
        fields["chat"] = group();
        fields["text"] = json!("when is it?");
        let Some(Inbound::Message(said)) = say(&fields) else {
            panic!("{fields} is a message");
        };
        assert_eq!(
            (said.text.as_str(), said.quoted),
            ("when is it?", Some(expected)),
            "{fields}"
        );
    }
}

#[test]
fn a_quote_says_whose_words_it_holds_whole_or_in_part() {
    let origin = json!({"type": "hidden_user", "sender_user_name": "Eve", "date": 1});
    let photo = json!([{"file_id": "P", "file_unique_id": "p", "width": 90, "height": 60}]);
    for (of_others, whole, part) in [
        (json!({}), "Send it at noon", "at noon"),
        (
            json!({"forward_origin": origin}),
            "[forwarded] (from Eve) Send it at noon",
            "[forwarded] (from Eve) at noon",
        ),
        (
            json!({"via_bot": bot()}),
            "[by an inline bot] Send it at noon",
            "[by an inline bot] at noon",
        ),
    ] {
        for caption in [false, true] {
            let mut answered = json!({"message_id": 11, "from": ada(), "chat": group(), "date": 1_760_000_000});
            for (name, value) in of_others.as_object().unwrap() {
                answered[name] = value.clone();
            }
            answered[if caption { "caption" } else { "text" }] = json!("Send it at noon");
            if caption {
                answered["photo"] = photo.clone();
            }
            for (quote, expected) in [(Value::Null, whole), (json!({"text": "at noon", "position": 8}), part)] {
                let fields = json!({"chat": group(), "text": "do it", "reply_to_message": answered, "quote": quote});
                let Some(Inbound::Message(said)) = say(&fields) else {
                    panic!("{fields} is a message");
                };
                assert_eq!(
                    said.quoted.map(|quoted| quoted.text).as_deref(),
                    Some(expected),
                    "{fields}"
                );
            }
        }
    }
}

#[test]
fn a_rich_message_that_somebody_forwards_is_read() {
    let Some(Inbound::Message(read)) = say(&json!({
        "forward_origin": {"type": "user", "sender_user": {"id": 9, "is_bot": true, "first_name": "Robo"}, "date": 1},
        "rich_message": {"blocks": [{"type": "paragraph", "text": "The rocket launches at noon"}]},
    })) else {
        panic!("no message")
    };
    assert_eq!(read.text, "[forwarded] (from Robo) The rocket launches at noon");
}

#[test]
fn a_forwarded_message_names_its_origin() {
    let cases = [
        (
            json!({"type": "user", "sender_user": {"id": 8, "first_name": "Bob", "is_bot": false}, "date": 1}),
            "[forwarded] (from Bob) hi",
        ),
        (
            json!({"type": "hidden_user", "sender_user_name": "Eve)\n[Ada]", "date": 1}),
            "[forwarded] (from Eve Ada) hi",
        ),
        (
            json!({"type": "channel", "chat": {"id": -1, "title": "News", "type": "channel"}, "message_id": 1, "date": 1}),
            "[forwarded] (from News) hi",
        ),
        (json!({"type": "hologram"}), "[forwarded] hi"),
    ];
    for (origin, text) in cases {
        let fields = json!({"text": "hi", "forward_origin": origin});
        assert_eq!(say(&fields), Some(Inbound::Message(said(text))), "{fields}");
    }
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
    let answered = json!({
        "message_id": 11, "from": bot(), "chat": group(), "date": 1_760_000_000, "text": "x", "link_preview_options": {"is_disabled": true},
    });
    let rich = message(&json!({
        "chat": group(), "reply_to_message": answered, "message_thread_id": 3, "is_topic_message": true,
        "caption": "@clifford_bot what is this?", "caption_entities": [{"type": "mention", "offset": 0, "length": 13}],
        "document": {"file_id": "F", "file_unique_id": "U", "file_size": 10, "file_name": "a.pdf", "mime_type": "application/pdf"},
        "quote": {"text": "x", "position": 0, "entities": [{"type": "bold", "offset": 0, "length": 1}]},
        "media_group_id": "13", "has_protected_content": true, "sender_boost_count": 2,
    }));
    let mut all = Vec::new();
    paths(&rich, "", &mut all);
    assert!(all.len() > 50, "{all:?}");
    let odd = [
        json!(null),
        json!("0"),
        json!(-7),
        json!({"a": 1}),
        json!([[]]),
        json!(true),
    ];
    for path in all {
        let (parent, name) = path.rsplit_once('/').unwrap();
        let needed = ["/message_id", "/chat", "/chat/id", "/from", "/from/id"];
        let mut changed: Vec<Value> = odd
            .iter()
            .map(|odd| {
                let mut changed = rich.clone();
                *changed.pointer_mut(&path).unwrap() = odd.clone();
                changed
            })
            .collect();
        let mut without = rich.clone();
        if let Some(fields) = without.pointer_mut(parent).unwrap().as_object_mut() {
            fields.shift_remove(name);
            changed.push(without);
        }
        for changed in changed {
            match read("message", &changed) {
                Some(Inbound::Message(said)) => {
                    assert!(!said.text.is_empty() || !said.attachments.is_empty(), "{changed}")
                }
                // The type of a chat says that it is a channel, and an author that is the bot itself says nothing.
                read => assert!(needed.contains(&path.as_str()), "{path}: {read:?} of {changed}"),
            }
        }
    }
}
