//! One gate a chat: messages in order, the indicator while a run is at work, nothing while the platform asks
//! for patience.

mod album;
mod attempt;
mod drafts;
mod editing;
mod giving_up;
mod in_order;
mod late;
mod reshaping;
mod status;
mod status_message;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use clifford_channel::Channel;
use clifford_chat::{
    error::SendError,
    outbound::{Address, Receipt, Signal},
};
use clifford_core::{
    id::{ChannelId, MessageId, RunId},
    messages::MessageStatus,
};
use clifford_store::messages::{
    outbox::{Outgoing, OutgoingPart},
    status_messages::StatusMessage,
};
use clifford_telemetry::{
    measures,
    spans::{self, Origin},
};
use clifford_text::Undelivered;
use tokio::{sync::mpsc, time::Instant};
use tracing::Instrument;

pub use self::drafts::StreamingText;
use self::{drafts::Drafts, giving_up::Missing, late::Retry, status_message::StatusMessages};
use super::{
    Inner,
    at_work::{Busy, locked},
    in_flight::InFlightGuard,
};
use crate::{outbound::PendingDelivery, status_mark::Mark};

/// How long a run may work before the indicator shows: an answer at once needs none.
const INDICATE_AFTER: Duration = Duration::from_millis(150);
/// How often to look whether another process has sent its older message.
const LOOK: Duration = Duration::from_millis(100);
/// How long a gate stays open with nothing to do.
const IDLE: Duration = Duration::from_secs(5);

/// The status of a message that has arrived.
const DELIVERED: &str = "delivered";
/// The status of a message of which at least a part has not.
const FAILED: &str = "failed";

/// An item that passes a gate.
pub(super) enum Item {
    /// A message that this process holds.
    Message {
        pending: PendingDelivery,
        recovered: bool,
        origin: Origin,
        taken: InFlightGuard,
    },
    /// A message that was claimed: parts of it may have arrived.
    Recovered {
        message: Outgoing,
        parts: Vec<OutgoingPart>,
        taken: InFlightGuard,
    },
    /// Something that may be lost.
    Signal(Address, Signal),
    /// A run is at work.
    Busy,
    /// The answer of a run at work has grown.
    Draft,
    /// A run at work does something else.
    Doing,
    /// A run ended, waits or was released (`ends`: not the last).
    Done {
        run: RunId,
        epoch: i64,
        address: Address,
        ends: bool,
    },
    /// A status message whose run is not at work any more.
    LeftBehind(StatusMessage),
    /// Send what is here, then end.
    Close,
}

pub(super) struct Gate {
    pub(super) inner: Arc<Inner>,
    pub(super) channel: Arc<dyn Channel>,
    pub(super) id: ChannelId,
    queue: mpsc::UnboundedReceiver<Item>,
    pub(super) busy: Busy,
    indicate_at: Option<Instant>,
    drafts: Drafts,
    statuses: StatusMessages,
    pub(super) silent_until: Option<Instant>,
    /// Messages that are to be sent, the oldest first.
    pub(super) waiting: BTreeMap<MessageId, Held>,
    /// Messages that fail by themselves, tried on alongside those.
    pub(super) late: BTreeMap<MessageId, Held>,
    /// Where work has ended. That is told once what was handed in before is sent, and once the platform accepts calls:
    /// it may say that there is no answer.
    ended: VecDeque<Address>,
    closing: bool,
}

/// A message that this process holds.
pub(super) struct Held {
    pub(super) message: Outgoing,
    /// The undelivered parts.
    pub(super) parts: Vec<OutgoingPart>,
    recovered: bool,
    /// For how long earlier processes have tried it.
    tried_before: Duration,
    /// When it was tried first here.
    began: Option<Instant>,
    /// It is late: when it is tried again.
    retry: Option<Retry>,
    /// A part of it was given up.
    is_cut: bool,
    /// The gaps that its chat is to be told of at its end.
    missing: Missing,
    /// Its files go one by one: as one message the platform did not take them.
    goes_singly: bool,
    /// The part that goes in another form than it was made in: a text as a file, or a file as texts.
    reshaped: Option<i64>,
    origin: Origin,
    _taken: InFlightGuard,
}

/// The result of sending a part.
enum Sent {
    Delivered(Receipt),
    /// The platform will not take it in this form.
    Refused(String),
    /// It is not tried any more. The notice to its chat, if it is a text.
    GivenUp(String, Option<Undelivered>),
    /// Nothing of the message is tried any more: nothing goes through to its chat.
    AllGivenUp(String),
    /// There is no such chat any more.
    Gone(String),
    /// It fails by itself: it is to be tried again alongside others.
    Late {
        reason: String,
        status: MessageStatus,
    },
    Stopped,
}

