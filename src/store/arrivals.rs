//! What the transaction of an inbound message must know, found in one trip: who, where, in which conversation,
//! whose turn it is there, and whether the message was stored before.

use clifford_channel::Platform;

use super::{
    StoreError, Tx,
    agents::{self, Agent},
    args,
    channels::{self, Channel},
    contexts::{self, Context},
    runs::{self, Run},
    users::{self, User},
};

/// What is known. The channel and its conversation stay locked until the transaction ends, so what happens in
/// them happens in order.
#[derive(Debug)]
pub struct Arrival {
    /// The person behind the account.
    pub user: Option<User>,
    /// The channel of the place.
    pub channel: Option<Channel>,
    /// Its active conversation.
    pub context: Option<Context>,
    /// The agent that answers there: the channel's own if that is enabled, else the default one.
    pub agent: Option<Agent>,
    /// The coordinator run at work in the conversation.
    pub active: Option<Run>,
    /// The message is stored already.
    pub is_repeat: bool,
}

/// By what a message is known again.
#[derive(Clone, Copy, Debug)]
pub enum Known<'a> {
    /// The platform's id of it.
    ById(&'a str),
    /// Its sender's own key.
    ByKey(&'a str),
}

const HERE: &str = "FROM channels WHERE platform = $1 AND external_id = $2";

/// Finds what is known of a message's account and place, before anything is changed.
///
/// # Errors
/// The store's.
pub async fn find(
    tx: &mut Tx,
    platform: Platform,
    account: &str,
    place: &str,
    message: Known<'_>,
) -> Result<Arrival, StoreError> {
    let here = || args![platform.as_str(), place];
    let with = |more: &str| args![platform.as_str(), place, more];
    // As an `UPDATE` would lock them: what refers to them may still be written.
    let lock = if tx.is_postgres() { " FOR NO KEY UPDATE" } else { "" };
    let (known, value) = match message {
        Known::ById(id) => ("direction = 'inbound' AND platform_message_id", id),
        Known::ByKey(key) => ("idempotency_key", key),
    };
    let [user, channel, context, agent, active, repeat] = tx
        .together([
            users::ask_by_identity(platform, account),
            (
                format!("{} WHERE platform = $1 AND external_id = $2{lock}", channels::SELECT),
                here(),
            ),
            (
                format!(
                    "{} WHERE id = (SELECT active_context_id {HERE}){lock}",
                    contexts::SELECT
                ),
                here(),
            ),
            (agents::for_channel_sql(&format!("(SELECT agent_id {HERE})")), here()),
            (
                format!(
                    "SELECT {} FROM runs WHERE context_id = (SELECT active_context_id {HERE})
                     AND kind = 'coordinator' AND status IN ('pending', 'running')",
                    runs::COLUMNS
                ),
                here(),
            ),
            (
                format!(
                    "SELECT CAST(1 AS BIGINT) FROM messages WHERE channel_id = (SELECT id {HERE}) AND {known} = $3"
                ),
                with(value),
            ),
        ])
        .await?;
    Ok(Arrival {
        user: user.maybe()?,
        channel: channel.maybe()?,
        context: context.maybe()?,
        agent: agent.maybe()?,
        active: active.maybe()?,
        is_repeat: !repeat.is_empty(),
    })
}
