//! The check whether the person who answers a question of another's run, or stops it, manages the place: the platform
//! is asked, before the transaction of the command, and only where that decides.

use std::time::Duration;

use clifford_channel::Actor;
use clifford_chat::{
    inbound::{Command, Place, Speaker},
    platform::Platform,
};
use clifford_core::{commands::CommandName, people::UserRole};
use clifford_delivery::managers::{self, Managers, NoAnswer};
use clifford_store::{
    StoreError,
    people::users,
    places::{channels, settings},
    runs::{self, approvals},
};

use super::{IngressService, commands, pace::Limited};

/// How long a question may take to land that its person answers already.
const LANDING: Duration = Duration::from_secs(1);
/// How often to look whether it has.
const LOOK: Duration = Duration::from_millis(10);

/// Whether somebody manages a place, as the platform told lately: by platform, place and account.
pub(super) type ToldManagers = Managers<(Platform, String, String)>;

impl IngressService {
    /// Waits a moment for the questions that are on their way to where somebody answers without naming one: what they
    /// read just now may not be marked as delivered yet.
    pub(super) async fn question_lands(&self, command: &Command) -> Result<(), StoreError> {
        let names_one = command
            .argument
            .split_whitespace()
            .next()
            .is_some_and(|word| word != "always");
        if names_one
            || !matches!(
                CommandName::of(&command.name),
                Some(CommandName::Approve | CommandName::Deny)
            )
        {
            return Ok(());
        }
        let place = &command.place;
        let mut conn = self.db.read().await?;
        let user = users::by_identity(&mut conn, place.platform, &command.speaker.id).await?;
        let channel = channels::by_place(&mut conn, place.platform, &place.external_id).await?;
        let (Some(user), Some(channel)) = (user, channel) else {
            return Ok(());
        };
        let on_the_way = approvals::on_the_way(&mut conn, user.id, channel.id).await?;
        drop(conn);
        // A message that does not land is shown again.
        let until = tokio::time::Instant::now() + LANDING;
        for message in on_the_way {
            while self.context.delivery.is_in_flight(message) && tokio::time::Instant::now() < until {
                tokio::time::sleep(LOOK).await;
            }
        }
        Ok(())
    }

    /// Whether the person of a command may answer questions of others' runs, and stop them, in a group or server that they
    /// manage.
    pub(super) async fn manages(&self, command: &Command, limited: Limited) -> Result<bool, StoreError> {
        let place = &command.place;
        if limited != Limited::No || place.kind.is_private() {
            return Ok(false);
        }
        let Some(name) = CommandName::of(&command.name) else {
            return Ok(false);
        };
        let concerned = commands::concerns(name, &command.argument);
        let stops_all = name == CommandName::Stop && concerned.is_none();
        if stops_all || matches!(name, CommandName::Settings | CommandName::Model) {
            return self.manages_place(command).await;
        }
        let Some(run) = concerned else {
            return Ok(false);
        };
        let mut conn = self.db.read().await?;
        let user = users::by_identity(&mut conn, place.platform, &command.speaker.id).await?;
        let run = runs::get(&mut conn, run).await?;
        drop(conn);
        let may_anyway = |run: &clifford_core::runs::Run| {
            (user.as_ref()).is_some_and(|user| run.user_id == Some(user.id) || user.role == UserRole::Owner)
        };
        let actor = self.context.tools.actor(place.platform);
        let (Some(actor), Some(false)) = (actor, run.as_ref().map(may_anyway)) else {
            return Ok(false);
        };
        if !self.is_welcome(command, user.map(|user| user.role)).await? {
            return Ok(false);
        }
        let rules = settings::rules(&mut self.db.read().await?, place).await?;
        if name != CommandName::Stop && rules.approves(&command.speaker) {
            return Ok(true);
        }
        Ok(is_manager(actor.as_ref(), place, &command.speaker).await)
    }

    /// Whether the person of a command manages the group or server that it was given in.
    async fn manages_place(&self, command: &Command) -> Result<bool, StoreError> {
        let place = &command.place;
        let user = users::by_identity(&mut self.db.read().await?, place.platform, &command.speaker.id).await?;
        if user.as_ref().is_some_and(|user| user.role == UserRole::Owner) {
            return Ok(true);
        }
        match self.context.tools.actor(place.platform) {
            Some(actor) if self.is_welcome(command, user.map(|user| user.role)).await? => {
                Ok(is_manager(actor.as_ref(), place, &command.speaker).await)
            }
            _ => Ok(false),
        }
    }

    /// The same of somebody who types: the platform is not asked with each letter. A command is judged anew when it
    /// is given as a command.
    pub(super) async fn managed_lately(&self, place: &Place, speaker: &Speaker) -> bool {
        let Some(actor) = self.context.tools.actor(place.platform) else {
            return false;
        };
        let key = (place.platform, place.external_id.clone(), speaker.id.clone());
        if let Some(manages) = self.told_managers.held(&key, self.clock.now()) {
            return manages;
        }
        let answer = ask_platform(actor.as_ref(), place, speaker).await;
        self.told_managers.keep(key, self.clock.now(), answer);
        answer.unwrap_or(false)
    }
}

/// Asks the platform whether a person manages a place.
async fn ask_platform(actor: &dyn Actor, place: &Place, speaker: &Speaker) -> Result<bool, NoAnswer> {
    // The bot is no member there: nobody would tell it, and it is nobody's to manage for it.
    if place.only_answers() {
        return Ok(false);
    }
    managers::ask(actor, place.platform, &place.external_id, &speaker.id).await
}

/// Whether a person manages a place. A platform that does not answer says no.
async fn is_manager(actor: &dyn Actor, place: &Place, speaker: &Speaker) -> bool {
    ask_platform(actor, place, speaker).await.unwrap_or(false)
}
