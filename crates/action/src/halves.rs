//! Halves of characters, as models write them in JSON now and then: a Rust string cannot hold them.

use std::borrow::Cow;

/// The text with U+FFFD in the place of each escaped half that has no partner: `\ud83d` alone.
#[must_use]
pub fn without_halves(text: &str) -> Cow<'_, str> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let mut whole = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('\\')) {
        let start = at + found;
        let Some(unit) = unit_at(text, start) else {
            // The second character of another escape begins none.
            let second = text.get(start + 1..).and_then(|rest| rest.chars().next());
            at = start + 1 + second.map_or(0, char::len_utf8);
            continue;
        };
        at = start + 6;
        let is_first = (0xD800..0xDC00).contains(&unit);
        if is_first && unit_at(text, at).is_some_and(|next| (0xDC00..0xE000).contains(&next)) {
            at += 6;
        } else if (0xD800..0xE000).contains(&unit) {
            whole.push_str(text.get(copied..start).unwrap_or_default());
            whole.push_str("\\ufffd");
            copied = at;
        }
    }
    whole.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(whole)
}

fn unit_at(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16)
        .ok()
        .filter(|_| !digits.starts_with('+'))
}

#[cfg(test)]
mod tests {
    use super::without_halves;
    use crate::{Action, read, read_native};

    #[test]
    fn only_halves_without_a_partner_are_replaced() {
        for (text, expected) in [
            (r"a\ud83d", r"a\ufffd"),
            (r"\ud83d\ude00", r"\ud83d\ude00"),
            (r"\\ud83d", r"\\ud83d"),
            (r"\\\ud83dx", r"\\\ufffdx"),
            (r"\ude00\ud83d\ud83d\ude00", r"\ufffd\ufffd\ud83d\ude00"),
            (r"\ud8", r"\ud8"),
            (r"\", r"\"),
        ] {
            assert_eq!(without_halves(text), expected, "{text}");
        }
    }

    #[test]
    fn a_reply_with_half_a_character_is_read() {
        let message = |action| match action {
            Action::SendMessage { message, .. } => message,
            other => panic!("{other:?}"),
        };
        let reply = read(r#"{"type":"send_message","message":"hi \ud83d!"}"#).expect("a reply");
        assert_eq!(message(reply.action), "hi \u{fffd}!");
        let reply = read_native("send_message", r#"{"message":"hi \ude00 \ud83d\ude00"}"#).expect("a reply");
        assert_eq!(message(reply.action), "hi \u{fffd} \u{1f600}");
    }
}
