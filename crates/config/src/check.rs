//! Checks a configuration against the schema: every unknown key, wrong type and value out of range at once.

use std::cell::OnceCell;

use super::{
    error::Problem,
    format::Format,
    nearest::{nearest, nearest_path, paths},
    shape::Shape,
    tree::{Node, Value, join},
};

/// Everything that is wrong with `tree`, by the schema alone.
pub(super) fn check(tree: &Node, root: Shape<'_>) -> Vec<Problem> {
    let mut checker = Checker {
        root,
        paths: OnceCell::new(),
        problems: Vec::new(),
    };
    checker.value(tree, root, "");
    checker.problems
}

struct Checker<'a> {
    root: Shape<'a>,
    /// The paths of all keys, once an unknown one asks for them.
    paths: OnceCell<Vec<String>>,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn value(&mut self, node: &Node, shape: Shape<'_>, path: &str) {
        if shape.is_secret() {
            return self.secret(node, path);
        }
        match &node.value {
            Value::Table(entries) if shape.takes("object") => {
                for (key, entry) in entries {
                    let path = join(path, key);
                    match shape.key(key) {
                        Some(shape) => self.value(entry, shape, &path),
                        None => self.unknown(entry, shape, &path, key),
                    }
                }
            }
            Value::List(items) if shape.takes("array") => {
                for (index, item) in items.iter().enumerate() {
                    if let Some(shape) = shape.items() {
                        self.value(item, shape, &format!("{path}[{index}]"));
                    }
                }
            }
            Value::Text(text) if shape.takes("string") => self.text(node, text, shape, path),
            Value::Integer(number) if shape.takes("integer") || shape.takes("number") => {
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "bounds are far below 2^53, and rounding keeps order"
                )]
                self.number(node, *number as f64, shape, path);
            }
            Value::Float(number) if shape.takes("number") => self.number(node, *number, shape, path),
            Value::Flag(_) if shape.takes("boolean") => {}
            _ => self.unexpected(node, shape, path),
        }
    }

    fn unknown(&mut self, node: &Node, table: Shape<'_>, path: &str, key: &str) {
        let what = if matches!(node.value, Value::Table(_)) {
            "section"
        } else {
            "key"
        };
        let prefix = path.strip_suffix(key).unwrap_or_default();
        let near = nearest(key, table.keys().map(|(name, _)| name))
            .map(|name| format!("{prefix}{name}"))
            .or_else(|| nearest_path(key, self.paths.get_or_init(|| paths(self.root))));
        let hint = near.map_or_else(
            || {
                format!(
                    "known here: {}",
                    table.keys().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
                )
            },
            |near| format!("did you mean `{near}`?"),
        );
        self.report(node, path, format!("unknown {what}; {hint}"));
    }

    fn text(&mut self, node: &Node, text: &str, shape: Shape<'_>, path: &str) {
        let choices = shape.choices();
        let (shortest, longest) = shape.length();
        let fits = (choices.is_empty() || choices.contains(&text))
            && shape
                .format()
                .and_then(Format::named)
                .is_none_or(|format| format.fits(text))
            && (shortest..=longest).contains(&text.chars().count());
        if !fits {
            self.unexpected(node, shape, path);
        }
    }

    fn number(&mut self, node: &Node, number: f64, shape: Shape<'_>, path: &str) {
        let (least, most) = shape.range();
        if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
            self.unexpected(node, shape, path);
        }
    }

    /// A text, `{ env = "NAME" }` or `{ file = "PATH" }`. The secret itself is never repeated.
    fn secret(&mut self, node: &Node, path: &str) {
        let filled = |node: &Node| matches!(&node.value, Value::Text(text) if !text.trim().is_empty());
        let fits = filled(node)
            || matches!(&node.value, Value::Table(entries) if entries.len() == 1
                && ["env", "file"].iter().any(|way| entries.get(*way).is_some_and(filled)));
        if !fits {
            let is_empty = matches!(&node.value, Value::Text(text) if text.trim().is_empty());
            let fault = "expected { env = \"NAME\" }, { file = \"PATH\" } or the text itself";
            let but = if is_empty { ", but it is empty" } else { "" };
            self.report(node, path, format!("{fault}{but}"));
        }
    }

    fn unexpected(&mut self, node: &Node, shape: Shape<'_>, path: &str) {
        let given = match &node.value {
            Value::Text(text) => Value::Text(clifford_vault::redact_url(text)).describe(),
            other => other.describe(),
        };
        self.report(node, path, format!("expected {}, but got {given}", expected(shape)));
    }

    fn report(&mut self, node: &Node, path: &str, fault: String) {
        self.problems.push(Problem::new(node.place.clone(), path, fault));
    }
}

/// The values that a key may hold, in words.
fn expected(shape: Shape<'_>) -> String {
    let choices = shape.choices();
    if let Some(format) = shape.format().and_then(Format::named) {
        return format.expected().to_owned();
    }
    match (choices.as_slice(), shape.length()) {
        ([only], _) => format!("{only:?}"),
        ([_, _, ..], _) => {
            let choices: Vec<_> = choices.iter().map(|choice| format!("{choice:?}")).collect();
            format!("one of {}", choices.join(", "))
        }
        ([], (shortest, longest)) if shape.takes("string") && longest < usize::MAX => {
            format!("a text of {shortest} to {longest} characters")
        }
        ([], (1.., _)) if shape.takes("string") => "a text that is not empty".to_owned(),
        _ if shape.takes("string") => "a text".to_owned(),
        _ if shape.takes("boolean") => "true or false".to_owned(),
        _ if shape.takes("integer") => format!("a whole number{}", bounds(shape)),
        _ if shape.takes("number") => format!("a number{}", bounds(shape)),
        _ if shape.takes("array") => "a list".to_owned(),
        _ => "a table".to_owned(),
    }
}

fn bounds(shape: Shape<'_>) -> String {
    match shape.range() {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    }
}
