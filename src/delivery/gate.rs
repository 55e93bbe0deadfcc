//! One gate a chat: messages in order, the indicator while a run is at work, nothing while the platform asks
//! for patience.

mod attempt;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use clifford_channel::{Address, Channel, Receipt, SendError, Signal};
use tokio::{sync::mpsc, time::Instant};
use tracing::Instrument;

use super::{Busy, Inner, drafts::Drafts, hand::Taken, locked, mark::Mark};
use crate::{
    engine::crash::{self, Point},
    id::{ChannelId, MessageId, RunId},
    outbound::Ticket,
    store::{
        messages::MessageStatus,
        outbox::{self, Outgoing, OutgoingPart},
    },
    telemetry::{
        measures,
        spans::{self, Origin},
    },
};

/// How long a run may work before the indicator shows: an answer at once needs none.
const INDICATE_AFTER: Duration = Duration::from_millis(150);
/// How often to look whether another process has sent its older message.
const LOOK: Duration = Duration::from_millis(100);
/// How long a gate stays open with nothing to do.
const IDLE: Duration = Duration::from_secs(5);

/// What became of a message that has arrived.
const DELIVERED: &str = "delivered";

/// What passes a gate.
pub(super) enum Item {
    /// A message that this process holds.
    Message {
        ticket: Ticket,
        recovered: bool,
        origin: Origin,
        taken: Taken,
    },
    /// A message that was claimed: parts of it may have arrived.
    Recovered {
        message: Outgoing,
        parts: Vec<OutgoingPart>,
        taken: Taken,
    },
    /// Something that may be lost.
    Signal(Address, Signal),
    /// A run is at work.
    Busy,
    /// The answer of a run at work has grown.
    Draft,
    /// A run ended, waits or was let go of.
    Done {
        run: RunId,
        address: Address,
        drops_draft: bool,
    },
    /// Send what is here, then end.
    Close,
}

pub(super) struct Gate {
    pub(super) inner: Arc<Inner>,
    pub(super) channel: Arc<dyn Channel>,
    id: ChannelId,
    queue: mpsc::UnboundedReceiver<Item>,
    pub(super) busy: Busy,
    indicate_at: Option<Instant>,
    pub(super) drafts: Drafts,
    pub(super) silent_until: Option<Instant>,
    /// Messages that are to be sent, the oldest first.
    pub(super) waiting: BTreeMap<MessageId, Held>,
    closing: bool,
}

/// A message that this process holds.
pub(super) struct Held {
    message: Outgoing,
    pub(super) parts: Vec<OutgoingPart>,
    recovered: bool,
    origin: Origin,
    _taken: Taken,
}

