//! Replies that no commit has recorded: they were paid for, even if their run ended.

use clifford_core::{
    budget::Settlement,
    run::step::{Event, LlmResponse, Step, StepKind},
};
use clifford_store::usage::Call;

use crate::Context;

/// The replies of a released session.
#[derive(Debug, Default)]
pub(super) struct Unpaid {
    replies: Vec<(Step, Call)>,
    settlement: Option<Settlement>,
}

impl Unpaid {
    /// The replies among steps that are not committed, and what was reserved for the last of them.
    pub(crate) fn of(steps: Vec<Step>, call: Call, settlement: Option<Settlement>) -> Self {
        let is_reply = |step: &Step| matches!(step.kind, StepKind::Event(Event::LlmResponse(_)));
        Self {
            replies: (steps.into_iter().filter(is_reply)).map(|step| (step, call)).collect(),
            settlement,
        }
    }

    /// There is nothing.
    pub const fn is_empty(&self) -> bool {
        self.replies.is_empty() && self.settlement.is_none()
    }

    /// The same without those that are among the run's steps: a commit whose answer was lost may have been written.
    #[must_use]
    pub(super) fn but_for(mut self, written: &[Step]) -> Self {
        self.replies.retain(|(reply, _)| {
            !(written.iter()).any(|step| (step.seq, step.at) == (reply.seq, reply.at) && is_like(step, reply))
        });
        self
    }

    /// Charges for them, and gives back what was reserved for a call without a reply.
    pub(super) async fn charge(mut self, cx: &Context) {
        for (step, call) in self.replies {
            let StepKind::Event(Event::LlmResponse(response)) = step.kind else {
                continue;
            };
            let run_id = call.run.map(tracing::field::display);
            let charged = crate::budget::charge::charge(cx, call, response, self.settlement.take()).await;
            if let Err(error) = charged {
                tracing::warn!(run_id, %error, "failed to charge an unrecorded reply");
            }
        }
        if let Some(settlement) = self.settlement
            && let Err(error) = crate::budget::reserve::release(cx, settlement).await
        {
            tracing::warn!(%error, "failed to release a budget reservation, which lapses with its lease");
        }
    }
}

fn is_like(step: &Step, reply: &Step) -> bool {
    let text = |step: &Step| match &step.kind {
        StepKind::Event(Event::LlmResponse(LlmResponse { text, .. })) => Some(text.clone()),
        _ => None,
    };
    text(step) == text(reply)
}

#[cfg(test)]
mod tests {
    use clifford_core::{clock::Timestamp, models::Role, run::step::Sections};

    use super::*;

    fn reply(seq: u32, at: i64, text: &str) -> Step {
        Step {
            seq,
            at: Timestamp(at),
            kind: StepKind::Event(Event::LlmResponse(LlmResponse {
                text: text.to_owned(),
                ..LlmResponse::default()
            })),
        }
    }

    #[test]
    fn a_reply_is_unpaid_unless_the_run_has_this_very_one() {
        let call = Call {
            run: None,
            seq: None,
            user: None,
            channel: None,
            role: Role::Executor,
        };
        let request = Step {
            seq: 1,
            at: Timestamp(1),
            kind: StepKind::Event(Event::LlmRequest {
                messages: 2,
                estimated_tokens: 9,
                sections: Sections::default(),
                prompt_hash: String::new(),
                prompt: None,
                prompt_deleted_at: None,
                holds: Vec::new(),
            }),
        };
        let left = |written: &[Step]| {
            let unpaid = Unpaid::of(vec![request.clone(), reply(2, 5, "hello")], call, None);
            unpaid.but_for(written).replies.len()
        };
        assert_eq!(left(&[]), 1);
        assert_eq!(left(&[request.clone(), reply(2, 5, "hello")]), 0);
        // The worker that took the run over asked for its own.
        assert_eq!(left(&[reply(2, 6, "hello")]), 1);
        assert_eq!(left(&[reply(2, 5, "hi")]), 1);
    }
}
