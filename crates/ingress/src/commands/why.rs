//! `/why`: the story of the last answer.

use std::collections::{BTreeMap, BTreeSet};

use clifford_core::{
    places::Channel,
    run::{
        approval, question,
        rules::Rules,
        state::RunState,
        step::{Answerer, ConfirmRequest, Event, Sections, Step, StepKind, ToolOutcome},
    },
    runs::Run,
};
use clifford_store::{
    StoreError, Tx,
    runs::{self, steps},
};

use super::Done;

pub(super) async fn why(tx: &mut Tx, channel: &Channel) -> Result<Done, StoreError> {
    let last = match channel.active_context_id {
        Some(context) => runs::last_ended_in(tx, context).await?,
        None => None,
    };
    Ok(Done::say(match last {
        Some(run) => explain(&run, &steps::of_run(tx, run.id).await?),
        None => "I have not answered anything in this conversation yet.".to_owned(),
    }))
}

/// How a run came to its end, in lines. Pure.
fn explain(run: &Run, steps: &[Step]) -> String {
    let mut told = Told::default();
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
                if let ToolOutcome::Failure { error, .. } = &result.outcome
                    && let Some(why) = error.strip_prefix(approval::REFUSED)
                {
                    let name = clifford_markup::inline::inline(&result.name);
                    let why = clifford_markup::within_sentence(why, 200);
                    told.judged.push(format!("- denied {name} (step {}): {why}", step.seq));
                }
            }
            _ => {}
        }
    }
    told.labelled(&state);
    told.text(run)
}

#[derive(Default)]
struct Told {
    models: BTreeMap<String, u32>,
    tools: BTreeMap<String, u32>,
    sections: Option<Sections>,
    milliseconds: u64,
    estimated: bool,
    /// Where words of others came in: the step, and who wrote them.
    outside: Vec<String>,
    /// The sources of words that not anybody may read, with their readers.
    private: Vec<String>,
    /// The calls that were announced before anything of others was read.
    planned: Vec<String>,
    /// The calls that were asked for or denied, and why.
    judged: Vec<String>,
}

impl Told {
    /// Notes words from outside that a step brought; 0 is what the run began with.
    fn tainted(&mut self, seq: u32, origins: &BTreeSet<String>) {
        if origins.is_empty() {
            return;
        }
        let named: Vec<_> = (origins.iter().take(3))
            .map(|origin| clifford_markup::within_sentence(origin, 80))
            .collect();
        let more = match origins.len().saturating_sub(3) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        self.outside
            .push(format!("{} ({}{more})", since(seq), named.join(", ")));
    }

    /// Notes who may read what the run held, and what it had announced.
    fn labelled(&mut self, state: &RunState) {
        let private = state.labels.private().map(|(from, readers, seq)| {
            let from = clifford_markup::inline::inline(from);
            format!("{from} ({}, {})", readers.words(), since(seq))
        });
        self.private = private.collect();
        let planned = state.evidence.planned().map(|(command, most, left)| {
            let made = most - left;
            format!("{} × {most} ({made} made)", clifford_markup::inline::inline(command))
        });
        self.planned = planned.collect();
    }

    fn asked(&mut self, seq: u32, request: &ConfirmRequest) {
        let name = clifford_markup::inline::inline(&question::names(request));
        let unasked = match request.is_unasked && !request.was_announced {
            true => ", which you did not ask for",
            false => "",
        };
        let why = question::reason(request);
        self.judged
            .push(format!("- asked for {name} (step {seq}){unasked}: {why}"));
    }

    fn answered(&mut self, approved: bool, by: Answerer) {
        let answer = match (approved, by) {
            (true, _) => "approved",
            (false, Answerer::Nobody) => "not answered in time",
            (false, _) => "denied",
        };
        if let Some(asked) = self.judged.last_mut() {
            asked.push_str(&format!(" → {answer}"));
        }
    }

