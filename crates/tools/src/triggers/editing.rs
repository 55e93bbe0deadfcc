//! Making and changing triggers by hand: the checks of their fields, and the first due time. Pure.

use clifford_core::{
    clock::Timestamp,
    fault::Fault,
    id::{AgentId, ChannelId, ContextId, UserId},
    schedule::{
        cron,
        due::first_occurrence,
        trigger::{CatchUp, Trigger, TriggerKind},
    },
};

/// The most characters of what a trigger asks or says.
const LONGEST_CONTENT: usize = 4000;
/// The most characters of a name.
const LONGEST_NAME: usize = 64;

/// A trigger to be made.
#[derive(Clone, Debug)]
pub struct NewTrigger {
    /// Its effect: it begins a run, or says a reminder.
    pub kind: TriggerKind,
    /// Its name; a webhook needs one.
    pub name: Option<String>,
    /// The request or the reminder.
    pub content: String,
    /// The agent of a run.
    pub agent_id: Option<AgentId>,
    /// Where it speaks.
    pub channel_id: Option<ChannelId>,
    /// For whom.
    pub user_id: Option<UserId>,
    /// The conversation of a run.
    pub context_id: Option<ContextId>,
    /// A signed request fires it.
    pub webhook: bool,
    /// When it fires first.
    pub at: Option<Timestamp>,
    /// When it fires again and again.
    pub cron: Option<String>,
    /// The time zone of that.
    pub time_zone: String,
    /// The handling of due times that were missed.
    pub catch_up: CatchUp,
    /// Its creator, in words.
    pub created_by: String,
}

impl NewTrigger {
    /// The trigger for this.
    ///
    /// # Errors
    /// The field that does not fit.
    pub fn into_trigger(self, now: Timestamp) -> Result<Trigger, Fault> {
        let trigger = Trigger {
            name: self.name,
            agent_id: self.agent_id,
            channel_id: self.channel_id,
            user_id: self.user_id,
            context_id: self.context_id,
            content: self.content,
            webhook: self.webhook,
            cron: self.cron,
            time_zone: self.time_zone,
            catch_up: self.catch_up,
            created_by: Some(self.created_by),
            ..Trigger::new(self.kind, now)
        };
        let trigger = checked(trigger)?;
        check_interval(&trigger, now)?;
        scheduled(trigger, self.at, now)
    }
}

/// A change of a trigger; a field that is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Its name, or none.
    pub name: Option<Option<String>>,
    /// The request or the reminder.
    pub content: Option<String>,
    /// When it fires next.
    pub at: Option<Timestamp>,
    /// When it fires again and again, or that it does not.
    pub cron: Option<Option<String>>,
    /// The time zone of that.
    pub time_zone: Option<String>,
    /// The handling of due times that were missed.
    pub catch_up: Option<CatchUp>,
    /// Whether it fires.
    pub enabled: Option<bool>,
}

/// A trigger as it is after a change.
///
/// # Errors
/// The field that does not fit.
pub fn changed(trigger: Trigger, change: Change, now: Timestamp) -> Result<Trigger, Fault> {
    if trigger.kind == TriggerKind::Wake {
        return Err(Fault::new(
            "kind",
            "it wakes a sleeping run, and changes with that alone: wake or cancel the run",
        ));
    }
    let is_scheduled_anew =
        change.at.is_some() || change.cron.is_some() || change.time_zone.is_some() || change.enabled.is_some();
    let has_new_cron = change.cron.is_some();
    let next = trigger.next_at;
    let trigger = checked(Trigger {
        name: change.name.unwrap_or(trigger.name),
        content: change.content.unwrap_or(trigger.content),
        cron: change.cron.unwrap_or(trigger.cron),
        time_zone: change.time_zone.unwrap_or(trigger.time_zone),
        catch_up: change.catch_up.unwrap_or(trigger.catch_up),
        enabled: change.enabled.unwrap_or(trigger.enabled),
        ..trigger
    })?;
    if !is_scheduled_anew {
        return Ok(trigger);
    }
    // One that was stored as it is may be turned on again: it fires no more often than it may.
    if has_new_cron {
        check_interval(&trigger, now)?;
    }
    if !trigger.enabled {
        return Ok(Trigger {
            next_at: None,
            ..trigger
        });
    }
    let at = change.at.or_else(|| next.filter(|_| trigger.cron.is_none()));
    scheduled(trigger, at, now)
}

