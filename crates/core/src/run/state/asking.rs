//! Questions to a person, as the fold sees them: asked, answered, approved.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{OpenQuestion, Pending, RunState, calls::call_signature};
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
            for call in request.calls() {
                *self.calls.entry(call_signature(call)).or_default() += 1;
            }
        }
        self.pending = Pending::Confirm(Box::new(OpenQuestion {
            request: request.clone(),
            code: question::code_of(seq, request),
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
        let calls = asked.request.calls().enumerate();
        let denied: Map<_, _> = calls
            .map(|(place, call)| (place.to_string(), Value::Object(call.args.clone())))
            .collect();
        self.pending = if approved {
            let about = asked.request.about;
            self.approved = asked.request.calls().map(|call| (call.clone(), about)).collect();
            // The calls that were shown are the calls that are made.
            for call in &mut self.queue {
                let shown = asked
                    .request
                    .calls()
                    .find(|shown| shown.idempotency_key == call.idempotency_key);
                if let Some(shown) = shown {
                    *call = shown.clone();
                }
            }
            Pending::Approved(asked.request.call.clone())
        } else {
            Pending::Denied(Box::new(OpenQuestion {
                timed_out: by == Answerer::Nobody,
                in_words: words.is_some(),
                ..(**asked).clone()
            }))
        };
        // A wish of theirs in its place is their own word, too, as far as it does not speak of the call that they denied.
        if let (false, Some(words)) = (approved, words) {
            Arc::make_mut(&mut self.evidence).person_denies(words, &denied);
            self.steered(words);
        }
    }

    /// Whether a person approved this very call.
    pub fn is_approved(&self, call: &ToolCall) -> bool {
        self.approved.iter().any(|(approved, _)| approved == call)
    }

    /// Whether what a call returns may be used where others read along: a person said so.
    pub fn may_share(&self, call: &ToolCall) -> bool {
        let is_shared =
            |(approved, about): &(ToolCall, ConfirmAbout)| approved == call && *about == ConfirmAbout::Result;
        self.approved.iter().any(is_shared)
    }

    /// Whether it has read words from outside.
    pub fn is_tainted(&self) -> bool {
        !self.origins.is_empty()
    }
}
