//! `/why`: the story of the last answer.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use clifford_core::{
    places::Channel,
    policy::{Reason, reason::list_sources, sources},
    run::{
        approval, question,
        rules::Rules,
        state::RunState,
        step::{Answerer, ConfirmRequest, Event, Sections, Step, StepKind, ToolOutcome},
    },
    runs::Run,
};
use clifford_markup::{inline::inline, within_sentence};
use clifford_store::{
    StoreError, Tx,
    runs::{self, steps},
};
use clifford_text::{Lang, Why};

use super::Done;

/// The most characters of the reason of a refusal.
const REASON: usize = 200;

pub(super) async fn why(tx: &mut Tx, channel: &Channel, lang: Lang) -> Result<Done, StoreError> {
    let last = match channel.active_context_id {
        Some(context) => runs::last_ended_in(tx, context).await?,
        None => None,
    };
    Ok(Done::say(match last {
        Some(run) => explain(&run, &steps::of_run(tx, run.id).await?, lang),
        None => lang.say(Why::NothingYet),
    }))
}

/// How a run came to its end, in lines. Pure.
fn explain(run: &Run, steps: &[Step], lang: Lang) -> String {
    let mut told = Told::new(lang);
    let mut state = RunState::new(run, &Rules::default());
    let mut origins = state.origins.clone();
    told.tainted(0, &origins);
    for step in steps {
        state.apply(step);
        let new = state.origins.difference(&origins).cloned().collect();
        told.tainted(step.seq, &new);
        origins.extend(new);
        match &step.kind {
            StepKind::Event(Event::ConfirmRequest(request)) => told.asked(step.seq, request),
            StepKind::Event(Event::StepsDeleted { .. }) => told.is_deleted = true,
            StepKind::Event(Event::Confirm { approved, by, .. }) => told.answered(*approved, *by),
            StepKind::Event(Event::LlmRequest { sections, .. }) => told.sections = Some(*sections),
            StepKind::Event(Event::LlmResponse(reply)) => {
                *told
                    .models
                    .entry(format!("{} ({})", reply.model, reply.provider))
                    .or_default() += 1;
                told.milliseconds += reply.duration_ms;
                told.estimated |= reply.usage.estimated;
            }
            StepKind::ToolCall(call) => *told.tools.entry(call.name.clone()).or_default() += 1,
            StepKind::ToolResult(result) => {
                told.milliseconds += result.duration_ms;
                if let ToolOutcome::Failure { error, refused, .. } = &result.outcome {
                    told.refused(step.seq, &result.name, error, refused.as_deref());
                }
            }
            _ => {}
        }
    }
    told.labelled(&state);
    told.text(run)
}

struct Told {
    lang: Lang,
    models: BTreeMap<String, u32>,
    tools: BTreeMap<String, u32>,
    sections: Option<Sections>,
    milliseconds: u64,
    estimated: bool,
    /// Where words of others came in: the step, and who wrote them.
    outside: Vec<String>,
    /// The sources of words that not everyone may read, with their readers.
    private: Vec<String>,
    /// The calls that were announced before anything of others was read.
    planned: Vec<String>,
    /// The calls that were asked for or denied, and why.
    judged: Vec<String>,
    /// Retention deleted the steps.
    is_deleted: bool,
}

