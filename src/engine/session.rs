//! A run in a worker's hands: its state, its steps that are not committed yet, and the I/O around them.

mod beside;
mod growing;
mod take_in;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use clifford_channel::Address;
use clifford_llm::ModelError;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::{
    Engine,
    commit::{Commit, TakesIn},
    crash::{self, Point},
    decide::Decision,
    effects::{After, Effects, effects},
    endings,
    events::RunEvent,
    prompt::Frame,
    sentences,
    state::RunState,
    step::{EndingKind, Event, LlmResponse, NoteAbout, Step, StepKind, ToolCall, ToolOutcome, ToolResult},
    work::Work,
};
use crate::{
    id::RunId,
    memory::recall,
    search::Scope,
    settings::WhenBusy,
    store::{StoreError, outbox, recollection, runs, runs::RunStatus, users::UserRole},
    tools::{Class, ToolContext},
};

/// Why a worker lets go of a run that has neither ended nor waits.
#[derive(Debug)]
pub enum Gone {
    /// The lease is somebody else's.
    Lost,
    /// It was cancelled, or this process stops.
    Cancelled,
    /// A bug.
    Panicked,
    /// The database.
    Store(StoreError),
}

impl From<StoreError> for Gone {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeaseLost(_) => Self::Lost,
            other => Self::Store(other),
        }
    }
}

/// Whether a run goes on after a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onward {
    /// It does.
    GoesOn,
    /// It waits or ended.
    AtRest,
}

impl Onward {
    /// It waits or ended.
    pub const fn is_at_rest(self) -> bool {
        matches!(self, Self::AtRest)
    }
}

/// A run in a worker's hands.
pub struct Session<'a> {
    /// What is known of it.
    pub state: RunState,
    engine: &'a Arc<Engine>,
    work: Work,
    cancelled: &'a CancellationToken,
    frame: Option<Frame>,
    uncommitted: Vec<Step>,
    /// A call that was found without its result: the process that made it died.
    interrupted: bool,
    /// What becomes of messages that arrive meanwhile, once that was looked up.
    when_busy: Option<WhenBusy>,
    /// Where what was taken in was to be answered.
    taken_in: Vec<Address>,
}

impl<'a> Session<'a> {
    /// Takes a run up where its steps end.
    pub fn open(engine: &'a Arc<Engine>, work: Work, cancelled: &'a CancellationToken) -> Self {
        let state = RunState::replay(&work.run, &engine.rules, &work.steps);
        let interrupted = matches!(state.pending, super::state::Pending::Call(_));
        Self {
            state,
            engine,
            work,
            cancelled,
            frame: None,
            uncommitted: Vec::new(),
            interrupted,
            when_busy: None,
            taken_in: Vec::new(),
        }
    }

    /// Takes a step: it is applied now, and committed with the next commit.
    fn push(&mut self, kind: StepKind) {
        let step = Step {
            seq: self.state.next_seq,
            at: self.engine.clock.now(),
            kind,
        };
        self.state.apply(&step);
        self.uncommitted.push(step);
    }

    /// The run was woken: what its subagents returned joins the transcript.
    ///
    /// # Errors
    /// The store's.
    pub async fn woken(&mut self) -> Result<(), Gone> {
        self.collect_subagents().await?;
        let reason = self.work.run.wake_reason.clone().unwrap_or_else(|| "time".to_owned());
        self.push(StepKind::Event(Event::Wake { reason }));
        Ok(())
    }

    async fn collect_subagents(&mut self) -> Result<(), Gone> {
        if self.state.children.is_empty() {
            return Ok(());
        }
        let children = runs::children(&mut self.engine.db.read().await?, self.work.run.id).await?;
        for child in children.into_iter().filter(|child| child.status.is_ended()) {
            if self.state.children.contains(&child.id) {
                self.push(StepKind::Event(Event::SubagentEnded {
                    run_id: child.id,
                    task: child.input_text,
                    status: child.status,
                    output: child.output_text,
                    error: child.error,
                }));
            }
        }
        Ok(())
    }

