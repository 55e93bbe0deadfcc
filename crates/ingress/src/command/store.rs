//! The transaction of a command: whether its giver may give it here and now, what it does, and what is answered.

use clifford_chat::{
    inbound::{Accepted, Command},
    outbound::Address,
};
use clifford_core::{
    access::{self, Access, Audience, Entry, PlaceRules},
    clock::Timestamp,
    commands::CommandName,
    id::MessageId,
    messages::MessageStatus,
    people::User,
    places::{Channel, Speaks},
    settings::RateLimit,
};
use clifford_delivery::outbound::{Outbound, PendingDelivery, To};
use clifford_engine::models::byok;
use clifford_store::{
    StoreError, Tx, messages,
    people::{links, reading, users},
    places::{place_settings::PlaceSettings, settings},
    runs::approvals,
};
use clifford_text::{Answer, Lang};
use clifford_vault::Masker;

use crate::{
    Origin, answer,
    api_command::{self, Keyed},
    awaited,
    commands::{self, Choices, CommandContext, Done, Gathered, Purse, Ring},
    late,
    message::limits::{over, told_once},
    newcomer,
    outcome::IngressOutcome,
    pace::Limited,
    pairing, reply, settle,
    unheard::{self, Why},
};

/// The commands that are carried out where the bot otherwise answers nothing.
const WHERE_SILENT: [CommandName; 3] = [CommandName::Approve, CommandName::Deny, CommandName::Stop];

/// A command with all that its transaction needs.
pub(super) struct CommandRequest {
    pub(super) command: Command,
    pub(super) origin: Origin,
    pub(super) audience: Audience,
    pub(super) outbound: Outbound,
    pub(super) defaults: PlaceSettings,
    pub(super) purse: Purse,
    pub(super) export: Option<Gathered>,
    pub(super) ring: Option<Ring>,
    pub(super) choices: Choices,
    pub(super) dashboard: Option<String>,
    pub(super) manages: bool,
    pub(super) may_refuse: bool,
    pub(super) limited: Limited,
    /// How many commands and messages their giver may write, over all processes.
    pub(super) pace: Option<RateLimit>,
    /// How it came, if through the API.
    pub(super) keyed: Option<Keyed>,
    pub(super) now: Timestamp,
}

impl CommandRequest {
    /// Carries out the command, and stores it with its answer.
    pub(super) async fn store(self, tx: &mut Tx) -> Result<IngressOutcome, StoreError> {
        let now = self.now;
        if commands::links_accounts(&self.command.name) {
            links::one_at_a_time(tx).await?;
        }
        let known = users::by_identity(tx, self.origin.place.platform, &self.origin.speaker.id).await?;
        if let Some(outcome) = self.turned_away(tx, known.as_ref()).await? {
            return Ok(outcome);
        }
        if let Some(keyed) = &self.keyed {
            keyed.choose_context(tx, &self.origin, now).await?;
        }
        let (user, channel) = settle(tx, &self.origin, known, newcomer(&self.origin), now).await?;
        if self.is_repeat(tx, &channel).await? {
            return Ok(IngressOutcome {
                accepted: Accepted::Duplicate,
                ..IngressOutcome::ignored()
            });
        }
        let (lang, place_lang) = reading::at(tx, user.language.as_deref(), &self.origin.place).await?;
        // Commands and their answers are no part of a conversation.
        let aside = Channel {
            active_context_id: None,
            ..channel.clone()
        };
        if let Some(outcome) = self.over_limit(tx, &user, &aside, lang).await? {
            return Ok(outcome);
        }
        let id = self.record(tx, &channel, &user).await?;
        let given = CommandContext {
            channel: &channel,
            user: &user,
            lang,
            place_lang,
            told_language: self.origin.speaker.language.as_deref(),
            account: &self.origin.speaker.id,
            defaults: self.defaults,
            purse: &self.purse,
            export: self.export.as_ref(),
            ring: self.ring.as_ref(),
            manages: self.manages,
            choices: &self.choices,
            dashboard: self.dashboard.as_deref(),
        };
        let done = commands::run(tx, &self.command.name, &self.command.argument, given, now).await?;
        self.answer(tx, id, done, &aside).await
    }

    /// The outcome for somebody whose commands are not carried out here. `None`: they are.
    async fn turned_away(&self, tx: &mut Tx, known: Option<&User>) -> Result<Option<IngressOutcome>, StoreError> {
        let Self { command, origin, .. } = self;
        let (outbound, now) = (&self.outbound, self.now);
        if self.keyed.is_none() && pairing::claims(tx, origin, &command.argument).await? {
            return pairing::meet(tx, origin, &command.argument, outbound, now)
                .await
                .map(Some);
        }
        let role = known.map(|user| user.role);
        let is_waiting = command.is_interaction();
        let is_private = origin.place.kind.is_private();
        let rules = match is_private {
            true => PlaceRules::default(),
            false => settings::rules(tx, &origin.place).await?,
        };
        match access::entry_here(&self.audience, &origin.place, &origin.speaker, role, &rules) {
            Entry::Welcome => {}
            Entry::Pair => {
                return pairing::meet(tx, origin, &command.argument, outbound, now)
                    .await
                    .map(Some);
            }
            // The platform waits for an answer, and would show that somebody is thinking.
            Entry::Ignored if is_waiting && self.audience.access == Access::Pairing && self.may_refuse => {
                return pairing::places::meet(tx, origin, outbound, true, now).await.map(Some);
            }
            Entry::Ignored => {
                return unheard::passed_over(tx, origin, is_waiting, known, Why::Unknown)
                    .await
                    .map(Some);
            }
        }
        let may_manage = self.manages && CommandName::Settings.is(&command.name);
        if is_private || may_manage {
            return Ok(None);
        }
        let is_silent =
            rules.speaks == Some(Speaks::Never) && !WHERE_SILENT.iter().any(|silent| silent.is(&command.name));
        if is_silent || !rules.admits(&origin.speaker, role) {
            let why = Why::of_rules(&rules, &origin.speaker, role);
            return unheard::passed_over(tx, origin, is_waiting, known, why).await.map(Some);
        }
        Ok(None)
    }

