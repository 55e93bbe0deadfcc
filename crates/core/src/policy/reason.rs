//! The reasons of verdicts. A step keeps them with the question or the refusal, and each reader gets them in their language.
//! Pure.

use clifford_markup::within_sentence;
use clifford_text::{Because, Count, Lang};
use serde::{Deserialize, Serialize};

use super::{Per, sources, trace::Fault};

/// How many sources of words are named.
const NAMED: usize = 3;
/// The most characters of a source's name.
const LONGEST: usize = 80;

/// Why a call is allowed, asked for or refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Reason {
    /// It only reads.
    OnlyReads,
    /// It changes what can be changed back, in private.
    ChangesInPrivate,
    /// It changes something where others read along.
    ChangesInShared,
    /// It destroys something.
    Destroys,
    /// It touches what is private, or costs money.
    Sensitive,
    /// The words of whoever made the rule that decided.
    Told {
        /// The words.
        words: String,
    },
    /// A rule allows it.
    Allowed {
        /// Its name.
        rule: String,
    },
    /// A rule wants it confirmed.
    Confirmed {
        /// Its name.
        rule: String,
    },
    /// A rule forbids it.
    Forbidden {
        /// Its name.
        rule: String,
    },
    /// A rule allows it so many times.
    Limited {
        /// Its name.
        rule: String,
        /// How many times.
        calls: u32,
        /// In which time.
        per: Per,
    },
    /// The run has read words from outside, and the call would carry out what is not known there.
    CarriesOut {
        /// The sources of the words.
        read: Vec<String>,
    },
    /// The run has read words from outside, which may have asked for the call.
    MayBeOthers {
        /// The sources of the words.
        read: Vec<String>,
        /// The evidence for that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<Fault>,
    },
    /// The result of the call is for its person alone.
    ForYouAlone,
    /// So many questions wait for its person already.
    TooManyOpen {
        /// How many.
        open: usize,
    },
}

impl Reason {
    /// As a part of a sentence, for a person.
    pub fn text(&self, lang: Lang) -> String {
        lang.say(match self {
            Self::OnlyReads => Because::OnlyReads,
            Self::ChangesInPrivate => Because::ChangesInPrivate,
            Self::ChangesInShared => Because::ChangesInShared,
            Self::Destroys => Because::Destroys,
            Self::Sensitive => Because::Sensitive,
            Self::Told { words } => return words.trim().trim_end_matches('.').to_owned(),
            Self::Allowed { rule } => Because::RuleAllows { rule: rule.clone() },
            Self::Confirmed { rule } => Because::RuleConfirms { rule: rule.clone() },
            Self::Forbidden { rule } => Because::RuleForbids { rule: rule.clone() },
            Self::Limited { rule, calls, per } => {
                let (rule, count) = (rule.clone(), Count::from(*calls));
                match per {
                    Per::Minute => Because::PerMinute { rule, count },
                    Per::Hour => Because::PerHour { rule, count },
                    Per::Day => Because::PerDay { rule, count },
                    Per::Month => Because::PerMonth { rule, count },
                }
            }
            Self::CarriesOut { read } => Because::CarriesOut {
                read: read_outside(read, lang),
            },
            Self::MayBeOthers { read, fault: None } => Because::MayBeOthers {
                read: read_outside(read, lang),
            },
            Self::MayBeOthers {
                read,
                fault: Some(fault),
            } => Because::MayBeOthersFor {
                read: read_outside(read, lang),
                fault: objection(fault, lang),
            },
            Self::ForYouAlone => Because::ForYouAlone,
            Self::TooManyOpen { open } => Because::TooManyOpen { count: (*open).into() },
        })
    }

    /// As operators, logs and models read it.
    pub fn english(&self) -> String {
        match self {
            Self::Told { words } => words.clone(),
            _ => self.text(Lang::English),
        }
    }

