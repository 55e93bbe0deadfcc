//! The state of a run's answer: the text that its person reads if it fails now.

mod announcing;

use clifford_action::Category;

use self::announcing::{announces, knows_script};
use super::{RunState, joined};
use crate::run::{
    approval,
    step::{Event, StepKind},
};

/// How much of their answer the person has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerProgress {
    /// Nothing was sent since they last wrote: a failure is reported with an apology.
    #[default]
    Missing,
    /// A message was sent, and more was to follow: a failure is reported in one line, without an apology for that
    /// message.
    Begun,
    /// Something was said with nothing left to do: what fails afterwards is for the trace, not for them.
    Given,
}

/// The answer's state after a step. `state` is the state before the step.
pub(super) fn after(state: &RunState, step: &StepKind) -> AnswerProgress {
    match step {
        StepKind::AssistantMessage { text, sent: true } if is_open(state, text) => AnswerProgress::Begun,
        StepKind::AssistantMessage { sent: true, .. } => AnswerProgress::Given,
        StepKind::OutputUpdate { output, mode } if state.answer == AnswerProgress::Given => {
            let output = joined(&state.output, output, *mode);
            if is_unsaid(state, &output, "") {
                AnswerProgress::Begun
            } else {
                AnswerProgress::Given
            }
        }
        StepKind::ToolCall(_)
        | StepKind::Note {
            category: Category::Plan,
            ..
        }
        | StepKind::Event(Event::SpawnSubagents { .. } | Event::Sleep { .. } | Event::Wake { .. })
            if state.answer == AnswerProgress::Given =>
        {
            AnswerProgress::Begun
        }
        StepKind::Event(Event::UserMessage { .. }) => AnswerProgress::Missing,
        _ => state.answer,
    }
}

/// Whether a plan is open after a step: one was noted, and its result was not checked since.
pub(super) const fn plan_after(state: &RunState, step: &StepKind) -> bool {
    match step {
        StepKind::Note { category, .. } => match category {
            Category::Plan => true,
            Category::Validation => false,
            Category::Requirements | Category::Artifact => state.has_open_plan,
        },
        _ => state.has_open_plan,
    }
}

/// Whether there is more to do when a text is said: it says so itself, or output was not said. A plan is open after each
/// tool, so that decides only where the text cannot be read.
fn is_open(state: &RunState, text: &str) -> bool {
    is_unsaid(state, &state.output, text) || announces(text) || (state.has_open_plan && !knows_script(text))
}

/// Whether output is neither part of this text nor of what was said before.
fn is_unsaid(state: &RunState, output: &str, text: &str) -> bool {
    let output = approval::sendable(state, output);
    let output = output.trim();
    let said = || state.sent.iter().map(String::as_str).chain([text]);
    !output.is_empty() && !said().any(|said| holds(said, output))
}

/// Whether a text holds another one that neither begins nor ends within a word or a number of it.
fn holds(text: &str, piece: &str) -> bool {
    text.match_indices(piece).any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        let behind = rest.get(piece.len()..).unwrap_or_default();
        let (first, last) = (piece.chars().next(), piece.chars().next_back());
        !first.is_some_and(|first| goes_on(first, before.chars().rev()))
            && !last.is_some_and(|last| goes_on(last, behind.chars()))
    })
}

/// Whether what ends with this character goes on beyond it.
fn goes_on(edge: char, mut beyond: impl Iterator<Item = char>) -> bool {
    // From here on scripts stand without spaces, or with endings at their words.
    let is_of_word = |c: char| c.is_alphanumeric() && c < '\u{e00}';
    is_of_word(edge)
        && beyond.next().is_some_and(|next| {
            let is_point = edge.is_numeric() && matches!(next, '.' | ',');
            is_of_word(next) || (is_point && beyond.next().is_some_and(char::is_numeric))
        })
}

#[cfg(test)]
mod tests {
    use clifford_action::OutputMode;

    use super::*;
    use crate::{
        id::MessageId,
        run::{
            rules::Rules,
            step::{Step, ToolCall},
        },
        runs::Run,
    };

    fn said(text: &str) -> StepKind {
        StepKind::AssistantMessage {
            text: text.to_owned(),
            sent: true,
        }
    }

