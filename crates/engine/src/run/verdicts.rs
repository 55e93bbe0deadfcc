//! Why the rules decided on the calls of a recorded run as they did: each call is judged once more, in the state in which
//! it was decided on. The rules, tools and memories are those of now. Nothing is called, counted or asked.

use std::{collections::BTreeSet, sync::Arc};

use clifford_core::{
    id::RunId,
    policy::{Verdict, trace::Traced},
    run::{
        state::RunState,
        step::{ConfirmAbout, Event, Step, StepKind, ToolCall, ToolResult},
    },
};
use clifford_store::{StoreError, runs::Lease};

use super::{
    rerun::Nobody,
    session::{Gone, Session},
};
use crate::Context;

/// A call, and what the rules say of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CallVerdict {
    /// The step in which it was made, or asked for.
    pub seq: u32,
    /// The call.
    pub call: ToolCall,
    /// The verdict; `None`: it cannot be made any more.
    pub verdict: Option<Verdict>,
    /// Where its arguments come from.
    pub traced: Vec<Traced>,
    /// Where the words from outside come from that the run had read by then.
    pub origins: BTreeSet<String>,
}

/// The verdicts on the calls of a run, in order.
///
/// # Errors
/// There is no such run; the database.
pub async fn verdicts(cx: &Arc<Context>, run: RunId) -> Result<Vec<CallVerdict>, StoreError> {
    // No claim has this epoch: whatever would be written for the run is refused.
    let lease = Lease {
        run,
        owner: cx.process.worker(),
        epoch: -1,
    };
    let mut work = cx.load(lease).await?;
    let steps = std::mem::take(&mut work.steps);
    if judged(&steps).next().is_none() {
        return Ok(Vec::new());
    }
    let row = work.run.clone();
    let mut session = Session::again(cx, &Nobody, work, &cx.process.stop);
    let mut state = RunState::new(&row, &session.rules);
    let (mut results, mut found): (Vec<&ToolResult>, _) = (Vec::new(), Vec::new());
    for step in &steps {
        if let Some(call) = judged(std::slice::from_ref(step)).next() {
            session.take_up(state.clone(), &std::mem::take(&mut results));
            let verdict = match session.verdict_again(call).await {
                Ok(verdict) => verdict,
                Err(Gone::Store(error)) => return Err(error),
                // The process stops.
                Err(_) => return Err(StoreError::Unavailable("the process stops".to_owned())),
            };
            let (verdict, traced) = verdict.unzip();
            found.push(CallVerdict {
                seq: step.seq,
                call: call.clone(),
                verdict,
                traced: traced.unwrap_or_default(),
                origins: state.origins.clone(),
            });
        }
        if let StepKind::ToolResult(result) = &step.kind {
            results.push(result);
        }
        state.apply(step);
    }
    Ok(found)
}

/// The calls that the rules decided on. One that was asked for before it was made stands there twice.
fn judged(steps: &[Step]) -> impl Iterator<Item = &ToolCall> {
    steps.iter().filter_map(|step| match &step.kind {
        StepKind::ToolCall(call) => Some(call),
        StepKind::Event(Event::ConfirmRequest(request)) if request.about == ConfirmAbout::Call => Some(&request.call),
        _ => None,
    })
}
