//! Finds expired rows and deletes them a batch at a time.
//!
//! Ids sort by the time of their making, and nothing ends before it was made: what is older than a moment is looked
//! for among the ids from before that moment, so that a look that finds nothing reads next to nothing.

use clifford_core::{clock::Timestamp, value::args};

use super::{
    StoreError, Tx,
    removal::{self, Counts, each, ids},
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
