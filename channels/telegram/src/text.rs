//! A text with its entities as Markdown says the same, and the bot's own name in it: found, and taken out.
//!
//! Entities are counted in UTF-16 units, and may lie in one another. One that fits no characters of the text, or lies
//! across another, is passed over.

use std::ops::Range;

use clifford_channel::lenient::{int, list, object, text as string};
use jiff::Timestamp;
use serde_json::Value;

use crate::{me::Me, rich};

/// A text without the bot's own mentions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cleaned {
    pub(crate) text: String,
    /// There was one.
    pub(crate) mentioned: bool,
}

/// The markup that an entity adds to its words.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    /// The bot's own mention.
    Own,
    /// An address behind words.
    Link(String),
    /// A block of code, in a language.
    Block(String),
    /// Code within a line.
    Code,
    /// Words between two signs: what is crossed out, or hidden until somebody taps on it.
    Between(&'static str),
    /// Words of somebody, which are quoted.
    Quote,
    /// Words for a moment, which Telegram shows in the reader's own time zone.
    Moment(Timestamp),
}

/// The marks of a text, by where they begin, the longer ones first.
type Marks = [(Range<usize>, Mark)];

/// The text or caption of a message, with its entities as Markdown and without the bot's own mentions, each of which
/// goes with the space or comma behind it.
pub(crate) fn clean(message: &Value, me: &Me) -> Cleaned {
    let (text, entities) = match (string(message, "text"), string(message, "caption")) {
        (Some(text), _) => (text, "entities"),
        (None, Some(caption)) => (caption, "caption_entities"),
        (None, None) => (
            object(message, "rich_message").map(rich::read).unwrap_or_default(),
            "entities",
        ),
    };
    render(&text, list(message, entities), me)
}

/// The same for a text and its entities.
pub(crate) fn render(text: &str, entities: &[Value], me: &Me) -> Cleaned {
    let mut marks: Vec<(Range<usize>, Mark)> = entities.iter().filter_map(|entity| marked(text, entity, me)).collect();
    marks.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
    let mut out = String::with_capacity(text.len());
    write(text, 0..text.len(), &marks, &mut out);
    Cleaned {
        text: out.trim().to_owned(),
        mentioned: marks.iter().any(|(_, mark)| *mark == Mark::Own),
    }
}

/// Writes a range of a text with the marks that lie in it.
fn write(text: &str, within: Range<usize>, marks: &Marks, out: &mut String) {
    let (mut at, mut left) = (within.start, marks);
    while let Some(((range, mark), later)) = left.split_first() {
        let begin_in_it = later.iter().take_while(|(inner, _)| inner.start < range.end).count();
        let (nested, after) = later.split_at(begin_in_it);
        if range.start < at || range.end > within.end {
            left = later;
            continue;
        }
        out.push_str(&text[at..range.start]);
        at = range.end;
        let rest = &text[at..within.end];
        let inner = || {
            let mut inner = String::new();
            write(text, range.clone(), nested, &mut inner);
            inner
        };
        match mark {
            Mark::Own => at += behind_own(out, rest),
            Mark::Link(address) => out.push_str(&format!("[{}]({address})", inner())),
            Mark::Code => out.push_str(&format!("`{}`", &text[range.clone()])),
            Mark::Between(sign) => out.push_str(&format!("{sign}{}{sign}", inner())),
            Mark::Moment(moment) => out.push_str(&format!("{} ({moment})", &text[range.clone()])),
            Mark::Block(language) => {
                let code = text[range.clone()].trim_end_matches('\n');
                block(out, &format!("```{language}\n{code}\n```"), rest);
            }
            Mark::Quote => {
                let lines = inner().trim_end().replace('\n', "\n> ");
                block(out, &format!("> {lines}"), rest);
            }
        }
        left = after;
    }
    out.push_str(&text[at..within.end]);
}

/// Writes what stands on lines of its own.
fn block(out: &mut String, lines: &str, rest: &str) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(lines);
    if !rest.is_empty() && !rest.starts_with('\n') {
        out.push('\n');
    }
}

