//! Turns a verdict into a decision, and ends or continues a run whose call was denied. Pure.

use std::borrow::Cow;

use super::{
    decision::{Decision, Ending, Failure},
    endings::unsaid,
    question,
    rules::Rules,
    sentences,
    state::{OpenQuestion, RunState},
    step::{
        ConfirmAbout, ConfirmRequest, EndingKind, Event, NoteAbout, Proposal, StepKind, ToolCall, ToolOutcome,
        ToolResult,
    },
};
use crate::{
    clock::Timestamp,
    policy::{
        PolicyOutcome, Reason, Verdict,
        trace::{self, Request},
        words,
    },
    settings::OnDeny,
};

/// The decision on a call that follows from its verdict.
pub fn under(verdict: &Verdict, before: Vec<StepKind>, call: ToolCall, rules: &Rules, now: Timestamp) -> Decision {
    match verdict.outcome {
        PolicyOutcome::Allow => Decision::CallTool { before, call },
        PolicyOutcome::Confirm => Decision::Confirm {
            before,
            request: ConfirmRequest {
                call,
                about: ConfirmAbout::Call,
                why: verdict.reason.english(),
                reason: Some(verdict.reason.clone()),
                expires_at: now.after(rules.policy.approvals.confirm_timeout()),
                may_be_rule: verdict.may_be_rule,
                traced: Vec::new(),
                is_unasked: false,
                was_announced: false,
                also: Vec::new(),
            },
        },
        PolicyOutcome::Deny => refused(before, call, verdict.reason.clone()),
    }
}

/// A question that says where the arguments of its call come from, and whether others are behind it.
pub fn traced(decision: Decision, request: &Request<'_>) -> Decision {
    match decision {
        Decision::Confirm { before, request: asked } => {
            let first = proposal(asked.call.clone(), None, request, 0);
            Decision::Confirm {
                before,
                request: ConfirmRequest {
                    traced: first.traced,
                    is_unasked: first.is_unasked,
                    was_announced: first.was_announced,
                    ..asked
                },
            }
        }
        other => other,
    }
}

/// A call of a question, and what its person is told of it. `before` calls of the same command stand before it there:
/// those use up what was announced.
pub fn proposal(call: ToolCall, reason: Option<Reason>, request: &Request<'_>, before: u32) -> Proposal {
    let (grounds, traced) = (trace::grounds(request), trace::origins(request));
    let was_announced = request.evidence.announced(request.name) > before;
    Proposal {
        call,
        why: reason.as_ref().map(Reason::english).unwrap_or_default(),
        reason,
        // A subagent hears no person: what they said is not known there.
        is_unasked: request.evidence.has_person() && trace::is_unasked(&grounds, &traced, was_announced),
        was_announced,
        traced,
    }
}

/// A question whose answer holds for further calls of the same reply, too. No rule takes the place of such a one.
pub fn together(decision: Decision, also: Vec<Proposal>) -> Decision {
    match decision {
        Decision::Confirm { before, request } if !also.is_empty() => Decision::Confirm {
            before,
            request: ConfirmRequest {
                may_be_rule: false,
                also,
                ..request
            },
        },
        other => other,
    }
}

/// Begins the error of a call that policy refuses.
pub const REFUSED: &str = "refused by policy: ";

/// A call that policy refuses counts as one that failed.
pub fn refused(before: Vec<StepKind>, call: ToolCall, reason: Reason) -> Decision {
    let outcome = ToolOutcome::Failure {
        error: format!("{REFUSED}{}", for_model(&reason)),
        retries: 0,
        expose: true,
        refused: Some(Box::new(reason)),
    };
    not_made(before, call, outcome)
}

/// A call that its person denied before in this conversation is not asked for again.
pub fn denied_before(mut before: Vec<StepKind>, call: &ToolCall) -> Decision {
    let text = format!(
        "The user has already denied this very call of {} in this conversation, and is not asked again. Do what is left, \
         and tell them what was not done. If they want it after all, they must say so in a new message that names its \
         details.",
        call.name
    );
    before.push(StepKind::Event(Event::SystemNote {
        text,
        about: NoteAbout::Denied,
    }));
    Decision::Record(before)
}

