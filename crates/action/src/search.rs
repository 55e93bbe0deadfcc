//! The search for an action in a text, and the most telling fault where there is none.

use serde_json::{Map, Value};

use crate::{
    Reply, Unreadable,
    check::{self, describe, tool_call},
    scan::{Object, Scanner},
    schema::ACTIONS,
};

/// The faults of a candidate, the most telling first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// It is an action, but for a field.
    Field,
    /// Its `type` is no action's.
    Type,
    /// It is not JSON.
    Syntax,
    /// It does not look like an action at all.
    Stranger,
}

/// A search for an action; it keeps the most telling fault on its way.
#[derive(Default)]
pub(crate) struct Search {
    fault: Option<(Rank, String)>,
}

impl Search {
    /// The whole text as JSON.
    pub(crate) fn whole(&mut self, text: &str) -> Option<Reply> {
        self.direct(&serde_json::from_str(text).ok()?)
    }

    /// The content of each fenced block. Blocks whose content is more than one JSON value are left to
    /// [`Search::anywhere`].
    pub(crate) fn fenced(&mut self, text: &str) -> Option<Reply> {
        let mut scanner = Scanner::new(text);
        let mut rest = text;
        while let Some((_, fence)) = rest.find(['`', '~']).and_then(|at| rest.split_at_checked(at)) {
            let mark = if fence.starts_with('`') { '`' } else { '~' };
            rest = fence.trim_start_matches(mark);
            if fence.len() - rest.len() < 3 {
                continue;
            }
            let content = rest.trim_start_matches(is_of_info).trim_start();
            let Some(value) = scanner.value_at(text.len() - content.len()) else {
                continue;
            };
            rest = content.get(value.len()..)?;
            if is_end_of_block(rest.trim_start(), mark) {
                let action = serde_json::from_str(value).ok().and_then(|value| self.direct(&value));
                if action.is_some() {
                    return action;
                }
            }
        }
        None
    }

    /// Each JSON object in the text.
    pub(crate) fn anywhere(&mut self, text: &str) -> Option<Reply> {
        let mut scanner = Scanner::new(text);
        let mut from = 0;
        while let Some((at, object)) = scanner.object_from(from) {
            match object {
                Object::Whole(object) => {
                    from = at + object.len();
                    let action = serde_json::from_str(object).ok().and_then(|value| self.nested(&value));
                    if action.is_some() {
                        return action;
                    }
                }
                Object::Cut(object) => {
                    if let Some(kind) = head(object) {
                        // Objects within it are its fields, not actions of their own.
                        self.note(Rank::Field, || {
                            format!("{kind}: the JSON object is cut off before its end")
                        });
                        return None;
                    }
                    from = at + 1;
                }
            }
        }
        None
    }

    /// The object, or the first one of an array that is an action.
    fn direct(&mut self, value: &Value) -> Option<Reply> {
        match value {
            Value::Object(fields) => self.judge(fields).ok(),
            Value::Array(items) => items
                .iter()
                .filter_map(Value::as_object)
                .find_map(|item| self.judge(item).ok()),
            other => {
                self.note(Rank::Stranger, || {
                    format!("the reply must be a JSON object, not {}", describe(other))
                });
                None
            }
        }
    }

    /// The object, or the first one within it that is an action, unless it is one itself but for a field.
    fn nested(&mut self, value: &Value) -> Option<Reply> {
        match value {
            Value::Object(fields) => match self.judge(fields) {
                Ok(reply) => Some(reply),
                Err(Rank::Field) => None,
                Err(_) => fields.values().find_map(|value| self.nested(value)),
            },
            Value::Array(items) => items.iter().find_map(|item| self.nested(item)),
            _ => None,
        }
    }

