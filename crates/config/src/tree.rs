//! A configuration before it is understood: values, each with its place.

use std::{collections::BTreeMap, ops::Range, path::Path, sync::Arc};

use serde_json::json;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Location,
    error::{ConfigErrors, Problem},
};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub place: Location,
    pub value: Value,
}

/// A value of a file, a variable or a flag.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Table(BTreeMap<String, Node>),
    List(Vec<Node>),
    Text(String),
    Integer(i64),
    Float(f64),
    Flag(bool),
    /// A value that no key takes: a date, or a number beyond 64 bits.
    Other(String),
}

impl Node {
    /// A table with nothing in it.
    pub fn empty(place: Location) -> Self {
        Self {
            place,
            value: Value::Table(BTreeMap::new()),
        }
    }

    /// A text.
    pub fn text(place: Location, text: impl Into<String>) -> Self {
        Self {
            place,
            value: Value::Text(text.into()),
        }
    }

    /// A table of these entries.
    pub fn table<const N: usize>(place: Location, entries: [(&str, Node); N]) -> Self {
        let entries = entries.map(|(key, node)| (key.to_owned(), node));
        Self {
            place,
            value: Value::Table(BTreeMap::from(entries)),
        }
    }

    /// The entry of a table.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(entries) => entries.get(key),
            _ => None,
        }
    }

    /// The node at a path such as `llm.providers[0].name`.
    pub fn find(&self, path: &str) -> Option<&Self> {
        path.split(['.', '['])
            .try_fold(self, |node, step| match (&node.value, step.strip_suffix(']')) {
                (Value::List(items), Some(index)) => items.get(index.parse::<usize>().ok()?),
                _ => node.get(step),
            })
    }

    /// Takes out what stands at paths such as `llm.providers[0].name`, in one walk.
    pub fn remove(&mut self, is_removed: &impl Fn(&str) -> bool) {
        self.remove_below("", is_removed);
    }

    fn remove_below(&mut self, path: &str, is_removed: &impl Fn(&str) -> bool) {
        let stays = |path: &str, node: &mut Self| {
            let stays = !is_removed(path);
            if stays {
                node.remove_below(path, is_removed);
            }
            stays
        };
        match &mut self.value {
            Value::Table(entries) => entries.retain(|key, node| stays(&join(path, key), node)),
            Value::List(items) => {
                let mut index = 0;
                items.retain_mut(|node| {
                    index += 1;
                    stays(&format!("{path}[{}]", index - 1), node)
                });
            }
            _ => {}
        }
    }

    /// Puts `node` at `path`, over what stood there; tables on the way are made.
    pub fn put(&mut self, path: &[&str], node: Self) {
        let Some((first, rest)) = path.split_first() else {
            *self = node;
            return;
        };
        if !matches!(self.value, Value::Table(_)) {
            *self = Self::empty(node.place.clone());
        }
        if let Value::Table(entries) = &mut self.value {
            entries
                .entry((*first).to_owned())
                .or_insert_with(|| Self::empty(node.place.clone()))
                .put(rest, node);
        }
    }

    /// Puts `node` at `path` unless something stands there, or on the way there.
    pub fn put_default(&mut self, path: &str, node: Self) {
        let steps: Vec<_> = path.split('.').collect();
        let is_free = |end: usize| {
            let there = self.find(&steps[..end].join("."));
            there.is_none_or(|there| end < steps.len() && matches!(there.value, Value::Table(_)))
        };
        if (1..=steps.len()).all(is_free) {
            self.put(&steps, node);
        }
    }

    /// The same without places.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Table(entries) => entries
                .iter()
                .map(|(key, node)| (key.clone(), node.to_json()))
                .collect(),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Text(text) | Value::Other(text) => json!(text),
            Value::Integer(number) => json!(number),
            Value::Float(number) => json!(number),
            Value::Flag(flag) => json!(flag),
        }
    }
}

/// The path of an entry of the table at `path`.
pub(super) fn join(path: &str, key: &str) -> String {
    match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    }
}

impl Value {
    /// The value in words, for messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Table(_) => "a table".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Text(text) => format!("the text {:?}", shorten(text)),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => format!("{number:?}"),
            Self::Flag(flag) => flag.to_string(),
            Self::Other(text) => shorten(text),
        }
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The lines of a text. Each value of a file asks for its own, so they are counted once.
struct Lines {
    /// Where each but the first begins.
    starts: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self {
            starts: ends.map(|(end, _)| end + 1).collect(),
        }
    }

    /// The number of the line in which this byte stands, from 1.
    fn at(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) + 1
    }
}

/// Reads a file's text. All faults of its syntax are reported together.
pub fn read(text: &str, path: &Arc<Path>) -> Result<Node, ConfigErrors> {
    let lines = Lines::of(text);
    let place = |span: Range<usize>| Location::File {
        path: Arc::clone(path),
        line: lines.at(span.start),
    };
    let (document, faults) = DeTable::parse_recoverable(text);
    let faults = faults.iter().map(|fault| {
        Problem::new(
            fault.span().map(place),
            "",
            format!("this is not TOML: {}", fault.message()),
        )
    });
    ConfigErrors::unless_empty(faults.collect())?;
    Ok(Node {
        place: place(document.span()),
        value: table(document.get_ref(), &place),
    })
}

/// Reads one value in TOML's or JSON's way of writing.
pub(super) fn read_value(text: &str, place: &Location) -> Option<Node> {
    if let Ok(parsed) = DeValue::parse(text) {
        return Some(Node {
            place: place.clone(),
            value: value(parsed.get_ref(), &|_| place.clone()),
        });
    }
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let again = toml::Value::try_from(json).ok()?.to_string();
    let parsed = DeValue::parse(&again).ok()?;
    Some(Node {
        place: place.clone(),
        value: value(parsed.get_ref(), &|_| place.clone()),
    })
}

fn table(entries: &DeTable<'_>, place: &dyn Fn(Range<usize>) -> Location) -> Value {
    let entry = |(key, entry): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let key: &Spanned<std::borrow::Cow<'_, str>> = key;
        let node = Node {
            place: place(key.span()),
            value: value(entry.get_ref(), place),
        };
        (key.get_ref().to_string(), node)
    };
    Value::Table(entries.iter().map(entry).collect())
}

fn value(parsed: &DeValue<'_>, place: &dyn Fn(Range<usize>) -> Location) -> Value {
    match parsed {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::Other(number.to_string()), Value::Integer),
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .map_or_else(|| Value::Other(number.to_string()), Value::Float),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Other(date.to_string()),
        DeValue::Array(items) => Value::List(
            items
                .iter()
                .map(|item| Node {
                    place: place(item.span()),
                    value: value(item.get_ref(), place),
                })
                .collect(),
        ),
        DeValue::Table(entries) => table(entries, place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_stands_in_a_line() {
        let lines = Lines::of("a = 1\n\nb = \"é\"\r\nc = 2");
        for (byte, line) in [
            (0, 1),
            (4, 1),
            (5, 1),
            (6, 2),
            (7, 3),
            (16, 3),
            (17, 4),
            (21, 4),
            (99, 4),
        ] {
            assert_eq!(lines.at(byte), line, "{byte}");
        }
        assert_eq!(Lines::of("").at(0), 1);
    }
}
