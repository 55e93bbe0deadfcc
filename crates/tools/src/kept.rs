//! Texts of which a prompt shows only the head and the tail, as files of their run: a step, a message of the
//! conversation, the request. Nothing is stored for them: existing rows hold all of it.

use clifford_core::{
    run::{
        kept::{DATA, INPUT, plain},
        step::{Event, Step, StepKind, ToolOutcome},
    },
    runs::RunKind,
};
use clifford_store::{
    StoreError,
    messages::conversation,
    runs::{self, steps},
};

use super::ToolContext;

/// A text of a run's own.
pub(super) struct Kept {
    /// Its text.
    pub text: String,
    /// Where it came from, where that is not what the run has read already.
    pub origin: Option<String>,
}

/// The text of that name; `None`: the run has none.
pub(super) async fn find(cx: &ToolContext, name: &str) -> Result<Option<Kept>, StoreError> {
    let mut conn = cx.db.read().await?;
    let own = |text: String| Kept { text, origin: None };
    if let Some(seq) = name.strip_prefix("step-").and_then(|seq| seq.parse().ok()) {
        let step = steps::one(&mut conn, cx.run, seq).await?;
        return Ok(step.as_ref().and_then(text).map(own));
    }
    let Some(run) = runs::get(&mut conn, cx.run).await? else {
        return Ok(None);
    };
    match name {
        INPUT => return Ok(Some(own(run.input_text))),
        DATA => return Ok(run.input_data().map(plain).map(own)),
        _ => {}
    }
    // A subagent gets only its parent's context.
    let Some(context) = cx.context.filter(|_| run.kind == RunKind::Coordinator) else {
        return Ok(None);
    };
    let Some(id) = name.strip_prefix("message-").and_then(|id| id.parse().ok()) else {
        return Ok(None);
    };
    let found = conversation::one(&mut conn, context, id).await?;
    Ok(found.map(|message| Kept {
        origin: (message.user_id != cx.user).then(|| "what others wrote here".to_owned()),
        text: message.content,
    }))
}

/// The text of a step.
fn text(step: &Step) -> Option<String> {
    Some(match &step.kind {
        StepKind::ToolResult(result) => match &result.outcome {
            ToolOutcome::Success { result } => plain(result),
            ToolOutcome::Failure { error, .. } => error.clone(),
        },
        StepKind::OutputUpdate { output, .. } => output.clone(),
        StepKind::Event(Event::LlmResponse(response)) => response.text.clone(),
        StepKind::Event(Event::UserMessage { text, .. }) => text.clone(),
        StepKind::Event(Event::SubagentEnded { output, error, .. }) => {
            output.as_ref().or(error.as_ref()).cloned().unwrap_or_default()
        }
        StepKind::Event(Event::Wake { said, .. }) => plain(&serde_json::to_value(said).unwrap_or_default()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_reads_as_plain_text() {
        let value = json!({ "title": "A", "lines": ["b", 1], "of": { "c": null } });
        assert_eq!(plain(&value), "title: A\nlines:\nb\n1\nof:\nc: null");
    }
}
