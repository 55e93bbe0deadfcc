//! The questions of a rerun: to the model, and to the rules about a call. They write nothing of the run.
//!
//! A session that retraces is never committed: it has an epoch that no claim has, so the database would refuse it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use clifford_core::{
    budget::Settlement,
    models::Role,
    policy::{
        PolicyOutcome, Verdict,
        trace::{self, Traced},
    },
    prompt::{fit, room::Window},
    run::{
        approval,
        decision::Decision,
        failing,
        state::RunState,
        step::{LlmResponse, StepKind, ToolCall, ToolResult},
    },
};
use clifford_llm_api::{
    meter::{Lost, Meter},
    model::{Completion, ModelError},
};
use clifford_store::{people::keys::EncryptedKey, usage::Call};
use tokio_util::sync::CancellationToken;

use super::{
    Gone, Session,
    thinking::{SHORTENED, hash, is_too_many_bytes},
};
use crate::{
    Context,
    budget::{
        charge,
        reserve::{self, Claim, ReserveOutcome, Telling},
    },
    models::{Own, byok, roles::NoReply},
    run::{Starter, prompt::Prompt},
    work::Work,
};

/// The model that a rerun asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::run) enum Asks {
    /// The one that the run would ask now.
    TheRuns,
    /// The usual one.
    Usual,
    /// Another, by the name of the choice.
    Named(String),
}

/// The terms of a rerun: its requester, and the models that it asks.
#[derive(Debug)]
pub(in crate::run) struct Terms {
    /// The model.
    pub(in crate::run) asks: Asks,
    /// The claim of its reservations, and who is charged.
    pub(in crate::run) claim: Claim,
    /// Their own keys for model providers.
    pub(in crate::run) keys: Vec<EncryptedKey>,
}

/// The outcome of a question to the model.
pub(in crate::run) enum Answer {
    /// It replied.
    Replied(Box<(StepKind, LlmResponse)>),
    /// It was not asked: the run ends.
    Ends(Box<Decision>),
    /// It was not asked, or did not reply.
    Stopped(String),
}

impl<'a> Session<'a> {
    /// Takes a run up to tell it again.
    pub(in crate::run) fn again(
        cx: &'a Arc<Context>,
        starter: &'a dyn Starter,
        work: Work,
        cancelled: &'a CancellationToken,
    ) -> Self {
        Self {
            is_again: true,
            ..Self::open(cx, starter, work, cancelled)
        }
    }

    /// Goes on from this state.
    pub(in crate::run) fn take_up(&mut self, state: RunState, results: &[&ToolResult]) {
        self.state = state;
        results.iter().for_each(|result| self.learn_own(result));
    }

    /// The steps that were taken along with an answer: what the prompt holds from outside.
    pub(in crate::run) fn take_steps(&mut self) -> Vec<StepKind> {
        std::mem::take(&mut self.uncommitted)
            .into_iter()
            .map(|step| step.kind)
            .collect()
    }

    /// The decision under the rules as they are now. Limits count nothing, and nobody is asked. `is_known`: the call
    /// stands in the journal, so it needs no tool.
    pub(in crate::run) async fn judged_again(&mut self, decision: Decision, is_known: bool) -> Result<Decision, Gone> {
        let (before, call) = match decision {
            Decision::CallTool { before, call } => (before, call),
            Decision::Spawn { .. } => return self.spawnable(decision).await,
            other => return Ok(other),
        };
        self.tool_is_known(&call).await?;
        let Some(verdict) = self.verdict(&call).await? else {
            return match is_known {
                true => Ok(Decision::CallTool { before, call }),
                false => self.not_made(before, call).await,
            };
        };
        let decision = approval::under(
            &verdict,
            before,
            call.clone(),
            &self.cx.settings.rules,
            self.cx.clock.now(),
        );
        Ok(match self.cx.tools.registry.command(&call.name) {
            Some(command) => approval::traced(decision, &self.request(&call, &command.schema)),
            None => decision,
        })
    }

