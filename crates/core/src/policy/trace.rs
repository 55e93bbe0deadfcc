//! The sources of a call's arguments, and the parts that may go ahead although the run has read words of others. Pure.
//!
//! Three grounds let a call that changes something go ahead in a tainted run ([`grounds`]); each is a reading of all of
//! its arguments, to the last leaf, as they will be sent:
//!
//! - **The person said it**: every argument that is neither prose nor a date stands in their own message of this turn,
//!   or is the id of what they named. Unless the call was announced, a verb of theirs must ask for the command
//!   (`policy/asked.rs`), it is made once, and its prose is of their words, too.
//! - **It was announced** before anything of others was read, is made no more often than that, and every argument is
//!   the person's word or one whole field of an announced result that nobody else can have chosen (`trace/fields.rs`).
//!   Addresses, accounts and other codes are the person's, or stand in their contacts next to a name of theirs.
//! - **It is the person's own**: a reminder or a memory of theirs in their own words.
//!
//! Nothing, an empty text and "no" are arguments as any other: they go ahead where the schema takes them for granted,
//! or where something new is made without them. Prose tells nothing that the person did not say and no announced result
//! told (`policy/prose.rs`), neither by itself nor together with the texts of other fields and of earlier calls.

mod clauses;
mod fields;
mod leaves;
mod origins;
mod receipt;

pub(crate) use origins::is_unasked;
pub use origins::{Holding, Origin, Source, Traced, of_others, origins};
pub use receipt::is_receipt;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use self::{
    clauses::Said,
    fields::FieldLookup,
    leaves::{Leaf, Way, walk},
};
use super::{
    asked,
    evidence::{Evidence, tool},
    granted::Grants,
    phrase::{self, Haystack},
    prose::{self, Prose},
    texts::{self, each_text},
    words::KnownWords,
};
use crate::memory::levels::MODULES;

/// The arguments among those written for people that name something.
const TITLES: [&str; 3] = ["subject", "summary", "title"];
/// Commands that concern their person alone, and can be taken back.
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

/// The part of a call that nobody with the right to do so asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The evidence of the run.
    pub evidence: &'a Evidence,
    /// The private words of its person.
    pub private: &'a KnownWords,
}

/// The scale on which the arguments of one call are weighed.
struct Scale<'a> {
    request: &'a Request<'a>,
    person: Haystack,
    /// The grants and prohibitions in the person's words.
    grants: Grants,
    /// The call moves money.
    is_payment: bool,
    prose: Prose<'a>,
    leaves: &'a [Leaf<'a>],
}

/// On what grounds a call goes ahead.
pub fn grounds(request: &Request<'_>) -> Grounds {
    let evidence = request.evidence;
    let person = || Haystack::of(evidence.person.iter().map(String::as_str));
    let mut leaves = Vec::new();
    walk(
        request.schema,
        request.args,
        request.schema,
        &Way::default(),
        &mut leaves,
        0,
    );
    let said = person();
    if OWN.contains(&request.name) && leaves.iter().all(|leaf| is_in_own_words(leaf, &said)) {
        return Grounds::Own;
    }
    let texts = leaves
        .iter()
        .filter(|leaf| leaf.is_prose())
        .filter_map(|leaf| leaf.value.as_str());
    let texts: Vec<_> = texts.collect();
    let scale = Scale {
        request,
        person: person(),
        grants: Grants::of(&evidence.person),
        is_payment: asked::is_payment(request.name, leaves.iter().map(|leaf| leaf.name)),
        prose: Prose::new(evidence, &said, request.private, &texts),
        leaves: &leaves,
    };
    scale.weigh()
}

