//! The terminals that are open at a server: messages for the person at this machine go to them, and wait while none is.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use clifford_channel::{Channel, Ingress};
use clifford_chat::{
    error::{ChannelError, SendError},
    outbound::{Address, DeliveryKey, Limits, Part, Receipt, Signal},
    platform::Platform,
};
use clifford_markup::Flavor;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::wire::{About, TerminalDraft, TerminalEvent, TerminalPart, TerminalProgress};

/// Longer texts go as several parts.
const TEXT_UNITS: usize = 100_000;
/// How often the bot says again that it is at work.
const TYPING: Duration = Duration::from_secs(2);
/// How often a growing answer is drawn.
const DRAFTS: Duration = Duration::from_millis(60);
/// How long a part waits for a terminal that was just open: a lost connection is made again within seconds.
const ABSENCE: Duration = Duration::from_secs(10);
/// How long a terminal may take to show a part.
const SHOWING: Duration = Duration::from_secs(10);
/// The most events that wait for one terminal. Signals may be lost.
const WAITING: usize = 1_000;

/// How a terminal shows what it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// Begins the id of each message that is typed at it.
    pub(super) session: String,
    /// A person looks at it, and not a program.
    pub(super) interactive: bool,
    /// It shows answers only.
    pub(super) quiet: bool,
}

/// The open terminals.
#[derive(Debug)]
pub struct Relay {
    seats: Mutex<Vec<Seat>>,
    /// How many there are.
    count: watch::Sender<usize>,
    /// The parts that were sent and are not shown yet.
    sent: Mutex<HashMap<String, oneshot::Sender<()>>>,
    /// The server stops.
    stop: CancellationToken,
}

#[derive(Debug)]
struct Seat {
    id: u64,
    look: Look,
    events: mpsc::Sender<TerminalEvent>,
}

/// The place of one open terminal; it closes when this is dropped.
#[derive(Debug)]
pub(super) struct Attached {
    relay: Arc<Relay>,
    id: u64,
    pub(super) events: mpsc::Receiver<TerminalEvent>,
}

impl Drop for Attached {
    fn drop(&mut self) {
        let mut seats = self.relay.seats();
        seats.retain(|seat| seat.id != self.id);
        self.relay.count.send_replace(seats.len());
    }
}

impl Relay {
    /// A relay of a server that stops by this.
    pub fn new(stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            seats: Mutex::default(),
            count: watch::Sender::new(0),
            sent: Mutex::default(),
            stop,
        })
    }

    /// Opens a terminal.
    pub(super) fn attach(self: &Arc<Self>, look: Look) -> Attached {
        let (sender, events) = mpsc::channel(WAITING);
        let mut seats = self.seats();
        let id = seats.last().map_or(0, |seat| seat.id + 1);
        seats.push(Seat {
            id,
            look,
            events: sender,
        });
        self.count.send_replace(seats.len());
        drop(seats);
        Attached {
            relay: Arc::clone(self),
            id,
            events,
        }
    }

    /// A part was shown. `false`: nothing waits for that.
    pub(super) fn confirm(&self, key: &str) -> bool {
        let waiting = self.sent().remove(key);
        waiting.is_some_and(|waiting| waiting.send(()).is_ok())
    }

    fn seats(&self) -> MutexGuard<'_, Vec<Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<()>>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the terminal at which the message was typed that is answered; where that is closed, or none is named, all.
    /// `false`: nobody was told.
    fn tell(&self, to: &Address, event: &TerminalEvent) -> bool {
        let session = to
            .reply_to
            .as_deref()
            .and_then(|id| id.rsplit_once('-'))
            .map(|(id, _)| id);
        let seats = self.seats();
        let is_known = seats.iter().any(|seat| session == Some(&*seat.look.session));
        let told = seats
            .iter()
            .filter(|seat| !is_known || session == Some(&*seat.look.session));
        // Each of them is told.
        told.filter(|seat| seat.events.try_send(event.clone()).is_ok()).count() > 0
    }

    /// Waits for a terminal. `false`: none opens in time.
    async fn attended(&self) -> bool {
        let mut count = self.count.subscribe();
        tokio::select! {
            () = self.stop.cancelled() => false,
            opened = tokio::time::timeout(ABSENCE, count.wait_for(|count| *count > 0)) => opened.is_ok(),
        }
    }
}

#[async_trait]
impl Channel for Relay {
    fn platform(&self) -> Platform {
        Platform::TERMINAL
    }

    /// As the terminals are that are open: what only one of them shows is made for it.
    fn limits(&self) -> Limits {
        let seats = self.seats();
        let interactive = seats.iter().any(|seat| seat.look.interactive);
        Limits {
            text_units: TEXT_UNITS,
            file_bytes: u64::MAX,
            flavor: if interactive { Flavor::Terminal } else { Flavor::Plain },
            drops_repeats: true,
            typing_every: interactive.then_some(TYPING),
            shows_progress: seats.iter().any(|seat| !seat.look.quiet),
            draft_every: interactive.then_some(DRAFTS),
            ..Limits::default()
        }
    }

    fn is_attended(&self) -> bool {
        *self.count.borrow() > 0
    }

    /// Messages come in through the API's handlers.
    async fn receive(&self, _: Arc<dyn Ingress>, stop: CancellationToken) -> Result<(), ChannelError> {
        stop.cancelled().await;
        Ok(())
    }

