//! Triggers that processes die of: each firing is announced by a commit of its own, a page of them together, and those that
//! were announced too often without having fired are fired alone, then set aside.

use std::sync::Arc;

use super::{Fired, remind, try_to_fire};
use crate::{
    clock::Timestamp,
    engine::{Engine, sentences},
    outbound::Outbound,
    quarantine::{Evidence, Mark, Verdict},
    store::{
        StoreError, Tx,
        deaths::Kind,
        triggers::{self, Trigger},
    },
    telemetry::measures,
};

/// Fires a page of what is due; returns how much of it has fired.
///
/// # Errors
/// The store's.
pub(super) async fn fire_page(engine: &Arc<Engine>, due: Vec<Trigger>, now: Timestamp) -> Result<usize, StoreError> {
    let limits = engine.settings.deaths;
    // Each that is a suspect was announced alone, and has not outlived that.
    let verdict = |trigger: &Trigger| {
        limits.verdict(Evidence {
            deaths: trigger.deaths,
            mark: Some(Mark::DiedAgain),
        })
    };
    let (others, suspects): (Vec<_>, Vec<_>) = due
        .into_iter()
        .partition(|trigger| verdict(trigger) == Verdict::Innocent);
    let mut count = announced(engine, others, now).await?;
    for trigger in suspects {
        if verdict(&trigger) == Verdict::Guilty {
            set_aside(engine, trigger, now).await?;
        } else {
            tracing::warn!(trigger_id = %trigger.id, deaths = trigger.deaths, "firing a suspected trigger in isolation");
            let turn = engine.isolation.turn_soon().await;
            count += announced(engine, vec![trigger], now).await?;
            drop(turn);
        }
    }
    Ok(count)
}

/// Fires some that are announced before, all together and in order.
async fn announced(engine: &Arc<Engine>, due: Vec<Trigger>, now: Timestamp) -> Result<usize, StoreError> {
    // What waits for its conversation was tried before, and nobody died of it.
    let waits = |trigger: &Trigger| trigger.waiting_at.is_some() && trigger.waiting_at == trigger.next_at;
    let new: Vec<_> = due
        .iter()
        .filter(|trigger| !waits(trigger))
        .map(|trigger| trigger.id)
        .collect();
    if !new.is_empty() {
        let ids = new.clone();
        engine
            .db
            .write(move |tx| Box::pin(async move { triggers::announce(tx, &ids).await }))
            .await?;
    }
    let (mut count, mut unfired) = (0, Vec::new());
    for trigger in due {
        if try_to_fire(engine, &trigger, now).await? {
            count += 1;
        } else if new.contains(&trigger.id) {
            unfired.push(trigger.id);
        }
    }
    if !unfired.is_empty() {
        engine
            .db
            .write(move |tx| Box::pin(async move { triggers::retract(tx, &unfired).await }))
            .await?;
    }
    Ok(count)
}

async fn set_aside(engine: &Arc<Engine>, trigger: Trigger, now: Timestamp) -> Result<(), StoreError> {
    let (id, deaths, outbound) = (trigger.id, trigger.deaths, engine.outbound.clone());
    let written = engine.db.write(move |tx| {
        let (trigger, outbound) = (trigger.clone(), outbound.clone());
        Box::pin(async move { quarantine(tx, &outbound, trigger, now).await })
    });
    let Some(told) = written.await? else { return Ok(()) };
    tracing::error!(trigger_id = %id, deaths, "trigger quarantined: the process died each time that it fired it");
    measures::quarantined(Kind::Trigger);
    if let Some(ticket) = told.ticket {
        engine.delivery.deliver(ticket);
    }
    Ok(())
}

/// Its person, if it has one, is told where it would have spoken. `None`: somebody else did, or it was changed.
async fn quarantine(
    tx: &mut Tx,
    outbound: &Outbound,
    trigger: Trigger,
    now: Timestamp,
) -> Result<Option<Fired>, StoreError> {
    let Some(due) = trigger.due() else { return Ok(None) };
    let why = format!(
        "quarantined: {} processes died that were about to fire it; `clifford quarantine retry {}` tries again",
        trigger.deaths, trigger.id
    );
    if !triggers::quarantine(tx, due, &why, now).await? {
        return Ok(None);
    }
    let told = Trigger {
        content: sentences::TRIGGER_QUARANTINED.to_owned(),
        ..trigger
    };
    remind(tx, outbound, &told, now).await.map(Some)
}
