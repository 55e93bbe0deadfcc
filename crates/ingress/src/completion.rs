//! The completions of an argument, for a person who may speak there.

use clifford_chat::completion::{Choice, Completion};
use clifford_core::{
    access::{self, Entry},
    people::UserRole,
    places::Speaks,
};
use clifford_store::{
    StoreError,
    people::{reading, users},
    places::{channels, settings},
};

use super::IngressService;
use crate::commands;

impl IngressService {
    /// The choices, for people who may send the command itself; none for everybody else.
    pub(super) async fn choices(&self, asked: &Completion) -> Result<Vec<Choice>, StoreError> {
        let (place, speaker) = (&asked.place, &asked.speaker);
        if speaker.is_bot {
            return Ok(Vec::new());
        }
        let mut conn = self.db.read().await?;
        let user = users::by_identity(&mut conn, place.platform, &speaker.id).await?;
        let role = user.as_ref().map(|user| user.role);
        let rules = settings::rules(&mut conn, place).await?;
        if access::entry_here(&self.audience(place.platform), place, speaker, role, &rules) != Entry::Welcome {
            return Ok(Vec::new());
        }
        let channel = channels::by_place(&mut conn, place.platform, &place.external_id).await?;
        if channel
            .as_ref()
            .is_some_and(clifford_core::places::Channel::is_turned_off)
        {
            return Ok(Vec::new());
        }
        let is_owner = role == Some(UserRole::Owner);
        let manages = if asked.command == "settings" && !place.kind.is_private() && !is_owner {
            // The platform may take its time.
            drop(conn);
            let manages = self.managed_lately(place, speaker).await;
            conn = self.db.read().await?;
            manages
        } else {
            is_owner
        };
        let is_left_out = rules.speaks == Some(Speaks::Never) || !rules.admits(speaker, role);
        if !place.kind.is_private() && !manages && is_left_out {
            return Ok(Vec::new());
        }
        let told = user.as_ref().and_then(|user| user.language.as_deref());
        let told = told.or(speaker.language.as_deref());
        let (lang, _) = reading::at(&mut conn, told, place).await?;
        let asked = commands::CompletionRequest {
            completion: asked,
            channel: channel.as_ref(),
            user: user.as_ref(),
            offered: &self.offered(&asked.command),
            manages,
            lang,
        };
        commands::complete(&mut conn, asked).await
    }
}
