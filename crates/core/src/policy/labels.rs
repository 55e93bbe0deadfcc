//! The two labels of a run, as folds over its steps: whose words it has read, and who may read the words that it holds.
//! Pure.
//!
//! *Integrity* names each source of others' words with the step that brought it. *Confidentiality* names each source of
//! words with the people who may read them: anybody, those who read along in its place, its person alone, or nobody. What
//! a prompt shows is told by the request to the model; what a command returned, by the command.

use std::collections::{BTreeMap, BTreeSet};

use clifford_text::{Lang, Why};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{sources::TASK, words};

/// The people who may read words, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readers {
    /// Anybody: they stand in the web, or were reckoned.
    Anybody,
    /// The readers of the place where the run answers.
    Place,
    /// Its person.
    Person,
    /// Nobody: a command of class SENSITIVE told them.
    Nobody,
}

impl Readers {
    /// It in words.
    pub fn text(self, lang: Lang) -> String {
        lang.say(match self {
            Self::Anybody => Why::Anybody,
            Self::Place => Why::Place,
            Self::Person => Why::Person,
            Self::Nobody => Why::Nobody,
        })
    }

    /// The label of a command's result, by the command's name: its person's, unless it is known to be for everybody.
    pub(crate) fn of_command(command: &str) -> Self {
        match words::is_own(command) {
            true => Self::Person,
            false => Self::Anybody,
        }
    }

    /// The label of words whose origin is unknown.
    pub const fn unknown() -> Self {
        Self::Person
    }
}

/// A source of words that a run holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledSource {
    /// The source, in a few words.
    pub from: String,
    /// The people who may read what it tells.
    pub readers: Readers,
}

/// The labels of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The sources of others' words, and the step that brought each; 0: the run began with it.
    others: BTreeMap<String, u32>,
    /// The sources of words that it holds, with their readers and the step.
    held: BTreeMap<String, (Readers, u32)>,
    /// It is known what its prompt shows.
    knows_prompt: bool,
    /// The fewest people who may read something that a command or a subagent returned.
    told: Option<Readers>,
}

impl Labels {
    /// Takes in the sources of others' words that are known behind a step.
    pub fn reads(&mut self, origins: &BTreeSet<String>, seq: u32) {
        if origins.len() != self.others.len() {
            for origin in origins {
                self.others.entry(origin.clone()).or_insert(seq);
            }
        }
    }

