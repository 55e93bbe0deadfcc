//! The meaning of the words by which Telegram refuses.
//!
//! They are matched here, because teloxide's `ApiError` knows too few of them: a topic that was deleted would be rejected
//! in place of gone (`refusals_say_what_becomes_of_the_part`).

/// Whether Telegram's words mean that the chat (or topic) will take nothing more.
pub(crate) fn is_gone(description: &str) -> bool {
    const GONE: [&str; 13] = [
        "bot was blocked by the user",
        "user is deactivated",
        "bot was kicked from",
        "bot is not a member of",
        "bot can't initiate conversation",
        "bot can't send messages to bots",
        "chat not found",
        "group chat was deleted",
        "group is deactivated",
        "group chat was deactivated",
        "message thread not found",
        "TOPIC_DELETED",
        "PEER_ID_INVALID",
    ];
    GONE.iter().any(|words| description.contains(words))
}

/// Whether Telegram could not read the markup of a text.
pub(crate) fn is_about_markup(description: &str) -> bool {
    description.contains("can't parse entities")
}

/// Whether the bot has no right to write there.
pub(crate) fn is_about_rights(description: &str) -> bool {
    [
        "not enough rights",
        "have no rights",
        "CHAT_WRITE_FORBIDDEN",
        "TOPIC_CLOSED",
        "need administrator rights",
    ]
    .iter()
    .any(|words| description.contains(words))
}

/// Whether the bot has no right to write even a plain text there.
pub(crate) fn is_barred(description: &str) -> bool {
    [
        "not enough rights to send text messages",
        "have no rights to send a message",
        "CHAT_WRITE_FORBIDDEN",
        "TOPIC_CLOSED",
    ]
    .iter()
    .any(|words| description.contains(words))
}
