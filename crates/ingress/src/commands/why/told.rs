//! The story of a run, gathered from its steps and told in lines. Pure.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use clifford_core::{
    policy::{Reason, reason::list_sources, sources},
    run::{
        approval, question,
        state::RunState,
        step::{Answerer, ConfirmRequest, Sections},
    },
    runs::Run,
};
use clifford_markup::{inline::inline, within_sentence};
use clifford_text::{Lang, Why};

/// The most characters of the reason of a refusal.
const REASON: usize = 200;

/// The facts of a run's steps that are told.
pub(super) struct Told {
    lang: Lang,
    pub(super) models: BTreeMap<String, u32>,
    pub(super) tools: BTreeMap<String, u32>,
    pub(super) sections: Option<Sections>,
    pub(super) milliseconds: u64,
    pub(super) estimated: bool,
    /// Where words of others came in: the step, and who wrote them.
    outside: Vec<String>,
    /// The sources of words that not everyone may read, with their readers.
    private: Vec<String>,
    /// The calls that were announced before anything of others was read.
    planned: Vec<String>,
    /// The calls that were asked for or denied, and why.
    judged: Vec<String>,
    /// Retention deleted the steps.
    pub(super) is_deleted: bool,
}

impl Told {
    pub(super) const fn new(lang: Lang) -> Self {
        Self {
            lang,
            models: BTreeMap::new(),
            tools: BTreeMap::new(),
            sections: None,
            milliseconds: 0,
            estimated: false,
            outside: Vec::new(),
            private: Vec::new(),
            planned: Vec::new(),
            judged: Vec::new(),
            is_deleted: false,
        }
    }

    /// Notes words from outside that a step brought; 0 is what the run began with.
    pub(super) fn tainted(&mut self, seq: u32, origins: &BTreeSet<String>) {
        if !origins.is_empty() {
            let named = list_sources(origins.iter().map(String::as_str), self.lang);
            self.outside.push(format!("{} ({named})", self.since(seq)));
        }
    }

    /// Notes who may read what the run held, and what it had announced.
    pub(super) fn labelled(&mut self, state: &RunState) {
        let private = state.labels.private().map(|(from, readers, seq)| {
            let from = inline(&sources::said(from, self.lang));
            format!("{from} ({}, {})", readers.text(self.lang), self.since(seq))
        });
        self.private = private.collect();
        let planned = state.evidence.planned().map(|(command, most, left)| {
            self.lang.say(Why::Made {
                command: inline(command),
                most: most.to_string(),
                made: (most - left).to_string(),
            })
        });
        self.planned = planned.collect();
    }

    pub(super) fn asked(&mut self, seq: u32, request: &ConfirmRequest) {
        let name = inline(&question::names(request));
        let (step, why) = (seq.to_string(), question::reason(request, self.lang));
        self.judged
            .push(self.lang.say(match request.is_unasked && !request.was_announced {
                true => Why::AskedUnasked { name, step, why },
                false => Why::Asked { name, step, why },
            }));
    }

    pub(super) fn answered(&mut self, approved: bool, by: Answerer) {
        let answer = self.lang.say(match (approved, by) {
            (true, _) => Why::Approved,
            (false, Answerer::Nobody) => Why::NotInTime,
            (false, _) => Why::Denied,
        });
        if let Some(asked) = self.judged.last_mut() {
            asked.push_str(&format!(" → {answer}"));
        }
    }

    /// Notes a call that policy refused; `error`: what the model read of it.
    pub(super) fn refused(&mut self, seq: u32, name: &str, error: &str, reason: Option<&Reason>) {
        let Some(stored) = error.strip_prefix(approval::REFUSED) else {
            return;
        };
        // An earlier version kept no reason besides the error.
        let why = reason.map_or_else(|| stored.to_owned(), |reason| reason.text(self.lang));
        self.judged.push(self.lang.say(Why::Refused {
            name: inline(name),
            step: seq.to_string(),
            why: within_sentence(&why, REASON),
        }));
    }

