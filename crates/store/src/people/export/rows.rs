//! The rows of an export, as they stand in its lines.

use clifford_core::{
    clock::Timestamp,
    id::{
        ChannelId, ContextId, DocumentId, JobId, MemoryItemId, MessageId, PasskeyId, PolicyId, RunId, SessionId,
        SpaceId, TokenId, TriggerId, UserId,
    },
    json_text::JsonText,
    messages::{Author, Direction, MessageStatus, Quote},
    people::UserRole,
    row::FromRow,
    runs::{RunKind, RunStatus},
};
use serde::{Deserialize as _, Serialize};
use serde_json::Value as Json;

macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, FromRow, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $(pub $field: $type,)* }
    )*};
}

rows! {
    /// The person.
    User {
        id: UserId,
        name: String,
        role: UserRole,
        language: Option<String>,
        language_set: bool,
        time_zone: Option<String>,
        created_at: Timestamp,
    }
    /// An account.
    Identity {
        platform: String,
        platform_user_id: String,
        name: String,
        handle: Option<String>,
        created_at: Timestamp,
    }
    /// A setting for them, or for a private channel of theirs.
    Setting {
        scope: String,
        name: String,
        value: String,
        updated_at: Timestamp,
    }
    /// A change of a setting that they made in a chat.
    SettingChange {
        id: String,
        scope: String,
        name: String,
        old_value: Option<String>,
        new_value: Option<String>,
        changed_at: Timestamp,
        undone_at: Option<Timestamp>,
    }
    /// A memory item, archived ones too.
    MemoryItem {
        id: MemoryItemId,
        module: String,
        key: String,
        value: String,
        level: i64,
        confidence: f64,
        context_id: Option<ContextId>,
        origin_space: Option<SpaceId>,
        shareable: bool,
        pinned: bool,
        archived: bool,
        created_at: Timestamp,
        last_seen_at: Timestamp,
    }
    /// A private channel.
    Channel {
        id: ChannelId,
        platform: String,
        external_id: String,
        name: Option<String>,
        enabled: bool,
        last_message_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// A private conversation.
    Context {
        id: ContextId,
        channel_id: ChannelId,
        name: Option<String>,
        summary: Option<String>,
        turn_count: i64,
        closed_at: Option<Timestamp>,
        created_at: Timestamp,
    }
    /// A message of theirs, or an answer to them.
    Message {
        id: MessageId,
        direction: Direction,
        channel_id: ChannelId,
        context_id: Option<ContextId>,
        run_id: Option<RunId>,
        content: String,
        quote: Option<JsonText<Json>>,
        attachments: Option<JsonText<Json>>,
        platform_message_id: Option<String>,
        status: MessageStatus,
        sent_at: Timestamp,
        edited_at: Option<Timestamp>,
        deleted_at: Option<Timestamp>,
    }
    /// A run for them. Input and output are left out where others' words may stand in them.
    Run {
        id: RunId,
        kind: RunKind,
        channel_id: Option<ChannelId>,
        context_id: Option<ContextId>,
        parent_run_id: Option<RunId>,
        input_text: Option<String>,
        input_json: Option<JsonText<Json>>,
        output_text: Option<String>,
        status: RunStatus,
        error: Option<String>,
        prompt_tokens: i64,
        completion_tokens: i64,
        cost: f64,
        created_at: Timestamp,
        ended_at: Option<Timestamp>,
    }
    /// A model call.
    Usage {
        run_id: Option<RunId>,
        role: clifford_core::models::Role,
        provider: String,
        model: String,
        prompt_tokens: i64,
        completion_tokens: i64,
        cached_tokens: i64,
        cost: f64,
        created_at: Timestamp,
    }
    /// A trigger for them: a reminder, a scheduled run, or the repeated wake of a run.
    Reminder {
        id: TriggerId,
        kind: String,
        run_id: Option<RunId>,
        channel_id: Option<ChannelId>,
        content: String,
        cron: Option<String>,
        time_zone: String,
        next_at: Option<Timestamp>,
        last_fired_at: Option<Timestamp>,
    }
    /// A file, without its content.
    File {
        id: String,
        message_id: Option<MessageId>,
        name: String,
        media_type: Option<String>,
        size: Option<i64>,
        created_at: Timestamp,
    }
    /// A piece of a document that they had indexed.
    DocumentPiece {
        document_id: DocumentId,
        title: String,
        seq: i64,
        content: String,
    }
    /// A token, without the token.
    ApiToken {
        id: TokenId,
        name: String,
        scopes: JsonText<Vec<String>>,
        created_at: Timestamp,
        revoked_at: Option<Timestamp>,
    }
    /// A session in a browser, without its secret.
    Session {
        id: SessionId,
        user_agent: Option<String>,
        created_at: Timestamp,
        seen_at: Timestamp,
        expires_at: Timestamp,
    }
    /// A passkey, without its key and the name that its authenticator gave it.
    Passkey {
        id: PasskeyId,
        name: String,
        rp_id: String,
        created_at: Timestamp,
        used_at: Option<Timestamp>,
    }
    /// That they gave a key of their own for a model provider, without the key.
    OwnKey {
        provider: String,
        created_at: Timestamp,
    }
    /// Their feedback on an answer.
    Feedback {
        run_id: RunId,
        verdict: String,
        given_by: String,
        given_at: Timestamp,
    }
    /// A rule about tool calls that is about them, or about a private conversation of theirs.
    PolicyRule {
        id: PolicyId,
        rule: JsonText<Json>,
        space_id: Option<SpaceId>,
        context_id: Option<ContextId>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    /// A job of the memory writer for their conversations.
    Job {
        id: JobId,
        kind: String,
        mode: Option<String>,
        context_id: Option<ContextId>,
        status: String,
        result: Option<JsonText<Json>>,
        created_at: Timestamp,
    }
}

impl Message {
    /// As it is handed out of a place that others share: with a quote of their own words, and of nobody else's.
    pub(super) fn in_shared_place(mut self) -> Self {
        let is_own = |quote: &JsonText<Json>| {
            let quote = Quote::deserialize(&quote.0);
            quote.is_ok_and(|quote| quote.by == Author::Speaker)
        };
        self.quote = self.quote.filter(is_own);
        self
    }
}
