//! A command: its permission, its rate and its effect, in one transaction.

use std::time::Duration;

use clifford_chat::{
    inbound::{Accepted, Command, Message},
    outbound::Address,
};
use clifford_core::{
    access::{self, Access, Audience, Entry, PlaceRules},
    clock::Timestamp,
    id::MessageId,
    places::Speaks,
    rate,
    settings::RateLimit,
};
use clifford_delivery::outbound::{Outbound, PendingDelivery, To};
use clifford_engine::models::{byok, roles::Keyed as KeyedProvider};
use clifford_store::{
    StoreError, Tx, messages,
    people::{links, reading, users},
    places::{place_settings::PlaceSettings, settings},
    runs::approvals,
};
use clifford_telemetry::measures;
use clifford_vault::Masker;

use super::{
    IngressService, Origin, answer,
    api_command::{self, Keyed},
    message::limits::{over, told_once},
    newcomer,
    outcome::IngressOutcome,
    pace::Limited,
    pairing, reply, settle,
    unheard::{self, Why},
};
use crate::commands::{self, Carrier, Choices, CommandContext, Gathered, Purse, Ring};

/// The commands that are carried out where the bot otherwise answers nothing.
const WHERE_SILENT: [&str; 3] = ["approve", "deny", "stop"];
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
        if command.name == "ask" && !command.argument.is_empty() {
            return self.message(asked(command)).await;
        }
        // A person's key may be the one that is configured: it is encrypted, and nothing of it stays in the row.
        if command.name != "key" {
            command.argument = self.masked(command.argument);
        }
        // In a shared place it may be another bot's.
        if !command.place.kind.is_private() && !clifford_core::commands::is_known(&command.name) {
            return Ok(Accepted::Ignored);
        }
        self.learn_roles(&command.place, &mut command.speaker).await?;
        let origin = Origin {
            place: command.place.clone(),
            speaker: command.speaker.clone(),
            via: command.via.clone(),
            reply_to: Some(command.id.clone()),
        };
        let now = self.clock.now();
        // Stopping is never rate limited.
        let limited = match command.name.as_str() {
            "stop" => Limited::No,
            _ => self.pace.over_limit(&origin.place, &origin.speaker, now),
        };
        self.give(command, origin, limited, None, now).await
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
        let is_about_settings = command.name == "settings";
        let may_erase = command.name == "erase" && !command.argument.is_empty();
        let (platform, account) = (origin.place.platform, origin.speaker.id.clone());
        match self.carry_out(command, origin, limited, keyed, now).await {
            Ok(outcome) => {
                if is_about_settings {
                    self.always.changed();
                }
                if may_erase && let Err(error) = Box::pin(self.forget_overheard(platform, &account)).await {
                    tracing::warn!(%error, "failed to forget ambient messages of an erased person");
                }
                if outcome.is_refusal {
                    self.pace.refused(platform, account, now);
                }
                Ok(self.after_commit(outcome))
            }
            Err(error) => {
                self.pace.release(platform, &account);
                Err(error)
            }
        }
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
            // What comes through the API was counted before.
            pace: match command.name.as_str() {
                "stop" => None,
                _ => rate::pace(
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
        self.db.write(move |tx| Box::pin(store_command(tx, asked))).await
    }

    /// The export for `/export`, read beside the writer: no other write waits for it.
    async fn gathered(
        &self,
        command: &Command,
        limited: Limited,
        now: Timestamp,
    ) -> Result<Option<Gathered>, StoreError> {
        if command.name != "export" || limited != Limited::No || !commands::hands_out(&command.place) {
            return Ok(None);
        }
        let mut conn = self.db.read().await?;
        let user = users::by_identity(&mut conn, command.place.platform, &command.speaker.id).await?;
        match user.filter(|user| self.is_welcome(command, Some(user.role))) {
            Some(user) => Ok(Some(Gathered::of(&mut conn, user.id, now).await?)),
            None => Ok(None),
        }
    }

    /// The key ring for `/key`, for a person who may speak here. The key is encrypted, and its message deleted where
    /// others may come to see it, before anything is stored.
    async fn ring(&self, command: &Command, limited: Limited) -> Result<Option<Ring>, StoreError> {
        if command.name != "key" || limited != Limited::No {
            return Ok(None);
        }
        let place = &command.place;
        let mut conn = self.db.read().await?;
        let user = users::by_identity(&mut conn, place.platform, &command.speaker.id).await?;
        drop(conn);
        if !self.is_welcome(command, user.map(|user| user.role)) {
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
        if !matches!(command, "settings" | "model") {
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

    pub(super) fn is_welcome(&self, command: &Command, role: Option<clifford_core::people::UserRole>) -> bool {
        let place = &command.place;
        access::entry(&self.audience(place.platform), place, &command.speaker, role) == Entry::Welcome
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

/// A command as it is kept: without what it entrusts to the bot.
fn written(command: &Command, masker: &Masker) -> String {
    let line = format!("/{} {}", command.name, command.argument);
    masker.mask(&byok::without_secret(line.trim_end())).into_owned()
}

/// A command with all that its transaction needs.
struct CommandRequest {
    command: Command,
    origin: Origin,
    audience: Audience,
    outbound: Outbound,
    defaults: PlaceSettings,
    purse: Purse,
    export: Option<Gathered>,
    ring: Option<Ring>,
    choices: Choices,
    dashboard: Option<String>,
    manages: bool,
    may_refuse: bool,
    limited: Limited,
    /// How many commands and messages their giver may write, over all processes.
    pace: Option<RateLimit>,
    /// How it came, if through the API.
    keyed: Option<Keyed>,
    now: Timestamp,
}

async fn store_command(tx: &mut Tx, asked: CommandRequest) -> Result<IngressOutcome, StoreError> {
    let CommandRequest {
        command,
        origin,
        audience,
        outbound,
        defaults,
        purse,
        export,
        ring,
        choices,
        dashboard,
        manages,
        may_refuse,
        limited,
        pace,
        keyed,
        now,
    } = asked;
    if commands::links_accounts(&command.name) {
        links::one_at_a_time(tx).await?;
    }
    let known = users::by_identity(tx, origin.place.platform, &origin.speaker.id).await?;
    if keyed.is_none() && pairing::claims(tx, &origin, &command.argument).await? {
        return pairing::meet(tx, &origin, &command.argument, &outbound, now).await;
    }
    let role = known.as_ref().map(|user| user.role);
    let is_waiting = command.is_interaction();
    let rules = match origin.place.kind.is_private() {
        true => PlaceRules::default(),
        false => settings::rules(tx, &origin.place).await?,
    };
    match access::entry_here(&audience, &origin.place, &origin.speaker, role, &rules) {
        Entry::Welcome => {}
        Entry::Pair => return pairing::meet(tx, &origin, &command.argument, &outbound, now).await,
        // The platform waits for an answer, and would show that somebody is thinking.
        Entry::Ignored if command.is_interaction() && audience.access == Access::Pairing && may_refuse => {
            return pairing::places::meet(tx, &origin, &outbound, true, now).await;
        }
        Entry::Ignored => return unheard::passed_over(tx, &origin, is_waiting, known.as_ref(), Why::Unknown).await,
    }
    let may_manage = manages && command.name == "settings";
    if !origin.place.kind.is_private() && !may_manage {
        let is_silent = rules.speaks == Some(Speaks::Never) && !WHERE_SILENT.contains(&command.name.as_str());
        if is_silent || !rules.admits(&origin.speaker, role) {
            let why = Why::of_rules(&rules, &origin.speaker, role);
            return unheard::passed_over(tx, &origin, is_waiting, known.as_ref(), why).await;
        }
    }
    if let Some(keyed) = &keyed {
        keyed.choose_context(tx, &origin, now).await?;
    }
    let (user, channel) = settle(tx, &origin, known, newcomer(&origin), now).await?;
    let is_repeat = match &keyed {
        Some(keyed) => messages::keyed(tx, channel.id, &keyed.key).await?.is_some(),
        None => messages::by_platform_id(tx, channel.id, &command.id).await?.is_some(),
    };
    if is_repeat {
        return Ok(IngressOutcome {
            accepted: Accepted::Duplicate,
            ..IngressOutcome::ignored()
        });
    }
    let (lang, place_lang) = reading::at(tx, user.language.as_deref(), &origin.place).await?;
    // Commands and their answers are no part of a conversation.
    let aside = clifford_core::places::Channel {
        active_context_id: None,
        ..channel.clone()
    };
    let subject = user.id.to_string();
    let limited = match (limited, &pace) {
        (Limited::No, Some(limit)) => over(tx, &subject, limit, now).await?,
        (limited, limit) => told_once(tx, &subject, limit.as_ref(), limited, now).await?,
    };
    match limited {
        Limited::No => {}
        Limited::Tell(over) => {
            let (message, pending) = answer(&outbound, &origin, &aside, &unheard::too_fast(over, lang), now);
            messages::insert_outbound(tx, &message, now).await?;
            return Ok(IngressOutcome {
                answer: pending,
                accepted: Accepted::Answering,
                ..IngressOutcome::ignored()
            });
        }
        Limited::Silently(over) => {
            return unheard::passed_over(tx, &origin, is_waiting, Some(&user), Why::Limit(over)).await;
        }
    }
    let id = MessageId::new();
    messages::insert_inbound(
        tx,
        &messages::NewInbound {
            id,
            channel_id: channel.id,
            context_id: None,
            user_id: user.id,
            run_id: None,
            content: written(&command, outbound.masker()),
            attachments: Vec::new(),
            quote: None,
            quoted_user_id: None,
            platform_message_id: keyed.is_none().then(|| command.id.clone()),
            idempotency_key: keyed.as_ref().map(|keyed| keyed.key.clone()),
            request_hash: keyed.as_ref().and_then(|keyed| keyed.request_hash.clone()),
            album: None,
            status: clifford_core::messages::MessageStatus::History,
            sent_at: command.sent_at.into(),
        },
        now,
    )
    .await?;
    let given = CommandContext {
        channel: &channel,
        user: &user,
        lang,
        place_lang,
        account: &origin.speaker.id,
        defaults,
        purse: &purse,
        export: export.as_ref(),
        ring: ring.as_ref(),
        manages,
        choices: &choices,
        dashboard: dashboard.as_deref(),
    };
    let done = commands::run(tx, &command.name, &command.argument, given, now).await?;
    if let Some(text) = done.aside.filter(|_| command.is_interaction()) {
        return Ok(IngressOutcome::of(Accepted::Refused(text)));
    }
    let is_refusal = done.refusal.is_some();
    match done.refusal {
        Some(text) if command.is_interaction() && !origin.place.kind.is_private() => {
            return Ok(IngressOutcome {
                accepted: Accepted::Refused(text),
                ..IngressOutcome::ignored()
            });
        }
        Some(_) if !may_refuse => return Ok(IngressOutcome::ignored()),
        Some(_) | None => {}
    }
    let stopped = commands::answer_stopped(tx, &done.awaited, origin.place.platform, &outbound, now).await?;
    let to = reply(&origin, &aside);
    let shown = To {
        run: done.shows.as_ref().map(|(run, _)| *run),
        ..to.clone()
    };
    let told = match done.told.filter(|_| command.answered_alone) {
        Some(told) => tell(tx, &outbound, &to, &told, now).await?,
        None => None,
    };
    let question = done.shows.map(|(_, question)| approvals::shows(&question));
    let metadata = match &keyed {
        Some(_) => Some(api_command::metadata(id, question, &done.buttons)),
        None => question,
    };
    let (mut message, pending) = outbound.message_with(shown, &done.text, done.buttons, done.file, now);
    message.metadata = metadata;
    messages::insert_outbound(tx, &message, now).await?;
    Ok(IngressOutcome {
        accepted: Accepted::Answering,
        answer: pending.map(|pending| (pending, to)),
        told,
        stopped,
        interrupted: done.cancelled,
        work_to_claim: done.work_to_claim,
        is_refusal,
        ..IngressOutcome::ignored()
    })
}

/// Says in a place what changed there, since its answer is seen by whoever changed it alone.
async fn tell(
    tx: &mut Tx,
    outbound: &Outbound,
    to: &To,
    text: &str,
    now: Timestamp,
) -> Result<Option<PendingDelivery>, StoreError> {
    let everybody = To {
        address: Address {
            via: None,
            reply_to: None,
            ..to.address.clone()
        },
        ..to.clone()
    };
    let (message, pending) = outbound.message(everybody, text, now);
    messages::insert_outbound(tx, &message, now).await?;
    Ok(pending)
}
