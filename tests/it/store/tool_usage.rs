//! The calls of tools in sums, and what they cost.

use std::{collections::BTreeSet, time::Duration};

use clifford_core::{
    clock::Timestamp,
    id::{RunId, UserId},
    run::step::{Spent, Step, StepKind, ToolOutcome, ToolResult},
};
use clifford_store::{
    runs::steps,
    usage::{
        Filter,
        tools::{self, ToolUsage},
    },
};
use serde_json::json;

use super::world::{Home, NOW, World};

/// A result of a tool that took so long; `cost`: what it spent on models.
fn result(seq: u32, name: &str, duration_ms: u64, cost: f64, is_good: bool, at: Timestamp) -> Step {
    let outcome = if is_good {
        // The result of others may look like what is looked for.
        ToolOutcome::Success {
            result: json!({ "text": "\"spent\":{\"cost\":99}", "spent": { "cost": 99.0 } }),
        }
    } else {
        ToolOutcome::Failure {
            error: "it is down".into(),
            retries: 0,
            expose: false,
            refused: None,
        }
    };
    let tokens = if cost > 0.0 { 10 } else { 0 };
    Step {
        seq,
        at,
        kind: StepKind::ToolResult(ToolResult {
            name: name.into(),
            outcome,
            origins: BTreeSet::new(),
            duration_ms,
            spent: Spent {
                tokens,
                written: 0,
                cost,
            },
            undo: None,
            readers: None,
        }),
    }
}

async fn append(world: &World, run: RunId, all: Vec<Step>) {
    let write = world
        .db
        .write(move |tx| Box::pin(async move { steps::append(tx, run, &all).await }));
    write.await.expect("stores");
}

#[tokio::test]
async fn calls_of_tools_are_summed_up_with_their_failures_times_and_costs() {
    for home in [Some(Home::sqlite().await), Home::postgres().await]
        .into_iter()
        .flatten()
    {
        let world = World::new(&home.db).await;
        let run = world.insert(world.loose_run()).await.expect("inserts").id;
        let old = NOW.before(Duration::from_secs(3600));
        let steps = vec![
            result(1, "web.fetch", 30, 0.0, true, old),
            result(2, "web.fetch", 100, 0.0, true, NOW),
            result(3, "web.fetch", 50, 0.0, false, NOW.after(Duration::from_secs(1))),
            result(4, "image.describe", 900, 0.25, true, NOW),
            result(5, "image.describe", 100, 0.5, true, NOW),
        ];
        append(&world, run, steps).await;
        let found = async |filter: Filter, limit| {
            let mut conn = world.db.read().await.expect("reads");
            tools::by_tool(&mut conn, filter, limit).await.expect("sums")
        };
        let now = Filter {
            since: NOW,
            ..Filter::default()
        };
        let image = ToolUsage {
            tool: "image.describe".into(),
            calls: 2,
            failures: 0,
            duration_ms: 1000,
            longest_ms: 900,
            last_at: NOW,
            cost: 0.75,
        };
        let web = ToolUsage {
            tool: "web.fetch".into(),
            calls: 2,
            failures: 1,
            duration_ms: 150,
            longest_ms: 100,
            last_at: NOW.after(Duration::from_secs(1)),
            cost: 0.0,
        };
        assert_eq!(found(now, 9).await, [image.clone(), web.clone()]);
        let all = found(Filter::default(), 1).await;
        assert_eq!((all[0].tool.as_str(), all[0].calls, all.len()), ("web.fetch", 3, 1));
        let hers = Filter {
            user: Some(world.user.id),
            ..now
        };
        assert_eq!(found(hers, 9).await, [image, web]);
        let nobodys = Filter {
            user: Some(UserId::new()),
            ..now
        };
        assert_eq!(found(nobodys, 9).await, []);
        let until = Filter {
            until: Some(NOW),
            ..Filter::default()
        };
        assert_eq!(found(until, 9).await.iter().map(|tool| tool.calls).sum::<i64>(), 1);
    }
}
