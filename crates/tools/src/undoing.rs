//! Takes calls back that concern their person alone: their reminders and memory items become what they were before, unless
//! something else has changed them since.

use clifford_core::{
    clock::Timestamp,
    id::UserId,
    run::undo::{KeptItem, KeptReminder, Undo},
    schedule::{cron, told, trigger::Trigger},
};
use clifford_markup::within_sentence;
use clifford_store::{StoreError, Tx, memory::undo as items, triggers};
use clifford_text::{Lang, UndoPart};

/// How much of a text is told.
const TOLD: usize = 60;

/// The outcome of taking a call back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoReport {
    /// There is no such reminder any more.
    ReminderGone(String),
    /// The reminder was changed since.
    ReminderChanged(String),
    /// The reminder is there already.
    ReminderThere(String),
    /// The reminder that was set is removed.
    ReminderRemoved(String),
    /// The reminder that was changed is as it was.
    ReminderAsItWas(String, Option<NextReminder>),
    /// The reminder that was removed is set again.
    ReminderSetAgain(String, Option<NextReminder>),
    /// The item was changed since.
    ItemChanged(String),
    /// The item that was remembered is forgotten.
    ItemForgotten(String),
    /// The item has its earlier value.
    ItemAgain(String, String),
}

/// When a reminder comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextReminder {
    at: Timestamp,
    time_zone: String,
}

impl UndoReport {
    /// As operators and models read it.
    pub fn english(&self) -> String {
        self.text(Lang::English)
    }

    /// It in a few words.
    pub fn text(&self, lang: Lang) -> String {
        let text = |text: &str| within_sentence(text, TOLD);
        let key = |key: &str| clifford_markup::inline::inline(key);
        lang.say(match self {
            Self::ReminderGone(it) => UndoPart::ReminderGone { text: text(it) },
            Self::ReminderChanged(it) => UndoPart::ReminderChanged { text: text(it) },
            Self::ReminderThere(it) => UndoPart::ReminderThere { text: text(it) },
            Self::ReminderRemoved(it) => UndoPart::ReminderRemoved { text: text(it) },
            Self::ReminderAsItWas(it, next) => {
                return with_next(UndoPart::ReminderAsItWas { text: text(it) }, next.as_ref(), lang);
            }
            Self::ReminderSetAgain(it, next) => {
                return with_next(UndoPart::ReminderSetAgain { text: text(it) }, next.as_ref(), lang);
            }
            Self::ItemChanged(it) => UndoPart::ItemChanged { key: key(it) },
            Self::ItemForgotten(it) => UndoPart::ItemForgotten { key: key(it) },
            Self::ItemAgain(it, value) => UndoPart::ItemAgain {
                key: key(it),
                text: text(value),
            },
        })
    }
}

fn with_next(part: UndoPart, next: Option<&NextReminder>, lang: Lang) -> String {
    let what = lang.say(part);
    match next {
        Some(next) => lang.say(UndoPart::Next {
            what,
            next: told::moment(next.at, &next.time_zone, lang),
        }),
        None => what,
    }
}

/// Takes a call back. Returns what is as it was, or why it stays as it is.
pub async fn take_back(
    tx: &mut Tx,
    user: UserId,
    undo: &Undo,
    now: Timestamp,
) -> Result<Result<UndoReport, UndoReport>, StoreError> {
    match undo {
        Undo::ReminderSet { now: set } => {
            let gone = |trigger: &Trigger| set.is(trigger).then_some(trigger.id);
            match find_reminder(tx, user, set).await? {
                None => Ok(Err(UndoReport::ReminderGone(set.text.clone()))),
                Some(trigger) => match gone(&trigger) {
                    None => Ok(Err(UndoReport::ReminderChanged(set.text.clone()))),
                    Some(id) => {
                        triggers::delete(tx, id).await?;
                        Ok(Ok(UndoReport::ReminderRemoved(set.text.clone())))
                    }
                },
            }
        }
        Undo::ReminderChanged { before, now: left } => match find_reminder(tx, user, left).await? {
            None => Ok(Err(UndoReport::ReminderGone(left.text.clone()))),
            Some(trigger) if !left.is(&trigger) => Ok(Err(UndoReport::ReminderChanged(left.text.clone()))),
            Some(_) => {
                let again = before.trigger(user, due(before, now), now);
                triggers::update(tx, &again, now).await?;
                Ok(Ok(UndoReport::ReminderAsItWas(before.text.clone(), next(&again))))
            }
        },
        Undo::ReminderRemoved { before } => {
            if triggers::get(tx, before.id).await?.is_some() {
                return Ok(Err(UndoReport::ReminderThere(before.text.clone())));
            }
            let again = before.trigger(user, due(before, now), now);
            triggers::insert(tx, &again, None).await?;
            Ok(Ok(UndoReport::ReminderSetAgain(before.text.clone(), next(&again))))
        }
        Undo::ItemPut {
            before,
            now: left,
            archived,
        } => {
            let key = left.item.key.clone();
            let there = items::active_item(tx, user, &left.item.module, &left.item.key).await?;
            if !there.is_some_and(|there| is_as_left(&there, left)) {
                return Ok(Err(UndoReport::ItemChanged(key)));
            }
            items::restore(tx, user, left.item.id, before.as_ref()).await?;
            items::unarchive(tx, user, archived).await?;
            Ok(Ok(match before {
                None => UndoReport::ItemForgotten(key),
                Some(before) => UndoReport::ItemAgain(key, before.item.value.clone()),
            }))
        }
    }
}

/// Whether an item says what a call left there, and its person did not pin it since.
fn is_as_left(there: &KeptItem, left: &KeptItem) -> bool {
    let says = |kept: &KeptItem| (kept.item.id, kept.item.value.clone(), kept.item.level, kept.item.pinned);
    says(there) == says(left)
}

async fn find_reminder(tx: &mut Tx, user: UserId, kept: &KeptReminder) -> Result<Option<Trigger>, StoreError> {
    let found = triggers::get(tx, kept.id).await?;
    // One that was said the last time is over.
    Ok(found.filter(|trigger| trigger.user_id == Some(user) && trigger.next_at.is_some()))
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

fn next(trigger: &Trigger) -> Option<NextReminder> {
    let at = trigger.next_at?;
    Some(NextReminder {
        at,
        time_zone: trigger.time_zone.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_it_is_told_in_the_language_of_its_person() {
        let next = NextReminder {
            at: Timestamp(1_767_225_600_000),
            time_zone: "Europe/Berlin".to_owned(),
        };
        let again = UndoReport::ReminderSetAgain("call *Bob*".to_owned(), Some(next));
        assert_eq!(
            again.text(Lang::English),
            "the reminder “call Bob” is set again, next Thu 2026-01-01 01:00"
        );
        assert_eq!(
            again.text(Lang::German),
            "die Erinnerung „call Bob“ ist wieder eingetragen, das nächste Mal Do, 01.01.2026, 01:00"
        );
        assert_eq!(
            UndoReport::ItemForgotten("tea".to_owned()).text(Lang::French),
            "tea est oublié"
        );
    }
}
