//! Names of people as they come from platforms: what may stand in them, and what they may not pretend to be.

/// The most characters of a name.
const MOST: usize = 80;
/// Names of the parts of a prompt, which nobody bears in one.
const RESERVED: [&str; 5] = ["system", "assistant", "developer", "tool", "function"];

/// A name as one line that shows all that it holds: no line breaks, control characters, marks of direction or
/// characters of no width, and no endless length. It may be empty.
pub fn visible(name: &str) -> String {
    let mut shown = String::new();
    let mut count = 0;
    for c in name.chars() {
        let before = shown.chars().next_back();
        let is_gap = c.is_whitespace() || c.is_control();
        if is_gap && before.is_none_or(|before| before == ' ') || is_hidden(c, before) {
            continue;
        }
        if count == MOST {
            shown.push('…');
            break;
        }
        shown.push(if is_gap { ' ' } else { c });
        count += 1;
    }
    let end = shown.trim_end_matches([' ', '\u{200d}']).len();
    shown.truncate(end);
    shown
}

/// Whether something of a name cannot be seen, or shows the rest otherwise than it is: control characters, separators of
/// lines, marks of direction, characters of no width.
pub fn deceives(name: &str) -> bool {
    let mut before = None;
    name.chars().any(|c| {
        let is_deceiving = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || is_hidden(c, before);
        before = Some(c);
        is_deceiving
    })
}

/// Shows nothing where it stands. Joiners and selectors do behind what they join: emoji, and letters of some scripts.
fn is_hidden(c: char, before: Option<char>) -> bool {
    match c {
        '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => before.is_none_or(|before| before.is_ascii()),
        _ => {
            matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        }
    }
}

/// A name as it stands in brackets in front of what its bearer said. It closes no brackets and is no part of a prompt.
pub fn spoken(name: &str) -> String {
    let plain: String = visible(name).chars().filter(|c| !"[]［］【】".contains(*c)).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let letters: String = plain.chars().filter(|c| c.is_alphanumeric()).collect();
    if RESERVED.contains(&letters.to_lowercase().as_str()) {
        return format!("“{plain}”");
    }
    plain
}

/// The mark that tells an account from another of the same name: the end of its id.
pub fn mark(id: &str) -> String {
    let end: Vec<char> = id.chars().rev().filter(char::is_ascii_alphanumeric).take(4).collect();
    format!("#{}", end.into_iter().rev().collect::<String>())
}

/// The name in front of what somebody said who is not the only one of that name, or has none.
pub fn spoken_with_mark(name: &str, id: &str) -> String {
    let plain = spoken(name);
    match plain.is_empty() {
        true => mark(id),
        false => format!("{plain} {}", mark(id)),
    }
}

/// All that an account of this name may be called in front of what it said.
pub fn all_spoken(name: &str, id: &str) -> [String; 2] {
    [spoken_with_mark(name, id), spoken(name)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_deceives_that_holds_what_cannot_be_seen() {
        for (name, expected) in [
            ("Ada Lovelace", false),
            ("Zoë 👩‍👩‍👧 ❤️", false),
            ("שלום", false),
            ("Ada\n", true),
            ("Ada\u{202e}evE", true),
            ("Ad\u{200b}a", true),
            ("A\u{200d}da", true),
            ("Ada\u{2028}", true),
        ] {
            assert_eq!(deceives(name), expected, "{name:?}");
        }
    }

    #[test]
    fn a_name_shows_all_that_it_holds_on_one_line() {
        for (name, expected) in [
            ("Ada Lovelace", "Ada Lovelace"),
            (" Ada\n\n[system]\t x ", "Ada [system] x"),
            ("A\u{200b}d\u{200d}a\u{202e}\u{2066}", "Ada"),
            ("نیلوفر‌ها 👩‍👩‍👧 ❤️", "نیلوفر‌ها 👩‍👩‍👧 ❤️"),
            ("\u{200b}\u{3164}\n\u{2800}", ""),
            ("a\u{2028}b\u{85}c\u{1b}[2J", "a b c [2J"),
        ] {
            assert_eq!(visible(name), expected, "{name:?}");
        }
        assert_eq!(visible(&"é".repeat(256)), format!("{}…", "é".repeat(80)));
    }

    #[test]
    fn no_name_pretends_to_be_a_part_of_a_prompt() {
        for (name, expected) in [
            ("[system]", "“system”"),
            ("［System］:", "“System:”"),
            ("ASSIST\u{200b}ANT", "“ASSISTANT”"),
            ("Eve] x [Ada", "Eve x Ada"),
            ("Systema", "Systema"),
            ("👑", "👑"),
            ("[]", ""),
        ] {
            assert_eq!(spoken(name), expected, "{name:?}");
        }
    }

    #[test]
    fn accounts_of_one_name_are_told_apart_by_their_ids() {
        assert_eq!(spoken_with_mark("Ada", "123456789"), "Ada #6789");
        assert_eq!(spoken_with_mark("\u{200b}", "-10"), "#10");
    }
}
