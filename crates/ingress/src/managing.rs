//! Whether somebody who answers a question of another person's run manages the place: the platform is asked, before the
//! transaction of the command, and only where that decides.

use std::time::Duration;

use clifford_chat::inbound::Command;
use clifford_core::{people::UserRole, run::question};
use clifford_store::{
    StoreError,
    people::users,
    places::channels,
    runs::{self, approvals},
};

use super::{IngressService, pace::Limited};

/// How long a platform may take to say it.
const TELLING: Duration = Duration::from_secs(5);
/// How long a question may take to land that its person answers already.
const LANDING: Duration = Duration::from_secs(1);
/// How often to look whether it has.
const LOOK: Duration = Duration::from_millis(10);

impl IngressService {
    /// Waits a moment for the questions that are on their way to where somebody answers without naming one: what they
    /// read just now may not be marked as delivered yet.
    pub(super) async fn question_lands(&self, command: &Command) -> Result<(), StoreError> {
        let names_one = command
            .argument
            .split_whitespace()
            .next()
            .is_some_and(|word| word != "always");
        if names_one || !matches!(command.name.as_str(), "approve" | "deny") {
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
            while self.context.delivery.has_in_hand(message) && tokio::time::Instant::now() < until {
                tokio::time::sleep(LOOK).await;
            }
        }
        Ok(())
    }

    /// Whether the person of a command may answer questions of others' runs, in a group or server that they manage.
    pub(super) async fn manages(&self, command: &Command, limited: Limited) -> Result<bool, StoreError> {
        let place = &command.place;
        if limited != Limited::No || place.kind.is_private() || !matches!(command.name.as_str(), "approve" | "deny") {
            return Ok(false);
        }
        let named = command.argument.split_whitespace().next().unwrap_or_default();
        let Some((run, _)) = question::parse(named) else {
            return Ok(false);
        };
        let mut conn = self.db.read().await?;
        let user = users::by_identity(&mut conn, place.platform, &command.speaker.id).await?;
        let run = runs::get(&mut conn, run).await?;
        drop(conn);
        let may_anyway = |run: &clifford_core::runs::Run| {
            (user.as_ref()).is_some_and(|user| run.user_id == Some(user.id) || user.role == UserRole::Owner)
        };
        let actor = self.context.services.actors.get(&place.platform);
        let (Some(actor), Some(false)) = (actor, run.as_ref().map(may_anyway)) else {
            return Ok(false);
        };
        if !self.is_welcome(command, user.map(|user| user.role)) {
            return Ok(false);
        }
        let told = actor.manages(&place.external_id, &command.speaker.id);
        Ok(match tokio::time::timeout(TELLING, told).await {
            Ok(Ok(manages)) => manages,
            Ok(Err(error)) => {
                tracing::info!(%error, platform = %place.platform, "channel managers unknown");
                false
            }
            Err(_) => {
                tracing::info!(platform = %place.platform, "platform did not list the channel's managers in time");
                false
            }
        })
    }
}
