//! Properties of every message: for the tests of this crate and for the fuzzer.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::{DRESSES, Flavor, Rendered, for_terminal, head, render};

const FLAVORS: [Flavor; 4] = [Flavor::TelegramHtml, Flavor::Discord, Flavor::Plain, Flavor::Terminal];
const TAGS: [&str; 9] = [
    "b",
    "i",
    "s",
    "code",
    "pre",
    "a",
    "blockquote",
    "tg-spoiler",
    "code class",
];

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The text that Telegram would show. Fails on anything that it would refuse.
fn read_html(html: &str) -> Result<String, String> {
    let mut seen = String::new();
    let mut open = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&', '>']) {
        seen.push_str(&rest[..at]);
        let (sign, tail) = rest[at..].split_at(1);
        let stop = if sign == "<" { '>' } else { ';' };
        let (body, tail) = tail.split_once(stop).ok_or_else(|| format!("no end: {html:?}"))?;
        match (sign, body) {
            ("&", "amp") => seen.push('&'),
            ("&", "lt") => seen.push('<'),
            ("&", "gt") => seen.push('>'),
            ("&", "quot") => seen.push('"'),
            ("<", closing) if closing.starts_with('/') => {
                let name = open.pop();
                if name != Some(&closing[1..]) {
                    return Err(format!("{closing} closes {name:?}: {html:?}"));
                }
            }
            ("<", tag) => {
                let name = tag.split([' ', '=']).next().unwrap_or_default();
                let attribute = &tag[name.len()..];
                let fits = match name {
                    "a" => {
                        attribute.starts_with(" href=\"")
                            && attribute.ends_with('"')
                            && attribute.matches('"').count() == 2
                    }
                    "code" => attribute.is_empty() || attribute.starts_with(" class=\"language-"),
                    _ => attribute.is_empty(),
                };
                if !fits || !TAGS.contains(&name) {
                    return Err(format!("{tag} is no tag: {html:?}"));
                }
                open.push(name);
            }
            _ => return Err(format!("{sign}{body}: {html:?}")),
        }
        rest = tail;
    }
    seen.push_str(rest);
    if open.is_empty() {
        Ok(seen)
    } else {
        Err(format!("{open:?} left open: {html:?}"))
    }
}

/// All that can be seen of a text, but for the marks of quotes, which each part repeats.
fn visible(text: &str) -> String {
    text.chars().filter(|c| *c != '>' && !is_invisible(*c)).collect()
}

/// Characters that a part may not consist of alone.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}' | '\u{2800}' | '\u{feff}' | '\u{fffc}')
}

fn check_part(part: &Rendered, flavor: Flavor, limit: usize) {
    assert!(units(&part.plain) <= limit, "{part:?}");
    assert!(
        !part.plain.trim().is_empty() && !part.text.trim().is_empty(),
        "{part:?}"
    );
    match flavor {
        Flavor::Plain => assert_eq!(&part.text, &part.plain),
        Flavor::Terminal => {
            let undressed = DRESSES
                .iter()
                .fold(part.text.clone(), |text, dress| text.replace(dress, ""));
            assert_eq!(undressed, for_terminal(&undressed), "{part:?}");
        }
        Flavor::Discord => {
            assert!(units(&part.text) <= limit, "{part:?}");
            assert_eq!(part.text.matches("```").count() % 2, 0, "{:?}", part);
        }
        Flavor::TelegramHtml => {
            let seen = read_html(&part.text).unwrap_or_else(|error| panic!("{error}"));
            assert!(units(&seen) <= limit, "{part:?}");
            assert!(units(&part.text) <= 4 * limit, "{part:?}");
            assert!(!seen.chars().all(is_invisible), "{part:?}");
        }
    }
}

/// Each part keeps the limit as the platforms count it, shows something, and is what they take.
///
/// # Panics
/// It does not hold.
pub(crate) fn check_limits(markdown: &str, limit: usize) {
    for flavor in FLAVORS {
        for part in render(markdown, flavor, limit) {
            check_part(&part, flavor, limit);
        }
        let head = head(markdown, flavor, limit);
        assert!(units(&head.plain) <= limit, "{head:?}");
        // A shorter limit counts as that of one character.
        if limit > 2 && !head.plain.is_empty() {
            check_part(&head, flavor, limit);
        }
    }
}

