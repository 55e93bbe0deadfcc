//! One tool call of a run: its person, its check and its result.

use std::{collections::BTreeSet, sync::Arc, time::Instant};

use clifford_content::memory::recall;
use clifford_core::{
    policy::{class::Class, labels::Readers, trace},
    run::{
        approval,
        effects::Effects,
        step::{StepKind, ToolCall, ToolOutcome, ToolResult},
    },
    search::Scope,
};
use clifford_telemetry::{
    failpoint::{self as crash, Point, Way},
    measures, spans,
};
use clifford_tools::{Called, Options, ToolContext};
use clifford_vault::Masker;
use serde_json::Value;
use tracing::{Instrument, Span};

use super::{Gone, Onward, Session, millis};
use crate::run::{
    isolation::RunInIsolation,
    prompt::Frame,
    tool_payer::{PaymentContext, ToolPayer},
};

impl Session<'_> {
    /// Makes a tool call that was recorded. One that may have been made before a crash is made again only if
    /// that changes nothing.
    ///
    /// # Errors
    /// The database fails, or the run was cancelled.
    pub async fn call(&mut self, call: ToolCall) -> Result<Onward, Gone> {
        crash::reach(Point::ToolCallRecorded);
        crash::strike(Way::Call, || serde_json::to_string(&call.args).unwrap_or_default());
        let interrupted = std::mem::take(&mut self.interrupted);
        if interrupted {
            // Whether it may be made again its tool says, which may still be on its way after a start.
            self.tool_is_known(&call).await?;
        }
        let span = spans::tool_call(&call.name);
        let began = Instant::now();
        let payer = self.payer();
        let Called {
            mut outcome,
            origins,
            private,
            undo,
        } = match interrupted && !self.cx.tools.registry.may_repeat(&call.name) {
            true => interrupted_call(),
            false => self.called(&call, &payer, &span).await?,
        };
        crash::reach(Point::ToolCalled);
        // A private result enters the run only with its person's word: what the run does not know it cannot reveal.
        if private && self.is_shared() && !self.state.may_share(&call) {
            if self.cx.tools.registry.may_repeat(&call.name) {
                let decision = approval::held_back(call, &self.cx.settings.rules, self.cx.clock.now());
                return self.carry_out(decision).await;
            }
            if matches!(outcome, ToolOutcome::Success { .. }) {
                outcome = ToolOutcome::Success {
                    result: "done; what it returned is private, and is not shown where others read along".into(),
                };
            }
        }
        let command = self.cx.tools.registry.command(&call.name);
        // A tool that is gone by now may have had any name.
        let name = command.as_ref().map_or("unknown", |_| call.name.as_str());
        measured(name, &outcome, &span, began);
        let reads = command.as_ref().is_none_or(|command| command.class == Class::Read);
        let is_sensitive = command
            .as_ref()
            .is_some_and(|command| command.class == Class::Sensitive);
        let readers = is_sensitive.then_some(Readers::Nobody);
        let is_receipt = command.zip(returned(&outcome)).is_some_and(|(command, result)| {
            command.class == Class::Write && trace::is_receipt(&self.request(&call, &command.schema), result)
        });
        let heard = self.heard(&call, &outcome).await?;
        let result = ToolResult {
            name: call.name,
            outcome,
            origins: if is_receipt { BTreeSet::new() } else { origins },
            duration_ms: millis(began.elapsed()),
            spent: payer.spent(),
            undo,
            readers,
        };
        self.learn_own(&result);
        self.push(StepKind::ToolResult(result));
        if heard.is_some() {
            self.heard = heard;
            self.commit(Effects::default()).await?;
            // Its words are what is asked now.
            return Err(Gone::Reworded);
        }
        // A read is repeated after a crash, but for what the run called by itself; any other result is recorded at once.
        if reads && self.state.iterations > 0 {
            // Its commit comes after the next reply, which may show as it grows.
            let steps = std::mem::take(&mut self.uncommitted);
            self.show_progress(&steps);
            self.uncommitted = steps;
        } else {
            self.commit(Effects::default()).await?;
        }
        Ok(Onward::GoesOn)
    }

    /// Makes a call, for as long as its run is not cancelled.
    async fn called(&mut self, call: &ToolCall, payer: &Arc<ToolPayer>, span: &Span) -> Result<Called, Gone> {
        let options = self.options().await?;
        let context = self.tool_context(call, options, Arc::clone(payer));
        let called = self.cx.tools.registry.call(context, call);
        let called = tokio::select! {
            called = called.instrument(span.clone()) => Some(called),
            () = self.cancelled.cancelled() => None,
        };
        // The purchase that was under way when it was cancelled or its time was over.
        payer.charge_broken_off().await;
        let called = called.ok_or(Gone::Cancelled)?;
        // Others may have begun while it was made.
        self.cx.enter_isolation(self.work.lease).await;
        Ok(masked(&self.cx.masker, called))
    }

    /// Pays for what a tool asks models, as this run.
    pub(super) fn payer(&self) -> Arc<ToolPayer> {
        let whose = PaymentContext {
            run: Some(self.work.run.id),
            claim: self.claim(),
            channel: self.work.run.channel_id,
        };
        ToolPayer::new(Arc::clone(self.cx), whose)
    }

    fn tool_context(&self, call: &ToolCall, options: Arc<Options>, payer: Arc<ToolPayer>) -> ToolContext {
        let (run, channel) = (&self.work.run, self.work.channel.as_ref());
        ToolContext {
            time_zone: self.rules.engine.time_zone.clone(),
            user: run.user_id,
            context: run.context_id,
            place: channel.map(|channel| (channel.id, channel.space_id)),
            address: run.address().cloned(),
            viewer: recall::viewer(run.user_id, channel),
            allowed: self.state.allowed_tools.clone(),
            root_run: run.root_run_id,
            isolation: RunInIsolation::of(self.cx, self.work.lease),
            scope: Scope::of(run.user_id, channel),
            idempotency_key: call.idempotency_key.clone(),
            is_tainted: self.state.is_tainted(),
            readable: self.frame.as_ref().map_or(usize::MAX, Frame::readable),
            ..self.cx.tool_context((run.agent_id, run.id), options, payer)
        }
    }
}

