//! The fields of results, and which of them a call may be made of.

use serde_json::{Map, Value};

use crate::policy::{
    asked,
    evidence::{self, CommandResult, Evidence},
    granted::Grants,
    phrase::{self, Haystack},
    prose,
    texts::{self, PROSE, each_text},
};

/// A text of more words, or of more characters, is running text.
const WORDS: usize = 6;
const CHARACTERS: usize = 80;
/// A text of more words may steer a choice.
const NAME: usize = 3;

/// How a record is called by those who speak of it.
const NAMES: [&str; 13] = [
    "name",
    "title",
    "subject",
    "summary",
    "label",
    "filename",
    "file_name",
    "display_name",
    "displayname",
    "company",
    "hotel",
    "user",
    "nickname",
];

/// A value that is looked for among the fields of results.
pub(super) struct FieldLookup<'a> {
    /// The name of the argument.
    pub name: &'a str,
    pub value: &'a Value,
    /// The tool that is called.
    pub tool: &'a str,
    pub person: &'a Haystack,
    /// The grants and prohibitions in the person's words.
    pub grants: &'a Grants,
    pub evidence: &'a Evidence,
    /// How often the command was announced, in all.
    pub most: u32,
}

/// A field in a result.
struct Field<'a> {
    name: &'a str,
    /// The object that it stands in.
    record: Option<&'a Map<String, Value>>,
    /// The list that it, or its object, stands in.
    list: Option<&'a [Value]>,
    /// Its object is one of several that are no list.
    is_among: bool,
    /// It stands next to running text, which the same hand may have written.
    is_beside_text: bool,
}

impl FieldLookup<'_> {
    /// Whether the value is one whole field that nobody but the service can have written, as far as that can be told,
    /// and that nobody but the person chose: no address or code, and nothing next to running text but an id. It was
    /// chosen by the person, if their words name its object; if all of a list is meant; or if nothing was read that
    /// could have chosen it.
    pub fn is_whole(&self) -> bool {
        if self.is_forbidden() {
            return false;
        }
        let told = || (self.evidence.heard.iter()).filter(|heard| evidence::tool(&heard.command) == self.tool);
        // A field that nobody else can have written may hold anything.
        let mut vouched = told().filter(|heard| !heard.is_foreign);
        if vouched.any(|heard| !self.fields(heard).is_empty()) {
            return true;
        }
        if self.is_addressed() {
            return self.is_of_contact();
        }
        let is_chosen = || told().any(|heard| heard.is_announced && self.is_chosen_in(heard));
        self.is_of_named() || (is_chosen() && !self.is_spoken_of())
    }

    /// Whether the value is the id of an object that the person named.
    pub fn is_of_named(&self) -> bool {
        let told = (self.evidence.heard.iter()).filter(|heard| evidence::tool(&heard.command) == self.tool);
        !self.is_addressed()
            && !self.is_forbidden()
            && told
                .flat_map(|heard| self.fields(heard))
                .any(|field| self.is_id(field.name) && self.is_named(&field))
    }

    fn is_addressed(&self) -> bool {
        let written = match self.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        phrase::is_address(&written) || (self.value.is_string() && phrase::is_code(&written)) || self.is_account()
    }

    /// Whether a number is long enough for an account or a telephone, and is called neither an id nor an amount.
    fn is_account(&self) -> bool {
        let is_long = self.value.as_u64().is_some_and(|number| number >= 1_000_000);
        is_long && !self.is_id("id") && !asked::AMOUNTS.contains(&self.name)
    }

    /// Whether the person's words name the value or its object, and forbid it.
    fn is_forbidden(&self) -> bool {
        let text = self.value.as_str().unwrap_or_default();
        let is_told_off = |told: &str| self.grants.forbids(told);
        let objects = || {
            self.evidence
                .heard
                .iter()
                .flat_map(|heard| self.fields(heard))
                .filter_map(|field| field.record)
        };
        is_told_off(text) || objects().any(|record| names(record).any(is_told_off))
    }

    /// Whether the value is the address of the one contact of the person's that they named.
    fn is_of_contact(&self) -> bool {
        let mut contacts = self.evidence.heard.iter().filter(|heard| {
            let name = heard.command.to_lowercase();
            heard.is_announced && (name.contains("contact") || name.contains("address_book"))
        });
        contacts.any(|heard| {
            let fields = self.fields(heard);
            let is_one = |field: &Field<'_>| {
                let named = |item: &Value| item.as_object().is_some_and(|record| self.matches(record) > 0);
                let all = field
                    .list
                    .map_or(1, |list| list.iter().filter(|item| named(item)).count());
                !field.is_beside_text && field.record.is_some_and(|record| self.matches(record) > 0) && all == 1
            };
            !fields.is_empty() && fields.iter().all(is_one)
        })
    }

    /// Whether an announced result holds the value where nobody else can have chosen it.
    fn is_chosen_in(&self, heard: &CommandResult) -> bool {
        let fields = self.fields(heard);
        let fits = |field: &Field<'_>| !field.is_beside_text || self.is_id(field.name);
        let is_all = |field: &Field<'_>| {
            let most = usize::try_from(self.most).unwrap_or(usize::MAX);
            field.list.map_or(1, <[Value]>::len) <= most && !field.is_among && self.is_asked(&heard.args)
        };
        fields
            .iter()
            .filter(|field| fits(field))
            .any(|field| self.is_named(field) || is_all(field) || !self.is_steered())
    }

    /// Whether what a command was given is of the person's words.
    fn is_asked(&self, args: &Value) -> bool {
        match args {
            Value::String(text) => phrase::is_date(text) || prose::is_of(text, self.person),
            Value::Array(items) => items.iter().all(|item| self.is_asked(item)),
            Value::Object(fields) => fields.values().all(|value| self.is_asked(value)),
            Value::Number(_) | Value::Null | Value::Bool(_) => true,
        }
    }

    /// Whether the person's words name the object of a field, and no other of its list more clearly.
    fn is_named(&self, field: &Field<'_>) -> bool {
        let Some(record) = field.record else { return false };
        let matches = self.matches(record);
        let others = field.list.into_iter().flatten().filter_map(Value::as_object);
        matches > 0 && !field.is_among && others.map(|other| self.matches(other)).all(|other| other <= matches)
    }

    /// How many of the words by which an object is called are the person's.
    fn matches(&self, record: &Map<String, Value>) -> usize {
        let words = names(record).flat_map(texts::pieces);
        words
            .filter(|word| word.chars().count() >= 3 && !prose::is_small(word) && self.grants.said.has_word(word))
            .count()
    }

    /// Whether others wrote a text that could have chosen something: a sentence, however short.
    fn is_steered(&self) -> bool {
        fn steers(value: &Value, name: &str) -> bool {
            match value {
                Value::String(text) => {
                    let words = text.split_whitespace().count();
                    words > NAME || (words > 0 && is_prose(name) && !phrase::is_date(text))
                }
                Value::Array(items) => items.iter().any(|item| steers(item, name)),
                Value::Object(fields) => fields.iter().any(|(name, value)| steers(value, name)),
                _ => false,
            }
        }
        self.evidence
            .heard
            .iter()
            .any(|heard| heard.is_foreign && steers(&heard.told, ""))
    }

    /// Whether a longer text of others holds the value.
    fn is_spoken_of(&self) -> bool {
        let written = match self.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let length = texts::pieces(&written).count();
        let speaks = |text: &str| texts::pieces(text).count() > length && Haystack::of([text]).holds(&written);
        self.evidence.heard.iter().any(|heard| {
            let mut spoken = false;
            each_text(&heard.told, &mut |text| spoken |= speaks(text));
            spoken
        })
    }

    /// Whether a field is called as what a service gives its objects, and the argument is called so, too.
    fn is_id(&self, field: &str) -> bool {
        let plain = |name: &str| name.trim_matches('_').to_lowercase();
        let is_plain_id = |name: &str| ["id", "uuid", "ids", "uuids"].contains(&name);
        let (field, argument) = (plain(field), plain(self.name));
        let is_called_so = is_plain_id(&argument) || argument.ends_with("id") || argument.ends_with("ids");
        (is_plain_id(&field) && is_called_so) || (field.ends_with("_id") && field == argument.trim_end_matches('s'))
    }

    /// The fields of a result that are this value.
    fn fields<'a>(&self, heard: &'a CommandResult) -> Vec<Field<'a>> {
        let mut found = Vec::new();
        let top = Field {
            name: "",
            record: None,
            list: None,
            is_among: false,
            is_beside_text: false,
        };
        look(&heard.told, top, self.value, &mut found);
        found
    }
}