fn checked(trigger: Trigger) -> Result<Trigger, Fault> {
    let content = trigger.content.trim();
    if content.is_empty() {
        return Err(Fault::new("content", "it is empty: write what is to be asked or said"));
    }
    if content.chars().count() > LONGEST_CONTENT {
        return Err(Fault::new(
            "content",
            format!("it is longer than {LONGEST_CONTENT} characters"),
        ));
    }
    if let Some(name) = &trigger.name {
        check_name(name)?;
    }
    cron::zone(&trigger.time_zone).map_err(|why| Fault::new("timeZone", why))?;
    match trigger.kind {
        TriggerKind::Wake => {
            return Err(Fault::new(
                "kind",
                "runs make these by sleeping; make a run or a reminder",
            ));
        }
        TriggerKind::Reminder if trigger.webhook => return Err(Fault::new("webhook", "a webhook begins a run")),
        TriggerKind::Reminder if trigger.channel_id.is_none() && trigger.user_id.is_none() => {
            return Err(Fault::new(
                "channelId",
                "name the channel where it is said, or the person",
            ));
        }
        _ => {}
    }
    if trigger.webhook && trigger.name.is_none() {
        return Err(Fault::new("name", "a webhook needs one: its address ends in it"));
    }
    if trigger.webhook && trigger.cron.is_some() {
        return Err(Fault::new(
            "cron",
            "a webhook fires when it is called; make another trigger for the clock",
        ));
    }
    Ok(trigger)
}

/// Checks that an expression can be read, and comes due no more often than it may.
fn check_interval(trigger: &Trigger, now: Timestamp) -> Result<(), Fault> {
    if let Some(cron) = &trigger.cron {
        first_occurrence(cron, &trigger.time_zone, now).map_err(|why| Fault::new("cron", why))?;
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), Fault> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_plain) {
        let why = format!("it must be 1 to {LONGEST_NAME} of a-z, 0-9, - and _");
        return Err(Fault::new("name", why));
    }
    Ok(())
}

