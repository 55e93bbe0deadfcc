//! From an event to a run: access, conversation, message and run in one transaction.
//!
//! A platform gets its acknowledgement of an event only after [`Ingress::accept`] has returned, so after the commit.
//!
//! **Buttons.** A button carries a command line, and pressing it gives that command as the pressing person: the same
//! access rules, the same transaction (`command.rs`), and a repeat is a repeat. The platform's acknowledgement goes out
//! at once, independent of the command's result. Completion of an argument only reads (`completion.rs`).

mod albums;
mod always;
mod api;
mod api_command;
mod api_edit;
mod awaited;
mod called;
mod careful;
mod command;
pub mod commands;
mod completion;
mod connections;
mod deletion;
mod edit;
mod hearing;
pub mod identity;
mod in_words;
mod joining;
mod late;
mod managing;
mod message;
mod named;
mod origin;
mod other_bots;
mod outcome;
mod pace;
mod pairing;
mod platform_roles;
mod poisoned;
mod quoted;
mod reactions;
pub mod setting_notice;
mod starter;
mod threads;
mod unheard;

use std::{borrow::Cow, collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use clifford_channel::Ingress;
use clifford_chat::{
    completion::{Choice, Completion},
    error::IngressError,
    inbound::{Accepted, Attachment, ConnectionStatus, Edit, Inbound, Left, Message, Moved, Names, Renamed, Served},
    platform::Platform,
};
use clifford_core::{
    access::{self, Audience, Entry},
    clock::{SharedClock, Timestamp},
    rate,
    settings::Ingress as Section,
};
use clifford_engine::{Context, Runs, models::byok};
use clifford_store::{
    Db, StoreError,
    places::{channels, moving, renaming},
};
use clifford_telemetry::{measures, quarantine::Careful};

use self::{
    always::AlwaysPlaces,
    connections::Connections,
    edit::EditRules,
    message::AcceptContext,
    origin::{Origin, answer, newcomer, reply, settle},
    pace::{Limited, Pace},
    platform_roles::ToldRoles,
    threads::Answered,
};
pub use self::{
    api::{ApiAccepted, ApiMessage, ApiRefusal, looks},
    api_command::{ApiAnswer, ApiCommand},
    api_edit::ApiEdit,
    connections::Connection,
    pairing::{Decision, account, approve, decide},
};

/// How ingress judges what comes in.
#[derive(Clone, Debug)]
pub struct IngressSettings {
    /// The people whom each platform's channel answers.
    pub audiences: BTreeMap<Platform, Audience>,
    /// `[ingress]`.
    pub section: Section,
    /// The address of the dashboard, where there is one.
    pub dashboard: Option<String>,
}

/// Takes events in.
pub struct IngressService {
    db: Db,
    clock: SharedClock,
    runs: Arc<Runs>,
    context: Arc<Context>,
    careful: Arc<Careful>,
    settings: IngressSettings,
    pace: Pace,
    told_roles: ToldRoles,
    told_names: named::ToldNames,
    told_managers: managing::ToldManagers,
    vain_waits: reactions::VainWaits,
    albums: albums::Albums,
    always: AlwaysPlaces,
    connections: Connections,
    exchanges: other_bots::Exchanges,
    called: called::Called,
}

/// A message that is to be stored.
struct Heard {
    message: Message,
    /// Decided already.
    entry: Option<Entry>,
    audience: Audience,
    /// It speaks to the bot.
    is_addressed: bool,
    /// It does so, or stands in a thread where everything is heard.
    is_heard: bool,
    /// The bot may not write where it was said: it is answered in a thread, or not at all.
    is_barred: bool,
}

impl IngressService {
    /// Events become runs of `runs`; while `careful` is on, they are stored one by one.
    pub fn new(
        db: Db,
        clock: SharedClock,
        runs: Arc<Runs>,
        careful: Arc<Careful>,
        settings: IngressSettings,
    ) -> Arc<Self> {
        let context = Arc::clone(&runs.context);
        let pace = Pace::new(settings.section.user_messages_per_minute);
        Arc::new(Self {
            db,
            clock,
            runs,
            context,
            careful,
            settings,
            pace,
            told_roles: ToldRoles::default(),
            told_names: named::ToldNames::default(),
            told_managers: managing::ToldManagers::default(),
            vain_waits: reactions::VainWaits::default(),
            albums: albums::Albums::default(),
            always: AlwaysPlaces::default(),
            connections: Connections::default(),
            exchanges: other_bots::Exchanges::default(),
            called: called::Called::default(),
        })
    }

    /// How each platform is connected.
    pub fn connections(&self) -> BTreeMap<Platform, ConnectionStatus> {
        let known = self.connections.all().into_iter();
        known
            .map(|(platform, connection)| (platform, connection.status))
            .collect()
    }

    /// The same with its times.
    pub fn connections_in_time(&self) -> BTreeMap<Platform, Connection> {
        self.connections.all()
    }

    fn audience(&self, platform: Platform) -> Audience {
        self.settings.audiences.get(&platform).cloned().unwrap_or_default()
    }

    /// Takes a message: decides whether it is heard, counts it against limits, finds where it is answered, and stores it.
    async fn message(&self, message: Message) -> Result<Accepted, StoreError> {
        if !message.place.kind.is_private() {
            let quoted = message.quoted.iter().map(|quoted| quoted.text.as_str());
            for text in std::iter::once(message.text.as_str()).chain(quoted) {
                pairing::void_said(&self.db, text, self.clock.now()).await?;
            }
        }
        let Some(heard) = self.heard(message).await? else {
            return Ok(Accepted::Ignored);
        };
        let Heard {
            mut message,
            entry,
            audience,
            is_addressed,
            is_heard,
            is_barred,
        } = heard;
        self.learn_name(&message.place).await?;
        self.learn_roles(&message.place, &mut message.speaker).await?;
        let now = self.clock.now();
        self.with_starter(&mut message, &audience, now).await?;
        let quoted = self
            .quoted(&message.place, &message.speaker, message.quoted.take())
            .await?;
        let sent_at = Timestamp::from(message.sent_at);
        // A message that is only stored costs no answer that a limit could spare.
        let is_too_old = late::is_too_old(message.backfilled, sent_at, self.settings.section.catch_up, now);
        let counted = (!is_too_old).then(|| late::counted(sent_at, now));
        let limited = counted.map_or(Limited::No, |counted| {
            self.pace.over_limit(&message.place, &message.speaker, counted)
        });
        let roles = message.speaker.roles.as_deref().unwrap_or_default();
        let limits = rate::in_force(&self.settings.section, roles);
        let called = self.called(&message.place, &message.speaker).await?;
        let (mut via, mut reply_to) = (message.via.take(), Some(message.id.clone()));
        if is_addressed && limited == Limited::No {
            match Box::pin(self.thread_for(&message, via.as_deref(), &audience, now)).await {
                Ok(Answered::Here) if is_barred => {
                    self.pace
                        .release(message.place.platform, &message.speaker.id, counted, limited);
                    return Ok(Accepted::Ignored);
                }
                Ok(Answered::Here) => {}
                Ok(Answered::In(thread)) => (message.place, via, reply_to) = (thread, None, None),
                Ok(Answered::Stored) => return Ok(Accepted::Duplicate),
                Err(error) => {
                    self.pace
                        .release(message.place.platform, &message.speaker.id, counted, limited);
                    return Err(error);
                }
            }
        }
        let origin = Origin {
            place: message.place,
            speaker: message.speaker,
            via,
            reply_to,
        };
        let accept = AcceptContext {
            id: Some(message.id),
            sent_at: message.sent_at.into(),
            attachments: self.masked_names(message.attachments),
            quoted,
            album: message.album,
            backfilled: message.backfilled,
            entry,
            audience,
            is_addressed,
            is_heard,
            limited,
            limits,
            ..AcceptContext::new(self, origin, (called, self.masked(message.text)), now)
        };
        let (platform, account) = (accept.origin.place.platform, accept.origin.speaker.id.clone());
        match self.store(accept).await {
            Ok(outcome) => Ok(self.after_commit(outcome)),
            Err(error) => {
                // It is handed in again: what could not be stored is not counted against its author.
                self.pace.release(platform, &account, counted, limited);
                Err(error)
            }
        }
    }

    /// A message that is to be stored. `None`: it is none of the bot's business, or only overheard.
    async fn heard(&self, message: Message) -> Result<Option<Heard>, StoreError> {
        let mut entry = None;
        if message.speaker.is_bot {
            if !self.answers_bot(&message).await? {
                return Ok(None);
            }
            entry = Some(Entry::Welcome);
        } else {
            self.exchanges.end(&message.place);
        }
        let audience = self.audience(message.place.platform);
        let is_addressed = access::is_addressed(&audience, &message.place, message.addressed, &message.text);
        let is_addressed = is_addressed || self.goes_on_with_album(&message).await?;
        let is_heard = is_addressed || self.follows(&message, &audience).await?;
        if !is_heard && !self.always.holds(&self.db, &message.place, self.clock.now()).await? {
            self.overhear(message).await?;
            return Ok(None);
        }
        let is_barred = !self.may_answer(&message).await;
        if is_barred && !(is_addressed && self.wants_thread(&message).await?) {
            self.overhear(message).await?;
            return Ok(None);
        }
        Ok(Some(Heard {
            message,
            entry,
            audience,
            is_addressed,
            is_heard,
            is_barred,
        }))
    }

    /// Whether a message can be answered where it was said: no run is worth its cost in a place where the bot may not
    /// write.
    async fn may_answer(&self, message: &Message) -> bool {
        let place = &message.place;
        if place.kind.is_private() || message.via.is_some() {
            return true;
        }
        self.context
            .delivery
            .may_write(place.platform, &place.external_id)
            .await
    }

    /// A configured secret that somebody writes is not even stored, nor a key that was to be given by `/key`.
    fn masked(&self, text: String) -> String {
        let text = match byok::without_secret(&text) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => text,
        };
        match self.context.masker().mask(&text) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => text,
        }
    }

    /// The same of the names of files.
    fn masked_names(&self, attachments: Vec<Attachment>) -> Vec<Attachment> {
        let masked = |attachment: Attachment| Attachment {
            name: attachment.name.map(|name| self.masked(name)),
            ..attachment
        };
        attachments.into_iter().map(masked).collect()
    }

    async fn edit(&self, mut edit: Edit) -> Result<Accepted, StoreError> {
        let now = self.clock.now();
        if !edit.place.kind.is_private() {
            pairing::void_said(&self.db, &edit.text, now).await?;
        }
        edit.text = self.masked(edit.text);
        edit.speaker.name = self.called(&edit.place, &edit.speaker).await?;
        self.context.ambient.edit(&edit.place, &edit.id, &edit.text);
        let roles = edit.speaker.roles.as_deref().unwrap_or_default();
        let rules = EditRules {
            limits: rate::in_force(&self.settings.section, roles),
            within: self.settings.section.edit_within,
            defaults: self.context.settings.defaults(),
            worker: self.context.worker(),
            until: now.after(self.context.settings.engine().lease),
            now,
        };
        let edited = self.db.write(move |tx| Box::pin(edit::store(tx, edit, rules))).await?;
        let Some(edited) = edited else {
            return Ok(Accepted::Stored);
        };
        self.after_edit(edited, now);
        Ok(Accepted::Stored)
    }

    async fn moved(&self, moved: Moved) -> Result<Accepted, StoreError> {
        let now = self.clock.now();
        self.db
            .write(move |tx| {
                Box::pin(async move { moving::moved(tx, moved.platform, &moved.from, &moved.to, now).await })
            })
            .await?;
        Ok(Accepted::Stored)
    }

    async fn renamed(&self, renamed: Renamed) -> Result<Accepted, StoreError> {
        let now = self.clock.now();
        let written = self.db.write(move |tx| {
            Box::pin(async move {
                if let Some(place) = &renamed.place {
                    renaming::place(tx, place, &renamed, now).await?;
                }
                match &renamed.space {
                    Some(space) => renaming::space(tx, renamed.platform, space, &renamed.name).await,
                    None => Ok(()),
                }
            })
        });
        written.await?;
        Ok(Accepted::Stored)
    }

    async fn left(&self, left: Left) -> Result<Accepted, StoreError> {
        let now = self.clock.now();
        self.db
            .write(move |tx| {
                Box::pin(async move {
                    if let Some(place) = &left.place {
                        channels::left(tx, left.platform, place, &left.reason, now).await?;
                    }
                    if let Some(space) = &left.space {
                        channels::left_space(tx, left.platform, space, &left.reason, now).await?;
                    }
                    Ok(())
                })
            })
            .await?;
        Ok(Accepted::Stored)
    }
}