    /// Whether others may be behind the call.
    pub const fn may_be_others(&self) -> bool {
        matches!(self, Self::MayBeOthers { .. })
    }
}

/// Says where the words came from that a run has read.
fn read_outside(read: &[String], lang: Lang) -> String {
    lang.say(Because::ReadOutside {
        sources: list_sources(read.iter().map(String::as_str), lang),
    })
}

/// The first sources of words, and how many more there are.
pub fn list_sources<'a>(sources: impl Iterator<Item = &'a str>, lang: Lang) -> String {
    let all: Vec<_> = sources.collect();
    let named = all.iter().take(NAMED);
    let named: Vec<_> = named
        .map(|from| within_sentence(&sources::said(from, lang), LONGEST))
        .collect();
    let list = named.join(", ");
    match all.len().saturating_sub(NAMED) {
        0 => list,
        more => lang.say(Because::AndMore {
            list,
            count: more.into(),
        }),
    }
}

/// The objection to a call.
fn objection(fault: &Fault, lang: Lang) -> String {
    let shown = |text: &str| within_sentence(text, 60);
    let stands = lang.say(match (&fault.argument, &fault.source) {
        (Some(argument), Some(source)) => Because::StandsOnlyIn {
            argument: shown(argument),
            source: shown(source),
        },
        (Some(argument), None) => Because::NotSaid {
            argument: shown(argument),
        },
        (None, _) => Because::NotNamed,
    });
    match fault.was_announced {
        true => stands,
        false => lang.say(Because::NotAnnounced { fault: stands }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_kept_as_what_it_is_and_said_in_each_language() {
        let read = || vec!["a.example".to_owned(), sources::FORWARDED.to_owned()];
        let fault = Fault {
            argument: Some("to".to_owned()),
            source: Some("web.fetch".to_owned()),
            was_announced: false,
        };
        for (reason, english, german) in [
            (
                Reason::Destroys,
                "it destroys something",
                "es löscht oder zerstört etwas",
            ),
            (
                Reason::Forbidden {
                    rule: "at night".to_owned(),
                },
                "the rule \"at night\" forbids it",
                "die Regel „at night“ verbietet es",
            ),
            (
                Reason::Limited {
                    rule: "mail".to_owned(),
                    calls: 1,
                    per: Per::Hour,
                },
                "the rule \"mail\" allows it once in an hour",
                "die Regel „mail“ erlaubt es einmal pro Stunde",
            ),
            (
                Reason::CarriesOut { read: read() },
                "I have read words from outside (a.example, a forwarded message), and this would carry out what is not \
                 known there",
                "ich habe Worte von außen gelesen (a.example, eine weitergeleitete Nachricht), und das würde etwas \
                 hinaustragen, das dort nicht bekannt ist",
            ),
            (
                Reason::MayBeOthers {
                    read: read(),
                    fault: Some(fault),
                },
                "I have read words from outside (a.example, a forwarded message), which may have asked for this: it was \
                 not announced, and to appears only in what web.fetch returned",
                "ich habe Worte von außen gelesen (a.example, eine weitergeleitete Nachricht), und die könnten darum \
                 gebeten haben: es war nicht angekündigt, und to steht nur in dem, was web.fetch geliefert hat",
            ),
            (
                Reason::Told {
                    words: "backups run at night.".to_owned(),
                },
                "backups run at night",
                "backups run at night",
            ),
        ] {
            assert_eq!(reason.text(Lang::English), english);
            assert_eq!(reason.text(Lang::German), german);
            let stored = serde_json::to_value(&reason).unwrap();
            assert_eq!(serde_json::from_value::<Reason>(stored).unwrap(), reason);
        }
    }

    #[test]
    fn of_many_sources_the_first_are_named() {
        let all = ["a", "b", "c", "d", "e"];
        assert_eq!(list_sources(all.into_iter(), Lang::English), "a, b, c and 2 more");
        assert_eq!(list_sources(all.into_iter().take(1), Lang::German), "a");
    }
}
