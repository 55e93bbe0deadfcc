//! The evidence of a run, with its sources: a fold over its steps, by which the arguments of a call are traced to their
//! authors. Pure.
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
use serde_json::{Map, Value};

use super::{
    addresses,
    phrase::Haystack,
    texts,
    words::{self, KnownWords},
};
use crate::{clock::Timestamp, messages::INTRODUCED};

/// The most calls of one command that a plan announces.
const MOST: u32 = 50;

/// The evidence of a run: texts that it has read, with their authors.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The person's messages of this turn, in their own words.
    pub(super) person: Vec<String>,
    /// The calls that were announced: by command, how often at most.
    pub(super) plan: BTreeMap<String, u32>,
    /// The calls that were announced by a run that had words of others before its eyes when it began, and had read
    /// nothing since.
    pub(super) wished: BTreeMap<String, u32>,
    /// The results of commands, in order.
    pub(super) heard: Vec<Arc<CommandResult>>,
    /// When it began.
    pub(super) began: Option<Timestamp>,
    /// How much of what its person said are denials in words.
    denials: Vec<usize>,
    /// The addresses that may be said to its person, once somebody asks.
    sayable: OnceLock<KnownWords>,
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandResult {
    /// `tool.command`.
    pub command: String,
    /// The arguments of the call.
    pub args: Value,
    /// The result. A text that holds JSON is read as that.
    pub told: Value,
    /// It was announced.
    pub is_announced: bool,
    /// Others may have written what it returned.
    pub is_foreign: bool,
}

impl PartialEq for Evidence {
    fn eq(&self, other: &Self) -> bool {
        (
            &self.person,
            &self.plan,
            &self.wished,
            &self.heard,
            self.began,
            &self.denials,
        ) == (
            &other.person,
            &other.plan,
            &other.wished,
            &other.heard,
            other.began,
            &other.denials,
        )
    }
}

impl Evidence {
    /// Nothing yet, of a run that begins at a time.
    pub fn beginning(at: Timestamp) -> Self {
        Self {
            began: Some(at),
            ..Self::default()
        }
    }

    /// Takes in a message of the run's person.
    pub fn person_says(&mut self, text: &str) {
        self.sayable.take();
        self.person.push(own_words(text));
    }

    /// Takes in the words by which the run's person denied a call. They say what is wanted instead, unless they forbid
    /// something, or name what the denied call held and nobody but others had said before: "never send it to …" is no
    /// order to send it there.
    pub fn person_denies(&mut self, words: &str, denied: &Map<String, Value>) {
        let own = own_words(words);
        let mut before = Haystack::default();
        self.person.iter().for_each(|text| before.learn(text));
        let said = Haystack::of([own.as_str()]);
        let mut repeats = false;
        denied.values().for_each(|value| {
            texts::each_text(value, &mut |text| repeats |= said.holds(text) && !before.holds(text));
        });
        let forbids = texts::pieces(&own).any(|word| FORBIDDING.contains(&word.as_str()));
        if !repeats && !forbids {
            self.denials.push(self.person.len());
            self.sayable.take();
            self.person.push(own);
        }
    }

    /// The same without the words by which its person denied calls.
    pub(crate) fn without_denials(&self) -> Self {
        let texts = self.person.iter().enumerate();
        let kept = texts.filter(|(at, _)| !self.denials.contains(at));
        Self {
            person: kept.map(|(_, text)| text.clone()).collect(),
            denials: Vec::new(),
            sayable: OnceLock::new(),
            ..self.clone()
        }
    }

