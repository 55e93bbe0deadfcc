//! The growing answer, taken out of a reply that is still being written: only what the user will read.
//!
//! A reply comes in small pieces, thousands of them. Each piece passes four stages once, so a reply costs linear time:
//! `Reading` takes out the text for the user, `Opening` leaves out a possible action within it, `Masking` hides secrets
//! and holds back a possible one, and `Words` holds back the word that is still being written. The visible text stands
//! where delivery looks at it when the platform may be asked again.

mod masking;
mod opening;
mod reading;
mod words;

use std::sync::Arc;

use clifford_chat::outbound::DeliveryKey;
use clifford_core::id::{ChannelId, RunId};
use clifford_delivery::{Delivery, StreamingText};
use clifford_llm_api::model::{Sink, Usage};
use clifford_vault::Masker;

use self::{
    masking::Masking,
    opening::Opening,
    reading::{Field, Reading},
    words::Words,
};
use crate::events::{Events, RunEvent};

/// The shape of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An action: what grows is the text of its `message` or `output`.
    Action,
    /// The answer itself.
    Whole,
}

/// Takes a reply as it grows, and tells those who watch its run, and its chat, what the user will read of it. A secret is
/// hidden, and what may become one held back until it is known.
pub struct Draft {
    events: Events,
    run: RunId,
    shape: Shape,
    is_guarded: bool,
    shown: Option<DraftTarget>,
    /// The pieces that came while nobody watched.
    unread: String,
    reading: Reading,
    opening: Opening,
    masking: Masking,
    words: Words,
    /// The text that watchers have not seen yet.
    untold: String,
    has_told: bool,
}

/// Where a growing answer is shown.
pub struct DraftTarget {
    /// Shows it.
    pub delivery: Delivery,
    /// The chat.
    pub channel: ChannelId,
    /// The claim of the run that is at work.
    pub epoch: i64,
    /// The key of the message that it becomes.
    pub key: DeliveryKey,
    /// The output of an action is shown too, not only its message.
    pub with_output: bool,
    /// The visible text.
    pub text: StreamingText,
}

impl Draft {
    /// A draft of a run's next reply.
    pub fn new(events: Events, run: RunId, shape: Shape, masker: Arc<Masker>) -> Self {
        Self {
            events,
            run,
            shape,
            is_guarded: false,
            shown: None,
            unread: String::new(),
            reading: Reading::of(shape),
            opening: Opening::default(),
            masking: Masking::new(masker),
            words: Words::default(),
            untold: String::new(),
            has_told: false,
        }
    }

    /// The same, shown to nobody: it may lose addresses before it goes out.
    #[must_use]
    pub fn guarded(mut self) -> Self {
        self.is_guarded = true;
        self
    }

    /// The same, shown in the chat.
    #[must_use]
    pub(crate) fn shown_in(mut self, shown: DraftTarget) -> Self {
        self.shown = Some(shown);
        self
    }

    /// The reply is whole: nothing needs to be held back any more.
    pub fn end(mut self) {
        if self.events.is_drafted(self.run) && !self.is_guarded {
            self.read();
            self.masking.push(&self.opening.end());
            let rest = self.masking.end();
            self.untold.push_str(&rest);
            self.tell();
        }
    }

    /// Takes in what came since the last time.
    fn read(&mut self) {
        let added = self.reading.take(&self.unread);
        self.unread.clear();
        if added.takes_back {
            self.take_back();
        }
        self.masking.push(&self.opening.push(&added.visible));
        let settled = self.masking.take();
        self.show(&settled);
        self.untold.push_str(&settled);
    }

    /// Voids the text read so far.
    fn take_back(&mut self) {
        self.opening.clear();
        self.masking.clear();
        self.words.clear();
        self.untold.clear();
        if let Some(shown) = &self.shown {
            shown.text.clear();
        }
        if std::mem::take(&mut self.has_told) {
            self.events.tell(self.run, RunEvent::Reset);
        }
    }

    /// Tells those who watch the run what is new to them.
    fn tell(&mut self) {
        if !self.untold.is_empty() {
            self.has_told = true;
            self.events
                .tell(self.run, RunEvent::Token(std::mem::take(&mut self.untold)));
        }
    }

    /// Shows whole words only.
    fn show(&mut self, settled: &str) {
        let Some(shown) = &self.shown else { return };
        let is_shown = match self.reading.field() {
            Field::Message => true,
            Field::Output => shown.with_output,
            Field::Buffer => false,
        };
        if !is_shown {
            return;
        }
        let words = self.words.push(settled);
        if !words.is_empty() && shown.text.push(&words) {
            (shown.delivery).draft(shown.channel, self.run, shown.epoch, &shown.key, &shown.text);
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.events.end_draft(self.run);
    }
}

impl Sink for Draft {
    fn text(&mut self, delta: &str) {
        if self.is_guarded {
            return;
        }
        self.unread.push_str(delta);
        let is_watched = self.events.is_drafted(self.run);
        if !is_watched && self.shown.is_none() {
            return;
        }
        self.read();
        if is_watched {
            self.tell();
        }
    }

    fn reset(&mut self) {
        self.unread.clear();
        self.reading = Reading::of(self.shape);
        self.take_back();
    }

    fn began(&mut self, _: &str, _: &str) {}

    fn used(&mut self, _: Usage) {}
}

#[cfg(test)]
#[path = "draft/tests.rs"]
mod tests;
