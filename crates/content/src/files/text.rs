//! The text of a file that is one.

/// The text of a content: UTF-8, or UTF-16 that says so. `None`: it is no text.
pub fn text(content: &[u8]) -> Option<String> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16(&units).ok().filter(|_| rest.is_empty())
    };
    let text = match content {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => std::str::from_utf8(rest).ok().map(str::to_owned),
        _ => std::str::from_utf8(content).ok().map(str::to_owned),
    };
    text.filter(|text| !text.contains(is_binary))
}

fn is_binary(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}' | '\u{85}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_in_the_encodings_that_say_so() {
        let cases: [(&[u8], Option<&str>); 9] = [
            (b"hello\n", Some("hello\n")),
            ("Zürich".as_bytes(), Some("Zürich")),
            (b"\xef\xbb\xbfwith a mark", Some("with a mark")),
            (b"\xff\xfeh\0i\0", Some("hi")),
            (b"\xfe\xff\0h\0i", Some("hi")),
            (b"\xff\xfeh\0i", None),
            (b"Z\xfcrich", None),
            (b"a\0b", None),
            (b"", Some("")),
        ];
        for (content, expected) in cases {
            assert_eq!(text(content).as_deref(), expected, "{content:?}");
        }
    }
}
