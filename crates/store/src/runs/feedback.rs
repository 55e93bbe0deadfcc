//! Feedback on answers: a verdict a person and run.

use clifford_chat::{inbound::Verdict, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, RunId, SpaceId, UserId},
    places::ChannelKind,
    row::FromRow,
    runs::GivenBy,
    value::args,
};
use serde::Serialize;

use crate::{Conn, StoreError, Tx};

/// How many characters of a question and of its answer a list shows.
const SHOWN: usize = 300;

/// A verdict, and its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// Its way.
    pub by: GivenBy,
}

/// The run that an answer came from, and where that stands.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Rated {
    /// The run.
    pub run_id: RunId,
    /// The platform's id of the place.
    pub external_id: String,
    /// The platform's id of the parent channel, for a thread.
    pub parent: Option<String>,
    /// Private or shared.
    pub kind: ChannelKind,
    /// The platform's id of the group or server.
    pub space: Option<String>,
}

/// The answer that a platform knows by this id, in a place or in a topic of it.
pub async fn rated(
    conn: &mut Conn,
    platform: Platform,
    place: &str,
    message: &str,
) -> Result<Option<Rated>, StoreError> {
    let found: Vec<Rated> = conn
        .fetch_all(
            "SELECT m.run_id, c.external_id, above.external_id AS parent, c.kind, s.external_id AS space
             FROM message_parts p JOIN messages m ON m.id = p.message_id JOIN channels c ON c.id = m.channel_id
             LEFT JOIN spaces s ON s.id = c.space_id LEFT JOIN channels above ON above.id = c.parent_id
             WHERE p.platform_message_id = $3 AND c.platform = $1 AND m.direction = 'outbound'
               AND m.run_id IS NOT NULL AND (c.external_id = $2 OR c.external_id LIKE $2 || ':%')",
            args![platform.as_str(), place, message],
        )
        .await?;
    Ok(found.into_iter().next())
}

/// Whether a part is on its way to a place or to a topic of it: the platform may know it already by an id that is not
/// stored yet. One that was set aside is not: it may be so for days.
pub async fn is_under_way(conn: &mut Conn, platform: Platform, place: &str) -> Result<bool, StoreError> {
    let found: Option<(i64,)> = conn
        .fetch_optional(
            "SELECT CAST(1 AS BIGINT) FROM messages m JOIN channels c ON c.id = m.channel_id
             WHERE m.direction = 'outbound' AND m.status IN ('pending', 'sending') AND m.late_since IS NULL
               AND c.platform = $1
               AND (c.external_id = $2 OR c.external_id LIKE $2 || ':%')
               AND EXISTS (SELECT 1 FROM message_parts p WHERE p.message_id = m.id AND p.status = 'sending')
             LIMIT 1",
            args![platform.as_str(), place],
        )
        .await?;
    Ok(found.is_some())
}

/// A person's verdict on a run, in place of their earlier one.
pub async fn put(tx: &mut Tx, run: RunId, user: UserId, given: GivenVerdict, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO run_feedback (run_id, user_id, verdict, given_by, given_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (run_id, user_id) DO UPDATE SET verdict = excluded.verdict, given_by = excluded.given_by,
             given_at = excluded.given_at",
        args![run, user, given.verdict.as_str(), given.by, now],
    )
    .await?;
    Ok(())
}

/// A person takes back what they said by a reaction: this verdict, or any.
pub async fn withdraw(tx: &mut Tx, run: RunId, user: UserId, verdict: Option<Verdict>) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM run_feedback WHERE run_id = $1 AND user_id = $2 AND given_by = $3
         AND ($4 = '' OR verdict = $4)",
        args![run, user, GivenBy::Reaction, verdict.map_or("", Verdict::as_str)],
    )
    .await?;
    Ok(())
}

/// A person takes back what they said, in whatever way. `false`: they said nothing.
pub async fn take_back(tx: &mut Tx, run: RunId, user: UserId) -> Result<bool, StoreError> {
    let sql = "DELETE FROM run_feedback WHERE run_id = $1 AND user_id = $2";
    Ok(tx.execute(sql, args![run, user]).await? == 1)
}

/// A person's verdict.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Feedback {
    /// The person.
    #[schema(value_type = String)]
    pub user_id: UserId,
    /// `liked` or `disliked`.
    pub verdict: String,
    /// `reaction` or `button`.
    pub given_by: String,
    /// When.
    #[schema(value_type = String)]
    pub given_at: Timestamp,
}

/// The verdicts on a run, the oldest first.
pub async fn of_run(conn: &mut Conn, run: RunId) -> Result<Vec<Feedback>, StoreError> {
    conn.fetch_all(
        "SELECT user_id, verdict, given_by, given_at FROM run_feedback WHERE run_id = $1 ORDER BY given_at, user_id",
        args![run],
    )
    .await
}

/// A verdict with the run that it is about.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunFeedback {
    /// The run.
    #[schema(value_type = String)]
    pub run_id: RunId,
    /// The channel of the run.
    #[schema(value_type = Option<String>)]
    pub channel_id: Option<ChannelId>,
    /// The person who gave it.
    #[schema(value_type = String)]
    pub user_id: UserId,
    /// `liked` or `disliked`.
    pub verdict: String,
    /// `reaction` or `button`.
    pub given_by: String,
    /// When.
    #[schema(value_type = String)]
    pub given_at: Timestamp,
}

