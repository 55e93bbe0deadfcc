//! Calls that a person denied: the same question is not asked twice in a conversation. Pure.
//!
//! Denials are read off the steps of the conversation's runs, so they hold after a restart, too. A call is the same if
//! its command and its arguments are. It is asked for again only if its person asked for it anew: a message of theirs,
//! written after the denial and no denial itself, says it in their own words, as far as [`grounds`](trace::grounds) are
//! concerned. A question that nobody answered in time was not denied by anybody, and may be asked again.

use serde_json::Value;

use super::{
    question,
    step::{Answerer, ConfirmAbout, Event, Step, StepKind, ToolCall},
};
use crate::{
    clock::Timestamp,
    policy::trace::{self, Grounds, Request},
    runs::Run,
};

/// When a person denied this very call last, by the steps of one run.
pub fn last(steps: &[Step], call: &ToolCall) -> Option<Timestamp> {
    let mut open = None;
    let mut last = None;
    for step in steps {
        match &step.kind {
            StepKind::Event(Event::ConfirmRequest(request)) if request.about == ConfirmAbout::Call => {
                let holds = request.calls().any(|asked| is_same(asked, call));
                open = holds.then(|| question::code_of(step.seq, request));
            }
            StepKind::Event(Event::Confirm { approved, code, by, .. })
                if !approved && *by != Answerer::Nobody && open.as_ref() == Some(code) =>
            {
                last = Some(step.at);
            }
            _ => {}
        }
    }
    last
}

/// Whether the person of a run asked for a call in their own words since a time.
pub fn is_asked_anew(run: &Run, steps: &[Step], request: &Request<'_>, since: Timestamp) -> bool {
    let said = steps.iter().filter_map(|step| match &step.kind {
        StepKind::Event(Event::UserMessage { text, .. }) if step.at > since => Some(text.as_str()),
        _ => None,
    });
    let evidence = match run.created_at > since {
        true => request.evidence.without_denials(),
        false => request.evidence.with_person(said),
    };
    let newer = Request {
        evidence: &evidence,
        ..*request
    };
    matches!(trace::grounds(&newer), Grounds::Said | Grounds::Own)
}

fn is_same(one: &ToolCall, other: &ToolCall) -> bool {
    let args = |call: &ToolCall| clifford_action::canonical(&Value::Object(call.args.clone()));
    one.name == other.name && args(one) == args(other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        id::{MessageId, UserId},
        policy::{evidence::Evidence, words::KnownWords},
        run::step::ConfirmRequest,
    };

    fn call(to: &str) -> ToolCall {
        ToolCall {
            name: "mail.send".to_owned(),
            args: json!({ "to": to }).as_object().cloned().unwrap(),
            idempotency_key: "k".to_owned(),
        }
    }

    fn asked(seq: u32, call: &ToolCall, about: ConfirmAbout, approved: bool, by: Answerer) -> Vec<Step> {
        let step = |seq, event| Step {
            seq,
            at: Timestamp(i64::from(seq) * 10),
            kind: StepKind::Event(event),
        };
        let request = ConfirmRequest {
            call: call.clone(),
            about,
            why: String::new(),
            reason: None,
            expires_at: Timestamp(0),
            may_be_rule: false,
            traced: Vec::new(),
            is_unasked: false,
            was_announced: false,
            also: Vec::new(),
        };
        let code = question::code(seq, call);
        vec![
            step(seq, Event::ConfirmRequest(request)),
            step(
                seq + 1,
                Event::Confirm {
                    approved,
                    code,
                    by,
                    words: None,
                },
            ),
        ]
    }

    #[test]
    fn a_call_is_denied_once_a_person_denied_the_very_same() {
        let (bob, user) = (call("bob@mail.example"), Answerer::User(UserId::new()));
        let cases = [
            (asked(1, &bob, ConfirmAbout::Call, false, user), Some(Timestamp(20))),
            (
                asked(1, &bob, ConfirmAbout::Call, false, Answerer::Operator),
                Some(Timestamp(20)),
            ),
            (asked(1, &bob, ConfirmAbout::Call, false, Answerer::Nobody), None),
            (asked(1, &bob, ConfirmAbout::Call, true, user), None),
            (asked(1, &bob, ConfirmAbout::Result, false, user), None),
            (
                asked(1, &call("eve@mail.example"), ConfirmAbout::Call, false, user),
                None,
            ),
        ];
        for (steps, expected) in cases {
            assert_eq!(last(&steps, &bob), expected, "{steps:?}");
        }
    }

    #[test]
    fn only_newer_words_of_the_person_ask_anew() {
        let anew = |began: i64, input: &str, later: Option<(i64, &str)>| {
            let mut evidence = Evidence::default();
            evidence.person_says(input);
            let steps = later.map(|(at, text)| {
                evidence.person_says(text);
                let (message_id, text) = (MessageId::new(), text.to_owned());
                Step {
                    seq: 1,
                    at: Timestamp(at),
                    kind: StepKind::Event(Event::UserMessage { message_id, text }),
                }
            });
            let steps: Vec<_> = steps.into_iter().collect();
            let run = Run {
                created_at: Timestamp(began),
                ..Run::sample()
            };
            let (bob, schema) = (call("bob@mail.example"), json!({"properties": {"to": {}}}));
            let request = Request {
                name: &bob.name,
                args: &bob.args,
                schema: &schema,
                evidence: &evidence,
                private: &KnownWords::default(),
            };
            is_asked_anew(&run, &steps, &request, Timestamp(20))
        };
        let says = "mail bob@mail.example";
        assert!(anew(30, says, None));
        assert!(!anew(30, "and now the weather", None));
        // The message by which the denied call came about asks for nothing anew.
        assert!(!anew(5, says, None));
        assert!(!anew(5, says, Some((10, says))));
        assert!(!anew(5, says, Some((25, "go on"))));
        assert!(anew(5, "hello", Some((25, says))));
    }
}
