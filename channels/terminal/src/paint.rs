//! Text in rows: words wrapped at the terminal's width, with the dress that markup gave it and nothing else that a
//! terminal would obey.

use std::borrow::Cow;

use clifford_markup::{DRESSES, for_terminal};
use textwrap::{Options, WordSplitter, WrapAlgorithm};

/// Lines that begin so are code or tables, and are not wrapped at words.
const CODE: &str = "    ";
/// The narrowest terminal that text is wrapped for.
const NARROWEST: usize = 10;

/// How a line is dressed for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dress {
    Normal,
    Bold,
    Dim,
}

/// A text without anything that the terminal would obey, but for its dress if it may have one.
pub(crate) fn harmless(text: &str, dressed: bool) -> String {
    let text = text.trim_end();
    let mut parts = text.split('\u{1b}');
    let mut safe = for_terminal(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let dress = DRESSES.iter().find_map(|dress| {
            let sequence = dress.strip_prefix('\u{1b}')?;
            Some((*dress, part.strip_prefix(sequence)?))
        });
        match dress {
            Some((dress, rest)) => {
                if dressed {
                    safe.push_str(dress);
                }
                safe.push_str(&for_terminal(rest));
            }
            None => safe.push_str(&for_terminal(part)),
        }
    }
    safe
}

/// A harmless text in rows. A row that is wider than the terminal is one that cannot be cut at a word.
pub(crate) fn rows(text: &str, width: usize) -> Vec<String> {
    let width = width.max(NARROWEST);
    text.split('\n').flat_map(|line| wrapped(line, width)).collect()
}

fn wrapped(line: &str, width: usize) -> Vec<String> {
    let line = expanded(line);
    if line.starts_with(CODE) || textwrap::core::display_width(&line) <= width {
        return vec![line.into_owned()];
    }
    let begin = line.len() - line.trim_start().len();
    let (indent, rest) = line.split_at(begin);
    let mark = marker(rest);
    let room = width.saturating_sub(begin + mark);
    let has_room = |word: &str| textwrap::core::display_width(word) <= room;
    // Arguments and results of a tool are seldom prose.
    if rest.starts_with(['→', '←']) && !rest.split(' ').all(has_room) {
        return vec![line.into_owned()];
    }
    let hanging = format!("{indent}{}", " ".repeat(mark));
    // A row must have room for a word.
    let hanging = if hanging.len() * 2 > width { "" } else { &hanging };
    let options = Options::new(width)
        .initial_indent(indent)
        .subsequent_indent(hanging)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .break_words(false);
    textwrap::wrap(rest, options).into_iter().map(Cow::into_owned).collect()
}

/// Tabs are as wide as the terminal makes them: spaces are not.
fn expanded(line: &str) -> Cow<'_, str> {
    if line.contains('\t') {
        Cow::Owned(line.replace('\t', "    "))
    } else {
        Cow::Borrowed(line)
    }
}

/// The columns of what begins a list's item, a quote or a step: what follows it stands below its text.
fn marker(text: &str) -> usize {
    let sign = ["- [x] ", "- [ ] ", "- ", "> ", "· ", "→ ", "← ", "! "]
        .iter()
        .find(|sign| text.starts_with(**sign));
    if let Some(sign) = sign {
        return sign.chars().count();
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=4).contains(&digits) && text[digits..].starts_with(". ");
    if numbered { digits + 2 } else { 0 }
}

/// How many rows of the screen a row takes.
pub(crate) fn height(row: &str, width: usize) -> usize {
    textwrap::core::display_width(row).div_ceil(width.max(1)).max(1)
}

/// The beginning of a row, as far as it fits.
pub(crate) fn cut(row: &str, width: usize) -> String {
    if textwrap::core::display_width(row) <= width {
        return row.to_owned();
    }
    let (mut kept, mut columns) = (String::new(), 0);
    let mut rest = row;
    while let Some(c) = rest.chars().next() {
        let dress = DRESSES.iter().find(|dress| rest.starts_with(**dress));
        let (piece, wide) = match dress {
            Some(dress) => (*dress, 0),
            None => {
                let (piece, _) = rest.split_at(c.len_utf8());
                (piece, textwrap::core::display_width(piece))
            }
        };
        if columns + wide > width {
            break;
        }
        columns += wide;
        kept.push_str(piece);
        rest = &rest[piece.len()..];
    }
    // A dress that was opened is taken off.
    if kept.contains('\u{1b}') {
        kept.push_str("\u{1b}[0m");
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_and_lists_hang_below_their_text() {
        let cases = [
            ("one two three four", vec!["one two", "three four"]),
            ("- one two three", vec!["- one two", "  three"]),
            ("12. one two three", vec!["12. one two", "    three"]),
            ("  - a bb ccc dddd", vec!["  - a bb", "    ccc", "    dddd"]),
            ("a\n\nb", vec!["a", "", "b"]),
            ("    let x = a + b + c;", vec!["    let x = a + b + c;"]),
            ("https://a.example/long", vec!["https://a.example/long"]),
            ("← {\"value\":\"391\"}", vec!["← {\"value\":\"391\"}"]),
            ("← no such place", vec!["← no such", "  place"]),
            (
                "\u{1b}[1mone two\u{1b}[0m three",
                vec!["\u{1b}[1mone two\u{1b}[0m", "three"],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(rows(text, 11), expected, "{text:?}");
        }
    }

    #[test]
    fn only_the_dress_of_markup_is_obeyed() {
        let text = "a\u{1b}]0;t\u{7}b\u{1b}[1mc\u{1b}[0m\u{1b}[2Jd\u{9b}31me\n";
        assert_eq!(harmless(text, true), "a]0;tb\u{1b}[1mc\u{1b}[0m[2Jd31me");
        assert_eq!(harmless(text, false), "a]0;tbc[2Jd31me");
    }

    #[test]
    fn rows_are_counted_and_cut_by_what_is_seen() {
        assert_eq!(
            [height("", 10), height("1234567890", 10), height("12345678901", 10)],
            [1, 1, 2]
        );
        assert_eq!(height("\u{1b}[1m日本語日本\u{1b}[0m", 10), 1);
        assert_eq!(cut("\u{1b}[1mhello\u{1b}[0m", 3), "\u{1b}[1mhel\u{1b}[0m");
        assert_eq!(cut("日本語", 5), "日本");
    }
}
