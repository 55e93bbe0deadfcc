//! A command: what is asked and read for it before the transaction that carries it out (`store.rs`).

mod store;

use std::time::Duration;

use clifford_chat::inbound::{Accepted, Command, Message, PlaceKind};
use clifford_core::{
    access::{self, Entry, PlaceRules},
    clock::Timestamp,
    commands::{CommandName, is_known},
    people::UserRole,
    rate,
};
use clifford_engine::models::roles::Keyed as KeyedProvider;
use clifford_store::{
    StoreError,
    people::users,
    places::{settings, threads},
};
use clifford_telemetry::measures;

use self::store::CommandRequest;
use super::{IngressService, Origin, api_command::Keyed, late, outcome::IngressOutcome, pace::Limited, pairing};
use crate::commands::{self, Carrier, Choices, Gathered, Purse, Ring};

/// How long a platform may take to delete a message that a key stood in.
const DELETING: Duration = Duration::from_secs(5);

impl IngressService {
    pub(super) async fn command(&self, mut command: Command) -> Result<Accepted, StoreError> {
        if !command.place.kind.is_private() {
            pairing::void_said(&self.db, &command.argument, self.clock.now()).await?;
        }
        if command.speaker.is_bot {
            return Ok(Accepted::Ignored);
        }
        if CommandName::Ask.is(&command.name) && !command.argument.is_empty() {
            return self.message(asked(command)).await;
        }
        // A person's key may be the one that is configured: it is encrypted, and nothing of it stays in the row.
        if !CommandName::Key.is(&command.name) {
            command.argument = self.masked(command.argument);
        }
        // In a shared place it may be another bot's.
        if !command.place.kind.is_private() && !is_known(&command.name) {
            return Ok(Accepted::Ignored);
        }
        self.find_topic(&mut command).await?;
        self.learn_roles(&command.place, &mut command.speaker).await?;
        let origin = Origin {
            place: command.place.clone(),
            speaker: command.speaker.clone(),
            via: command.via.clone(),
            reply_to: Some(command.id.clone()),
        };
        let now = self.clock.now();
        // Stopping is never rate limited.
        let counted = (!CommandName::Stop.is(&command.name)).then(|| late::counted(command.sent_at.into(), now));
        let limited = counted.map_or(Limited::No, |counted| {
            self.pace.over_limit(&origin.place, &origin.speaker, counted)
        });
        let (platform, account) = (origin.place.platform, origin.speaker.id.clone());
        let given = self.give(command, origin, limited, None, now).await;
        if given.is_err() {
            self.pace.release(platform, &account, counted, limited);
        }
        given
    }

    /// Gives a button's command the topic of the message that it stands below, where the platform did not tell it.
    async fn find_topic(&self, command: &mut Command) -> Result<(), StoreError> {
        let Some(message) = command.below.take() else {
            return Ok(());
        };
        let place = &mut command.place;
        let mut conn = self.db.read().await?;
        let found = threads::of_sent(&mut conn, place.platform, &place.external_id, &message).await?;
        if let Some(topic) = found.filter(|topic| topic.external_id != place.external_id) {
            let whole = std::mem::replace(&mut place.external_id, topic.external_id);
            // A topic of a private chat is one person's, too, and needs no parent.
            if !place.kind.is_private() {
                (place.parent, place.kind) = (Some(whole), PlaceKind::Thread);
            }
            place.name = topic.name;
        }
        Ok(())
    }

    /// Carries out a command, and goes on with what it stored.
    pub(super) async fn give(
        &self,
        command: Command,
        origin: Origin,
        limited: Limited,
        keyed: Option<Keyed>,
        now: Timestamp,
    ) -> Result<Accepted, StoreError> {
        let is_about_settings = CommandName::Settings.is(&command.name);
        let may_erase = CommandName::Erase.is(&command.name) && !command.argument.is_empty();
        let (platform, account) = (origin.place.platform, origin.speaker.id.clone());
        let outcome = self.carry_out(command, origin, limited, keyed, now).await?;
        if is_about_settings {
            self.always.changed();
        }
        if may_erase && let Err(error) = Box::pin(self.forget_overheard(platform, &account)).await {
            tracing::warn!(%platform, %error, "failed to forget ambient messages of an erased person");
        }
        if outcome.is_refusal {
            self.pace.refused(platform, account, now);
        }
        Ok(self.after_commit(outcome))
    }

