//! The rules: from a reply to a decision. No clock, no database, no network, no randomness.
//!
//! [`next`] says what a run does before it has a reply, [`decide`] what it does with a reply. Read
//! `judge` as a table: one line an action.

mod chat;
mod spawn;

use clifford_action::{Action, OutputMode, RecoverAction, Reply, Unreadable};
use clifford_llm_api::tokens::Quarters;
use clifford_markup::is_blank;
use clifford_text::Outcome;
use spawn::spawn;
pub(crate) use spawn::spec_signature;

use super::{
    approval,
    decision::{Decision, Ending, Failure, Then},
    endings::{
        apology, complete, fail, held_back, out_of_budget, spent_budget, unless_stuck, unsaid, unsaid_in,
        with_held_back,
    },
    gates::{self, Refusal},
    rules::Rules,
    sentences,
    similar::nearly_same,
    state::{RunState, joined},
    step::{EndingKind, Event, NoteAbout, StepKind, ToolCall},
};
use crate::{
    clock::Timestamp,
    prompt::{excerpt, weight::Form},
    runs::RunKind,
};

/// The next move of a run that has no reply yet.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one at a time, and it lives for one turn"
)]
pub enum Next {
    /// Ask the model, after this is recorded.
    Think(Vec<StepKind>),
    /// End.
    End(Decision),
}

/// The next move of a run that has no reply yet: it thinks, if it may.
pub fn next(state: &RunState, rules: &Rules) -> Next {
    if let Some(spent) = spent_budget(state, rules) {
        let (sentence, error) = spent;
        return Next::End(out_of_budget(state, &sentence, error));
    }
    if state.is_chat() {
        return Next::Think(vec![]);
    }
    if state.iterations >= state.max_iterations {
        return Next::End(complete(state, vec![], EndingKind::Iterations));
    }
    // The number tells the last step from an earlier one that was the last until the limit was raised.
    let text = format!(
        "Step {} is the last of this run: answer now with finish or send_message.",
        state.max_iterations
    );
    let is_last = state.iterations + 1 == state.max_iterations;
    Next::Think(if is_last && !state.said_notes.contains(&text) {
        vec![note(NoteAbout::LastIteration, &text)]
    } else {
        vec![]
    })
}

/// The decision on a reply.
pub fn decide(state: &RunState, rules: &Rules, reply: &Result<Reply, Unreadable>, now: Timestamp) -> Decision {
    if state.is_chat() {
        return chat::decide(state, reply);
    }
    let reply = match reply {
        Ok(reply) => reply,
        Err(fault) => return unreadable(state, rules, fault),
    };
    let before = notes_of(reply);
    // Gates see the notes that ride along.
    let mut noted = state.clone();
    noted.notes.extend(reply.notes.iter().map(|note| note.category));
    let decision = match gates::refusal(&noted, rules, &reply.action) {
        None => judge(&noted, rules, &reply.action, before, now),
        Some(refusal) => refused(state, before, refusal),
    };
    unless_stuck(state, decision)
}

/// The decision on the next call of a reply whose first calls were made: the same gates as for the first.
pub fn queued(state: &RunState, rules: &Rules, call: &ToolCall) -> Decision {
    let action = Action::ToolCall {
        name: call.name.clone(),
        args: call.args.clone(),
        then: Vec::new(),
    };
    let before = Vec::new();
    let decision = match gates::refusal(state, rules, &action) {
        None => Decision::CallTool {
            before,
            call: gates::with_full_name(rules, call.clone()),
        },
        Some(refusal) => refused(state, before, refusal),
    };
    unless_stuck(state, decision)
}

/// The decision on an action that a gate refuses.
fn refused(state: &RunState, before: Vec<StepKind>, refusal: Refusal) -> Decision {
    match refusal {
        Refusal::Note(about, text) => Decision::Record(with(before, note(about, &text))),
        Refusal::Spent => complete(state, before, EndingKind::Iterations),
        Refusal::Fail(fatal) => fail(state, before, &fatal),
    }
}

/// A decision on a reply of whose files some cannot be sent, for this reason: its words go out at once with the others, and
/// the run goes on, so that the model can send the right files behind them. Nothing that was said is lost if it does not,
/// and nothing is said twice if it does. Without words to send, the model gets the reason alone.
pub fn without_files(state: &RunState, decision: Decision, fault: &str) -> Decision {
    let (mut before, text) = match decision {
        Decision::Say { before, text, .. } => (before, Some(text)),
        Decision::Complete { mut before, ending }
            if matches!(ending.kind, EndingKind::Finish | EndingKind::Message) =>
        {
            // The buffer stays as it is to end: what was sent of it is known by it.
            if ending.output != state.output && !is_blank(&ending.output) {
                before.push(StepKind::OutputUpdate {
                    output: ending.output,
                    mode: OutputMode::Replace,
                });
            }
            (before, ending.message.filter(|_| state.kind == RunKind::Coordinator))
        }
        other => return other,
    };
    let Some(text) = text else {
        return unless_stuck(state, invalid(before, fault));
    };
    let told = format!(
        "Your words are being sent, but not all of the files: {fault} Send the right file with finish, file_ids and no \
         output, or just finish. Do not repeat the words."
    );
    before.push(note(NoteAbout::InvalidAction, &told));
    Decision::Say {
        before,
        text,
        then: Then::Continue,
    }
}

