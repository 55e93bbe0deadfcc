//! `clifford triggers remove`, `enable`, `disable` and `fire`.

use anyhow::bail;
use clifford_core::schedule::trigger::TriggerKind;
use clifford_delivery::outbound::Outbound;
use clifford_engine::triggers::fire;
use clifford_store::{Db, StoreError, triggers};
use clifford_tools::triggers::editing::{self, Change};
use serde_json::json;

use super::{Which, find, next};
use crate::cli::{output, setup};

pub(super) async fn remove(db: &Db, which: &Which) -> anyhow::Result<()> {
    let trigger = find(&mut db.read().await?, &which.trigger).await?;
    if let (TriggerKind::Wake, Some(run)) = (trigger.kind, trigger.run_id) {
        bail!("it wakes a sleeping run, and goes with that: `clifford runs cancel {run}`");
    }
    let id = trigger.id;
    db.write(move |tx| Box::pin(triggers::delete(tx, id))).await?;
    if which.format.json {
        return output::json(&json!({ "id": id, "removed": true }));
    }
    output::print(&format!("{id}: removed"))
}

pub(super) async fn enable(db: &Db, which: &Which, enabled: bool) -> anyhow::Result<()> {
    let trigger = find(&mut db.read().await?, &which.trigger).await?;
    let now = setup::now();
    let change = Change {
        enabled: Some(enabled),
        ..Change::default()
    };
    let is_over = enabled && trigger.cron.is_none() && trigger.next_at.is_none() && !trigger.webhook;
    if is_over {
        anyhow::bail!(
            "{} has no time any more: it was for once, and is over or was turned off; `clifford triggers add` makes a new one",
            trigger.id
        );
    }
    let changed = editing::changed(trigger, change, now)?;
    let stored = changed.clone();
    db.write(move |tx| Box::pin(async move { triggers::update(tx, &stored, now).await }))
        .await?;
    if which.format.json {
        return output::json(&changed);
    }
    output::print(&format!("{}: {}", changed.id, next(&changed)))
}

/// A server carries out the effects: this process delivers and works on nothing.
pub(super) async fn fire(db: &Db, which: &Which, parallel: u32) -> anyhow::Result<()> {
    let id = find(&mut db.read().await?, &which.trigger).await?.id;
    let now = setup::now();
    let outbound = Outbound::without_platforms();
    let fired = db
        .write(move |tx| Box::pin(async move { fire::fire_now(tx, &outbound, id, None, parallel, now).await }))
        .await
        .map_err(|error| match error {
            StoreError::Conflict(_) => anyhow::anyhow!("its conversation is busy; try again later"),
            other => other.into(),
        })?;
    if let Some(error) = fired.error {
        bail!("the trigger fired, but its target is gone: {error}");
    }
    if which.format.json {
        return output::json(&json!({ "id": id, "runId": fired.run }));
    }
    output::print(&match fired.run {
        Some(run) => format!("{id}: fired; `clifford runs tail {run}` follows its run"),
        None => format!("{id}: fired"),
    })
}
