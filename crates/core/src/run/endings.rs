//! Endings: the last message of a run that completes on its own, fails, or has spent its budget. Pure.

use std::time::Duration;

use clifford_markup::is_blank;
use clifford_text::Outcome;

use super::{
    approval,
    decision::{Decision, Ending, Failure},
    gates::Fatal,
    rules::Rules,
    sentences::{self, Sentence},
    similar::nearly_same,
    state::{AnswerProgress, RunState, joined},
    step::{EndingKind, Event, StepKind},
};
use crate::runs::RunKind;

/// How many words another text may hold by chance.
const WORDS_OF_CHANCE: usize = 2;

/// Ends a run that would only think again and leads nowhere.
pub(super) fn unless_stuck(state: &RunState, decision: Decision) -> Decision {
    let Decision::Record(steps) = decision else {
        return decision;
    };
    let updates = steps.iter().filter_map(|step| match step {
        StepKind::OutputUpdate { output, mode } => Some(joined(&state.output, output, *mode) != state.output),
        _ => None,
    });
    let changes: Vec<bool> = updates.collect();
    let repeats = state.same_signature.is_some() && state.same_signature == state.current.signature;
    if repeats && state.same >= 2 && !changes.contains(&true) {
        return complete(state, steps, EndingKind::NoProgress);
    }
    if changes.is_empty() && state.idle + 1 >= Rules::stall_limit(state.max_iterations) {
        return complete(state, steps, EndingKind::Stall);
    }
    Decision::Record(steps)
}

/// Endings that are not the model's: the best there is to say, else the fallback.
pub(super) fn complete(state: &RunState, before: Vec<StepKind>, kind: EndingKind) -> Decision {
    let best = unsaid(state, &state.output).or_else(|| subagent_findings(state));
    let message = match kind {
        EndingKind::NoProgress => Some(match best {
            Some(best) => format!("{best}\n\n{}", state.lang.say(Outcome::Repeating)),
            None if state.sent_messages().is_empty() => repeated(state),
            None => state.lang.say(Outcome::Repeating),
        }),
        _ => best.or_else(|| state.sent_messages().is_empty().then(|| fallback(state))),
    };
    let output = [Some(&state.output), state.sent.last(), message.as_ref()]
        .into_iter()
        .flatten()
        .find(|text| !is_blank(text))
        .cloned()
        .unwrap_or_default();
    Decision::Complete {
        before,
        ending: Ending { kind, output, message },
    }
}

pub(super) fn fail(state: &RunState, before: Vec<StepKind>, fatal: &Fatal) -> Decision {
    let (kind, sentence, error) = match fatal {
        Fatal::Limitation { tool, error } => (
            EndingKind::Limitation,
            sentences::tool_failed(tool, error.as_deref()),
            format!("the tool {tool} failed for good, and the model would not finish"),
        ),
        Fatal::ToolRepeated { tool } => (
            EndingKind::ToolRepeated,
            sentences::tool_repeated(tool),
            format!("the tool {tool} was called a third time with the same arguments"),
        ),
    };
    Decision::Fail {
        before,
        failure: Failure {
            kind,
            message: apology(state, &sentence),
            error,
        },
    }
}

/// Ends a run for an error from outside of the rules: no model, a panic, the database.
pub fn give_up(state: &RunState, kind: EndingKind, sentence: &Sentence, error: &str) -> Decision {
    let failure = Failure {
        kind,
        message: apology(state, sentence),
        error: error.to_owned(),
    };
    Decision::Fail {
        before: vec![],
        failure,
    }
}

/// The person's message about a failure, behind what was put together for them and not sent; empty, if they have their
/// answer. Names the tasks of the subagents, if all of
/// them failed.
pub(super) fn apology(state: &RunState, sentence: &Sentence) -> String {
    let kept = held_back(state, "");
    let told = match (state.answer, kept) {
        (AnswerProgress::Given, kept) => return kept.unwrap_or_default(),
        (AnswerProgress::Missing, None) => sentence.text(state.lang),
        (AnswerProgress::Begun, None) => sentence.rest_text(state.lang),
        // What was put together for them is all that they will get.
        (_, Some(kept)) => format!("{kept}\n\n{}", sentence.rest_text(state.lang)),
    };
    let nothing_done = !state.any_child_completed && !state.failed_tasks.is_empty();
    if nothing_done {
        sentences::could_not(&told, &state.failed_tasks, state.lang)
    } else {
        told
    }
}