    /// The present verdict of the rules on a call in this state, and the origins of its arguments; `None`: it cannot be
    /// made here.
    pub(in crate::run) async fn verdict_again(
        &mut self,
        call: &ToolCall,
    ) -> Result<Option<(Verdict, Vec<Traced>)>, Gone> {
        let Some(verdict) = self.verdict(call).await? else {
            return Ok(None);
        };
        let command = self.cx.tools.registry.command(&call.name);
        let traced = command.map(|command| trace::origins(&self.request(call, &command.schema)));
        Ok(Some((verdict, traced.unwrap_or_default())))
    }

    /// The decision on a call that was approved in the recorded run.
    pub(in crate::run) async fn approved_again(&mut self, call: ToolCall) -> Result<Decision, Gone> {
        self.tool_is_known(&call).await?;
        let before = Vec::new();
        Ok(match self.verdict(&call).await? {
            Some(verdict) if verdict.outcome == PolicyOutcome::Deny => approval::refused(before, call, verdict.reason),
            Some(_) | None => Decision::CallTool { before, call },
        })
    }

    /// Puts the prompt together, and asks the model; `given`: takes this reply instead.
    pub(in crate::run) async fn ask_again(&mut self, terms: &Terms, given: Option<String>) -> Result<Answer, Gone> {
        self.frame().await?;
        match &terms.asks {
            Asks::TheRuns => {}
            Asks::Usual => self.chosen.model = None,
            Asks::Named(name) => self.chosen.model = Some(name.clone()),
        }
        // A model that is named is the executor of its choice, whatever the run's own role is.
        let role = match &terms.asks {
            Asks::TheRuns => Role::of_run(&self.work.run),
            Asks::Usual | Asks::Named(_) => Role::Executor,
        };
        let own = match byok::model(self.models(), &self.cx.encryption, &terms.keys, role) {
            Ok(own) => own,
            Err(fault) => return Ok(Answer::Stopped(fault.to_string())),
        };
        let mut reserved = None;
        let answer = self.ask_with(terms, role, own.as_ref(), given, &mut reserved).await;
        // A reservation is left where no reply was charged.
        if let Some(settlement) = reserved {
            reserve::release(self.cx, settlement).await?;
        }
        answer
    }

    async fn ask_with(
        &mut self,
        terms: &Terms,
        role: Role,
        own: Option<&Own>,
        given: Option<String>,
        reserved: &mut Option<Settlement>,
    ) -> Result<Answer, Gone> {
        let mut window = Window {
            tokens: self.models().window(role, own),
            reply: self.models().reply_limit(role),
        };
        let mut shortened = 0;
        loop {
            let mut prompt = match self.prompt_within(role, own, window) {
                Ok(prompt) => prompt,
                Err(decision) => return Ok(Answer::Ends(decision)),
            };
            if let Some(text) = given {
                let request = self.requested(&prompt, hash(&prompt.request.messages));
                let response = LlmResponse {
                    text,
                    ..LlmResponse::default()
                };
                return Ok(Answer::Replied(Box::new((request, response))));
            }
            if own.is_none() && reserved.is_none() {
                match self.reserve_again(terms, role, &prompt).await? {
                    ReserveOutcome::Reserved(settlement) => *reserved = settlement,
                    ReserveOutcome::Refused(refusal) => return Ok(Answer::Stopped(refusal.error)),
                }
            }
            let began = Instant::now();
            let (reply, lost) = self.send_again(terms, role, own, &mut prompt, reserved).await?;
            if self.is_unseen(&reply) || self.is_of_past(&reply) {
                self.frame().await?;
                continue;
            }
            match reply {
                Ok(completion) => {
                    let request = self.requested(&prompt, hash(&prompt.request.messages));
                    let response = self.replied(role, own, completion, lost, began);
                    let call = of(terms, role);
                    charge::charge(self.cx, call, response.clone(), reserved.take()).await?;
                    return Ok(Answer::Replied(Box::new((request, response))));
                }
                Err(refused) => match self.shorter(role, own, &prompt, &refused, window, shortened) {
                    Some(shorter) => {
                        window.tokens = shorter;
                        shortened += 1;
                    }
                    None => return Ok(Answer::Stopped(error_text(&refused.error))),
                },
            }
        }
    }