    /// What could not be delivered is told to the model, once.
    async fn collect_failed_deliveries(&mut self) -> Result<(), Gone> {
        if self.state.sent.is_empty() {
            return Ok(());
        }
        for error in outbox::failures_of(&mut self.engine.db.read().await?, self.work.run.id).await? {
            let text = format!("A message to the user could not be delivered: {error}.");
            if !self.state.said_notes.contains(&text) {
                self.push(StepKind::Event(Event::SystemNote {
                    text,
                    about: NoteAbout::DeliveryFailed,
                }));
            }
        }
        Ok(())
    }

    /// Asks the model, and takes its reply.
    ///
    /// # Errors
    /// The store's; the run was cancelled.
    pub async fn think(&mut self, before: Vec<StepKind>) -> Result<(), Gone> {
        self.collect_subagents().await?;
        self.collect_failed_deliveries().await?;
        for step in before {
            self.push(step);
        }
        crash::reach(Point::BeforeModelCall);
        self.frame().await?;
        let Some(frame) = &self.frame else {
            return Err(Gone::Panicked);
        };
        let request = frame.request(&self.state);
        let text = serde_json::to_string(&request.messages).unwrap_or_default();
        let began = Instant::now();
        let left = Duration::from_millis(self.engine.rules.max_run_ms.saturating_sub(self.state.worked_ms));
        let mut draft = self.draft();
        let reply = tokio::select! {
            reply = tokio::time::timeout(left, self.engine.model.complete(&request, &mut draft)) => reply,
            () = self.cancelled.cancelled() => return Err(Gone::Cancelled),
        };
        self.push(StepKind::Event(Event::LlmRequest {
            messages: request.messages.len(),
            estimated_tokens: clifford_llm::estimate_tokens(&text),
            prompt_hash: format!("{:x}", Sha256::digest(text.as_bytes())),
            prompt: self
                .engine
                .settings
                .record_prompts
                .then(|| serde_json::to_value(&request.messages).unwrap_or_default()),
        }));
        let completion = match reply {
            Ok(Ok(completion)) => completion,
            Ok(Err(error)) => return self.no_reply(&error).await,
            Err(_) => {
                let error = ModelError::Overloaded {
                    provider: "the model".to_owned(),
                    reason: "no reply within what is left of max_run_seconds".to_owned(),
                };
                return self.no_reply(&error).await;
            }
        };
        let (prompt_price, completion_price) = self
            .engine
            .settings
            .prices
            .get(&completion.provider)
            .copied()
            .unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        let cost = (completion.usage.prompt_tokens as f64 * prompt_price
            + completion.usage.completion_tokens as f64 * completion_price)
            / 1_000_000.0;
        let duration = began.elapsed();
        metrics::histogram!("clifford_model_seconds", "provider" => completion.provider.clone()).record(duration);
        self.push(StepKind::Event(Event::LlmResponse(LlmResponse {
            text: completion.text,
            tool_calls: completion.tool_calls,
            usage: completion.usage,
            provider: completion.provider,
            model: completion.model,
            cost,
            duration_ms: millis(duration),
        })));
        if crash::is_armed(Point::ResponseRecorded) {
            self.commit(Effects::default()).await?;
            crash::reach(Point::ResponseRecorded);
        }
        Ok(())
    }

    /// The fixed part of the prompt, put together once a session.
    async fn frame(&mut self) -> Result<(), Gone> {
        if self.frame.is_none() {
            let (run, settings) = (&self.work.run, &self.engine.settings);
            let found = match self.work.recollection.take() {
                Some(found) => found,
                None => {
                    let wanted = recall::wanted(run, self.work.channel.as_ref(), settings.amounts(run.mode));
                    recollection::find(&mut self.engine.db.glance().await?, wanted).await?
                }
            };
            let mut recalled = recall::recall(found, settings.memory.defaults, settings.memory.cross_channel_tokens);
            recalled.user_name = self.user_name().await?;
            self.frame = Some(Frame::new(
                &self.work,
                &self.engine.rules,
                &self.engine.tools,
                &recalled,
            ));
        }
        Ok(())
    }

