//! Conversations as a person chooses among them: those of one chat, and those of their other private chats.

use clifford_core::{
    id::{ChannelId, ContextId, UserId},
    places::Channel,
    row::FromRow,
    value::args,
};

use crate::{
    Conn, StoreError,
    contexts::{self, Context},
    places::channels,
};

/// The conversations that a channel offers to its people: those that began there, and the active one wherever it began;
/// the latest first.
pub async fn here(conn: &mut Conn, channel: &Channel, limit: u32) -> Result<Vec<Context>, StoreError> {
    let sql = format!(
        "{} WHERE channel_id = $1 OR id = $2 ORDER BY last_user_interaction_at DESC, id DESC LIMIT $3",
        contexts::SELECT
    );
    conn.fetch_all(sql, args![channel.id, channel.active_context_id, limit])
        .await
}

/// A conversation of another private chat.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Elsewhere {
    /// The conversation.
    #[row(flatten)]
    pub context: Context,
    /// The platform of the other chat where it is active, else of the one where it began.
    pub platform: String,
    /// Its last message, whole.
    pub last_said: Option<String>,
}

/// A person's conversations that began in private chats of theirs other than this one, or are active in one, but for
/// the active one here; the latest first. With `only`: that one, if it is among them.
pub async fn elsewhere(
    conn: &mut Conn,
    user: UserId,
    here: &Channel,
    only: Option<ContextId>,
    limit: u32,
) -> Result<Vec<Elsewhere>, StoreError> {
    const SAID: &str = "FROM messages m WHERE m.context_id = c.id";
    // Where it is active tells where it went on: to ask its messages would be to read all that were written here.
    const ACTIVE: &str = "SELECT o.id FROM channels o WHERE o.user_id = $1 AND o.active_context_id = c.id
                          AND o.id <> $2 AND o.kind = 'private' ORDER BY o.id LIMIT 1";
    let sql = format!(
        "SELECT c.id, c.channel_id, c.user_id, c.space_id, c.name, c.turn_count, c.last_user_interaction_at,
                c.closed_at, c.created_at, p.platform,
                (SELECT m.content {SAID} ORDER BY m.id DESC LIMIT 1) AS last_said
         FROM contexts c
         JOIN channels p ON p.id = COALESCE(({ACTIVE}), c.channel_id)
         WHERE c.user_id = $1 AND c.space_id IS NULL
         AND p.id <> $2 AND p.user_id = $1 AND p.kind = 'private'
         AND ($3 IS NULL OR c.id <> $3) AND ($4 IS NULL OR c.id = $4)
         AND (c.name IS NOT NULL OR EXISTS (SELECT 1 {SAID}))
         ORDER BY c.last_user_interaction_at DESC, c.id DESC LIMIT $5"
    );
    conn.fetch_all(sql, args![user, here.id, here.active_context_id, only, limit])
        .await
}

/// A person's other channels where a conversation is the active one too.
pub async fn sharing(
    conn: &mut Conn,
    user: UserId,
    context: ContextId,
    except: ChannelId,
) -> Result<Vec<Channel>, StoreError> {
    let sql = format!(
        "{} WHERE user_id = $1 AND active_context_id = $2 AND id <> $3 ORDER BY id",
        channels::SELECT
    );
    conn.fetch_all(sql, args![user, context, except]).await
}
