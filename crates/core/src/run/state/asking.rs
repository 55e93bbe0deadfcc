//! Questions to a person, as the fold sees them: asked, answered, approved.

use super::{Asked, Pending, RunState, calls::call_signature};
use crate::run::{
    question,
    step::{Answerer, ConfirmAbout, ConfirmRequest, ToolCall},
};

impl RunState {
    pub(super) fn asks(&mut self, request: &ConfirmRequest, seq: u32) {
        self.settle();
        self.current.active = true;
        self.current.changed = true;
        if request.about == ConfirmAbout::Call {
            *self.calls.entry(call_signature(&request.call)).or_default() += 1;
        }
        self.pending = Pending::Confirm(Box::new(Asked {
            request: request.clone(),
            code: question::code(seq, &request.call),
            timed_out: false,
            in_words: false,
        }));
    }

    /// An answer to another question than the one that is asked is none.
    pub(super) fn answered(&mut self, approved: bool, code: &str, by: Answerer, words: Option<&str>) {
        let Pending::Confirm(asked) = &self.pending else { return };
        if asked.code != code {
            return;
        }
        self.pending = if approved {
            let call = asked.request.call.clone();
            self.approved = Some((call.idempotency_key.clone(), asked.request.about));
            Pending::Approved(call)
        } else {
            Pending::Denied(Box::new(Asked {
                timed_out: by == Answerer::Nobody,
                in_words: words.is_some(),
                ..(**asked).clone()
            }))
        };
        // What they want instead is as much their own word as any message of this turn.
        if let (false, Some(words)) = (approved, words) {
            self.steered(words);
        }
    }

    pub(super) fn is_approved(&self, call: &ToolCall) -> bool {
        (self.approved.as_ref()).is_some_and(|(key, _)| *key == call.idempotency_key)
    }

    /// Whether what a call returns may be used where others read along: a person said so.
    pub fn may_share(&self, call: &ToolCall) -> bool {
        self.is_approved(call)
            && self
                .approved
                .as_ref()
                .is_some_and(|(_, about)| *about == ConfirmAbout::Result)
    }

    /// Whether it has read words from outside.
    pub fn is_tainted(&self) -> bool {
        !self.origins.is_empty()
    }
}
