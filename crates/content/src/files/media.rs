//! The media type of a file, by its content. The sender's claim is not believed.

use super::text::text;

/// Endings of text files and what they are; text with another ending is plain.
const TEXTS: [(&str, &str); 14] = [
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("tsv", "text/tab-separated-values"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
];

/// The media type of a content. Only of text does its name say more.
pub fn media_type(name: &str, content: &[u8]) -> &'static str {
    let seen = infer::get(content).map(|kind| kind.mime_type());
    match seen {
        Some(seen) if !seen.starts_with("text/") => seen,
        _ if text(content).is_some() => {
            let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
            let known = TEXTS.iter().find(|(known, _)| ending.as_deref() == Some(known));
            known.map_or("text/plain", |(_, kind)| kind)
        }
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_says_what_a_file_is() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        let cases: [(&str, &[u8], &str); 7] = [
            ("a.txt", b"hello", "text/plain"),
            ("a.md", b"# hello", "text/markdown"),
            ("a.CSV", b"a,b\n1,2", "text/csv"),
            ("page.html", b"<html><body>x</body></html>", "text/html"),
            ("notes.txt", png, "image/png"),
            ("letter.txt", b"%PDF-1.7\n%\xe2\xe3", "application/pdf"),
            ("a.txt", b"\x01\x02\0\xff", "application/octet-stream"),
        ];
        for (name, content, expected) in cases {
            assert_eq!(media_type(name, content), expected, "{name}");
        }
    }
}
