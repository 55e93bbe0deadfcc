//! Runs that wait for a person to approve a call, and runs that have read words from outside.

use clifford_chat::{outbound::Address, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, RunId, UserId},
    json_text::JsonText,
    messages::MessageStatus,
    row::FromRow,
    run::step::Step,
    runs::{Run, WakeReason},
    value::args,
};

use serde_json::Value as Json;

use crate::{
    Conn, StoreError, Tx,
    runs::{
        COLUMNS,
        steps::{self, OF_RUN},
    },
};

/// The runs of a person that ask in a channel, oldest first. Subagents ask where the person asked.
pub async fn asked_in(conn: &mut Conn, user: UserId, channel: ChannelId) -> Result<Vec<Run>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM runs WHERE user_id = $1 AND channel_id = $2 AND status = 'waiting'
         AND wake_reason = 'tool_confirm' ORDER BY id"
    );
    conn.fetch_all(sql, args![user, channel]).await
}

/// The runs, at the top of their trees, that wait for this person to approve a call where they speak now, oldest first:
/// the run itself asks, or a subagent of it.
pub async fn asking(
    conn: &mut Conn,
    user: UserId,
    context: ContextId,
    channel: ChannelId,
) -> Result<Vec<Run>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM runs WHERE id IN (
             SELECT root_run_id FROM runs WHERE user_id = $1 AND context_id = $2 AND channel_id = $3
             AND status = 'waiting' AND wake_reason = 'tool_confirm') ORDER BY id"
    );
    conn.fetch_all(sql, args![user, context, channel]).await
}

/// The messages of a channel that show a question, with their delivery status: the question's own, and those that showed
/// it again.
pub async fn question_messages(
    conn: &mut Conn,
    run: RunId,
    question: &str,
    channel: ChannelId,
) -> Result<Vec<(MessageId, MessageStatus)>, StoreError> {
    conn.fetch_all(
        "SELECT id, status FROM messages WHERE run_id = $1 AND channel_id = $2 AND direction = 'outbound'
         AND metadata = $3 ORDER BY id",
        args![run, channel, shows(question)],
    )
    .await
}

/// A message that shows a question.
#[derive(Clone, Debug, FromRow)]
pub struct QuestionMessage {
    /// The message.
    pub id: MessageId,
    /// Its channel.
    pub channel_id: ChannelId,
    /// The channel's platform.
    pub platform: String,
    /// The person who is asked.
    pub user_id: Option<UserId>,
    /// Where it went, in the platform's terms.
    pub address: JsonText<Address>,
}

/// The messages of a run that show a question, and that no other changes yet, oldest first.
pub async fn unsettled(conn: &mut Conn, run: RunId) -> Result<Vec<QuestionMessage>, StoreError> {
    conn.fetch_all(
        r#"SELECT m.id, m.channel_id, c.platform, m.user_id, m.address FROM messages m
           JOIN channels c ON c.id = m.channel_id
           WHERE m.run_id = $1 AND m.direction = 'outbound' AND m.metadata LIKE '{"question":%'
           AND NOT EXISTS (SELECT 1 FROM messages e WHERE e.edits = m.id) ORDER BY m.id"#,
        args![run],
    )
    .await
}

/// The question that a message of a place shows, by the platform's id of one of its parts.
pub async fn question_of_message(
    conn: &mut Conn,
    platform: Platform,
    place: &str,
    id: &str,
) -> Result<Option<String>, StoreError> {
    let rows: Vec<(Option<JsonText<Json>>,)> = conn
        .fetch_all(
            "SELECT m.metadata FROM message_parts p JOIN messages m ON m.id = p.message_id
             JOIN channels c ON c.id = m.channel_id
             WHERE c.platform = $1 AND c.external_id = $2 AND p.platform_message_id = $3 AND m.direction = 'outbound'",
            args![platform.as_str(), place, id],
        )
        .await?;
    Ok(rows.into_iter().find_map(|(metadata,)| message_text(metadata?.0)))
}

