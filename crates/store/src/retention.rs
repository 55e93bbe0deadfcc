//! Finds expired rows and deletes them a batch at a time.
//!
//! Ids sort by the time of their making, and nothing ends before it was made: what is older than a moment is looked
//! for among the ids from before that moment, so that a look that finds nothing reads next to nothing.

use clifford_core::{
    clock::Timestamp,
    id::RunId,
    json_text::to_json,
    row::FromRow,
    run::{
        columns::{DELETED, RECORDED},
        step::Event,
    },
    value::{Value, args},
};
use serde_json::Value as Json;

use super::{
    Conn, StoreError, Tx,
    removal::{self, Counts, each, ids, places},
};

/// The beginning of a UUIDv7 of this moment: the ids of earlier rows sort before it.
fn first_id(moment: Timestamp) -> String {
    let hex = format!("{:012x}", moment.0.max(0));
    format!("{}-{}", &hex[..8], &hex[8..])
}

/// Deletes runs that ended before a moment, once everything of their tree has and no message of them is still to be
/// sent. Their messages and usage stay. A run that read words from outside therefore stays as long as anything that it
/// may have written: its row marks those words as foreign. A run whose calls count against a limit stays as long as
/// they do: its row names their person. Returns how many runs there were.
pub async fn runs(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<usize, StoreError> {
    let roots = ids(
        tx,
        "SELECT r.id AS id FROM runs r WHERE r.id < $1 AND r.parent_run_id IS NULL AND r.ended_at < $2
         AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.root_run_id = r.id AND c.parent_run_id IS NOT NULL
                         AND (c.ended_at IS NULL OR c.ended_at >= $2))
         AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.run_id = r.id
                         AND m.status IN ('queued', 'pending', 'sending'))
         AND NOT EXISTS (SELECT 1 FROM runs t WHERE (t.id = r.id OR t.root_run_id = r.id) AND t.tainted
                         AND (EXISTS (SELECT 1 FROM messages m WHERE m.context_id = t.context_id)
                              OR EXISTS (SELECT 1 FROM memory_items i WHERE i.context_id = t.context_id)
                              OR EXISTS (SELECT 1 FROM contexts c WHERE c.id = t.context_id AND c.summary IS NOT NULL)))
         AND NOT EXISTS (SELECT 1 FROM runs t JOIN policy_uses u ON u.run_id = t.id
                         WHERE t.id = r.id OR t.root_run_id = r.id)
         ORDER BY r.id LIMIT $3",
        args![first_id(before), before, limit],
    )
    .await?;
    let mut tree = roots.clone();
    for root in roots {
        let below = "SELECT id FROM runs WHERE root_run_id = $1 AND parent_run_id IS NOT NULL";
        tree.extend(ids(tx, below, args![root]).await?);
    }
    each(tx, "UPDATE usage SET run_id = NULL WHERE run_id IN ({})", &tree).await?;
    removal::runs(tx, &tree, &mut Counts::new()).await?;
    Ok(tree.len())
}

/// The next runs from before a moment, in the order of their ids, that have steps to delete. The look is at the key of the
/// steps alone: where they were deleted one is left, the first.
pub async fn runs_with_steps(
    conn: &mut Conn,
    before: Timestamp,
    after: &str,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT DISTINCT run_id AS id FROM run_steps WHERE run_id > $1 AND run_id < $2 AND seq > 1
               ORDER BY run_id LIMIT $3";
    ids(conn, sql, args![after, first_id(before), limit]).await
}

/// Those of these runs whose steps can be deleted: they ended before a moment, and so did everything of their tree, and no
/// message of them is still to be sent. Steps that say that a person denied a call stay: the same is not asked again
/// in the conversation, which may be closed and opened. What else outlives a run stands in its row.
async fn without_need_of_steps(conn: &mut Conn, runs: &[String], before: Timestamp) -> Result<Vec<String>, StoreError> {
    let (named, moment) = (places(runs.len()), runs.len() + 1);
    // Within a text the quotation marks would be escaped.
    let sql = format!(
        r#"SELECT r.id AS id FROM runs r WHERE r.id IN ({named}) AND r.ended_at < ${moment}
         AND EXISTS (SELECT 1 FROM runs t WHERE t.id = r.root_run_id AND t.ended_at < ${moment})
         AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.root_run_id = r.root_run_id AND c.parent_run_id IS NOT NULL
                         AND (c.ended_at IS NULL OR c.ended_at >= ${moment}))
         AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.run_id = r.id
                         AND m.status IN ('queued', 'pending', 'sending'))
         AND NOT EXISTS (SELECT 1 FROM run_steps d
                         WHERE d.run_id = r.id AND d.type = 'message' AND d.result_json LIKE '%"event":"confirm"%'
                         AND d.result_json LIKE '%"approved":false%')"#
    );
    let mut values: Vec<Value> = runs.iter().map(Value::from).collect();
    values.push(before.into());
    ids(conn, &sql, values).await
}

/// Puts one step in the place of those of runs that ended before a moment, as far as nothing needs them. It says that they
/// were deleted. Returns of how many runs.
pub async fn steps(tx: &mut Tx, runs: &[String], before: Timestamp, now: Timestamp) -> Result<usize, StoreError> {
    let runs = without_need_of_steps(tx, runs, before).await?;
    let mut done = 0;
    for run in &runs {
        let deleted = tx
            .execute("DELETE FROM run_steps WHERE run_id = $1 AND seq > 1", args![run])
            .await?;
        // Another process was first.
        if deleted == 0 {
            continue;
        }
        let below = "SELECT id FROM runs WHERE parent_run_id = $1 ORDER BY id";
        let children: Vec<(RunId,)> = tx.fetch_all(below, args![run]).await?;
        let event = Event::StepsDeleted {
            steps: deleted + 1,
            deleted_at: now,
            children: children.into_iter().map(|child| child.0).collect(),
        };
        tx.execute(
            "UPDATE run_steps SET type = 'message', tool_name = NULL, args_json = NULL, result_json = $1, status = NULL,
                 idempotency_key = NULL, prompt_tokens = NULL, completion_tokens = NULL, cached_tokens = NULL,
                 duration_ms = NULL
             WHERE run_id = $2 AND seq = 1",
            args![to_json(&event), run],
        )
        .await?;
        done += 1;
    }
    Ok(done)
}

