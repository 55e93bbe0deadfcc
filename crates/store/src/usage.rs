//! The usage of models, one row a call; and its sums.

pub mod tools;

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, RunId, SpaceId, UsageId, UserId},
    models::{Grouping, Role},
    row::FromRow,
    run::step::LlmResponse,
    value::args,
};
use serde::Serialize;

use super::{Conn, StoreError, Tx};

/// The days that are summed up if no beginning is given.
pub const RECENT_DAYS: u16 = 30;

/// When the last days begin: so many whole ones in a time zone, and among them the one that has begun.
pub fn last_days(days: u16, zone: &jiff::tz::TimeZone, now: Timestamp) -> Timestamp {
    let now = now.to_jiff().to_zoned(zone.clone());
    let first = now.date().saturating_sub(jiff::Span::new().days(days.max(1) - 1));
    let begins = first.to_zoned(zone.clone()).unwrap_or(now);
    begins.timestamp().into()
}

/// The call that the usage belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The run; a job's call has none.
    pub run: Option<RunId>,
    /// The run's step that holds the reply; a tool's call has none.
    pub seq: Option<u32>,
    /// The person who is charged.
    pub user: Option<UserId>,
    /// Where.
    pub channel: Option<ChannelId>,
    /// The role of the model.
    pub role: Role,
}

/// Records one model call, and the attempts before it that were lost: a row each.
pub async fn insert(tx: &mut Tx, call: Call, response: &LlmResponse, now: Timestamp) -> Result<(), StoreError> {
    for lost in &response.lost {
        let lost = LlmResponse {
            provider: lost.provider.clone(),
            model: lost.model.clone(),
            usage: lost.usage,
            cost: lost.cost,
            own_key: response.own_key,
            ..LlmResponse::default()
        };
        insert_one(tx, Call { seq: None, ..call }, &lost, now).await?;
    }
    insert_one(tx, call, response, now).await
}

async fn insert_one(tx: &mut Tx, call: Call, response: &LlmResponse, now: Timestamp) -> Result<(), StoreError> {
    tx.defer(
        "INSERT INTO usage (id, run_id, seq, user_id, space_id, channel_id, role, provider, model, prompt_tokens,
             completion_tokens, cached_tokens, cache_write_tokens, estimated, cost, own_key, created_at)
         VALUES ($1, $2, $3, $4, (SELECT space_id FROM channels WHERE id = $5), $5, $6, $7, $8, $9, $10, $11, $12, $13,
             $14, $15, $16)",
        args![
            UsageId::new(),
            call.run,
            call.seq,
            call.user,
            call.channel,
            call.role,
            &response.provider,
            &response.model,
            response.usage.prompt_tokens,
            response.usage.completion_tokens,
            response.usage.cached_tokens,
            response.usage.cache_write_tokens,
            response.usage.estimated,
            response.cost,
            response.own_key,
            now
        ],
    )
    .await?;
    Ok(())
}

/// A sum.
#[derive(Clone, Debug, Default, PartialEq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Usage)]
pub struct Group {
    /// The group: a day, `provider/model`, an id, a role; `null`: the rest.
    pub key: Option<String>,
    /// The name that people know it by, if it has one.
    pub name: Option<String>,
    /// Model calls.
    pub calls: i64,
    /// Tokens of requests.
    pub prompt_tokens: i64,
    /// The tokens among them that the provider had cached.
    pub cached_tokens: i64,
    /// Tokens of replies.
    pub completion_tokens: i64,
    /// Calls whose tokens were guessed, because the provider told none.
    pub estimated_calls: i64,
    /// The cost, in the currency of the providers' prices.
    pub cost: f64,
    /// The calls among them that people paid for by keys of their own.
    pub own_key_calls: i64,
    /// The cost of those calls.
    pub own_key_cost: f64,
}

impl Group {
    fn add(&mut self, other: &Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.estimated_calls = self.estimated_calls.saturating_add(other.estimated_calls);
        self.cost += other.cost;
        self.own_key_calls = self.own_key_calls.saturating_add(other.own_key_calls);
        self.own_key_cost += other.own_key_cost;
    }
}

/// The usage that is summed up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// From this moment on.
    pub since: Timestamp,
    /// Before this moment; `None`: until now.
    pub until: Option<Timestamp>,
    /// Only this person's.
    pub user: Option<UserId>,
    /// Only in channels of this space.
    pub space: Option<SpaceId>,
}

/// A stored number, capped so that no sum overflows: an earlier version stored any number that a provider reported.
macro_rules! bounded {
    ($column:literal) => {
        bounded!($column, "1000000000")
    };
    ($column:literal, $most:literal) => {
        concat!(
            "(CASE WHEN ",
            $column,
            " < 0 THEN 0 WHEN ",
            $column,
            " > ",
            $most,
            " THEN ",
            $most,
            " ELSE ",
            $column,
            " END)"
        )
    };
}
pub(super) use bounded;