    pub(super) fn text(&self, run: &Run) -> String {
        let lang = self.lang;
        let mut lines = match self.is_deleted {
            true => vec![lang.say(Why::Deleted)],
            false => self.course(run),
        };
        lines.push(self.tokens(run));
        if run.cost > 0.0 {
            let cost = lang.decimal(run.cost, 4);
            lines.push(lang.say(Why::Cost { cost }));
        }
        if !self.is_deleted {
            // The rest of a tenth is not told.
            let time = Duration::from_millis(self.milliseconds / 100 * 100);
            lines.push(lang.say(Why::Time {
                seconds: lang.decimal(time.as_secs_f64(), 1),
            }));
        }
        if let Some(error) = &run.error {
            let error = inline(error);
            lines.push(lang.say(Why::Failed { error }));
        }
        format!("{}\n- {}", lang.say(Why::Head), lines.join("\n- "))
    }

    /// The course of the run by its steps, in lines.
    fn course(&self, run: &Run) -> Vec<String> {
        let lang = self.lang;
        let some = |list: &[String], said: fn(String) -> Why| (!list.is_empty()).then(|| said(list.join("; ")));
        let mut lines = vec![match self.models.is_empty() {
            true => lang.say(Why::NoModel),
            false => lang.say(Why::Models {
                models: counted(&self.models),
                calls: run.llm_calls.to_string(),
            }),
        }];
        lines.push(match self.tools.is_empty() {
            true => lang.say(Why::NoTools),
            false => lang.say(Why::Tools {
                tools: counted(&self.tools),
            }),
        });
        let outside = some(&self.outside, |sources| Why::Outside { sources });
        lines.push(lang.say(outside.unwrap_or(Why::NothingOutside)));
        lines.extend(some(&self.private, |sources| Why::Private { sources }).map(|told| lang.say(told)));
        if !self.planned.is_empty() {
            let calls = self.planned.join(", ");
            lines.push(lang.say(Why::Announced { calls }));
        }
        lines.extend(self.judged.iter().cloned());
        lines.extend(self.sections.map(|sections| self.prompt(&sections)));
        lines
    }

    /// The last prompt, by its parts.
    fn prompt(&self, sections: &Sections) -> String {
        let lang = self.lang;
        let names = [
            Why::System,
            Why::PromptTools,
            Why::Schema,
            Why::Memories,
            Why::Elsewhere,
            Why::Conversation,
            Why::Transcript,
        ];
        let parts = names.into_iter().zip(sections.named());
        let parts: Vec<_> = parts
            .filter(|(_, (_, tokens))| *tokens > 0)
            .map(|(name, (_, tokens))| format!("{} {}", lang.say(name), lang.number(tokens)))
            .collect();
        lang.say(Why::Prompt {
            tokens: lang.number(sections.total()),
            parts: parts.join(", "),
        })
    }

    fn tokens(&self, run: &Run) -> String {
        let lang = self.lang;
        let told = lang.say(Why::Tokens {
            read: lang.number(run.prompt_tokens),
            cached: lang.number(run.cached_tokens),
            written: lang.number(run.completion_tokens),
        });
        match self.estimated {
            true => format!("{told}{}", lang.say(Why::Estimated)),
            false => told,
        }
    }

    /// From which step on; 0: the run began with it.
    fn since(&self, seq: u32) -> String {
        self.lang.say(match seq {
            0 => Why::FromBeginning,
            seq => Why::FromStep { step: seq.to_string() },
        })
    }
}

fn counted(names: &BTreeMap<String, u32>) -> String {
    let names: Vec<_> = names
        .iter()
        .map(|(name, count)| match count {
            1 => inline(name),
            count => format!("{} × {count}", inline(name)),
        })
        .collect();
    names.join(", ")
}
