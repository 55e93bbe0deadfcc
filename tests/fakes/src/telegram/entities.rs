//! The entities that Telegram finds in plain text by itself.

use serde_json::{Value, json};

/// Mentions and commands of a text, in order, as `entities` of a message. Offsets count UTF-16 units.
pub(super) fn find(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut before = None;
    let mut skip_until = 0;
    for (at, c) in text.char_indices() {
        let starts = at >= skip_until && before.is_none_or(|c: char| !is_word(c) && c != '/' && c != '@');
        before = Some(c);
        let length = match c {
            '@' if starts => mention(&text[at..]),
            '/' if starts => command(&text[at..]),
            _ => None,
        };
        let Some(length) = length else { continue };
        skip_until = at + length;
        found.push(json!({
            "type": if c == '@' { "mention" } else { "bot_command" },
            "offset": units(&text[..at]),
            "length": length,
        }));
    }
    found
}

/// How many UTF-16 units a text has.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn word(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

/// The length of `@name`: names have 3 to 32 characters.
fn mention(text: &str) -> Option<usize> {
    let name = word(&text[1..]);
    (3..=32).contains(&name).then_some(name + 1)
}

/// The length of `/name` or `/name@bot`. A word that goes on like a path is no command.
fn command(text: &str) -> Option<usize> {
    let name = word(&text[1..]);
    if !(1..=64).contains(&name) {
        return None;
    }
    let rest = &text[name + 1..];
    let addressee = rest.starts_with('@').then(|| mention(rest)).flatten().unwrap_or(0);
    let end = name + 1 + addressee;
    (!text[end..].starts_with('/')).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_and_commands_are_found_where_telegram_finds_them() {
        let mention = |offset: usize, length: usize| json!({"type": "mention", "offset": offset, "length": length});
        let command = |offset: usize, length: usize| json!({"type": "bot_command", "offset": offset, "length": length});
        let cases = [
            ("hello", vec![]),
            ("/new Trip", vec![command(0, 4)]),
            ("/new@clifford_bot x", vec![command(0, 17)]),
            ("/usr/bin", vec![]),
            ("😀 @clifford_bot, hi", vec![mention(3, 13)]),
            ("ada@example.org", vec![]),
            ("@ab", vec![]),
        ];
        for (text, expected) in cases {
            assert_eq!(find(text), expected, "{text}");
        }
    }
}
