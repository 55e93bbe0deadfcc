//! The requests of others to the engine: begin a run, wait for its end, cancel, wake and retry it.

use std::{sync::Arc, time::Duration};

use clifford_chat::outbound::Mark;
use clifford_core::{
    clock::Timestamp,
    id::RunId,
    run::step::{Event, StepKind, deleted_at},
    runs::{Run, RunStatus, WakeReason},
};
use clifford_delivery::outbound::PendingDelivery;
use clifford_store::{
    Db, StoreError, Tx,
    db::notify,
    messages::{self, NewOutbound},
    places::{
        agents::{self, Agent},
        channels,
    },
    runs::{self, Lease, NewRun, queue as run_queue, steps},
};
use clifford_text::Outcome;

use crate::{
    Runs,
    events::{RunEvent, Sight},
    run::{
        answering::{self, ApprovalAnswer},
        cancel,
        follow_up::lane_in,
    },
};

/// How often a run that another process works on is looked at.
const LOOK: Duration = Duration::from_millis(250);

impl Runs {
    /// The agent that takes what names none.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]: no agent is enabled.
    pub async fn default_agent(&self) -> Result<Agent, StoreError> {
        let agent = agents::for_channel(&mut self.context.db.read().await?, None).await?;
        agent.ok_or_else(|| StoreError::NotFound("enabled agent".to_owned()))
    }

    /// Begins a run in this process.
    pub async fn submit(self: &Arc<Self>, mut run: NewRun) -> Result<Run, StoreError> {
        let now = self.context.clock.now();
        run.lease = Some((
            self.context.process.worker(),
            now.after(self.context.settings.engine().lease),
        ));
        // A configured secret that somebody writes is not even stored.
        run.input_text = self.context.masker.mask(&run.input_text).into_owned();
        run.input_json = run.input_json.map(|json| self.context.masker.mask_json(json));
        let run = self
            .context
            .db
            .write(move |tx| Box::pin(async move { runs::insert(tx, &run, now).await }))
            .await?;
        self.start_held(Lease {
            run: run.id,
            owner: self.context.process.worker(),
            epoch: run.epoch,
        });
        Ok(run)
    }

    /// Waits until a run has ended, or the time is over; returns it as it is then.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]: there is no such run.
    pub async fn wait_for_end(&self, id: RunId, at_most: Duration) -> Result<Run, StoreError> {
        let mut events = self.context.events.watch(id, Sight::Progress);
        let deadline = tokio::time::Instant::now() + at_most;
        loop {
            let run = self.run(id).await?;
            if run.status.is_ended() || tokio::time::Instant::now() >= deadline {
                return Ok(run);
            }
            let look = (tokio::time::Instant::now() + LOOK).min(deadline);
            // An event is only a reason to look sooner; what counts is the row.
            tokio::time::timeout_at(look, events.next()).await.ok();
        }
    }

    async fn run(&self, id: RunId) -> Result<Run, StoreError> {
        runs::get(&mut self.context.db.read().await?, id)
            .await?
            .ok_or_else(|| StoreError::NotFound(format!("run {id}")))
    }

    /// Cancels a run and its tree, in all workers; its chat gets a notice.
    ///
    /// # Errors
    /// [`StoreError::WrongState`]: it has ended. [`StoreError::NotFound`]: there is none.
    pub async fn cancel(self: &Arc<Self>, id: RunId) -> Result<Run, StoreError> {
        let run = self.run(id).await?;
        if run.status.is_ended() {
            return Err(StoreError::WrongState(format!("run {id} is {} already", run.status)));
        }
        let lease = Lease {
            run: id,
            owner: self.context.process.worker(),
            epoch: run.epoch,
        };
        let work = self.context.load(lease).await?;
        let to = work.reply_to().filter(|_| run.parent_run_id.is_none());
        let notice = work
            .lang(&mut self.context.db.read().await?)
            .await?
            .say(Outcome::Cancelled);
        let now = self.context.clock.now();
        let said = to
            .clone()
            .map(|to| self.context.delivery.outbound().message(to, &notice, now));
        let (message, pending): (Option<NewOutbound>, Option<Option<PendingDelivery>>) = said.unzip();
        let begins = self.context.begins();
        let cancelled = self
            .context
            .db
            .write(move |tx| Box::pin(async move { cancel::commit(tx, &run, message.as_ref(), begins, now).await }))
            .await?;
        for claim in cancelled.runs {
            self.interrupt(claim);
            self.context
                .events
                .tell(claim.run, RunEvent::Status(RunStatus::Cancelled));
        }
        if let Some(lease) = cancelled.follow_up {
            self.start_held(lease);
        }
        if let Some(pending) = pending.flatten() {
            self.context.delivery.deliver(pending);
        }
        if let Some(to) = to {
            self.context.delivery.done(&to, id, i64::MAX);
            self.context.delivery.mark(&to, Mark::Failed);
        }
        self.context.notify.runs.notify_one();
        self.run(id).await
    }

    /// Wakes a waiting run before its time.
    ///
    /// # Errors
    /// [`StoreError::WrongState`]: it does not wait, or its conversation is busy. [`StoreError::NotFound`]: there
    /// is none.
    pub async fn wake(self: &Arc<Self>, id: RunId) -> Result<Run, StoreError> {
        let run = self.run(id).await?;
        if run.asks() {
            return Err(StoreError::WrongState(format!(
                "run {id} waits for a person: approve or deny with POST /api/runs/{id}/confirm"
            )));
        }
        let now = self.context.clock.now();
        let woken = self
            .context
            .db
            .write(move |tx| {
                Box::pin(async move {
                    notify::work(tx).await?;
                    runs::wake(tx, id, WakeReason::Api, now).await
                })
            })
            .await?;
        if !woken {
            let why = if run.status == RunStatus::Waiting {
                "its conversation is busy"
            } else {
                "it does not wait"
            };
            return Err(StoreError::WrongState(format!(
                "run {id} is {} and cannot be woken: {why}",
                run.status
            )));
        }
        self.context.notify.runs.notify_one();
        self.run(id).await
    }

