//! Reminders as their people know them: by a short id, at a time of their own calendar, and only their own.

use clifford_core::{
    id::{ChannelId, UserId},
    schedule::{told, trigger::Trigger},
};
use clifford_store::{Conn, StoreError, memory::items::Viewer, triggers};
use clifford_text::Lang;

/// How many characters of an id name a reminder.
const SHORT: usize = 6;

/// The end of an id: what a person or a model writes to name a reminder.
pub fn short_id(trigger: &Trigger) -> String {
    let id = trigger.id.0.simple().to_string();
    id.get(id.len() - SHORT..).unwrap_or_default().to_owned()
}

/// Checks within the transaction that sets a reminder that its person has no more of them than they may.
///
/// # Errors
/// [`StoreError::WrongState`]: they have; the store's.
pub async fn within(conn: &mut Conn, user: UserId, most: usize) -> Result<(), StoreError> {
    let due = triggers::reminders(conn, user, None).await?.len();
    if due <= most {
        return Ok(());
    }
    let others = due - 1;
    Err(StoreError::WrongState(format!(
        "there are already {others} reminders, and the maximum is {most}: remove one first"
    )))
}

/// The reminders of a person that may be named in a channel: where others read along, only those that were set there.
pub async fn visible(
    conn: &mut Conn,
    user: UserId,
    viewer: Viewer,
    channel: Option<ChannelId>,
) -> Result<Vec<Trigger>, StoreError> {
    triggers::reminders(conn, user, channel.filter(|_| viewer != Viewer::Private)).await
}

/// The one that is meant: by its id, whole or the end of it, else by words that only it has.
///
/// # Errors
/// The way to write it instead.
pub fn find<'a>(reminders: &'a [Trigger], wanted: &str) -> Result<&'a Trigger, String> {
    let wanted = wanted.trim().to_lowercase();
    if wanted.is_empty() {
        return Err("say which reminder, by its id".to_owned());
    }
    let digits = wanted.replace('-', "");
    let by_id = |trigger: &&Trigger| digits.len() >= SHORT && trigger.id.0.simple().to_string().ends_with(&digits);
    let by_words = |trigger: &&Trigger| trigger.content.to_lowercase().contains(&wanted);
    let mut found: Vec<_> = reminders.iter().filter(by_id).collect();
    if found.is_empty() {
        found = reminders.iter().filter(by_words).collect();
    }
    match found[..] {
        [one] => Ok(one),
        [] => Err(format!(
            "there is no reminder `{wanted}`; there are {}",
            short_list(reminders)
        )),
        _ => Err(format!(
            "several reminders are like that; name one by its id: {}",
            short_list(reminders)
        )),
    }
}

fn short_list(reminders: &[Trigger]) -> String {
    if reminders.is_empty() {
        return "none".to_owned();
    }
    let names = reminders
        .iter()
        .map(|trigger| format!("{} ({})", short_id(trigger), trigger.content));
    names.collect::<Vec<_>>().join(", ")
}

/// How often a reminder is said, in words as far as there are some; nothing if it is said once.
pub fn repeats(trigger: &Trigger, lang: Lang) -> Option<String> {
    Some(told::repeats(trigger.cron.as_deref()?, lang))
}

/// When a reminder is said next, by the calendar of its time zone.
pub fn next(trigger: &Trigger, lang: Lang) -> Option<String> {
    Some(told::moment(trigger.next_at?, &trigger.time_zone, lang))
}

#[cfg(test)]
mod tests {
    use clifford_core::{clock::Timestamp, schedule::trigger::TriggerKind};

    use super::*;

    fn reminder(content: &str, cron: Option<&str>) -> Trigger {
        Trigger {
            content: content.to_owned(),
            cron: cron.map(str::to_owned),
            ..Trigger::new(TriggerKind::Reminder, Timestamp(0))
        }
    }

    #[test]
    fn a_reminder_is_found_by_its_id_or_by_words_that_only_it_has() {
        let all = [
            reminder("water the roses", None),
            reminder("water the lawn", None),
            reminder("call Bob", None),
        ];
        let found = |wanted: &str| find(&all, wanted).map(|trigger| trigger.content.as_str()).ok();
        assert_eq!(found(&short_id(&all[1])), Some("water the lawn"));
        assert_eq!(found(&all[0].id.to_string()), Some("water the roses"));
        assert_eq!(found(" BOB "), Some("call Bob"));
        for nothing in ["water", "", "moon", "ffffff"] {
            assert_eq!(found(nothing), None, "{nothing}");
        }
        let several = find(&all, "water").expect_err("two");
        assert!(several.starts_with("several reminders are like that"), "{several}");
        assert_eq!(
            find(&[], "moon"),
            Err("there is no reminder `moon`; there are none".to_owned())
        );
    }
}
