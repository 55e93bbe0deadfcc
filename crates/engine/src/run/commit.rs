//! The writes of one commit of a run, under its lease, and the consequences of a run's end.

use std::collections::BTreeSet;

use clifford_chat::outbound::Address;
use clifford_core::{
    budget::{Amount, Settlement},
    clock::Timestamp,
    id::{ChannelId, ContextId, RunId, UserId},
    models::Role,
    places::Mode,
    run::{
        effects::{After, Child},
        step::{Answerer, Event, LlmResponse, Step, StepKind, ToolResult},
    },
    runs::{CancelReason, Run, RunKind, RunStatus, WakeReason},
    schedule::trigger::CatchUp,
};
use clifford_delivery::outbound;
use clifford_store::{
    StoreError, Tx, budgets, contexts,
    db::notify,
    messages,
    places::settings,
    runs::{self, Advance, Lease, NewRun, approvals, steps, tree as run_tree},
    triggers, usage,
};
use clifford_text::{Approval, Outcome};
use serde_json::json;

use super::{
    follow_up,
    session::{Heard, ToldOnce},
    settling, title,
};
use crate::memory::closing;

/// Everything that one commit writes.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The right to write.
    pub lease: Lease,
    /// The run as it was loaded.
    pub run: Run,
    /// New steps.
    pub steps: Vec<Step>,
    /// The queued messages of this conversation that the run takes in, if it does.
    pub takes_in: Option<TakesIn>,
    /// The words of a voice message, which become its text.
    pub heard: Option<Heard>,
    /// Its person is told something that is said once.
    pub told_once: Option<ToldOnce>,
    /// Messages to the user.
    pub messages: Vec<messages::NewOutbound>,
    /// Subagents to create.
    pub children: Vec<Child>,
    /// The run's next move.
    pub then: After,
    /// Time zone of a cron sleep.
    pub time_zone: String,
    /// The handling of missed due times of a cron sleep.
    pub catch_up: CatchUp,
    /// Where what it has read came from, as far as that is outside: its subagents begin with that.
    pub origins: BTreeSet<String>,
    /// A cron expression wakes the run: its trigger goes with its end.
    pub has_trigger: bool,
    /// It has subagents that may not have ended: they end with it.
    pub has_children: bool,
    /// Others than its person read along where it answers.
    pub is_shared: bool,
    /// The most turns of a conversation, before its older half leaves it.
    pub max_turns: i64,
    /// The conversation takes more than half of its room in a prompt: its older half leaves it, however few turns it has.
    pub is_half_full: bool,
    /// How what waits behind it is begun.
    pub begins: follow_up::Begins,
    /// The reservation of the call whose reply it records.
    pub settlement: Option<Settlement>,
    /// When.
    pub now: Timestamp,
}

/// The messages that a run takes in: those of the person that it answers, in the channel where it answers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakesIn {
    /// The conversation.
    pub context: ContextId,
    /// The person.
    pub user: UserId,
    /// The channel.
    pub channel: ChannelId,
    /// The place of the first step that this makes.
    pub next_seq: u32,
}

impl TakesIn {
    /// Whether a message is one of them. A message for a direct chat wants no tools.
    pub fn takes(&self, message: &messages::Queued) -> bool {
        message.user_id == Some(self.user) && message.channel_id == self.channel && message.mode() != Some(Mode::Chat)
    }
}

/// The consequences of a commit, for this process to handle.
#[derive(Clone, Debug, Default)]
pub struct Consequences {
    /// The messages that were taken in, as steps, each with where it was to be answered.
    pub taken_in: Vec<(Step, Option<Address>)>,
    /// A run that this worker holds already: what arrived while the ended one was at work.
    pub follow_up: Option<(Run, Lease)>,
    /// There is work to claim.
    pub work_to_claim: bool,
    /// There is a job to do.
    pub job_to_do: bool,
}

