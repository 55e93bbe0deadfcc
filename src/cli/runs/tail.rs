//! `clifford runs tail`: steps as they happen, whichever process works on the run.

use std::time::Duration;

use clifford_store::{Db, runs::steps};

use super::{Which, again, words};
use crate::cli::output;

/// How often the database is looked at.
const LOOK: Duration = Duration::from_millis(250);

pub(super) async fn run(db: &Db, which: &Which) -> anyhow::Result<()> {
    let run = which.find(db).await?.id;
    let mut seen = 0;
    loop {
        // The row first: no step follows one that has ended.
        let row = again(db, run).await?;
        for step in steps::after(&mut db.read().await?, run, seen).await? {
            seen = step.seq;
            if which.format.json {
                output::json_line(&words::json(&step))?;
            } else {
                words::print(&step)?;
            }
        }
        if row.status.is_ended() {
            return if which.format.json {
                Ok(())
            } else {
                output::print(&format!("{}: {}", run, words::status(row.status)))
            };
        }
        tokio::time::sleep(LOOK).await;
    }
}
