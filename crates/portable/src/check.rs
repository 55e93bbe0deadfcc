//! The checks of each record, by itself and against those before it: that it says what it may, and refers to nothing
//! that is not there. So an id of somebody else is no way to their data.

mod belongings;
mod work;

use std::collections::{HashMap, HashSet};

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, ContextId, MessageId, RunId, SpaceId, UserId},
    messages::{Direction, MessageStatus},
    places::ChannelKind,
    runs::RunStatus,
    schedule::cron,
};
use clifford_store::portable::{Channel, Context, Message, Person, Record, Run, Space};
use uuid::Uuid;

/// The most bytes of names and the like.
const MOST_SHORT: usize = 4096;
/// How far ahead of this machine's clock an id may be, in milliseconds.
const MOST_AHEAD: i64 = 86_400_000;

/// A conversation, and what is known of it so far.
#[derive(Clone, Debug)]
pub struct KnownContext {
    /// Where it is.
    pub channel: ChannelId,
    /// Its messages.
    pub messages: u64,
    /// The last of them, and when the first and the last were said.
    pub last: Option<(MessageId, Timestamp, Timestamp)>,
    /// How many a person said.
    pub turns: i64,
    /// Something stands in it as said by a bot, and no run of its own said it.
    pub has_unknown_answers: bool,
    /// When it began.
    pub created_at: Timestamp,
}

/// A channel, and what is known of it so far.
#[derive(Clone, Debug)]
pub struct KnownChannel {
    /// As it came.
    pub channel: Channel,
    /// Its messages.
    pub messages: u64,
    /// Its files and documents.
    pub files: u64,
}

/// The things that a person brings besides messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Belongings {
    /// Their memory items.
    pub items: u64,
    /// Their reminders.
    pub reminders: u64,
}

/// Everything that was checked so far.
#[derive(Debug, Default)]
pub struct Checked {
    /// The people who come with it.
    pub people: HashMap<UserId, Person>,
    /// The person for whom it is, who is here already.
    pub owner: Option<UserId>,
    /// Its agents, by name.
    pub agents: HashMap<AgentId, String>,
    /// Its spaces.
    pub spaces: HashMap<SpaceId, Space>,
    /// Its channels.
    pub channels: HashMap<ChannelId, KnownChannel>,
    /// Its conversations.
    pub contexts: HashMap<ContextId, KnownContext>,
    /// Its runs, with where and for whom each is.
    pub runs: HashMap<RunId, (Option<ChannelId>, Option<UserId>)>,
    /// The things that each person brings.
    pub belongings: HashMap<UserId, Belongings>,
    /// All ids of channels' active conversations, and where each is.
    active: Vec<(ChannelId, ContextId)>,
    ids: HashSet<Uuid>,
    accounts: HashSet<(String, String)>,
    /// The time by this machine's clock.
    pub now: Timestamp,
}

type Verdict = Result<(), String>;

fn short(what: &str, text: &str) -> Verdict {
    if text.len() > MOST_SHORT {
        return Err(format!("{what} is longer than {MOST_SHORT} bytes"));
    }
    Ok(())
}

fn shorts<'t>(texts: impl IntoIterator<Item = (&'t str, Option<&'t str>)>) -> Verdict {
    texts
        .into_iter()
        .filter_map(|(what, text)| Some((what, text?)))
        .try_for_each(|(what, text)| short(what, text))
}

fn platform(name: &str) -> Verdict {
    name.parse::<clifford_chat::platform::Platform>().map(|_| ())
}

impl Checked {
    /// Nothing yet, at this time. `owner`: the person for whom it is, who is here already.
    pub fn new(owner: Option<UserId>, now: Timestamp) -> Self {
        Self {
            owner,
            now,
            ..Self::default()
        }
    }

    /// Checks a record, and keeps what later ones refer to.
    ///
    /// # Errors
    /// Why it is wrong.
    pub fn take(&mut self, record: &Record) -> Verdict {
        if let Some(id) = record.id() {
            self.id(id)?;
            if !matches!(record, Record::Message(_)) && !self.ids.insert(id) {
                return Err(format!("the id {id} comes twice"));
            }
        }
        match record {
            Record::Person(row) => self.person(row),
            Record::Space(row) => self.space(row),
            Record::Channel(row) => self.channel(row),
            Record::Context(row) => self.context(row),
            Record::Run(row) => self.run(row),
            Record::Message(row) => self.message(row),
            Record::MemoryItem(row) => self.item(row),
            Record::Setting(row) => self.setting(row),
            Record::Reminder(row) => self.reminder(row),
            Record::Agent(row) => self.agent(row),
            Record::Step(row) => self.step(row),
            Record::Part(row) => work::part(row),
            Record::Usage(row) => self.usage(row),
            Record::Feedback(row) => self.feedback(row),
            Record::SettingChange(row) => self.setting_change(row),
            Record::Rule(row) => self.rule(row),
            Record::Document(row) => self.document(row),
            Record::File(row) => self.file(row),
        }
    }

