//! Addresses of pages and of the API, made of what people wrote.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

/// Characters that stand for themselves in a part of an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A text as one part of an address.
pub(crate) fn part(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// A path with the parameters that have a value.
pub(crate) fn with_query(path: &str, parameters: &[(&str, &str)]) -> String {
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<_> = given.map(|(name, value)| format!("{name}={}", part(value))).collect();
    if pairs.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", pairs.join("&"))
    }
}

/// Whether a path leads to this server, wherever a browser resolves it.
pub(crate) fn is_local(path: &str) -> bool {
    let Ok(base) = Url::parse("http://local.invalid/") else {
        return false;
    };
    let plain = path.starts_with('/') && !path.contains(['\\', '\r', '\n', '\t', '\0']);
    plain
        && base
            .join(path)
            .is_ok_and(|url| url.origin() == base.origin() && !path.starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_people_stay_one_part_of_an_address() {
        assert_eq!(part("a/../b?c=d&e#f ä"), "a%2F..%2Fb%3Fc%3Dd%26e%23f%20%C3%A4");
        let made = with_query("/api/runs", &[("status", ""), ("user", "a&b=c"), ("limit", "50")]);
        assert_eq!(made, "/api/runs?user=a%26b%3Dc&limit=50");
        assert_eq!(with_query("/api/runs", &[("status", "")]), "/api/runs");
    }

    #[test]
    fn no_redirect_leaves_the_server() {
        for (path, expected) in [
            ("/", true),
            ("/runs?status=failed", true),
            ("/runs/1#step-3", true),
            ("//evil.example", false),
            ("/\\evil.example", false),
            ("https://evil.example", false),
            ("javascript:alert(1)", false),
            ("runs", false),
            ("", false),
            ("/\t/evil.example", false),
            ("/x\r\nset-cookie: a=b", false),
        ] {
            assert_eq!(is_local(path), expected, "{path:?}");
        }
    }
}