const SUMS: &str = concat!(
    "COUNT(*) AS calls,
     CAST(COALESCE(SUM(",
    bounded!("u.prompt_tokens"),
    "), 0) AS BIGINT) AS prompt_tokens,
     CAST(COALESCE(SUM(",
    bounded!("u.cached_tokens"),
    "), 0) AS BIGINT) AS cached_tokens,
     CAST(COALESCE(SUM(",
    bounded!("u.completion_tokens"),
    "), 0) AS BIGINT) AS completion_tokens,
     CAST(COALESCE(SUM(CASE WHEN u.estimated THEN 1 ELSE 0 END), 0) AS BIGINT) AS estimated_calls,
     CAST(COALESCE(SUM(",
    bounded!("u.cost"),
    "), 0) AS DOUBLE PRECISION) AS cost,
     CAST(COALESCE(SUM(CASE WHEN u.own_key THEN 1 ELSE 0 END), 0) AS BIGINT) AS own_key_calls,
     CAST(COALESCE(SUM(CASE WHEN u.own_key THEN ",
    bounded!("u.cost"),
    " ELSE 0 END), 0) AS DOUBLE PRECISION)
         AS own_key_cost"
);
const WHERE: &str = "u.created_at >= $1 AND u.created_at < $2 AND ($3 = '' OR u.user_id = $3)
    AND ($4 = '' OR u.space_id = $4)";
/// Every zone's days begin at a quarter of an hour.
const QUARTER_MS: i64 = 900_000;

fn arguments(filter: Filter) -> Vec<clifford_core::value::Value> {
    let user = filter.user.map(|user| user.to_string()).unwrap_or_default();
    let space = filter.space.map(|space| space.to_string()).unwrap_or_default();
    args![filter.since, filter.until.unwrap_or(Timestamp(i64::MAX)), user, space]
}

/// Everything together.
pub async fn total(conn: &mut Conn, filter: Filter) -> Result<Group, StoreError> {
    let sql =
        format!("SELECT CAST(NULL AS TEXT) AS key, CAST(NULL AS TEXT) AS name, {SUMS} FROM usage u WHERE {WHERE}");
    conn.fetch_one(sql, arguments(filter)).await
}

/// Sums, the dearest first, of equal ones that with the most tokens; days, the newest first.
pub async fn grouped(
    conn: &mut Conn,
    by: Grouping,
    filter: Filter,
    zone: &jiff::tz::TimeZone,
    limit: u32,
) -> Result<Vec<Group>, StoreError> {
    let (key, name, joined) = match by {
        Grouping::Day => return by_day(conn, filter, zone, limit).await,
        Grouping::Model => ("u.provider || '/' || u.model", "CAST(NULL AS TEXT)", ""),
        Grouping::Role => ("u.role", "CAST(NULL AS TEXT)", ""),
        Grouping::User => ("u.user_id", "MAX(x.name)", "LEFT JOIN users x ON x.id = u.user_id"),
        Grouping::Space => ("u.space_id", "MAX(x.name)", "LEFT JOIN spaces x ON x.id = u.space_id"),
        Grouping::Channel => (
            "u.channel_id",
            "MAX(x.platform || COALESCE(': ' || x.name, ''))",
            "LEFT JOIN channels x ON x.id = u.channel_id",
        ),
    };
    let sql = format!(
        "SELECT {key} AS key, {name} AS name, {SUMS} FROM usage u {joined} WHERE {WHERE} GROUP BY {key}
         ORDER BY cost DESC, prompt_tokens DESC, key LIMIT $5"
    );
    let mut args = arguments(filter);
    args.push(limit.into());
    conn.fetch_all(sql, args).await
}

async fn by_day(
    conn: &mut Conn,
    filter: Filter,
    zone: &jiff::tz::TimeZone,
    limit: u32,
) -> Result<Vec<Group>, StoreError> {
    let sql = format!(
        "SELECT CAST(u.created_at / {QUARTER_MS} AS TEXT) AS key, CAST(NULL AS TEXT) AS name, {SUMS}
         FROM usage u WHERE {WHERE} GROUP BY u.created_at / {QUARTER_MS} ORDER BY u.created_at / {QUARTER_MS} DESC"
    );
    let quarters: Vec<Group> = conn.fetch_all(sql, arguments(filter)).await?;
    let mut days: Vec<Group> = Vec::new();
    for quarter in quarters {
        let began = quarter
            .key
            .as_deref()
            .and_then(|key| key.parse::<i64>().ok())
            .unwrap_or(0);
        let at = Timestamp(began.saturating_mul(QUARTER_MS))
            .to_jiff()
            .to_zoned(zone.clone());
        let day = at.strftime("%Y-%m-%d").to_string();
        match days.last_mut().filter(|last| last.key.as_deref() == Some(&day)) {
            Some(last) => last.add(&quarter),
            None => days.push(Group {
                key: Some(day),
                ..quarter
            }),
        }
    }
    days.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_days_begin_at_a_midnight_also_where_the_clock_was_changed_since() {
        let berlin = jiff::tz::TimeZone::get("Europe/Berlin").expect("a zone");
        // Asunción changed at midnight: that day began at one.
        let asuncion = jiff::tz::TimeZone::get("America/Asuncion").expect("a zone");
        for (days, zone, now, expected) in [
            (
                1,
                &jiff::tz::TimeZone::UTC,
                "2026-11-28T22:00:00Z",
                "2026-11-28T00:00:00Z",
            ),
            (
                7,
                &jiff::tz::TimeZone::UTC,
                "2026-11-28T00:00:00Z",
                "2026-11-22T00:00:00Z",
            ),
            (30, &berlin, "2026-11-10T12:00:00Z", "2026-10-11T22:00:00Z"),
            (2, &berlin, "2026-03-29T22:30:00Z", "2026-03-28T23:00:00Z"),
            (1, &asuncion, "2023-10-01T15:00:00Z", "2023-10-01T04:00:00Z"),
            (
                0,
                &jiff::tz::TimeZone::UTC,
                "2026-11-28T22:00:00Z",
                "2026-11-28T00:00:00Z",
            ),
        ] {
            let now = Timestamp::parse(now).expect("a time");
            let begins = last_days(days, zone, now);
            assert_eq!(Some(begins), Timestamp::parse(expected), "{days} days to {now:?}");
        }
    }
}