    /// Answers what a run asks, and goes on with it.
    ///
    /// # Errors
    /// As [`answering::from_outside`].
    pub async fn confirm(self: &Arc<Self>, answer: ApprovalAnswer) -> Result<Run, StoreError> {
        let run = answering::from_outside(&self.context.db, answer, self.context.clock.now()).await?;
        self.context.events.tell(run.id, RunEvent::Status(run.status));
        self.context.notify.runs.notify_one();
        Ok(run)
    }

    /// Does a failed or cancelled run once more, as a new one with the same input.
    ///
    /// # Errors
    /// [`StoreError::WrongState`]: it has not failed, or its conversation is busy. [`StoreError::NotFound`]: there
    /// is none.
    pub async fn retry(self: &Arc<Self>, id: RunId) -> Result<Run, StoreError> {
        let mut again = again(&self.run(id).await?)?;
        let parallel = self.context.settings.ingress.shared_parallel;
        let now = self.context.clock.now();
        again.lease = Some((
            self.context.process.worker(),
            now.after(self.context.settings.engine().lease),
        ));
        let made = self
            .context
            .db
            .write(move |tx| Box::pin(async move { once_more(tx, id, &again, parallel, now).await }))
            .await
            .map_err(|error| busy(id, error))?;
        self.start_held(Lease {
            run: made.id,
            owner: self.context.process.worker(),
            epoch: made.epoch,
        });
        Ok(made)
    }
}

/// The new run takes over what people wrote for the old one, before it began and while it was at work: it is asked
/// with all of it, and none of it is their past. `parallel`: how many people are answered at the same time in a shared
/// place.
async fn once_more(tx: &mut Tx, id: RunId, again: &NewRun, parallel: u32, now: Timestamp) -> Result<Run, StoreError> {
    let mut again = again.clone();
    let steps = steps::of_run(tx, id).await?;
    if deleted_at(&steps).is_some() {
        // The messages that reached it meanwhile are still there.
        for (_, text) in messages::input_of(tx, id, None).await? {
            if !again.input_text.contains(&text) {
                again.input_text = format!("{}\n{text}", again.input_text);
            }
        }
    }
    for step in steps {
        if let StepKind::Event(Event::UserMessage { text, .. }) = step.kind {
            again.input_text = format!("{}\n{text}", again.input_text);
        }
    }
    if let Some(channel) = again.channel_id {
        let channel = channels::get(tx, channel).await?;
        again.lane = lane_in(tx, again.context_id, channel.as_ref(), again.user_id, parallel).await?;
    }
    run_queue::retried(tx, id).await?;
    let made = runs::insert(tx, &again, now).await?;
    messages::hand_over(tx, id, made.id).await?;
    Ok(made)
}

/// Retries a failed or cancelled run, in the next worker that claims it; `parallel`: how many people are answered at
/// the same time in a shared place.
///
/// # Errors
/// As [`Runs::retry`].
pub async fn retry_from_outside(db: &Db, id: RunId, parallel: u32, now: Timestamp) -> Result<Run, StoreError> {
    let run = runs::get(&mut db.read().await?, id).await?;
    let again = again(&run.ok_or_else(|| StoreError::NotFound(format!("run {id}")))?)?;
    db.write(move |tx| {
        Box::pin(async move {
            notify::work(tx).await?;
            once_more(tx, id, &again, parallel, now).await
        })
    })
    .await
    .map_err(|error| busy(id, error))
}

/// Makes a run that any process which works on the database begins: for one that has no engine of its own.
pub async fn submit_from_outside(db: &Db, run: NewRun, now: Timestamp) -> Result<Run, StoreError> {
    db.write(move |tx| {
        Box::pin(async move {
            notify::work(tx).await?;
            runs::insert(tx, &run, now).await
        })
    })
    .await
}

/// A new run for the same.
fn again(run: &Run) -> Result<NewRun, StoreError> {
    if run.parent_run_id.is_some() {
        return Err(StoreError::WrongState(format!(
            "run {} is a subagent: only its root, run {}, can be done again",
            run.id, run.root_run_id
        )));
    }
    if !matches!(run.status, RunStatus::Failed | RunStatus::Cancelled) {
        return Err(StoreError::WrongState(format!(
            "run {} is {}: only coordinator runs that failed or were cancelled can be done again",
            run.id, run.status
        )));
    }
    Ok(NewRun {
        channel_id: run.channel_id,
        user_id: run.user_id,
        context_id: run.context_id,
        profile: run.profile.clone(),
        input_json: run.input_json.clone().map(|json| json.0),
        allowed_tools: run.allowed_tools.clone().map(|tools| tools.0),
        address: run.address().cloned(),
        platform_roles: run.platform_roles.clone().map(|roles| roles.0),
        ..NewRun::of(run.agent_id, run.mode, run.input_text.as_str())
    })
}

fn busy(id: RunId, error: StoreError) -> StoreError {
    match error {
        StoreError::Conflict(_) => {
            StoreError::WrongState(format!("run {id}: its conversation is busy; try again later"))
        }
        other => other,
    }
}
