//! Words of others, made fit to be shown: on one line, without invisible characters, and not too long.

/// The text on one line, without control and invisible characters, in at most so many characters.
pub(super) fn cleaned(text: &str, most: usize) -> String {
    let seen: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !is_invisible(*c))
        .collect();
    let words: Vec<_> = seen.split_whitespace().collect();
    cut(&words.join(" "), most)
}

/// The beginning of a text, in at most so many characters; where something is missing, the last one says so.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}

/// A name in letters, digits, `_` and `-`, of at most so many characters.
pub(super) fn name(text: &str, most: usize) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name: String = text
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .take(most)
        .collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

/// Characters that say how to write, or nothing at all: orders can hide in them.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_shown_on_one_line_without_what_is_not_seen() {
        let cases = [
            ("Adds two numbers.", "Adds two numbers."),
            ("  Adds\n\n two\tnumbers ", "Adds two numbers"),
            ("Adds\u{200b} two\u{202e} num\u{e0041}bers\u{7}", "Adds two numbers"),
            ("Schließt Türen 🚪", "Schließt Türen 🚪"),
            ("a text that is longer than it may be", "a text that is lon…"),
        ];
        assert_eq!(
            cases.map(|(text, _)| cleaned(text, 19)),
            cases.map(|(_, shown)| shown.to_owned())
        );
    }

    #[test]
    fn names_are_letters_digits_underscores_and_hyphens() {
        let cases = [
            ("get-sum", "get-sum"),
            ("read/a file", "read_a_fil"),
            ("a.b", "a_b"),
            ("", "_"),
            ("größe", "gr__e"),
            ("a_very_long_name", "a_very_lon"),
        ];
        assert_eq!(
            cases.map(|(text, _)| name(text, 10)),
            cases.map(|(_, name)| name.to_owned())
        );
    }
}