/// All parts together show all that the whole does, and no grapheme is broken, where a part has room for any grapheme.
///
/// # Panics
/// It does not hold.
pub(crate) fn check_whole(markdown: &str, limit: usize) {
    check_limits(markdown, limit);
    for flavor in FLAVORS {
        let whole: String = render(markdown, flavor, 1_000_000)
            .into_iter()
            .map(|part| part.plain)
            .collect();
        // White space at a cut is dropped, from a grapheme too.
        let graphemes: HashSet<String> = whole.graphemes(true).map(visible).collect();
        let parts = render(markdown, flavor, limit);
        let joined: String = parts.iter().map(|part| part.plain.as_str()).collect();
        assert_eq!(visible(&joined), visible(&whole), "{:?} {:?}", flavor, parts);
        for part in &parts {
            let broken = part
                .plain
                .graphemes(true)
                .map(visible)
                .find(|seen| !seen.is_empty() && !graphemes.contains(seen));
            assert_eq!(broken, None, "{:?} {:?}", flavor, parts);
        }
    }
}

/// The same for what a fuzzer makes up: a byte for the limit, then Markdown.
///
/// # Panics
/// It does not hold.
pub fn check_any(bytes: &[u8]) {
    let Some((limit, text)) = bytes.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    let limit = usize::from(*limit);
    // A grapheme longer than a small part has to be broken.
    let fits = text.graphemes(true).all(|grapheme| units(grapheme) <= 40);
    if limit >= 100 && fits {
        check_whole(&text, limit);
    } else {
        check_limits(&text, limit + 2);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Markdown as people and models write it, and as they should not.
    fn markdown() -> impl Strategy<Value = String> {
        let token = prop_oneof![
            4 => "[a-z]{1,12} ",
            2 => prop::sample::select(vec![
                "**", "*", "_", "__", "~~", "||", "`", "``", "\n", "\n\n", "\n> ", "\n>> ", "\n- ", "\n  - ", "\n1. ", "\n10. ",
                "\n- [x] ", "\n# ", "\n#### ", "\n---\n", "\n```rust\n", "\n```\n", "\n~~~\n", "\n    ", "\\", "<b>", "&amp;", "&",
                "[", "](http://x.y)", "](mailto:a@b.c)", "![", "](x)", "<http://x.y>", "http://a.b/_c_", "\n| a | b |\n|---|---|\n| ",
                " | ", "snake_case", "2 * 3", ". ", "! ", "!", "</a>", "\t", "\"", "@everyone", "|", "\n<div>\n", "#", "\n- \n  - ",
            ]).prop_map(str::to_owned),
            1 => prop::sample::select(vec!["👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "e\u{301}", "日本語。", "ประเทศไทย", "\u{200b}", "\u{a0}", "한국어", "\r\n", "🎉", "\u{301}"]).prop_map(str::to_owned),
        ];
        prop::collection::vec(token, 0..120).prop_map(|tokens| tokens.concat())
    }

    #[test]
    fn what_the_fuzzer_begins_with_holds() {
        let seeds = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/markup")).unwrap();
        let seeds: Vec<_> = seeds.map(|seed| std::fs::read(seed.unwrap().path()).unwrap()).collect();
        assert!(!seeds.is_empty());
        for seed in seeds {
            check_any(&seed);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn any_text_keeps_the_limits(text in any::<String>(), limit in 2_usize..200) {
            check_limits(&text, limit);
        }

        #[test]
        fn any_markdown_keeps_the_limits(text in markdown(), limit in 2_usize..200) {
            check_limits(&text, limit);
        }

        #[test]
        fn nothing_of_any_text_is_lost_or_broken(text in "\\PC{0,400}", limit in 100_usize..200) {
            check_whole(&text, limit);
        }

        #[test]
        fn nothing_of_any_markdown_is_lost_or_broken(text in markdown(), limit in 100_usize..300) {
            check_whole(&text, limit);
        }
    }
}
