//! Ids by their beginning, as people type them.

use clifford_core::value::args;

use crate::{Conn, StoreError};

/// A kind of row that people name by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// An agent.
    Agent,
    /// A channel.
    Channel,
    /// A conversation.
    Context,
    /// A job.
    Job,
    /// A memory item.
    MemoryItem,
    /// A message.
    Message,
    /// A rule about tool calls.
    Policy,
    /// A run.
    Run,
    /// A space.
    Space,
    /// A token of the API.
    Token,
    /// A trigger.
    Trigger,
    /// A person.
    User,
}

impl IdKind {
    const fn table(self) -> &'static str {
        match self {
            Self::Agent => "agents",
            Self::Channel => "channels",
            Self::Context => "contexts",
            Self::Job => "jobs",
            Self::MemoryItem => "memory_items",
            Self::Message => "messages",
            Self::Policy => "policies",
            Self::Run => "runs",
            Self::Space => "spaces",
            Self::Token => "api_tokens",
            Self::Trigger => "triggers",
            Self::User => "users",
        }
    }
}

/// The ids of a kind that begin like this, the newest first, and at most `limit` of them. `beginning` holds hexadecimal
/// digits and dashes only.
pub async fn beginning_with(
    conn: &mut Conn,
    kind: IdKind,
    beginning: &str,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let table = kind.table();
    let pattern = format!("{beginning}%");
    let rows: Vec<(String,)> = conn
        .fetch_all(
            format!("SELECT id FROM {table} WHERE id LIKE $1 ORDER BY id DESC LIMIT $2"),
            args![pattern, limit],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}
