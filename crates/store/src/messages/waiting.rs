//! Messages that wait for the run at work in their conversation to end.

use clifford_chat::{outbound::Address, role::PlatformRole};
use clifford_core::{
    id::{ChannelId, ContextId, MessageId, UserId},
    json_text::{JsonText, to_json},
    places::Mode,
    row::FromRow,
    value::args,
};
use serde::Deserialize as _;
use serde_json::{Map, Value as Json, json};

use super::replies::with_quote;
use crate::{Conn, StoreError, Tx, db::conn::Statement};

/// A message that waits for the run at work in its context to end.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Queued {
    /// Its id.
    pub id: MessageId,
    /// Its author.
    pub user_id: Option<UserId>,
    /// Where it was written.
    pub channel_id: ChannelId,
    /// The text.
    pub content: String,
    /// Where its answer goes.
    pub address: Option<JsonText<Address>>,
    /// Further metadata.
    pub metadata: Option<JsonText<Json>>,
    /// The message that it answers.
    pub quote: Option<JsonText<Json>>,
}

impl Queued {
    /// The message as a run is asked it: with what it answers.
    pub fn as_input(&self) -> String {
        with_quote(self.quote.as_ref(), &self.content, usize::MAX)
    }

    /// How its sender wants it to be answered, if they said so.
    pub fn mode(&self) -> Option<Mode> {
        let word = self.metadata.as_ref()?.0.get("mode")?.as_str()?;
        word.parse().ok()
    }

    /// The roles that its sender had on the platform; `None`: they are not known.
    pub fn platform_roles(&self) -> Option<Vec<PlatformRole>> {
        let roles = self.metadata.as_ref()?.0.get("roles")?;
        Vec::deserialize(roles).ok()
    }
}

/// The queued messages of a context, in the order in which they were written.
pub async fn queued(conn: &mut Conn, context: ContextId) -> Result<Vec<Queued>, StoreError> {
    let (sql, args) = ask_queued(context);
    conn.fetch_all(sql, args).await
}

pub(crate) fn ask_queued(context: ContextId) -> Statement {
    (
        "SELECT id, user_id, channel_id, content, address, metadata, quote FROM messages
         WHERE context_id = $1 AND status = 'queued'
         ORDER BY sent_at, LENGTH(COALESCE(platform_message_id, '')), platform_message_id, id"
            .to_owned(),
        args![context],
    )
}

/// Lets a message wait for the run at work in its context to end; its answer goes to this address, is made as its sender
/// wants it, and by the roles that they have on the platform.
pub async fn queue(
    tx: &mut Tx,
    id: MessageId,
    address: &Address,
    mode: Option<Mode>,
    roles: Option<&[PlatformRole]>,
) -> Result<(), StoreError> {
    let mode = mode.map(|mode| ("mode".to_owned(), json!(mode)));
    let roles = roles.map(|roles| ("roles".to_owned(), json!(roles)));
    let metadata: Map<String, Json> = mode.into_iter().chain(roles).collect();
    let metadata = (!metadata.is_empty()).then_some(Json::Object(metadata));
    tx.defer(
        "UPDATE messages SET status = 'queued', run_id = NULL, metadata = $3, address = $1 WHERE id = $2",
        args![to_json(address), id, metadata],
    )
    .await
}

/// Drops what waits in a context (somebody said stop), of one person or all, and returns it.
pub async fn drop_queued(tx: &mut Tx, context: ContextId, of: Option<UserId>) -> Result<Vec<Queued>, StoreError> {
    let mut dropped = queued(tx, context).await?;
    dropped.retain(|message| of.is_none() || message.user_id == of);
    tx.execute(
        "UPDATE messages SET status = 'history'
         WHERE context_id = $1 AND status = 'queued' AND ($2 IS NULL OR user_id = $2)",
        args![context, of],
    )
    .await?;
    Ok(dropped)
}
