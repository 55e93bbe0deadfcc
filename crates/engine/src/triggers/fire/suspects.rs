//! Triggers that processes die of: each is held by a lease while it is fired, a page of them together. A lease that is left
//! counts as a death. A suspect is held only in its turn, so each further death is one in isolation; then it is set aside.

use std::{collections::HashMap, sync::Arc};

use clifford_core::{clock::Timestamp, id::TriggerId, run::sentences, schedule::trigger::Trigger, work::Kind};
use clifford_delivery::outbound::Outbound;
use clifford_store::{StoreError, Tx, people::reading, triggers};
use clifford_telemetry::measures;

use super::{Fired, remind, try_to_fire};
use crate::Context;

/// Fires a page of what is due; returns how much of it has fired.
pub(super) async fn fire_page(cx: &Arc<Context>, due: Vec<Trigger>, now: Timestamp) -> Result<usize, StoreError> {
    let limits = cx.settings.engine().deaths();
    let is_suspect = |deaths: i64| deaths >= limits.suspect_after;
    let (others, mut suspects): (Vec<_>, Vec<_>) = due.into_iter().partition(|trigger| !is_suspect(trigger.deaths));
    let held = hold(cx, others.iter().filter(|trigger| !waits(trigger))).await?;
    let (mut count, mut unfired) = (0, Vec::new());
    for mut trigger in others {
        if !waits(&trigger) {
            let Some(deaths) = held.get(&trigger.id) else {
                // Another process is about to fire it.
                continue;
            };
            trigger.deaths = *deaths;
            if is_suspect(trigger.deaths) {
                unfired.push(trigger.id);
                suspects.push(trigger);
                continue;
            }
        }
        match try_to_fire(cx, &trigger, now).await? {
            true => count += 1,
            false => unfired.push(trigger.id),
        }
    }
    release(cx, unfired).await?;
    for trigger in suspects {
        count += usize::from(alone(cx, trigger, now).await?);
    }
    Ok(count)
}

/// A trigger that waits for its conversation was tried before, and nobody died of it.
fn waits(trigger: &Trigger) -> bool {
    trigger.waiting_at.is_some() && trigger.waiting_at == trigger.next_at
}

/// Fires a suspect, or sets it aside. It is held by itself while nothing else begins; without a turn it fires later.
async fn alone(cx: &Arc<Context>, mut trigger: Trigger, now: Timestamp) -> Result<bool, StoreError> {
    let Some(_turn) = cx.isolation.turn_soon().await else {
        return Ok(false);
    };
    let held = hold(cx, std::iter::once(&trigger)).await?;
    let Some(deaths) = held.get(&trigger.id) else {
        return Ok(false);
    };
    trigger.deaths = *deaths;
    if trigger.deaths >= cx.settings.engine().deaths().quarantine_after {
        set_aside(cx, trigger, now).await?;
        return Ok(false);
    }
    tracing::warn!(trigger_id = %trigger.id, deaths = trigger.deaths, "firing a suspected trigger in isolation");
    let fired = try_to_fire(cx, &trigger, now).await?;
    if !fired {
        release(cx, vec![trigger.id]).await?;
    }
    Ok(fired)
}

/// Takes triggers for this process: those that it has now, and how often a process died that had them.
async fn hold(cx: &Arc<Context>, due: impl Iterator<Item = &Trigger>) -> Result<HashMap<TriggerId, i64>, StoreError> {
    let due: Vec<_> = due.filter_map(Trigger::due).collect();
    if due.is_empty() {
        return Ok(HashMap::new());
    }
    let window = cx.process.window();
    let held = cx
        .db
        .write(move |tx| Box::pin(async move { triggers::hold(tx, &due, window).await }));
    Ok(held.await?.into_iter().collect())
}

async fn release(cx: &Arc<Context>, ids: Vec<TriggerId>) -> Result<(), StoreError> {
    if ids.is_empty() {
        return Ok(());
    }
    let worker = cx.process.worker();
    let given = cx
        .db
        .write(move |tx| Box::pin(async move { triggers::release(tx, &ids, worker).await }));
    given.await
}

async fn set_aside(cx: &Arc<Context>, trigger: Trigger, now: Timestamp) -> Result<(), StoreError> {
    let (id, deaths, outbound) = (trigger.id, trigger.deaths, cx.delivery.outbound().clone());
    let written = cx.db.write(move |tx| {
        let (trigger, outbound) = (trigger.clone(), outbound.clone());
        Box::pin(async move { quarantine(tx, &outbound, trigger, now).await })
    });
    let Some(told) = written.await? else { return Ok(()) };
    tracing::error!(trigger_id = %id, deaths, "trigger quarantined: the process died each time that it fired it");
    measures::quarantined(Kind::Trigger);
    if let Some(pending) = told.pending {
        cx.delivery.deliver(pending);
    }
    Ok(())
}

/// Notifies its person, if it has one, where it would have spoken. `None`: another process did, or it was changed.
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
    let lang = reading::by_id(tx, trigger.user_id, trigger.channel_id).await?;
    let told = Trigger {
        content: sentences::TRIGGER_QUARANTINED.text(lang),
        ..trigger
    };
    remind(tx, outbound, &told, now).await.map(Some)
}
