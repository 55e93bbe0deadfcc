//! One line of a text, cut where no character is broken, and without markup where it stands within a sentence.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::hidden::{is_deceiving, is_turning};

/// A text as one line of at most `most` characters: white space folded, and `…` in place of what is left out. It is
/// cut between graphemes.
pub fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let Some(mut room) = most.checked_sub(1) else {
        return String::new();
    };
    let mut kept = String::new();
    for grapheme in line.graphemes(true) {
        let Some(left) = room.checked_sub(grapheme.chars().count()) else {
            break;
        };
        room = left;
        kept.push_str(grapheme);
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

/// The subject of a text, as a title of at most `most` characters: its first line that says something, without
/// characters that are not shown or turn others around.
pub fn headline(text: &str, most: usize) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let is_shown = |c: &char| !c.is_control() && !is_turning(*c);
    let line: String = line.unwrap_or_default().chars().filter(is_shown).collect();
    let line = line.trim();
    (!line.is_empty()).then(|| shortened(line, most))
}

/// A foreign text as it may stand within a sentence: one line of at most `most` characters, without markup and without
/// characters that deceive.
pub fn within_sentence(text: &str, most: usize) -> String {
    let plain: Vec<_> = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !is_deceiving(*c) && !"`*[]<>|~\\#".contains(*c))
        .collect();
    // Within a word an underscore is no markup: names of tools hold it.
    let is_letter = |at: Option<usize>| at.and_then(|at| plain.get(at)).is_some_and(|c| c.is_alphanumeric());
    let is_within = |at: usize| is_letter(at.checked_sub(1)) && is_letter(Some(at + 1));
    let shown = plain.iter().enumerate().filter(|(at, c)| **c != '_' || is_within(*at));
    shortened(&shown.map(|(_, c)| *c).collect::<String>(), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_is_the_first_line_that_says_something() {
        let long = "word ".repeat(40);
        assert_eq!(
            headline("\n  When is it?\nand where", 80).as_deref(),
            Some("When is it?")
        );
        assert_eq!(headline(" \n", 80), None);
        assert_eq!(headline("\u{202e}si nehW\u{7}", 80).as_deref(), Some("si nehW"));
        let long = headline(&long, 80).unwrap();
        assert!(long.chars().count() <= 80 && long.starts_with("word word"), "{long}");
    }

    #[test]
    fn a_text_is_cut_to_a_line_between_graphemes() {
        let family = "👨‍👩‍👧";
        let cases = [
            ("Trip to Rome", 12, "Trip to Rome".to_owned()),
            ("Trip  to\n Rome ", 12, "Trip to Rome".to_owned()),
            ("Trip to Rome", 9, "Trip to…".to_owned()),
            ("Trip to Rome", 1, "…".to_owned()),
            ("Trip to Rome", 0, String::new()),
            ("  ", 5, String::new()),
            (&format!("{family}{family}"), 6, format!("{family}…")),
            (family, 4, "…".to_owned()),
            ("e\u{301}e\u{301}e\u{301}", 4, "e\u{301}…".to_owned()),
        ];
        for (text, most, expected) in cases {
            assert_eq!(shortened(text, most), expected, "{text} {most}");
        }
    }
}