/// The outcome of a call that was under way when its process died, and is not made again.
fn interrupted_call() -> Called {
    ToolOutcome::Failure {
        error: "interrupted; it may or may not have taken effect".to_owned(),
        retries: 1,
        expose: false,
        refused: None,
    }
    .into()
}

/// Counts a call that came to its end.
fn measured(name: &str, outcome: &ToolOutcome, span: &Span, began: Instant) {
    let is_success = matches!(outcome, ToolOutcome::Success { .. });
    let label = if is_success { "success" } else { "failure" };
    spans::ended(span, label, is_success);
    measures::tool_called(name, label, began.elapsed());
}

/// The result of a call that succeeded.
const fn returned(outcome: &ToolOutcome) -> Option<&Value> {
    match outcome {
        ToolOutcome::Success { result } => Some(result),
        ToolOutcome::Failure { .. } => None,
    }
}

/// A tool's result may hold a configured secret: the model never sees it.
fn masked(masker: &Masker, called: Called) -> Called {
    let outcome = match called.outcome {
        ToolOutcome::Success { result } => ToolOutcome::Success {
            result: masker.mask_json(result),
        },
        ToolOutcome::Failure {
            error,
            retries,
            expose,
            refused,
        } => ToolOutcome::Failure {
            error: masker.mask(&error).into_owned(),
            retries,
            expose,
            refused,
        },
    };
    let origins = called.origins.iter().map(|origin| masker.mask(origin).into_owned());
    Called {
        outcome,
        origins: origins.collect::<BTreeSet<_>>(),
        private: called.private,
        undo: called.undo,
    }
}
