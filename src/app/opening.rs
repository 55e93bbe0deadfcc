//! Opening the database and preparing it for a process that works with it.

use std::time::Duration;

use clifford_config::{Config, Loaded};
use clifford_core::clock::SharedClock;
use clifford_store::{
    Db, StoreError, budgets, deaths, leases,
    places::agents::{self, Agent},
    runs::queue as run_queue,
};
use tokio::time::{Instant, sleep};

use super::{Options, db_options, known};

/// The first wait for a server that does not answer, and the longest; they double.
const WAITS: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(5));

/// Opens the database for a process, and returns whether the process before this one died. A process that works
/// alongside a server prepares nothing.
///
/// # Errors
/// The database cannot be used.
pub(super) async fn open(loaded: &Loaded, clock: &SharedClock, options: &Options) -> Result<(Db, bool), StoreError> {
    if options.beside {
        return Ok((Db::open(&db_options(loaded, false)).await?, false));
    }
    let patience = if options.waits_for_database {
        Duration::from_secs(loaded.config.database.wait_seconds)
    } else {
        Duration::ZERO
    };
    patiently(loaded, clock, patience).await
}

/// A server that does not answer is waited for as long as `patience`: it may start at the same time, or be away for a
/// moment.
async fn patiently(loaded: &Loaded, clock: &SharedClock, patience: Duration) -> Result<(Db, bool), StoreError> {
    let until = Instant::now() + patience;
    let mut wait = WAITS.0;
    loop {
        let error = match once(loaded, clock).await {
            Err(StoreError::Unavailable(error)) => error,
            outcome => return outcome,
        };
        let left = until.saturating_duration_since(Instant::now());
        let is_shared = !loaded.database_url.as_str().starts_with("sqlite:");
        if left.is_zero() || !is_shared {
            return Err(StoreError::Unavailable(error));
        }
        wait = wait.min(left);
        let (wait_ms, left_s) = (wait.as_millis(), left.as_secs());
        tracing::warn!(error, wait_ms, left_s, "database unavailable, retrying");
        sleep(wait).await;
        wait = (wait * 2).min(WAITS.1);
    }
}

async fn once(loaded: &Loaded, clock: &SharedClock) -> Result<(Db, bool), StoreError> {
    known::check(loaded).await?;
    let db = Db::open(&db_options(loaded, true)).await?;
    known::remember(loaded);
    match prepare(&db, &loaded.config, clock).await {
        Ok(follows_a_death) => Ok((db, follows_a_death)),
        Err(error) => {
            db.close().await;
            Err(error)
        }
    }
}

/// Brings the agents of the configuration in, and gives back what a process that is surely gone had in flight. Tells
/// whether one is gone that did not end in order.
async fn prepare(db: &Db, config: &Config, clock: &SharedClock) -> Result<bool, StoreError> {
    let now = clock.now();
    let alone = !db.is_shared();
    let has_budgets = !config.budgets.is_empty();
    let agents = config.all_agents().enumerate();
    let agents: Vec<_> = agents
        .map(|(place, agent)| Agent::configured(agent, place == 0))
        .collect();
    db.write(move |tx| {
        Box::pin(async move {
            for agent in &agents {
                agents::put(tx, agent, now).await?;
            }
            let names: Vec<_> = agents.iter().map(|agent| agent.name.clone()).collect();
            agents::disable_except(tx, &names, now).await?;
            let mut follows_a_death = false;
            if alone {
                follows_a_death = deaths::count_all(tx).await? > 0 || leases::is_any_held(tx).await?;
                run_queue::release_all(tx, None).await?;
            }
            if has_budgets {
                budgets::sum_up_anew(tx).await?;
            }
            Ok(follows_a_death)
        })
    })
    .await
}
