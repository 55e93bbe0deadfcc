//! Hostile and large input is rendered in time and without a stack to match. Code that is quadratic in
//! the length of these texts makes the tests hang.

use std::ops::Range;

use clifford_markup::{Fate, Flavor, Judge, cleaned, head, render};

const FLAVORS: [Flavor; 3] = [Flavor::TelegramHtml, Flavor::Discord, Flavor::Plain];

fn render_everywhere(markdown: &str) {
    for flavor in FLAVORS {
        for part in render(markdown, flavor, 2_000) {
            assert!(part.plain.len() <= 6_000);
        }
    }
    let head = head(markdown, Flavor::Plain, 200);
    assert!(head.plain.encode_utf16().count() <= 200);
}

#[test]
fn deep_nesting_and_endless_marks_are_survived() {
    let units = [
        "> ", "[", "![", "*", "**a ", "_", "||", "`", "``` ", "- ", "1. ", "~~", "<", "&", "\\", "| ", "[a](",
        "*a **b ", ">\n", "- a\n  ",
    ];
    for unit in units {
        render_everywhere(&unit.repeat(5_000));
        render_everywhere(&format!("{}a{}", unit.repeat(2_500), unit.trim().repeat(2_500)));
    }
    for unit in ["> ", "[", "*", "- "] {
        assert!(!render(&format!("{}a", unit.repeat(100_000)), Flavor::Discord, 2_000).is_empty());
    }
}

#[test]
fn long_texts_are_split_in_time() {
    let table = format!("| a | b |\n|---|---|\n{}", "| cell | [x](http://x.y) |\n".repeat(1_000));
    let code = format!("```rust\n{}\n```", "    let a = 1;\n".repeat(3_000));
    let tall = format!("a{}", "\u{301}".repeat(50_000));
    let units = [
        "word ",
        "x",
        "line\n",
        "**bold** ",
        "some words\n\n",
        "\n",
        "🇩🇪",
        "e\u{301}",
        "日本語",
    ];
    let repeated = units.map(|unit| unit.repeat(50_000 / unit.len()));
    for text in [table, code, tall].into_iter().chain(repeated) {
        render_everywhere(&text);
    }
}

/// Wants no address.
struct NoAddress;

impl Judge for NoAddress {
    fn may_lead_to(&self, _: &str) -> bool {
        false
    }

    fn unwanted(&self, text: &str) -> Vec<(Range<usize>, Fate)> {
        let found = text.match_indices("a.co");
        found.map(|(at, word)| (at..at + word.len(), Fate::Removed)).collect()
    }

    fn is_unwanted_in_code(&self, _: &str) -> bool {
        true
    }
}

#[test]
fn long_texts_are_cleaned_in_time() {
    let units = [
        "a.co/1\n",
        "a.co ",
        "`a.co` ",
        "a.*co* ",
        "[x](y) ",
        "<a href=//b> ",
        "ok\n",
    ];
    let nested = format!("{}a.co{}", "![".repeat(5_000), "](b)".repeat(5_000));
    let repeated = units.map(|unit| unit.repeat(100_000 / unit.len()));
    for text in repeated.iter().chain([&nested]) {
        assert!(!cleaned(text, "(gone)", &NoAddress).contains("a.co"));
    }
}
