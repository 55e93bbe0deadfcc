//! The JSON of an export, walked through without ever holding more of it than a message.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::{ChatReading, Message, Reading};
use crate::ImportError;

/// The facts that an export has of its person.
#[derive(Deserialize)]
struct Personal {
    user_id: Option<i64>,
}

/// The fields of a chat before its messages.
#[derive(Default)]
struct ChatHead {
    name: Option<String>,
    kind: Option<String>,
    id: Option<i64>,
}

/// The export as a whole: all chats, or one.
pub(super) struct Top<'a, 'r, 't>(pub &'a mut Reading<'r, 't>);

impl<'de> Visitor<'de> for Top<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an export of Telegram, which is an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reading = self.0;
        let mut head = ChatHead::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "personal_information" => reading.account = map.next_value::<Personal>()?.user_id,
                "chats" | "left_chats" => map.next_value_seed(Chats(reading))?,
                key => chat_field(key, &mut map, &mut head, reading)?,
            }
        }
        Ok(())
    }
}

/// One field of a chat.
fn chat_field<'de, A: MapAccess<'de>>(
    key: &str,
    map: &mut A,
    head: &mut ChatHead,
    reading: &mut Reading<'_, '_>,
) -> Result<(), A::Error> {
    match key {
        "name" => head.name = map.next_value()?,
        "type" => head.kind = map.next_value()?,
        "id" => head.id = map.next_value()?,
        "messages" => map.next_value_seed(Messages { reading, head })?,
        _ => map.next_value::<IgnoredAny>().map(|_| ())?,
    }
    Ok(())
}

/// `{"about": …, "list": [chat, …]}`.
struct Chats<'a, 'r, 't>(&'a mut Reading<'r, 't>);

impl<'de> DeserializeSeed<'de> for Chats<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        if self.0.is_look {
            return Err(self.0.fail(ImportError::Stopped));
        }
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Chats<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a list of chats")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.has_chats = true;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "list" => map.next_value_seed(List(self.0))?,
                _ => map.next_value::<IgnoredAny>().map(|_| ())?,
            }
        }
        Ok(())
    }
}

struct List<'a, 'r, 't>(&'a mut Reading<'r, 't>);

impl<'de> DeserializeSeed<'de> for List<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of chats")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Chat(self.0))?.is_some() {}
        Ok(())
    }
}

struct Chat<'a, 'r, 't>(&'a mut Reading<'r, 't>);

impl<'de> DeserializeSeed<'de> for Chat<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Chat<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a chat, which is an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut head = ChatHead::default();
        while let Some(key) = map.next_key::<String>()? {
            chat_field(&key, &mut map, &mut head, self.0)?;
        }
        Ok(())
    }
}

struct Messages<'a, 'r, 't> {
    reading: &'a mut Reading<'r, 't>,
    head: &'a ChatHead,
}

impl<'de> DeserializeSeed<'de> for Messages<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        self.reading.has_chats = true;
        if self.reading.is_look {
            return Err(self.reading.fail(ImportError::Stopped));
        }
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Messages<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Some(id) = self.head.id else {
            return Err(A::Error::custom("the messages of a chat come before its id"));
        };
        let mut chat = ChatReading {
            id: id.to_string(),
            name: self.head.name.as_deref().unwrap_or("Saved messages"),
            is_with_bot: self.head.kind.as_deref() == Some("bot_chat"),
            conversation: None,
            file: format!("result.json, chat {id}").into(),
        };
        while let Some(message) = seq.next_element::<Message>()? {
            if let Err(error) = self.reading.message(&mut chat, &message) {
                return Err(self.reading.fail(error));
            }
        }
        Ok(())
    }
}
