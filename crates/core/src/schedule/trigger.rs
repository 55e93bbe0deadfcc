//! A trigger, as it is stored, and when it is due.

use serde::Serialize;

use crate::{
    clock::Timestamp,
    column::text_enum,
    id::{AgentId, ChannelId, ContextId, RunId, TriggerId, UserId},
    row::FromRow,
};

text_enum! {
    /// The action of a trigger.
    TriggerKind {
        /// It wakes a run that sleeps by cron.
        Wake = "wake",
        /// It begins a run.
        Run = "run",
        /// It says something, without a model.
        Reminder = "reminder",
    }
}

text_enum! {
    /// The handling of due times that were missed.
    CatchUp {
        /// They fire once together.
        Once = "once",
        /// They do not fire.
        Skip = "skip",
    }
}

/// A trigger.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Trigger)]
pub struct Trigger {
    /// Its id.
    #[schema(value_type = String)]
    pub id: TriggerId,
    /// The kind of the trigger.
    pub kind: TriggerKind,
    /// Its name; a webhook's address ends in it.
    pub name: Option<String>,
    /// Of a wake: the run that sleeps.
    #[schema(value_type = Option<String>)]
    pub run_id: Option<RunId>,
    /// Of a run: the agent that does it; none: the channel's, or the default one.
    #[schema(value_type = Option<String>)]
    pub agent_id: Option<AgentId>,
    /// Where it speaks; none: a run's output is read from its row.
    #[schema(value_type = Option<String>)]
    pub channel_id: Option<ChannelId>,
    /// For whom.
    #[schema(value_type = Option<String>)]
    pub user_id: Option<UserId>,
    /// Of a run: the conversation that it belongs to.
    #[schema(value_type = Option<String>)]
    pub context_id: Option<ContextId>,
    /// Of a run: what is asked; of a reminder: what is said.
    pub content: String,
    /// A signed request fires it.
    pub webhook: bool,
    /// The cron expression by which it comes due again and again.
    pub cron: Option<String>,
    /// IANA time zone of the expression.
    pub time_zone: String,
    /// The treatment of due times that passed while nobody was there.
    pub catch_up: CatchUp,
    /// Whether it fires.
    pub enabled: bool,
    /// When it fires next; none: it is off, has ended, or waits for its webhook.
    #[schema(value_type = Option<String>)]
    pub next_at: Option<Timestamp>,
    /// The creator, in words.
    pub created_by: Option<String>,
    /// When it was made.
    #[schema(value_type = String)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String)]
    pub updated_at: Timestamp,
    /// When it last fired.
    #[schema(value_type = Option<String>)]
    pub last_fired_at: Option<Timestamp>,
    /// Why its last firing came to nothing, if it did.
    pub last_error: Option<String>,
    /// The due time that somebody was up for, and that waits for its conversation to be free.
    #[serde(skip)]
    pub waiting_at: Option<Timestamp>,
    /// How often a process died that was about to fire it.
    #[serde(skip)]
    #[schema(ignore)]
    pub deaths: i64,
    /// When it was set aside, because processes died of it.
    #[schema(value_type = Option<String>)]
    pub quarantined_at: Option<Timestamp>,
}

impl Trigger {
    /// A new trigger of a kind that says nothing yet, and never comes due.
    pub fn new(kind: TriggerKind, now: Timestamp) -> Self {
        Self {
            id: TriggerId::new(),
            kind,
            name: None,
            run_id: None,
            agent_id: None,
            channel_id: None,
            user_id: None,
            context_id: None,
            content: String::new(),
            webhook: false,
            cron: None,
            time_zone: "UTC".to_owned(),
            catch_up: CatchUp::Once,
            enabled: true,
            next_at: None,
            created_by: None,
            created_at: now,
            updated_at: now,
            last_fired_at: None,
            last_error: None,
            waiting_at: None,
            deaths: 0,
            quarantined_at: None,
        }
    }
}

/// A trigger's due time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The trigger.
    pub id: TriggerId,
    /// When it was to fire.
    pub at: Timestamp,
}

impl Trigger {
    /// Its due time, if it has one.
    pub fn due(&self) -> Option<Due> {
        self.next_at.map(|at| Due { id: self.id, at })
    }
}
