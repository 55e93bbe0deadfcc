//! The replay of a run's steps: the engine's state after each, and its decision on each reply.
//!
//! The same fold and the same rules that do a run; so this is what happened, as far as the rules' numbers are
//! still those of then.

use serde_json::{Value, json};

use super::{
    decide,
    decision::{Decision, Ending, Failure, Then},
    rules::Rules,
    state::{Pending, RunState},
    step::{Event, Step, StepKind},
};
use crate::runs::Run;

/// One step, and what the engine knew then.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame<'a> {
    /// The step.
    pub step: &'a Step,
    /// The state after it.
    pub state: Value,
    /// The decision on the reply, if the step is one.
    pub decision: Option<Value>,
}

/// One iteration: from a question to the model to the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration<'a> {
    /// Its number; repeats for unreadable replies are not counted.
    pub number: u32,
    /// Its steps.
    pub frames: Vec<Frame<'a>>,
}

/// Tells a run again.
pub fn replay<'a>(run: &Run, rules: &Rules, steps: &'a [Step]) -> Vec<Iteration<'a>> {
    let rules = &rules.of_run(run);
    let mut state = RunState::new(run, rules);
    let mut iterations: Vec<Iteration<'a>> = Vec::new();
    for step in steps {
        let begins = matches!(step.kind, StepKind::Event(Event::LlmRequest { .. }));
        let number = state.iterations + u32::from(begins);
        state.apply(step);
        let decision = match &state.pending {
            Pending::Apply(reply) if matches!(step.kind, StepKind::Event(Event::LlmResponse(_))) => {
                Some(decided(&decide::decide(&state, rules, reply, step.at)))
            }
            _ => None,
        };
        let frame = Frame {
            step,
            state: deciding_state(&state),
            decision,
        };
        match iterations.last_mut() {
            Some(iteration) if !begins => iteration.frames.push(frame),
            _ => iterations.push(Iteration {
                number,
                frames: vec![frame],
            }),
        }
    }
    iterations
}

/// The part of the state that decisions depend on.
pub fn deciding_state(state: &RunState) -> Value {
    let mut notes: Vec<_> = state
        .notes
        .iter()
        .filter_map(|note| serde_json::to_value(note).ok())
        .collect();
    notes.sort_by_key(Value::to_string);
    json!({
        "pending": pending(&state.pending),
        "iterations": state.iterations,
        "maxIterations": state.max_iterations,
        "notes": notes,
        "output": state.output,
        "sent": state.sent,
        "calls": state.calls,
        "failures": state.failures,
        "badReplies": state.bad_replies,
        "limitation": state.limitation.as_ref().map(|limitation| json!({
            "tool": limitation.tool, "error": limitation.error, "refusals": limitation.refusals,
        })),
        "children": state.children,
        "origins": state.origins,
        "labels": state.labels.to_json(),
        "plan": (state.evidence.planned())
            .map(|(command, most, left)| json!({ "command": command, "atMost": most, "left": left }))
            .collect::<Vec<_>>(),
        "idle": state.idle,
        "same": state.same,
        "tokens": state.tokens,
        "cost": state.cost,
        "workedMs": state.worked_ms,
    })
}

const fn pending(pending: &Pending) -> &'static str {
    match pending {
        Pending::Think => "think",
        Pending::Apply(_) => "apply",
        Pending::Call(_) => "call",
        Pending::Queued(_) => "queued",
        Pending::Confirm(_) => "confirm",
        Pending::Approved(_) => "approved",
        Pending::Denied(_) => "denied",
        Pending::Wait => "wait",
        Pending::Nothing => "nothing",
    }
}

fn decided(decision: &Decision) -> Value {
    match decision {
        Decision::Record(records) => json!({ "decision": "record", "records": recorded(records) }),
        Decision::CallTool { before, call } => {
            json!({ "decision": "call_tool", "records": recorded(before), "tool": call.name, "args": call.args })
        }
        Decision::Confirm { before, request } => json!({
            "decision": "confirm", "records": recorded(before), "tool": request.call.name, "args": request.call.args,
            "why": request.why,
        }),
        Decision::Say { before, text, then } => json!({
            "decision": "say", "records": recorded(before), "message": text, "completes": *then == Then::Complete,
        }),
        Decision::Spawn {
            before,
            children,
            wake_on,
        } => json!({
            "decision": "spawn", "records": recorded(before), "subagents": children, "wakeOn": wake_on,
        }),
        Decision::Wait { before, until } => json!({
            "decision": "wait", "records": recorded(before), "until": until.at, "cron": until.cron,
            "reason": until.reason,
        }),
        Decision::Complete {
            before,
            ending: Ending { kind, output, message },
        } => json!({
            "decision": "complete", "records": recorded(before), "ending": kind, "output": output, "message": message,
        }),
        Decision::Fail {
            before,
            failure: Failure { kind, message, error },
        } => json!({
            "decision": "fail", "records": recorded(before), "ending": kind, "message": message, "error": error,
        }),
    }
}

fn recorded(kinds: &[StepKind]) -> Vec<Value> {
    kinds
        .iter()
        .map(|kind| {
            let (given, result, _) = crate::run::columns::parts(kind);
            json!({ "type": kind.type_name(), "argsJson": given, "resultJson": result })
        })
        .collect()
}