    async fn carry_out(
        &self,
        command: Command,
        origin: Origin,
        limited: Limited,
        keyed: Option<Keyed>,
        now: Timestamp,
    ) -> Result<IngressOutcome, StoreError> {
        let asked = CommandRequest {
            audience: self.audience(origin.place.platform),
            outbound: self.context.delivery.outbound().clone(),
            defaults: self.context.settings.defaults(),
            purse: Purse::new(
                &self.context.settings.budgets,
                &self.settings.section,
                origin.speaker.roles.as_deref().unwrap_or_default(),
                &self.context.settings.engine().time_zone,
            ),
            export: self.gathered(&command, limited, now).await?,
            ring: self.ring(&command, limited).await?,
            choices: self.offered(&command.name),
            dashboard: self.settings.dashboard.clone(),
            // Commands through the API were counted before.
            pace: match CommandName::Stop.is(&command.name) {
                true => None,
                false => rate::pace(
                    &self.settings.section,
                    origin.speaker.roles.as_deref().unwrap_or_default(),
                )
                .filter(|_| keyed.is_none()),
            },
            may_refuse: keyed.is_some() || self.pace.may_refuse(&origin.place, &origin.speaker, now),
            manages: {
                self.question_lands(&command).await?;
                self.manages(&command, limited).await?
            },
            command,
            origin,
            limited,
            keyed,
            now,
        };
        self.db.write(move |tx| Box::pin(asked.store(tx))).await
    }

    /// The export for `/export`, read alongside the writer: no other write waits for it.
    async fn gathered(
        &self,
        command: &Command,
        limited: Limited,
        now: Timestamp,
    ) -> Result<Option<Gathered>, StoreError> {
        if !CommandName::Export.is(&command.name) || limited != Limited::No || !commands::hands_out(&command.place) {
            return Ok(None);
        }
        let mut conn = self.db.read().await?;
        let user = users::by_identity(&mut conn, command.place.platform, &command.speaker.id).await?;
        drop(conn);
        match user {
            Some(user) if self.is_welcome(command, Some(user.role)).await? => {
                Ok(Some(Gathered::of(&mut self.db.read().await?, user.id, now).await?))
            }
            _ => Ok(None),
        }
    }

    /// The key ring for `/key`, for a person who may speak here. The key is encrypted, and its message deleted where
    /// others may come to see it, before anything is stored.
    async fn ring(&self, command: &Command, limited: Limited) -> Result<Option<Ring>, StoreError> {
        if !CommandName::Key.is(&command.name) || limited != Limited::No {
            return Ok(None);
        }
        let place = &command.place;
        let mut conn = self.db.read().await?;
        let user = users::by_identity(&mut conn, place.platform, &command.speaker.id).await?;
        drop(conn);
        if !self.is_welcome(command, user.map(|user| user.role)).await? {
            return Ok(None);
        }
        let carrier = if commands::carries_key(&command.argument) {
            self.take_back(command).await
        } else {
            Carrier::Unseen
        };
        let providers = self.context.models.keyed().iter().map(KeyedProvider::name);
        Ok(Some(Ring::new(
            providers.map(str::to_owned).collect(),
            &self.context.encryption,
            &command.argument,
            place.kind,
            carrier,
        )))
    }

    /// The choices of commands.
    pub(super) fn offered(&self, command: &str) -> Choices {
        if !matches!(
            CommandName::of(command),
            Some(CommandName::Settings | CommandName::Model)
        ) {
            return Choices::default();
        }
        let (tools, config) = (&self.context.tools.registry, &self.context.tools.services.config);
        let names = tools.all().into_iter().map(|tool| tool.name.to_string());
        Choices {
            models: self.context.models.offers(),
            tools: names.filter(|name| config.common(name).enabled).collect(),
            fixed: self.settings.section.fixed_settings.clone(),
        }
    }

    /// Whether a person may speak where they gave a command, which an owner may have opened to everybody.
    pub(super) async fn is_welcome(&self, command: &Command, role: Option<UserRole>) -> Result<bool, StoreError> {
        let place = &command.place;
        let rules = match place.kind.is_private() {
            true => PlaceRules::default(),
            false => settings::rules(&mut self.db.read().await?, place).await?,
        };
        let entry = access::entry_here(&self.audience(place.platform), place, &command.speaker, role, &rules);
        Ok(entry == Entry::Welcome)
    }

    /// Deletes the message of a command, if it is one: what was given by other means stands nowhere.
    async fn take_back(&self, command: &Command) -> Carrier {
        let place = &command.place;
        if command.via.is_some() || place.platform.is_own() {
            return Carrier::Unseen;
        }
        let deleting = self.context.delivery.delete(place, &command.id);
        match tokio::time::timeout(DELETING, deleting).await {
            Ok(Ok(())) => Carrier::Deleted,
            Ok(Err(error)) => {
                let reason = measures::reason(&error);
                tracing::info!(reason, platform = %place.platform, "failed to delete a message that held a key");
                Carrier::Stays
            }
            Err(_) => Carrier::Stays,
        }
    }
}

/// `/ask TEXT` is a message that speaks to the bot.
fn asked(command: Command) -> Message {
    Message {
        place: command.place,
        speaker: command.speaker,
        id: command.id,
        text: command.argument,
        sent_at: command.sent_at,
        reply_to: None,
        addressed: clifford_chat::inbound::Addressed {
            mention: true,
            reply: false,
            in_thread: false,
        },
        attachments: Vec::new(),
        album: None,
        backfilled: false,
        via: command.via,
        quoted: None,
    }
}
