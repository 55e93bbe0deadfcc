//! Groups and topics that are called otherwise.

use clifford_channel::Renamed;

use super::*;

#[test]
fn a_group_or_a_topic_is_called_otherwise() {
    let renamed = |place: String, space: Option<String>, name: &str| {
        Some(Inbound::Renamed(Renamed {
            platform: crate::PLATFORM,
            place: Some(place),
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
