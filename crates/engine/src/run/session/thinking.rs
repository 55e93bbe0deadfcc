//! One model call of a run: the request, the reply and the cost.

use std::{
    io,
    time::{Duration, Instant},
};

use clifford_content::memory::recall::Recalled;
use clifford_core::{
    models::Role,
    people::UserRole,
    places::Channel,
    prompt::{fit, room::Window},
    run::{
        decision::Decision,
        effects::Effects,
        endings,
        failing::{self, Reader},
        sentences,
        step::{EndingKind, Event, LlmResponse, StepKind},
    },
};
use clifford_llm_api::{
    meter::{Lost, Meter},
    model::{Completion, Message, ModelError},
};
use clifford_telemetry::failpoint::{self as crash, Point, Way};
use sha2::{Digest, Sha256};

use super::{Gone, Session, millis};
use crate::{
    budget::charge,
    models::{
        Own, byok,
        roles::{NoReply, Payer},
    },
    run::{draft::Draft, prompt::Prompt},
};

/// The prompt, and the model's reply.
struct Exchange {
    prompt: Prompt,
    prompt_hash: String,
    began: Instant,
    draft: Draft,
    reply: Result<Completion, NoReply>,
    /// The attempts that gave no reply.
    lost: Vec<Lost>,
}

/// How often a prompt is made shorter that its model refuses as too long.
pub(super) const SHORTENED: u32 = 4;
/// The shortest reply that a call is worth making for.
const LEAST_REPLY: u32 = 256;