/// The decision on subagents that could not work: the model gets the reason.
pub fn refuse_spawn(state: &RunState, before: Vec<StepKind>, fault: &str) -> Decision {
    unless_stuck(state, invalid(before, fault))
}

/// The most notes of one reply that are recorded.
const NOTES: usize = 20;
/// The most of one note.
const NOTE: Quarters = 500 * 4;

/// The notes that ride along with a reply. A flood of notes costs none of the action.
fn notes_of(reply: &Reply) -> Vec<StepKind> {
    let (recorded, left_out) = reply.notes.split_at(reply.notes.len().min(NOTES));
    let notes = recorded.iter().map(|note| StepKind::Note {
        category: note.category,
        content: excerpt::text(&note.content, NOTE, Form::Plain, None).into_owned(),
        plan: note.plan.clone(),
    });
    let mark = left_out.first().map(|first| StepKind::Note {
        category: first.category,
        content: format!("[{} more notes of this reply were left out]", left_out.len()),
        plan: Vec::new(),
    });
    notes.chain(mark).collect()
}

/// One line an action.
fn judge(state: &RunState, rules: &Rules, action: &Action, before: Vec<StepKind>, now: Timestamp) -> Decision {
    match action {
        Action::ToolCall { .. } => match gates::tool_call(state, rules, action) {
            Some(call) => Decision::CallTool { before, call },
            None => Decision::Record(before),
        },
        Action::SendMessage { message, file_ids } => say(state, message, !file_ids.is_empty(), before),
        Action::SetOutput { output, mode } => Decision::Record(with(
            before,
            StepKind::OutputUpdate {
                output: output.clone(),
                mode: *mode,
            },
        )),
        Action::Finish { output, mode, file_ids } => {
            finish(state, output.as_deref(), *mode, !file_ids.is_empty(), before)
        }
        Action::Decision { content, importance } => Decision::Record(with(
            before,
            StepKind::Decision {
                content: content.clone(),
                importance: *importance,
            },
        )),
        Action::Note(note) => Decision::Record(with(
            before,
            StepKind::Note {
                category: note.category,
                content: note.content.clone(),
                plan: note.plan.clone(),
            },
        )),
        Action::SpawnSubagent { subagent, wake_on } => spawn(
            state,
            rules,
            std::slice::from_ref(subagent),
            wake_on.unwrap_or_default(),
            before,
        ),
        Action::SpawnSubagents { subagents, wake_on } => {
            spawn(state, rules, subagents, wake_on.unwrap_or_default(), before)
        }
        Action::Sleep(sleep) => match crate::run::sleep::wake(sleep, state.kind, rules, now) {
            Ok(until) => Decision::Wait { before, until },
            Err(fault) => invalid(before, &fault),
        },
        Action::SetRunLimits { max_iterations: 0, .. } => invalid(before, "max_iterations must be at least 1."),
        Action::SetRunLimits { max_iterations, reason } => {
            let max_iterations = (*max_iterations).min(rules.engine.max_iterations_hard_cap);
            Decision::Record(with(
                before,
                StepKind::Event(Event::SetRunLimits {
                    max_iterations,
                    reason: reason.clone(),
                }),
            ))
        }
        Action::Recover {
            reason,
            action,
            message,
        } => recover(
            state,
            reason,
            action.unwrap_or(RecoverAction::Retry),
            message.as_deref().filter(|message| !is_blank(message)),
            before,
        ),
    }
}

/// The note about a reply that ended at the most tokens of one.
const CUT_REPLY: &str = "Your reply could not be read: it was cut off at the most tokens that one reply may have. Reply with \
                         one JSON object of the forms above that is much shorter. Give long content in parts, by \
                         set_output with mode append.";

/// An unreadable reply is asked for again, then given up.
fn unreadable(state: &RunState, rules: &Rules, fault: &Unreadable) -> Decision {
    if state.bad_replies < rules.engine.max_json_retries {
        let text = match state.is_cut {
            true => CUT_REPLY.to_owned(),
            false => format!(
                "Your reply could not be read: {fault}. Reply with one JSON object of the forms above, and nothing else."
            ),
        };
        return Decision::Record(vec![note(NoteAbout::BadReply, &text)]);
    }
    let failure = Failure {
        kind: EndingKind::BadReply,
        message: apology(state, &sentences::of_bad_reply(state.is_cut)),
        error: match state.is_cut {
            true => format!("the model's reply was cut off at the most tokens of one (max_tokens): {fault}"),
            false => format!("the model's reply could not be read: {fault}"),
        },
    };
    Decision::Fail {
        before: vec![],
        failure,
    }
}

