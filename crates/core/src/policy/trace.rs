//! Where the arguments of a call come from, and what of it may go ahead though the run has read words of others. Pure.
//!
//! Three grounds let a call that changes something go ahead in a tainted run ([`grounds`]); each is a reading of all of
//! its arguments, to the last leaf, as they will be sent:
//!
//! - **The person said it**: every argument that is neither prose nor a date stands in their own message of this turn.
//! - **It was announced** before anything of others was read, and every argument is the person's word or one whole field
//!   of an announced result, of which no running text speaks. Addresses, accounts and other codes are only ever the
//!   person's: a field can be written by anybody who may send a message. So is a field beside running text, unless it
//!   is the object's id, which the service made.
//! - **It is the person's own**: a reminder or a memory of theirs in their own words.
//!
//! Prose tells nothing that the person did not say and no announced result told (`policy/prose.rs`).

mod fields;
mod origins;

pub(super) use fields::each_text;
pub use origins::{Holding, Origin, Source, Traced, is_unasked, origins};
use serde_json::{Map, Value};

use super::{
    evidence::{Evidence, tool},
    phrase::{self, Said},
    prose::{self, Prose},
    words::Known,
};

/// Arguments that are written to be read by people.
const PROSE: [&str; 17] = [
    "body",
    "caption",
    "comment",
    "content",
    "contents",
    "description",
    "details",
    "memo",
    "message",
    "note",
    "notes",
    "reason",
    "subject",
    "summary",
    "text",
    "title",
    "topic",
];
/// Of these, what names something.
const TITLES: [&str; 4] = ["subject", "summary", "title", "topic"];
/// What concerns its person alone, and can be taken back.
const OWN: [&str; 3] = ["memory.put", "reminders.set", "reminders.update"];

/// Why a call may go ahead, or what speaks against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grounds {
    /// The person said what it does, and to whom.
    Said,
    /// It was announced before anything of others was read.
    Announced,
    /// It concerns its person alone, in their own words.
    Own,
    /// Others may have asked for it.
    Nothing(Fault),
}

/// What of a call nobody asked for who may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands in the arguments; nothing, if it is the call as such that nobody asked for.
    pub argument: Option<String>,
    /// The command in whose result it stands, if it stands in one.
    pub source: Option<String>,
    /// The call was announced.
    pub was_announced: bool,
}

/// A call whose arguments are traced.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// `tool.command`.
    pub name: &'a str,
    /// Its arguments.
    pub args: &'a Map<String, Value>,
    /// Their schema.
    pub schema: &'a Value,
    /// What the run has heard.
    pub evidence: &'a Evidence,
    /// What is private of its person.
    pub private: &'a Known,
}

/// A value among the arguments.
struct Leaf<'a> {
    /// Where it stands.
    path: String,
    /// The name of its field.
    name: &'a str,
    value: &'a Value,
    /// What its schema says; nothing, if it says nothing of it.
    schema: Option<&'a Value>,
}

/// On what grounds a call goes ahead.
pub fn grounds(request: &Request<'_>) -> Grounds {
    let evidence = request.evidence;
    let person = Said::of(evidence.person.iter().map(String::as_str));
    let mut leaves = Vec::new();
    walk(request.schema, request.args, request.schema, "", &mut leaves, 0);
    let all = |holds: &dyn Fn(&Leaf<'_>) -> bool| leaves.iter().find(|leaf| !holds(leaf));
    if OWN.contains(&request.name) && all(&|leaf| is_in_own_words(leaf, &person)).is_none() {
        return Grounds::Own;
    }
    let prose = Prose::new(evidence, &person, request.private);
    let unsaid = all(&|leaf| is_said(leaf, &person, &prose));
    // A call that names nobody and nothing was said by nobody.
    if unsaid.is_none() && leaves.iter().any(|leaf| is_named(leaf, &person)) {
        return Grounds::Said;
    }
    let was_announced = evidence.announced(request.name) > 0;
    let untold = match was_announced {
        true => all(&|leaf| is_announced(leaf, &person, &prose, evidence, tool(request.name))),
        false => unsaid,
    };
    match untold {
        None if was_announced => Grounds::Announced,
        untold => Grounds::Nothing(Fault {
            argument: untold.map(|leaf| leaf.path.clone()),
            source: untold.and_then(|leaf| source(leaf.value, evidence)),
            was_announced,
        }),
    }
}

/// The most characters of a receipt.
const RECEIPT: usize = 300;

/// Whether what a call that changes something returned is its receipt: every argument was the person's own, and it
/// tells in a few words nothing else. A receipt does not taint.
pub fn is_receipt(request: &Request<'_>, result: &Value) -> bool {
    let mut told = String::new();
    each_text(result, &mut |text| {
        told.push_str(text);
        told.push('\n');
    });
    if told.chars().count() > RECEIPT || !matches!(grounds(request), Grounds::Said) {
        return false;
    }
    let mut known = Said::of(request.evidence.person.iter().map(String::as_str));
    request.args.iter().for_each(|(name, value)| {
        known.learn(name);
        each_text(value, &mut |text| known.learn(text));
    });
    // An address or a code that nobody gave it is something new.
    told.split_whitespace().all(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        !(phrase::is_address(word) || word.chars().filter(char::is_ascii_digit).count() >= 12) || known.holds(word)
    })
}