    /// No model answered: the user hears of it. Only the owner reads which setting to mend.
    async fn no_reply(&mut self, error: &ModelError) -> Result<(), Gone> {
        tracing::warn!(%error, "the model did not answer");
        let channel = self.work.channel.as_ref();
        // Who sits at the machine can mend its settings.
        let is_local = channel.is_none_or(|channel| channel.platform == clifford_channel::Platform::Terminal.as_str());
        let is_owner = is_local || self.work.user.as_ref().is_some_and(|user| user.role == UserRole::Owner);
        let private = channel.is_none_or(crate::store::channels::Channel::is_private);
        let sentence = match error {
            ModelError::Unauthorised { .. } if is_owner && private => format!("{} ({error})", sentences::MODEL_DOWN),
            ModelError::Refused { .. } => sentences::MODEL_REFUSED.to_owned(),
            _ => sentences::MODEL_DOWN.to_owned(),
        };
        let decision = endings::give_up(&self.state, EndingKind::Model, &sentence, &error.to_string());
        self.carry_out(decision).await?;
        Ok(())
    }

    /// Makes a tool call that was recorded. One that may have been made before a crash is made again only if
    /// that changes nothing.
    ///
    /// # Errors
    /// The store's; the run was cancelled.
    pub async fn call(&mut self, call: ToolCall) -> Result<(), Gone> {
        crash::reach(Point::ToolCallRecorded);
        let interrupted = std::mem::take(&mut self.interrupted);
        let began = Instant::now();
        let outcome = if interrupted && !self.engine.tools.may_repeat(&call.name) {
            ToolOutcome::Failure {
                error: "interrupted; it may or may not have taken effect".to_owned(),
                retries: 1,
                expose: false,
            }
        } else {
            tokio::select! {
                outcome = self.engine.tools.call(self.tool_context(&call), &call) => masked(&self.engine.masker, outcome),
                () = self.cancelled.cancelled() => return Err(Gone::Cancelled),
            }
        };
        crash::reach(Point::ToolCalled);
        let label = if matches!(outcome, ToolOutcome::Success { .. }) {
            "success"
        } else {
            "failure"
        };
        metrics::counter!("clifford_tool_calls_total", "tool" => call.name.clone(), "outcome" => label).increment(1);
        let reads = self
            .engine
            .tools
            .command(&call.name)
            .is_none_or(|command| command.class == Class::Read);
        let result = ToolResult {
            name: call.name,
            outcome,
            duration_ms: millis(began.elapsed()),
        };
        self.push(StepKind::ToolResult(result));
        // What was only read is read again after a crash; anything else is recorded at once.
        if reads {
            Ok(())
        } else {
            self.commit(Effects::default()).await
        }
    }

    fn tool_context(&self, call: &ToolCall) -> ToolContext {
        let channel = self.work.channel.as_ref();
        ToolContext {
            db: self.engine.db.clone(),
            clock: Arc::clone(&self.engine.clock),
            registry: Arc::clone(&self.engine.tools),
            user: self.work.run.user_id,
            context: self.work.run.context_id,
            place: channel.map(|channel| (channel.id, channel.space_id)),
            defaults: self.engine.settings.memory.defaults,
            viewer: recall::viewer(self.work.run.user_id, channel),
            allowed: self.state.allowed_tools.clone(),
            root_run: self.work.run.root_run_id,
            scope: Scope::of(self.work.run.user_id, channel),
            idempotency_key: call.idempotency_key.clone(),
        }
    }

    /// Carries a decision out: its steps, messages, subagents and status in one commit.
    ///
    /// # Errors
    /// The store's.
    pub async fn carry_out(&mut self, decision: Decision) -> Result<Onward, Gone> {
        let mut effects = effects(&self.state, decision, RunId::new);
        for step in std::mem::take(&mut effects.steps) {
            self.push(step);
        }
        let at_rest = !matches!(effects.then, After::Continue | After::Call(_));
        self.commit(effects).await?;
        Ok(if at_rest { Onward::AtRest } else { Onward::GoesOn })
    }

    async fn commit(&mut self, effects: Effects) -> Result<(), Gone> {
        self.commit_with(effects, None).await
    }

