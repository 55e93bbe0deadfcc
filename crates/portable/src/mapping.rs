//! A record of an import as it is stored here: with the ids of this database, and with what it may bring.

mod further;

use std::collections::HashSet;

use clifford_core::id::{AgentId, ChannelId, ContextId, FileId, RunId, UserId};
use clifford_store::{
    places::settings::BOT,
    portable::{Channel, Context, File, MemoryItem, Message, Person, Record, Run},
};

use crate::plan::{PLATFORM, Plan, To, apart};

/// It is known here, and stays as it is.
pub const HERE: &str = "it is here";
const NOT_TRUSTED: &str = "that takes --trusted";
const NOT_HERE: &str = "its place is left out";

/// A record as it is stored, or why it is left out.
pub type Mapped = Result<Record, &'static str>;

/// Turns records into those of this database.
pub struct Mapper<'p> {
    plan: &'p Plan,
    /// Files whose contents are left out.
    pub too_large: HashSet<FileId>,
    /// The runs that came in so far: others hang on no others.
    runs: HashSet<RunId>,
}

impl<'p> Mapper<'p> {
    /// A mapper that follows a plan.
    pub fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            too_large: HashSet::new(),
            runs: HashSet::new(),
        }
    }

    /// A record as it is stored.
    ///
    /// # Errors
    /// Why it is left out.
    pub fn map(&mut self, record: Record) -> Mapped {
        let is_trusted = self.plan.options.is_trusted;
        Ok(match record {
            Record::Person(row) => Record::Person(self.person(*row)?.into()),
            Record::Space(row) => {
                let target = self.plan.targets.spaces.get(&row.id).copied();
                match target {
                    Some(target) if target == row.id => Record::Space(row),
                    Some(_) => return Err(HERE),
                    None => return Err(NOT_TRUSTED),
                }
            }
            Record::Channel(row) => Record::Channel(self.channel(*row)?.into()),
            Record::Context(row) => Record::Context(self.context(*row)?.into()),
            Record::Run(row) => Record::Run(self.run(*row)?.into()),
            Record::Message(row) => Record::Message(self.message(*row)?.into()),
            Record::MemoryItem(row) => Record::MemoryItem(self.item(*row).into()),
            Record::Setting(mut row) if is_trusted => {
                row.scope = self.scope(&row.scope);
                Record::Setting(row)
            }
            Record::Reminder(row) if is_trusted => Record::Reminder(self.reminder(*row)?.into()),
            Record::Agent(row) if is_trusted => Record::Agent(self.new_agent(*row)?.into()),
            Record::Step(row) if is_trusted => Record::Step(self.step(*row)?.into()),
            Record::Part(row) if is_trusted => Record::Part(row),
            Record::Usage(row) if is_trusted => Record::Usage(self.usage(*row)?.into()),
            Record::Feedback(row) if is_trusted => Record::Feedback(self.feedback(*row)?.into()),
            Record::SettingChange(row) if is_trusted => Record::SettingChange(self.setting_change(*row).into()),
            Record::Rule(row) if is_trusted => Record::Rule(self.rule(*row)?.into()),
            Record::Setting(_)
            | Record::Reminder(_)
            | Record::Agent(_)
            | Record::Step(_)
            | Record::Part(_)
            | Record::Usage(_)
            | Record::Feedback(_)
            | Record::SettingChange(_)
            | Record::Rule(_) => return Err(NOT_TRUSTED),
            Record::Document(mut row) => {
                row.user_id = self.user(row.user_id);
                row.made_by = self.user(row.made_by);
                row.channel_id = row.channel_id.map(|id| self.place(id)).transpose()?;
                row.file_id = row.file_id.filter(|_| is_trusted);
                Record::Document(row)
            }
            Record::File(row) => Record::File(self.file(*row)?.into()),
        })
    }

    fn user(&self, id: Option<UserId>) -> Option<UserId> {
        id.and_then(|id| self.plan.targets.people.get(&id).copied())
    }

    fn agent(&self, id: Option<AgentId>) -> Option<AgentId> {
        id.and_then(|id| self.plan.targets.agents.get(&id).copied())
    }

    fn place(&self, id: ChannelId) -> Result<ChannelId, &'static str> {
        match self.plan.targets.channels.get(&id) {
            Some(To::Here(here)) => Ok(*here),
            Some(To::New | To::Apart) => Ok(id),
            Some(To::Nowhere(_)) | None => Err(NOT_HERE),
        }
    }

    /// A conversation, if its channel comes in.
    fn conversation(&self, id: Option<ContextId>) -> Option<ContextId> {
        let id = id?;
        let known = self.plan.checked.contexts.get(&id)?;
        self.place(known.channel).ok().map(|_| id)
    }

    fn person(&self, mut row: Person) -> Result<Person, &'static str> {
        let Some(taken) = self.plan.targets.new_people.get(&row.id) else {
            return Err(HERE);
        };
        let is_taken = |platform: &String, account: &String| taken.contains(&(platform.clone(), account.clone()));
        row.accounts
            .retain(|account| is_taken(&account.platform, &account.account));
        row.is_allowed &= self.plan.options.is_trusted;
        Ok(row)
    }

    fn channel(&self, mut row: Channel) -> Result<Channel, &'static str> {
        match self.plan.targets.channels.get(&row.id) {
            Some(To::New) => {}
            Some(To::Apart) => {
                row.external_id = apart(row.id);
                let platform = std::mem::replace(&mut row.platform, PLATFORM.to_owned());
                row.name = row.name.or(Some(platform));
                row.account = None;
                row.enabled = false;
                row.disabled_reason = Some("imported".to_owned());
                row.active_context_id = None;
            }
            Some(To::Here(_)) => return Err(HERE),
            Some(To::Nowhere(why)) => return Err(why),
            None => return Err(NOT_HERE),
        }
        row.user_id = self.user(row.user_id);
        row.space_id = row.space_id.and_then(|id| self.plan.targets.spaces.get(&id).copied());
        row.agent_id = self.agent(row.agent_id);
        row.parent_id = row.parent_id.and_then(|id| self.place(id).ok());
        Ok(row)
    }

    fn context(&self, mut row: Context) -> Result<Context, &'static str> {
        let is_apart = self.plan.targets.channels.get(&row.channel_id) == Some(&To::Apart);
        row.channel_id = self.place(row.channel_id)?;
        row.user_id = self.user(row.user_id);
        row.space_id = row.space_id.and_then(|id| self.plan.targets.spaces.get(&id).copied());
        if let Some(users) = &mut row.summary_of {
            users.0 = users.0.iter().filter_map(|id| self.user(Some(*id))).collect();
        }
        row.continued_from = self.conversation(row.continued_from);
        // Which model answers costs whoever pays here.
        row.model = row.model.filter(|_| self.plan.options.is_trusted);
        // The data of other bots and platforms tell of no turns, and are not to be remembered anew.
        if self.plan.checked.owner.is_some()
            && let Some(known) = self.plan.checked.contexts.get(&row.id)
            && let Some((last, first_at, last_at)) = known.last
        {
            row.turn_count = known.turns;
            row.created_at = first_at;
            row.last_user_interaction_at = last_at;
            row.remembered_through = Some(last);
        }
        if is_apart || self.plan.checked.owner.is_some() {
            row.closed_at = row.closed_at.or(Some(row.last_user_interaction_at));
        }
        Ok(row)
    }

    fn run(&mut self, mut row: Run) -> Result<Run, &'static str> {
        row.channel_id = row.channel_id.map(|id| self.place(id)).transpose()?;
        row.user_id = self.user(row.user_id);
        row.context_id = self.conversation(row.context_id);
        row.agent_id = self.agent(row.agent_id);
        if !self.plan.options.is_trusted {
            row.input_json = None;
            row.allowed_tools = None;
        }
        row.parent_run_id = row.parent_run_id.filter(|parent| self.runs.contains(parent));
        if !self.runs.contains(&row.root_run_id) {
            row.root_run_id = row.id;
        }
        self.runs.insert(row.id);
        Ok(row)
    }

    fn message(&self, mut row: Message) -> Result<Message, &'static str> {
        row.channel_id = self.place(row.channel_id)?;
        row.user_id = self.user(row.user_id);
        row.quoted_user_id = self.user(row.quoted_user_id);
        row.context_id = self.conversation(row.context_id);
        row.run_id = row.run_id.filter(|run| self.runs.contains(run));
        Ok(row)
    }

    fn item(&self, mut row: MemoryItem) -> MemoryItem {
        row.user_id = self
            .plan
            .targets
            .people
            .get(&row.user_id)
            .copied()
            .unwrap_or(row.user_id);
        row.context_id = self.conversation(row.context_id);
        row.origin_space = row
            .origin_space
            .and_then(|id| self.plan.targets.spaces.get(&id).copied());
        if !self.plan.options.is_trusted {
            row.shareable = false;
            row.pinned = false;
        }
        row
    }

    fn scope(&self, scope: &str) -> String {
        if scope == BOT {
            return scope.to_owned();
        }
        let id: Option<uuid::Uuid> = scope.parse().ok();
        let target = id.and_then(|id| {
            let user = self.user(Some(UserId(id))).map(|id| id.to_string());
            let space = self
                .plan
                .targets
                .spaces
                .get(&clifford_core::id::SpaceId(id))
                .map(ToString::to_string);
            let channel = self.place(ChannelId(id)).ok().map(|id| id.to_string());
            let agent = self.agent(Some(AgentId(id))).map(|id| id.to_string());
            user.or(space).or(channel).or(agent)
        });
        target.unwrap_or_else(|| scope.to_owned())
    }

    fn file(&self, mut row: File) -> Result<File, &'static str> {
        row.channel_id = row.channel_id.map(|id| self.place(id)).transpose()?;
        row.user_id = self.user(row.user_id);
        row.space_id = row.space_id.and_then(|id| self.plan.targets.spaces.get(&id).copied());
        if self.too_large.contains(&row.id) {
            row.sha256 = None;
        }
        Ok(row)
    }
}