    /// Checks that need all of it to be read.
    ///
    /// # Errors
    /// Why it is wrong.
    pub fn end(&self) -> Verdict {
        for (channel, context) in &self.active {
            let Some(known) = self.contexts.get(context) else {
                return Err(format!(
                    "channel {channel} names conversation {context}, which is not in it"
                ));
            };
            self.same_people(*channel, known.channel)?;
        }
        Ok(())
    }

    /// An id is sorted by its time, so it has one that was.
    fn id(&self, id: Uuid) -> Verdict {
        let millis = i64::try_from(id.as_u128() >> 80).unwrap_or(i64::MAX);
        if id.get_version_num() != 7 || millis > self.now.0.saturating_add(MOST_AHEAD) {
            return Err(format!(
                "`{id}` is no id of ours (a UUID of version 7, of a time that was)"
            ));
        }
        Ok(())
    }

    fn user(&self, id: Option<UserId>) -> Verdict {
        match id {
            Some(id) if self.owner != Some(id) && !self.people.contains_key(&id) => {
                Err(format!("it names person {id}, who does not come before it"))
            }
            _ => Ok(()),
        }
    }

    fn space_of(&self, id: Option<SpaceId>) -> Verdict {
        match id {
            Some(id) if !self.spaces.contains_key(&id) => {
                Err(format!("it names space {id}, which does not come before it"))
            }
            _ => Ok(()),
        }
    }

    fn agent_of(&self, id: Option<AgentId>) -> Verdict {
        match id {
            Some(id) if !self.agents.contains_key(&id) => {
                Err(format!("it names agent {id}, who does not come before it"))
            }
            _ => Ok(()),
        }
    }

    fn run_of(&self, id: RunId) -> Verdict {
        if self.runs.contains_key(&id) {
            return Ok(());
        }
        Err(format!("it names run {id}, which does not come before it"))
    }

    fn channel_of(&self, id: ChannelId) -> Result<&Channel, String> {
        let known = self.channels.get(&id);
        known
            .map(|known| &known.channel)
            .ok_or_else(|| format!("it names channel {id}, which does not come before it"))
    }

    /// All words of one of two channels may be shown in the other.
    fn same_people(&self, one: ChannelId, other: ChannelId) -> Verdict {
        if one == other {
            return Ok(());
        }
        let (one, other) = (self.channel_of(one)?, self.channel_of(other)?);
        if one.user_id.is_some() && one.user_id == other.user_id {
            return Ok(());
        }
        Err(format!(
            "it names a conversation of channel {}, which others read",
            other.id
        ))
    }

    /// A conversation that may be shown in a channel.
    fn context_in(&self, channel: Option<ChannelId>, context: Option<ContextId>) -> Verdict {
        let Some(context) = context else { return Ok(()) };
        let Some(known) = self.contexts.get(&context) else {
            return Err(format!(
                "it names conversation {context}, which does not come before it"
            ));
        };
        match channel {
            Some(channel) => self.same_people(channel, known.channel),
            None => Ok(()),
        }
    }

    fn person(&mut self, row: &Person) -> Verdict {
        shorts([
            ("name", Some(row.name.as_str())),
            ("language", row.language.as_deref()),
            ("timeZone", row.time_zone.as_deref()),
        ])?;
        if let Some(zone) = &row.time_zone {
            cron::zone(zone)?;
        }
        for account in &row.accounts {
            platform(&account.platform)?;
            shorts([
                ("account", Some(account.account.as_str())),
                ("name", Some(account.name.as_str())),
                ("handle", account.handle.as_deref()),
            ])?;
            let key = (account.platform.clone(), account.account.clone());
            if !self.accounts.insert(key) {
                return Err(format!(
                    "the account {}:{} comes twice",
                    account.platform, account.account
                ));
            }
        }
        self.people.insert(row.id, row.clone());
        Ok(())
    }

    fn space(&mut self, row: &Space) -> Verdict {
        platform(&row.platform)?;
        shorts([
            ("externalId", Some(row.external_id.as_str())),
            ("name", row.name.as_deref()),
        ])?;
        self.spaces.insert(row.id, row.clone());
        Ok(())
    }

