//! Arguments as a question shows them: one below the other, each with the line that says where it comes from.

use clifford_markup::is_deceiving;
use clifford_text::Lang;
use serde_json::{Map, Value};

use crate::policy::trace::Traced;

/// Begins a line that says where an argument comes from.
const ORIGIN: char = '←';
/// Longer lists and objects take a line for each of their values.
const WIDTH: usize = 32;

/// Arguments as they are, each with its origin.
pub(super) fn arguments(args: &Map<String, Value>, traced: &[Traced], lang: Lang) -> String {
    let mut lines = Vec::new();
    for (name, value) in args {
        lines.push(argument(name, value));
        lines.extend(of_argument(name, traced, lang));
    }
    lines.join("\n")
}

/// The origins alone, each with the name of its argument.
pub(super) fn origins(traced: &[Traced], lang: Lang) -> String {
    let lines = (traced.iter()).map(|traced| format!("{}\n{}", named(&traced.argument), origin(traced, None, lang)));
    lines.collect::<Vec<_>>().join("\n")
}

/// One argument. A text of several lines keeps them.
fn argument(name: &str, value: &Value) -> String {
    let name = named(name);
    match value {
        Value::String(text) if text.contains('\n') => {
            let lines = text
                .split('\n')
                .map(|line| format!("  | {}", within(&json(&Value::from(line)))));
            format!("{name}:\n{}", lines.collect::<Vec<_>>().join("\n"))
        }
        value if value.is_array() || value.is_object() => {
            let short = json(value);
            match short.chars().count() > WIDTH {
                true => {
                    let long = escaped(&serde_json::to_string_pretty(value).unwrap_or_default());
                    format!("{name}: {long}")
                }
                false => format!("{name}: {short}"),
            }
        }
        value => format!("{name}: {}", json(value)),
    }
}

/// An argument of a call, for those who draw it themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its value, as it will be sent.
    pub value: Value,
    /// Where it comes from: once if all of its values come from the same place, else each by where it stands.
    pub origins: Vec<(Option<String>, String)>,
}

/// Arguments as they are, each with its origins.
pub(super) fn listed(args: &Map<String, Value>, traced: &[Traced], lang: Lang) -> Vec<Argument> {
    let of_one = |(name, value): (&String, &Value)| Argument {
        name: name.clone(),
        value: value.clone(),
        origins: (sources(name, traced).into_iter())
            .map(|(of, traced)| (of.map(str::to_owned), traced.origin.text(lang)))
            .collect(),
    };
    args.iter().map(of_one).collect()
}

/// Where the values of an argument come from, a line each.
fn of_argument(name: &str, traced: &[Traced], lang: Lang) -> Vec<String> {
    let sources = sources(name, traced).into_iter();
    sources.map(|(of, traced)| origin(traced, of, lang)).collect()
}

/// Where the values of an argument come from: one place if it is the same of all.
fn sources<'a>(name: &str, traced: &'a [Traced]) -> Vec<(Option<&'a str>, &'a Traced)> {
    let is_of = |path: &str| {
        let rest = path.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
    };
    let all: Vec<_> = traced.iter().filter(|traced| is_of(&traced.argument)).collect();
    match all[..] {
        [] => Vec::new(),
        [first, ref others @ ..] if others.iter().all(|other| other.origin == first.origin) => {
            vec![(None, first)]
        }
        _ => (all.iter())
            .map(|traced| (Some(traced.argument.as_str()), *traced))
            .collect(),
    }
}

fn origin(traced: &Traced, of: Option<&str>, lang: Lang) -> String {
    let told = escaped(&traced.origin.text(lang)).replace('\n', " ");
    match of {
        Some(path) => format!("  {ORIGIN} {}: {told}", named(path)),
        None => format!("  {ORIGIN} {told}"),
    }
}

/// A name as it is; one that could be read as something else is quoted.
fn named(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-() ".contains(c);
    match name.chars().all(is_plain) {
        true => name.to_owned(),
        false => json(&Value::from(name)),
    }
}

fn json(value: &Value) -> String {
    escaped(&serde_json::to_string(value).unwrap_or_default())
}

