//! Takes calls back that concern their person alone: their reminders and memory items become what they were before, unless
//! something else has changed them since.

use clifford_core::{
    clock::Timestamp,
    id::UserId,
    run::undo::{KeptItem, KeptReminder, Undo},
    schedule::{cron, trigger::Trigger},
};
use clifford_markup::within_sentence;
use clifford_store::{StoreError, Tx, memory::undo as items, triggers};

use crate::triggers::reminders;

/// How much of a text is told.
const TOLD: usize = 60;

/// Takes a call back. Returns what is as it was, or why it stays as it is, in a few words.
pub async fn take_back(
    tx: &mut Tx,
    user: UserId,
    undo: &Undo,
    now: Timestamp,
) -> Result<Result<String, String>, StoreError> {
    match undo {
        Undo::ReminderSet { now: set } => {
            let gone = |trigger: &Trigger| set.is(trigger).then_some(trigger.id);
            match found(tx, user, set).await? {
                None => Ok(Err(format!("the reminder {} is gone already", named(set)))),
                Some(trigger) => match gone(&trigger) {
                    None => Ok(Err(changed(set))),
                    Some(id) => {
                        triggers::delete(tx, id).await?;
                        Ok(Ok(format!("the reminder {} is removed", named(set))))
                    }
                },
            }
        }
        Undo::ReminderChanged { before, now: left } => match found(tx, user, left).await? {
            None => Ok(Err(format!("the reminder {} is gone already", named(left)))),
            Some(trigger) if !left.is(&trigger) => Ok(Err(changed(left))),
            Some(_) => {
                let again = before.trigger(user, due(before, now), now);
                triggers::update(tx, &again, now).await?;
                Ok(Ok(format!("the reminder {} is as it was{}", named(before), at(&again))))
            }
        },
        Undo::ReminderRemoved { before } => {
            if triggers::get(tx, before.id).await?.is_some() {
                return Ok(Err(format!("the reminder {} is there already", named(before))));
            }
            let again = before.trigger(user, due(before, now), now);
            triggers::insert(tx, &again, None).await?;
            Ok(Ok(format!("the reminder {} is set again{}", named(before), at(&again))))
        }
        Undo::ItemPut {
            before,
            now: left,
            archived,
        } => {
            let key = clifford_markup::inline::inline(&left.item.key);
            let there = items::kept(tx, user, &left.item.module, &left.item.key).await?;
            if !there.is_some_and(|there| is_as_left(&there, left)) {
                return Ok(Err(format!("{key} was changed since, and stays as it is")));
            }
            items::restore(tx, user, left.item.id, before.as_ref()).await?;
            items::unarchive(tx, user, archived).await?;
            Ok(Ok(match before {
                None => format!("{key} is forgotten"),
                Some(before) => format!("{key} is “{}” again", within_sentence(&before.item.value, TOLD)),
            }))
        }
    }
}

/// Whether an item says what a call left there, and its person did not pin it since.
fn is_as_left(there: &KeptItem, left: &KeptItem) -> bool {
    let says = |kept: &KeptItem| (kept.item.id, kept.item.value.clone(), kept.item.level, kept.item.pinned);
    says(there) == says(left)
}

async fn found(tx: &mut Tx, user: UserId, kept: &KeptReminder) -> Result<Option<Trigger>, StoreError> {
    let found = triggers::get(tx, kept.id).await?;
    // One that was said the last time is over.
    Ok(found.filter(|trigger| trigger.user_id == Some(user) && trigger.next_at.is_some()))
}

fn named(kept: &KeptReminder) -> String {
    format!("“{}”", within_sentence(&kept.text, TOLD))
}

fn changed(kept: &KeptReminder) -> String {
    format!("the reminder {} was changed since, and stays as it is", named(kept))
}

/// When it is due, as it was before. A due time that has passed meanwhile comes at once; one of a repeated reminder is the
/// next one.
fn due(kept: &KeptReminder, now: Timestamp) -> Option<Timestamp> {
    let next = || cron::next_occurrence(kept.cron.as_deref()?, &kept.time_zone, now).ok();
    match kept.next_at {
        Some(at) if at <= now => next().or(Some(at)),
        at => at,
    }
}

fn at(trigger: &Trigger) -> String {
    let next = trigger.next_at.map(|at| reminders::shown(at, &trigger.time_zone));
    next.map(|next| format!(", next {next}")).unwrap_or_default()
}
