//! Names of files as they may be shown and written anywhere.

use unicode_normalization::UnicodeNormalization;

/// The most characters of a name.
const LONGEST: usize = 120;
/// The most characters of an ending that a cut keeps.
const ENDING: usize = 12;

/// A name without a path, without what cannot be seen or turns text around, and without what some system forbids.
pub fn clean(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last.nfc().filter(|c| !is_hidden(*c)).map(printable).collect();
    let kept = kept.trim().trim_start_matches('.').trim();
    if kept.is_empty() {
        return "file".to_owned();
    }
    shortened(kept)
}

/// Control characters, and those that are not seen but change what is: direction marks, zero-width ones, tags.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn printable(c: char) -> char {
    match c {
        '<' | '>' | ':' | '"' | '|' | '?' | '*' => '_',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

fn shortened(name: &str) -> String {
    let count = name.chars().count();
    if count <= LONGEST {
        return name.to_owned();
    }
    let ending = (name.rsplit_once('.').map(|(_, ending)| ending))
        .filter(|ending| !ending.is_empty() && ending.chars().count() <= ENDING)
        .map(|ending| format!(".{ending}"))
        .unwrap_or_default();
    let head: String = name.chars().take(LONGEST - ending.chars().count()).collect();
    format!("{}{ending}", head.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_what_people_see_of_it() {
        let cases = [
            ("report.pdf", "report.pdf"),
            ("Straße & Söhne.txt", "Straße & Söhne.txt"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Windows\\system.ini", "system.ini"),
            ("a\u{202e}fdp.exe", "afdp.exe"),
            ("line\nbreak\t.txt", "linebreak.txt"),
            ("what?.md", "what_.md"),
            (".bashrc", "bashrc"),
            ("  ", "file"),
            ("..", "file"),
            ("", "file"),
        ];
        for (name, expected) in cases {
            assert_eq!(clean(name), expected, "{name:?}");
        }
    }

    #[test]
    fn a_long_name_keeps_its_ending() {
        assert_eq!(
            clean(&format!("{}.txt", "é".repeat(200))),
            format!("{}.txt", "é".repeat(116))
        );
        assert_eq!(clean(&"x".repeat(200)), "x".repeat(120));
    }

    proptest! {
        #[test]
        fn a_clean_name_is_short_visible_and_clean(name in ".{0,300}") {
            let once = clean(&name);
            prop_assert!((1..=LONGEST).contains(&once.chars().count()));
            prop_assert!(!once.contains(['/', '\\']) && !once.chars().any(is_hidden));
            prop_assert_eq!(clean(&once), once);
        }
    }
}