impl Commit {
    /// Writes it all, or nothing.
    ///
    /// # Errors
    /// [`StoreError::LeaseLost`]: the run is somebody else's by now.
    pub async fn write(mut self, tx: &mut Tx) -> Result<Consequences, StoreError> {
        let now = self.now;
        let taken_in = match self.takes_in {
            Some(takes_in) => take_in(tx, self.run.id, takes_in, now).await?,
            None => Vec::new(),
        };
        self.steps.extend(taken_in.iter().map(|(step, _)| step.clone()));
        let is_end = matches!(self.then, After::End { .. });
        let rests_in = self.lock_context(tx, is_end).await?;
        steps::append(tx, self.run.id, &self.steps).await?;
        self.record_costs(tx).await?;
        if self.steps.iter().any(is_timeout) {
            settling::settle(tx, self.run.id, |lang| lang.say(Approval::Unanswered), now).await?;
        }
        if let Some(heard) = &self.heard {
            messages::reword(tx, heard.message, &heard.content).await?;
            let input = messages::input_of(tx, self.run.id, None).await?;
            let input: Vec<_> = input.into_iter().map(|(_, text)| text).collect();
            runs::reword(tx, &self.lease, &input.join("\n"), now).await?;
        }
        if let Some(told) = &self.told_once {
            settings::put(tx, &told.scope, told.name, "yes", now).await?;
        }
        for message in &self.messages {
            messages::insert_outbound(tx, message, now).await?;
        }
        self.insert_children(tx).await?;
        if !self.origins.is_empty() || self.steps.iter().any(taints) {
            approvals::taint(tx, self.run.id).await?;
        }
        // The lease decides over all of it, so it is asked last: what stands before goes along.
        let rest = match rests_in {
            Some(context) => runs::advance_to_rest(tx, &self.lease, &self.advance(), context, now).await?,
            None => {
                runs::advance(tx, &self.lease, &self.advance(), now).await?;
                runs::Parked::default()
            }
        };
        // A subagent that rests leaves its place to the next in line.
        let rests = !matches!(self.then, After::Continue | After::Call(_));
        let mut work_to_claim = !self.children.is_empty() || self.run.kind == RunKind::Subagent && rests;
        self.put_wake(tx).await?;
        let mut follow_up = None;
        let mut job_to_do = false;
        if is_end {
            if self.has_trigger {
                triggers::remove_wake(tx, self.run.id).await?;
            }
            if self.has_children {
                self.end_children(tx).await?;
            }
            work_to_claim |= follow_up::wake_parent(tx, &self.run, now).await?;
        }
        if let Some(context) = rests_in {
            if is_end && (rest.turns > self.max_turns || self.is_half_full) {
                job_to_do = closing::compact(tx, context, now).await?;
            }
            follow_up = follow_up::begin(tx, context, rest.queued, self.run.agent_id, self.begins, now).await?;
        }
        if work_to_claim {
            notify::work(tx).await?;
        }
        Ok(Consequences {
            taken_in,
            follow_up,
            work_to_claim,
            job_to_do,
        })
    }

    /// Locks the context's row, before the run's, as ingress does. Returns the conversation in which the run rests:
    /// one that waits blocks nobody, and what came while it worked goes on without it.
    async fn lock_context(&self, tx: &mut Tx, is_end: bool) -> Result<Option<ContextId>, StoreError> {
        match (self.run.context_id.filter(|_| is_end), self.run.kind) {
            (Some(context), RunKind::Coordinator) => {
                contexts::count_turn(tx, context, &title::of(&self.run.input_text, self.is_shared)).await?;
            }
            (Some(context), RunKind::Subagent) => contexts::lock(tx, context).await?,
            (None, _) => {}
        }
        let rests_in = (self.run.context_id).filter(|_| {
            self.run.kind == RunKind::Coordinator && !matches!(self.then, After::Continue | After::Call(_))
        });
        if let Some(context) = rests_in.filter(|_| !is_end) {
            contexts::lock(tx, context).await?;
        }
        Ok(rests_in)
    }

    /// Records the usage of model calls, and settles what was reserved for them.
    async fn record_costs(&self, tx: &mut Tx) -> Result<(), StoreError> {
        for (seq, response) in self.responses() {
            let call = usage::Call {
                run: Some(self.run.id),
                seq: Some(seq),
                user: self.run.user_id,
                channel: self.run.channel_id,
                role: Role::of_run(&self.run),
            };
            usage::insert(tx, call, response, self.now).await?;
        }
        if let Some(settlement) = &self.settlement {
            budgets::settle(tx, settlement, self.spent()).await?;
        }
        Ok(())
    }

    /// Creates the subagents. Each begins with the origins of what the run has read.
    async fn insert_children(&self, tx: &mut Tx) -> Result<(), StoreError> {
        for child in &self.children {
            runs::insert(tx, &self.child(child), self.now).await?;
            if !self.origins.is_empty() {
                let step = Step {
                    seq: 1,
                    at: self.now,
                    kind: StepKind::Event(Event::Tainted {
                        origins: self.origins.clone(),
                    }),
                };
                steps::append(tx, child.id, &[step]).await?;
                approvals::taint(tx, child.id).await?;
            }
        }
        Ok(())
    }

    /// Stores the trigger of a cron sleep, or removes that of an earlier one.
    async fn put_wake(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let After::Sleep(wake) = &self.then else {
            return Ok(());
        };
        match &wake.cron {
            Some(cron) => {
                let (zone, catch_up) = (&self.time_zone, self.catch_up);
                triggers::put_wake(tx, self.run.id, cron, zone, catch_up, wake.at, self.now).await
            }
            None if self.has_trigger => triggers::remove_wake(tx, self.run.id).await,
            None => Ok(()),
        }
    }

    async fn end_children(&self, tx: &mut Tx) -> Result<(), StoreError> {
        for child in run_tree::children(tx, self.run.id).await? {
            if !child.status.is_ended() {
                super::cancel::tree(tx, child.id, CancelReason::ParentEnded, self.now).await?;
            }
        }
        Ok(())
    }

