//! The piece of a text that shows why it was found, as one line.

use std::{fmt::Write as _, ops::Range};

use unicode_segmentation::UnicodeSegmentation;

use super::{query::Query, terms::terms};

/// How many characters are shown, marks aside.
const SHOWN: usize = 160;
/// How many of them stand before the first match.
const BEFORE: usize = 60;
/// How far a cut may move to find the end of a word.
const LEEWAY: usize = 24;

/// How a snippet is written; in both forms, `**` stands around what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Markdown: everything else means itself.
    Markdown,
    /// As it was said.
    Plain,
}

/// About 160 characters around the first place where a text holds something of a query, with `**` around what it
/// holds; of its beginning, if nothing is asked for.
pub fn snippet(text: &str, query: Option<&Query>, form: Form) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = query.map_or_else(Vec::new, |query| matches(&text, query));
    let shown = around(&text, found.first().map_or(0, |first| first.start));
    let mut line = String::with_capacity(shown.len() + 16);
    if shown.start > 0 {
        line.push('…');
    }
    let mut at = shown.start;
    let inside = found
        .iter()
        .filter(|found| found.start >= shown.start && found.end <= shown.end);
    for found in inside {
        add(&mut line, form, text.get(at..found.start).unwrap_or_default());
        line.push_str("**");
        add(&mut line, form, text.get(found.clone()).unwrap_or_default());
        line.push_str("**");
        at = found.end;
    }
    add(&mut line, form, text.get(at..shown.end).unwrap_or_default());
    if shown.end < text.len() {
        line.push('…');
    }
    line
}

/// Where a text holds something of a query, in order, without overlaps.
fn matches(text: &str, query: &Query) -> Vec<Range<usize>> {
    let terms: Vec<_> = terms(text).collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    for phrase in query.phrases() {
        for (place, _) in phrase.found_in(&terms) {
            let last = place + phrase.terms.len().saturating_sub(1);
            if let (Some(first), Some(last)) = (terms.get(place), terms.get(last)) {
                found.push(first.start..last.end);
            }
        }
    }
    found.sort_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// The excerpt around a place: whole words, if they are not too long, and whole characters in any case.
fn around(text: &str, place: usize) -> Range<usize> {
    let (before, behind) = text.split_at(place);
    // Room that is not needed behind the place goes to the text before it.
    let most_before = BEFORE.max(SHOWN - behind.graphemes(true).take(SHOWN).count());
    let back: Vec<(usize, &str)> = before.grapheme_indices(true).rev().take(most_before + LEEWAY).collect();
    let start = if back.len() <= most_before {
        back.last().map_or(place, |(at, _)| *at)
    } else {
        let space = back.iter().skip(most_before).find(|(_, piece)| *piece == " ");
        let cut = back.get(most_before - 1).map_or(place, |(at, _)| *at);
        space.map_or(cut, |(at, _)| at + 1)
    };
    let room = SHOWN - back.len().min(most_before);
    let ahead: Vec<(usize, &str)> = behind.grapheme_indices(true).take(room + LEEWAY + 1).collect();
    let end = if ahead.len() <= room {
        text.len()
    } else {
        let space = ahead.iter().skip(room).find(|(_, piece)| *piece == " ");
        let cut = ahead.get(room).map_or(behind.len(), |(at, _)| *at);
        let whole = behind.len() == ahead.last().map_or(0, |(at, piece)| at + piece.len());
        match space {
            Some((at, _)) => place + at,
            None if whole => text.len(),
            None => place + cut,
        }
    };
    start..end
}

/// Adds a text; in Markdown every character of it means itself.
fn add(line: &mut String, form: Form, text: &str) {
    for c in text.chars() {
        if form == Form::Markdown && matches!(c, '*' | '_' | '`' | '~' | '|' | '[' | ']' | '<' | '>' | '\\' | '#') {
            // Writing to a string cannot fail.
            let _ = write!(line, "\\{c}");
        } else {
            line.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str, query: &str) -> String {
        snippet(text, Query::parse(query).as_ref(), Form::Markdown)
    }

    #[test]
    fn a_plain_snippet_escapes_nothing() {
        let query = Query::parse("parrot");
        let text = "[Ada] my parrot's name_tag <b>";
        assert_eq!(
            snippet(text, query.as_ref(), Form::Plain),
            "[Ada] my **parrot**'s name_tag <b>"
        );
        assert_eq!(
            snippet(text, query.as_ref(), Form::Markdown),
            "\\[Ada\\] my **parrot**'s name\\_tag \\<b\\>"
        );
    }

    #[test]
    fn a_short_text_is_shown_whole_with_its_matches() {
        let cases = [
            (
                "The cat sat.\nThe  cats sat.",
                "cat",
                "The **cat** sat. The **cats** sat.",
            ),
            ("Ein Café, ein CAFÉ", "cafe", "Ein **Café**, ein **CAFÉ**"),
            ("東京タワーに行く", "タワー", "東京**タワー**に行く"),
            ("see example.com/a_b", "example.com", "see **example.com**/a\\_b"),
            (
                "let x = *p; // <b>#1</b>",
                "x",
                "let **x** = \\*p; // \\<b\\>\\#1\\</b\\>",
            ),
            ("party 👩\u{200d}💻!", "👩", "party **👩\u{200d}**💻!"),
            ("red car", "\"red car\" car", "**red car**"),
            ("nothing of it", "other", "nothing of it"),
            ("", "other", ""),
            ("nothing is asked for", "", "nothing is asked for"),
        ];
        for (text, query, expected) in cases {
            assert_eq!(shown(text, query), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut_between_words() {
        let text = format!("{}needle {}", "before ".repeat(50), "after ".repeat(50));
        let expected = format!("…{}**needle** {}…", "before ".repeat(9), "after ".repeat(16).trim_end());
        assert_eq!(shown(&text, "needle"), expected);
    }

    #[test]
    fn a_text_without_spaces_is_cut_between_characters() {
        let text = format!("{}針{}", "前".repeat(100), "後".repeat(200));
        assert_eq!(
            shown(&text, "針"),
            format!("…{}**針**{}…", "前".repeat(60), "後".repeat(99))
        );
        let flags = "🇩🇪".repeat(200);
        let piece = shown(&flags, "nothing");
        assert_eq!(piece, format!("{}…", "🇩🇪".repeat(160)));
    }

    proptest! {
        #[test]
        fn a_snippet_is_short_and_on_one_line(text in "(\\PC|\\s){0,400}", query in "[a-z東]{1,3}") {
            let piece = shown(&text, &query);
            prop_assert!(!piece.contains('\n'));
            // Each character may be escaped and each match marked.
            prop_assert!(piece.graphemes(true).count() <= 6 * (SHOWN + LEEWAY * 2));
        }
    }
}
