//! Lanes: the places next to each other in which the runs of a shared conversation work, one in each.

use clifford_core::{
    id::{ContextId, RunId, UserId},
    row::FromRow,
    value::args,
};

use crate::{Conn, StoreError, Tx};

/// A run at work alongside others of its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct AtWork {
    /// Its person.
    pub user_id: Option<UserId>,
    /// The lane in which no other one works.
    pub lane: i64,
}

/// The coordinator runs at work in a context, by lane.
pub async fn at_work_in(conn: &mut Conn, context: ContextId) -> Result<Vec<AtWork>, StoreError> {
    let sql = "SELECT user_id, lane FROM runs
               WHERE context_id = $1 AND kind = 'coordinator' AND status IN ('pending', 'running') ORDER BY lane";
    conn.fetch_all(sql, args![context]).await
}

/// Gives a run that waits another lane, unless nothing is at work in its own: it may go on alongside what is.
pub async fn change_lane(tx: &mut Tx, run: RunId, lane: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE runs SET lane = $1 WHERE id = $2 AND kind = 'coordinator' AND status = 'waiting' AND EXISTS (
             SELECT 1 FROM runs other WHERE other.context_id = runs.context_id AND other.lane = runs.lane
             AND other.kind = 'coordinator' AND other.status IN ('pending', 'running'))",
        args![lane, run],
    )
    .await?;
    Ok(())
}

/// The first lane in which nothing is at work.
pub fn free_lane(at_work: &[AtWork]) -> i64 {
    (0..)
        .find(|lane| at_work.iter().all(|run| run.lane != *lane))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lane_in_which_nothing_works_is_free() {
        let at_work = |lanes: &[i64]| -> Vec<AtWork> {
            let run = |lane: &i64| AtWork {
                user_id: None,
                lane: *lane,
            };
            lanes.iter().map(run).collect()
        };
        for (lanes, free) in [(&[][..], 0), (&[0], 1), (&[1, 2], 0), (&[0, 2], 1), (&[0, 1, 2], 3)] {
            assert_eq!(free_lane(&at_work(lanes)), free, "{lanes:?}");
        }
    }
}
