//! Answers that grow in the chat: the newest look of each, no more often than the platform may be asked, and none
//! after the answer itself.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use clifford_chat::{
    error::SendError,
    outbound::{Address, DeliveryKey, Limits, Part, Signal},
};
use clifford_core::id::RunId;
use clifford_store::messages::outbox::OutgoingPart;
use tokio::time::Instant;

use super::{Gate, status_message::stop_command};
use crate::at_work::locked;

/// The most bytes of a growing answer that are kept for its chat: more than the first part of any message shows.
const MOST: usize = 64 * 1024;

/// An answer that grows, shared between the run that writes it and the chat that shows it: a chat looks at it seldom, so
/// no piece of a reply costs a copy of the whole.
#[derive(Clone, Debug, Default)]
pub struct StreamingText(Arc<Mutex<String>>);

impl StreamingText {
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

/// An answer that has grown: of which run, where, and what.
type Grown = (RunId, Address, (DeliveryKey, StreamingText));

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
    /// Whether the answer of a run shows as it grows.
    pub(super) fn shows(&self, run: RunId) -> bool {
        self.shown.contains_key(&run)
    }

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
            let is_of_it = |draft: &(DeliveryKey, StreamingText)| first.is_some_and(|first| first.key == draft.0.0);
            at_work.draft.take_if(|draft| is_of_it(draft));
        }
    }

    /// Whether a message that begins with the part of this key still waits here.
    pub(super) fn waits(&self, key: &str) -> bool {
        let held = self.waiting.values().chain(self.late.values());
        held.filter_map(|held| held.parts.first()).any(|part| part.key == key)
    }

    /// Nothing more comes of a run: its draft goes away, unless the message that it becomes still waits here.
    pub(super) async fn drop_draft(&mut self, run: RunId) {
        let drops = self
            .drafts
            .shown
            .get(&run)
            .is_some_and(|shown| !self.waits(&shown.key.0));
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
        let (grown, later) = self.grown();
        for (run, address, (key, text)) in grown {
            // A ban may have begun with the one before; a later look shows it.
            let Some((text, plain)) = rendered(&text.now(), &limits).filter(|_| !self.is_silent()) else {
                continue;
            };
            self.drafts.last = Some(Instant::now());
            if self.channel.edits_drafts(&address).is_some() {
                let says = plain.clone();
                let part = Part::Text {
                    text,
                    plain,
                    rich: None,
                    buttons: Vec::new(),
                };
                self.show_passing(run, address, Some(key.0), &part, says).await;
                continue;
            }
            // The answer itself shows now what is done.
            self.end_status(run, 0).await;
            // Whether it was taken or not: it may stand there.
            self.drafts.shown.insert(
                run,
                Shown {
                    address: address.clone(),
                    key: key.clone(),
                    is_dropped: false,
                },
            );
            let signal = Signal::Draft {
                key,
                text,
                plain,
                stop: stop_command(run),
            };
            self.signal(&address, &signal).await;
        }
        self.drafts.at = [self.drafts.at, later].into_iter().flatten().min();
    }

    /// The answers that have grown and may be shown, and when another may be.
    fn grown(&self) -> (Vec<Grown>, Option<Instant>) {
        let (mut grown, mut later) = (Vec::new(), None::<Instant>);
        let now = Instant::now();
        for (run, at_work) in locked(&self.busy).iter_mut() {
            let every = self.channel.edits_drafts(&at_work.address);
            let due = every
                .and_then(|every| self.draft_due(*run, every))
                .filter(|at| *at > now);
            match due.filter(|_| at_work.draft.is_some()) {
                Some(at) => later = Some(later.map_or(at, |later| later.min(at))),
                None => grown.extend(at_work.draft.take().map(|draft| (*run, at_work.address.clone(), draft))),
            }
        }
        (grown, later)
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

/// A draft for its platform, with markup and without: what fits in the message that it stands in for.
fn rendered(text: &str, limits: &Limits) -> Option<(String, String)> {
    let units = limits.text_units.saturating_sub(MARK_UNITS);
    let first = clifford_markup::render(text, limits.flavor, units).into_iter().next()?;
    (!first.plain.trim().is_empty()).then_some((first.text, first.plain))
}
