//! A run rehearsed without a database, a model or a tool: replies go in, decisions come out. For tests.

use serde_json::{Value, json};

use super::{
    decide::{self, Next},
    decision::Decision,
    effects::{After, Effects, effects},
    rules::Rules,
    state::{Pending, RunState},
    step::{Event, LlmResponse, Step, StepKind, ToolOutcome, ToolResult},
};
use crate::{
    clock::Timestamp,
    id::{MessageId, RunId},
    runs::{Run, RunKind, RunStatus},
};

/// A run and everything that it did.
#[derive(Debug)]
pub struct Rehearsal {
    pub run: Run,
    pub rules: Rules,
    pub state: RunState,
    pub steps: Vec<Step>,
    pub status: RunStatus,
    pub says: Vec<String>,
    pub now: Timestamp,
}

impl Rehearsal {
    /// A coordinator that has noted nothing yet.
    pub fn new(rules: Rules) -> Self {
        Self::of(Run::sample(), rules)
    }

    /// A coordinator behind the planning gate.
    pub fn planned(rules: Rules) -> Self {
        let mut run = Self::new(rules);
        run.plan();
        run
    }

    /// A subagent behind the planning gate.
    pub fn subagent(level: u32) -> Self {
        let mut run = Self::of(
            Run {
                kind: RunKind::Subagent,
                level,
                parent_run_id: Some(RunId::new()),
                ..Run::sample()
            },
            Rules::default(),
        );
        run.plan();
        run
    }

    pub fn of(run: Run, rules: Rules) -> Self {
        Self {
            state: RunState::new(&run, &rules),
            run,
            rules,
            steps: Vec::new(),
            status: RunStatus::Running,
            says: Vec::new(),
            now: Timestamp(1_767_225_600_000),
        }
    }

    fn plan(&mut self) {
        for category in [clifford_action::Category::Requirements, clifford_action::Category::Plan] {
            self.push(StepKind::Note {
                category,
                content: "noted".into(),
                plan: vec![],
            });
        }
    }

    /// Takes a step.
    pub fn push(&mut self, kind: StepKind) {
        let step = Step {
            seq: self.state.next_seq,
            at: self.now,
            kind,
        };
        self.state.apply(&step);
        self.steps.push(step);
    }

    /// The run's move before its next reply: announcements, or its end.
    pub fn turn(&mut self) -> Next {
        let next = decide::next(&self.state, &self.rules);
        match &next {
            Next::Think(before) => {
                for step in before.clone() {
                    self.push(step);
                }
            }
            Next::End(decision) => {
                self.carry_out(decision.clone());
            }
        }
        next
    }

    /// Takes a reply, if the run still thinks, and returns what it decided.
    pub fn reply(&mut self, reply: &Value) -> Decision {
        self.reply_text(&reply.to_string())
    }

    /// As [`Rehearsal::reply`], for any text of a model.
    pub fn reply_text(&mut self, text: &str) -> Decision {
        if let Next::End(decision) = self.turn() {
            return decision;
        }
        self.push(StepKind::Event(Event::LlmResponse(LlmResponse {
            text: text.to_owned(),
            ..LlmResponse::default()
        })));
        self.apply()
    }

    /// Applies the reply that was recorded.
    pub fn apply(&mut self) -> Decision {
        let Pending::Apply(reply) = self.state.pending.clone() else {
            panic!("no reply is at hand: {:?}", self.state.pending);
        };
        let decision = decide::decide(&self.state, &self.rules, &reply, self.now);
        self.carry_out(decision.clone());
        decision
    }

    /// As [`Rehearsal::reply`], for a reply of whose files some cannot be sent.
    pub fn reply_without_files(&mut self, reply: &Value, fault: &str) -> Decision {
        self.turn();
        self.push(StepKind::Event(Event::LlmResponse(LlmResponse {
            text: reply.to_string(),
            ..LlmResponse::default()
        })));
        let Pending::Apply(reply) = self.state.pending.clone() else {
            panic!("no reply is at hand: {:?}", self.state.pending);
        };
        let decision = decide::decide(&self.state, &self.rules, &reply, self.now);
        let decision = decide::without_files(&self.state, decision, fault);
        self.carry_out(decision.clone());
        decision
    }

    /// Applies the next call of the reply whose first calls were made.
    pub fn queued(&mut self) -> Decision {
        let Pending::Queued(call) = self.state.pending.clone() else {
            panic!("no call waits for its turn: {:?}", self.state.pending);
        };
        let decision = decide::queued(&self.state, &self.rules, &call);
        self.carry_out(decision.clone());
        decision
    }

    /// Writes what a decision writes.
    pub fn carry_out(&mut self, decision: Decision) -> Effects {
        let written = effects(&self.state, &self.rules, decision, RunId::new);
        for step in written.steps.clone() {
            self.push(step);
        }
        self.says.extend(written.says.iter().cloned());
        self.status = match &written.then {
            After::Continue | After::Call(_) => RunStatus::Running,
            After::Sleep(_) | After::AwaitChildren(_) | After::Confirm(_) => RunStatus::Waiting,
            After::End { status, .. } => *status,
        };
        written
    }

    /// The tool that was called answers.
    pub fn tool(&mut self, outcome: ToolOutcome) {
        let Pending::Call(call) = self.state.pending.clone() else {
            panic!("no tool was called: {:?}", self.state.pending);
        };
        self.push(StepKind::ToolResult(ToolResult {
            name: call.name,
            outcome,
            origins: std::collections::BTreeSet::new(),
            duration_ms: 1,
            spent: crate::run::step::Spent::default(),
            undo: None,
            readers: None,
        }));
    }

    /// The tool that was called works.
    pub fn tool_works(&mut self) {
        self.tool(ToolOutcome::Success { result: json!(42) });
    }

    /// The tool that was called fails.
    pub fn tool_fails(&mut self, retries: u32, expose: bool) {
        self.tool(ToolOutcome::Failure {
            error: "no such file".into(),
            retries,
            expose,
            refused: None,
        });
    }

    /// The person writes; `false`: the run takes nothing in now.
    pub fn hears(&mut self, text: &str) -> bool {
        let takes_in = self.state.takes_in();
        if takes_in {
            self.push(StepKind::Event(Event::UserMessage {
                message_id: MessageId::new(),
                text: text.to_owned(),
            }));
        }
        takes_in
    }

    /// Somebody wakes the run.
    pub fn wake(&mut self) {
        self.status = RunStatus::Running;
        self.push(StepKind::Event(Event::Wake {
            reason: "time".into(),
            said: Vec::new(),
            through: None,
        }));
    }
}