impl Session<'_> {
    /// Asks the model, and takes its reply. A prompt refused as too long is made shorter and asked again.
    ///
    /// # Errors
    /// The database fails, or the run was cancelled.
    pub async fn think(&mut self, before: Vec<StepKind>) -> Result<(), Gone> {
        self.collect_subagents().await?;
        self.collect_failed_deliveries().await?;
        for step in before {
            self.push(step);
        }
        crash::reach(Point::BeforeModelCall);
        crash::strike(Way::Run, || self.work.run.input_text.clone());
        self.forget_deleted().await?;
        self.frame().await?;
        let role = Role::of_run(&self.work.run);
        let own = match byok::model(self.models(), &self.cx.encryption, &self.keys, role) {
            Ok(own) => own,
            Err(fault) => {
                tracing::warn!(%fault, "failed to use a person's own key");
                let decision = endings::give_up(
                    &self.state,
                    EndingKind::Model,
                    &byok::unusable(&fault),
                    &fault.to_string(),
                );
                self.carry_out(decision).await?;
                return Ok(());
            }
        };
        let Some(asked) = Box::pin(self.ask(role, own.as_ref())).await? else {
            return Ok(());
        };
        self.cx.enter_isolation(self.work.lease).await;
        let Exchange {
            prompt,
            prompt_hash,
            began,
            draft,
            reply,
            lost,
        } = asked;
        let prompt_tokens = prompt.tokens();
        self.push(self.requested(&prompt, prompt_hash));
        let completion = match reply {
            Ok(completion) => completion,
            Err(NoReply { error, timed_out }) => {
                self.charge_without_reply(role, prompt_tokens, own.as_ref(), lost, timed_out)
                    .await;
                if timed_out && failing::is_of_time(&error) {
                    return self.out_of_time(&error).await;
                }
                return self.no_reply(&error, own.as_ref()).await;
            }
        };
        draft.end();
        let response = self.replied(role, own.as_ref(), completion, lost, began);
        self.push(StepKind::Event(Event::LlmResponse(response)));
        if crash::is_armed(Point::ResponseRecorded) {
            self.commit(Effects::default()).await?;
            crash::reach(Point::ResponseRecorded);
        }
        Ok(())
    }

    /// The step of a request.
    pub(super) fn requested(&self, prompt: &Prompt, prompt_hash: String) -> StepKind {
        let messages = &prompt.request.messages;
        StepKind::Event(Event::LlmRequest {
            messages: messages.len(),
            estimated_tokens: prompt.sections.total(),
            sections: prompt.sections,
            prompt_hash,
            prompt: self
                .cx
                .settings
                .engine()
                .record_prompts
                .then(|| serde_json::to_value(self.storable(messages)).unwrap_or_default())
                .map(|prompt| self.cx.masker.mask_json(prompt)),
            prompt_deleted_at: None,
            holds: (self.holds.iter())
                .filter(|held| !self.state.labels.knows(held))
                .cloned()
                .collect(),
        })
    }

    /// A reply with its cost, which is counted.
    pub(super) fn replied(
        &self,
        role: Role,
        own: Option<&Own>,
        completion: Completion,
        lost: Vec<Lost>,
        began: Instant,
    ) -> LlmResponse {
        let payer = if own.is_some() { Payer::Person } else { Payer::Bot };
        let cost = self.models().charge(role, &completion, payer);
        LlmResponse {
            text: completion.text,
            tool_calls: completion.tool_calls,
            usage: completion.usage,
            provider: completion.provider,
            model: completion.model,
            cost,
            duration_ms: millis(began.elapsed()),
            own_key: own.is_some(),
            lost: charge::priced(self.models(), role, own, lost),
            is_cut: completion.is_cut,
        }
    }

    /// Asks with a prompt that fits, and with shorter ones while it is refused as too long. `None`: the run has ended, or
    /// is asked once more without images, or without what was said before.
    async fn ask(&mut self, role: Role, own: Option<&Own>) -> Result<Option<Exchange>, Gone> {
        let mut window = Window {
            tokens: self.models().window(role, own),
            reply: self.models().reply_limit(role),
        };
        let (mut shortened, mut lost) = (0, Vec::new());
        loop {
            let Some(frame) = &mut self.frame else {
                return Err(Gone::Panicked);
            };
            let mut prompt = frame.prompt(&self.state.transcript, window);
            crash::strike(Way::Prompt, || format!("{:?}", prompt.request.messages));
            let tokens = prompt.tokens();
            if !prompt.has_room
                && let Some(larger) = self.models().larger_window(role, own, window.tokens)
            {
                // Another provider holds what the preferred one does not.
                window.tokens = larger;
                continue;
            }
            if let Some(decision) = self.beyond(&prompt) {
                self.end(decision).await?;
                return Ok(None);
            }
            if let Some(decision) = self.hold_to_money(&mut prompt, role, own) {
                self.end(decision).await?;
                return Ok(None);
            }
            let request = &mut prompt.request;
            fit::leave_room(request, window, tokens.min(prompt.room.window - prompt.room.reply));
            // A call that a person pays for by themselves concerns no budget.
            if own.is_none() && self.settlement.is_none() && !self.reserve(role, request, tokens).await? {
                return Ok(None);
            }
            let prompt_hash = hash(&request.messages);
            let began = Instant::now();
            let left = (self.rules.engine.max_run_time).saturating_sub(Duration::from_millis(self.state.worked_ms));
            request.deadline = Some((tokio::time::Instant::now() + left).into_std());
            self.cx.leave_isolation(self.work.lease).await;
            let mut draft = self.draft();
            let mut meter = Meter::new(&mut draft, tokens);
            let reply = tokio::select! {
                reply = self.models().ask(role, own, request, &mut meter) => Some(reply),
                () = self.cancelled.cancelled() => None,
            };
            lost.extend(meter.lost(matches!(reply, Some(Ok(_)))));
            let Some(reply) = reply else {
                self.charge_without_reply(role, tokens, own, lost, true).await;
                return Err(Gone::Cancelled);
            };
            if self.is_unseen(&reply) {
                self.cx.enter_isolation(self.work.lease).await;
                return Ok(None);
            }
            if self.is_of_past(&reply) {
                self.charge_without_reply(role, tokens, own, lost, false).await;
                self.cx.enter_isolation(self.work.lease).await;
                return Ok(None);
            }
            if !prompt.request.images.is_empty()
                && is_too_many_bytes(&reply)
                && let Some(frame) = &mut self.frame
            {
                tracing::info!(run_id = %self.work.run.id, "request too large for the provider, retrying without images");
                // The prompt is put together once more, and says which images are left out.
                frame.images.clear();
                self.cx.enter_isolation(self.work.lease).await;
                continue;
            }
            if let Err(NoReply {
                error: ModelError::TooLong { window: told, .. },
                timed_out: false,
            }) = &reply
                && shortened < SHORTENED
            {
                let learned = self.models().window(role, own);
                let known = told.map_or(learned, |told| told.min(learned));
                let sent = tokens + prompt.room.reply;
                if let Some(shorter) = fit::shorter(window.tokens, sent, known, shortened) {
                    tracing::info!(
                        window = window.tokens,
                        shorter,
                        "prompt too long for the model, retrying with a shorter one"
                    );
                    // The prompt is put together once more.
                    self.cx.enter_isolation(self.work.lease).await;
                    window.tokens = shorter;
                    shortened += 1;
                    continue;
                }
            }
            return Ok(Some(Exchange {
                prompt,
                prompt_hash,
                began,
                draft,
                reply,
                lost,
            }));
        }
    }

    /// Whether the model refused the images that it was shown: the prompt is put together once more without them, and
    /// says so.
    pub(super) fn is_unseen(&mut self, reply: &Result<Completion, NoReply>) -> bool {
        let Err(NoReply {
            error: ModelError::Unseen { is_blind, .. },
            timed_out: false,
        }) = reply
        else {
            return false;
        };
        if self.is_blind {
            return false;
        }
        tracing::info!(is_blind, "images refused by the model, retrying without them");
        self.is_blind = true;
        self.frame = None;
        true
    }

    /// Whether the model declined to answer, and may do so because of what was said or remembered before: the prompt is put
    /// together once more without. Else one message that a filter refuses would silence all that come after it.
    pub(super) fn is_of_past(&mut self, reply: &Result<Completion, NoReply>) -> bool {
        let declined = matches!(
            reply,
            Err(NoReply {
                error: ModelError::Refused { .. },
                timed_out: false,
            })
        );
        let may_be = declined && !self.is_without_past && self.recalled.as_ref().is_some_and(Recalled::has_past);
        if may_be {
            tracing::info!(run_id = %self.work.run.id, "prompt declined by the model, retrying without what was said before");
            self.is_without_past = true;
            self.frame = None;
        }
        may_be
    }

    /// The decision on a run whose next prompt exceeds its tokens, or its model's window; `None`: it is asked.
    pub(super) fn beyond(&self, prompt: &Prompt) -> Option<Decision> {
        let (used, most) = (self.state.tokens, self.rules.most_tokens());
        if used.saturating_add(prompt.tokens()) > most {
            let next = prompt.tokens();
            let error =
                format!("the run used {used} tokens, and its next call needs {next}, of max_run_tokens = {most}");
            return Some(endings::out_of_budget(&self.state, &sentences::BUDGET, error));
        }
        (!prompt.has_room).then(|| {
            let error = format!(
                "a window of {} tokens has no room for what is asked beside the instructions",
                prompt.room.window
            );
            endings::give_up(&self.state, EndingKind::Model, &sentences::MODEL_TOO_SMALL, &error)
        })
    }

    /// Limits the reply to the money for its call: the budgets' reservation, and the rest of the run's own money. The
    /// decision on a run whose next call may cost more than that; `None`: it is made.
    pub(super) fn hold_to_money(&self, prompt: &mut Prompt, role: Role, own: Option<&Own>) -> Option<Decision> {
        let limit = self.rules.engine.max_run_cost;
        let has_budgets = own.is_none() && self.has_budgets();
        if limit.is_none() && !has_budgets {
            return None;
        }
        let (roles, tokens) = (self.models(), prompt.tokens());
        let longest = prompt.request.max_tokens.unwrap_or_else(|| roles.longest_reply(role));
        let affordable = match limit {
            Some(limit) => roles.affordable_reply(role, own, tokens, limit - self.state.cost),
            None => Some(longest),
        };
        let affordable = affordable.filter(|affordable| *affordable >= longest.min(LEAST_REPLY));
        prompt.request.max_tokens = affordable.map(|affordable| longest.min(affordable));
        limit.filter(|_| affordable.is_none()).map(|limit| {
            let cost = self.state.cost;
            let error = format!(
                "the run cost {cost:.4}, and its next call may cost more than is left of max_run_cost = {limit:.4}"
            );
            endings::out_of_budget(&self.state, &sentences::BUDGET, error)
        })
    }

    /// The messages of a prompt as they may be stored.
    fn storable(&self, messages: &[Message]) -> Vec<Message> {
        let frame = self.frame.as_ref();
        frame.map_or_else(|| messages.to_vec(), |frame| frame.storable(messages))
    }

    /// No model answered: the user hears of it. Only the owner reads which setting to mend, and whose own key it was
    /// what became of that.
    async fn no_reply(&mut self, error: &ModelError, own: Option<&Own>) -> Result<(), Gone> {
        tracing::warn!(
            error = error.class(),
            remedy = &*failing::remedy(error),
            "model call failed"
        );
        let reader = self.reader();
        let refused = own.and_then(|own| byok::refused(&own.provider, error, reader.is_private));
        let sentence = refused.unwrap_or_else(|| failing::sentence(error, reader, &self.state.input));
        let decision = endings::give_up(&self.state, EndingKind::Model, &sentence, &error.to_string());
        self.carry_out(decision).await?;
        Ok(())
    }
}

