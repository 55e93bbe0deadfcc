//! Names that a platform would notify somebody for, kept from doing so.

use std::borrow::Cow;

/// Shows nothing, joins what stands around it, and is no part of a name.
const JOINER: char = '\u{2060}';

/// A text in which no `@name` is one to Telegram: whoever reads or copies it sees the same. Addresses of mail stay as
/// they are.
pub fn without_mentions(text: &str) -> Cow<'_, str> {
    apart(text, None)
}

/// The same of a text that follows this character.
pub(crate) fn apart(text: &str, mut before: Option<char>) -> Cow<'_, str> {
    if !text.contains('@') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + JOINER.len_utf8());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        let is_mail = before.is_some_and(|before| before.is_alphanumeric() || before == '_');
        // A word after a style that ends here may be a name, too. Names are ASCII: nothing is set within a grapheme.
        let names = chars
            .peek()
            .is_none_or(|next| next.is_ascii_alphanumeric() || *next == '_');
        if c == '@' && !is_mail && names {
            out.push(JOINER);
        }
        before = Some(c);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ping_nobody_and_mail_stays_as_it_is() {
        let cases = [
            (
                "ask @ada, (@bob) or @c_d",
                "ask @\u{2060}ada, (@\u{2060}bob) or @\u{2060}c_d",
            ),
            ("ada@example.com @ home", "ada@example.com @ home"),
            ("@", "@\u{2060}"),
            ("@@ada", "@@\u{2060}ada"),
            ("@\u{1772}", "@\u{1772}"),
            ("no name", "no name"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_mentions(text), expected, "{text}");
        }
    }
}
