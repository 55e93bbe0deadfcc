//! The calls of tools, in sums: how often each was called and failed, how long it took, and what it spent on models.

use std::collections::HashMap;

use clifford_core::{clock::Timestamp, id::RunId, row::FromRow, run::step::Spent, value::args};
use serde::{Deserialize, Serialize};

use super::{Filter, arguments, bounded};
use crate::{Conn, StoreError};

/// How many calls that spent something are read at a time: each comes with its whole result.
const AT_ONCE: u32 = 200;

/// The calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolUsage {
    /// `tool.command`.
    pub tool: String,
    /// Its calls that came to an end.
    pub calls: i64,
    /// The calls among them that failed.
    pub failures: i64,
    /// The milliseconds that they took together.
    pub duration_ms: i64,
    /// The milliseconds that the longest of them took.
    pub longest_ms: i64,
    /// When the last one ended.
    #[schema(value_type = String)]
    pub last_at: Timestamp,
    /// The cost of the models that they asked, in the currency of the providers' prices.
    pub cost: f64,
}

/// A run changes whenever it gets a step: by that time its steps are found.
const CALLS: &str = "FROM runs r JOIN run_steps s ON s.run_id = r.id
    WHERE r.updated_at >= $1 AND s.created_at >= $1 AND s.created_at < $2 AND ($3 = '' OR r.user_id = $3)
        AND ($4 = '' OR r.channel_id IN (SELECT c.id FROM channels c WHERE c.space_id = $4))
        AND s.type = 'tool_result' AND s.tool_name IS NOT NULL";

/// A call that spent something.
#[derive(FromRow)]
struct Paid {
    run_id: RunId,
    seq: i64,
    tool: String,
    result: String,
}

/// The part of a kept result that tells what it spent.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    spent: Spent,
}

/// The tools that were called, the most called first.
pub async fn by_tool(conn: &mut Conn, filter: Filter, limit: u32) -> Result<Vec<ToolUsage>, StoreError> {
    let took = bounded!("s.duration_ms");
    let sql = format!(
        "SELECT s.tool_name AS tool, COUNT(*) AS calls,
             CAST(SUM(CASE WHEN s.status = 'failure' THEN 1 ELSE 0 END) AS BIGINT) AS failures,
             CAST(COALESCE(SUM({took}), 0) AS BIGINT) AS duration_ms,
             CAST(COALESCE(MAX({took}), 0) AS BIGINT) AS longest_ms,
             MAX(s.created_at) AS last_at, CAST(0 AS DOUBLE PRECISION) AS cost
         {CALLS} GROUP BY s.tool_name ORDER BY calls DESC, tool LIMIT $5"
    );
    let mut args = arguments(filter);
    args.push(limit.into());
    let mut tools: Vec<ToolUsage> = conn.fetch_all(sql, args).await?;
    if !tools.is_empty() {
        let costs = costs(conn, filter).await?;
        for tool in &mut tools {
            tool.cost = costs.get(&tool.tool).copied().unwrap_or_default();
        }
    }
    Ok(tools)
}

/// The cost of each tool.
async fn costs(conn: &mut Conn, filter: Filter) -> Result<HashMap<String, f64>, StoreError> {
    // A result of others may hold the same letters: whether it spent something is told by reading it.
    let sql = format!(
        r#"SELECT s.run_id AS run_id, s.seq AS seq, s.tool_name AS tool, s.result_json AS result
         {CALLS} AND s.result_json LIKE '%"spent":{{%' AND (s.run_id > $5 OR (s.run_id = $5 AND s.seq > $6))
         ORDER BY s.run_id, s.seq LIMIT $7"#
    );
    let mut costs = HashMap::new();
    let mut behind = (String::new(), 0);
    loop {
        let mut args = arguments(filter);
        args.extend(args![behind.0.as_str(), behind.1, AT_ONCE]);
        let page: Vec<Paid> = conn.fetch_all(sql.clone(), args).await?;
        let Some(last) = page.last() else { return Ok(costs) };
        behind = (last.run_id.to_string(), last.seq);
        for paid in page {
            let told: Told = serde_json::from_str(&paid.result).unwrap_or_default();
            *costs.entry(paid.tool).or_insert(0.0) += told.spent.cost;
        }
    }
}
