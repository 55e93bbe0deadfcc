//! The names of platforms in messages to people.

use clifford_text::{Chats, Lang};

/// A platform as people call it.
pub(super) fn called(name: &str, lang: Lang) -> String {
    match name {
        "terminal" => lang.say(Chats::Terminal),
        "web" => lang.say(Chats::Web),
        other => {
            let mut letters = other.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect()
        }
    }
}
