//! A rerun of a recorded run from one of its steps on: the model is asked once more, perhaps another one, and nothing else
//! happens.
//!
//! **What comes in:** the run with its steps, its agent and place, and the parts of its prompt as they are now. Memories,
//! settings and tools may have changed since; whether the prompt is still the recorded one is told. From who asks come the
//! step, another model, another prompt of the agent, or a reply to begin with.
//!
//! **What is stored:** what a call to a model costs (`usage`, budgets), charged to who asks and to no run, and a lease
//! while the rerun is at work, by which its reservations count. Nothing of the run changes and no step of the rerun is
//! kept. A process that dies leaves the lease, which runs out.
//!
//! **What goes out:** the prompt to the model, and the rerun to who asked. `core/run/rerun.rs` answers every effect from
//! the journal of the recorded run, and shows what is new. Nothing here calls a tool, sends, or commits a step; were it
//! tried by mistake, the claim that the session works under has an epoch that no claim has, so the commit would be refused.

mod lease;
mod retracing;

use std::{collections::BTreeMap, sync::Arc};

use clifford_core::{
    id::{RunId, UserId},
    run::{
        comparison::{Pair, side_by_side},
        rerun::{Effect, Rerun, RerunEnd, RerunSpent, RerunStep, begins_at},
        step::{Event, Step, StepKind, deleted_at},
    },
    runs::Run,
};
use clifford_store::{StoreError, people::keys, places::agents::prompts, runs::Lease};
use tokio_util::sync::CancellationToken;

pub(super) use self::retracing::Nobody;
use self::retracing::Retracing;
use super::session::{
    Gone, Session,
    retracing::{Asks, Terms},
};
use crate::{Context, budget::reserve::Claim};

/// A request to do a run once more.
#[derive(Clone, Debug)]
pub struct RerunRequest {
    /// The run.
    pub run: RunId,
    /// From this step on; left out: from the first request to the model.
    pub from: Option<u32>,
    /// The model: the name of a choice, `model`, or `provider/model`.
    pub model: Option<String>,
    /// Another prompt of the agent.
    pub prompt: Option<OtherPrompt>,
    /// With this as the model's first reply.
    pub reply: Option<String>,
    /// The person who asks and is charged; `None`: the operator.
    pub asker: Option<UserId>,
}

/// A prompt of the agent for a rerun.
#[derive(Clone, Debug)]
pub enum OtherPrompt {
    /// This one.
    Text(String),
    /// A version of the agent's.
    Version(i64),
}

/// A run and its rerun.
#[derive(Clone, Debug)]
pub struct RerunReport {
    /// The run.
    pub run: Run,
    /// The step that the rerun begins at.
    pub from: u32,
    /// The recorded steps, from there on.
    pub recorded: Vec<Step>,
    /// The steps of the rerun.
    pub rerun: Vec<Step>,
    /// The fates of the effects of the rerun's steps, by their numbers.
    pub effects: BTreeMap<u32, Effect>,
    /// How it ended.
    pub end: RerunEnd,
    /// The first prompt is the recorded one, letter by letter.
    pub is_same_prompt: bool,
}

impl RerunReport {
    /// The steps of both side by side.
    pub fn pairs(&self) -> Vec<Pair<'_>> {
        side_by_side(&self.recorded, &self.rerun)
    }

    /// The requests of the rerun to models.
    pub fn spent(&self) -> RerunSpent {
        RerunSpent::of(&self.rerun)
    }
}