const UNMARKED: &str =
    r#"type = 'message' AND status IS NULL AND result_json LIKE '{%"event":"llm_request"%"prompt":[%'"#;

/// The next runs from before a moment, in the order of their ids, that have prompts without the mark by which
/// [`prompts`] finds them: an older version recorded them, or they were imported. It reads every step on the way.
pub async fn runs_with_unmarked_prompts(
    conn: &mut Conn,
    before: Timestamp,
    after: &str,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let sql = format!(
        "SELECT DISTINCT run_id AS id FROM run_steps WHERE run_id > $1 AND run_id < $2 AND {UNMARKED}
         ORDER BY run_id LIMIT $3"
    );
    ids(conn, &sql, args![after, first_id(before), limit]).await
}

/// Marks the recorded prompts of these runs. Returns how many.
pub async fn mark_prompts(tx: &mut Tx, runs: &[String]) -> Result<u64, StoreError> {
    let sql = format!("UPDATE run_steps SET status = '{RECORDED}' WHERE {UNMARKED} AND run_id IN ({{}})");
    each(tx, &sql, runs).await
}

/// Deletes the recorded prompts of runs that ended before a moment. Returns how many.
pub async fn prompts(tx: &mut Tx, before: Timestamp, limit: u32, now: Timestamp) -> Result<usize, StoreError> {
    #[derive(FromRow)]
    struct Request {
        run_id: String,
        seq: i64,
        result_json: Option<String>,
    }
    let sql = format!(
        "SELECT s.run_id, s.seq, s.result_json FROM run_steps s JOIN runs r ON r.id = s.run_id
         WHERE s.status = '{RECORDED}' AND s.run_id < $1 AND r.ended_at < $2 ORDER BY s.run_id LIMIT $3"
    );
    let found: Vec<Request> = tx.fetch_all(sql, args![first_id(before), before, limit]).await?;
    for request in &found {
        let kept = request.result_json.as_deref().map(|event| without_prompt(event, now));
        tx.execute(
            format!("UPDATE run_steps SET status = '{DELETED}', result_json = $1 WHERE run_id = $2 AND seq = $3"),
            args![kept, &request.run_id, request.seq],
        )
        .await?;
    }
    Ok(found.len())
}

/// A request without its prompt. What cannot be read stays as it is.
fn without_prompt(event: &str, now: Timestamp) -> String {
    match serde_json::from_str::<Json>(event) {
        Ok(Json::Object(mut fields)) => {
            fields.remove("prompt");
            fields.insert("prompt_deleted_at".to_owned(), serde_json::json!(now));
            Json::Object(fields).to_string()
        }
        _ => event.to_owned(),
    }
}

/// Deletes memory jobs that ended before a moment; not a compaction whose messages are still kept. Returns how many.
pub async fn jobs(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<usize, StoreError> {
    let jobs = ids(
        tx,
        "SELECT id FROM jobs WHERE id < $1 AND kind = 'memory_write' AND status <> 'pending' AND ended_at < $2
         AND (mode <> 'compact' OR NOT EXISTS (
                 SELECT 1 FROM messages m WHERE m.context_id = jobs.context_id AND m.id <= jobs.through))
         ORDER BY id LIMIT $3",
        args![first_id(before), before, limit],
    )
    .await?;
    each(tx, "DELETE FROM jobs WHERE id IN ({})", &jobs).await?;
    Ok(jobs.len())
}

/// Deletes messages, with their parts and files, of conversations that were closed before a moment, and those from
/// before it that belong to none (commands and their answers). Not what is still to be sent, to be worked on or to be
/// remembered. Returns how many.
pub async fn messages(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<usize, StoreError> {
    let messages = ids(
        tx,
        "SELECT m.id AS id FROM messages m LEFT JOIN contexts c ON c.id = m.context_id
         WHERE m.id < $1 AND m.status NOT IN ('queued', 'pending', 'sending')
         AND (m.context_id IS NULL OR (c.closed_at < $2 AND NOT EXISTS (
                 SELECT 1 FROM jobs j WHERE j.context_id = m.context_id AND j.status = 'pending')))
         AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = m.run_id AND r.ended_at IS NULL)
         ORDER BY m.id LIMIT $3",
        args![first_id(before), before, limit],
    )
    .await?;
    removal::messages(tx, &messages, &mut Counts::new()).await?;
    Ok(messages.len())
}

/// Deletes what calls before a moment used. Returns how many calls.
pub async fn usage(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<usize, StoreError> {
    let calls = ids(
        tx,
        "SELECT id FROM usage WHERE created_at < $1 ORDER BY created_at LIMIT $2",
        args![before, limit],
    )
    .await?;
    each(tx, "DELETE FROM usage WHERE id IN ({})", &calls).await?;
    Ok(calls.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_an_earlier_moment_sorts_before_one_of_a_later() {
        let id = "019af2c4-5d00-7000-8000-000000000000";
        let made = Timestamp(0x019a_f2c4_5d00);
        assert!(*id < *first_id(Timestamp(made.0 + 1)));
        assert!(*id > *first_id(made));
        assert!(*id > *first_id(Timestamp(-1)));
    }
}
