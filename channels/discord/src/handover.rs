//! Hands events in, one after another within a channel, until each is stored.

use std::{sync::Arc, time::Duration};

use clifford_channel::{Accepted, Inbound, Ingress, IngressError, Place, PlatformRole, Press, Served};
use clifford_text::Lang;
use reqwest::Method;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    answer,
    answers::Placeholder,
    api::Call,
    directory::{ChannelInfo, elsewhere},
    map::{self, InteractionPayload, Me, Payload, created_ms},
    shared::Shared,
    via::Via,
    wait::{Backoff, Stopped, pause},
};

/// How long the message that another one answers may take to be read.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// How long a server that Discord has not told of yet is waited for, before its history is read: it may be away.
const INTRODUCED_WITHIN: Duration = Duration::from_secs(10);

/// A piece of work that waits in a lane.
pub(crate) enum Work {
    Message(Box<Payload>),
    Edit(Box<Payload>),
    Command {
        command: Box<InteractionPayload>,
        acknowledged: JoinHandle<bool>,
        /// Only the person who gave it sees the answer.
        alone: bool,
    },
    Press {
        pressed: Box<InteractionPayload>,
        acknowledged: JoinHandle<bool>,
    },
    /// An event that needs no more work.
    Event(Box<Inbound>),
    /// A channel whose history is to be read for what was missed.
    Missed(Served),
}

/// Carries work to the ingress.
pub(crate) struct Handover {
    pub(crate) shared: Arc<Shared>,
    pub(crate) ingress: Arc<dyn Ingress>,
    pub(crate) stop: CancellationToken,
    tasks: TaskTracker,
}