/// What became of a part.
enum Sent {
    Delivered(Receipt),
    GivenUp(String),
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
            silent_until: None,
            waiting: BTreeMap::new(),
            closing: false,
        }
    }

    pub(super) async fn run(mut self) {
        let stop = self.inner.stop.clone();
        loop {
            let next = [self.indicate_at, self.drafts.at].into_iter().flatten().min();
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
                    if self.drafts.at.is_some_and(|at| at <= until) {
                        self.show_drafts().await;
                    } else if self.indicate_at.is_some() {
                        self.indicate().await;
                    } else if self.close_if_idle() {
                        // What was sent between the look and the closing is still served; later comers are refused
                        // and take a new gate.
                        self.queue.close();
                        Box::pin(self.drain()).await;
                        return;
                    }
                }
            }
        }
    }

    fn close_if_idle(&self) -> bool {
        let removed = self
            .inner
            .gates
            .remove_if(&self.id, |_, _| self.queue.is_empty() && locked(&self.busy).is_empty());
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

    /// Sends what waits, the oldest first. While another process has an older message in hand, what comes in
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
    }

    fn hold(&mut self, held: Held) {
        self.waiting.insert(held.message.id, held);
    }

    async fn deliver(&mut self, held: Held) {
        let span = spans::delivery(&held.message, &held.origin);
        span.record("parts", i64::try_from(held.parts.len()).unwrap_or(i64::MAX));
        let platform = self.channel.platform();
        let delivered = self.message(held);
        let Some(outcome) = delivered.instrument(span.clone()).await else {
            return;
        };
        spans::ended(&span, outcome, outcome == DELIVERED);
        measures::delivered(platform, outcome);
    }

    async fn pass(&mut self, item: Item) {
        match item {
            Item::Message {
                ticket,
                recovered,
                origin,
                taken,
            } => {
                let parts = ticket
                    .parts
                    .into_iter()
                    .enumerate()
                    .map(|(seq, (key, part))| OutgoingPart {
                        seq: i64::try_from(seq).unwrap_or(i64::MAX),
                        key,
                        body: crate::store::JsonText(part),
                        status: if seq == 0 {
                            MessageStatus::Sending
                        } else {
                            MessageStatus::Pending
                        },
                    });
                let parts: Vec<_> = parts.collect();
                self.forget_draft(ticket.message.run_id, parts.first());
                self.hold(Held {
                    message: ticket.message,
                    parts,
                    recovered,
                    origin,
                    _taken: taken,
                });
            }
            Item::Recovered { message, parts, taken } => self.hold(Held {
                message,
                parts,
                recovered: true,
                origin: Origin::default(),
                _taken: taken,
            }),
            Item::Signal(to, signal) => self.signal(&to, &signal).await,
            Item::Busy => {
                if self.channel.limits().typing_every.is_some() && self.indicate_at.is_none() {
                    self.indicate_at = Some(Instant::now() + INDICATE_AFTER);
                }
            }
            Item::Draft => self.plan_draft(),
            Item::Done {
                run,
                address,
                drops_draft,
            } => {
                if locked(&self.busy).is_empty() {
                    self.indicate_at = None;
                }
                if drops_draft {
                    self.drop_draft(run).await;
                }
                self.signal(&address, &Signal::Done).await;
            }
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

    /// Sends a message's parts, in order. One that may have arrived already is sent again only if the
    /// platform drops repeats, or the owner wants it. `None`: it waits for another time, or is another process's.
    async fn message(&mut self, held: Held) -> Option<&'static str> {
        let Held {
            mut message,
            parts,
            recovered,
            _taken: in_hand,
            ..
        } = held;
        let last = parts.last().map(|part| part.seq);
        for part in parts {
            if !self.is_ours(&message).await {
                tracing::info!(message = %message.id, "another process sends this message now");
                return None;
            }
            if recovered && part.status == MessageStatus::Sending && !self.may_repeat() {
                let reason = "it may have arrived before a crash; resend_ambiguous is off";
                return Some(self.give_up(&message, reason).await);
            }
            if part.status == MessageStatus::Pending && recovered {
                self.mark(&message, Mark::Sending(part.seq)).await;
            }
            let unsure = recovered && part.status == MessageStatus::Sending;
            match self.part(&mut message, &part, unsure).await {
                Sent::Delivered(receipt) => {
                    self.drafts.became(&part.key);
                    crash::reach(Point::PartSent);
                    let is_last = last == Some(part.seq);
                    self.mark(
                        &message,
                        Mark::Delivered {
                            seq: part.seq,
                            receipt,
                            is_last,
                        },
                    )
                    .await;
                    if !is_last {
                        crash::reach(Point::BetweenParts);
                    }
                }
                Sent::GivenUp(reason) => return Some(self.give_up(&message, &reason).await),
                Sent::Stopped => return None,
            }
        }
        drop(in_hand);
        Some(DELIVERED)
    }

    /// Whether this process may still send a message: one that was stopped for a while may find that another has
    /// taken it over. If the database does not answer, waits until it does.
    async fn is_ours(&self, message: &Outgoing) -> bool {
        let inner = &self.inner;
        while inner.db.is_shared() {
            let now = inner.clock.now();
            let until = now.after(inner.settings.lease);
            match outbox::keep(&inner.db, message.id, inner.worker, now, until).await {
                Ok(ours) => return ours,
                Err(error) => tracing::warn!(%error, "delivery waits for the database"),
            }
            tokio::select! {
                () = inner.stop.cancelled() => return false,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
        true
    }

    /// Whether another process may still be sending an older message to this chat. If the database does not
    /// answer, it may.
    async fn has_older(&self, message: MessageId) -> bool {
        if !self.inner.db.is_shared() {
            return false;
        }
        let older = match self.inner.db.read().await {
            Ok(mut conn) => outbox::has_older(&mut conn, self.id, message).await,
            Err(error) => Err(error),
        };
        older.unwrap_or(true)
    }

    async fn give_up(&self, message: &Outgoing, reason: &str) -> &'static str {
        tracing::warn!(message = %message.id, platform = message.platform, "a message was given up; its error tells why");
        tracing::debug!(message = %message.id, reason, "why a message was given up");
        self.mark(message, Mark::Failed(reason.to_owned())).await;
        "failed"
    }

    async fn mark(&self, message: &Outgoing, mark: Mark) {
        mark.keep(&self.inner, message.id, self.id).await;
    }
}