/// Why a call is refused, and what a model does then.
fn for_model(reason: &Reason) -> String {
    match reason {
        Reason::TooManyOpen { open } => format!(
            "it would have to be approved, and {open} questions wait for the user here already; do without it, and tell \
             them to answer those first"
        ),
        reason => reason.english(),
    }
}

/// A call that could not be made when it was judged is not made a moment later either: it would go unjudged.
pub fn not_made(mut before: Vec<StepKind>, call: ToolCall, outcome: ToolOutcome) -> Decision {
    let name = call.name.clone();
    before.push(StepKind::ToolCall(call));
    before.push(StepKind::ToolResult(ToolResult {
        name,
        outcome,
        origins: std::collections::BTreeSet::new(),
        duration_ms: 0,
        spent: crate::run::step::Spent::default(),
        undo: None,
        readers: None,
    }));
    Decision::Record(before)
}

/// Asks the person before a private result of a call is used where others read along.
pub fn held_back(call: ToolCall, rules: &Rules, now: Timestamp) -> Decision {
    Decision::Confirm {
        before: Vec::new(),
        request: ConfirmRequest {
            call,
            about: ConfirmAbout::Result,
            why: Reason::ForYouAlone.english(),
            reason: Some(Reason::ForYouAlone),
            expires_at: now.after(rules.policy.approvals.confirm_timeout()),
            may_be_rule: false,
            traced: Vec::new(),
            is_unasked: false,
            was_announced: false,
            also: Vec::new(),
        },
    }
}

/// The decision on a run whose call was denied or whose question went unanswered.
pub fn denied(state: &RunState, rules: &Rules, asked: &OpenQuestion) -> Decision {
    let name = &question::names(&asked.request);
    if asked.in_words {
        let text = format!(
            "The user denied the call of {name} ({}) and wrote what they want instead. Do that: the same call may be made \
             only as they changed it.",
            asked.code
        );
        return Decision::Record(vec![StepKind::Event(Event::SystemNote {
            text,
            about: NoteAbout::Denied,
        })]);
    }
    match rules.policy.approvals.on_deny {
        OnDeny::Continue => {
            let who = if asked.timed_out {
                "Nobody approved in time"
            } else {
                "The user denied"
            };
            let text = format!(
                "{who} the call of {name} ({}). Do not ask for it again; do what is left.",
                asked.code
            );
            Decision::Record(vec![StepKind::Event(Event::SystemNote {
                text,
                about: NoteAbout::Denied,
            })])
        }
        OnDeny::Finish => {
            let sentence = sentences::denied(name, !asked.timed_out, state.lang);
            let message = match unsaid(state, &state.output) {
                Some(output) => format!("{output}\n\n{sentence}"),
                None => sentence,
            };
            Decision::Complete {
                before: Vec::new(),
                ending: Ending {
                    kind: EndingKind::Denied,
                    output: message.clone(),
                    message: Some(message),
                },
            }
        }
    }
}

/// A text as it is sent: without the addresses that a run which has read words from outside made up, since whoever
/// shows its message may fetch them. Those that stood letter by letter in a result carry nothing that their writer did
/// not know. Where all that the run holds may be read by everybody who reads its messages, it has nothing to carry out,
/// and keeps them all.
pub(super) fn sendable<'t>(state: &RunState, text: &'t str) -> Cow<'t, str> {
    if !state.is_tainted() || !state.labels.holds_private() {
        return Cow::Borrowed(text);
    }
    // A removed address may leave an empty end behind.
    let known = [state.outside.known(), state.evidence.sayable()];
    match words::without_unknown(text, &known, state.lang) {
        Cow::Borrowed(text) => Cow::Borrowed(text),
        Cow::Owned(text) => Cow::Owned(text.trim_end().to_owned()),
    }
}

