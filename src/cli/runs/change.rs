//! `clifford runs cancel` and `clifford runs retry`.

use super::Which;
use crate::{
    cli::{output, setup},
    engine::{cancel, retry_from_outside},
    store::Db,
};

pub(super) async fn cancel(db: &Db, which: &Which) -> anyhow::Result<()> {
    let run = which.find(db).await?;
    let run = cancel::from_outside(db, run.id, setup::now()).await?;
    if which.format.json {
        return output::json(&run);
    }
    output::print(&format!("{}: cancelled", run.id))
}

pub(super) async fn retry(db: &Db, which: &Which) -> anyhow::Result<()> {
    let run = which.find(db).await?;
    let again = retry_from_outside(db, run.id, setup::now()).await?;
    if which.format.json {
        return output::json(&again);
    }
    output::print(&format!(
        "{}: begins as soon as a process that serves its chat looks for work; `clifford runs tail {}` follows it",
        again.id, again.id
    ))
}