/// The question that the newest message of a place shows, if that has arrived.
pub async fn question_of_newest(
    conn: &mut Conn,
    platform: Platform,
    place: &str,
) -> Result<Option<String>, StoreError> {
    let rows: Vec<(Option<JsonText<Json>>, MessageStatus)> = conn
        .fetch_all(
            "SELECT m.metadata, m.status FROM messages m JOIN channels c ON c.id = m.channel_id
             WHERE c.platform = $1 AND c.external_id = $2 ORDER BY m.id DESC LIMIT 1",
            args![platform.as_str(), place],
        )
        .await?;
    let newest = rows.into_iter().next();
    let arrived = newest.filter(|(_, status)| *status == MessageStatus::Delivered);
    Ok(arrived.and_then(|(metadata, _)| message_text(metadata?.0)))
}

/// The question in the metadata of a message.
fn message_text(metadata: Json) -> Option<String> {
    metadata.get("question")?.as_str().map(str::to_owned)
}

/// The questions of a person's runs that are on their way to a channel.
pub async fn on_the_way(conn: &mut Conn, user: UserId, channel: ChannelId) -> Result<Vec<MessageId>, StoreError> {
    let rows: Vec<(MessageId,)> = conn
        .fetch_all(
            "SELECT id FROM messages WHERE direction = 'outbound' AND status IN ('pending', 'sending') AND run_id IN (
                 SELECT id FROM runs WHERE user_id = $1 AND channel_id = $2 AND status = 'waiting'
                 AND wake_reason = 'tool_confirm')",
            args![user, channel],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The questions and answers in the newest runs of a person in a conversation in which a question was denied, or nobody
/// answered it: the steps of each run, in order.
///
/// # Errors
/// [`StoreError::Corrupt`]: a row is of no known form.
pub async fn denials_in(conn: &mut Conn, user: UserId, context: ContextId) -> Result<Vec<Vec<Step>>, StoreError> {
    // Within a text the quotation marks would be escaped.
    let sql = format!(
        r#"SELECT {OF_RUN} FROM run_steps s WHERE s.run_id IN (
               SELECT id FROM runs WHERE user_id = $1 AND context_id = $2 AND EXISTS (
                   SELECT 1 FROM run_steps d WHERE d.run_id = runs.id AND d.type = 'message'
                   AND d.result_json LIKE '%"event":"confirm"%' AND d.result_json LIKE '%"approved":false%')
               ORDER BY id DESC LIMIT 50)
           AND s.type = 'message' AND s.result_json LIKE '%"event":"confirm%'
           ORDER BY s.run_id, s.seq"#
    );
    let runs = steps::by_run(conn.fetch_all(sql, args![user, context]).await?);
    runs.into_values()
        .map(|steps| steps.map_err(StoreError::Corrupt))
        .collect()
}

/// The metadata of a message that shows a question.
pub fn shows(question: &str) -> serde_json::Value {
    serde_json::json!({ "question": question })
}

/// Takes the answer to a run's question: the run waits only to be woken. `false`: it was answered before, its time is
/// over, or it was stopped. Only one caller gets `true`.
pub async fn take_answer(tx: &mut Tx, run: RunId, now: Timestamp) -> Result<bool, StoreError> {
    let taken = tx
        .execute(
            "UPDATE runs SET wake_reason = $1, wake_at = $2, updated_at = $2
             WHERE id = $3 AND status = 'waiting' AND wake_reason = $4",
            args![WakeReason::ToolConfirmed, now, run, WakeReason::ToolConfirm],
        )
        .await?;
    Ok(taken == 1)
}

/// Whether a run of one of these conversations has read words from outside.
pub async fn any_tainted(conn: &mut Conn, contexts: &[ContextId]) -> Result<bool, StoreError> {
    for context in contexts {
        let sql = "SELECT CAST(1 AS BIGINT) FROM runs WHERE context_id = $1 AND tainted LIMIT 1";
        if conn.exists(sql, args![*context]).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether one of these runs has read words from outside.
pub async fn any_is_tainted(conn: &mut Conn, runs: &[RunId]) -> Result<bool, StoreError> {
    for run in runs {
        let sql = "SELECT CAST(1 AS BIGINT) FROM runs WHERE id = $1 AND tainted";
        if conn.exists(sql, args![*run]).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// From now on what this run says, or was said to it, is no more trusted than what it has read.
pub async fn taint(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE runs SET tainted = TRUE WHERE id = $1 AND NOT tainted",
        args![run],
    )
    .await?;
    Ok(())
}
