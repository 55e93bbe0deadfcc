//! The runs that are at work for a chat, and what is shown of them meanwhile: that they are, what they do, and their answer
//! as it grows.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use clifford_chat::outbound::{Address, DeliveryKey, Mark, Signal};
use clifford_core::id::{ChannelId, RunId};
use clifford_text::{Doing, Lang};
use tokio::time::Instant;

use super::{
    Delivery,
    gate::{Item, StreamingText},
};
use crate::outbound::To;

/// The runs that are at work for a chat.
pub(super) type Busy = Arc<Mutex<HashMap<RunId, AtWork>>>;

/// A run at work for a chat.
pub(super) struct AtWork {
    /// The claim that is.
    pub(super) epoch: i64,
    /// Where it answers.
    pub(super) address: Address,
    /// Since when it is.
    pub(super) since: Instant,
    /// Its present work, as Markdown; until it has done something, it thinks.
    doing: Option<String>,
    /// The language in which its person reads that.
    pub(super) lang: Lang,
    /// Its answer as far as it has come, until that is shown: the key of its first part, and Markdown.
    pub(super) draft: Option<(DeliveryKey, StreamingText)>,
}

impl AtWork {
    /// Its present work, as Markdown.
    pub(super) fn doing(&self) -> String {
        let doing = self.doing.clone();
        doing.unwrap_or_else(|| self.lang.say(Doing::Thinking))
    }
}

impl Delivery {
    /// A claim of a run is at work for a chat: its indicator shows until [`Delivery::done`].
    pub fn busy(&self, to: &To, run: RunId, epoch: i64) {
        if let Some(handle) = self.gate(to.platform, to.channel) {
            let mut busy = locked(&handle.busy);
            // It may have waited for its turn.
            let known = busy.get(&run).filter(|known| known.epoch == epoch);
            let at_work = AtWork {
                epoch,
                address: to.address.clone(),
                since: known.map_or_else(Instant::now, |known| known.since),
                doing: None,
                lang: known.map_or_else(Lang::default, |known| known.lang),
                draft: None,
            };
            busy.insert(run, at_work);
        }
        self.pass(to.platform, to.channel, Item::Busy);
    }

    /// The language in which a run's person reads what it does.
    pub fn speaks(&self, channel: ChannelId, run: RunId, epoch: i64, lang: Lang) {
        if let Some(handle) = self.inner.gates.get(&channel) {
            let mut busy = locked(&handle.busy);
            if let Some(at_work) = busy.get_mut(&run).filter(|at_work| at_work.epoch == epoch) {
                at_work.lang = lang;
            }
        }
    }

    /// The present work of a run, as Markdown: its status message says it when its turn comes, while this claim is at
    /// work.
    pub fn doing(&self, channel: ChannelId, run: RunId, epoch: i64, doing: String) {
        let Some(handle) = self.inner.gates.get(&channel) else {
            return;
        };
        let mut busy = locked(&handle.busy);
        if let Some(at_work) = busy.get_mut(&run).filter(|at_work| at_work.epoch == epoch) {
            at_work.doing = Some(doing);
            if at_work.since.elapsed() >= self.inner.settings.section.progress_after {
                // A gate that has just closed has no run at work.
                handle.items.send(Item::Doing).ok();
            }
        }
    }

    /// The answer of a run has grown. It is shown when its turn comes, if it has not grown again by then, and only
    /// while this claim is at work.
    pub fn draft(&self, channel: ChannelId, run: RunId, epoch: i64, key: &DeliveryKey, text: &StreamingText) {
        let Some(handle) = self.inner.gates.get(&channel) else {
            return;
        };
        let mut busy = locked(&handle.busy);
        let Some(at_work) = busy.get_mut(&run).filter(|at_work| at_work.epoch == epoch) else {
            return;
        };
        if at_work.draft.replace((key.clone(), text.clone())).is_none() {
            // A gate that has just closed has no run at work.
            handle.items.send(Item::Draft).ok();
        }
    }

    /// A claim of a run is no longer at work: the run ended or waits. A later claim may be at work. The run may have
    /// been ended from elsewhere in the chat (`to`): the place that it answered is notified.
    pub fn done(&self, to: &To, run: RunId, epoch: i64) {
        self.rest(to, run, epoch, true);
    }

    /// The same for a released claim: the next holder of the run continues its draft.
    pub fn release(&self, to: &To, run: RunId, epoch: i64) {
        self.rest(to, run, epoch, false);
    }

    fn rest(&self, to: &To, run: RunId, epoch: i64, drops_draft: bool) {
        let known = self.gate(to.platform, to.channel).and_then(|handle| {
            let mut busy = locked(&handle.busy);
            let is_over = busy.get(&run).is_some_and(|at_work| at_work.epoch <= epoch);
            if is_over { busy.remove(&run) } else { None }
        });
        let ends = drops_draft && known.is_some();
        let (epoch, address) = match known {
            Some(at_work) => (at_work.epoch, at_work.address),
            None => (epoch, to.address.clone()),
        };
        let item = Item::Done {
            run,
            epoch,
            address,
            ends,
        };
        self.pass(to.platform, to.channel, item);
    }

    /// A run was cancelled, wherever it answered.
    pub fn cancelled(&self, run: RunId) {
        for gate in &self.inner.gates {
            if let Some(at_work) = locked(&gate.busy).remove(&run) {
                // Platforms without marks pass over it.
                let mark = Item::Signal(at_work.address.clone(), Signal::Mark(Mark::Failed));
                gate.items.send(mark).ok();
                // A gate that has just closed had no run at work.
                let item = Item::Done {
                    run,
                    epoch: at_work.epoch,
                    address: at_work.address,
                    ends: true,
                };
                gate.items.send(item).ok();
            }
        }
    }
}

pub(super) fn locked(busy: &Busy) -> MutexGuard<'_, HashMap<RunId, AtWork>> {
    // A panic while the map was held cannot have left it half changed.
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}
