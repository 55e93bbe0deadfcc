//! Topics of private chats that nobody named: Telegram makes one with a stopgap for a name where a person just begins to
//! write, and leaves it to the bot to find a better one (<https://core.telegram.org/bots/api#forumtopiccreated>). It is called
//! by the first words that are answered there.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clifford_channel::{
    Accepted, Address, Inbound, PlaceKind,
    lenient::{flag, object},
};
use serde::de::IgnoredAny;
use serde_json::Value;
use teloxide::payloads::EditForumTopic;

use crate::{Telegram, place::Target, update};

/// The most characters of a name.
const NAME: usize = 60;
/// How long Telegram may take to name one: what is said meanwhile waits.
const NAMING: Duration = Duration::from_secs(2);
/// So many topics may wait for a name.
const MOST: usize = 1_000;

/// The places that have a stopgap for a name, as far as this process saw them begin.
#[derive(Debug, Default)]
pub(crate) struct Untitled(Mutex<HashSet<String>>);

impl Untitled {
    /// Notes a topic, if an update tells of one without a name.
    pub(crate) fn note(&self, raw: &str) {
        // Most updates tell of none, and need not be parsed for it.
        let began = raw.contains("\"is_name_implicit\"").then(|| begun(raw)).flatten();
        if let Some(place) = began {
            self.with(|places| {
                if places.len() >= MOST {
                    places.clear();
                }
                places.insert(place);
            });
        }
    }

    /// Whether a topic waits for a name, which it gets now.
    fn take(&self, place: &str) -> bool {
        self.with(|places| places.remove(place))
    }

    fn with<T>(&self, look: impl FnOnce(&mut HashSet<String>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The place of a topic of a private chat that has just begun without a name.
fn begun(raw: &str) -> Option<String> {
    let update: Value = serde_json::from_str(raw).ok()?;
    let message = object(&update, "message")?;
    let created = object(message, "forum_topic_created")?;
    let place = update::place_of(object(message, "chat")?, Some(update::topic(message)?), None)?;
    (flag(created, "is_name_implicit") && place.kind == PlaceKind::Private).then_some(place.external_id)
}

impl Telegram {
    /// Names the topic of a message that is answered, if it waits for a name.
    pub(crate) async fn name_topic(&self, event: &Inbound, accepted: &Accepted) {
        let (Inbound::Message(message), Accepted::Answering | Accepted::Queued) = (event, accepted) else {
            return;
        };
        let place = &message.place.external_id;
        let Some(name) = clifford_markup::headline(&message.text, NAME) else {
            return;
        };
        if !self.untitled.take(place) {
            return;
        }
        let address = Address {
            place: place.clone(),
            private: true,
            reply_to: None,
            via: None,
        };
        let Ok(Target {
            chat,
            thread: Some(thread),
            ..
        }) = Target::of(&address)
        else {
            return;
        };
        let mut request = EditForumTopic::new(chat, thread);
        request.name = Some(name);
        if let Err(error) = self.api.call::<_, IgnoredAny>(&request, NAMING).await {
            // It keeps the stopgap.
            tracing::debug!(?error, "failed to name a topic");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_topic_of_a_private_chat_waits_for_a_name_once_if_it_has_none() {
        let update = |id: i64, kind: &str, created: Value| {
            let message = json!({"message_id": 3, "message_thread_id": 3, "is_topic_message": true,
                "chat": {"id": id, "type": kind}, "forum_topic_created": created});
            json!({"update_id": 1, "message": message}).to_string()
        };
        let implicit = json!({"name": "New Chat", "is_name_implicit": true});
        let answer = json!({"update_id": 1, "message": {"message_id": 4, "message_thread_id": 3, "is_topic_message": true,
            "chat": {"id": 9, "type": "private"}, "text": "hi", "reply_to_message": {"forum_topic_created": implicit}}});
        let untitled = Untitled::default();
        for raw in [
            update(7, "private", implicit.clone()),
            update(8, "private", json!({"name": "Cats", "is_name_implicit": false})),
            update(-100, "supergroup", implicit),
            answer.to_string(),
            "\"is_name_implicit\"".to_owned(),
        ] {
            untitled.note(&raw);
        }
        let taken = ["7:3", "7:3", "8:3", "-100:3", "9:3"].map(|place| untitled.take(place));
        assert_eq!(taken, [true, false, false, false, false]);
    }
}