/// A decision with texts that can be sent.
pub fn guarded(state: &RunState, decision: Decision) -> Decision {
    let clean = |text: String| sendable(state, &text).into_owned();
    match decision {
        Decision::Say { before, text, then } => Decision::Say {
            before,
            text: clean(text),
            then,
        },
        Decision::Complete { before, ending } => Decision::Complete {
            before,
            ending: Ending {
                output: clean(ending.output),
                message: ending.message.map(clean),
                ..ending
            },
        },
        Decision::Fail { before, failure } => Decision::Fail {
            before,
            failure: Failure {
                message: clean(failure.message),
                ..failure
            },
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        policy::labels::{LabelledSource, Readers},
        run::{
            decide,
            decision::Then,
            rehearsal::Rehearsal,
            step::{Sections, Spent},
        },
    };

    /// A run that has read a page, and holds this besides it.
    fn tainted(shown: &[(&str, Readers)], called: &[&str]) -> Rehearsal {
        let mut run = Rehearsal::planned(Rules::default());
        let holds = shown.iter().map(|(from, readers)| LabelledSource {
            from: (*from).to_owned(),
            readers: *readers,
        });
        run.push(StepKind::Event(Event::LlmRequest {
            messages: 2,
            estimated_tokens: 0,
            sections: Sections::default(),
            prompt_hash: String::new(),
            prompt: None,
            prompt_deleted_at: None,
            holds: holds.collect(),
        }));
        for name in ["web.fetch"].iter().chain(called) {
            run.push(StepKind::ToolResult(ToolResult {
                name: (*name).to_owned(),
                outcome: ToolOutcome::Success { result: json!("News") },
                origins: ["a page".to_owned()].into(),
                duration_ms: 0,
                spent: Spent::default(),
                undo: None,
                readers: None,
            }));
        }
        run
    }

    /// The words of such a run.
    fn said(shown: &[(&str, Readers)], called: &[&str]) -> String {
        let run = tainted(shown, called);
        let say = Decision::Say {
            before: Vec::new(),
            text: "See https://made.example/up now".to_owned(),
            then: Then::Continue,
        };
        match guarded(&run.state, say) {
            Decision::Say { text, .. } => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_said_without_its_link_is_not_said_again() {
        let mut run = tainted(&[("your message", Readers::Person)], &["compute.eval"]);
        let text = "See https://made.example/up for the news of today, and what else there is";
        let sent = sendable(&run.state, text).into_owned();
        assert!(sent.contains("(link removed)"), "{sent}");
        run.push(StepKind::AssistantMessage { text: sent, sent: true });
        let again = [
            json!({ "type": "send_message", "message": text }),
            json!({ "type": "finish", "output": text }),
        ];
        for reply in again {
            let reply = clifford_action::read(&reply.to_string());
            let decision = decide::decide(&run.state, &run.rules, &reply, run.now);
            let Decision::Complete { ending, .. } = &decision else {
                panic!("{decision:?}");
            };
            assert_eq!(ending.message, None, "{decision:?}");
        }
    }

    #[test]
    fn where_all_that_a_run_holds_may_be_read_its_links_stay() {
        let (whole, cut) = ("See https://made.example/up now", "See (link removed) now");
        let here = ("your message", Readers::Place);
        let cases = [
            (vec![here], vec![], whole),
            (
                vec![here, ("this conversation", Readers::Place)],
                vec!["compute.eval"],
                whole,
            ),
            (vec![("your message", Readers::Person)], vec![], cut),
            (vec![here, ("your messages elsewhere", Readers::Person)], vec![], cut),
            (vec![here], vec!["mail.read"], cut),
            // Of an older version's run nobody knows what it holds.
            (vec![], vec![], cut),
        ];
        for (shown, called, expected) in cases {
            assert_eq!(said(&shown, &called), expected, "{shown:?} {called:?}");
        }
    }
}
