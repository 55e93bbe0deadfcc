//! What a run has heard, and from whom: a fold over its steps, by which the arguments of a call are traced to those who
//! wrote them. Pure.
//!
//! Three voices are told apart. The **person**: their own message of this turn, without what they forwarded or quoted.
//! The **plan**: the calls that were announced while nothing of outside had been read. **Results**: what each command
//! returned, with the arguments that it was given.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use clifford_action::Announced;
use clifford_chat::inbound::{BY_INLINE_BOT, FORWARDED};
use serde_json::Value;

use super::{addresses, words::Known};
use crate::messages::INTRODUCED;

/// The most calls of one command that a plan announces.
const MOST: u32 = 50;

/// What a run has heard, and from whom.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// What its person wrote in this turn, in their own words.
    pub(super) person: Vec<String>,
    /// The calls that were announced: by command, how often at most.
    pub(super) plan: BTreeMap<String, u32>,
    /// What commands returned, in order.
    pub(super) heard: Vec<Arc<Heard>>,
    /// The addresses that may be said to its person, once somebody asks.
    sayable: OnceLock<Known>,
}

/// What a command returned.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// `tool.command`.
    pub command: String,
    /// What it was given.
    pub args: Value,
    /// What it returned. A text that holds JSON is read as that.
    pub told: Value,
    /// It was announced.
    pub is_announced: bool,
    /// Others may have written what it returned.
    pub is_foreign: bool,
}

impl PartialEq for Evidence {
    fn eq(&self, other: &Self) -> bool {
        (&self.person, &self.plan, &self.heard) == (&other.person, &other.plan, &other.heard)
    }
}

impl Evidence {
    /// Takes in a message of the run's person.
    pub fn person_says(&mut self, text: &str) {
        self.sayable.take();
        self.person.push(own_words(text));
    }

    /// The same, as if its person had said these texts alone.
    pub fn with_person<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut evidence = Self {
            person: Vec::new(),
            plan: self.plan.clone(),
            heard: self.heard.clone(),
            sayable: OnceLock::new(),
        };
        texts.into_iter().for_each(|text| evidence.person_says(text));
        evidence
    }

    /// Whether its person has said anything in this turn.
    pub const fn has_person(&self) -> bool {
        !self.person.is_empty()
    }

    /// Takes in a plan, which takes the place of the one before. Only a run that is untainted has one: the caller sees
    /// to it.
    pub fn announce(&mut self, plan: &[Announced]) {
        self.plan.clear();
        for call in plan {
            let most = self.plan.entry(call.command.clone()).or_default();
            *most = most.saturating_add(call.at_most).min(MOST);
        }
    }

    /// Takes in what a command returned.
    pub fn hears(&mut self, command: &str, args: Value, told: Value, is_foreign: bool) {
        self.sayable.take();
        self.heard.push(Arc::new(Heard {
            command: command.to_owned(),
            args,
            told: parsed(told),
            is_announced: self.plan.contains_key(command),
            is_foreign,
        }));
    }

    /// How many calls of a command are left of those that were announced.
    pub fn announced(&self, command: &str) -> u32 {
        let made = self.heard.iter().filter(|heard| heard.command == command).count();
        let most = self.plan.get(command).copied().unwrap_or(0);
        most.saturating_sub(u32::try_from(made).unwrap_or(u32::MAX))
    }

    /// What the tool of a command has told itself, with what is known outside: to hear it again tells it nothing new.
    /// `is_open` says whether the results of a command may go back to its tool at all.
    pub fn known_to(&self, command: &str, outside: &Known, is_open: impl Fn(&str) -> bool) -> Known {
        let mut known = outside.clone();
        for heard in self.told_by(command).filter(|heard| is_open(&heard.command)) {
            // An address that the tool was given before is the run's own.
            if holds_address(&heard.args) {
                known.learn_words(&heard.told);
            } else {
                known.learn_all(&heard.told);
            }
        }
        known
    }

    /// What commands of the same tool returned.
    pub(super) fn told_by(&self, command: &str) -> impl Iterator<Item = &Heard> {
        let tool = tool(command).to_owned();
        (self.heard.iter().map(AsRef::as_ref)).filter(move |heard| self::tool(&heard.command) == tool)
    }

    /// The addresses that stood letter by letter in a result or in the person's own words: they may be said. One that
    /// holds a word which a command was given before may be made of it, and is none of them.
    pub fn sayable(&self) -> &Known {
        self.sayable.get_or_init(|| {
            let mut known = Known::default();
            let mut given = Known::default();
            self.person.iter().for_each(|text| known.learn(text));
            for heard in &self.heard {
                given.learn_all(&heard.args);
                known.learn_addresses_without(&heard.told, &given);
            }
            known
        })
    }
}

/// The name of a command's tool.
pub(super) fn tool(command: &str) -> &str {
    command.split('.').next().unwrap_or(command)
}

/// A value in which texts that hold JSON are what they hold.
fn parsed(value: Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(&text).map_or(Value::String(text), parsed)
        }
        Value::Array(items) => items.into_iter().map(parsed).collect(),
        Value::Object(fields) => (fields.into_iter())
            .map(|(name, value)| (name, parsed(value)))
            .collect(),
        plain => plain,
    }
}

fn holds_address(value: &Value) -> bool {
    match value {
        Value::String(text) => !addresses::all(text).is_empty() || addresses::whole(text) != Ok(None),
        Value::Array(items) => items.iter().any(holds_address),
        Value::Object(fields) => fields.values().any(holds_address),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What somebody wrote of a message themselves: nothing behind the mark of a forwarded text, no quotes, no names of
/// files.
pub fn own_words(text: &str) -> String {
    let end = [FORWARDED, BY_INLINE_BOT]
        .into_iter()
        .filter_map(|mark| text.find(mark))
        .min()
        .unwrap_or(text.len());
    let mut is_quoted = false;
    let own = text[..end].lines().filter(|line| {
        is_quoted = line.starts_with(INTRODUCED) || (is_quoted && line.starts_with('>'));
        let is_mark = line.starts_with('[') && line.trim_end().ends_with(']');
        !is_quoted && !is_mark
    });
    own.collect::<Vec<_>>().join("\n")
}
