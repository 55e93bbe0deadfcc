//! The bot's own name in a text: found, and taken out.

use std::ops::Range;

use teloxide::types::{MessageEntity, MessageEntityKind};

use crate::update::Me;

/// A text without the bot's own mentions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cleaned {
    pub(crate) text: String,
    /// There was one.
    pub(crate) mentioned: bool,
}

/// Takes every mention of the bot out of a text, with the space or comma that it leaves behind.
pub(crate) fn clean(text: &str, entities: &[MessageEntity], me: &Me) -> Cleaned {
    let mut own: Vec<Range<usize>> = entities
        .iter()
        .filter_map(|entity| own_mention(text, entity, me))
        .collect();
    own.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in &own {
        // Entities of a broken payload may overlap.
        let Some(before) = text.get(at..range.start) else {
            continue;
        };
        out.push_str(before);
        at = range.end;
        let rest = &text[at..];
        let mut kept = rest;
        if out.trim().is_empty() {
            out.clear();
            kept = rest.trim_start_matches([' ', ',', ':']);
        } else if out.ends_with(char::is_whitespace) {
            kept = rest.trim_start_matches(' ');
        }
        at += rest.len() - kept.len();
    }
    out.push_str(&text[at..]);
    Cleaned {
        text: out.trim().to_owned(),
        mentioned: !own.is_empty(),
    }
}

/// Where the entity stands, if it mentions the bot.
fn own_mention(text: &str, entity: &MessageEntity, me: &Me) -> Option<Range<usize>> {
    let range = bytes(text, entity)?;
    let is_own = match &entity.kind {
        MessageEntityKind::Mention => {
            let name = text[range.clone()].strip_prefix('@');
            name.zip(me.username.as_deref())
                .is_some_and(|(name, own)| name.eq_ignore_ascii_case(own))
        }
        MessageEntityKind::TextMention { user } => user.id == me.id,
        _ => false,
    };
    is_own.then_some(range)
}

/// An entity's place in bytes. `None` if its UTF-16 offsets fit no characters of the text.
fn bytes(text: &str, entity: &MessageEntity) -> Option<Range<usize>> {
    let start = byte(text, entity.offset)?;
    let end = byte(text, entity.offset.checked_add(entity.length)?)?;
    Some(start..end)
}

fn byte(text: &str, units: usize) -> Option<usize> {
    let mut passed = 0;
    for (at, c) in text.char_indices() {
        if passed >= units {
            return (passed == units).then_some(at);
        }
        passed += c.len_utf16();
    }
    (passed == units).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use teloxide::types::UserId;

    use super::*;

    fn mention(offset: usize, length: usize) -> MessageEntity {
        MessageEntity::new(MessageEntityKind::Mention, offset, length)
    }

    #[test]
    fn own_mentions_go_and_the_rest_stays() {
        let me = Me {
            id: UserId(9),
            username: Some("clifford_bot".to_owned()),
        };
        let cases = [
            (
                "@clifford_bot, what is 2+2?",
                vec![mention(0, 13)],
                "what is 2+2?",
                true,
            ),
            (
                "what does @Clifford_Bot do?",
                vec![mention(10, 13)],
                "what does do?",
                true,
            ),
            ("😀 @clifford_bot 😀", vec![mention(3, 13)], "😀 😀", true),
            ("hi @clifford_bot", vec![mention(3, 13)], "hi", true),
            (
                "@clifford_bot @clifford_bot x",
                vec![mention(0, 13), mention(14, 13)],
                "x",
                true,
            ),
            ("ask @ada, not me", vec![mention(4, 4)], "ask @ada, not me", false),
            ("line\n@clifford_bot\nline", vec![mention(5, 13)], "line\n\nline", true),
            ("@clifford_bot", vec![mention(0, 13), mention(0, 13)], "", true),
        ];
        for (text, entities, expected, mentioned) in cases {
            let expected = Cleaned {
                text: expected.to_owned(),
                mentioned,
            };
            assert_eq!(clean(text, &entities, &me), expected, "{text}");
        }
    }

    #[test]
    fn entities_that_fit_no_text_are_passed_over() {
        let me = Me {
            id: UserId(9),
            username: Some("clifford_bot".to_owned()),
        };
        for entity in [mention(90, 4), mention(0, 900), mention(1, 1), mention(usize::MAX, 2)] {
            let expected = Cleaned {
                text: "😀x".to_owned(),
                mentioned: false,
            };
            assert_eq!(clean("😀x", &[entity], &me), expected);
        }
    }
}