    /// The same, as if its person had said these texts alone.
    pub(crate) fn with_person<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut evidence = Self {
            person: Vec::new(),
            denials: Vec::new(),
            sayable: OnceLock::new(),
            ..self.clone()
        };
        texts.into_iter().for_each(|text| evidence.person_says(text));
        evidence
    }

    /// Whether its person has said anything in this turn.
    pub(crate) const fn has_person(&self) -> bool {
        !self.person.is_empty()
    }

    /// Takes in a plan, which takes the place of the one before. Only a run that is untainted has one: the caller sees
    /// to it.
    pub fn announce(&mut self, plan: &[Announced]) {
        self.plan = counted(plan);
    }

    /// Takes in a plan of a run that is tainted by what its prompt shows. Others may have had a part in it: it tells how
    /// often the person's own words are carried out, and nothing else. A plan that is noted after something was read is
    /// none.
    pub fn wish(&mut self, plan: &[Announced]) {
        if self.heard.is_empty() {
            self.wished = counted(plan);
        }
    }

    /// The calls that were announced: each command with how often at most, and how often that is left.
    pub fn planned(&self) -> impl Iterator<Item = (&str, u32, u32)> {
        let plan = self.plan.iter();
        plan.map(|(command, most)| (command.as_str(), *most, self.announced(command)))
    }

    /// Takes in what a command returned. It was announced, if calls of it were left.
    pub fn hears(&mut self, command: &str, args: Value, told: Value, is_foreign: bool) {
        self.sayable.take();
        self.heard.push(Arc::new(CommandResult {
            command: command.to_owned(),
            args,
            told: parsed(told),
            is_announced: self.announced(command) > 0,
            is_foreign,
        }));
    }

    /// Whether something was heard that may tell of the run's person.
    pub fn tells_of_person(&self) -> bool {
        self.heard.iter().any(|heard| words::is_own(&heard.command))
    }

    /// How often a command was called.
    pub(super) fn call_count(&self, command: &str) -> u32 {
        let made = self.heard.iter().filter(|heard| heard.command == command).count();
        u32::try_from(made).unwrap_or(u32::MAX)
    }

    /// How many calls of a command are left of those that were announced.
    pub fn announced(&self, command: &str) -> u32 {
        let most = self.plan.get(command).copied().unwrap_or(0);
        most.saturating_sub(self.call_count(command))
    }

    /// The words that the tool of a command has returned itself, with those known outside: to hear them again tells
    /// it nothing new.
    /// A command that was announced may hear the words, but no addresses, of what other announced commands returned: a
    /// mailbox is read, and then a calendar. That does not hold for what anybody may read, the web. `is_open` says whether
    /// the results of a command may go anywhere at all.
    pub fn known_to(&self, command: &str, outside: &KnownWords, is_open: impl Fn(&str) -> bool) -> KnownWords {
        let mut known = outside.clone();
        let is_expected = self.announced(command) > 0 && !words::is_public(command);
        for heard in self.heard.iter().filter(|heard| is_open(&heard.command)) {
            if tool(&heard.command) != tool(command) {
                if is_expected && heard.is_announced {
                    known.learn_words(&heard.told);
                }
            } else if holds_address(&heard.args) {
                // An address that the tool was given before is the run's own.
                known.learn_words(&heard.told);
            } else {
                known.learn_all(&heard.told);
            }
        }
        known
    }

    /// The addresses that stood letter by letter in a result or in the person's own words: they may be said. One that
    /// holds a word which a command was given before may be made of it, and is none of them, unless its person or the
    /// command's tool had said the word themselves.
    pub fn sayable(&self) -> &KnownWords {
        self.sayable.get_or_init(|| {
            let mut known = KnownWords::default();
            let mut given = KnownWords::default();
            let mut own = KnownWords::default();
            self.person.iter().for_each(|text| {
                known.learn(text);
                own.learn(text);
            });
            let mut told: BTreeMap<&str, KnownWords> = BTreeMap::new();
            for heard in &self.heard {
                let of_tool = told.entry(tool(&heard.command)).or_default();
                given.learn_given(&heard.args, &[&own, &*of_tool]);
                known.learn_addresses_without(&heard.told, &given);
                of_tool.learn_words(&heard.told);
            }
            known
        })
    }
}

/// Words that forbid, in some languages.
const FORBIDDING: [&str; 26] = [
    "never", "not", "don", "dont", "cannot", "nothing", "nobody", "none", "stop", "without", "except", "avoid",
    "refuse", "nicht", "nie", "niemals", "nichts", "niemand", "kein", "keine", "keinen", "ne", "pas", "jamais",
    "nunca", "nada",
];

/// The calls of a plan, by command.
fn counted(plan: &[Announced]) -> BTreeMap<String, u32> {
    let mut counted = BTreeMap::<String, u32>::new();
    for call in plan {
        let most = counted.entry(call.command.clone()).or_default();
        *most = most.saturating_add(call.at_most).min(MOST);
    }
    counted
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

/// The person's own words in a message: nothing behind the mark of a forwarded text, no quotes, no names of files.
pub fn own_words(text: &str) -> String {
    let end = [FORWARDED, BY_INLINE_BOT]
        .into_iter()
        .filter_map(|mark| text.find(mark))
        .min()
        .unwrap_or(text.len());
    let own = text[..end].lines().filter(|line| {
        let is_quoted = line.starts_with(INTRODUCED) || line.trim_start().starts_with('>');
        let is_mark = line.starts_with('[') && line.trim_end().ends_with(']');
        !is_quoted && !is_mark
    });
    own.collect::<Vec<_>>().join("\n")
}