/// The length of the punctuation behind the bot's own mention, which goes with it.
fn behind_own(out: &mut String, rest: &str) -> usize {
    let kept = if out.trim().is_empty() {
        out.clear();
        rest.trim_start_matches([' ', ',', ':'])
    } else if out.ends_with(char::is_whitespace) {
        rest.trim_start_matches(' ')
    } else {
        rest
    };
    rest.len() - kept.len()
}

/// The range of an entity and its markup, if it has any.
fn marked(text: &str, entity: &Value, me: &Me) -> Option<(Range<usize>, Mark)> {
    let range = bytes(text, int(entity, "offset")?, int(entity, "length")?)?;
    let words = text.get(range.clone()).filter(|words| !words.is_empty())?;
    let mark = match string(entity, "type")?.as_str() {
        "mention" => {
            let own = me.username.as_deref()?;
            let is_own = words
                .strip_prefix('@')
                .is_some_and(|name| name.eq_ignore_ascii_case(own));
            is_own.then_some(Mark::Own)?
        }
        "text_mention" => me.is(object(entity, "user")?).then_some(Mark::Own)?,
        "text_link" => {
            let address = string(entity, "url")?;
            let is_shown = words.trim_end_matches('/') == address.trim_end_matches('/');
            let fits = !address.contains(char::is_whitespace) && !address.is_empty();
            (fits && !is_shown).then_some(Mark::Link(address))?
        }
        "pre" => {
            let language = string(entity, "language").unwrap_or_default();
            let plain = language.chars().filter(|c| c.is_alphanumeric() || "+-#_.".contains(*c));
            Mark::Block(plain.collect())
        }
        // A text that is code as a whole was marked so to be copied.
        "code" => (words.len() < text.trim().len() && !words.contains('`')).then_some(Mark::Code)?,
        "strikethrough" => Mark::Between("~~"),
        "spoiler" => Mark::Between("||"),
        "blockquote" | "expandable_blockquote" => Mark::Quote,
        "date_time" => Mark::Moment(Timestamp::from_second(int(entity, "unix_time")?).ok()?),
        _ => return None,
    };
    Some((range, mark))
}

