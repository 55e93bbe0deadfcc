//! `clifford runs cancel`, `approve`, `deny` and `retry`.

use clifford_engine::{
    retry_from_outside,
    run::{
        answering::{self, AnsweredBy, ApprovalAnswer},
        cancel,
    },
};
use clifford_store::Db;

use super::Which;
use crate::cli::{output, setup};

pub(super) async fn cancel(db: &Db, which: &Which) -> anyhow::Result<()> {
    let run = which.find(db).await?;
    let run = cancel::from_outside(db, run.id, setup::now()).await?;
    if which.format.json {
        return output::json(&run);
    }
    output::print(&format!("{}: cancelled", run.id))
}

/// Access to the database is the right to answer for everybody.
pub(super) async fn confirm(db: &Db, which: &Which, approved: bool) -> anyhow::Result<()> {
    let answer = ApprovalAnswer {
        run: which.find(db).await?.id,
        code: None,
        approved,
        always: false,
        words: None,
        by: AnsweredBy::Operator,
    };
    let run = answering::from_outside(db, answer, setup::now()).await?;
    if which.format.json {
        return output::json(&run);
    }
    output::print(&format!("{}: {}", run.id, if approved { "approved" } else { "denied" }))
}

pub(super) async fn retry(db: &Db, which: &Which, parallel: u32) -> anyhow::Result<()> {
    let run = which.find(db).await?;
    let again = retry_from_outside(db, run.id, parallel, setup::now()).await?;
    if which.format.json {
        return output::json(&again);
    }
    output::print(&format!(
        "{}: begins as soon as a process that serves its chat looks for work; `clifford runs tail {}` follows it",
        again.id, again.id
    ))
}
