//! The kind of a body, by its media type, and its text, by its charset: pure rules.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use mime::Mime;

use super::error::FetchError;

/// How far into a page its own word on its charset is looked for.
const HEAD: usize = 1024;

/// Media types besides `text/*` that are text.
const TEXTUAL: [&str; 9] = [
    "json",
    "xml",
    "yaml",
    "x-yaml",
    "toml",
    "javascript",
    "ecmascript",
    "x-ndjson",
    "sql",
];

/// The kind of text of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// HTML, to be read as a page.
    Html,
    /// Any other text, to be read as it is.
    Plain,
}

/// The kind of text that a media type names; `None`: it is not said, and has to be seen from the bytes.
///
/// # Errors
/// It is no text.
pub fn kind(media_type: Option<&str>) -> Result<Option<Kind>, FetchError> {
    let Some(text) = media_type.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let no_text = || FetchError::NoText("of an unknown type".to_owned());
    let parsed: Mime = text.parse().map_err(|_| no_text())?;
    let suffix = parsed.suffix().map(|suffix| suffix.as_str());
    match (parsed.type_().as_str(), parsed.subtype().as_str()) {
        ("text", "html") | ("application", "xhtml") => Ok(Some(Kind::Html)),
        ("text", _) => Ok(Some(Kind::Plain)),
        ("application", subtype) if TEXTUAL.contains(&subtype) => Ok(Some(Kind::Plain)),
        _ if matches!(suffix, Some("json" | "xml" | "yaml")) && parsed.type_() != mime::IMAGE => Ok(Some(Kind::Plain)),
        _ => Err(FetchError::NoText(parsed.essence_str().to_owned())),
    }
}

/// The kind of text of a body without a media type.
///
/// # Errors
/// It is no text.
pub fn sniffed(body: &[u8]) -> Result<Kind, FetchError> {
    let head = &body[..body.len().min(HEAD)];
    if Encoding::for_bom(head).is_none() && head.contains(&0) {
        return Err(FetchError::NoText("of an unknown type".to_owned()));
    }
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    let html = ["<!doctype html", "<html", "<head", "<body"]
        .iter()
        .any(|tag| text.contains(tag));
    Ok(if html { Kind::Html } else { Kind::Plain })
}

/// A body's text: by its byte order mark, else as its media type says, else as the page itself says, else as UTF-8,
/// and if it is not that, as windows-1252, as browsers do.
pub fn text(body: &[u8], media_type: Option<&str>, kind: Kind) -> String {
    let marked = Encoding::for_bom(body).map(|(encoding, _)| encoding);
    let encoding = marked
        .or_else(|| charset(media_type?))
        .or_else(|| declared(body, kind))
        .unwrap_or_else(|| {
            if std::str::from_utf8(body).is_ok() {
                UTF_8
            } else {
                WINDOWS_1252
            }
        });
    encoding.decode(body).0.into_owned()
}

fn charset(media_type: &str) -> Option<&'static Encoding> {
    let parsed: Mime = media_type.parse().ok()?;
    Encoding::for_label(parsed.get_param("charset")?.as_str().as_bytes())
}

/// The charset that `<meta charset>` or the XML declaration names.
fn declared(body: &[u8], kind: Kind) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&body[..body.len().min(HEAD)]).to_ascii_lowercase();
    let (_, rest) = match kind {
        Kind::Html => head.split_once("charset=")?,
        Kind::Plain => head
            .strip_prefix("<?xml")?
            .split("?>")
            .next()?
            .split_once("encoding=")?,
    };
    let label = rest
        .trim_start_matches(['"', '\'', ' '])
        .split(['"', '\'', ' ', ';', '>', '/', '?'])
        .next()?;
    let found = Encoding::for_label(label.as_bytes())?;
    // A declaration in ASCII rules out UTF-16.
    Some(if found == encoding_rs::UTF_16LE || found == encoding_rs::UTF_16BE {
        UTF_8
    } else {
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_are_read() {
        for (media_type, expected) in [
            ("text/html; charset=utf-8", Ok(Some(Kind::Html))),
            ("TEXT/HTML", Ok(Some(Kind::Html))),
            ("application/xhtml+xml", Ok(Some(Kind::Html))),
            ("text/plain", Ok(Some(Kind::Plain))),
            ("text/markdown", Ok(Some(Kind::Plain))),
            ("application/json", Ok(Some(Kind::Plain))),
            ("application/ld+json", Ok(Some(Kind::Plain))),
            ("application/rss+xml", Ok(Some(Kind::Plain))),
            ("application/xml", Ok(Some(Kind::Plain))),
            ("", Ok(None)),
            ("application/pdf", Err(FetchError::NoText("application/pdf".into()))),
            ("image/svg+xml", Err(FetchError::NoText("image/svg+xml".into()))),
            ("video/mp4", Err(FetchError::NoText("video/mp4".into()))),
            (
                "Ignore what was said",
                Err(FetchError::NoText("of an unknown type".into())),
            ),
        ] {
            assert_eq!(kind(Some(media_type)), expected, "{media_type}");
        }
        assert_eq!(kind(None), Ok(None));
    }

    #[test]
    fn a_body_without_a_type_is_looked_at() {
        assert_eq!(sniffed(b"<!DOCTYPE html><p>"), Ok(Kind::Html));
        assert_eq!(sniffed(b"hello"), Ok(Kind::Plain));
        assert_eq!(sniffed(b""), Ok(Kind::Plain));
        assert_eq!(sniffed(b"\xff\xfeh\0i\0"), Ok(Kind::Plain));
        assert_eq!(
            sniffed(b"\x7fELF\0"),
            Err(FetchError::NoText("of an unknown type".into()))
        );
    }

    #[test]
    fn texts_are_decoded_as_they_say_or_look() {
        let html = Kind::Html;
        for (body, media_type, kind, expected) in [
            ("Zürich".as_bytes(), Some("text/html; charset=utf-8"), html, "Zürich"),
            (b"Z\xfcrich", Some("text/html; charset=ISO-8859-1"), html, "Zürich"),
            (b"Z\xfcrich", Some("text/html; charset=\"latin1\""), html, "Zürich"),
            (b"Z\xfcrich", Some("text/html"), html, "Zürich"),
            (b"Z\xfcrich", None, Kind::Plain, "Zürich"),
            (
                b"Z\xfcrich",
                Some("text/plain; charset=nonsense"),
                Kind::Plain,
                "Zürich",
            ),
            ("Zürich".as_bytes(), Some("text/plain"), Kind::Plain, "Zürich"),
            (
                b"\xef\xbb\xbfZ\xc3\xbcrich",
                Some("text/plain; charset=latin1"),
                Kind::Plain,
                "Zürich",
            ),
            (b"\xff\xfeh\0i\0", None, Kind::Plain, "hi"),
            (
                b"<meta charset=\"shift_jis\">\x93\xfa",
                None,
                html,
                "<meta charset=\"shift_jis\">日",
            ),
            (
                b"<meta charset=koi8-r>\xc4\xc1",
                Some("text/html"),
                html,
                "<meta charset=koi8-r>да",
            ),
            (b"<meta charset=utf-16>\xc3\xbc", None, html, "<meta charset=utf-16>ü"),
            (
                b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\xfc",
                Some("text/xml"),
                Kind::Plain,
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>ü",
            ),
            (
                b"broken \xff",
                Some("text/plain; charset=utf-8"),
                Kind::Plain,
                "broken \u{fffd}",
            ),
        ] as [(&[u8], Option<&str>, Kind, &str); 14]
        {
            assert_eq!(text(body, media_type, kind), expected, "{media_type:?}");
        }
    }
}
