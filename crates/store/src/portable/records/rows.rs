//! Records that are rows: each field is a column of the table.

use clifford_core::{
    clock::Timestamp,
    id::{
        AgentId, ChannelId, ContextId, FileId, MemoryItemId, MessageId, PolicyId, RunId, SettingChangeId, SpaceId,
        TriggerId, UsageId, UserId,
    },
    json_text::JsonText,
    messages::{Direction, MessageStatus},
    places::{ChannelKind, Mode},
    row::FromRow,
    runs::{RunKind, RunStatus},
    value::Value,
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

macro_rules! records {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, FromRow, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name { $($(#[$attribute])* pub $field: $type,)* }

        impl $name {
            pub(in crate::portable) const COLUMNS: &[&str] = &[$(stringify!($field)),*];

            pub(in crate::portable) fn values(self) -> Vec<Value> {
                vec![$(Value::from(self.$field)),*]
            }
        }
    )*};
}

/// The kind of triggers that archives of version 1 hold.
fn reminder() -> String {
    "reminder".to_owned()
}

records! {
    /// A group or server.
    Space {
        id: SpaceId,
        platform: String,
        external_id: String,
        name: Option<String>,
        left_at: Option<Timestamp>,
        greeted_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// A channel.
    Channel {
        id: ChannelId,
        platform: String,
        external_id: String,
        kind: ChannelKind,
        name: Option<String>,
        space_id: Option<SpaceId>,
        user_id: Option<UserId>,
        account: Option<String>,
        enabled: bool,
        disabled_reason: Option<String>,
        mode: Mode,
        agent_id: Option<AgentId>,
        parent_id: Option<ChannelId>,
        followed_at: Option<Timestamp>,
        active_context_id: Option<ContextId>,
        last_message_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// A conversation.
    Context {
        id: ContextId,
        channel_id: ChannelId,
        user_id: Option<UserId>,
        space_id: Option<SpaceId>,
        name: Option<String>,
        summary: Option<String>,
        summary_of: Option<JsonText<Vec<UserId>>>,
        compacted_through: Option<MessageId>,
        remembered_through: Option<MessageId>,
        continued_from: Option<ContextId>,
        model: Option<String>,
        turn_count: i64,
        last_user_interaction_at: Timestamp,
        closed_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// A run that has ended.
    Run {
        id: RunId,
        kind: RunKind,
        mode: Mode,
        level: i64,
        profile: Option<String>,
        channel_id: Option<ChannelId>,
        user_id: Option<UserId>,
        context_id: Option<ContextId>,
        parent_run_id: Option<RunId>,
        root_run_id: RunId,
        agent_id: Option<AgentId>,
        input_text: String,
        input_json: Option<JsonText<Json>>,
        allowed_tools: Option<JsonText<Vec<String>>>,
        output_text: Option<String>,
        status: RunStatus,
        error: Option<String>,
        llm_calls: i64,
        prompt_tokens: i64,
        completion_tokens: i64,
        cached_tokens: i64,
        cost: f64,
        worked_ms: i64,
        created_at: Timestamp,
        ended_at: Option<Timestamp>,
    }
    /// A message.
    Message {
        id: MessageId,
        direction: Direction,
        channel_id: ChannelId,
        context_id: Option<ContextId>,
        user_id: Option<UserId>,
        run_id: Option<RunId>,
        content: String,
        quote: Option<JsonText<Json>>,
        quoted_user_id: Option<UserId>,
        attachments: Option<JsonText<Json>>,
        platform_message_id: Option<String>,
        status: MessageStatus,
        error: Option<String>,
        sent_at: Timestamp,
        edited_at: Option<Timestamp>,
        deleted_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// Something that is remembered of a person.
    MemoryItem {
        id: MemoryItemId,
        user_id: UserId,
        level: i64,
        module: String,
        key: String,
        value: String,
        confidence: f64,
        context_id: Option<ContextId>,
        origin_space: Option<SpaceId>,
        shareable: bool,
        pinned: bool,
        archived: bool,
        created_at: Timestamp,
        last_seen_at: Timestamp,
    }
    /// A setting of a person, a space, a channel, an agent or the whole bot.
    Setting {
        scope: String,
        name: String,
        value: String,
        updated_at: Timestamp,
    }
    /// A reminder, or a run that begins by the clock.
    Reminder {
        id: TriggerId,
        /// `reminder` or `run`.
        #[serde(default = "reminder")]
        kind: String,
        name: Option<String>,
        agent_id: Option<AgentId>,
        context_id: Option<ContextId>,
        created_by: Option<String>,
        channel_id: Option<ChannelId>,
        user_id: Option<UserId>,
        content: String,
        cron: Option<String>,
        time_zone: String,
        catch_up: String,
        enabled: bool,
        next_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
        last_fired_at: Option<Timestamp>,
    }
    /// A step of a run that has ended; its contents are texts of JSON, as they are stored.
    Step {
        run_id: RunId,
        seq: i64,
        kind: String,
        tool_name: Option<String>,
        args_json: Option<String>,
        result_json: Option<String>,
        status: Option<String>,
        idempotency_key: Option<String>,
        prompt_tokens: Option<i64>,
        completion_tokens: Option<i64>,
        cached_tokens: Option<i64>,
        duration_ms: Option<i64>,
        created_at: Timestamp,
    }
    /// A part of a message, as it was sent.
    Part {
        message_id: MessageId,
        seq: i64,
        delivery_key: String,
        body: String,
        status: String,
        platform_message_id: Option<String>,
        delivered_at: Option<Timestamp>,
    }
    /// The cost of one call of a model.
    Usage {
        id: UsageId,
        run_id: Option<RunId>,
        seq: Option<i64>,
        user_id: Option<UserId>,
        space_id: Option<SpaceId>,
        channel_id: Option<ChannelId>,
        role: String,
        provider: String,
        model: String,
        prompt_tokens: i64,
        completion_tokens: i64,
        cached_tokens: i64,
        cache_write_tokens: i64,
        estimated: bool,
        cost: f64,
        own_key: bool,
        created_at: Timestamp,
    }
    /// How somebody liked what a run answered.
    Feedback {
        run_id: RunId,
        user_id: UserId,
        verdict: String,
        given_by: String,
        given_at: Timestamp,
    }
    /// A change of a setting that somebody made in a chat.
    SettingChange {
        id: SettingChangeId,
        scope: String,
        name: String,
        old_value: Option<String>,
        new_value: Option<String>,
        user_id: Option<UserId>,
        changed_at: Timestamp,
        undone_at: Option<Timestamp>,
    }
    /// A rule about tool calls.
    Rule {
        id: PolicyId,
        rule: JsonText<Json>,
        user_id: Option<UserId>,
        space_id: Option<SpaceId>,
        context_id: Option<ContextId>,
        platform_roles: Option<JsonText<Json>>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    /// A file; its content is an entry of its own. Without a checksum it was never kept, and there is no such entry.
    File {
        id: FileId,
        user_id: Option<UserId>,
        channel_id: Option<ChannelId>,
        space_id: Option<SpaceId>,
        message_id: Option<MessageId>,
        name: String,
        media_type: Option<String>,
        size: Option<i64>,
        sha256: Option<String>,
        came_as: Option<String>,
        seconds: Option<i64>,
        of_others: bool,
        created_at: Timestamp,
    }
}
