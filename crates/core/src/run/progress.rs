//! The progress of a run's steps, for a channel that shows it.

use clifford_chat::outbound::{ProgressKind, Signal};

use super::step::{Event, Step, StepKind, ToolOutcome};

/// A line for each step that says something to who watches.
pub fn signals(steps: &[Step]) -> Vec<Signal> {
    steps.iter().filter_map(|step| line(&step.kind)).collect()
}

fn line(step: &StepKind) -> Option<Signal> {
    let (kind, text) = match step {
        StepKind::Note { category, content, .. } => {
            let category = serde_json::to_value(category).ok()?;
            (ProgressKind::Note, format!("{}: {content}", category.as_str()?))
        }
        StepKind::Decision { content, .. } => (ProgressKind::Note, format!("decision: {content}")),
        StepKind::ToolCall(call) => {
            let args = serde_json::to_string(&call.args).unwrap_or_default();
            (ProgressKind::ToolCall, format!("{} {args}", call.name))
        }
        StepKind::ToolResult(result) => {
            let text = match &result.outcome {
                ToolOutcome::Success { result } => result.to_string(),
                ToolOutcome::Failure { error, .. } => error.clone(),
            };
            (ProgressKind::ToolResult, text)
        }
        StepKind::Event(Event::LlmResponse(response)) => {
            let (usage, provider, model) = (response.usage, &response.provider, &response.model);
            let text = format!(
                "{provider} {model}: {} + {} tokens",
                usage.prompt_tokens, usage.completion_tokens
            );
            (ProgressKind::Cost, text)
        }
        _ => return None,
    };
    Some(Signal::Progress { kind, text })
}