/// A message ends the run if it is a question, a repeat, the whole answer, a subagent's, or follows a failure. Then the
/// person also gets what was put together for them.
fn say(state: &RunState, message: &str, has_files: bool, mut before: Vec<StepKind>) -> Decision {
    let output = if state.output.is_empty() {
        message
    } else {
        &state.output
    };
    if state.kind == RunKind::Subagent {
        before.push(StepKind::AssistantMessage {
            text: message.to_owned(),
            sent: false,
        });
        let ending = Ending {
            kind: EndingKind::Message,
            output: message.to_owned(),
            message: None,
        };
        return Decision::Complete { before, ending };
    }
    // A message that was sent may lack links.
    let sendable = approval::sendable(state, message);
    let repeats_last = (state.sent_messages().last()).is_some_and(|last| last.trim() == sendable.trim());
    let is_whole_answer = state.calls.is_empty() && !state.had_output;
    let ends = repeats_last || is_question(message) || is_whole_answer || state.any_tool_failed;
    // Files are news, even if their text is a repeat, which is not sent again.
    if has_files && repeats_last {
        before.push(StepKind::AssistantMessage {
            text: message.to_owned(),
            sent: false,
        });
        let ending = Ending {
            kind: EndingKind::Message,
            output: output.to_owned(),
            message: None,
        };
        return Decision::Complete { before, ending };
    }
    if !has_files && (repeats_last || state.sent_messages().iter().any(|sent| nearly_same(sent, &sendable))) {
        before.push(StepKind::AssistantMessage {
            text: message.to_owned(),
            sent: false,
        });
        if ends {
            let ending = Ending {
                kind: EndingKind::Message,
                output: output.to_owned(),
                message: held_back(state, message),
            };
            return Decision::Complete { before, ending };
        }
        before.push(note(
            NoteAbout::MessageRepeated,
            "The user has this message already; it was not sent again. Go on, or finish.",
        ));
        return Decision::Record(before);
    }
    let (text, then) = match ends {
        true => (with_held_back(state, message), Then::Complete),
        false => (message.to_owned(), Then::Continue),
    };
    Decision::Say { before, text, then }
}

fn is_question(message: &str) -> bool {
    let lower = message.to_lowercase();
    message.trim_end().ends_with('?')
        || ["bitte", "please", "could you", "can you"]
            .iter()
            .any(|asking| lower.contains(asking))
}

fn finish(
    state: &RunState,
    output: Option<&str>,
    mode: Option<OutputMode>,
    has_files: bool,
    mut before: Vec<StepKind>,
) -> Decision {
    let buffer = match output {
        Some(output) => joined(&state.output, output, mode.unwrap_or_default()),
        None => state.output.clone(),
    };
    // A repeat for a person who wrote meanwhile is sent again.
    let message = match output {
        Some(_) => unsaid_in(state, state.sent_messages(), &buffer),
        None => unsaid(state, &buffer),
    };
    if message.is_none() && state.sent_messages().is_empty() && !has_files {
        if state.empty_finish_refused {
            return complete(state, before, EndingKind::EmptyFinish);
        }
        before.push(note(
            NoteAbout::EmptyFinish,
            "Refused: there is nothing to send. Give finish an output.",
        ));
        return Decision::Record(before);
    }
    let output = if is_blank(&buffer) {
        state.sent.last().cloned().unwrap_or_default()
    } else {
        buffer
    };
    Decision::Complete {
        before,
        ending: Ending {
            kind: EndingKind::Finish,
            output,
            message,
        },
    }
}

fn recover(
    state: &RunState,
    reason: &str,
    action: RecoverAction,
    message: Option<&str>,
    mut before: Vec<StepKind>,
) -> Decision {
    before.push(StepKind::Event(Event::Recover {
        reason: reason.to_owned(),
        action,
    }));
    match action {
        RecoverAction::Retry => Decision::Record(before),
        RecoverAction::Finish => {
            let texts: Vec<_> = unsaid(state, &state.output)
                .into_iter()
                .chain(message.map(|message| message.trim().to_owned()))
                .filter(|text| !text.is_empty())
                .collect();
            if texts.is_empty() {
                return complete(state, before, EndingKind::Recover);
            }
            let text = texts.join("\n\n");
            let output = if is_blank(&state.output) {
                text.clone()
            } else {
                state.output.clone()
            };
            let ending = Ending {
                kind: EndingKind::Recover,
                output,
                message: Some(text),
            };
            Decision::Complete { before, ending }
        }
        RecoverAction::AskUser => {
            let question = message.map_or_else(|| state.lang.say(Outcome::HowToGoOn), str::to_owned);
            let text = with_held_back(state, &question);
            let ending = Ending {
                kind: EndingKind::Recover,
                output: text.clone(),
                message: Some(text),
            };
            Decision::Complete { before, ending }
        }
    }
}

fn invalid(before: Vec<StepKind>, fault: &str) -> Decision {
    Decision::Record(with(
        before,
        note(NoteAbout::InvalidAction, &format!("Refused: {fault}")),
    ))
}

fn note(about: NoteAbout, text: &str) -> StepKind {
    StepKind::Event(Event::SystemNote {
        text: text.to_owned(),
        about,
    })
}

fn with(mut before: Vec<StepKind>, step: StepKind) -> Vec<StepKind> {
    before.push(step);
    before
}

#[cfg(test)]
mod tests;
