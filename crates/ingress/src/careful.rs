//! Events after a process died that received them: one by one, each announced before, and set aside if processes die of it.

use clifford_chat::{
    inbound::{Accepted, Inbound, Place},
    platform::Platform,
};
use clifford_core::{quarantine::Verdict, run::sentences, work::Kind};
use clifford_delivery::outbound::To;
use clifford_store::{
    StoreError,
    messages::{
        self,
        inbound_attempts::{self, Announced},
        unreadable,
    },
    people::reading,
    places::channels,
};
use clifford_telemetry::{measures, quarantine::isolation::SOON};
use tokio::time::timeout;

use super::IngressService;

/// The identity of an event, and its place.
struct Event {
    /// A hash: what a platform calls a message may be a person's.
    id: String,
    platform: Platform,
    place: Place,
    reply_to: String,
    /// Its id is that of one row of messages.
    is_stored_once: bool,
}

impl Event {
    /// `None`: it cannot be told from others, or nobody's words are in it.
    fn of(event: &Inbound) -> Option<Self> {
        let (kind, place, id) = match event {
            Inbound::Message(message) => ("message", &message.place, &message.id),
            Inbound::Command(command) => ("command", &command.place, &command.id),
            Inbound::Edit(edit) => ("edit", &edit.place, &edit.id),
            Inbound::Deleted(_)
            | Inbound::Moved(_)
            | Inbound::Renamed(_)
            | Inbound::Reaction(_)
            | Inbound::Joined(_)
            | Inbound::Left(_)
            | Inbound::Unreadable(_) => return None,
        };
        let platform = place.platform;
        Some(Self {
            id: event_id(kind, platform, &place.external_id, id),
            platform,
            place: place.clone(),
            reply_to: id.clone(),
            is_stored_once: !matches!(event, Inbound::Edit(_)),
        })
    }
}

fn event_id(kind: &str, platform: Platform, place: &str, id: &str) -> String {
    clifford_vault::hash(&format!("{platform}/{kind}/{place}/{id}"))
}

/// The events that brought what the platform knows by this id, if they were set aside.
pub(super) fn events_of_message(platform: Platform, place: &str, id: &str) -> [String; 2] {
    ["message", "edit"].map(|kind| event_id(kind, platform, place, id))
}

impl IngressService {
    /// Takes an event, with care if that is needed.
    ///
    /// # Errors
    /// The database is not there: the event is to be handed in again.
    pub(super) async fn take(&self, event: Inbound) -> Result<Accepted, StoreError> {
        if !self.careful.is_on() {
            return Box::pin(self.take_at_once(event)).await;
        }
        match Event::of(&event) {
            Some(known) => Box::pin(self.take_carefully(known, event)).await,
            None => Box::pin(self.take_at_once(event)).await,
        }
    }

    async fn take_carefully(&self, known: Event, event: Inbound) -> Result<Accepted, StoreError> {
        let isolation = &self.context.delivery.isolation();
        // Of the two lines only that of events is left while others are taken first.
        let next = isolation.next_turn();
        tokio::pin!(next);
        loop {
            let _turn = self.careful.turn().await;
            if self.is_stored(&known).await? {
                // A death since then has another cause than storing it.
                self.retract(known.id).await;
                return Box::pin(self.take_at_once(event)).await;
            }
            let before = inbound_attempts::deaths(&mut self.db.read().await?, &known.id).await?;
            // Announced only when it is its turn: nobody dies of a place in line. Without a turn other events are taken
            // first.
            let isolated = match before {
                0 => None,
                _ => match timeout(SOON, &mut next).await {
                    Ok(next) => Some(isolation.begin_turn(next).await),
                    Err(_) => continue,
                },
            };
            let Announced { deaths, quarantined } = self.announce(&known).await?;
            if quarantined {
                return Ok(Accepted::Stored);
            }
            if self.context.settings.engine().deaths().verdict_of_marks(deaths) == Verdict::Guilty {
                return self.set_aside(&known, event, deaths).await;
            }
            let taken = Box::pin(self.take_at_once(event)).await;
            drop(isolated);
            self.retract(known.id).await;
            return taken;
        }
    }

