//! `/why`: the story of the last answer.

mod told;

use clifford_core::{
    places::Channel,
    run::{
        rules::Rules,
        state::RunState,
        step::{Event, Step, StepKind, ToolOutcome},
    },
    runs::Run,
};
use clifford_store::{
    StoreError, Tx,
    runs::{self, steps},
};
use clifford_text::{Lang, Why};

use self::told::Told;
use super::Done;

pub(super) async fn why(tx: &mut Tx, channel: &Channel, lang: Lang) -> Result<Done, StoreError> {
    let last = match channel.active_context_id {
        Some(context) => runs::last_ended_in(tx, context).await?,
        None => None,
    };
    Ok(Done::say(match last {
        Some(run) => explain(&run, &steps::of_run(tx, run.id).await?, lang),
        None => lang.say(Why::NothingYet),
    }))
}

/// How a run came to its end, in lines. Pure.
fn explain(run: &Run, steps: &[Step], lang: Lang) -> String {
    let mut told = Told::new(lang);
    let mut state = RunState::new(run, &Rules::default());
    let mut origins = state.origins.clone();
    told.tainted(0, &origins);
    for step in steps {
        state.apply(step);
        let new = state.origins.difference(&origins).cloned().collect();
        told.tainted(step.seq, &new);
        origins.extend(new);
        match &step.kind {
            StepKind::Event(Event::ConfirmRequest(request)) => told.asked(step.seq, request),
            StepKind::Event(Event::StepsDeleted { .. }) => told.is_deleted = true,
            StepKind::Event(Event::Confirm { approved, by, .. }) => told.answered(*approved, *by),
            StepKind::Event(Event::LlmRequest { sections, .. }) => told.sections = Some(*sections),
            StepKind::Event(Event::LlmResponse(reply)) => {
                *told
                    .models
                    .entry(format!("{} ({})", reply.model, reply.provider))
                    .or_default() += 1;
                told.milliseconds += reply.duration_ms;
                told.estimated |= reply.usage.estimated;
            }
            StepKind::ToolCall(call) => *told.tools.entry(call.name.clone()).or_default() += 1,
            StepKind::ToolResult(result) => {
                told.milliseconds += result.duration_ms;
                if let ToolOutcome::Failure { error, refused, .. } = &result.outcome {
                    told.refused(step.seq, &result.name, error, refused.as_deref());
                }
            }
            _ => {}
        }
    }
    told.labelled(&state);
    told.text(run)
}

#[cfg(test)]
mod tests;
