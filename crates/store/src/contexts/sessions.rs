//! Conversations as they are looked back on, within some channels.

use std::{fmt, str::FromStr};

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId},
    messages::Direction,
    row::FromRow,
    value::args,
};

use crate::{Conn, StoreError, search::within, withheld};

/// A conversation that was had.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Session {
    /// Its id.
    pub id: ContextId,
    /// Its name.
    pub name: Option<String>,
    /// The platform where it began.
    pub platform: String,
    /// Answered turns.
    pub turn_count: i64,
    /// When a person last spoke in it.
    pub last_user_interaction_at: Timestamp,
    /// The summary of its older messages.
    pub summary: Option<String>,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SessionMessage {
    /// Its id.
    pub id: MessageId,
    /// Its direction.
    pub direction: Direction,
    /// The text.
    pub content: String,
    /// When it was stored.
    pub created_at: Timestamp,
}

/// The place of a conversation among others, at the time at which it was listed: somebody may speak in it meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Position {
    /// When a person had last spoken in it.
    pub last_user_interaction_at: Timestamp,
    /// Its id.
    pub id: ContextId,
}

impl Session {
    /// Its place.
    pub const fn position(&self) -> Position {
        Position {
            last_user_interaction_at: self.last_user_interaction_at,
            id: self.id,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{BETWEEN}{}", self.last_user_interaction_at.0, self.id)
    }
}

impl FromStr for Position {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once(BETWEEN);
        let position = parts.and_then(|(at, id)| {
            Some(Self {
                last_user_interaction_at: Timestamp(at.parse().ok()?),
                id: id.parse().ok()?,
            })
        });
        position.ok_or("this is no place in a list of conversations")
    }
}

/// Stands in a place as it is written.
const BETWEEN: char = '~';

/// The place of a conversation now.
pub async fn position(conn: &mut Conn, id: ContextId) -> Result<Option<Position>, StoreError> {
    let sql = "SELECT last_user_interaction_at, id FROM contexts WHERE id = $1";
    conn.fetch_optional(sql, args![id]).await
}

/// The conversations of these channels, the latest first, of those behind a place if that is given.
pub async fn of_channels(
    conn: &mut Conn,
    channels: &[ChannelId],
    before: Option<Position>,
    limit: u32,
) -> Result<Vec<Session>, StoreError> {
    if channels.is_empty() {
        return Ok(Vec::new());
    }
    let mut args = args![limit];
    let mut sql = format!(
        "SELECT x.id, x.name, c.platform, x.turn_count, x.last_user_interaction_at, x.summary
         FROM contexts x JOIN channels c ON c.id = x.channel_id WHERE {}",
        within("x.channel_id", channels, &mut args)
    );
    if let Some(before) = before {
        args.push(before.last_user_interaction_at.into());
        args.push(before.id.into());
        let (at, id) = (args.len() - 1, args.len());
        sql.push_str(&format!(" AND (x.last_user_interaction_at, x.id) < (${at}, ${id})"));
    }
    sql.push_str(" ORDER BY x.last_user_interaction_at DESC, x.id DESC LIMIT $1");
    conn.fetch_all(sql, args).await
}

/// The messages of a conversation that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageRange {
    /// The newest.
    Newest,
    /// Messages before this one.
    Before(MessageId),
    /// This one with those before and after it, as many of each.
    Around(MessageId),
}

/// Messages of a conversation, newest first. `None`: it is no conversation of these channels.
pub async fn messages(
    conn: &mut Conn,
    id: ContextId,
    channels: &[ChannelId],
    part: MessageRange,
    limit: u32,
) -> Result<Option<Vec<SessionMessage>>, StoreError> {
    if channels.is_empty() {
        return Ok(None);
    }
    let mut known = args![id];
    let of_channels = within("channel_id", channels, &mut known);
    let sql = format!("SELECT CAST(1 AS BIGINT) FROM contexts WHERE id = $1 AND {of_channels}");
    if !conn.exists(sql, known).await? {
        return Ok(None);
    }
    let mut said = Vec::new();
    let halves = match part {
        MessageRange::Newest => vec![(None, limit)],
        MessageRange::Before(message) => vec![(Some(("<", "DESC", message)), limit)],
        MessageRange::Around(message) => vec![
            (Some((">", "ASC", message)), (limit - limit.min(1)) / 2),
            (Some(("<=", "DESC", message)), limit - (limit - limit.min(1)) / 2),
        ],
    };
    for (bound, limit) in halves {
        let mut args = args![id, limit];
        let of_channels = within("channel_id", channels, &mut args);
        let mut sql = format!(
            "SELECT id, direction, content, created_at FROM messages
             WHERE context_id = $1 AND deleted_at IS NULL AND {} AND {of_channels}",
            withheld::is_open("")
        );
        let mut order = "DESC";
        if let Some((sign, towards, message)) = bound {
            args.push(message.into());
            sql.push_str(&format!(" AND id {sign} ${}", args.len()));
            order = towards;
        }
        sql.push_str(&format!(" ORDER BY id {order} LIMIT $2"));
        said.extend(conn.fetch_all::<SessionMessage>(sql, args).await?);
    }
    said.sort_by_key(|said| std::cmp::Reverse(said.id));
    Ok(Some(said))
}
