//! Before a model call: may it still be paid for? What becomes of a run that may not go on.

use clifford_channel::Platform;
use clifford_llm::Request;

use super::{Gone, Session};
use crate::{
    budget::{self, Claim, Outcome, Refusal, Telling},
    engine::{endings, step::EndingKind},
    roles::Role,
    store::budgets,
};

impl Session<'_> {
    /// Reserves what the next call may cost at most, where there are budgets. `false`: one is spent, and the run has
    /// ended.
    pub(super) async fn reserve(&mut self, role: Role, request: &Request, prompt_tokens: u64) -> Result<bool, Gone> {
        if self.engine.settings.budgets.is_empty() {
            return Ok(true);
        }
        let claim = Claim {
            holder: self.work.run.id.to_string(),
            epoch: self.work.lease.epoch,
            user: self.work.run.user_id,
            space: self.work.channel.as_ref().and_then(|channel| channel.space_id),
        };
        let worst = self.engine.roles.worst_case(role, prompt_tokens, request.max_tokens);
        let telling = match self.work.reply_to() {
            Some(_) => Telling::Person,
            None => Telling::Nobody,
        };
        let outcome = tokio::select! {
            outcome = budget::reserve(self.engine, &claim, worst, telling) => outcome?,
            () = self.cancelled.cancelled() => return Err(Gone::Cancelled),
        };
        match outcome {
            Outcome::Reserved(settlement) => {
                self.settlement = settlement;
                Ok(true)
            }
            Outcome::Refused(refusal) => {
                self.refuse(&refusal).await?;
                Ok(false)
            }
        }
    }

    /// A call that nobody waits for any more has cost its prompt, as far as can be told.
    pub(super) async fn charge_abandoned(&mut self, role: Role, prompt_tokens: u64) {
        let Some(settlement) = self.settlement.take() else {
            return;
        };
        let cost = self.engine.roles.worst_case(role, prompt_tokens, Some(0));
        let settled = (self.engine.db)
            .write(move |tx| Box::pin(async move { budgets::settle(tx, &settlement, cost).await }))
            .await;
        match settled {
            Ok(()) => self.engine.budget_bell.notify_one(),
            Err(error) => tracing::warn!(%error, "a call that was broken off could not be charged"),
        }
    }

    /// A run that has not begun is refused: its person hears of that once a period, unless they wait for an answer to
    /// this very request. One at work ends with what it has.
    async fn refuse(&mut self, refusal: &Refusal) -> Result<(), Gone> {
        let has_begun = self.state.iterations > 0;
        let platform = self.work.channel.as_ref().and_then(|channel| channel.platform().ok());
        let waits = !matches!(platform, Some(Platform::Telegram | Platform::Discord));
        let decision = if has_begun {
            endings::out_of_budget(&self.state, &refusal.sentence, refusal.error.clone())
        } else if refusal.was_told && !waits {
            endings::give_up(&self.state, EndingKind::Budget, "", &refusal.error)
        } else {
            endings::give_up(&self.state, EndingKind::Budget, &refusal.sentence, &refusal.error)
        };
        self.carry_out(decision).await?;
        Ok(())
    }
}
