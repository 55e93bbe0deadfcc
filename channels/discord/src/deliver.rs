//! Hands events in, one after another within a channel, until each is stored.

use std::sync::Arc;

use async_trait::async_trait;
use clifford_channel::{Accepted, Inbound, Ingress, IngressError, Place, Served};
use reqwest::Method;
use serenity::model::{application::CommandInteraction, channel::Message, event::MessageUpdateEvent};
use tokio::{sync::Semaphore, task::JoinHandle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Shared,
    answer::{self, Stand},
    api::Call,
    directory::ChannelInfo,
    lanes::Worker,
    map::{self, Me, Pressed, created_ms},
    via::Via,
    wait::{Backoff, Stopped, pause},
};

/// How many channels' histories are read at a time.
const READERS: usize = 8;

/// What waits in a lane.
pub(crate) enum Work {
    Message(Box<Message>),
    Edit(Box<MessageUpdateEvent>),
    Command {
        command: Box<CommandInteraction>,
        acknowledged: JoinHandle<bool>,
    },
    Press {
        pressed: Box<Pressed>,
        acknowledged: JoinHandle<bool>,
    },
    /// An event that needs no more work.
    Event(Box<Inbound>),
    /// A channel whose history is to be read for what was missed.
    Missed(Served),
}

/// Carries work to the ingress.
pub(crate) struct Deliver {
    pub(crate) shared: Arc<Shared>,
    pub(crate) ingress: Arc<dyn Ingress>,
    pub(crate) stop: CancellationToken,
    tasks: TaskTracker,
    readers: Semaphore,
}

#[async_trait]
impl Worker for Deliver {
    type Work = (Me, Work);

    async fn work(&self, (me, work): (Me, Work)) -> Result<(), Stopped> {
        self.carry(me, work).await
    }
}

impl Deliver {
    pub(crate) fn new(
        shared: Arc<Shared>,
        ingress: Arc<dyn Ingress>,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        Self {
            shared,
            ingress,
            stop,
            tasks,
            readers: Semaphore::new(READERS),
        }
    }

    async fn carry(&self, me: Me, work: Work) -> Result<(), Stopped> {
        match work {
            Work::Message(message) => {
                let guild = message.guild_id.map(|id| id.get());
                let place = self.place(message.channel_id.get(), guild).await?;
                self.message(me, place, &message, false).await
            }
            Work::Edit(update) => {
                let guild = update.guild_id.map(|id| id.get());
                let place = self.place(update.channel_id.get(), guild).await?;
                match map::edit(&update, me, place, &|id| self.shared.directory.name(id)) {
                    Some(edit) => self.hand_in(Inbound::Edit(edit)).await.map(drop),
                    None => Ok(()),
                }
            }
            Work::Command { command, acknowledged } => self.command(&command, acknowledged).await,
            Work::Press { pressed, acknowledged } => self.press(&pressed, acknowledged).await,
            Work::Event(event) => self.hand_in(*event).await.map(drop),
            Work::Missed(served) => {
                let Ok(_reader) = self.readers.acquire().await else {
                    return Err(Stopped);
                };
                crate::backfill::read(self, me, &served).await
            }
        }
    }

    /// Hands in a message, unless it is the bot's own or a notice.
    pub(crate) async fn message(
        &self,
        me: Me,
        place: Place,
        message: &Message,
        backfilled: bool,
    ) -> Result<(), Stopped> {
        match map::message(message, me, place, &|id| self.shared.directory.name(id), backfilled) {
            Some(message) => self.hand_in(Inbound::Message(message)).await.map(drop),
            None => Ok(()),
        }
    }

