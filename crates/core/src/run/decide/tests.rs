//! Every rule, by name.

mod chat;
mod endings;
mod further;
mod gates;
mod messages;
mod steering;
mod waits;

use serde_json::{Value, json};

use super::{Decision, Ending, Failure};
use crate::run::{
    rehearsal::Rehearsal,
    rules::Rules,
    step::{EndingKind, Event, NoteAbout, StepKind},
};

fn planned() -> Rehearsal {
    Rehearsal::planned(Rules::default())
}

fn call(expression: &str) -> Value {
    json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": expression}})
}

fn say(message: &str) -> Value {
    json!({"type": "send_message", "message": message})
}

fn note(content: &str) -> Value {
    json!({"type": "note", "category": "artifact", "content": content})
}

fn output(text: &str) -> Value {
    json!({"type": "set_output", "output": text})
}

fn finish() -> Value {
    json!({"type": "finish"})
}

/// Calls a tool that works, so that a message is not the whole answer.
fn after_a_tool() -> Rehearsal {
    let mut run = planned();
    run.reply(&call("1"));
    run.tool_works();
    run
}

/// The subject of a refusal or a progress; nothing, if no note was written.
fn about(decision: &Decision) -> Option<NoteAbout> {
    let Decision::Record(steps) = decision else { return None };
    steps.iter().find_map(|step| match step {
        StepKind::Event(Event::SystemNote { about, .. }) => Some(*about),
        _ => None,
    })
}

fn ending(decision: &Decision) -> Option<&Ending> {
    match decision {
        Decision::Complete { ending, .. } => Some(ending),
        _ => None,
    }
}

fn failure(decision: &Decision) -> Option<&Failure> {
    match decision {
        Decision::Fail { failure, .. } => Some(failure),
        _ => None,
    }
}

fn completed(kind: EndingKind, output: &str, message: Option<&str>) -> Ending {
    Ending {
        kind,
        output: output.to_owned(),
        message: message.map(str::to_owned),
    }
}