/// Why there is no rerun.
#[derive(Debug, thiserror::Error)]
pub enum RerunError {
    /// The run never asked a model.
    #[error("run {0} never asked a model, so there is nothing to do once more")]
    NeverAsked(RunId),
    /// Its steps are gone.
    #[error("the steps of run {0} were deleted by retention, so there is nothing to do once more")]
    Deleted(RunId),
    /// There is no such model.
    #[error("there is no model `{given}` to choose; there is {}", there_are.join(", "))]
    Model {
        /// The given name.
        given: String,
        /// The names of those that there are.
        there_are: Vec<String>,
    },
    /// The run's agent has no such version of its prompt.
    #[error("the run's agent has no version {0} of its prompt")]
    Version(i64),
    /// Too many are at work.
    #[error("{} reruns are at work already; try again when one of them has ended", lease::MOST)]
    Busy,
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Does a run once more, in a task of its own: whoever stops waiting stops it, and is charged for what it broke off.
///
/// # Errors
/// There is no such run or model, or too many reruns; the database.
pub async fn rerun(cx: &Arc<Context>, request: RerunRequest) -> Result<RerunReport, RerunError> {
    let stop = cx.process.stop.child_token();
    let guard = stop.clone().drop_guard();
    let context = Arc::clone(cx);
    let done = cx
        .process
        .tasks
        .spawn(async move { lease::leased(&context, request, &stop).await })
        .await;
    drop(guard);
    done.unwrap_or_else(|error| Err(StoreError::Unavailable(error.to_string()).into()))
}

/// The model of this name.
fn model(cx: &Context, name: Option<&str>) -> Result<Asks, RerunError> {
    let Some(given) = name else {
        return Ok(Asks::TheRuns);
    };
    let offers = cx.models.offers();
    let is_meant = |offer: &&crate::models::roles::Offer| {
        let model = &offer.model;
        offer.name.as_deref() == Some(given)
            || model.model == given
            || given.split_once('/') == Some((&model.provider, &model.model))
    };
    match offers.iter().find(is_meant) {
        Some(offer) => Ok(offer.name.clone().map_or(Asks::Usual, Asks::Named)),
        None => Err(RerunError::Model {
            given: given.to_owned(),
            there_are: (offers.into_iter())
                .map(|offer| offer.name.unwrap_or(offer.model.model))
                .collect(),
        }),
    }
}

async fn worked(
    cx: &Arc<Context>,
    request: RerunRequest,
    asks: Asks,
    holder: &str,
    stop: &CancellationToken,
) -> Result<RerunReport, RerunError> {
    // No claim has this epoch: whatever would be written for the run is refused.
    let lease = Lease {
        run: request.run,
        owner: cx.process.worker(),
        epoch: -1,
    };
    let mut work = cx.load(lease).await?;
    let steps = std::mem::take(&mut work.steps);
    if deleted_at(&steps).is_some() {
        return Err(RerunError::Deleted(request.run));
    }
    let from = begins_at(&steps, request.from).ok_or(RerunError::NeverAsked(request.run))?;
    work.steps = steps.iter().filter(|step| step.seq < from).cloned().collect();
    match request.prompt {
        Some(OtherPrompt::Text(prompt)) => work.agent.prompt = prompt,
        Some(OtherPrompt::Version(version)) => {
            let found = prompts::get(&mut cx.db.read().await?, work.agent.id, version).await?;
            work.agent.prompt = found.ok_or(RerunError::Version(version))?.prompt;
        }
        None => {}
    }
    let terms = Terms {
        asks,
        claim: Claim {
            holder: holder.to_owned(),
            epoch: 0,
            user: request.asker,
            platform_roles: Vec::new(),
            space: None,
            budgets: Vec::new(),
        },
        keys: match request.asker {
            Some(asker) => keys::of(&mut cx.db.read().await?, asker).await?,
            None => Vec::new(),
        },
    };
    let run = work.run.clone();
    let session = Session::again(cx, &Nobody, work, stop);
    let mut retracing = Retracing {
        cx,
        again: Rerun::new(&run, session.rules.clone(), &steps, from),
        session,
        terms,
        reply: request.reply,
        known: 0,
    };
    match retracing.work().await {
        Ok(()) => {}
        Err(Gone::Cancelled) => retracing.stop("it was cancelled"),
        Err(Gone::Store(error)) => return Err(error.into()),
        Err(Gone::Lost | Gone::Reworded | Gone::Panicked) => retracing.stop("an internal error"),
    }
    let end = retracing.again.end().cloned().unwrap_or(RerunEnd::Finished);
    let (mut rerun, mut effects) = (Vec::new(), BTreeMap::new());
    for RerunStep { step, effect } in retracing.again.steps {
        effects.extend(effect.map(|effect| (step.seq, effect)));
        rerun.push(step);
    }
    let recorded: Vec<_> = steps.into_iter().filter(|step| step.seq >= from).collect();
    Ok(RerunReport {
        is_same_prompt: prompt_of(recorded.iter()).is_some_and(|recorded| prompt_of(rerun.iter()) == Some(recorded)),
        run,
        from,
        recorded,
        rerun,
        effects,
        end,
    })
}

/// The hash of the first prompt among these steps.
fn prompt_of<'a>(mut steps: impl Iterator<Item = &'a Step>) -> Option<&'a str> {
    steps.find_map(|step| match &step.kind {
        StepKind::Event(Event::LlmRequest { prompt_hash, .. }) => Some(prompt_hash.as_str()),
        _ => None,
    })
}
