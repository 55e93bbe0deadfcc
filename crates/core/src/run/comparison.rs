//! Two lists of steps side by side: what both have, and where they differ. Pure.
//!
//! Steps are the same if they did the same. Their times, ids, costs and the words of a prompt do not count: those
//! differ between any two runs.

use serde_json::{Value, json};

use super::{
    reading,
    step::{Event, LlmResponse, Step, StepKind, ToolOutcome},
};
use crate::alignment::{Row, align};

/// Steps side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<'a> {
    /// The step on the left.
    pub left: Option<&'a Step>,
    /// The step on the right.
    pub right: Option<&'a Step>,
    /// Both did the same.
    pub is_same: bool,
}

/// Two lists of steps side by side. Steps of one kind that differ stand next to each other.
pub fn side_by_side<'a>(left: &'a [Step], right: &'a [Step]) -> Vec<Pair<'a>> {
    let contents = |steps: &[Step]| steps.iter().map(|step| content(&step.kind)).collect::<Vec<_>>();
    let mut pairs = Vec::new();
    let (mut only_left, mut only_right) = (Vec::new(), Vec::new());
    for row in align(&contents(left), &contents(right)) {
        match row {
            Row::Left(place) => only_left.extend(left.get(place)),
            Row::Right(place) => only_right.extend(right.get(place)),
            Row::Both(a, b) => {
                pairs.extend(different(
                    &std::mem::take(&mut only_left),
                    &std::mem::take(&mut only_right),
                ));
                pairs.push(Pair {
                    left: left.get(a),
                    right: right.get(b),
                    is_same: true,
                });
            }
        }
    }
    pairs.extend(different(&only_left, &only_right));
    pairs
}

/// Steps that have nothing in common but their kinds.
fn different<'a>(left: &[&'a Step], right: &[&'a Step]) -> Vec<Pair<'a>> {
    let names = |steps: &[&Step]| steps.iter().map(|step| name(&step.kind)).collect::<Vec<_>>();
    let pair = |left: Option<&&'a Step>, right: Option<&&'a Step>| Pair {
        left: left.copied(),
        right: right.copied(),
        is_same: false,
    };
    let rows = align(&names(left), &names(right)).into_iter();
    rows.map(|row| match row {
        Row::Both(a, b) => pair(left.get(a), right.get(b)),
        Row::Left(place) => pair(left.get(place), None),
        Row::Right(place) => pair(None, right.get(place)),
    })
    .collect()
}

/// The kind of a step; of an event, which one.
fn name(kind: &StepKind) -> String {
    match kind {
        StepKind::Event(event) => {
            let event = serde_json::to_value(event).unwrap_or_default();
            event["event"].as_str().unwrap_or_default().to_owned()
        }
        other => other.type_name().to_owned(),
    }
}

/// The part of a step by which it is compared.
fn content(kind: &StepKind) -> (String, Value) {
    let content = match kind {
        StepKind::ToolCall(call) => json!([call.name, call.args]),
        StepKind::ToolResult(result) => match &result.outcome {
            ToolOutcome::Success { result: told } => json!([result.name, true, told]),
            ToolOutcome::Failure { error, .. } => json!([result.name, false, error]),
        },
        StepKind::AssistantMessage { text, sent } => json!([text.trim(), sent]),
        StepKind::OutputUpdate { output, mode } => json!([output.trim(), mode]),
        StepKind::Decision { content, importance } => json!([content, importance]),
        StepKind::Note {
            category,
            content,
            plan,
        } => json!([category, content, plan]),
        StepKind::Finish(finish) => json!(finish),
        StepKind::Event(event) => of_event(event),
    };
    (name(kind), content)
}

fn of_event(event: &Event) -> Value {
    match event {
        Event::LlmRequest { .. } => Value::Null,
        Event::LlmResponse(response) => reply(response),
        Event::UserMessage { text, .. } => json!(text),
        Event::SpawnSubagents { specs, wake_on, .. } => json!([specs, wake_on]),
        Event::SubagentEnded {
            task,
            status,
            output,
            error,
            ..
        } => json!([task, status, output, error]),
        Event::Sleep { cron, reason, .. } => json!([cron, reason]),
        Event::Wake { reason, said, .. } => json!([reason, said]),
        Event::ConfirmRequest(request) => {
            let calls: Vec<_> = request.calls().map(|call| json!([call.name, call.args])).collect();
            json!([request.about, calls])
        }
        Event::Confirm { approved, words, .. } => json!([approved, words]),
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

/// A reply by its action: the same action may be written in many ways.
fn reply(response: &LlmResponse) -> Value {
    match reading::reply(response) {
        Ok(reply) => reply.to_value(),
        Err(_) => json!(response.text.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clock::Timestamp,
        run::step::{NoteAbout, ToolCall},
    };

    fn steps(kinds: Vec<StepKind>) -> Vec<Step> {
        let numbered = (1..).zip(kinds);
        numbered
            .map(|(seq, kind)| Step {
                seq,
                at: Timestamp(i64::from(seq) * 1000),
                kind,
            })
            .collect()
    }

    fn replied(text: &str, model: &str) -> StepKind {
        StepKind::Event(Event::LlmResponse(LlmResponse {
            text: text.to_owned(),
            model: model.to_owned(),
            ..LlmResponse::default()
        }))
    }

    fn called(expression: &str, key: &str) -> StepKind {
        StepKind::ToolCall(ToolCall {
            name: "compute.eval".to_owned(),
            args: [("expression".to_owned(), json!(expression))].into_iter().collect(),
            idempotency_key: key.to_owned(),
        })
    }

    fn drawn(left: &[Step], right: &[Step]) -> Vec<(Option<u32>, Option<u32>, bool)> {
        let pairs = side_by_side(left, right).into_iter();
        pairs
            .map(|pair| {
                (
                    pair.left.map(|step| step.seq),
                    pair.right.map(|step| step.seq),
                    pair.is_same,
                )
            })
            .collect()
    }

    #[test]
    fn the_same_action_is_the_same_however_it_was_written_and_by_whom() {
        let left = steps(vec![
            replied(r#"{"type":"send_message","message":"hi"}"#, "a"),
            called("1+1", "x:1"),
        ]);
        let right = steps(vec![
            replied("```json\n{\"message\": \"hi\", \"type\": \"send_message\"}\n```", "b"),
            called("1+1", "y:2"),
        ]);
        assert_eq!(
            drawn(&left, &right),
            [(Some(1), Some(1), true), (Some(2), Some(2), true)]
        );
    }

    #[test]
    fn steps_that_differ_stand_beside_their_kind() {
        let note = StepKind::Event(Event::SystemNote {
            text: "again".to_owned(),
            about: NoteAbout::BadReply,
        });
        let left = steps(vec![called("1+1", ""), note.clone(), called("9", "")]);
        let right = steps(vec![called("1+2", ""), replied("x", ""), note, called("9", "")]);
        assert_eq!(
            drawn(&left, &right),
            [
                (Some(1), Some(1), false),
                (None, Some(2), false),
                (Some(2), Some(3), true),
                (Some(3), Some(4), true),
            ]
        );
        assert_eq!(
            drawn(&left, &[]),
            [(Some(1), None, false), (Some(2), None, false), (Some(3), None, false),]
        );
    }
}