    /// The cost of the calls whose replies it records.
    fn spent(&self) -> Amount {
        self.responses().fold(Amount::default(), |sum, (_, response)| Amount {
            cost: sum.cost + response.cost_of_all(),
            tokens: sum.tokens.saturating_add(response.tokens_of_all()),
        })
    }

    fn responses(&self) -> impl Iterator<Item = (u32, &LlmResponse)> {
        self.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Event(Event::LlmResponse(response)) => Some((step.seq, response)),
            _ => None,
        })
    }

    fn advance(&self) -> Advance {
        let mut change = Advance {
            status: RunStatus::Running,
            output: None,
            error: None,
            wake_at: None,
            wake_reason: None,
            wake_on: None,
            llm_calls: 0,
            prompt_tokens: 0,
            completion_tokens: 0,
            cached_tokens: 0,
            cost: 0.0,
            worked_ms: 0,
        };
        for (_, response) in self.responses() {
            change.llm_calls += 1;
            change.prompt_tokens = change.prompt_tokens.saturating_add(response.prompt_tokens_of_all());
            change.completion_tokens = change
                .completion_tokens
                .saturating_add(response.completion_tokens_of_all());
            change.cached_tokens = change.cached_tokens.saturating_add(response.usage.cached_tokens);
            change.cost += response.cost_of_all();
            change.worked_ms = change.worked_ms.saturating_add(response.duration_ms);
        }
        for step in &self.steps {
            if let StepKind::ToolResult(result) = &step.kind {
                let spent = result.spent;
                let asked = spent.tokens.saturating_sub(spent.written);
                change.prompt_tokens = change.prompt_tokens.saturating_add(asked);
                change.completion_tokens = change.completion_tokens.saturating_add(spent.written);
                change.cost += spent.cost;
            }
        }
        match &self.then {
            After::Continue | After::Call(_) => {}
            After::Confirm(until) => {
                change.status = RunStatus::Waiting;
                change.wake_at = Some(*until);
                change.wake_reason = Some(WakeReason::ToolConfirm);
            }
            After::Sleep(wake) => {
                change.status = RunStatus::Waiting;
                change.wake_at = Some(wake.at);
                change.wake_reason = Some(WakeReason::Sleep);
            }
            After::AwaitChildren(wake_on) => {
                change.status = RunStatus::Waiting;
                change.wake_reason = Some(WakeReason::Subagents);
                change.wake_on = Some(*wake_on);
            }
            After::End { status, output, error } => {
                change.status = *status;
                change.output = Some(output.clone());
                change.error.clone_from(error);
            }
        }
        change
    }

    fn child(&self, child: &Child) -> NewRun {
        let mut given = json!({ "share": child.share });
        if !child.spec.context.is_empty() {
            given["context"] = json!(child.spec.context);
        }
        if !child.private.is_empty() {
            given["private"] = json!(child.private);
        }
        NewRun {
            id: child.id,
            channel_id: self.run.channel_id,
            user_id: self.run.user_id,
            context_id: self.run.context_id,
            parent: Some((self.run.id, self.run.root_run_id)),
            level: self.run.level + 1,
            profile: child.spec.profile.clone(),
            input_json: Some(given),
            allowed_tools: child.tools.clone(),
            platform_roles: self.run.platform_roles.clone().map(|roles| roles.0),
            ..NewRun::of(self.run.agent_id, Mode::Run, child.spec.task.clone())
        }
    }
}

/// Whether a question runs out by this step.
fn is_timeout(step: &Step) -> bool {
    matches!(
        step.kind,
        StepKind::Event(Event::Confirm {
            by: Answerer::Nobody,
            ..
        })
    )
}

/// Whether a run has read words from outside by this step.
fn taints(step: &Step) -> bool {
    match &step.kind {
        StepKind::ToolResult(ToolResult { origins, .. })
        | StepKind::Event(Event::Tainted { origins } | Event::SubagentEnded { origins, .. }) => !origins.is_empty(),
        _ => false,
    }
}

/// Gives messages that wait to a run, each as a step. They are read here and nowhere before: until now they could
/// be edited or dropped.
async fn take_in(
    tx: &mut Tx,
    run: RunId,
    takes_in: TakesIn,
    now: Timestamp,
) -> Result<Vec<(Step, Option<Address>)>, StoreError> {
    // The context's row is locked before the run's, as in ingress.
    contexts::lock(tx, takes_in.context).await?;
    let queued = messages::queued(tx, takes_in.context).await?;
    let mut taken = Vec::new();
    for (seq, message) in (takes_in.next_seq..).zip(queued.into_iter().filter(|message| takes_in.takes(message))) {
        messages::give_to_run(tx, message.id, run).await?;
        outbound::resolve_placeholder(tx, &message, Outcome::AnsweredWithEarlier, now).await?;
        let step = Step {
            seq,
            at: now,
            kind: StepKind::Event(Event::UserMessage {
                message_id: message.id,
                text: message.as_input(),
            }),
        };
        taken.push((step, message.address.map(|address| address.0)));
    }
    Ok(taken)
}
