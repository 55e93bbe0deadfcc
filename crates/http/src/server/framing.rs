//! The check of how a request's body is framed. A proxy that reads `Transfer-Encoding` otherwise than this server would
//! see another request behind the body than this server does (request smuggling). Pure.
//!
//! The parser below refuses what has two lengths, and ends the connection behind a request that has both a length and
//! chunks. This check refuses the encodings that the parser takes and proxies disagree on.

use axum::http::{HeaderMap, header};

use super::super::problem::{Code, Problem};

/// Checks that a body comes with its length or in chunks, and is encoded in no other way.
///
/// # Errors
/// It has another `Transfer-Encoding`, or several.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Problem> {
    let mut encodings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let is_clear = match (encodings.next(), encodings.next()) {
        (None, _) => true,
        (Some(only), None) => only.as_bytes().eq_ignore_ascii_case(b"chunked"),
        (Some(_), Some(_)) => false,
    };
    is_clear.then_some(()).ok_or_else(|| {
        let detail = "send a Content-Length, or `Transfer-Encoding: chunked` once and alone";
        Problem::new(Code::InvalidHeader, detail).of_field("Transfer-Encoding")
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_body_is_chunked_once_or_not_at_all() {
        for (encodings, is_clear) in [
            (&[][..], true),
            (&["chunked"], true),
            (&["Chunked"], true),
            (&["chunked", "chunked"], false),
            (&["chunked, chunked"], false),
            (&["gzip, chunked"], false),
            (&["identity"], false),
            (&[""], false),
        ] {
            let mut headers = HeaderMap::new();
            for encoding in encodings {
                headers.append(header::TRANSFER_ENCODING, HeaderValue::from_static(encoding));
            }
            assert_eq!(check(&headers).is_ok(), is_clear, "{encodings:?}");
        }
    }
}
