//! Reading a model's reply, however noisy: the last line of defence between text and actions.
//!
//! Takes linear time in the reply's length and never panics, whatever the bytes.

use serde_json::{Map, Value};

use crate::{
    Reply, Unreadable,
    check::{self, describe, shortened, tool_call},
    halves::without_halves,
    schema::ACTIONS,
    search::Search,
    think::without_thoughts,
};

/// Reads the action in a model's reply, and the notes that came with it.
///
/// The model's thoughts are left out. Then the first of these that is an action counts: the whole text as JSON; the
/// content of each fenced block; each JSON object in the text, from the front. Of an array it is the first object
/// that is one.
///
/// # Errors
/// [`Unreadable`] says what is wrong: of an object that is an action but for a field, which field and why.
pub fn read(text: &str) -> Result<Reply, Unreadable> {
    let text = without_halves(text);
    let text = text.as_ref();
    let mut search = Search::default();
    let spoken = without_thoughts(text);
    let spoken = trimmed(&spoken);
    // A text that is JSON as a whole holds the tags of a thought as text.
    let is_json = spoken.len() < text.len() && serde_json::from_str::<serde::de::IgnoredAny>(trimmed(text)).is_ok();
    is_json
        .then(|| search.whole(trimmed(text)))
        .flatten()
        .or_else(|| search.whole(spoken))
        .or_else(|| search.fenced(spoken))
        .or_else(|| search.anywhere(spoken))
        // A message may hold the tags of a thought as text.
        .or_else(|| {
            (spoken.len() < text.len())
                .then(|| search.whole(trimmed(text)))
                .flatten()
        })
        .ok_or_else(|| search.verdict(spoken))
}

/// Reads a call in a provider's own form: `arguments` is JSON text, empty for none.
///
/// The name of an action stands for that action, any other name for a tool. Providers allow no dots in names: without
/// one, the first `__` stands for it.
///
/// # Errors
/// As [`read`].
pub fn read_native(name: &str, arguments: &str) -> Result<Reply, Unreadable> {
    let unreadable = |message| Unreadable { message };
    let parsed = |text: &str| {
        serde_json::from_str(text)
            .map_err(|error| unreadable(format!("the arguments of {} are not JSON: {error}", shortened(name))))
    };
    let arguments = match trimmed(&without_halves(arguments)) {
        "" => Value::Null,
        text => match parsed(text)? {
            // Some servers write the JSON of JSON.
            Value::String(text) if text.trim_start().starts_with('{') => parsed(&text)?,
            arguments => arguments,
        },
    };
    let fields = match arguments {
        Value::Null => Map::new(),
        Value::Object(fields) => fields,
        other => {
            let (name, other) = (shortened(name), describe(&other));
            return Err(unreadable(format!(
                "the arguments of {name} must be an object, not {other}"
            )));
        }
    };
    let name = name.trim();
    if ACTIONS.contains_key(name) {
        return check::reply(name, &fields).map_err(unreadable);
    }
    let name = if name.contains('.') {
        name.to_owned()
    } else {
        name.replacen("__", ".", 1)
    };
    tool_call(&name, Some(fields.into()), None).map_err(unreadable)
}

pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}')
}
