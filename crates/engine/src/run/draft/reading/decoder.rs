//! The text of a JSON string that comes letter by letter.

/// The effect of a character of the string's source on its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decoded {
    /// Nothing yet: an escape is not whole.
    Nothing,
    /// A character.
    Character(char),
    /// The closing quotation mark.
    End,
    /// No string has this.
    Broken,
}

/// Where in a string it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Decoder {
    /// Between two characters.
    #[default]
    Plain,
    /// Behind `\`.
    Escape,
    /// Behind `\u` and so many digits, with what they come to; behind the first half of a pair.
    Digits { count: u8, value: u32, high: Option<u32> },
    /// Behind the first half of a pair.
    High(u32),
    /// Behind that and `\`.
    HighEscape(u32),
}

impl Decoder {
    /// Takes the next character of the source.
    pub(super) fn take(&mut self, character: char) -> Decoded {
        let (next, decoded) = match (*self, character) {
            (Self::Plain, '"') => (Self::Plain, Decoded::End),
            (Self::Plain, '\\') => (Self::Escape, Decoded::Nothing),
            (Self::Plain, other) => (Self::Plain, Decoded::Character(other)),
            (Self::Escape, 'u') => (Self::digits(None), Decoded::Nothing),
            (Self::Escape, other) => (Self::Plain, escape(other)),
            (Self::High(high), '\\') => (Self::HighEscape(high), Decoded::Nothing),
            (Self::HighEscape(high), 'u') => (Self::digits(Some(high)), Decoded::Nothing),
            (Self::High(_) | Self::HighEscape(_), _) => (Self::Plain, Decoded::Broken),
            (Self::Digits { count, value, high }, digit) => match digit.to_digit(16) {
                None => (Self::Plain, Decoded::Broken),
                Some(digit) => {
                    let value = (value << 4) | digit;
                    if count < 3 {
                        let count = count + 1;
                        (Self::Digits { count, value, high }, Decoded::Nothing)
                    } else {
                        whole(value, high)
                    }
                }
            },
        };
        *self = next;
        decoded
    }

    const fn digits(high: Option<u32>) -> Self {
        Self::Digits {
            count: 0,
            value: 0,
            high,
        }
    }
}

/// The character of four digits, behind the first half of a pair or not.
fn whole(value: u32, high: Option<u32>) -> (Decoder, Decoded) {
    let code = match (value, high) {
        (0xd800..=0xdbff, None) => return (Decoder::High(value), Decoded::Nothing),
        (0xdc00..=0xdfff, Some(high)) => 0x1_0000 + ((high - 0xd800) << 10) + (value - 0xdc00),
        (_, Some(_)) => return (Decoder::Plain, Decoded::Broken),
        (value, None) => value,
    };
    let decoded = char::from_u32(code).map_or(Decoded::Broken, Decoded::Character);
    (Decoder::Plain, decoded)
}

const fn escape(character: char) -> Decoded {
    Decoded::Character(match character {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        '"' | '\\' | '/' => character,
        _ => return Decoded::Broken,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(source: &str) -> (String, Option<Decoded>) {
        let (mut text, mut decoder) = (String::new(), Decoder::default());
        for character in source.chars() {
            match decoder.take(character) {
                Decoded::Nothing => {}
                Decoded::Character(character) => text.push(character),
                end => return (text, Some(end)),
            }
        }
        (text, None)
    }

    #[test]
    fn escapes_are_read_and_what_is_none_ends_the_text() {
        let cases = [
            (r#"a\"\\\/\n""#, "a\"\\/\n", Some(Decoded::End)),
            (r"a\u00e4b", "aäb", None),
            (r"\ud83d\ude00!", "😀!", None),
            (r"a\ud83d", "a", None),
            (r"a\ud83dx", "a", Some(Decoded::Broken)),
            (r"a\ud83d\ud83d", "a", Some(Decoded::Broken)),
            (r"a\ude00", "a", Some(Decoded::Broken)),
            (r"a\x", "a", Some(Decoded::Broken)),
            (r"a\u00g", "a", Some(Decoded::Broken)),
        ];
        for (source, text, end) in cases {
            assert_eq!(decoded(source), (text.to_owned(), end), "{source}");
        }
    }

    proptest! {
        #[test]
        fn it_reads_what_json_writes(text: String) {
            let source = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(decoded(&source[1..]), (text, Some(Decoded::End)));
        }
    }
}
