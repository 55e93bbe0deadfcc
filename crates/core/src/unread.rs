//! Errors of the readers of JSON, queries and texts, in words for people. Pure.

use crate::search::near;

/// So many slips make a name another one.
const SLIPS: usize = 2;

/// A reader's fault in words; `None`: it is no reader's. Where it stands in the text is told only of what is no JSON.
pub fn in_words(fault: &str) -> Option<String> {
    let (told, place) = match fault.rsplit_once(" at line ") {
        Some((told, place)) if place.starts_with(|first: char| first.is_ascii_digit()) => (told, Some(place)),
        _ => (fault, None),
    };
    of_fields(told)
        .or_else(|| of_values(told))
        .or_else(|| of_syntax(told, place?))
}

fn of_fields(told: &str) -> Option<String> {
    if let Some(field) = told.strip_prefix("missing field ") {
        return Some(format!("{field} is missing"));
    }
    if let Some(field) = told.strip_prefix("duplicate field ") {
        return Some(format!("{field} stands there twice"));
    }
    let (unknown, known) = told.split_once(", ").unwrap_or((told, ""));
    let known = known.trim_start_matches("expected ").trim_start_matches("one of ");
    let near = nearest(unknown, known);
    let known = known.replace('`', "");
    if let Some(field) = unknown.strip_prefix("unknown field ") {
        return Some(match (near, &*known) {
            (_, "" | "there are no fields") => format!("there is no {field} here"),
            (Some(near), _) => format!("there is no {field} here; did you mean `{near}`?"),
            (None, known) => format!("there is no {field} here; there are {known}"),
        });
    }
    let word = unknown.strip_prefix("unknown variant ")?;
    Some(format!("{word} is none of {known}"))
}

/// The known name that an unknown one is a slip of. All of them stand between backticks.
fn nearest<'a>(unknown: &str, known: &'a str) -> Option<&'a str> {
    let unknown = unknown.split('`').nth(1)?;
    let known = known.split('`').skip(1).step_by(2);
    let counted = known.map(|name| (near::slips(name, unknown), name));
    let (slips, name) = counted.min_by_key(|(slips, _)| *slips)?;
    (slips <= SLIPS && slips < unknown.chars().count()).then_some(name)
}

fn of_values(told: &str) -> Option<String> {
    for kind in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some((given, expected)) = told.strip_prefix(kind).and_then(|rest| rest.split_once(", expected ")) {
            return Some(format!("expected {}, but got {given}", kind_in_words(expected)));
        }
    }
    let is_number = [
        "invalid digit found in string",
        "cannot parse integer from empty string",
        "number too large to fit in target type",
        "number too small to fit in target type",
    ];
    if is_number.contains(&told) {
        return Some("expected a whole number in its bounds".to_owned());
    }
    if told.starts_with("provided string was not `true` or `false`") {
        return Some("write true or false".to_owned());
    }
    None
}

/// A type of the language in which this is written, as people know it.
fn kind_in_words(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "a borrowed string" | "string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

fn of_syntax(told: &str, place: &str) -> Option<String> {
    if told.starts_with("EOF while parsing ") {
        return Some("it ends too early".to_owned());
    }
    if told == "trailing characters" {
        return Some(format!("something stands behind its end, at line {place}"));
    }
    let is_syntax = [
        "expected ",
        "key must be ",
        "invalid ",
        "control character ",
        "lone ",
        "trailing comma",
        "recursion ",
    ];
    let is_syntax = is_syntax.iter().any(|beginning| told.starts_with(beginning));
    is_syntax.then(|| format!("it cannot be read from line {place} on"))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its faults are looked at")]
    struct Form {
        size: u32,
        kind: Kind,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Small,
        Large,
    }

    #[test]
    fn what_a_reader_of_json_says_is_said_in_words() {
        let cases = [
            (r#"{"size":1}"#, "`kind` is missing"),
            (r#"{"size":1,"size":2}"#, "`size` stands there twice"),
            (r#"{"seize":1}"#, "there is no `seize` here; did you mean `size`?"),
            (r#"{"colour":1}"#, "there is no `colour` here; there are size or kind"),
            (r#"{"x":1}"#, "there is no `x` here; there are size or kind"),
            (r#"{"size":"x"}"#, "expected a whole number, but got string \"x\""),
            (r#"{"size":-1}"#, "expected a whole number, but got integer `-1`"),
            (r#"{"size":1,"kind":"x"}"#, "`x` is none of small or large"),
            (r#"{"size":1"#, "it ends too early"),
            (r#"{size:1}"#, "it cannot be read from line 1 column 2 on"),
            (
                r#"{"size":1,"kind":"small"}x"#,
                "something stands behind its end, at line 1 column 26",
            ),
        ];
        for (text, expected) in cases {
            let fault = serde_json::from_str::<Form>(text).unwrap_err().to_string();
            assert_eq!(in_words(&fault).as_deref(), Some(expected), "{fault}");
        }
    }

    #[test]
    fn what_no_reader_says_is_left_alone() {
        for text in ["it is empty", "a cat, expected", "nothing at line up", "", "missing"] {
            assert_eq!(in_words(text), None, "{text}");
        }
        let number = "x".parse::<u32>().unwrap_err().to_string();
        assert_eq!(
            in_words(&number).as_deref(),
            Some("expected a whole number in its bounds")
        );
    }
}
