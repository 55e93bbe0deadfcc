//! Whether the person has what may stand as their answer, so that what fails afterwards is not told them.

use crate::engine::step::{Event, StepKind};

/// What a step says about it; `None`: nothing.
///
/// A message after which nothing more was begun may be the answer: then an apology would contradict it. One that
/// announces more ("Let me look:") is none, and neither is one that was followed by a call, an output or a sleep.
pub(super) fn answers(step: &StepKind) -> Option<bool> {
    match step {
        StepKind::AssistantMessage { text, sent } => sent.then(|| !announces(text)),
        StepKind::ToolCall(_) | StepKind::OutputUpdate { .. } => Some(false),
        StepKind::Event(
            Event::SpawnSubagents { .. } | Event::Sleep { .. } | Event::Wake { .. } | Event::UserMessage { .. },
        ) => Some(false),
        _ => None,
    }
}

/// Whether a text says that more is to come.
fn announces(text: &str) -> bool {
    let text = text.trim_end();
    ["…", "...", ":"].iter().any(|end| text.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_may_be_the_answer_unless_it_announces_more_or_more_is_begun() {
        let said = |text: &str, sent| StepKind::AssistantMessage {
            text: text.to_owned(),
            sent,
        };
        assert_eq!(answers(&said("It is 42.", true)), Some(true));
        assert_eq!(answers(&said("Let me look…", true)), Some(false));
        assert_eq!(answers(&said("I found this: ", true)), Some(false));
        assert_eq!(answers(&said("It is 42.", false)), None);
        let woke = StepKind::Event(Event::Wake {
            reason: "time".to_owned(),
            said: Vec::new(),
            through: None,
        });
        assert_eq!(answers(&woke), Some(false));
    }
}