/// The last result in which a value stands.
fn source(value: &Value, evidence: &Evidence) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let heard = evidence.heard.iter().rev();
    let mut holding = heard.filter(|heard| {
        let mut said = Said::default();
        fields::each_text(&heard.told, &mut |told| said.learn(told));
        said.holds(&text)
    });
    holding.next().map(|heard| heard.command.clone())
}

/// Whether the person said it, in this turn.
fn is_said(leaf: &Leaf<'_>, person: &Said, prose: &Prose<'_>) -> bool {
    match leaf.value {
        Value::String(text) if leaf.is_prose() => prose.tells_nothing(text),
        Value::String(text) if phrase::is_date(text) => true,
        value => is_persons(leaf, value, person),
    }
}

/// Whether the person named it: a word or number of theirs, and neither prose nor a date.
fn is_named(leaf: &Leaf<'_>, person: &Said) -> bool {
    match leaf.value {
        Value::String(text) => !leaf.is_prose() && !phrase::is_date(text) && person.holds(text),
        Value::Number(number) => number.as_f64().is_some_and(|number| person.holds_number(number)),
        _ => false,
    }
}

/// Whether a plan that holds for the call allows it.
fn is_announced(leaf: &Leaf<'_>, person: &Said, prose: &Prose<'_>, evidence: &Evidence, tool: &str) -> bool {
    if is_persons(leaf, leaf.value, person) {
        return true;
    }
    match leaf.value {
        Value::String(text) if leaf.is_prose() => {
            prose.tells_nothing(text) && (!TITLES.contains(&leaf.name) || prose.names_nothing(text))
        }
        Value::String(text) if phrase::is_date(text) && person.tells(text) => true,
        Value::String(_) | Value::Number(_) => fields::is_whole(leaf.value, evidence, tool),
        _ => false,
    }
}

/// Whether a value that is no prose stands in the person's words, or is what the schema takes for granted.
fn is_persons(leaf: &Leaf<'_>, value: &Value, person: &Said) -> bool {
    let default = leaf.schema.and_then(|schema| schema.get("default"));
    if default == Some(value) {
        return true;
    }
    // A field that the schema does not know says something by its name.
    if leaf.schema.is_none() && !person.holds(leaf.name) {
        return false;
    }
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => phrase::pieces(leaf.name).any(|word| word.chars().count() > 3 && person.has_word(&word)),
        Value::Number(number) => number.as_f64().is_some_and(|number| person.holds_number(number)),
        Value::String(text) => text.is_empty() || person.holds(text),
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// Whether a value holds no word but the person's, a date, or one of the choices that its schema leaves.
fn is_in_own_words(leaf: &Leaf<'_>, person: &Said) -> bool {
    let choices = leaf.schema.and_then(|schema| schema.get("enum")?.as_array());
    if choices.is_some_and(|choices| choices.contains(leaf.value)) {
        return true;
    }
    match leaf.value {
        Value::String(text) => phrase::is_date(text) || prose::is_of(text, person),
        value => is_persons(leaf, value, person),
    }
}

impl Leaf<'_> {
    /// Whether it is written for people, by its name and by its schema, which knows it.
    fn is_prose(&self) -> bool {
        self.schema.is_some() && PROSE.contains(&self.name)
    }
}

/// How deep arguments are read; what lies deeper is one value that nobody said.
const DEEPEST: usize = 8;

fn walk<'a>(
    root: &'a Value,
    args: &'a Map<String, Value>,
    schema: &'a Value,
    path: &str,
    leaves: &mut Vec<Leaf<'a>>,
    depth: usize,
) {
    for (name, value) in args {
        let field = resolved(root, schema.get("properties").and_then(|fields| fields.get(name)));
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        leaf(root, name, value, field, path, leaves, depth);
    }
}

fn leaf<'a>(
    root: &'a Value,
    name: &'a str,
    value: &'a Value,
    schema: Option<&'a Value>,
    path: String,
    leaves: &mut Vec<Leaf<'a>>,
    depth: usize,
) {
    match value {
        Value::Array(items) if depth < DEEPEST => {
            let of_items = resolved(root, schema.and_then(|schema| schema.get("items")));
            for item in items {
                leaf(root, name, item, of_items.or(schema), path.clone(), leaves, depth + 1);
            }
        }
        Value::Object(fields) if depth < DEEPEST => {
            walk(root, fields, schema.unwrap_or(&Value::Null), &path, leaves, depth + 1);
        }
        value => leaves.push(Leaf {
            path,
            name,
            value,
            schema,
        }),
    }
}

/// A schema behind its references, and its one choice beside `null`.
fn resolved<'a>(root: &'a Value, schema: Option<&'a Value>) -> Option<&'a Value> {
    let mut schema = schema?;
    for _ in 0..DEEPEST {
        let named = schema.get("$ref").and_then(Value::as_str);
        let choices = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(key)?.as_array());
        schema = match (named, choices) {
            (Some(name), _) => root.pointer(name.strip_prefix('#')?)?,
            (None, Some(choices)) => {
                let mut others = choices.iter().filter(|choice| choice["type"] != "null");
                match (others.next(), others.next()) {
                    (Some(only), None) => only,
                    _ => return Some(schema),
                }
            }
            (None, None) => return Some(schema),
        };
    }
    None
}

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod tests;
