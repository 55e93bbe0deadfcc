//! Chats and topics as ids of places, and back.

use clifford_channel::{Address, SendError};
use teloxide::types::{ChatId, MessageId, ReplyParameters, ThreadId};

use crate::alone::Alone;

/// The id of a chat, or of a topic of one: `-100123`, `-100123:45`.
pub(crate) fn external_id(chat: ChatId, thread: Option<ThreadId>) -> String {
    match thread {
        Some(ThreadId(MessageId(thread))) => format!("{chat}:{thread}"),
        None => chat.to_string(),
    }
}

/// Where a message goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) chat: ChatId,
    pub(crate) thread: Option<ThreadId>,
    pub(crate) private: bool,
    pub(crate) reply_to: Option<MessageId>,
    /// The one person whom it reaches, if nobody else is to see it.
    pub(crate) alone: Option<Alone>,
}

impl Target {
    /// Reads an address.
    ///
    /// # Errors
    /// [`SendError::Rejected`]: it is no place on Telegram.
    pub(crate) fn of(address: &Address) -> Result<Self, SendError> {
        let place = &address.place;
        let (chat, thread) = match place.split_once(':') {
            Some((chat, thread)) => (chat, Some(thread.parse().map_err(|_| no_place(place))?)),
            None => (place.as_str(), None),
        };
        Ok(Self {
            chat: ChatId(chat.parse().map_err(|_| no_place(place))?),
            thread: thread.map(|thread| ThreadId(MessageId(thread))),
            private: address.private,
            // An id that cannot be read is dropped: the reply is worth more than its target.
            // In private the target is obvious.
            reply_to: address
                .reply_to
                .as_ref()
                .filter(|_| !address.private)
                .and_then(|id| id.parse().ok())
                .map(MessageId),
            alone: Alone::read(address.via.as_deref()),
        })
    }

    /// The message that is replied to. If it is gone, the reply is sent without it.
    pub(crate) fn reply_parameters(&self) -> Option<ReplyParameters> {
        self.reply_to
            .map(|id| ReplyParameters::new(id).allow_sending_without_reply())
    }

    /// Whom it reaches and what it answers, as fields of a form.
    pub(crate) fn in_form(&self) -> Vec<(&'static str, String)> {
        let fields = self.alone.as_ref().map(Alone::fields);
        let receiver = fields
            .as_ref()
            .map(|fields| serde_json::to_string(&fields.ephemeral_message_parameters));
        let reply = match &fields {
            Some(fields) => fields.reply_parameters.as_ref().map(serde_json::to_string),
            None => self.reply_parameters().as_ref().map(serde_json::to_string),
        };
        // Neither holds what JSON cannot say.
        let named = [("ephemeral_message_parameters", receiver), ("reply_parameters", reply)];
        named
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?.ok()?)))
            .collect()
    }
}

fn no_place(place: &str) -> SendError {
    SendError::Rejected(format!("`{place}` is no chat on Telegram"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(place: &str, reply_to: Option<&str>) -> Address {
        Address {
            place: place.to_owned(),
            private: false,
            reply_to: reply_to.map(str::to_owned),
            via: None,
        }
    }

    #[test]
    fn places_are_read_back_as_they_were_written() {
        for (chat, thread) in [(7, None), (-1_001_234, None), (-1_001_234, Some(45))] {
            let (chat, thread) = (ChatId(chat), thread.map(|id| ThreadId(MessageId(id))));
            let target = Target::of(&address(&external_id(chat, thread), Some("12"))).unwrap();
            let expected = Target {
                chat,
                thread,
                private: false,
                reply_to: Some(MessageId(12)),
                alone: None,
            };
            assert_eq!(target, expected);
        }
    }

    #[test]
    fn what_is_no_place_is_rejected() {
        for place in ["", "general", "7:", "7:x", ":7"] {
            let error = Target::of(&address(place, None)).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("the platform refused the message: `{place}` is no chat on Telegram")
            );
        }
    }
}