impl Scale<'_> {
    fn weigh(&self) -> Grounds {
        let (evidence, name) = (self.request.evidence, self.request.name);
        let names = || self.leaves.iter().any(|leaf| self.is_named(leaf));
        if let Some(leaf) = self.recombined() {
            return self.nothing(Some(leaf));
        }
        if evidence.announced(name) > 0 {
            let untold = self.told_first(|leaf| !self.is_announced(leaf));
            let is_said = || names() && self.leaves.iter().all(|leaf| self.is_said(leaf));
            return match untold {
                None if is_said() => Grounds::Said,
                None => Grounds::Announced,
                Some(_) => self.nothing(untold),
            };
        }
        let unsaid = self.told_first(|leaf| !self.is_said_unannounced(leaf));
        // A call that names nobody and nothing was said by nobody.
        if unsaid.is_none() && names() && self.is_asked_for() {
            return Grounds::Said;
        }
        self.nothing(unsaid)
    }

    /// The argument that the person said of something else than another one of the call.
    fn recombined(&self) -> Option<&Leaf<'_>> {
        let is_value = |leaf: &&Leaf<'_>| match leaf.value {
            Value::String(text) => !leaf.is_prose() && !phrase::is_date(text) && self.grants.holds(text),
            Value::Number(number) => self.grants.said.holds_number(number),
            _ => false,
        };
        let named: Vec<_> = self.leaves.iter().filter(is_value).collect();
        let said = |leaf: &&Leaf<'_>| Said {
            written: plain_text(leaf.value),
            is_amount: self.is_amount(leaf),
        };
        let values: Vec<_> = named.iter().map(said).collect();
        let found = clauses::recombined(&self.request.evidence.person, &values)?;
        let at = values.iter().position(|value| std::ptr::eq(value, found))?;
        named.get(at).copied()
    }

    /// One of these arguments: the first that a result told, since that says most, or the first at all.
    fn told_first(&self, is_one: impl Fn(&Leaf<'_>) -> bool) -> Option<&Leaf<'_>> {
        let those: Vec<_> = self.leaves.iter().filter(|leaf| is_one(leaf)).collect();
        let told = (those.iter()).find(|leaf| source(leaf.value, self.request.evidence).is_some());
        told.or(those.first()).copied()
    }

    fn nothing(&self, untold: Option<&Leaf<'_>>) -> Grounds {
        Grounds::Nothing(Fault {
            argument: untold.map(|leaf| leaf.path.clone()),
            source: untold.and_then(|leaf| source(leaf.value, self.request.evidence)),
            was_announced: self.request.evidence.announced(self.request.name) > 0,
        })
    }

    /// Whether the person's words ask for a call that was not announced, and for no fewer of them: one, or as many as
    /// were wished for before anything was read, each about something else.
    fn is_asked_for(&self) -> bool {
        let (evidence, name) = (self.request.evidence, self.request.name);
        let made = evidence.call_count(name);
        let is_new = || {
            let before = evidence.heard.iter().filter(|heard| heard.command == name);
            let mut used = Haystack::default();
            before.for_each(|heard| each_text(&heard.args, &mut |text| used.learn(text)));
            self.leaves
                .iter()
                .any(|leaf| self.is_named(leaf) && !used.holds(&plain_text(leaf.value)))
        };
        let is_planned = !evidence.plan.contains_key(name);
        let is_left = made == 0 || (made < evidence.wished.get(name).copied().unwrap_or(0) && is_new());
        is_planned && is_left && asked::is_asked_for(name, self.is_payment, &evidence.person)
    }

    /// Whether the person said it, of a call that was not announced.
    fn is_said_unannounced(&self, leaf: &Leaf<'_>) -> bool {
        match leaf.value {
            Value::String(text) if self.is_read(leaf) && !text.is_empty() => {
                self.prose.tells_nothing(text) && prose::is_of(text, &self.person)
            }
            _ => self.is_said(leaf),
        }
    }

    /// Whether the person said it, in this turn, or named what it is the id of.
    fn is_said(&self, leaf: &Leaf<'_>) -> bool {
        match leaf.value {
            Value::String(text) if self.is_read(leaf) && !text.is_empty() => self.is_open(leaf, text),
            Value::String(text) if phrase::is_date(text) => leaf.is_known(&self.person) && self.is_time(text),
            _ => self.is_persons(leaf) || (leaf.is_known(&self.person) && self.field(leaf).is_of_named()),
        }
    }

    /// Whether the person named it: a word or number of theirs, and neither prose nor a date.
    fn is_named(&self, leaf: &Leaf<'_>) -> bool {
        match leaf.value {
            Value::String(text) => !leaf.is_prose() && !phrase::is_date(text) && self.grants.holds(text),
            Value::Number(number) => self.grants.said.holds_number(number),
            _ => false,
        }
    }

    /// Whether a plan that holds for the call allows it.
    fn is_announced(&self, leaf: &Leaf<'_>) -> bool {
        if self.is_persons(leaf) {
            return true;
        }
        match leaf.value {
            Value::String(text) if self.is_read(leaf) => self.is_open(leaf, text),
            Value::String(text) if phrase::is_date(text) && leaf.is_known(&self.person) && self.is_time(text) => true,
            Value::String(_) | Value::Number(_) => leaf.is_known(&self.person) && self.field(leaf).is_whole(),
            _ => false,
        }
    }

    /// Whether it is written for people. The title of what exists says which it is.
    fn is_read(&self, leaf: &Leaf<'_>) -> bool {
        leaf.is_prose() && !(leaf.name == "title" && asked::chooses_by_title(self.request.name))
    }

    /// Whether what is written for people tells nothing.
    fn is_open(&self, leaf: &Leaf<'_>, text: &str) -> bool {
        self.prose.tells_nothing(text) && (!TITLES.contains(&leaf.name) || self.prose.names_nothing(text))
    }

    /// Whether a date is the person's: they told it, or named a time from which it can be reckoned, or it is today. It
    /// tells nothing else.
    fn is_time(&self, text: &str) -> bool {
        if self.person.tells(text) {
            return true;
        }
        let began = self.request.evidence.began;
        phrase::is_near(text, began)
            && (self.person.names_time() || phrase::is_day_of(text, began))
            && self.prose.dates_nothing(text)
    }

    /// Whether a value that is no prose stands in the person's words, or is what the schema takes for granted.
    fn is_persons(&self, leaf: &Leaf<'_>) -> bool {
        let is_spent = matches!(leaf.value, Value::Number(number) if self.is_spent(number));
        let written = plain_text(leaf.value);
        let is_counted = self.is_amount(leaf) && !asked::tells_amount(&self.grants.texts, &written);
        let is_granted = !is_spent && !is_counted && !self.grants.forbids(&written);
        is_granted && is_persons(leaf, leaf.value, &self.grants.said, asked::makes(self.request.name))
    }

    /// Whether it is an amount of money.
    fn is_amount(&self, leaf: &Leaf<'_>) -> bool {
        self.is_payment && asked::AMOUNTS.contains(&leaf.name)
    }

    /// Whether more arguments are a number than the person wrote it. One that they did not write at all is no matter of
    /// this.
    fn is_spent(&self, number: &Number) -> bool {
        let Some(number) = phrase::exact(number) else {
            return true;
        };
        let same = self.leaves.iter().filter(|leaf| match leaf.value {
            Value::Number(other) => phrase::exact(other).as_deref() == Some(number.as_str()),
            Value::String(text) => phrase::decimal(text).as_deref() == Some(number.as_str()),
            _ => false,
        });
        (1..same.count()).contains(&self.person.count_number(&number))
    }

    fn field<'b>(&'b self, leaf: &'b Leaf<'_>) -> FieldLookup<'b> {
        let evidence = self.request.evidence;
        FieldLookup {
            name: leaf.name,
            value: leaf.value,
            tool: tool(self.request.name),
            person: &self.person,
            grants: &self.grants,
            evidence,
            most: evidence.plan.get(self.request.name).copied().unwrap_or(0),
        }
    }
}

fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
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
        let mut said = Haystack::default();
        each_text(&heard.told, &mut |told| said.learn(told));
        said.holds(&text)
    });
    holding.next().map(|heard| heard.command.clone())
}

/// Whether a value that is no prose stands in the person's words, or is what the schema takes for granted. `is_new`:
/// the call makes something, and what is empty is left out.
fn is_persons(leaf: &Leaf<'_>, value: &Value, person: &Haystack, is_new: bool) -> bool {
    let default = leaf.schema.and_then(|schema| schema.get("default"));
    if default == Some(value) {
        return true;
    }
    if !leaf.is_known(person) {
        return false;
    }
    match value {
        Value::Null => is_new,
        Value::Bool(false) => false,
        Value::Bool(true) => texts::pieces(leaf.name).any(|word| word.chars().count() > 3 && person.has_word(&word)),
        Value::Number(number) => person.holds_number(number),
        Value::String(text) if text.is_empty() => is_new,
        Value::String(text) => person.holds(text),
        Value::Array(items) => is_new && items.is_empty(),
        Value::Object(fields) => is_new && fields.is_empty(),
    }
}

/// Whether a value holds no word but the person's, a date, or one of the choices that its schema leaves.
fn is_in_own_words(leaf: &Leaf<'_>, person: &Haystack) -> bool {
    let choices = leaf.schema.and_then(|schema| schema.get("enum")?.as_array());
    if choices.is_some_and(|choices| choices.contains(leaf.value)) {
        return true;
    }
    match leaf.value {
        // The module that an item is filed under tells nothing; nor does its level.
        Value::String(text) if leaf.path == "module" => MODULES.contains(&text.as_str()),
        Value::Number(number) if leaf.path == "level" => number.as_u64().is_some_and(|level| level <= 5),
        Value::String(text) => leaf.is_known(person) && (phrase::is_date(text) || prose::is_of(text, person)),
        value => is_persons(leaf, value, person, true),
    }
}

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod tests;
