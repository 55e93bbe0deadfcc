//! The text of a file that is one.

use encoding_rs::WINDOWS_1252;

/// Bytes that Windows-1252 gives no character.
const UNDEFINED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// The text of a content: UTF-8, UTF-16 that says so, or what looks like the Windows-1252 of western languages, in which
/// many programs still write tables. `None`: it is no text.
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
        _ => std::str::from_utf8(content).map_or_else(|_| western(content), |text| Some(text.to_owned())),
    };
    text.filter(|text| !text.contains(is_binary))
}

/// A text of Windows-1252. Other languages would be read wrongly as that; their texts are mostly bytes beyond ASCII.
fn western(content: &[u8]) -> Option<String> {
    let foreign = content.iter().filter(|byte| !byte.is_ascii()).count();
    let fits = foreign <= content.len() / 4 && !content.iter().any(|byte| UNDEFINED.contains(byte));
    fits.then(|| WINDOWS_1252.decode_without_bom_handling(content).0.into_owned())
}

fn is_binary(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}' | '\u{85}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_in_the_encodings_that_can_be_told() {
        let cases: [(&[u8], Option<&str>); 13] = [
            (b"hello\n", Some("hello\n")),
            ("Zürich".as_bytes(), Some("Zürich")),
            (b"\xef\xbb\xbfwith a mark", Some("with a mark")),
            (b"\xff\xfeh\0i\0", Some("hi")),
            (b"\xfe\xff\0h\0i", Some("hi")),
            (b"\xff\xfeh\0i", None),
            (b"Z\xfcrich", Some("Zürich")),
            (b"Name;Preis\r\nCaf\xe9;5 \x80\r\n", Some("Name;Preis\r\nCafé;5 €\r\n")),
            (b"Z\xfcrich\0", None),
            (b"some ASCII and \x81", None),
            // GB 18030, of which nothing would be left.
            (b"\xc4\xe3\xba\xc3, \xca\xc0\xbd\xe7", None),
            (b"a\0b", None),
            (b"", Some("")),
        ];
        for (content, expected) in cases {
            assert_eq!(text(content).as_deref(), expected, "{content:?}");
        }
    }
}