    /// Reads one object.
    fn judge(&mut self, fields: &Map<String, Value>) -> Result<Reply, Rank> {
        let read = match Kind::of(fields) {
            Kind::Action(kind) => check::reply(kind, fields),
            Kind::Tool(name) => {
                let args = fields.get("args").or_else(|| fields.get("arguments"));
                tool_call(name, args.cloned(), fields.get("notes"))
            }
            Kind::Unknown(kind) => {
                self.note(Rank::Type, || {
                    format!("`type` must be one of {}, not {}", kinds(), describe(kind))
                });
                return Err(Rank::Type);
            }
            Kind::None => {
                self.note(Rank::Stranger, || {
                    format!("`type` is missing: it must be one of {}", kinds())
                });
                return Err(Rank::Stranger);
            }
        };
        read.map_err(|message| {
            self.note(Rank::Field, || message);
            Rank::Field
        })
    }

    fn note(&mut self, rank: Rank, message: impl FnOnce() -> String) {
        if self.fault.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.fault = Some((rank, message()));
        }
    }

    /// The error for the model about a text without an action.
    pub(crate) fn verdict(self, text: &str) -> Unreadable {
        const WANTED: &str = r#"answer with exactly one JSON object, such as {"type":"send_message","message":"…"}"#;
        let message = match (self.fault, syntax_error(text)) {
            (Some((rank, message)), _) if rank < Rank::Syntax => message,
            (_, Some(error)) => format!("the JSON object is broken: {error}"),
            (Some((_, message)), None) => message,
            (None, None) if text.is_empty() => format!("the reply is empty: {WANTED}"),
            (None, None) => format!("the reply holds no JSON object: {WANTED}"),
        };
        Unreadable { message }
    }
}

/// The kind of an object, by its `type` or else its `name`.
pub(crate) enum Kind<'a> {
    Action(&'a str),
    /// A "tool.command".
    Tool(&'a str),
    Unknown(&'a Value),
    None,
}

impl<'a> Kind<'a> {
    pub(crate) fn of(fields: &'a Map<String, Value>) -> Self {
        let text = |name| fields.get(name).and_then(Value::as_str);
        let command = |name| text(name).filter(|text| is_command(text));
        match fields.get("type").filter(|kind| !kind.is_null()) {
            Some(Value::String(kind)) if ACTIONS.contains_key(kind) => Self::Action(kind),
            kind => match (command("type").or_else(|| command("name")), kind) {
                (Some(command), _) => Self::Tool(command),
                (None, Some(kind)) => Self::Unknown(kind),
                (None, None) => Self::None,
            },
        }
    }
}

/// Whether this is a tool's name and a command's, joined by a dot.
fn is_command(text: &str) -> bool {
    const LONGEST: usize = 128;
    let in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    text.len() <= LONGEST
        && text.contains('.')
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .split('.')
            .all(|word| !word.is_empty() && word.bytes().all(in_word))
}

fn kinds() -> String {
    ACTIONS.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Whether a character may stand in the word behind a fence.
pub(crate) fn is_of_info(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_+-.".contains(character)
}

fn is_end_of_block(rest: &str, mark: char) -> bool {
    rest.is_empty() || rest.chars().take_while(|&character| character == mark).take(3).count() == 3
}

/// The action that an object whose end is missing began to be: what its first field says.
pub(crate) fn head(object: &str) -> Option<&str> {
    let field = object.strip_prefix('{')?.trim_start();
    let value = field
        .strip_prefix("\"type\"")
        .or_else(|| field.strip_prefix("\"name\""))?;
    let (kind, _) = value
        .trim_start()
        .strip_prefix(':')?
        .trim_start()
        .strip_prefix('"')?
        .split_once('"')?;
    (ACTIONS.contains_key(kind) || is_command(kind)).then_some(kind)
}

/// Why the first thing in the text that wants to be an object is none.
fn syntax_error(text: &str) -> Option<String> {
    let opens = |(at, _): &(usize, &str)| {
        text.get(at + 1..)
            .is_some_and(|rest| rest.trim_start().starts_with(['"', '\'', '}']))
    };
    let (start, _) = text.match_indices('{').find(opens)?;
    let mut values = serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<Value>();
    values.next()?.err().map(|error| error.to_string())
}
