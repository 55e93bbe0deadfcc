//! The button that Telegram shows below a draft: a tap ends the run whose answer it is.
//!
//! Telegram tells the draft alone, by its id. The process that shows drafts knows whose each is; after a restart, or in
//! another process, a tap is `/stop`: it ends what is at work for this person in this chat or topic.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use clifford_channel::{
    Command, Inbound,
    lenient::{int, object},
};
use jiff::Timestamp;
use serde_json::Value;

use crate::update::{account, place_of};

/// The most drafts whose runs are known: more than grow at the same time.
const MOST: usize = 4096;
/// The command of a tap.
const STOP: &str = "stop";
/// Stands before the id of a draft in the argument of a tap that was read and not looked up yet.
const DRAFT: &str = "draft ";

/// The drafts that were shown, and the command that ends the run of each.
#[derive(Debug, Default)]
pub(crate) struct Stops(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    commands: HashMap<i32, String>,
    /// The oldest first.
    order: VecDeque<i32>,
}

impl Stops {
    /// A draft is shown; `command` ends its run.
    pub(crate) fn note(&self, draft: i32, command: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.commands.insert(draft, command.to_owned()).is_none() {
            known.order.push_back(draft);
        }
        if known.order.len() > MOST
            && let Some(oldest) = known.order.pop_front()
        {
            known.commands.remove(&oldest);
        }
    }

    /// Puts the run of the draft into the command of a tap.
    pub(crate) fn look_up(&self, event: &mut Option<Inbound>) {
        let Some(Inbound::Command(command)) = event else { return };
        let is_tap = command.name == STOP && command.id.starts_with(Command::PRESS);
        let Some(draft) = command.argument.strip_prefix(DRAFT).filter(|_| is_tap) else {
            return;
        };
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = draft.parse().ok().and_then(|draft: i32| known.commands.get(&draft));
        command.argument = found
            .and_then(|found| found.strip_prefix(STOP))
            .map_or_else(String::new, |run| run.trim().to_owned());
    }
}

/// The command of a tap that came `now`: Telegram does not send its time. `update` tells it from another one of the same
/// draft. `Err` names a missing field. <https://core.telegram.org/bots/api#messagegenerationstopped>
pub(crate) fn read(stopped: &Value, update: i32, now: Timestamp) -> Result<Option<Inbound>, String> {
    let chat = object(stopped, "chat").ok_or("it names no chat")?;
    let draft = int(stopped, "draft_id").ok_or("it names no draft")?;
    // Drafts are shown in private chats alone, whose id is that of the person.
    let speaker = account(chat).ok_or("it names nobody who stopped it")?;
    let Some(place) = place_of(chat, int(stopped, "message_thread_id"), None).filter(|place| place.kind.is_private())
    else {
        return Ok(None);
    };
    Ok(Some(Inbound::Command(Command {
        place,
        speaker,
        id: format!("{}stop {update}", Command::PRESS),
        name: STOP.to_owned(),
        argument: format!("{DRAFT}{draft}"),
        sent_at: now,
        via: None,
        answered_alone: false,
        below: None,
    })))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tap(stopped: &Value) -> Option<Inbound> {
        read(stopped, 5, Timestamp::UNIX_EPOCH).unwrap()
    }

    fn argument(event: Option<Inbound>) -> String {
        match event {
            Some(Inbound::Command(command)) => format!("{} {}", command.name, command.argument),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_tap_ends_the_run_of_its_draft_and_one_of_a_draft_that_nobody_knows_what_is_at_work() {
        let stops = Stops::default();
        stops.note(11, "stop 0192");
        stops.note(11, "stop 0192");
        stops.note(12, "stop 0193");
        let chat = json!({"id": 7, "type": "private", "first_name": "Ada"});
        for (draft, means) in [(11, "stop 0192"), (12, "stop 0193"), (13, "stop "), (i64::MAX, "stop ")] {
            let mut event = tap(&json!({"chat": chat, "draft_id": draft}));
            stops.look_up(&mut event);
            assert_eq!(argument(event), means, "{draft}");
        }
    }

    #[test]
    fn what_somebody_typed_is_not_looked_up() {
        let stops = Stops::default();
        stops.note(11, "stop 0192");
        let mut event = tap(&json!({"chat": {"id": 7, "type": "private", "first_name": "Ada"}, "draft_id": 11}));
        if let Some(Inbound::Command(command)) = &mut event {
            command.id = "5".to_owned();
        }
        stops.look_up(&mut event);
        assert_eq!(argument(event), "stop draft 11");
    }

    #[test]
    fn the_oldest_drafts_are_forgotten() {
        let stops = Stops::default();
        for draft in 0..=i32::try_from(MOST).unwrap() {
            stops.note(draft, "stop 0192");
        }
        let known = stops.0.lock().unwrap();
        assert_eq!((known.commands.len(), known.order.len()), (MOST, MOST));
        assert!(!known.commands.contains_key(&0));
    }

    #[test]
    fn a_tap_tells_its_topic_and_none_counts_outside_of_a_private_chat() {
        let mut chat = json!({"id": 7, "type": "private", "first_name": "Ada"});
        let Some(Inbound::Command(command)) = tap(&json!({"chat": chat, "message_thread_id": 3, "draft_id": 11}))
        else {
            panic!("no command");
        };
        assert_eq!(command.place.external_id, "7:3");
        assert_eq!(command.speaker.id, "7");
        chat = json!({"id": -100_123, "type": "supergroup", "title": "Team"});
        assert!(tap(&json!({"chat": chat, "draft_id": 11})).is_none());
    }

    #[test]
    fn a_tap_without_a_chat_or_a_draft_is_unreadable() {
        for stopped in [json!({"draft_id": 11}), json!({"chat": {"id": 7, "type": "private"}})] {
            assert!(read(&stopped, 5, Timestamp::UNIX_EPOCH).is_err(), "{stopped}");
        }
    }
}
