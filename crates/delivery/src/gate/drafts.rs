//! Answers that grow in the chat: the newest look of each, no more often than the platform may be asked, and none
//! after the answer itself.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use clifford_chat::{
    error::SendError,
    outbound::{Address, DeliveryKey, Limits, Signal},
};
use clifford_core::id::RunId;
use clifford_store::messages::outbox::OutgoingPart;
use tokio::time::Instant;

use super::Gate;
use crate::locked;

/// The most bytes of a growing answer that are kept for its chat: more than the first part of any message shows.
const MOST: usize = 64 * 1024;

/// An answer that grows, shared between the run that writes it and the chat that shows it: a chat looks at it seldom, so
/// no piece of a reply costs a copy of the whole.
#[derive(Clone, Debug, Default)]
pub struct GrowingText(Arc<Mutex<String>>);

impl GrowingText {
    /// Adds what was written; whether there is anything more to show.
    pub fn push(&self, more: &str) -> bool {
        let mut text = self.lock();
        let has_room = text.len() < MOST;
        if has_room {
            let room = more.floor_char_boundary(MOST - text.len());
            text.push_str(&more[..room]);
        }
        has_room
    }

    /// The text starts over.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text so far.
    fn now(&self) -> String {
        self.lock().clone()
    }
}

/// Left free in a draft for a mark that it is one.
const MARK_UNITS: usize = 2;

/// The drafts of answers that a chat sees.
#[derive(Default)]
pub(in crate::gate) struct Drafts {
    /// When there is something to show or to take away.
    pub(super) at: Option<Instant>,
    /// When something was shown last.
    last: Option<Instant>,
    /// The visible drafts, by run.
    shown: HashMap<RunId, Shown>,
}

struct Shown {
    address: Address,
    key: DeliveryKey,
    /// Nothing comes of it.
    is_dropped: bool,
}

impl Drafts {
    /// A draft became a message.
    pub(super) fn became(&mut self, key: &str) {
        self.shown.retain(|_, shown| shown.key.0 != key);
    }
}

impl Gate {
    /// Something is to be shown: a while after the first word, since what is answered at once needs no draft.
    pub(super) fn plan_draft(&mut self) {
        if let Some(every) = self.channel.limits().draft_every
            && self.drafts.at.is_none()
        {
            let now = Instant::now();
            let soonest = self.drafts.last.map_or(now + every, |last| now.max(last + every));
            self.drafts.at = Some(soonest.max(self.silent_until.unwrap_or(now)));
        }
    }

    /// The message itself comes now: what was to be shown of it is not.
    pub(super) fn forget_draft(&self, run: Option<RunId>, first: Option<&OutgoingPart>) {
        let mut busy = locked(&self.busy);
        if let Some(at_work) = run.and_then(|run| busy.get_mut(&run)) {
            let is_of_it = |draft: &(DeliveryKey, GrowingText)| first.is_some_and(|first| first.key == draft.0.0);
            at_work.draft.take_if(|draft| is_of_it(draft));
        }
    }

    /// Nothing more comes of a run: its draft goes away, unless the message that it becomes still waits here.
    pub(super) async fn drop_draft(&mut self, run: RunId) {
        let waits = |key: &DeliveryKey| {
            let held = self.waiting.values().chain(self.late.values());
            let parts = held.filter_map(|held| held.parts.first());
            parts.into_iter().any(|part| part.key == key.0)
        };
        let drops = self.drafts.shown.get(&run).is_some_and(|shown| !waits(&shown.key));
        if let Some(shown) = self.drafts.shown.get_mut(&run).filter(|_| drops) {
            shown.is_dropped = true;
            self.take_away().await;
        }
    }

    /// Shows what has grown, and takes away what is dropped.
    pub(super) async fn show_drafts(&mut self) {
        self.drafts.at = None;
        self.take_away().await;
        let limits = self.channel.limits();
        let grown: Vec<_> = locked(&self.busy)
            .iter_mut()
            .filter_map(|(run, at_work)| Some((*run, at_work.address.clone(), at_work.draft.take()?)))
            .collect();
        for (run, address, (key, text)) in grown {
            // A ban may have begun with the one before; a later look shows it.
            let Some(signal) = rendered(&key, &text.now(), &limits).filter(|_| !self.is_silent()) else {
                continue;
            };
            self.drafts.last = Some(Instant::now());
            // Whether it was taken or not: it may stand there.
            self.drafts.shown.insert(
                run,
                Shown {
                    address: address.clone(),
                    key,
                    is_dropped: false,
                },
            );
            self.signal(&address, &signal).await;
        }
    }

    /// Removes drafts that become no message. A removal that fails is tried again when the platform listens.
    async fn take_away(&mut self) {
        let dropped: Vec<_> = (self.drafts.shown.iter())
            .filter(|(_, shown)| shown.is_dropped)
            .map(|(run, shown)| (*run, shown.address.clone(), shown.key.clone()))
            .collect();
        for (run, address, key) in dropped {
            if !self.is_silent() {
                let signal = Signal::DraftDropped { key };
                match self.channel.signal(&address, &signal).await {
                    Err(SendError::RetryAfter(wait)) => self.silent_until = Some(Instant::now() + wait),
                    Ok(()) | Err(_) => {
                        self.drafts.shown.remove(&run);
                        continue;
                    }
                }
            }
            let again = self.silent_until.unwrap_or_else(Instant::now);
            self.drafts.at = Some(again.max(Instant::now() + Duration::from_millis(1)));
        }
    }
}

/// A draft for its platform: what fits in the message that it stands in for.
fn rendered(key: &DeliveryKey, text: &str, limits: &Limits) -> Option<Signal> {
    let units = limits.text_units.saturating_sub(MARK_UNITS);
    let first = clifford_markup::render(text, limits.flavor, units).into_iter().next()?;
    (!first.plain.trim().is_empty()).then(|| Signal::Draft {
        key: key.clone(),
        text: first.text,
        plain: first.plain,
    })
}
