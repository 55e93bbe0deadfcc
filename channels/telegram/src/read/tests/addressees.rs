//! Commands that name another bot, and groups and topics that are called otherwise.

use clifford_channel::Renamed;

use super::*;

#[test]
fn a_group_or_a_topic_is_called_otherwise() {
    let renamed = |place: String, space: Option<String>, name: &str| {
        Some(Inbound::Renamed(Renamed {
            platform: crate::PLATFORM,
            place: Some(place),
            first_is_retold: space.is_none(),
            space,
            name: name.to_owned(),
        }))
    };
    let title = json!({"chat": group(), "new_chat_title": "Turbines"});
    assert_eq!(
        say(&title),
        renamed(GROUP.to_string(), Some(GROUP.to_string()), "Turbines")
    );
    let topic = |edited: Value| {
        say(&json!({"chat": group(), "message_thread_id": 4, "is_topic_message": true, "forum_topic_edited": edited}))
    };
    assert_eq!(
        topic(json!({"name": "Diesel"})),
        renamed(format!("{GROUP}:4"), None, "Diesel")
    );
    // Another picture alone.
    assert_eq!(topic(json!({"icon_custom_emoji_id": "7"})), None);
}

#[test]
fn what_is_for_another_bot_is_nobodys_word_here() {
    let said = |chat: Value, text: &str| say(&json!({"chat": chat, "text": text}));
    for text in ["/help@other_bot", "/START@other_bot now", "/ask@other_bot me"] {
        assert_eq!(said(group(), text), None, "{text}");
    }
    for text in ["/help", "/HELP@Clifford_Bot", "/Help@clifford_bot"] {
        let command = said(group(), text);
        assert!(
            matches!(&command, Some(Inbound::Command(command)) if command.name == "help"),
            "{text}: {command:?}"
        );
    }
    let about = json!({"chat": group(), "text": "@clifford_bot /help@other_bot does what?",
        "entities": [{"type": "mention", "offset": 0, "length": 13}]});
    let about = say(&about);
    assert!(
        matches!(&about, Some(Inbound::Message(message)) if message.addressed.mention),
        "{about:?}"
    );
    let mail = said(group(), "/a.b@other_bot");
    assert!(matches!(mail, Some(Inbound::Message(_))), "{mail:?}");
}