    async fn send(&self, to: &Address, part: &Part, key: &DeliveryKey) -> Result<Receipt, SendError> {
        if !self.attended().await {
            return Err(SendError::NotSent("no terminal is open".to_owned()));
        }
        let path = match part {
            Part::Stored { payload, .. } => payload.path.clone(),
            Part::Text { .. } | Part::File { .. } => None,
        };
        let event = TerminalEvent::Part(TerminalPart {
            reply_to: to.reply_to.clone(),
            key: key.0.clone(),
            part: part.clone(),
            path,
        });
        let (shown, wait) = oneshot::channel();
        self.sent().insert(key.0.clone(), shown);
        if !self.tell(to, &event) {
            self.sent().remove(&key.0);
            return Err(SendError::NotSent("the terminal takes nothing more".to_owned()));
        }
        let is_shown = tokio::select! {
            () = self.stop.cancelled() => false,
            shown = tokio::time::timeout(SHOWING, wait) => matches!(shown, Ok(Ok(()))),
        };
        if is_shown {
            return Ok(Receipt { id: key.0.clone() });
        }
        self.sent().remove(&key.0);
        Err(SendError::Unreachable(
            "the terminal did not confirm the message".to_owned(),
        ))
    }

    async fn signal(&self, to: &Address, signal: &Signal) -> Result<(), SendError> {
        let reply_to = to.reply_to.clone();
        let event = match signal {
            Signal::Typing => TerminalEvent::Typing(About { reply_to }),
            Signal::Progress { kind, text } => TerminalEvent::Progress(TerminalProgress {
                reply_to,
                kind: *kind,
                text: text.clone(),
            }),
            Signal::Draft { text, .. } => TerminalEvent::Draft(TerminalDraft {
                reply_to,
                text: text.clone(),
            }),
            Signal::DraftDropped { .. } => TerminalEvent::DraftDropped(About { reply_to }),
            Signal::Done => TerminalEvent::Done(About { reply_to }),
            Signal::Mark(_) => return Ok(()),
        };
        self.tell(to, &event);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(session: &str, interactive: bool) -> Look {
        Look {
            session: session.to_owned(),
            interactive,
            quiet: !interactive,
        }
    }

    fn to(reply_to: Option<&str>) -> Address {
        Address {
            place: "local".to_owned(),
            private: true,
            reply_to: reply_to.map(str::to_owned),
            via: None,
        }
    }

    fn told(attached: &mut Attached) -> Vec<TerminalEvent> {
        std::iter::from_fn(|| attached.events.try_recv().ok()).collect()
    }

    #[tokio::test]
    async fn what_answers_goes_to_where_it_was_asked_and_the_rest_to_all() {
        let relay = Relay::new(CancellationToken::new());
        assert!(!relay.is_attended());
        let (mut one, mut other) = (relay.attach(look("1", true)), relay.attach(look("2", false)));
        assert!(relay.is_attended() && relay.limits().shows_progress);
        for reply_to in [Some("1-7"), Some("3-1"), None] {
            relay.signal(&to(reply_to), &Signal::Done).await.unwrap();
        }
        assert_eq!((told(&mut one).len(), told(&mut other).len()), (3, 2));
        drop(one);
        assert_eq!(
            (
                relay.limits().flavor,
                relay.limits().draft_every,
                relay.limits().shows_progress
            ),
            (Flavor::Plain, None, false)
        );
        drop(other);
        assert!(!relay.is_attended());
    }

    #[tokio::test(start_paused = true)]
    async fn a_part_is_delivered_when_a_terminal_has_shown_it() {
        let relay = Relay::new(CancellationToken::new());
        let part = Part::Text {
            text: "Hello".to_owned(),
            plain: "Hello".to_owned(),
            buttons: Vec::new(),
            rich: None,
        };
        let key = DeliveryKey("k".to_owned());
        let sent = relay.send(&to(None), &part, &key).await;
        assert!(matches!(sent, Err(SendError::NotSent(_))), "{sent:?}");
        let mut attached = relay.attach(look("1", true));
        let sent = relay.send(&to(None), &part, &key).await;
        assert!(matches!(sent, Err(SendError::Unreachable(_))), "{sent:?}");
        assert!(!relay.confirm("k"));
        let confirm = async {
            while !relay.confirm("k") {
                tokio::task::yield_now().await;
            }
        };
        let (receipt, to) = (Receipt { id: "k".to_owned() }, to(None));
        let (sent, ()) = tokio::join!(relay.send(&to, &part, &key), confirm);
        assert_eq!(sent.unwrap(), receipt);
        assert_eq!(told(&mut attached).len(), 2);
    }

    #[tokio::test]
    async fn a_server_that_stops_waits_for_no_terminal() {
        let stop = CancellationToken::new();
        let relay = Relay::new(stop.clone());
        stop.cancel();
        let part = Part::Text {
            text: String::new(),
            plain: String::new(),
            buttons: Vec::new(),
            rich: None,
        };
        let sent = relay.send(&to(None), &part, &DeliveryKey("k".to_owned())).await;
        assert!(matches!(sent, Err(SendError::NotSent(_))), "{sent:?}");
    }
}