/// A verdict in a list, with what the run was asked.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ListedFeedback {
    /// The verdict.
    #[row(flatten)]
    pub given: RunFeedback,
    /// The person of the run.
    pub asker: Option<UserId>,
    /// The beginning of the question.
    pub asked: String,
    /// The beginning of the answer.
    pub answered: Option<String>,
}

/// A place in the list of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// When the verdict was given.
    pub given_at: Timestamp,
    /// Its run.
    pub run: RunId,
    /// Its person.
    pub user: UserId,
}

/// The verdicts that are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// Only these.
    pub verdict: Option<Verdict>,
    /// Only those that this person gave.
    pub user: Option<UserId>,
    /// Only those on runs of this channel.
    pub channel: Option<ChannelId>,
    /// Only those on runs of this conversation.
    pub context: Option<ContextId>,
    /// Only those on runs of the channels of this space.
    pub space: Option<SpaceId>,
    /// Only those behind this place.
    pub before: Option<Position>,
}

/// A page of verdicts, the newest first.
pub async fn page(conn: &mut Conn, filter: Filter, limit: u32) -> Result<Vec<ListedFeedback>, StoreError> {
    let before = filter.before;
    conn.fetch_all(
        format!(
            "SELECT f.run_id, r.channel_id, f.user_id, f.verdict, f.given_by, f.given_at, r.user_id AS asker,
                SUBSTR(r.input_text, 1, {SHOWN}) AS asked, SUBSTR(r.output_text, 1, {SHOWN}) AS answered
             FROM run_feedback f JOIN runs r ON r.id = f.run_id
             WHERE ($1 IS NULL OR f.verdict = $1) AND ($2 IS NULL OR f.user_id = $2) AND ($3 IS NULL OR r.channel_id = $3)
               AND f.given_at <= $4
               AND (f.given_at < $4 OR $5 IS NULL OR f.run_id < $5 OR (f.run_id = $5 AND f.user_id < $6))
               AND ($9 IS NULL OR r.context_id = $9)
               AND ($8 IS NULL OR r.channel_id IN (SELECT id FROM channels WHERE space_id = $8))
             ORDER BY f.given_at DESC, f.run_id DESC, f.user_id DESC LIMIT $7"
        ),
        args![
            filter.verdict.map(Verdict::as_str),
            filter.user,
            filter.channel,
            before.map_or(Timestamp(i64::MAX), |before| before.given_at),
            before.map(|before| before.run),
            before.map(|before| before.user),
            limit,
            filter.space,
            filter.context
        ],
    )
    .await
}

/// The verdicts that were given at a moment or later, those first that were given first.
pub async fn given_since(conn: &mut Conn, since: Timestamp, limit: u32) -> Result<Vec<RunFeedback>, StoreError> {
    conn.fetch_all(
        "SELECT f.run_id, r.channel_id, f.user_id, f.verdict, f.given_by, f.given_at
         FROM run_feedback f JOIN runs r ON r.id = f.run_id WHERE f.given_at >= $1 ORDER BY f.given_at LIMIT $2",
        args![since, limit],
    )
    .await
}

/// How many answers were liked and disliked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verdicts {
    /// Verdicts that are good.
    pub liked: i64,
    /// Verdicts that are not.
    pub disliked: i64,
}

/// The verdicts since a moment, of one person or of all.
pub async fn verdicts(conn: &mut Conn, since: Timestamp, user: Option<UserId>) -> Result<Verdicts, StoreError> {
    let counted: Option<Verdicts> = conn
        .fetch_optional(
            "SELECT CAST(COALESCE(SUM(CASE WHEN verdict = 'liked' THEN 1 ELSE 0 END), 0) AS BIGINT) AS liked,
                    CAST(COALESCE(SUM(CASE WHEN verdict = 'disliked' THEN 1 ELSE 0 END), 0) AS BIGINT) AS disliked
             FROM run_feedback WHERE given_at >= $1 AND ($2 = '' OR user_id = $2)",
            args![since, user.map_or_else(String::new, |user| user.to_string())],
        )
        .await?;
    Ok(counted.unwrap_or_default())
}

/// The runs whose answers were disliked, the newest first.
pub async fn disliked(conn: &mut Conn, limit: u32) -> Result<Vec<RunId>, StoreError> {
    let rows: Vec<(RunId,)> = conn
        .fetch_all(
            "SELECT run_id FROM run_feedback WHERE verdict = 'disliked' GROUP BY run_id ORDER BY MAX(given_at) DESC LIMIT $1",
            args![limit],
        )
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The questions of a run's person in its conversation up to that run, the newest last; at most so many.
pub async fn asked_until(conn: &mut Conn, run: RunId, most: u32) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = conn
        .fetch_all(
            "SELECT r.input_text FROM runs r JOIN runs this ON this.id = $1
             WHERE r.id = this.id OR (r.context_id = this.context_id AND r.user_id = this.user_id
                 AND r.kind = 'coordinator' AND r.id < this.id)
             ORDER BY r.id DESC LIMIT $2",
            args![run, most],
        )
        .await?;
    Ok(rows.into_iter().rev().map(|row| row.0).collect())
}
