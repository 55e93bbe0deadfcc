//! Tables as CSV, for spreadsheets.

use std::io;

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use futures::{Stream, StreamExt, TryStreamExt, stream};

use crate::failure::Failure;

/// A cell. A name that a spreadsheet would work out as a formula stays text.
pub(crate) fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = text.replace('"', "\"\"");
    format!("\"{}{text}\"", if is_formula { "'" } else { "" })
}

/// A line of these cells.
pub(crate) fn line(cells: &[String]) -> String {
    format!("{}\r\n", cells.join(","))
}

/// The answer with a table, as a file of this name.
pub(crate) fn file(name: &'static str, text: String) -> Response {
    named(name, text.into_response())
}

/// The same of a table whose further lines come as they are read. One that breaks off is no whole file to the browser.
pub(crate) fn streamed(
    name: &'static str,
    first: String,
    rest: impl Stream<Item = Result<String, Failure>> + Send + 'static,
) -> Response {
    let lines = stream::once(async { Ok(first) }).chain(rest);
    let lines = lines.map_err(move |_| {
        tracing::warn!(name, "failed to export a table, its file breaks off");
        io::Error::other("the table breaks off")
    });
    named(name, Body::from_stream(lines).into_response())
}

fn named(name: &'static str, mut response: Response) -> Response {
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/csv; charset=utf-8");
    headers.insert(header::CONTENT_TYPE, kind);
    if let Ok(attached) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, attached);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_formulas() {
        for (text, expected) in [
            ("Ada", "\"Ada\""),
            ("a,\"b\"\r\nc", "\"a,\"\"b\"\"\r\nc\""),
            ("=1+2", "\"'=1+2\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
        ] {
            assert_eq!(cell(text), expected);
        }
        assert_eq!(line(&[cell("a"), "1".to_owned()]), "\"a\",1\r\n");
    }
}
