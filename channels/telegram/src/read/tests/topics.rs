//! Topics, of groups and of private chats.

use super::*;

#[test]
fn a_topic_is_a_place_and_its_first_message_is_not_what_is_answered() {
    let root = json!({
        "message_id": 3, "from": bot(), "chat": group(), "date": 1_760_000_000, "message_thread_id": 3,
        "is_topic_message": true, "forum_topic_created": {"name": "Steam", "icon_color": 7_322_096},
    });
    let in_topic = |extra: Value| {
        let mut fields = json!({"chat": group(), "text": "hi", "message_thread_id": 3, "is_topic_message": true});
        fields["reply_to_message"] = extra;
        say(&fields)
    };
    assert_eq!(
        in_topic(root),
        Some(Inbound::Message(said_in(topic(Some("Steam")), "hi")))
    );

    let answered = json!({
        "message_id": 5, "from": bot(), "chat": group(), "date": 1_760_000_000, "message_thread_id": 3,
        "is_topic_message": true, "text": "x",
    });
    let expected = Said {
        reply_to: Some("5".to_owned()),
        addressed: REPLY,
        quoted: Some(Quoted {
            id: Some("5".to_owned()),
            is_own: true,
            ..quoted(&bot(), "x")
        }),
        ..said_in(topic(None), "hi")
    };
    assert_eq!(in_topic(answered), Some(Inbound::Message(expected)));
}

#[test]
fn a_thread_of_replies_is_no_topic() {
    let payload = json!({"chat": group(), "text": "hi", "message_thread_id": 3});
    assert_eq!(say(&payload), Some(Inbound::Message(said_in(engines(), "hi"))));
}

#[test]
fn a_topic_of_a_private_chat_is_a_private_place() {
    let of = |fields: Value| {
        let mut all = json!({"text": "hi", "message_thread_id": 3, "is_topic_message": true});
        for (name, value) in fields.as_object().unwrap() {
            all[name] = value.clone();
        }
        say(&all)
    };
    let place = |name: Option<&str>| Place {
        external_id: "7:3".to_owned(),
        name: name.map(str::to_owned),
        ..private()
    };
    let root = json!({"message_id": 3, "date": 1_760_000_000, "forum_topic_created": {"name": "Steam", "icon_color": 7_322_096}});
    let unnamed = json!({"message_id": 3, "date": 1_760_000_000, "forum_topic_created": {"name": "New Chat", "is_name_implicit": true}});
    for (fields, name) in [
        (json!({"reply_to_message": unnamed}), None),
        (json!({"reply_to_message": root}), Some("Steam")),
        // Its name is not told each time.
        (json!({}), None),
    ] {
        let expected = Said {
            place: place(name),
            ..said("hi")
        };
        assert_eq!(of(fields), Some(Inbound::Message(expected)));
    }
    let made = json!({"text": null, "forum_topic_created": {"name": "Steam", "icon_color": 7_322_096, "is_name_implicit": true}});
    assert_eq!(of(made), None);
    // Answers there have a thread, too, which is no place.
    let answered = say(&json!({"text": "hi", "message_thread_id": 3}));
    assert_eq!(answered, Some(Inbound::Message(said("hi"))));
}
