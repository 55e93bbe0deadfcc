//! Characters that deceive readers, and text without them.

use std::borrow::Cow;

/// Shows nothing, or shows others in another order: control characters, marks of direction, joiners, tags, variation
/// selectors, line separators.
pub fn is_deceiving(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// No platform shows it, and many leave it out, so that what stands around it is one word: it is not sent at all.
/// Control characters but for a line's end and a tab, separators of lines, marks of direction.
pub fn is_left_out(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{2028}'..='\u{202e}')
}

/// Turns around what stands next to it: marks of direction. What is written from right to left shows so without them.
pub fn is_turning(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A terminal would obey it, or show what stands around it otherwise than it is: control characters but for a line's
/// end and a tab, and marks of direction.
pub fn is_obeyed(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A text as a terminal may get it: nothing in it is obeyed, turned around or hidden. Joiners and variation selectors
/// stay, for they make letters and emoji.
pub fn for_terminal(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_obeyed) {
        Cow::Owned(text.chars().filter(|c| !is_obeyed(*c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// JSON as a terminal may get it: what it would obey is written by its number, which stands for the same.
pub fn json_for_terminal(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_obeyed) {
        return Cow::Borrowed(json);
    }
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if is_obeyed(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_nothing_but_text() {
        let cases = [
            ("plain\n\ttext ü 👩‍👩‍👧 नमस्ते", "plain\n\ttext ü 👩‍👩‍👧 नमस्ते"),
            ("\u{1b}]0;title\u{7}\u{1b}[2Jx\r\u{8}", "]0;title[2Jx"),
            ("\u{9b}31mred\u{90}", "31mred"),
            ("a\u{202e}gpj.exe\u{2066}\u{200f}b\u{feff}", "agpj.exeb"),
        ];
        for (text, expected) in cases {
            assert_eq!(for_terminal(text), expected, "{text:?}");
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        let json = "{\"a\": \"x\u{9b}2J\u{202e}\u{e0041}\u{7f}y\"}";
        assert_eq!(
            json_for_terminal(json),
            r#"{"a": "x\u009b2J\u202e\udb40\udc41\u007fy"}"#
        );
    }
}
