//! The watchers of a reply while it grows.

use std::sync::Arc;

use clifford_core::places::Mode;
use clifford_delivery::{
    StreamingText,
    outbound::{Outbound, To},
};

use super::Session;
use crate::run::draft::{Draft, DraftTarget, Shape};

impl Session<'_> {
    /// Takes the reply as it grows, for those who watch the run and for its chat.
    pub(super) fn draft(&self) -> Draft {
        let run = self.work.run.id;
        let shape = match self.work.run.mode {
            Mode::Run => Shape::Action,
            Mode::Chat => Shape::Whole,
        };
        let draft = Draft::new(self.cx.events.clone(), run, shape, Arc::clone(&self.cx.masker));
        // A message may lose addresses before it goes out; what was shown meanwhile could not be taken back. A suspect is
        // not alone while it waits for its model: its reply is read when it is again.
        if self.state.is_tainted() || self.cx.is_suspect(self.work.lease) {
            return draft.guarded();
        }
        let shows = |to: &To| self.cx.delivery.shows_drafts(to);
        match self.work.reply_to().filter(shows) {
            Some(to) => draft.shown_in(DraftTarget {
                delivery: self.cx.delivery.clone(),
                channel: to.channel,
                epoch: self.work.lease.epoch,
                key: Outbound::run_message_key(run, self.state.sent.len()),
                // The contents of the buffer go before the text that is added to it.
                with_output: self.state.output.is_empty(),
                text: StreamingText::default(),
            }),
            None => draft,
        }
    }
}
