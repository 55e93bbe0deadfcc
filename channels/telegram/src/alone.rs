//! Messages in groups that one person and the bot alone see
//! (<https://core.telegram.org/bots/api#ephemeral-messages-and-commands>): commands whose menu says so come as such, and
//! are answered as such. A server that does not know them shows the commands, and their answers, to everybody.

use clifford_channel::lenient::{int, object, text};
use serde::Serialize;
use serde_json::Value;
use teloxide::requests::Payload;

/// Stands before whom an answer reaches alone.
const ALONE: &str = "alone ";

/// Whom an answer reaches alone, and by what it may be sent: Telegram takes it for some seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alone {
    person: i64,
    because: Because,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Because {
    Message(i64),
    Press(String),
}

/// A request that says something to one person alone.
#[derive(Debug, Serialize)]
pub(crate) struct ForOne<'a, M> {
    #[serde(flatten)]
    pub(crate) message: M,
    #[serde(flatten)]
    fields: Fields<'a>,
}

impl<M: Payload> Payload for ForOne<'_, M> {
    type Output = M::Output;

    const NAME: &'static str = M::NAME;
}

/// The fields of a request that is for one person alone.
#[derive(Debug, Serialize)]
pub(crate) struct Fields<'a> {
    pub(crate) ephemeral_message_parameters: Receiver<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reply_parameters: Option<Answered>,
}

/// <https://core.telegram.org/bots/api#ephemeralmessageparameters>
#[derive(Debug, Serialize)]
pub(crate) struct Receiver<'a> {
    receiver_user_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    callback_query_id: Option<&'a str>,
}

/// The message that is answered.
#[derive(Debug, Serialize)]
pub(crate) struct Answered {
    ephemeral_message_id: i64,
}

/// The id of a message that is seen by one person alone. Its `message_id` is 0.
pub(crate) fn id(message: &Value) -> Option<i64> {
    int(message, "ephemeral_message_id")
}

impl Alone {
    /// The person who gave a command that nobody else sees.
    pub(crate) fn of_message(message: &Value) -> Option<Self> {
        let person = object(message, "from").and_then(|from| int(from, "id"))?;
        Some(Self {
            person,
            because: Because::Message(id(message)?),
        })
    }

    /// The person who pressed a button below a message that nobody else sees.
    pub(crate) fn of_press(query: &Value) -> Option<Self> {
        id(object(query, "message")?)?;
        let person = object(query, "from").and_then(|from| int(from, "id"))?;
        Some(Self {
            person,
            because: Because::Press(text(query, "id")?),
        })
    }

    /// As the address of an answer carries it.
    pub(crate) fn via(&self) -> String {
        match &self.because {
            Because::Message(id) => format!("{ALONE}{} message {id}", self.person),
            Because::Press(id) => format!("{ALONE}{} press {id}", self.person),
        }
    }

    /// Reads what an address carries.
    pub(crate) fn read(via: Option<&str>) -> Option<Self> {
        let mut words = via?.strip_prefix(ALONE)?.splitn(3, ' ');
        let person = words.next()?.parse().ok()?;
        let because = match (words.next()?, words.next()?) {
            ("message", id) => Because::Message(id.parse().ok()?),
            ("press", id) => Because::Press(id.to_owned()),
            _ => return None,
        };
        Some(Self { person, because })
    }

    /// A request that reaches them alone.
    pub(crate) fn request<M>(&self, message: M) -> ForOne<'_, M> {
        ForOne {
            message,
            fields: self.fields(),
        }
    }

    /// The fields of a request that says something to them.
    pub(crate) fn fields(&self) -> Fields<'_> {
        let (callback_query_id, reply_parameters) = match &self.because {
            Because::Message(id) => (
                None,
                Some(Answered {
                    ephemeral_message_id: *id,
                }),
            ),
            Because::Press(id) => (Some(id.as_str()), None),
        };
        Fields {
            ephemeral_message_parameters: Receiver {
                receiver_user_id: self.person,
                callback_query_id,
            },
            reply_parameters,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_address_carries_whom_it_reaches_and_why() {
        let given = json!({"message_id": 0, "ephemeral_message_id": 12, "from": {"id": 7}});
        let pressed = json!({"id": "438", "from": {"id": 7}, "message": given});
        for (alone, via, fields) in [
            (
                Alone::of_message(&given).unwrap(),
                "alone 7 message 12",
                json!({"ephemeral_message_parameters": {"receiver_user_id": 7},
                    "reply_parameters": {"ephemeral_message_id": 12}}),
            ),
            (
                Alone::of_press(&pressed).unwrap(),
                "alone 7 press 438",
                json!({"ephemeral_message_parameters": {"receiver_user_id": 7, "callback_query_id": "438"}}),
            ),
        ] {
            assert_eq!(alone.via(), via);
            assert_eq!(Alone::read(Some(via)), Some(alone.clone()));
            assert_eq!(serde_json::to_value(alone.fields()).unwrap(), fields);
        }
        for via in [
            "",
            "alone",
            "alone 7",
            "alone x message 1",
            "alone 7 message x",
            "in place of 7",
        ] {
            assert_eq!(Alone::read(Some(via)), None, "{via}");
        }
        assert_eq!(Alone::of_message(&json!({"message_id": 5, "from": {"id": 7}})), None);
        assert_eq!(
            Alone::of_press(&json!({"id": "1", "from": {"id": 7}, "message": {"message_id": 5}})),
            None
        );
    }
}