#[async_trait]
impl Ingress for IngressService {
    async fn accept(&self, event: Inbound) -> Result<Accepted, IngressError> {
        let platform = event.platform();
        self.connections.heard(platform, self.clock.now());
        match Box::pin(self.take(event)).await {
            Ok(accepted) => {
                measures::event_taken(platform, &accepted);
                Ok(accepted)
            }
            Err(error) => {
                measures::event_not_taken();
                Err(IngressError::Unavailable(error.to_string()))
            }
        }
    }

    async fn complete(&self, asked: Completion) -> Result<Vec<Choice>, IngressError> {
        let choices = self.choices(&asked).await;
        choices.map_err(|error| IngressError::Unavailable(error.to_string()))
    }

    async fn served(&self, platform: Platform, within: Duration) -> Result<Vec<Served>, IngressError> {
        let since = self.clock.now().before(within);
        let served = async { channels::served(&mut self.db.read().await?, platform, since).await };
        served
            .await
            .map_err(|error: StoreError| IngressError::Unavailable(error.to_string()))
    }

    fn catch_up(&self) -> Duration {
        self.settings.section.catch_up
    }

    async fn names(&self, names: Names) {
        let platform = names.platform;
        // Hundreds of servers come at once, and leave room for what people write.
        let _turn = self.told_names.turn.lock().await;
        if let Err(error) = self.learn_names(names).await {
            tracing::info!(%error, %platform, "failed to store the names of places");
        }
    }

    fn status(&self, platform: Platform, status: ConnectionStatus) {
        measures::connection(platform, &status);
        // A lasting status is logged once.
        let is_news = self.connections.stand(platform, &status, self.clock.now());
        match &status {
            ConnectionStatus::Connected(name) if is_news => {
                tracing::info!(%platform, name, "connected to the platform")
            }
            ConnectionStatus::Disconnected(why) if is_news => {
                tracing::warn!(%platform, why, "failed to connect to the platform")
            }
            ConnectionStatus::Limited { name, lacks } if is_news => {
                tracing::info!(%platform, name, lacks, "connected to the platform")
            }
            ConnectionStatus::Connected(_) | ConnectionStatus::Limited { .. } => {
                tracing::debug!(%platform, "kept the connection to the platform")
            }
            ConnectionStatus::Disconnected(_) => tracing::debug!(%platform, "failed again to connect to the platform"),
        }
    }
}