/// The trigger with its next due time: `at`, or the first by its expression.
fn scheduled(trigger: Trigger, at: Option<Timestamp>, now: Timestamp) -> Result<Trigger, Fault> {
    let by_cron = match &trigger.cron {
        Some(cron) => {
            let next = cron::next_occurrence(cron, &trigger.time_zone, now);
            Some(next.map_err(|why| Fault::new("cron", why))?)
        }
        None => None,
    };
    let next_at = match (at, trigger.webhook) {
        (Some(_), true) => {
            return Err(Fault::new(
                "at",
                "a webhook fires when it is called; make another trigger for the clock",
            ));
        }
        (Some(at), false) if at <= now => return Err(Fault::new("at", format!("{at} has passed"))),
        (Some(at), false) => Some(at),
        (None, true) => None,
        (None, false) if by_cron.is_none() => return Err(Fault::new("at", "say when: at a time, or by cron")),
        (None, false) => by_cron,
    };
    Ok(Trigger { next_at, ..trigger })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_767_225_600_000);
    const LATER: Timestamp = Timestamp(1_767_225_660_000);

    fn new() -> NewTrigger {
        NewTrigger {
            kind: TriggerKind::Run,
            name: None,
            content: "tell the news".to_owned(),
            agent_id: None,
            channel_id: None,
            user_id: None,
            context_id: None,
            webhook: false,
            at: None,
            cron: None,
            time_zone: "Europe/Berlin".to_owned(),
            catch_up: CatchUp::Once,
            created_by: "a test".to_owned(),
        }
    }

    impl NewTrigger {
        fn trigger(self) -> Trigger {
            let at = Some(LATER);
            Self { at, ..self }.into_trigger(NOW).expect("a trigger")
        }
    }

    fn field(new: NewTrigger) -> Result<Option<Timestamp>, &'static str> {
        new.into_trigger(NOW)
            .map(|trigger| trigger.next_at)
            .map_err(|fault| fault.field)
    }

    #[test]
    fn a_trigger_comes_due_at_its_time_or_by_its_expression_or_when_it_is_called() {
        let (at, cron) = (Some(LATER), Some("0 8 * * *".to_owned()));
        let by_cron = Timestamp(NOW.0 + 7 * 3_600_000);
        let webhook = NewTrigger {
            webhook: true,
            name: Some("alarm".to_owned()),
            ..new()
        };
        let cases = [
            (NewTrigger { at, ..new() }, Ok(at)),
            (
                NewTrigger {
                    cron: cron.clone(),
                    ..new()
                },
                Ok(Some(by_cron)),
            ),
            (
                NewTrigger {
                    at,
                    cron: cron.clone(),
                    ..new()
                },
                Ok(at),
            ),
            (webhook.clone(), Ok(None)),
            (new(), Err("at")),
            (NewTrigger { at: Some(NOW), ..new() }, Err("at")),
            (
                NewTrigger {
                    cron: Some("x".to_owned()),
                    ..new()
                },
                Err("cron"),
            ),
            (
                NewTrigger {
                    at,
                    cron: Some("* * * * * *".to_owned()),
                    ..new()
                },
                Err("cron"),
            ),
            (
                NewTrigger {
                    at,
                    time_zone: "Mars".to_owned(),
                    ..new()
                },
                Err("timeZone"),
            ),
            (
                NewTrigger {
                    at,
                    content: " ".to_owned(),
                    ..new()
                },
                Err("content"),
            ),
            (
                NewTrigger {
                    at,
                    content: "x".repeat(4001),
                    ..new()
                },
                Err("content"),
            ),
            (
                NewTrigger {
                    at,
                    name: Some("A name".to_owned()),
                    ..new()
                },
                Err("name"),
            ),
            (
                NewTrigger {
                    at,
                    kind: TriggerKind::Reminder,
                    ..new()
                },
                Err("channelId"),
            ),
            (
                NewTrigger {
                    at,
                    kind: TriggerKind::Wake,
                    ..new()
                },
                Err("kind"),
            ),
            (
                NewTrigger {
                    name: None,
                    ..webhook.clone()
                },
                Err("name"),
            ),
            (
                NewTrigger {
                    cron,
                    ..webhook.clone()
                },
                Err("cron"),
            ),
            (NewTrigger { at, ..webhook.clone() }, Err("at")),
            (
                NewTrigger {
                    kind: TriggerKind::Reminder,
                    ..webhook
                },
                Err("webhook"),
            ),
        ];
        for (new, expected) in cases {
            let shown = format!("{new:?}");
            assert_eq!(field(new), expected, "{shown}");
        }
    }

    #[test]
    fn a_change_moves_the_due_time_only_if_it_is_about_that() {
        let trigger = new().trigger();
        let next = |change: Change| changed(trigger.clone(), change, NOW).map(|trigger| trigger.next_at);
        let renamed = Change {
            name: Some(Some("news".to_owned())),
            ..Change::default()
        };
        assert_eq!(next(renamed), Ok(Some(LATER)));
        assert_eq!(
            next(Change {
                enabled: Some(false),
                ..Change::default()
            }),
            Ok(None)
        );
        assert_eq!(
            next(Change {
                enabled: Some(true),
                ..Change::default()
            }),
            Ok(Some(LATER))
        );
        let again = Change {
            cron: Some(Some("*/5 * * * *".to_owned())),
            ..Change::default()
        };
        assert_eq!(next(again), Ok(Some(Timestamp(NOW.0 + 300_000))));
        let off = changed(
            trigger.clone(),
            Change {
                enabled: Some(false),
                ..Change::default()
            },
            NOW,
        )
        .expect("off");
        let on = changed(
            off,
            Change {
                enabled: Some(true),
                ..Change::default()
            },
            NOW,
        );
        assert_eq!(on, Err(Fault::new("at", "say when: at a time, or by cron")));
    }

    #[test]
    fn a_change_makes_no_trigger_fire_too_often_and_one_that_was_stored_so_may_be_turned_on_and_mended() {
        let each_second = || Some(Some("* * * * * *".to_owned()));
        let stored = Trigger {
            cron: each_second().flatten(),
            enabled: false,
            ..new().trigger()
        };
        let next = |trigger: &Trigger, change: Change| {
            let changed = changed(trigger.clone(), change, NOW);
            changed.map(|trigger| trigger.next_at).map_err(|fault| fault.field)
        };
        let on = |cron| Change {
            cron,
            enabled: Some(true),
            ..Change::default()
        };
        assert_eq!(next(&stored, on(None)), Ok(Some(Timestamp(NOW.0 + 1000))));
        assert_eq!(next(&stored, on(Some(Some("* * * * *".to_owned())))), Ok(Some(LATER)));
        assert_eq!(next(&stored, on(each_second())), Err("cron"));
        let off = Change {
            cron: each_second(),
            ..Change::default()
        };
        assert_eq!(next(&stored, off), Err("cron"), "turned off as well");
    }
}