    /// Whether a message or command is stored already.
    async fn is_stored(&self, event: &Event) -> Result<bool, StoreError> {
        if !event.is_stored_once {
            return Ok(false);
        }
        let mut conn = self.db.read().await?;
        let Some(channel) = channels::by_place(&mut conn, event.platform, &event.place.external_id).await? else {
            return Ok(false);
        };
        let stored = messages::by_platform_id(&mut conn, channel.id, &event.reply_to).await?;
        Ok(stored.is_some())
    }

    async fn retract(&self, id: String) {
        let event = id.clone();
        let retracted = self
            .db
            .write(move |tx| Box::pin(async move { inbound_attempts::retract(tx, &event).await }));
        if let Err(error) = retracted.await {
            tracing::warn!(event_id = id, %error, "failed to retract the announcement of an event");
        }
    }

    async fn announce(&self, event: &Event) -> Result<Announced, StoreError> {
        let (id, platform, now) = (event.id.clone(), event.platform, self.clock.now());
        let announced = self.db.write(move |tx| {
            let id = id.clone();
            Box::pin(async move { inbound_attempts::announce(tx, &id, platform.as_str(), now).await })
        });
        announced.await
    }

    /// Stores an event among the unreadable ones; the author of a private one gets a notice.
    async fn set_aside(&self, known: &Event, event: Inbound, deaths: i64) -> Result<Accepted, StoreError> {
        let deaths = deaths + 1;
        let payload = self.masked(format!("{event:?}"));
        let why = format!("quarantined: {deaths} processes died that stored it");
        let told = self.told(known).await?;
        let (message, pending) = told.unzip();
        let (id, platform, now) = (known.id.clone(), known.platform, self.clock.now());
        let written = self.db.write(move |tx| {
            let (id, payload, why, message) = (id.clone(), payload.clone(), why.clone(), message.clone());
            Box::pin(async move {
                inbound_attempts::quarantine(tx, &id, now).await?;
                unreadable::insert(tx, platform.as_str(), &payload, &why, now).await?;
                if let Some(message) = &message {
                    messages::insert_outbound(tx, message, now).await?;
                }
                Ok(())
            })
        });
        written.await?;
        tracing::error!(%platform, deaths, "event quarantined: the process died each time that it stored it");
        measures::quarantined(Kind::Event);
        measures::event_unreadable(platform);
        if let Some(pending) = pending.flatten() {
            self.context.delivery.deliver(pending);
        }
        Ok(Accepted::Stored)
    }

    /// The notice to its author, if nobody else reads along there.
    async fn told(
        &self,
        event: &Event,
    ) -> Result<
        Option<(
            messages::NewOutbound,
            Option<clifford_delivery::outbound::PendingDelivery>,
        )>,
        StoreError,
    > {
        if !event.place.kind.is_private() {
            return Ok(None);
        }
        let mut conn = self.db.read().await?;
        let Some(channel) = channels::by_place(&mut conn, event.platform, &event.place.external_id).await? else {
            return Ok(None);
        };
        let to = To {
            platform: event.platform,
            channel: channel.id,
            context: channel.active_context_id,
            user: None,
            run: None,
            address: clifford_chat::outbound::Address {
                place: event.place.external_id.clone(),
                private: true,
                reply_to: Some(event.reply_to.clone()),
                via: None,
            },
        };
        let lang = reading::by_id(&mut conn, None, Some(channel.id)).await?;
        let told = sentences::EVENT_QUARANTINED.text(lang);
        Ok(Some(self.context.delivery.outbound().message(
            to,
            &told,
            self.clock.now(),
        )))
    }
}
