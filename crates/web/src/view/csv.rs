//! Tables as CSV, for spreadsheets.

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};

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
    let mut response = text.into_response();
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