/// A range of UTF-16 units in bytes. `None` if it fits no characters of the text.
fn bytes(text: &str, offset: i64, length: i64) -> Option<Range<usize>> {
    let (start, end) = (offset, offset.checked_add(length)?);
    let start = byte(text, usize::try_from(start).ok()?)?;
    let end = byte(text, usize::try_from(end).ok()?)?;
    (start <= end).then_some(start..end)
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
    use proptest::prelude::*;
    use serde_json::json;
    use teloxide::types::UserId;

    use super::*;

    fn me() -> Me {
        Me {
            id: UserId(9),
            username: Some("clifford_bot".to_owned()),
            name: "@clifford_bot".to_owned(),
            takes_guests: true,
        }
    }

    fn mention(offset: i64, length: i64) -> Value {
        json!({"type": "mention", "offset": offset, "length": length})
    }

    #[test]
    fn own_mentions_go_and_the_rest_stays() {
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
            assert_eq!(render(text, &entities, &me()), expected, "{text}");
        }
    }

    #[test]
    fn addresses_stand_behind_their_words_and_code_in_its_fence() {
        let link = |offset: i64, length: i64| json!({"type": "text_link", "offset": offset, "length": length, "url": "https://x.y/a?b=1"});
        let of = |kind: &str, offset: i64, length: i64| json!({"type": kind, "offset": offset, "length": length});
        let rust =
            |offset: i64, length: i64| json!({"type": "pre", "offset": offset, "length": length, "language": "rust"});
        let cases = [
            ("see this page", vec![link(4, 4)], "see [this](https://x.y/a?b=1) page"),
            ("😀 this", vec![link(3, 4)], "😀 [this](https://x.y/a?b=1)"),
            ("https://x.y/a?b=1", vec![link(0, 17)], "https://x.y/a?b=1"),
            (
                "look: let x = 1; why?",
                vec![rust(6, 10)],
                "look: \n```rust\nlet x = 1;\n```\n why?",
            ),
            ("a 👩‍👩‍👧 b", vec![of("code", 2, 8)], "a `👩‍👩‍👧` b"),
            ("ABC-DEF", vec![of("code", 0, 7)], "ABC-DEF"),
            ("x = 1", vec![of("pre", 0, 5)], "```\nx = 1\n```"),
            ("bold", vec![of("bold", 0, 4)], "bold"),
            (
                "this",
                vec![json!({"type": "text_link", "offset": 0, "length": 4})],
                "this",
            ),
        ];
        for (text, entities, expected) in cases {
            assert_eq!(render(text, &entities, &me()).text, expected, "{text}");
        }
    }

    #[test]
    fn what_changes_the_meaning_of_words_stands_with_them() {
        let of = |kind: &str, offset: i64, length: i64| json!({"type": kind, "offset": offset, "length": length});
        let link = json!({"type": "text_link", "offset": 4, "length": 4, "url": "https://x.y"});
        let noon =
            json!({"type": "date_time", "offset": 3, "length": 4, "unix_time": 1_760_000_000, "date_time_format": "t"});
        let cases = [
            (
                "on Monday Tuesday",
                vec![of("strikethrough", 3, 6)],
                "on ~~Monday~~ Tuesday",
            ),
            ("he dies in it", vec![of("spoiler", 3, 4)], "he ||dies|| in it"),
            (
                "one\ntwo\nis it so?",
                vec![of("blockquote", 0, 7)],
                "> one\n> two\nis it so?",
            ),
            (
                "they said: it is. why?",
                vec![of("expandable_blockquote", 11, 6)],
                "they said: \n> it is.\n why?",
            ),
            // One within another, and one across another.
            (
                "see this page",
                vec![of("blockquote", 0, 13), link.clone()],
                "> see [this](https://x.y) page",
            ),
            (
                "see this page",
                vec![of("spoiler", 0, 8), link.clone(), of("bold", 4, 4)],
                "||see [this](https://x.y)|| page",
            ),
            (
                "see this page",
                vec![of("strikethrough", 0, 6), link],
                "~~see th~~is page",
            ),
            (
                "@clifford_bot is it?",
                vec![of("blockquote", 0, 20), mention(0, 13)],
                "> is it?",
            ),
            ("at noon", vec![noon], "at noon (2025-10-09T08:53:20Z)"),
            ("at noon", vec![of("date_time", 3, 4)], "at noon"),
        ];
        for (text, entities, expected) in cases {
            assert_eq!(render(text, &entities, &me()).text, expected, "{text}");
        }
    }

    #[test]
    fn entities_that_fit_no_text_are_passed_over() {
        let odd = [
            mention(90, 4),
            mention(0, 900),
            mention(1, 1),
            mention(i64::MAX, 2),
            mention(-1, 2),
            json!(null),
            json!({"type": 7, "offset": "0", "length": {}}),
        ];
        for entity in odd {
            let expected = Cleaned {
                text: "😀x".to_owned(),
                mentioned: false,
            };
            assert_eq!(render("😀x", &[entity], &me()), expected);
        }
    }

    proptest! {
        #[test]
        fn no_word_is_lost_whatever_the_entities_say(
            words in prop::collection::vec("[a-z]{1,4}|👩‍👩‍👧|😀|é", 1..8),
            entities in prop::collection::vec((prop::sample::select(vec!["text_link", "pre", "code", "bold", "spoiler", "blockquote", "strikethrough"]), 0_i64..30, 0_i64..30), 0..5),
        ) {
            let text = words.join(" ");
            let entities: Vec<Value> = entities
                .into_iter()
                .map(|(kind, offset, length)| json!({"type": kind, "offset": offset, "length": length, "url": "https://x.y"}))
                .collect();
            let plain = |text: &str| text.replace("](https://x.y)", "").replace(['[', '`', '\n', ' ', '~', '|', '>'], "");
            prop_assert_eq!(plain(&render(&text, &entities, &me()).text), plain(&text));
        }
    }
}