    async fn commit_with(&mut self, effects: Effects, takes_in: Option<TakesIn>) -> Result<(), Gone> {
        let now = self.engine.clock.now();
        let steps = std::mem::take(&mut self.uncommitted);
        let mut last_seq = steps.last().map(|step| step.seq);
        let progress = self.progress(&steps);
        let to = self.work.reply_to();
        let metadata = match effects.says.is_empty() {
            true => None,
            false => self.metadata().await?,
        };
        // The steps that say them are applied already.
        let said_before = self.state.sent.len().saturating_sub(effects.says.len());
        let (outbound, tickets): (Vec<_>, Vec<_>) = (said_before..)
            .zip(&effects.says)
            .filter_map(|(number, text)| {
                let run = self.work.run.id;
                let (mut message, ticket) = (self.engine.outbound).run_message(to.clone()?, run, number, text, now);
                message.metadata.clone_from(&metadata);
                Some((message, ticket))
            })
            .unzip();
        let status = match &effects.then {
            After::Continue | After::Call(_) => None,
            After::Sleep(_) | After::AwaitChildren(_) => Some(RunStatus::Waiting),
            After::End { status, .. } => Some(*status),
        };
        let waits_for_children = matches!(effects.then, After::AwaitChildren(_));
        let is_child_end = self.work.run.parent_run_id.is_some() && status.is_some_and(RunStatus::is_ended);
        let commit = Commit {
            lease: self.work.lease,
            run: self.work.run.clone(),
            steps,
            takes_in,
            messages: outbound,
            children: effects.children,
            then: effects.then,
            time_zone: self.engine.rules.time_zone.clone(),
            has_trigger: self.state.has_trigger,
            has_children: !self.state.children.is_empty(),
            max_turns: self.engine.settings.memory.max_turns,
            lease_for: self.engine.settings.lease,
            now,
        };
        let kept = commit.steps.clone();
        let written = self.engine.db.write(move |tx| Box::pin(commit.write(tx))).await;
        let consequences = match written {
            Ok(consequences) => consequences,
            Err(error) => {
                self.uncommitted = kept;
                return Err(error.into());
            }
        };
        for (step, address) in consequences.taken_in {
            self.state.apply(&step);
            last_seq = Some(step.seq);
            self.taken_in.extend(address);
        }
        if !tickets.iter().all(Option::is_none) {
            crash::reach(Point::MessageRecorded);
        }
        if is_child_end {
            crash::reach(Point::ChildEnded);
        }
        if consequences.job_to_do {
            self.engine.jobs_bell.notify_one();
        }
        if let Some((run, lease)) = consequences.follow_up {
            tracing::debug!(run = %run.id, "a run for what arrived meanwhile");
            self.engine.start_held(lease);
        }
        if let Some(to) = &to {
            for signal in progress {
                self.engine.delivery.signal(to, signal);
            }
            for ticket in tickets.into_iter().flatten() {
                self.engine.delivery.deliver(ticket);
            }
            // Who waits for subagents is still at work, as its chat sees it.
            if status.is_some() && !waits_for_children {
                self.engine.delivery.done(to, self.work.run.id, self.work.lease.epoch);
                self.settle_taken_in(to);
            }
        }
        if let Some(seq) = last_seq {
            self.engine.events.tell(self.work.run.id, RunEvent::Step(seq));
        }
        if let Some(status) = status {
            self.engine.events.tell(self.work.run.id, RunEvent::Status(status));
            metrics::counter!("clifford_runs_total", "status" => status.as_str()).increment(1);
        }
        if consequences.work_to_claim || status == Some(RunStatus::Waiting) {
            self.engine.bell.notify_one();
        }
        Ok(())
    }
}

/// What a tool returns may hold a configured secret: the model never sees it.
fn masked(masker: &clifford_vault::Masker, outcome: ToolOutcome) -> ToolOutcome {
    match outcome {
        ToolOutcome::Success { result } => {
            let text = result.to_string();
            let masked = masker.mask(&text);
            ToolOutcome::Success {
                result: serde_json::from_str(&masked).unwrap_or(result),
            }
        }
        ToolOutcome::Failure { error, retries, expose } => ToolOutcome::Failure {
            error: masker.mask(&error).into_owned(),
            retries,
            expose,
        },
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