    /// Takes in what a prompt shows.
    pub fn shows<'a>(&mut self, held: impl IntoIterator<Item = &'a LabelledSource>, seq: u32) {
        for held in held {
            self.knows_prompt = true;
            self.holds(&held.from, held.readers, seq);
        }
    }

    /// Takes in what a command or a subagent returned.
    pub(crate) fn add_result(&mut self, from: &str, readers: Readers, seq: u32) {
        self.told = self.told.max(Some(readers));
        self.holds(from, readers, seq);
    }

    /// The people who may read what it says by what it was told: nothing, if everybody may who reads along.
    pub fn readers_of_answers(&self) -> Option<Readers> {
        self.told.filter(|readers| *readers > Readers::Place)
    }

    /// The people who may read what it returns to the run that it works for: by what it was told, and by its task.
    pub fn readers_of_result(&self) -> Readers {
        let task = self.held.get(TASK).map(|(readers, _)| *readers);
        match self.knows_prompt {
            true => self.told.max(task).unwrap_or(Readers::Anybody),
            false => Readers::unknown(),
        }
    }

    /// Takes in a source of words. Of two times that it is read, the fewer readers count.
    fn holds(&mut self, from: &str, readers: Readers, seq: u32) {
        let held = self.held.entry(from.to_owned()).or_insert((readers, seq));
        held.0 = held.0.max(readers);
    }

    /// Whether it is known already that a prompt shows this.
    pub fn knows(&self, held: &LabelledSource) -> bool {
        self.held
            .get(&held.from)
            .is_some_and(|(readers, _)| *readers >= held.readers)
    }

    /// The fewest people who may read something that it holds.
    pub fn readers(&self) -> Readers {
        let unknown = (!self.knows_prompt).then_some(Readers::unknown());
        let all = self.held.values().map(|(readers, _)| *readers);
        all.chain(unknown).max().unwrap_or(Readers::Anybody)
    }

    /// Whether it holds words that not everybody may read who reads along in its place.
    pub(crate) fn holds_private(&self) -> bool {
        self.readers() > Readers::Place
    }

    /// The sources of others' words, each with the step that brought it.
    pub fn others(&self) -> impl Iterator<Item = (&str, u32)> {
        self.others.iter().map(|(origin, seq)| (origin.as_str(), *seq))
    }

    /// The sources of words that not everyone may read, with their readers and the step.
    pub fn private(&self) -> impl Iterator<Item = (&str, Readers, u32)> {
        let held = self
            .held
            .iter()
            .map(|(from, (readers, seq))| (from.as_str(), *readers, *seq));
        held.filter(|(_, readers, _)| *readers > Readers::Anybody)
    }

    /// Both, for programs.
    pub fn to_json(&self) -> Value {
        let since = self.others.values().min();
        json!({
            "integrity": {
                "label": if self.others.is_empty() { "trusted" } else { "others" },
                "since": since,
                "sources": self.others().map(|(from, seq)| json!({ "from": from, "since": seq })).collect::<Vec<_>>(),
            },
            "confidentiality": {
                "readers": self.readers(),
                "sources": (self.held.iter())
                    .map(|(from, (readers, seq))| json!({ "from": from, "readers": readers, "since": seq }))
                    .collect::<Vec<_>>(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(from: &str, readers: Readers) -> LabelledSource {
        LabelledSource {
            from: from.to_owned(),
            readers,
        }
    }

    #[test]
    fn each_source_is_told_with_the_step_that_brought_it_and_its_readers() {
        let mut labels = Labels::default();
        labels.reads(&["a forwarded message".to_owned()].into(), 0);
        labels.shows(&[held("your message", Readers::Place)], 1);
        let both = ["a forwarded message".to_owned(), "https://example.org".to_owned()];
        labels.reads(&both.into(), 4);
        labels.add_result("web.fetch", Readers::of_command("web.fetch"), 4);
        assert_eq!(labels.readers_of_answers(), None);
        labels.add_result("vault.get", Readers::Nobody, 6);
        assert_eq!(labels.readers_of_answers(), Some(Readers::Nobody));
        assert_eq!(
            labels.to_json(),
            json!({
                "integrity": {
                    "label": "others",
                    "since": 0,
                    "sources": [
                        { "from": "a forwarded message", "since": 0 },
                        { "from": "https://example.org", "since": 4 },
                    ],
                },
                "confidentiality": {
                    "readers": "nobody",
                    "sources": [
                        { "from": "vault.get", "readers": "nobody", "since": 6 },
                        { "from": "web.fetch", "readers": "anybody", "since": 4 },
                        { "from": "your message", "readers": "place", "since": 1 },
                    ],
                },
            })
        );
        let private: Vec<_> = labels.private().collect();
        assert_eq!(
            private,
            [("vault.get", Readers::Nobody, 6), ("your message", Readers::Place, 1)]
        );
    }

    #[test]
    fn a_run_holds_nothing_private_only_if_all_that_it_holds_is_known() {
        let of = |shown: &[LabelledSource], called: &[&str]| {
            let mut labels = Labels::default();
            labels.shows(shown, 1);
            called
                .iter()
                .for_each(|command| labels.add_result(command, Readers::of_command(command), 2));
            labels.holds_private()
        };
        let message = held("your message", Readers::Place);
        let cases = [
            (vec![], vec![], true),
            (vec![message.clone()], vec!["web.fetch", "compute.eval"], false),
            (vec![message.clone()], vec!["disk.read_file"], true),
            (vec![message.clone()], vec!["memory.get"], true),
            (vec![message, held("what I remember", Readers::Person)], vec![], true),
            (vec![held("your message", Readers::Person)], vec![], true),
        ];
        for (shown, called, expected) in cases {
            assert_eq!(of(&shown, &called), expected, "{shown:?} {called:?}");
        }
    }
}
