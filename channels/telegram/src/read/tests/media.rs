//! Files that stand within something else: in a poll, a live photo, paid media.

use super::*;

fn file(id: &str) -> Value {
    json!({"file_id": id, "file_unique_id": "U", "width": 9, "height": 9, "file_size": 10})
}

/// Kinds and ids of what came with a message.
fn came(fields: &Value) -> Vec<(String, String)> {
    let Some(Inbound::Message(message)) = say(fields) else {
        panic!("{fields} is no message");
    };
    let attachments = message.attachments.into_iter();
    attachments.map(|attachment| (attachment.kind, attachment.id)).collect()
}

#[test]
fn a_file_within_something_else_is_a_file_of_the_message() {
    let live =
        json!({"file_id": "V", "file_unique_id": "U", "width": 9, "height": 9, "duration": 2, "photo": [file("P")]});
    let bare = json!({"file_id": "V", "file_unique_id": "U", "width": 9, "height": 9, "duration": 2});
    let poll = json!({"id": "55", "question": "Which?", "media": {"photo": [file("Q")]}, "options": [
        {"text": "this", "media": {"video": file("A")}}, {"text": "that"}, {"text": "it", "media": {"link": {"url": "https://x.y"}}},
        {"text": "none", "media": {"live_photo": live}},
    ]});
    for (fields, expected) in [
        // For those who do not know live photos its photo stands next to it.
        (json!({"live_photo": live, "photo": [file("P")]}), vec![("photo", "P")]),
        (json!({"live_photo": live}), vec![("photo", "P")]),
        (json!({"live_photo": bare}), vec![("live_photo", "V")]),
        (
            json!({"poll": poll}),
            vec![("poll", "55"), ("photo", "Q"), ("video", "A"), ("photo", "P")],
        ),
        (
            json!({"paid_media": {"star_count": 5, "paid_media": [{"type": "live_photo", "live_photo": live},
                {"type": "preview", "width": 9}, {"type": "video", "video": file("W")}]}}),
            vec![("photo", "P"), ("video", "W")],
        ),
        (
            json!({"paid_media": {"star_count": 5, "paid_media": []}}),
            vec![("paid_media", "")],
        ),
    ] {
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(kind, id)| (kind.to_owned(), id.to_owned()))
            .collect();
        assert_eq!(came(&fields), expected, "{fields}");
    }
}

#[test]
fn what_is_answered_in_another_chat_comes_with_its_live_photo() {
    let elsewhere = json!({"origin": {"type": "hidden_user", "date": 1, "sender_user_name": "Bob"},
        "live_photo": {"file_id": "V", "file_unique_id": "U", "duration": 2, "photo": [file("P")]}});
    let Some(Inbound::Message(message)) = say(&json!({"text": "who is it?", "external_reply": elsewhere})) else {
        panic!("it is no message");
    };
    let quoted = message.quoted.unwrap();
    assert_eq!(
        (quoted.author.as_str(), quoted.attachments[0].id.as_str()),
        ("Bob", "P")
    );
}

#[test]
fn a_chat_that_joins_or_leaves_a_community_says_nothing() {
    for field in [
        "community_chat_added",
        "community_chat_joined",
        "community_chat_removed",
    ] {
        let mut fields = json!({"chat": group()});
        fields[field] = json!({"community": {"id": 9, "name": "Steam"}});
        assert_eq!(say(&fields), None, "{field}");
    }
}