fn look<'a>(value: &'a Value, at: Field<'a>, wanted: &Value, found: &mut Vec<Field<'a>>) {
    match value {
        Value::Array(items) => {
            // Running text of one item may be a word in another.
            let is_beside_text = at.is_beside_text || items.iter().any(runs);
            for item in items {
                let at = Field {
                    record: None,
                    list: Some(&items[..]),
                    is_beside_text,
                    ..at
                };
                look(item, at, wanted, found);
            }
        }
        Value::Object(fields) => {
            let runs = at.is_beside_text || runs(value);
            let is_among = at.is_among || fields.values().filter(|field| field.is_object()).count() > 1;
            for (name, value) in fields {
                let at = Field {
                    name,
                    record: Some(fields),
                    is_among,
                    is_beside_text: runs || is_prose(name),
                    ..at
                };
                look(value, at, wanted, found);
            }
        }
        scalar if is_same(scalar, wanted) => found.push(at),
        _ => {}
    }
}

/// The texts by which an object is called.
fn names(record: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let named = record
        .iter()
        .filter(|(name, _)| NAMES.contains(&name.to_lowercase().as_str()));
    named.filter_map(|(_, value)| value.as_str().filter(|text| !is_running(text)))
}

fn is_prose(name: &str) -> bool {
    PROSE.contains(&name.to_lowercase().as_str())
}

/// Whether a value is running text, or has a field or an item that is.
fn runs(value: &Value) -> bool {
    match value {
        Value::String(text) => is_running(text),
        Value::Array(items) => items.iter().any(runs),
        Value::Object(fields) => fields.values().filter(|field| !field.is_object()).any(runs),
        _ => false,
    }
}

fn is_running(text: &str) -> bool {
    text.contains('\n') || text.chars().count() > CHARACTERS || text.split_whitespace().count() > WORDS
}

/// Whether two values are the same, to the last digit.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            phrase::exact(one).is_some_and(|one| Some(one) == phrase::exact(other))
        }
        (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number)) => {
            phrase::exact(number).is_some_and(|number| number == *text)
        }
        (one, other) => one == other,
    }
}