impl Told {
    const fn new(lang: Lang) -> Self {
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
    fn tainted(&mut self, seq: u32, origins: &BTreeSet<String>) {
        if !origins.is_empty() {
            let named = list_sources(origins.iter().map(String::as_str), self.lang);
            self.outside.push(format!("{} ({named})", self.since(seq)));
        }
    }

    /// Notes who may read what the run held, and what it had announced.
    fn labelled(&mut self, state: &RunState) {
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

    fn asked(&mut self, seq: u32, request: &ConfirmRequest) {
        let name = inline(&question::names(request));
        let (step, why) = (seq.to_string(), question::reason(request, self.lang));
        self.judged
            .push(self.lang.say(match request.is_unasked && !request.was_announced {
                true => Why::AskedUnasked { name, step, why },
                false => Why::Asked { name, step, why },
            }));
    }

    fn answered(&mut self, approved: bool, by: Answerer) {
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
    fn refused(&mut self, seq: u32, name: &str, error: &str, reason: Option<&Reason>) {
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

    fn text(&self, run: &Run) -> String {
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

#[cfg(test)]
mod tests {
    use clifford_core::{
        clock::Timestamp,
        policy::{
            labels::{LabelledSource, Readers},
            trace::{Origin, Source, Traced},
        },
        run::step::{ConfirmAbout, LlmResponse, ToolCall, ToolResult},
    };
    use clifford_llm_api::model::Usage;
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn an_answer_is_explained_by_what_was_recorded_of_it() {
        let reply = |duration_ms| {
            StepKind::Event(Event::LlmResponse(LlmResponse {
                provider: "main".to_owned(),
                model: "small".to_owned(),
                usage: Usage::default(),
                duration_ms,
                ..LlmResponse::default()
            }))
        };
        let request = |transcript| {
            StepKind::Event(Event::LlmRequest {
                messages: 2,
                estimated_tokens: 0,
                sections: Sections {
                    system: 800,
                    tools: 300,
                    conversation: 20,
                    transcript,
                    ..Sections::default()
                },
                prompt_hash: String::new(),
                prompt: None,
                prompt_deleted_at: None,
                holds: vec![
                    LabelledSource {
                        from: "what I remember of you".to_owned(),
                        readers: Readers::Person,
                    },
                    LabelledSource {
                        from: "your message".to_owned(),
                        readers: Readers::Place,
                    },
                ],
            })
        };
        let call = ToolCall {
            name: "compute.eval".to_owned(),
            args: Map::new(),
            idempotency_key: String::new(),
        };
        let result = ToolResult {
            name: "compute.eval".to_owned(),
            outcome: ToolOutcome::Success { result: json!(42) },
            origins: std::collections::BTreeSet::new(),
            duration_ms: 200,
            spent: clifford_core::run::step::Spent::default(),
            undo: None,
            readers: None,
        };
        let kinds = [
            request(0),
            reply(1000),
            StepKind::ToolCall(call.clone()),
            StepKind::ToolResult(result),
            StepKind::ToolCall(call),
            request(80),
            reply(1_150),
        ];
        let steps: Vec<_> = (1..)
            .zip(kinds)
            .map(|(seq, kind)| Step {
                seq,
                at: Timestamp(0),
                kind,
            })
            .collect();
        let run = Run {
            llm_calls: 2,
            prompt_tokens: 2300,
            cached_tokens: 1100,
            completion_tokens: 40,
            cost: 0.00125,
            ..Run::sample()
        };
        assert_eq!(
            explain(&run, &steps, Lang::English),
            "How my last answer here came about:\n\
             - model: small (main) × 2; iterations: 2\n\
             - tools: compute.eval × 2\n\
             - words from outside: none\n\
             - words that not everyone may read: what I remember of you (this person, from step 1); your message (this \
             place, from step 1)\n\
             - last prompt: about 1200 tokens (instructions 800, tools 300, conversation 20, \
             work so far 80)\n\
             - tokens: 2300 read (1100 of them cached), 40 written\n\
             - cost: 0.0013\n\
             - time at work: 2.3 s"
        );
    }

    #[test]
    fn an_answer_whose_steps_are_gone_says_so() {
        let deleted = Event::StepsDeleted {
            steps: 7,
            deleted_at: Timestamp(0),
            children: Vec::new(),
        };
        let (seq, at, kind) = (1, Timestamp(0), StepKind::Event(deleted));
        let told = explain(&Run::sample(), &[Step { seq, at, kind }], Lang::English);
        assert_eq!(
            told,
            "How my last answer here came about:\n\
             - its steps were deleted, as their time was over\n\
             - tokens: 0 read (0 of them cached), 0 written"
        );
    }

    #[test]
    fn what_was_asked_and_denied_is_explained_by_who_wrote_it() {
        let call = ToolCall {
            name: "bank.send_money".to_owned(),
            args: json!({"recipient": "US133000000121212121212"})
                .as_object()
                .cloned()
                .unwrap(),
            idempotency_key: String::new(),
        };
        let source = Source {
            command: "bank.read_file".to_owned(),
            read: Some("bill-december.txt".to_owned()),
            is_foreign: true,
        };
        let request = ConfirmRequest {
            call: call.clone(),
            about: ConfirmAbout::Call,
            why: "it destroys something".to_owned(),
            reason: Some(Reason::Destroys),
            expires_at: Timestamp(0),
            may_be_rule: false,
            traced: vec![Traced {
                argument: "recipient".to_owned(),
                origin: Origin::Text { source },
            }],
            is_unasked: true,
            was_announced: false,
            also: Vec::new(),
        };
        let never = || Reason::Forbidden {
            rule: "never".to_owned(),
        };
        let result = |name: &str, error: &str, origins: &[&str]| {
            StepKind::ToolResult(ToolResult {
                name: name.to_owned(),
                outcome: ToolOutcome::Failure {
                    error: error.to_owned(),
                    retries: 0,
                    expose: true,
                    refused: error.starts_with(approval::REFUSED).then(|| Box::new(never())),
                },
                origins: origins.iter().map(|origin| (*origin).to_owned()).collect(),
                duration_ms: 0,
                spent: clifford_core::run::step::Spent::default(),
                undo: None,
                readers: None,
            })
        };
        let confirm = Event::Confirm {
            approved: false,
            code: clifford_core::run::question::code(2, &call),
            by: Answerer::Operator,
            words: None,
        };
        let kinds = [
            result("bank.read_file", "no such page", &["bill-december.txt"]),
            StepKind::Event(Event::ConfirmRequest(request)),
            StepKind::Event(confirm),
            result("bank.wipe", "refused by policy: the rule \"never\" forbids it", &[]),
        ];
        let steps: Vec<_> = (1..)
            .zip(kinds)
            .map(|(seq, kind)| Step {
                seq,
                at: Timestamp(0),
                kind,
            })
            .collect();
        let told = explain(&Run::sample(), &steps, Lang::English);
        for line in [
            "- words from outside: from step 1 (bill-december.txt)\n",
            "- asked for bank.send\\_money (step 2), which you did not ask for: `recipient` appears only in \
             bill-december.txt (bank.read_file) → denied\n",
            "- denied bank.wipe (step 4): the rule \"never\" forbids it\n",
        ] {
            assert!(told.contains(line), "{told}");
        }
        let told = explain(&Run::sample(), &steps, Lang::German);
        for line in [
            "So kam meine letzte Antwort hier zustande:\n- Modell: keines gefragt\n- Werkzeuge: keine\n",
            "- Worte von außen: ab Schritt 1 (bill-december.txt)\n",
            "- gefragt wegen bank.send\\_money (Schritt 2), worum du nicht gebeten hast: `recipient` steht nur in \
             bill-december.txt (bank.read_file) → abgelehnt\n",
            "- bank.wipe abgelehnt (Schritt 4): die Regel „never“ verbietet es\n",
            "- Arbeitszeit: 0,0 s",
        ] {
            assert!(told.contains(line), "{told}");
        }
    }
}