    /// The prompt within its window, and the money that is left for its call.
    fn prompt_within(&mut self, role: Role, own: Option<&Own>, window: Window) -> Result<Prompt, Box<Decision>> {
        let ends = |decision| Err(Box::new(decision));
        let Some(frame) = &mut self.frame else {
            return ends(Decision::Record(Vec::new()));
        };
        let mut prompt = frame.prompt(&self.state.transcript, window);
        if let Some(decision) = self.beyond(&prompt) {
            return ends(decision);
        }
        if let Some(decision) = self.hold_to_money(&mut prompt, role, own) {
            return ends(decision);
        }
        let tokens = prompt.tokens();
        let room = prompt.room.window - prompt.room.reply;
        fit::leave_room(&mut prompt.request, window, tokens.min(room));
        Ok(prompt)
    }

    async fn reserve_again(&self, terms: &Terms, role: Role, prompt: &Prompt) -> Result<ReserveOutcome, Gone> {
        let worst = (self.models()).worst_case(role, prompt.tokens(), prompt.request.max_tokens);
        tokio::select! {
            outcome = reserve::reserve(self.cx, &terms.claim, worst, Telling::Nobody) => Ok(outcome?),
            () = self.cancelled.cancelled() => Err(Gone::Cancelled),
        }
    }

    /// Sends a request; the reply, and the attempts before it that were lost. A request without a reply is charged.
    async fn send_again(
        &self,
        terms: &Terms,
        role: Role,
        own: Option<&Own>,
        prompt: &mut Prompt,
        reserved: &mut Option<Settlement>,
    ) -> Result<(Result<Completion, NoReply>, Vec<Lost>), Gone> {
        let left = (self.rules.engine.max_run_time).saturating_sub(Duration::from_millis(self.state.worked_ms));
        let tokens = prompt.tokens();
        let request = &mut prompt.request;
        request.deadline = Some((tokio::time::Instant::now() + left).into_std());
        let mut unwatched = ();
        let mut meter = Meter::new(&mut unwatched, tokens);
        let reply = tokio::select! {
            reply = self.models().ask(role, own, request, &mut meter) => Some(reply),
            () = self.cancelled.cancelled() => None,
        };
        let is_broken_off = match &reply {
            Some(Ok(_)) => {
                let lost = meter.lost(true);
                return reply.map(|reply| (reply, lost)).ok_or(Gone::Cancelled);
            }
            Some(Err(no_reply)) => no_reply.timed_out,
            None => true,
        };
        let lost = meter.lost(false);
        if let Some(response) = charge::without_reply(self.models(), role, tokens, own, lost, is_broken_off) {
            charge::charge(self.cx, of(terms, role), response, reserved.take()).await?;
        }
        reply.map(|reply| (reply, Vec::new())).ok_or(Gone::Cancelled)
    }

    /// The window for the next try of a prompt that was refused as too long; `None`: there is none.
    fn shorter(
        &mut self,
        role: Role,
        own: Option<&Own>,
        prompt: &Prompt,
        refused: &NoReply,
        window: Window,
        shortened: u32,
    ) -> Option<u64> {
        if refused.timed_out || shortened >= SHORTENED {
            return None;
        }
        if !prompt.request.images.is_empty()
            && is_too_many_bytes(&Err(refused.clone()))
            && let Some(frame) = &mut self.frame
        {
            frame.images.clear();
            return Some(window.tokens);
        }
        let ModelError::TooLong { window: told, .. } = &refused.error else {
            return None;
        };
        let learned = self.models().window(role, own);
        let known = told.map_or(learned, |told| told.min(learned));
        fit::shorter(window.tokens, prompt.tokens() + prompt.room.reply, known, shortened)
    }
}

/// The call of a rerun, as it is charged: it belongs to no run, and to who asks for it.
const fn of(terms: &Terms, role: Role) -> Call {
    Call {
        run: None,
        seq: None,
        user: terms.claim.user,
        channel: None,
        role,
    }
}

/// Why there is no reply, for who asks for a rerun. Which setting to mend is the owner's business.
fn error_text(error: &ModelError) -> String {
    let remedy = failing::remedy(error);
    tracing::warn!(error = error.class(), remedy = &*remedy, "model call of a rerun failed");
    format!("the model did not answer ({})", error.class())
}