    fn channel(&mut self, row: &Channel) -> Verdict {
        platform(&row.platform)?;
        shorts([
            ("externalId", Some(row.external_id.as_str())),
            ("name", row.name.as_deref()),
            ("account", row.account.as_deref()),
            ("disabledReason", row.disabled_reason.as_deref()),
        ])?;
        self.user(row.user_id)?;
        self.space_of(row.space_id)?;
        self.agent_of(row.agent_id)?;
        if let Some(parent) = row.parent_id {
            let parent = self.channel_of(parent)?;
            if parent.user_id.is_some() || parent.space_id != row.space_id {
                return Err(format!("it is no thread of channel {}, which is elsewhere", parent.id));
            }
        }
        match (row.kind, row.user_id, row.space_id) {
            (ChannelKind::Private, None, _) => return Err("a private channel names its person".to_owned()),
            (ChannelKind::Private, _, Some(_)) => return Err("a private channel is in no space".to_owned()),
            (ChannelKind::Group | ChannelKind::Thread, Some(_), _) => {
                return Err("a shared channel is no single person's".to_owned());
            }
            _ => {}
        }
        self.active
            .extend(row.active_context_id.map(|context| (row.id, context)));
        let known = KnownChannel {
            channel: row.clone(),
            messages: 0,
            files: 0,
        };
        self.channels.insert(row.id, known);
        Ok(())
    }

    fn context(&mut self, row: &Context) -> Verdict {
        let channel = self.channel_of(row.channel_id)?;
        if (row.user_id, row.space_id) != (channel.user_id, channel.space_id) {
            return Err("it is of somebody else than its channel".to_owned());
        }
        shorts([("name", row.name.as_deref()), ("model", row.model.as_deref())])?;
        self.context_in(Some(row.channel_id), row.continued_from)?;
        for user in row.summary_of.iter().flat_map(|users| &users.0) {
            self.user(Some(*user))?;
        }
        let known = KnownContext {
            channel: row.channel_id,
            messages: 0,
            last: None,
            turns: 0,
            has_unknown_answers: false,
            created_at: row.created_at,
        };
        self.contexts.insert(row.id, known);
        Ok(())
    }

    fn run(&mut self, row: &Run) -> Verdict {
        let has_ended = matches!(
            row.status,
            RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled
        );
        if !has_ended {
            return Err(format!(
                "a run that is {} is at work, and stays where it is",
                row.status
            ));
        }
        if row.profile.as_deref() == Some("import") {
            return Err("a run of this profile is made by an import".to_owned());
        }
        self.user(row.user_id)?;
        self.agent_of(row.agent_id)?;
        if let Some(channel) = row.channel_id {
            self.channel_of(channel)?;
        }
        self.context_in(row.channel_id, row.context_id)?;
        self.runs.insert(row.id, (row.channel_id, row.user_id));
        Ok(())
    }

    fn message(&mut self, row: &Message) -> Verdict {
        self.channel_of(row.channel_id)?;
        self.user(row.user_id)?;
        self.user(row.quoted_user_id)?;
        self.context_in(Some(row.channel_id), row.context_id)?;
        let stands = match row.direction {
            Direction::Inbound => matches!(row.status, MessageStatus::Received | MessageStatus::History),
            Direction::Outbound => matches!(row.status, MessageStatus::Delivered | MessageStatus::Failed),
        };
        if !stands {
            return Err(format!(
                "a message that is {} and {} is at work",
                row.direction, row.status
            ));
        }
        if row.quote.as_ref().is_some_and(|quote| !quote.0.is_object()) {
            return Err("quote is no object".to_owned());
        }
        if row.attachments.as_ref().is_some_and(|files| !files.0.is_array()) {
            return Err("attachments is no array".to_owned());
        }
        short(
            "platformMessageId",
            row.platform_message_id.as_deref().unwrap_or_default(),
        )?;
        match row.run_id {
            Some(run) => match self.runs.get(&run) {
                None => return Err(format!("it names run {run}, which does not come before it")),
                Some((Some(channel), _)) => self.same_people(row.channel_id, *channel)?,
                Some((None, _)) => {}
            },
            None if row.direction == Direction::Outbound => {
                if let Some(known) = row.context_id.and_then(|id| self.contexts.get_mut(&id)) {
                    known.has_unknown_answers = true;
                }
            }
            None => {}
        }
        if let Some(known) = self.channels.get_mut(&row.channel_id) {
            known.messages += 1;
        }
        if let Some(known) = row.context_id.and_then(|id| self.contexts.get_mut(&id)) {
            known.messages += 1;
            known.turns += i64::from(row.direction == Direction::Inbound);
            let (last, first_at, last_at) = known.last.unwrap_or((row.id, row.sent_at, row.sent_at));
            known.last = Some((last.max(row.id), first_at.min(row.sent_at), last_at.max(row.sent_at)));
        }
        Ok(())
    }
}