    fn note(category: Category) -> StepKind {
        StepKind::Note {
            category,
            content: "noted".to_owned(),
            plan: vec![],
        }
    }

    fn call() -> StepKind {
        StepKind::ToolCall(ToolCall {
            name: "compute.eval".to_owned(),
            args: serde_json::Map::new(),
            idempotency_key: String::new(),
        })
    }

    fn output(text: &str) -> StepKind {
        StepKind::OutputUpdate {
            output: text.to_owned(),
            mode: OutputMode::Replace,
        }
    }

    fn woke() -> StepKind {
        StepKind::Event(Event::Wake {
            reason: "time".to_owned(),
            said: Vec::new(),
            through: None,
        })
    }

    fn heard() -> StepKind {
        StepKind::Event(Event::UserMessage {
            message_id: MessageId::new(),
            text: "and 43?".to_owned(),
        })
    }

    #[test]
    fn output_was_said_where_it_stands_as_whole_words() {
        let table = [
            ("Found 42 pages.", "4", false),
            ("Found 42 pages.", "42", true),
            ("Found 42 pages.", "42 page", false),
            ("It is **42**.", "42", true),
            ("It is 4, not 5.", "4", true),
            ("It costs 4.50 €.", "4", false),
            ("It costs 3.4 €.", "4", false),
            ("It is 4.", "4", true),
            ("It was 14, now it is 4", "4", true),
            ("Scatter it.", "cat", false),
            ("The cat's bowl.", "cat", true),
            ("Größe", "Gr", false),
            ("答案是42。", "42", true),
            ("巴黎正在下雨。", "巴黎", true),
            ("👍👍", "👍", true),
            ("No.", "Yes", false),
        ];
        for (text, piece, expected) in table {
            assert_eq!(holds(text, piece), expected, "{piece} in {text}");
        }
    }

    #[test]
    fn an_answer_is_given_once_nothing_is_left_to_do() {
        use AnswerProgress::{Begun, Given, Missing};
        let plan = || note(Category::Plan);
        let checked = || note(Category::Validation);
        let repeat = StepKind::AssistantMessage {
            text: "It is 42.".to_owned(),
            sent: false,
        };
        let table: [(Vec<StepKind>, AnswerProgress); 22] = [
            (vec![], Missing),
            (vec![plan(), call()], Missing),
            (vec![repeat], Missing),
            (vec![call(), said("It is 42.")], Given),
            (vec![call(), said("Let me look…")], Begun),
            // The plan that each call needs says nothing of what is said behind it.
            (vec![plan(), call(), said("The answer is 42.")], Given),
            (vec![plan(), call(), said("One moment, I am looking it up.")], Begun),
            (vec![call(), said("It is 42. Now for the other one.")], Begun),
            (vec![plan(), call(), said("Let me look."), said("It is 42.")], Given),
            // It does where that cannot be read.
            (vec![plan(), call(), said("لحظة من فضلك")], Begun),
            (vec![plan(), call(), checked(), said("الجواب 42")], Given),
            // More was done.
            (vec![said("It is 42."), plan()], Begun),
            (vec![said("It is 42."), call()], Begun),
            (vec![said("It is 42."), output("More.")], Begun),
            (vec![said("It is 42."), output("42")], Given),
            (vec![said("It is 42."), woke()], Begun),
            // The output was not sent yet; or it was.
            (vec![output("All of it."), said("I have it.")], Begun),
            (vec![output("42"), said("It is 42.")], Given),
            (vec![output("4"), said("Found 42 pages.")], Begun),
            (vec![call(), said("It is open. Opening hours are 9 to 5.")], Given),
            (vec![output("It is 42."), said("It is 42.")], Given),
            // The person wants more.
            (vec![said("It is 42."), heard()], Missing),
        ];
        for (steps, expected) in table {
            let mut state = RunState::new(&Run::sample(), &Rules::default());
            for kind in &steps {
                state.apply(&Step {
                    seq: state.next_seq,
                    at: crate::clock::Timestamp(0),
                    kind: kind.clone(),
                });
            }
            assert_eq!(state.answer, expected, "{steps:?}");
        }
    }
}