impl Session<'_> {
    /// The run's time was over while the model was still at it.
    async fn out_of_time(&mut self, error: &ModelError) -> Result<(), Gone> {
        let limit = self.rules.engine.max_run_time.as_secs();
        let why = format!("the time of max_run_seconds = {limit} was over while the model was asked: {error}");
        tracing::warn!(
            error = error.class(),
            limit,
            "run time limit reached during a model call"
        );
        let decision = endings::out_of_budget(&self.state, &sentences::TIME, why);
        self.end(decision).await
    }

    /// Ends a run that reached a limit: a reader who can change the limit learns which one it is.
    pub async fn end(&mut self, decision: Decision) -> Result<(), Gone> {
        let decision = failing::told(decision, self.reader());
        self.carry_out(decision).await?;
        Ok(())
    }

    /// The reader of the run's messages.
    fn reader(&self) -> Reader {
        let channel = self.work.channel.as_ref();
        // A person at the machine can change its settings.
        let is_local =
            channel.is_none_or(|channel| channel.platform == clifford_chat::platform::Platform::TERMINAL.as_str());
        Reader {
            is_owner: is_local || self.work.user.as_ref().is_some_and(|user| user.role == UserRole::Owner),
            is_private: channel.is_none_or(Channel::is_private),
        }
    }
}

/// Whether a request was refused for its bytes, of which images have the most.
pub(super) const fn is_too_many_bytes(reply: &Result<Completion, NoReply>) -> bool {
    matches!(
        reply,
        Err(NoReply {
            error: ModelError::TooLong {
                window: None,
                in_bytes: true,
                ..
            },
            timed_out: false,
        })
    )
}

/// SHA-256 of a prompt as JSON, without putting its text together.
pub(super) fn hash(messages: &[Message]) -> String {
    struct Hashing(Sha256);
    impl io::Write for Hashing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut hashing = Hashing(Sha256::new());
    match serde_json::to_writer(&mut hashing, messages) {
        Ok(()) => clifford_vault::hex(&hashing.0.finalize()),
        // Messages are always JSON.
        Err(_) => String::new(),
    }
}
