//! `/reminders`: the list of a person's reminders, and their removal.

use clifford_chat::{completion::Choice, outbound::Button};
use clifford_core::{people::User, places::Channel, schedule::trigger::Trigger};
use clifford_markup::inline::inline;
use clifford_store::{Conn, StoreError, Tx, triggers};
use clifford_text::{Chats, Lang};
use clifford_tools::triggers::reminders;

use super::Done;

/// How many can be removed by a button.
const BUTTONS: usize = 10;

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    lang: Lang,
) -> Result<Done, StoreError> {
    let viewer = clifford_content::memory::recall::viewer(Some(user.id), Some(channel));
    let all = reminders::visible(tx, user.id, viewer, Some(channel.id)).await?;
    let wanted = argument.trim();
    let wanted = wanted.strip_prefix("remove").unwrap_or(wanted).trim();
    if wanted.is_empty() {
        return Ok(list_reply(&all, channel.is_private(), lang));
    }
    match reminders::find(&all, wanted) {
        Ok(trigger) => {
            triggers::delete(tx, trigger.id).await?;
            Ok(Done::say(lang.say(Chats::Removed {
                what: inline(&trigger.content),
            })))
        }
        Err(_) => Ok(Done::say(lang.say(Chats::NoSuchReminder))),
    }
}

/// The completions of the argument: the removal of one of those that are listed here.
pub(super) async fn choices(conn: &mut Conn, channel: &Channel, user: &User) -> Result<Vec<Choice>, StoreError> {
    let viewer = clifford_content::memory::recall::viewer(Some(user.id), Some(channel));
    let all = reminders::visible(conn, user.id, viewer, Some(channel.id)).await?;
    let choice = |trigger: &Trigger| Choice {
        label: format!("remove {}", unique_text(trigger, &all)),
        value: format!("remove {}", reminders::short_id(trigger)),
    };
    Ok(all.iter().map(choice).collect())
}

/// The text of a reminder, with its id in front where another says the same.
fn unique_text(trigger: &Trigger, all: &[Trigger]) -> String {
    let alike = all.iter().filter(|other| other.content == trigger.content).count();
    match alike {
        0 | 1 => trigger.content.clone(),
        _ => format!("{} {}", reminders::short_id(trigger), trigger.content),
    }
}

fn list_reply(all: &[Trigger], private: bool, lang: Lang) -> Done {
    if all.is_empty() && private {
        return Done::say(format!(
            "{} {}",
            lang.say(Chats::NothingSet),
            lang.say(Chats::HowToRemind)
        ));
    }
    if all.is_empty() {
        return Done::say(lang.say(Chats::NothingSetHere));
    }
    let lines = all.iter().map(|trigger| {
        let next = reminders::next(trigger, lang);
        let repeats = reminders::repeats(trigger, lang).map(|repeats| format!(", {}", inline(&repeats)));
        format!(
            "- `{}` {}{} ({})",
            reminders::short_id(trigger),
            lang.labelled(&inline(&trigger.content), &next.unwrap_or_default()),
            repeats.unwrap_or_default(),
            trigger.time_zone
        )
    });
    let buttons = all.iter().take(BUTTONS).map(|trigger| {
        let command = format!("reminders remove {}", reminders::short_id(trigger));
        let label = lang.say(Chats::Remove {
            what: unique_text(trigger, all),
        });
        Button::new(&label, command)
    });
    Done {
        text: format!(
            "{}\n\n{}",
            lines.collect::<Vec<_>>().join("\n"),
            lang.say(Chats::HowToRemove)
        ),
        buttons: buttons.collect(),
        ..Done::default()
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::{clock::Timestamp, schedule::trigger::TriggerKind};

    use super::*;

    #[test]
    fn reminders_are_listed_with_when_they_come_and_a_button_each() {
        let trigger = Trigger {
            content: "stretch *well*".to_owned(),
            cron: Some("0 8 * * 1-5".to_owned()),
            time_zone: "Europe/Berlin".to_owned(),
            next_at: Some(Timestamp(1_767_250_800_000)),
            ..Trigger::new(TriggerKind::Reminder, Timestamp(0))
        };
        let id = clifford_tools::triggers::reminders::short_id(&trigger);
        let done = list_reply(&[trigger], true, Lang::English);
        assert_eq!(
            done.text,
            format!(
                "- `{id}` stretch \\*well\\*: Thu 2026-01-01 08:00, every weekday at 08:00 (Europe/Berlin)\n\n\
                 `/reminders remove ID` takes one back."
            )
        );
        let buttons = [Button::new("Remove: stretch *well*", format!("reminders remove {id}"))];
        assert_eq!(done.buttons, buttons);
        let alike = [7, 8].map(|_| Trigger {
            content: "stretch".to_owned(),
            ..Trigger::new(TriggerKind::Reminder, Timestamp(0))
        });
        let ids = alike.each_ref().map(clifford_tools::triggers::reminders::short_id);
        let labels = list_reply(&alike, true, Lang::English)
            .buttons
            .into_iter()
            .map(|button| button.label);
        let expected = ids.map(|id| format!("Remove: {id} stretch"));
        assert_eq!(labels.collect::<Vec<_>>(), expected);
        assert!(
            list_reply(&[], false, Lang::English)
                .text
                .starts_with("No reminders are set here.")
        );
    }
}