    /// Whether this very command is stored already.
    async fn is_repeat(&self, tx: &mut Tx, channel: &Channel) -> Result<bool, StoreError> {
        Ok(match &self.keyed {
            Some(keyed) => messages::keyed(tx, channel.id, &keyed.key).await?.is_some(),
            None => messages::by_platform_id(tx, channel.id, &self.command.id)
                .await?
                .is_some(),
        })
    }

    /// The outcome for somebody who gives too many commands. `None`: this one is within the limit.
    async fn over_limit(
        &self,
        tx: &mut Tx,
        user: &User,
        aside: &Channel,
        lang: Lang,
    ) -> Result<Option<IngressOutcome>, StoreError> {
        let (subject, now) = (user.id.to_string(), self.now);
        let counted = late::counted(self.command.sent_at.into(), now);
        let limited = match (self.limited, &self.pace) {
            (Limited::No, Some(limit)) => over(tx, &subject, limit, counted).await?,
            (limited, limit) => told_once(tx, &subject, limit.as_ref(), limited, counted).await?,
        };
        match limited {
            Limited::No => Ok(None),
            Limited::Tell(over) => {
                let text = unheard::too_fast(over, lang);
                let (message, pending) = answer(&self.outbound, &self.origin, aside, &text, now);
                messages::insert_outbound(tx, &message, now).await?;
                Ok(Some(IngressOutcome {
                    answer: pending,
                    accepted: Accepted::Answering,
                    ..IngressOutcome::ignored()
                }))
            }
            Limited::Silently(over) => {
                let is_waiting = self.command.is_interaction();
                unheard::passed_over(tx, &self.origin, is_waiting, Some(user), Why::Limit(over))
                    .await
                    .map(Some)
            }
        }
    }

    /// Stores the command as a message, and returns its id.
    async fn record(&self, tx: &mut Tx, channel: &Channel, user: &User) -> Result<MessageId, StoreError> {
        let Self { command, keyed, .. } = self;
        let id = MessageId::new();
        let message = messages::NewInbound {
            id,
            channel_id: channel.id,
            context_id: None,
            user_id: user.id,
            run_id: None,
            content: written(command, self.outbound.masker()),
            attachments: Vec::new(),
            quote: None,
            quoted_user_id: None,
            platform_message_id: keyed.is_none().then(|| command.id.clone()),
            idempotency_key: keyed.as_ref().map(|keyed| keyed.key.clone()),
            request_hash: keyed.as_ref().and_then(|keyed| keyed.request_hash.clone()),
            album: None,
            status: MessageStatus::History,
            sent_at: command.sent_at.into(),
        };
        messages::insert_inbound(tx, &message, self.now).await?;
        Ok(id)
    }

    /// Stores the answer to the command with this id.
    async fn answer(
        &self,
        tx: &mut Tx,
        id: MessageId,
        done: Done,
        aside: &Channel,
    ) -> Result<IngressOutcome, StoreError> {
        let Self {
            command,
            origin,
            outbound,
            now,
            ..
        } = self;
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
            Some(_) if !self.may_refuse => return Ok(IngressOutcome::ignored()),
            Some(_) | None => {}
        }
        let way = (origin.place.platform, outbound);
        let stopped = awaited::tell(tx, &done.awaited, way, |lang| lang.say(Answer::Stopped), *now).await?;
        let to = reply(origin, aside);
        let shown = To {
            run: done.shows.as_ref().map(|(run, _)| *run),
            ..to.clone()
        };
        let told = match done.told.filter(|_| command.answered_alone) {
            Some(told) => tell(tx, outbound, &to, &told, *now).await?,
            None => None,
        };
        let question = done.shows.map(|(_, question)| approvals::shows(&question));
        let metadata = match &self.keyed {
            Some(_) => Some(api_command::metadata(id, question, &done.buttons)),
            None => question,
        };
        let (mut message, pending) = outbound.message_with(shown, &done.text, done.buttons, done.file, *now);
        message.metadata = metadata;
        messages::insert_outbound(tx, &message, *now).await?;
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
}

/// A command as it is kept: without what it entrusts to the bot.
fn written(command: &Command, masker: &Masker) -> String {
    let line = format!("/{} {}", command.name, command.argument);
    masker.mask(&byok::without_secret(line.trim_end())).into_owned()
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