    fn text(&self, run: &Run) -> String {
        let mut lines = vec!["How my last answer here came about:".to_owned()];
        lines.push(match self.models.is_empty() {
            true => "- model: none was asked".to_owned(),
            false => format!("- model: {}; iterations: {}", counted(&self.models), run.llm_calls),
        });
        lines.push(match self.tools.is_empty() {
            true => "- tools: none".to_owned(),
            false => format!("- tools: {}", counted(&self.tools)),
        });
        lines.push(match self.outside.is_empty() {
            true => "- words from outside: none".to_owned(),
            false => format!("- words from outside: {}", self.outside.join("; ")),
        });
        if !self.private.is_empty() {
            lines.push(format!(
                "- words that not anybody may read: {}",
                self.private.join("; ")
            ));
        }
        if !self.planned.is_empty() {
            lines.push(format!("- announced: {}", self.planned.join(", ")));
        }
        lines.extend(self.judged.iter().cloned());
        if let Some(sections) = self.sections {
            let parts = sections.named();
            let parts: Vec<_> = parts
                .iter()
                .filter(|(_, tokens)| *tokens > 0)
                .map(|(name, tokens)| format!("{name} {tokens}"))
                .collect();
            lines.push(format!(
                "- last prompt: about {} tokens ({})",
                sections.total(),
                parts.join(", ")
            ));
        }
        lines.push(format!(
            "- tokens: {} read ({} of them cached), {} written{}",
            run.prompt_tokens,
            run.cached_tokens,
            run.completion_tokens,
            if self.estimated { ", partly estimated" } else { "" }
        ));
        if run.cost > 0.0 {
            lines.push(format!("- cost: {:.4}", run.cost));
        }
        lines.push(format!(
            "- time at work: {}.{} s",
            self.milliseconds / 1000,
            self.milliseconds % 1000 / 100
        ));
        if let Some(error) = &run.error {
            lines.push(format!("- it failed: {}", clifford_markup::inline::inline(error)));
        }
        lines.join("\n")
    }
}

/// From which step on; 0: the run began with it.
fn since(seq: u32) -> String {
    match seq {
        0 => "from the beginning".to_owned(),
        seq => format!("from step {seq}"),
    }
}

fn counted(names: &BTreeMap<String, u32>) -> String {
    let names: Vec<_> = names
        .iter()
        .map(|(name, count)| match count {
            1 => clifford_markup::inline::inline(name),
            count => format!("{} × {count}", clifford_markup::inline::inline(name)),
        })
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use clifford_core::{
        clock::Timestamp,
        policy::{
            labels::{Held, Readers},
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
                holds: vec![
                    Held {
                        from: "what I remember of you".to_owned(),
                        readers: Readers::Person,
                    },
                    Held {
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
            explain(&run, &steps),
            "How my last answer here came about:\n\
             - model: small (main) × 2; iterations: 2\n\
             - tools: compute.eval × 2\n\
             - words from outside: none\n\
             - words that not anybody may read: what I remember of you (this person, from step 1); your message (this \
             place, from step 1)\n\
             - last prompt: about 1200 tokens (system 800, tools 300, conversation 20, transcript 80)\n\
             - tokens: 2300 read (1100 of them cached), 40 written\n\
             - cost: 0.0013\n\
             - time at work: 2.3 s"
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
        let result = |name: &str, error: &str, origins: &[&str]| {
            StepKind::ToolResult(ToolResult {
                name: name.to_owned(),
                outcome: ToolOutcome::Failure {
                    error: error.to_owned(),
                    retries: 0,
                    expose: true,
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
        let told = explain(&Run::sample(), &steps);
        for line in [
            "- words from outside: from step 1 (bill-december.txt)\n",
            "- asked for bank.send\\_money (step 2), which you did not ask for: `recipient` stands only in \
             bill-december.txt (bank.read_file) → denied\n",
            "- denied bank.wipe (step 4): the rule \"never\" forbids it\n",
        ] {
            assert!(told.contains(line), "{told}");
        }
    }
}