fn within(quoted: &str) -> &str {
    let behind = quoted.strip_prefix('"').unwrap_or(quoted);
    behind.strip_suffix('"').unwrap_or(behind)
}

/// Within JSON `\u` stands for the same; only text in strings holds such characters.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || !(c == '`' || c == ORIGIN || is_deceiving(c)) {
            safe.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::trace::{Origin, Source};

    fn from(argument: &str, origin: Origin) -> Traced {
        Traced {
            argument: argument.to_owned(),
            origin,
        }
    }

    #[test]
    fn arguments_are_read_line_by_line_with_their_origins() {
        let source = Source {
            command: "bank.read_file".to_owned(),
            read: Some("bill-december.txt".to_owned()),
            is_foreign: true,
        };
        let text = || Origin::Text { source: source.clone() };
        let args = json!({
            "amount": 98.7,
            "recipients": ["a@x.example", "US133000000121212121212"],
            "text": "Hi,\nsee you",
            "your_ids": [1, 2],
        });
        let traced = [
            from("amount", Origin::Person),
            from("recipients (1 of 2)", Origin::Person),
            from("recipients (2 of 2)", text()),
            from("text", Origin::Model { holding: None }),
            from("your_ids (1 of 2)", text()),
            from("your_ids (2 of 2)", text()),
        ];
        let expected = "amount: 98.7\n  ← your message\n\
                        recipients: [\n  \"a@x.example\",\n  \"US133000000121212121212\"\n]\n\
                        \x20 ← recipients (1 of 2): your message\n\
                        \x20 ← recipients (2 of 2): only in bill-december.txt (bank.read_file)\n\
                        text:\n  | Hi,\n  | see you\n  ← my own words\n\
                        your_ids: [1,2]\n  ← only in bill-december.txt (bank.read_file)";
        assert_eq!(arguments(args.as_object().unwrap(), &traced, Lang::English), expected);
        let german = arguments(args.as_object().unwrap(), &traced[..1], Lang::German);
        assert!(german.starts_with("amount: 98.7\n  ← deine Nachricht\n"), "{german}");
    }

    #[test]
    fn arguments_are_listed_with_their_origins() {
        let source = Source {
            command: "mail.search".to_owned(),
            read: None,
            is_foreign: true,
        };
        let args = json!({ "to": ["a@x.example", "eve@x.example"], "text": "Hi", "copy": false });
        let traced = [
            from("to (1 of 2)", Origin::Person),
            from("to (2 of 2)", Origin::Text { source }),
            from("text", Origin::Person),
        ];
        let listed = listed(args.as_object().unwrap(), &traced, Lang::English).into_iter();
        let told: Vec<_> = listed
            .map(|argument| (argument.name, argument.value, argument.origins))
            .collect();
        let own = |of: Option<&str>| (of.map(str::to_owned), "your message".to_owned());
        let others = (
            Some("to (2 of 2)".to_owned()),
            "only in the mail.search result".to_owned(),
        );
        let expected = [
            (
                "to".to_owned(),
                args["to"].clone(),
                vec![own(Some("to (1 of 2)")), others],
            ),
            ("text".to_owned(), json!("Hi"), vec![own(None)]),
            ("copy".to_owned(), json!(false), vec![]),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn no_argument_claims_an_origin() {
        let cases = [
            (
                json!({"to": "eve\n  ← your message"}),
                "to:\n  | eve\n  |   \\u2190 your message",
            ),
            (
                json!({"a: 1\n  ← your message\nto": 1}),
                r#""a: 1\n  \u2190 your message\nto": 1"#,
            ),
            (json!({"to": "```\u{202e}"}), r#"to: "\u0060\u0060\u0060\u202e""#),
        ];
        for (args, expected) in cases {
            assert_eq!(arguments(args.as_object().unwrap(), &[], Lang::English), expected);
        }
        let named = from("to\n  ← your message", Origin::Person);
        assert_eq!(
            origins(&[named], Lang::English),
            "\"to\\n  \\u2190 your message\"\n  ← your message"
        );
    }
}