/// The findings of a subagent, where the run itself has nothing to say: they were asked and paid for.
fn subagent_findings(state: &RunState) -> Option<String> {
    let is_silent = state.sent_messages().is_empty() && is_blank(&state.output);
    is_silent.then(|| state.found.clone()).flatten()
}

/// The limit that a run has reached: what its person reads, and what the trace says.
pub(super) fn spent_budget(state: &RunState, rules: &Rules) -> Option<(Sentence, String)> {
    let most = rules.most_tokens();
    if state.tokens >= most {
        let used = format!("the run used {} tokens of max_run_tokens = {most}", state.tokens);
        Some((sentences::BUDGET, used))
    } else if Duration::from_millis(state.worked_ms) >= rules.engine.max_run_time {
        let worked = format!(
            "the run worked {} s of max_run_seconds = {}",
            state.worked_ms / 1000,
            rules.engine.max_run_time.as_secs()
        );
        Some((sentences::TIME, worked))
    } else {
        let limit = rules.engine.max_run_cost.filter(|limit| state.cost >= *limit)?;
        let cost = format!("the run cost {:.4} of max_run_cost = {limit:.4}", state.cost);
        Some((sentences::BUDGET, cost))
    }
}

/// A budget is spent: the run ends with what it has, else with this sentence.
pub fn out_of_budget(state: &RunState, sentence: &Sentence, error: String) -> Decision {
    if state.sent.is_empty() && is_blank(&state.output) {
        give_up(state, EndingKind::Budget, sentence, &error)
    } else {
        let before = vec![StepKind::Event(Event::Error { message: error })];
        let mut decision = complete(state, before, EndingKind::Budget);
        if let Decision::Complete { ending, .. } = &mut decision
            && ending.message.is_none()
            && state.answer == AnswerProgress::Begun
        {
            ending.message = Some(sentence.rest_text(state.lang));
        }
        decision
    }
}

/// A run's last message, behind what was put together for its person and is neither sent nor repeated in it.
pub(super) fn with_held_back(state: &RunState, message: &str) -> String {
    match held_back(state, message) {
        Some(kept) => format!("{kept}\n\n{message}"),
        None => message.to_owned(),
    }
}

/// The output of a coordinator, unless its person has it, or gets it with this message.
pub(super) fn held_back(state: &RunState, message: &str) -> Option<String> {
    let kept = unsaid(state, &state.output).filter(|_| state.kind == RunKind::Coordinator)?;
    let sendable = approval::sendable(state, &kept);
    // A few words may stand in any message by chance.
    let is_long = sendable.split_whitespace().nth(WORDS_OF_CHANCE).is_some();
    let holds = |text: &str| nearly_same(text, &sendable) || (is_long && text.contains(sendable.trim()));
    let is_said = holds(message) || state.sent.iter().any(|sent| holds(sent));
    (!is_said).then_some(kept)
}

/// The buffer without white space around it, unless nothing of it can be seen or it was said already.
pub(super) fn unsaid(state: &RunState, buffer: &str) -> Option<String> {
    unsaid_in(state, &state.sent, buffer)
}

/// The same, as far as it was said in these messages.
pub(super) fn unsaid_in(state: &RunState, sent: &[String], buffer: &str) -> Option<String> {
    let sendable = approval::sendable(state, buffer);
    let said = sent.iter().any(|sent| sent.trim() == sendable.trim());
    (!said && !is_blank(buffer)).then(|| buffer.trim().to_owned())
}

pub(super) fn fallback(state: &RunState) -> String {
    if sentences::is_greeting(&state.input) {
        state.lang.say(Outcome::Greeting)
    } else if state.calls.is_empty() {
        sentences::STUCK.text(state.lang)
    } else {
        sentences::UNFINISHED.text(state.lang)
    }
}

/// The last message of a run that repeated itself and has nothing else to say. A greeting is answered all the same.
fn repeated(state: &RunState) -> String {
    let is_greeting = sentences::is_greeting(&state.input);
    if is_greeting {
        state.lang.say(Outcome::Greeting)
    } else {
        sentences::REPEATED.text(state.lang)
    }
}
