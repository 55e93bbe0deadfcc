//! The state that a worker needs to go on with a run: its row, its steps, its person and its place.

use clifford_chat::role::PlatformRole;
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, ContextId, UserId, WorkerId},
    people::User,
    places::{Channel, Mode},
    run::step::Step,
    runs::Run,
};
use clifford_delivery::outbound::To;
use clifford_store::{
    Conn, StoreError,
    memory::prompt_context::PromptContext,
    people::{reading, users},
    places::{
        agents::{self, Agent},
        channels,
    },
    runs::{self, Lease, NewRun, steps},
};
use clifford_text::Lang;

/// A claimed run with all that belongs to it.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its row.
    pub run: Run,
    /// The right to write for it.
    pub lease: Lease,
    /// Its steps so far.
    pub steps: Vec<Step>,
    /// The agent that does it.
    pub agent: Agent,
    /// Where it came from.
    pub channel: Option<Channel>,
    /// The person who asked.
    pub user: Option<User>,
    /// The context of its prompt, if that was read already.
    pub prompt_context: Option<PromptContext>,
}

impl Work {
    /// Reads everything that belongs to a claimed run.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] if the run or its agent is gone.
    pub async fn load(conn: &mut Conn, lease: Lease) -> Result<Self, StoreError> {
        let run = runs::get(conn, lease.run)
            .await?
            .ok_or_else(|| StoreError::NotFound(format!("run {}", lease.run)))?;
        let steps = steps::of_run(conn, run.id).await?;
        let agent = agents::get(conn, run.agent_id)
            .await?
            .ok_or_else(|| StoreError::NotFound(format!("agent {}", run.agent_id)))?;
        let channel = match run.channel_id {
            Some(id) => channels::get(conn, id).await?,
            None => None,
        };
        let user = match run.user_id {
            Some(id) => users::get(conn, id).await?,
            None => None,
        };
        Ok(Self {
            run,
            lease,
            steps,
            agent,
            channel,
            user,
            prompt_context: None,
        })
    }

    /// Reads what can be read of a claimed run without its steps: to end it, or to tell where it belongs.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] if the run is gone, [`StoreError::Corrupt`] if its own row cannot be read.
    pub(crate) async fn without_steps(conn: &mut Conn, lease: Lease) -> Result<Self, StoreError> {
        let run = runs::get(conn, lease.run)
            .await?
            .ok_or_else(|| StoreError::NotFound(format!("run {}", lease.run)))?;
        let agent = match readable(agents::get(conn, run.agent_id).await)? {
            Some(agent) => Some(agent),
            None => agents::for_channel(conn, None).await?,
        };
        let agent = agent.ok_or_else(|| StoreError::Corrupt(format!("agent {}", run.agent_id)))?;
        let channel = match run.channel_id {
            Some(id) => readable(channels::get(conn, id).await)?,
            None => None,
        };
        let user = match run.user_id {
            Some(id) => readable(users::get(conn, id).await)?,
            None => None,
        };
        Ok(Self {
            run,
            lease,
            steps: Vec::new(),
            agent,
            channel,
            user,
            prompt_context: None,
        })
    }

    /// The language in which its person reads the bot's own sentences.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn lang(&self, conn: &mut Conn) -> Result<Lang, StoreError> {
        reading::of(conn, self.user.as_ref(), self.run.channel_id).await
    }

    /// Where its replies go; `None`: nowhere, its output is read from its row.
    pub fn reply_to(&self) -> Option<To> {
        let channel = self.channel.as_ref()?;
        Some(To {
            platform: channel.platform().ok()?,
            channel: channel.id,
            context: self.run.context_id,
            user: self.run.user_id,
            run: Some(self.run.id),
            address: self.run.address()?.clone(),
        })
    }
}

/// A row that cannot be read is as good as none.
fn readable<T>(row: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match row {
        Err(StoreError::Corrupt(_)) => Ok(None),
        other => other,
    }
}

/// The purpose of a new coordinator run.
#[derive(Clone, Debug)]
pub struct Task {
    /// The agent that does it.
    pub agent: AgentId,
    /// Where it came from.
    pub channel: Option<ChannelId>,
    /// The person who asks.
    pub user: Option<UserId>,
    /// The conversation.
    pub context: Option<ContextId>,
    /// How it is answered.
    pub mode: Mode,
    /// The input.
    pub input: String,
    /// Where replies go.
    pub address: Option<clifford_chat::outbound::Address>,
    /// The roles that the person has on the platform; `None`: not known.
    pub platform_roles: Option<Vec<PlatformRole>>,
    /// When it may begin, if not at once.
    pub not_before: Option<Timestamp>,
}

impl Task {
    /// The task of a run that does another's work on new input, at once.
    pub fn in_place_of(run: &Run, input: String) -> Self {
        Self {
            agent: run.agent_id,
            channel: run.channel_id,
            user: run.user_id,
            context: run.context_id,
            mode: run.mode,
            input,
            address: run.address().cloned(),
            platform_roles: run.platform_roles.clone().map(|roles| roles.0),
            not_before: None,
        }
    }

    /// The run for this, a worker's own from the start so that no claim follows; or anybody's.
    pub fn into_run(self, lease: Option<(WorkerId, Timestamp)>) -> NewRun {
        NewRun {
            channel_id: self.channel,
            user_id: self.user,
            context_id: self.context,
            address: self.address,
            platform_roles: self.platform_roles,
            not_before: self.not_before,
            lease,
            ..NewRun::of(self.agent, self.mode, self.input)
        }
    }
}