    async fn command(&self, command: &CommandInteraction, acknowledged: JoinHandle<bool>) -> Result<(), Stopped> {
        let guild = command.guild_id.map(|id| id.get());
        let place = self.place(command.channel_id.get(), guild).await?;
        let via = Via {
            application: command.application_id.get(),
            interaction: command.id.get(),
            created_ms: created_ms(command.id.get()),
            token: command.token.clone(),
        };
        let via = self.open(via, acknowledged).await;
        let event = map::command(command, place, via.as_ref().map(Via::to_string));
        self.interaction(Some(event), via).await
    }

    async fn press(&self, pressed: &Pressed, acknowledged: JoinHandle<bool>) -> Result<(), Stopped> {
        let from = &pressed.from;
        let place = self
            .place(from.channel_id.get(), from.guild_id.map(|id| id.get()))
            .await?;
        let via = Via {
            application: from.application_id.get(),
            interaction: from.id.get(),
            created_ms: created_ms(from.id.get()),
            token: from.token.clone(),
        };
        let via = self.open(via, acknowledged).await;
        let event = map::press(pressed, place, via.as_ref().map(Via::to_string));
        self.interaction(event, via).await
    }

    /// An interaction that can be answered, once it was acknowledged.
    async fn open(&self, via: Via, acknowledged: JoinHandle<bool>) -> Option<Via> {
        let via = acknowledged.await.unwrap_or(false).then_some(via)?;
        self.shared.answers.acknowledged(&via, (self.shared.config.clock)());
        Some(via)
    }

    /// Hands in what an interaction means, if it means anything.
    async fn interaction(&self, event: Option<Inbound>, via: Option<Via>) -> Result<(), Stopped> {
        let accepted = match event {
            Some(event) => self.hand_in(event).await?,
            None => Accepted::Ignored,
        };
        // "Is thinking" must not stay where perhaps nobody will answer.
        match (accepted, via) {
            (Accepted::Ignored | Accepted::Stored, Some(via)) => answer::remove(&self.shared, &via).await,
            (Accepted::Queued, Some(via)) => self.say_that_it_waits(via),
            (Accepted::Answering | Accepted::Duplicate, _) | (_, None) => {}
        }
        Ok(())
    }

    /// Beside the lane, which goes on.
    fn say_that_it_waits(&self, via: Via) {
        let (shared, stop) = (Arc::clone(&self.shared), self.stop.clone());
        self.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = answer::insist(&shared, &via, Stand::Waits) => {}
            }
        });
    }

    /// Hands an event in until it is stored.
    pub(crate) async fn hand_in(&self, event: Inbound) -> Result<Accepted, Stopped> {
        let mut backoff = Backoff::new(&self.shared.config.timing);
        loop {
            match self.ingress.accept(event.clone()).await {
                Ok(accepted) => return Ok(accepted),
                Err(IngressError::Unavailable(error)) => {
                    let wait = backoff.next();
                    tracing::warn!(
                        error,
                        wait_ms = wait.as_millis(),
                        "an event was not stored; trying again"
                    );
                    pause(wait, &self.stop).await?;
                }
            }
        }
    }

    /// A channel as a place; asks Discord about a channel of a guild that is not known.
    pub(crate) async fn place(&self, channel: u64, guild: Option<u64>) -> Result<Place, Stopped> {
        let directory = &self.shared.directory;
        if let Some(place) = directory.place(channel) {
            return Ok(place);
        }
        if guild.is_some() {
            self.look_up(channel).await?;
        }
        Ok(directory
            .place(channel)
            .unwrap_or_else(|| directory.place_within(channel, guild)))
    }

    /// Asks Discord about a channel, and remembers the answer.
    pub(crate) async fn look_up(&self, channel: u64) -> Result<(), Stopped> {
        let call = Call::new(Method::GET, "read channel", channel, format!("/channels/{channel}"));
        match self.shared.api.insist::<ChannelInfo>(&call, &self.stop).await? {
            Ok(info) => self.shared.directory.channel(info),
            Err(refusal) => tracing::debug!(channel, %refusal, "a channel could not be looked up"),
        }
        Ok(())
    }
}
