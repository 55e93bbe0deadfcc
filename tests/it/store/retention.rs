//! Rows past their retention go, with all that hangs on them; rows that are still needed stay.

use std::time::Duration;

use clifford_core::{clock::Timestamp, run::step};
use clifford_engine::jobs::maintenance::retention::{Deleted, Lifetimes, mark_prompts};
use clifford_store::runs::steps;

use super::{
    erasure::{column, script, two_people},
    world::Home,
};

const KEPT: Option<Duration> = Some(Duration::from_secs(1));

#[tokio::test(flavor = "multi_thread")]
async fn what_is_over_for_long_enough_is_deleted_and_what_is_still_needed_stays() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let db = &home.db;
        two_people(db).await;
        // One conversation is closed and three runs ended at 3,000: one with a subagent that ended later, and one
        // whose answer is still to be sent.
        script(
            db,
            "UPDATE runs SET ended_at = 3000 WHERE status = 'completed';
             UPDATE runs SET ended_at = 4000 WHERE id LIKE '%e2';
             UPDATE messages SET status = 'pending' WHERE id LIKE '%108';
             UPDATE contexts SET closed_at = 3000 WHERE name = 'qprivname';
             UPDATE jobs SET ended_at = 3000;
             UPDATE jobs SET through = '00000000-0000-7000-8000-000000000108' WHERE mode = 'compact'",
        )
        .await;
        let retention = Lifetimes {
            runs: KEPT,
            messages: KEPT,
            ..Lifetimes::default()
        };
        let apply = async |retention: Lifetimes, now: i64| retention.apply(db, Timestamp(now)).await.expect("deletes");
        let deleted = |runs, jobs, messages, usage| Deleted {
            runs,
            jobs,
            messages,
            usage,
            ..Deleted::default()
        };
        let ids = async |table: &str| {
            let sql = format!("SELECT substr(id, length(id) - 2) FROM {table} ORDER BY id");
            column(db, &sql).await
        };

        assert_eq!(apply(retention, 4000).await, deleted(0, 0, 0, 0), "it is not time yet");
        let of_runs = Lifetimes {
            runs: KEPT,
            ..Lifetimes::default()
        };
        script(db, "UPDATE runs SET tainted = TRUE").await;
        let kept = deleted(0, 1, 0, 0);
        assert_eq!(
            apply(of_runs, 4001).await,
            kept,
            "what was read from outside stays known as such"
        );
        script(db, "UPDATE runs SET tainted = FALSE").await;
        assert_eq!(apply(retention, 4001).await, deleted(1, 0, 2, 0));
        assert_eq!(ids("runs").await, ["0e1", "0e2", "0e4", "0e5"], "a tree stays whole");
        assert_eq!(ids("jobs").await, ["502"], "the compaction's messages are still there");
        assert_eq!(apply(retention, 5001).await, deleted(2, 0, 0, 0));
        assert_eq!(ids("runs").await, ["0e4", "0e5"]);
        let steps = column(
            db,
            "SELECT substr(run_id, length(run_id) - 2) FROM run_steps ORDER BY run_id",
        )
        .await;
        assert_eq!(steps, ["0e4", "0e4"]);
        let of_deleted = "SELECT content FROM messages WHERE context_id LIKE '%d1'";
        assert_eq!(column(db, of_deleted).await, Vec::<String>::new());
        let said = "SELECT content FROM messages WHERE id = '00000000-0000-7000-8000-000000000105' AND run_id IS NULL";
        assert_eq!(
            column(db, said).await,
            ["qguildanswer"],
            "what a deleted run said stays"
        );
        let used = "SELECT id || COALESCE(run_id, ' of a deleted run') FROM usage WHERE run_id IS NULL";
        assert_eq!(
            column(db, used).await,
            ["00000000-0000-7000-8000-000000000b01 of a deleted run"]
        );

        let usage = Lifetimes {
            usage: KEPT,
            ..Lifetimes::default()
        };
        assert_eq!(apply(usage, 3000).await, deleted(0, 0, 0, 0));
        assert_eq!(apply(usage, 3001).await, deleted(0, 0, 0, 2));
        assert_eq!(
            apply(Lifetimes::default(), i64::MAX).await,
            deleted(0, 0, 0, 0),
            "for ever"
        );
        home.db.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_and_prompts_go_before_their_runs_and_one_step_says_so() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let db = &home.db;
        two_people(db).await;
        let request =
            r#"{"event":"llm_request","messages":1,"estimated_tokens":9,"prompt_hash":"h","prompt":[{"role":"user"}]}"#;
        script(
            db,
            &format!(
                "UPDATE runs SET ended_at = 3000;
                 UPDATE runs SET ended_at = NULL WHERE id LIKE '%e5';
                 DELETE FROM run_steps;
                 INSERT INTO run_steps (run_id, seq, type, result_json, status, created_at)
                 SELECT id, 1, 'message', '{request}', 'recorded', 1500 FROM runs;
                 INSERT INTO run_steps (run_id, seq, type, args_json, created_at)
                 SELECT id, 2, 'assistant_message', '{{\"message\":\"secret\"}}', 1600 FROM runs"
            ),
        )
        .await;
        script(
            db,
            "UPDATE messages SET status = 'delivered' WHERE status IN ('queued', 'pending', 'sending')",
        )
        .await;
        let apply = async |retention: Lifetimes, now: i64| retention.apply(db, Timestamp(now)).await.expect("deletes");
        let prompts = Lifetimes {
            prompts: KEPT,
            ..Lifetimes::default()
        };
        let ended = column(db, "SELECT id FROM runs WHERE ended_at IS NOT NULL").await.len();
        assert!(ended > 2);
        assert_eq!(apply(prompts, 4000).await, Deleted::default(), "it is not time yet");
        assert_eq!(apply(prompts, 4001).await.prompts, ended);
        assert_eq!(apply(prompts, 4001).await.prompts, 0);
        // One that an older version recorded has no mark.
        let old = "(SELECT MIN(id) FROM runs WHERE ended_at IS NOT NULL)";
        script(
            db,
            &format!("UPDATE run_steps SET status = NULL, result_json = '{request}' WHERE seq = 1 AND run_id = {old}"),
        )
        .await;
        assert_eq!(apply(prompts, 4001).await.prompts, 0);
        for marked in [1, 0] {
            mark_prompts(db, Timestamp(i64::MAX / 2)).await.expect("marks");
            assert_eq!(apply(prompts, 4001).await.prompts, marked);
        }
        let kept = "SELECT run_id FROM run_steps WHERE result_json LIKE '%\"prompt\":[%' AND run_id NOT LIKE '%e5'";
        assert_eq!(column(db, kept).await, Vec::<String>::new());
        let told =
            "SELECT run_id FROM run_steps WHERE status = 'deleted' AND result_json LIKE '%\"prompt_deleted_at\":%'";
        assert_eq!(column(db, told).await.len(), ended);

        let whole = Lifetimes {
            steps: KEPT,
            ..Lifetimes::default()
        };
        assert_eq!(apply(whole, 4000).await, Deleted::default(), "it is not time yet");
        // The tree of the run that has not ended stays whole.
        let of_others = "SELECT id FROM runs WHERE ended_at IS NOT NULL AND root_run_id NOT IN
                         (SELECT root_run_id FROM runs WHERE ended_at IS NULL)";
        let over = column(db, of_others).await;
        assert_eq!(apply(whole, 4001).await.steps, over.len());
        assert_eq!(apply(whole, 4001).await.steps, 0, "what says so stays");
        let left =
            "SELECT run_id FROM run_steps WHERE result_json LIKE '%\"event\":\"steps_deleted\"%' ORDER BY run_id";
        assert_eq!(column(db, left).await.len(), over.len());
        let said = "SELECT run_id FROM run_steps WHERE args_json LIKE '%secret%'";
        let still = column(db, said).await;
        assert!(still.iter().all(|run| !over.contains(run)), "{still:?}");
        let mut conn = db.read().await.expect("reads");
        let steps = steps::of_run(&mut conn, over[0].parse().expect("an id"))
            .await
            .expect("reads");
        drop(conn);
        assert_eq!(step::deleted_at(&steps), Some(Timestamp(4001)));
        assert_eq!(steps[0].at, Timestamp(1500));
        home.db.close().await;
    }
}