impl Gate {
    pub(super) fn new(
        inner: Arc<Inner>,
        channel: Arc<dyn Channel>,
        id: ChannelId,
        queue: mpsc::UnboundedReceiver<Item>,
        busy: Busy,
    ) -> Self {
        Self {
            inner,
            channel,
            id,
            queue,
            busy,
            indicate_at: None,
            drafts: Drafts::default(),
            statuses: StatusMessages::default(),
            silent_until: None,
            waiting: BTreeMap::new(),
            late: BTreeMap::new(),
            ended: VecDeque::new(),
            closing: false,
        }
    }

    pub(super) async fn run(mut self) {
        self.serve().await;
        if self.inner.stop.is_cancelled() {
            Box::pin(self.leave()).await;
        }
    }

    async fn serve(&mut self) {
        let stop = self.inner.stop.clone();
        loop {
            let next = [
                self.indicate_at,
                self.drafts.at,
                self.statuses.at,
                self.late_at(),
                self.ended_at(),
            ]
            .into_iter()
            .flatten()
            .min();
            let until = next.unwrap_or_else(|| Instant::now() + IDLE);
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                item = self.queue.recv() => match item {
                    None => return,
                    Some(Item::Close) => {
                        Box::pin(self.drain()).await;
                        return;
                    }
                    Some(item) => {
                        self.pass(item).await;
                        // Apart, so that a gate with nothing to send is small.
                        Box::pin(self.send_waiting()).await;
                        if self.closing {
                            return;
                        }
                    }
                },
                () = tokio::time::sleep_until(until) => {
                    if self.late_at().is_some_and(|at| at <= until) {
                        Box::pin(self.retry_late()).await;
                        Box::pin(self.send_waiting()).await;
                    } else if self.ended_at().is_some_and(|at| at <= until) {
                        self.tell_ended().await;
                    } else if self.drafts.at.is_some_and(|at| at <= until) {
                        self.show_drafts().await;
                    } else if self.statuses.at.is_some_and(|at| at <= until) {
                        Box::pin(self.show_statuses()).await;
                    } else if self.indicate_at.is_some() {
                        self.indicate().await;
                    } else if self.close_if_idle() {
                        return;
                    }
                }
            }
        }
    }

    /// Gives the gate up if it has nothing to do, and nobody is about to hand it something: a handle is cloned where it
    /// is looked up alone, so while the map is locked only those who hold one already can still use it.
    fn close_if_idle(&self) -> bool {
        if !self.late.is_empty() || self.statuses.at.is_some() || !self.ended.is_empty() {
            return false;
        }
        let removed = self.inner.gates.remove_if(&self.id, |_, handle| {
            let is_held_elsewhere = handle.items.strong_count() > 1;
            !is_held_elsewhere && self.queue.is_empty() && locked(&self.busy).is_empty()
        });
        removed.is_some()
    }

    async fn drain(&mut self) {
        while !self.inner.stop.is_cancelled()
            && let Ok(item) = self.queue.try_recv()
        {
            self.pass(item).await;
            self.send_waiting().await;
        }
    }

    /// Leaves for the next process what this one has not tried, as that: the first part of a message counts as being
    /// sent from the beginning.
    async fn leave(&mut self) {
        self.queue.close();
        while let Ok(item) = self.queue.try_recv() {
            if let Item::Message { pending, .. } = item {
                self.mark(&pending.message, Mark::Unsent(0)).await;
            }
        }
        for held in self.waiting.values() {
            let is_untried = !held.recovered && held.began.is_none();
            if let Some(part) = held.parts.first().filter(|_| is_untried) {
                self.mark(&held.message, Mark::Unsent(part.seq)).await;
            }
        }
    }

    /// Sends what waits, the oldest first. While another process has an older message in flight, what comes in
    /// is taken: it may be that very message, which its process left behind.
    async fn send_waiting(&mut self) {
        let stop = self.inner.stop.clone();
        while let Some(oldest) = self.waiting.keys().next().copied() {
            if self.has_older(oldest).await {
                tokio::select! {
                    () = stop.cancelled() => return,
                    Some(item) = self.queue.recv(), if !self.closing => self.pass(item).await,
                    () = tokio::time::sleep(LOOK) => {}
                }
            } else if let Some(held) = self.waiting.remove(&oldest) {
                self.deliver(held).await;
            }
            if stop.is_cancelled() {
                return;
            }
        }
        self.tell_ended().await;
    }

    /// When it is told where work has ended, if that has not been yet.
    fn ended_at(&self) -> Option<Instant> {
        let now = Instant::now();
        let is_due = !self.ended.is_empty();
        is_due.then(|| self.silent_until.unwrap_or(now))
    }

    /// Tells where work has ended. While the platform asks for patience, that waits: nothing else would take away what
    /// says that an answer is on its way.
    async fn tell_ended(&mut self) {
        while !self.is_silent()
            && let Some(address) = self.ended.front().cloned()
        {
            if let Err(SendError::RetryAfter(wait)) = self.channel.signal(&address, &Signal::Done).await {
                self.silent_until = Some(Instant::now() + wait);
            } else {
                self.ended.pop_front();
            }
        }
    }

    fn hold(&mut self, held: Held) {
        if held.message.late_since.is_some() {
            self.hold_late(held);
        } else {
            self.waiting.insert(held.message.id, held);
        }
    }

    pub(super) async fn deliver(&mut self, held: Held) {
        let span = spans::delivery(
            held.message.id,
            held.message.run_id,
            held.message.channel_id,
            &held.message.platform,
            &held.origin,
        );
        span.record("parts", i64::try_from(held.parts.len()).unwrap_or(i64::MAX));
        let platform = self.channel.platform();
        let run = held.message.run_id;
        let delivered = self.message(held);
        let Some(outcome) = delivered.instrument(span.clone()).await else {
            return;
        };
        if let Some(run) = run.filter(|run| !locked(&self.busy).contains_key(run)) {
            // The draft of a part that was given up.
            self.end_status(run, 0).await;
        }
        spans::ended(&span, outcome, outcome == DELIVERED);
        measures::delivered(platform, outcome);
    }

    async fn pass(&mut self, item: Item) {
        match item {
            Item::Message {
                pending,
                recovered,
                origin,
                taken,
            } => {
                let marks_first = self.marks_first();
                let parts = pending
                    .parts
                    .into_iter()
                    .enumerate()
                    .map(|(seq, (key, part))| OutgoingPart {
                        seq: i64::try_from(seq).unwrap_or(i64::MAX),
                        key,
                        body: clifford_core::json_text::JsonText(part),
                        status: if seq == 0 && !marks_first {
                            MessageStatus::Sending
                        } else {
                            MessageStatus::Pending
                        },
                    });
                let parts: Vec<_> = parts.collect();
                self.forget_draft(pending.message.run_id, parts.first());
                self.hold(Held {
                    message: pending.message,
                    parts,
                    recovered,
                    tried_before: Duration::ZERO,
                    began: None,
                    retry: None,
                    is_cut: false,
                    missing: Missing::default(),
                    goes_singly: false,
                    reshaped: None,
                    origin,
                    _taken: taken,
                });
            }
            Item::Recovered { message, parts, taken } => {
                self.adopt_draft(&message).await;
                let missing = self.missing_before(&message).await;
                self.hold(Held {
                    tried_before: self.tried_before(&message),
                    message,
                    parts,
                    recovered: true,
                    began: None,
                    retry: None,
                    is_cut: false,
                    missing,
                    goes_singly: false,
                    reshaped: None,
                    origin: Origin::default(),
                    _taken: taken,
                });
            }
            Item::Signal(to, Signal::Done) => self.ended.push_back(to),
            Item::Signal(to, signal) => self.signal(&to, &signal).await,
            Item::Busy => {
                if self.channel.limits().typing_every.is_some() && self.indicate_at.is_none() {
                    self.indicate_at = Some(Instant::now() + INDICATE_AFTER);
                }
                self.plan_statuses();
            }
            Item::Draft => self.plan_draft(),
            Item::Doing => self.plan_statuses(),
            Item::Done {
                run,
                epoch,
                address,
                ends,
            } => {
                if locked(&self.busy).is_empty() {
                    self.indicate_at = None;
                }
                if ends {
                    self.drop_draft(run).await;
                    self.end_status(run, epoch).await;
                } else {
                    self.statuses.forget(run);
                }
                self.plan_statuses();
                self.ended.push_back(address);
            }
            Item::LeftBehind(message) => self.take_away_left(message).await,
            Item::Close => self.closing = true,
        }
    }

    async fn indicate(&mut self) {
        self.indicate_at = None;
        let to = locked(&self.busy).values().next().map(|run| run.address.clone());
        if let (Some(to), Some(every)) = (to, self.channel.limits().typing_every) {
            self.signal(&to, &Signal::Typing).await;
            self.indicate_at = Some(Instant::now() + every);
        }
    }

    /// The platform asks for patience.
    pub(super) fn is_silent(&self) -> bool {
        self.silent_until.is_some_and(|until| until > Instant::now())
    }

    pub(super) async fn signal(&mut self, to: &Address, signal: &Signal) {
        if self.is_silent() {
            return;
        }
        if let Err(SendError::RetryAfter(wait)) = self.channel.signal(to, signal).await {
            self.silent_until = Some(Instant::now() + wait);
        }
    }
}
