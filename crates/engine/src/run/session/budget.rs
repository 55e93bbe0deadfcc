//! Checks before a model call whether a budget can pay for it, and ends or continues a run that may not make it.

use clifford_core::{
    budget::Settlement,
    models::Role,
    run::{endings, sentences::Sentence, step::EndingKind},
};
use clifford_llm_api::{meter::Lost, model::Request};
use clifford_store::usage::Call;

use super::{Gone, Session};
use crate::{
    budget::reserve::{Claim, Refusal, ReserveOutcome, Telling},
    models::Own,
    run::unpaid::Unpaid,
};

impl Session<'_> {
    /// Reserves what the next call may cost at most, where there are budgets. `false`: one is spent, and the run has
    /// ended.
    pub(super) async fn reserve(&mut self, role: Role, request: &Request, prompt_tokens: u64) -> Result<bool, Gone> {
        if !self.has_budgets() {
            return Ok(true);
        }
        let claim = self.claim();
        let worst = self.models().worst_case(role, prompt_tokens, request.max_tokens);
        let telling = match self.work.reply_to() {
            Some(_) => Telling::Person,
            None => Telling::Nobody,
        };
        let outcome = tokio::select! {
            outcome = crate::budget::reserve::reserve(self.cx, &claim, worst, telling) => outcome?,
            () = self.cancelled.cancelled() => {
                // It may have been reserved at the same moment.
                self.settlement = Some(Settlement {
                    holder: claim.holder,
                    epoch: claim.epoch,
                    charged: Vec::new(),
                });
                return Err(Gone::Cancelled);
            }
        };
        match outcome {
            ReserveOutcome::Reserved(settlement) => {
                self.settlement = settlement;
                Ok(true)
            }
            ReserveOutcome::Refused(refusal) => {
                self.refuse(&refusal).await?;
                Ok(false)
            }
        }
    }

    /// Whether the owner or the managers of the place set a budget.
    pub(super) fn has_budgets(&self) -> bool {
        !self.cx.settings.budgets.is_empty() || !self.chosen.words.budgets.is_empty()
    }

    /// The claim of this run's reservations.
    pub(super) fn claim(&self) -> Claim {
        Claim {
            holder: self.work.run.id.to_string(),
            epoch: self.work.lease.epoch,
            user: self.work.run.user_id,
            platform_roles: (self.work.run.platform_roles.clone()).map_or_else(Vec::new, |roles| roles.0),
            space: self.work.channel.as_ref().and_then(|channel| channel.space_id),
            budgets: self.chosen.words.budgets.clone(),
        }
    }

    /// Charges for a call without a reply: for the attempts that were lost, or for its prompt where it is broken off.
    /// `own`: by a key of the person's.
    pub(super) async fn charge_without_reply(
        &mut self,
        role: Role,
        prompt_tokens: u64,
        own: Option<&Own>,
        lost: Vec<Lost>,
        is_broken_off: bool,
    ) {
        let models = self.models();
        let charged = crate::budget::charge::without_reply(models, role, prompt_tokens, own, lost, is_broken_off);
        let Some(response) = charged else {
            return;
        };
        let (settlement, call) = (self.settlement.take(), self.unrecorded(role));
        if let Err(error) = crate::budget::charge::charge_to_run(self.cx, call, response, settlement).await {
            tracing::warn!(run_id = %self.work.run.id, %error, "failed to charge a model call without a reply");
        }
    }

    /// The costs that no commit of this session records.
    pub(in crate::run) fn unpaid(&mut self) -> Unpaid {
        let steps = std::mem::take(&mut self.uncommitted);
        let call = self.unrecorded(Role::of_run(&self.work.run));
        Unpaid::of(steps, call, self.settlement.take())
    }

    /// A call whose reply is no step.
    fn unrecorded(&self, role: Role) -> Call {
        Call {
            run: Some(self.work.run.id),
            seq: None,
            user: self.work.run.user_id,
            channel: self.work.run.channel_id,
            role,
        }
    }

    /// Refuses a run that has not begun, and tells the person who asked; a run begun by a trigger says it once a
    /// period. A run at work ends with the output it has.
    async fn refuse(&mut self, refusal: &Refusal) -> Result<(), Gone> {
        let has_begun = self.state.iterations > 0;
        let input = self.work.run.input_json.as_ref().map(|json| &json.0);
        let was_asked = input.is_none_or(|input| input.get("trigger").is_none());
        let decision = if has_begun {
            endings::out_of_budget(&self.state, &refusal.sentence, refusal.error.clone())
        } else if refusal.was_told && !was_asked {
            endings::give_up(&self.state, EndingKind::Budget, &Sentence::SILENT, &refusal.error)
        } else {
            endings::give_up(&self.state, EndingKind::Budget, &refusal.sentence, &refusal.error)
        };
        self.carry_out(decision).await?;
        Ok(())
    }
}
