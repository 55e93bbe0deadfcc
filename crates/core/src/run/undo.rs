//! How a call that concerns its person alone is taken back: the state before and after it, kept with its result. Pure.

use serde::{Deserialize, Serialize};

use crate::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MemoryItemId, TriggerId, UserId},
    memory::rows::Item,
    schedule::trigger::{CatchUp, Trigger, TriggerKind},
};

/// How long a call may be taken back: one hour, in seconds.
pub const UNDOABLE_SECONDS: u64 = 60 * 60;

/// The change of a call, with all that is needed to take it back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Undo {
    /// A reminder was set.
    ReminderSet {
        /// The reminder.
        now: KeptReminder,
    },
    /// A reminder was changed.
    ReminderChanged {
        /// As it was.
        before: KeptReminder,
        /// As it became.
        now: KeptReminder,
    },
    /// A reminder was removed.
    ReminderRemoved {
        /// As it was.
        before: KeptReminder,
    },
    /// Something was remembered.
    ItemPut {
        /// The value of the key before, if it had one.
        before: Option<KeptItem>,
        /// Its value since.
        now: KeptItem,
        /// The items that made room for it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        archived: Vec<MemoryItemId>,
    },
}

/// A reminder, as far as its person decides it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptReminder {
    /// Its id.
    pub id: TriggerId,
    /// Where it is said.
    pub channel_id: Option<ChannelId>,
    /// The value.
    pub text: String,
    /// How it is repeated.
    pub cron: Option<String>,
    /// The time zone of that.
    pub time_zone: String,
    /// The treatment of due times that passed while nobody was there.
    pub catch_up: CatchUp,
    /// When it is due next.
    pub next_at: Option<Timestamp>,
    /// The creator, in words.
    pub created_by: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl KeptReminder {
    /// Of a trigger.
    pub fn of(trigger: &Trigger) -> Self {
        Self {
            id: trigger.id,
            channel_id: trigger.channel_id,
            text: trigger.content.clone(),
            cron: trigger.cron.clone(),
            time_zone: trigger.time_zone.clone(),
            catch_up: trigger.catch_up,
            next_at: trigger.next_at,
            created_by: trigger.created_by.clone(),
            created_at: trigger.created_at,
        }
    }

    /// Whether a trigger is still as this call left it. One that repeats comes due again and again.
    pub fn is(&self, trigger: &Trigger) -> bool {
        let now = Self::of(trigger);
        let is_due = self.cron.is_some() || now.next_at == self.next_at;
        is_due && (&now.text, &now.cron, &now.time_zone) == (&self.text, &self.cron, &self.time_zone)
    }

    /// The trigger of a person, that is due at this time.
    pub fn trigger(&self, user: UserId, next_at: Option<Timestamp>, now: Timestamp) -> Trigger {
        Trigger {
            id: self.id,
            channel_id: self.channel_id,
            user_id: Some(user),
            content: self.text.clone(),
            cron: self.cron.clone(),
            time_zone: self.time_zone.clone(),
            catch_up: self.catch_up,
            next_at,
            created_by: self.created_by.clone(),
            created_at: self.created_at,
            ..Trigger::new(TriggerKind::Reminder, now)
        }
    }
}

/// A memory item, with where its words came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, crate::row::FromRow)]
pub struct KeptItem {
    /// The item.
    #[row(flatten)]
    pub item: Item,
    /// The conversation that it came from.
    pub context_id: Option<ContextId>,
    /// The time of the write that nobody else's words had a part in.
    pub own_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reminder_is_as_it_was_left_unless_its_text_or_time_was_changed() {
        let trigger = Trigger {
            content: "stretch".to_owned(),
            next_at: Some(Timestamp(5)),
            ..Trigger::new(TriggerKind::Reminder, Timestamp(0))
        };
        let kept = KeptReminder::of(&trigger);
        assert!(kept.is(&trigger));
        let changed = [
            Trigger {
                content: "walk".to_owned(),
                ..trigger.clone()
            },
            Trigger {
                next_at: Some(Timestamp(6)),
                ..trigger.clone()
            },
            Trigger {
                cron: Some("0 8 * * *".to_owned()),
                ..trigger.clone()
            },
        ];
        for changed in changed {
            assert!(!kept.is(&changed), "{changed:?}");
        }
        // One that repeats was only said meanwhile.
        let daily = Trigger {
            cron: Some("0 8 * * *".to_owned()),
            ..trigger
        };
        let kept = KeptReminder::of(&daily);
        let said = Trigger {
            next_at: Some(Timestamp(99)),
            ..daily.clone()
        };
        assert!(kept.is(&said));
        let user = UserId::new();
        assert_eq!(
            kept.trigger(user, daily.next_at, Timestamp(0)),
            Trigger {
                user_id: Some(user),
                ..daily
            }
        );
    }
}