impl Handover {
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
        }
    }

    /// Hands in a message that was written just now.
    pub(crate) async fn new_message(&self, me: Me, message: Payload) -> Result<(), Stopped> {
        let place = self.place(message.channel, message.guild).await?;
        self.message(me, place, message, false).await
    }

    /// Hands in an edit by the author.
    pub(crate) async fn edit(&self, me: Me, update: &Payload) -> Result<(), Stopped> {
        let place = self.place(update.channel, update.guild).await?;
        if self.is_withheld(&place, update) {
            return Ok(());
        }
        let (me, guild) = (self.within(me, &place), map::guild_of(&place));
        match map::edit(update, me, place, &|named| self.shared.directory.name(guild, named)) {
            Some(edit) => self.hand_in(Inbound::Edit(edit)).await.map(drop),
            None => Ok(()),
        }
    }

    /// Hands in a message, unless it is the bot's own or a notice.
    pub(crate) async fn message(
        &self,
        me: Me,
        place: Place,
        mut message: Payload,
        backfilled: bool,
    ) -> Result<(), Stopped> {
        if self.is_withheld(&place, &message) {
            return Ok(());
        }
        self.with_answered(&mut message).await;
        let (me, guild) = (self.within(me, &place), map::guild_of(&place));
        let names = |named| self.shared.directory.name(guild, named);
        match map::message(&message, me, place, &names, backfilled) {
            Some(mut inbound) => {
                inbound.speaker.roles = self.roles(&inbound.place, message.author_roles());
                self.hand_in(Inbound::Message(inbound)).await.map(drop)
            }
            None => Ok(()),
        }
    }

    /// Whether Discord withholds what a message says, which looks as if it said nothing.
    /// <https://docs.discord.com/developers/events/gateway#message-content-intent>
    fn is_withheld(&self, place: &Place, message: &Payload) -> bool {
        self.shared.withholds_content() && !place.kind.is_private() && message.says_nothing()
    }

    /// The roles of a member with their names; in private there are none.
    fn roles(&self, place: &Place, ids: Option<Vec<u64>>) -> Option<Vec<PlatformRole>> {
        let Some(guild) = map::guild_of(place) else {
            return Some(Vec::new());
        };
        ids.map(|ids| self.shared.directory.named_roles(guild, &ids))
    }

    /// Waits until Discord has told of a place's server: by that the bot knows its role there, and which channels hold
    /// posts.
    pub(crate) async fn introduced(&self, served: &Served) -> Result<(), Stopped> {
        let Some(guild) = served.space.as_deref().and_then(|space| space.parse().ok()) else {
            return Ok(());
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Stopped),
            () = self.shared.directory.learns_of(guild) => Ok(()),
            () = tokio::time::sleep(INTRODUCED_WITHIN) => Ok(()),
        }
    }

    /// The bot in the server of a place.
    fn within(&self, me: Me, place: &Place) -> Me {
        let guild = map::guild_of(place);
        let role = guild.and_then(|guild| self.shared.directory.own_role(guild, me.user));
        Me { role, ..me }
    }

    /// Asks for the message that this one answers, where Discord said nothing of it: once, and not for long, for others
    /// of the channel wait behind it.
    async fn with_answered(&self, message: &mut Payload) {
        let Some((channel, id)) = message.answers().filter(|_| message.answered_is_untold()) else {
            return;
        };
        let path = format!("/channels/{channel}/messages/{id}");
        let mut call = Call::new(Method::GET, "read message", channel, path);
        call.urgent = Some(ANSWERED_WITHIN);
        let answered = tokio::select! {
            () = self.stop.cancelled() => return,
            answered = self.shared.api.call::<Value>(&call) => answered,
        };
        match answered {
            Ok(answered) => message.with_answered(answered),
            Err(error) => tracing::debug!(channel_id = channel, %error, "failed to read the message that is answered"),
        }
    }

    /// Hands in a slash command, once it was acknowledged.
    pub(crate) async fn command(
        &self,
        me: Me,
        command: &InteractionPayload,
        acknowledged: JoinHandle<bool>,
        alone: bool,
    ) -> Result<(), Stopped> {
        let place = self.place_of(command).await?;
        let via = self.open(command, alone, acknowledged).await;
        if alone && via.is_none() {
            // Elsewhere others would read the answer. Discord has told its giver that there is none.
            return Ok(());
        }
        let roles = self.roles(&place, Some(command.roles.clone()));
        let guild = map::guild_of(&place);
        let names = |named| self.shared.directory.name(guild, named);
        let about = map::about(command, me, place.clone(), &names, via.as_ref().map(Via::to_string));
        let mut event = about.map_or_else(|| map::command(command, place, via.as_ref()), Inbound::Message);
        match &mut event {
            Inbound::Message(message) => message.speaker.roles = roles,
            Inbound::Command(command) => command.speaker.roles = roles,
            _ => {}
        }
        self.interaction(Some(event), via).await
    }

    /// Hands in a pressed button, once it was acknowledged.
    pub(crate) async fn press(
        &self,
        pressed: &InteractionPayload,
        acknowledged: JoinHandle<bool>,
    ) -> Result<(), Stopped> {
        let place = self.place_of(pressed).await?;
        let roles = self.roles(&place, Some(pressed.roles.clone()));
        let of_speaker = |event: Option<Inbound>| match event {
            Some(Inbound::Command(mut command)) => {
                command.speaker.roles.clone_from(&roles);
                Some(Inbound::Command(command))
            }
            other => other,
        };
        let alone = pressed.is_below_private();
        if pressed.press() == Press::InPlace {
            let via = acknowledged.await.unwrap_or(false).then(|| via_of(pressed, alone));
            if alone && via.is_none() {
                return Ok(());
            }
            let event = map::press(pressed, place, via.as_ref().map(Via::in_place));
            return self.in_place(of_speaker(event), via).await;
        }
        let via = self.open(pressed, alone, acknowledged).await;
        if alone && via.is_none() {
            return Ok(());
        }
        let event = map::press(pressed, place, via.as_ref().map(Via::to_string));
        self.interaction(of_speaker(event), via).await
    }

    /// Hands in a press whose answer takes the place of the message below which it was: that stays if there is none.
    async fn in_place(&self, event: Option<Inbound>, via: Option<Via>) -> Result<(), Stopped> {
        let Some(event) = event else {
            return Ok(());
        };
        if let (Accepted::Refused(text), Some(via)) = (self.hand_in(event).await?, via) {
            answer::tell_alone(&self.shared, &via, &text).await;
        }
        Ok(())
    }

    /// An interaction that can be answered, once it was acknowledged.
    async fn open(&self, of: &InteractionPayload, alone: bool, acknowledged: JoinHandle<bool>) -> Option<Via> {
        let via = acknowledged.await.unwrap_or(false).then(|| via_of(of, alone))?;
        let lang = Lang::for_reader(of.speaker.language.as_deref(), None);
        self.shared
            .answers
            .acknowledged(&via, lang, (self.shared.config.clock)());
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
            (Accepted::Refused(text), Some(via)) => answer::refuse(&self.shared, &via, &text).await,
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
                () = answer::placeholder_with_retries(&shared, &via, Placeholder::Waits) => {}
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
                    tracing::warn!(error, wait_ms = wait.as_millis(), "failed to store an event, retrying");
                    pause(wait, &self.stop).await?;
                }
            }
        }
    }

    /// The place of an interaction.
    async fn place_of(&self, given: &InteractionPayload) -> Result<Place, Stopped> {
        match given.is_elsewhere() {
            true => Ok(elsewhere(given.channel)),
            false => self.place(given.channel, given.guild).await,
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
        match self
            .shared
            .api
            .call_with_retries::<ChannelInfo>(&call, &self.stop)
            .await?
        {
            Ok(info) => drop(self.shared.directory.channel(info)),
            Err(refusal) => tracing::debug!(channel_id = channel, %refusal, "failed to look up a channel"),
        }
        Ok(())
    }
}

/// The way back to an interaction.
fn via_of(from: &InteractionPayload, alone: bool) -> Via {
    Via {
        application: from.application,
        interaction: from.id,
        created_ms: created_ms(from.id),
        token: from.token.clone(),
        alone,
    }
}
