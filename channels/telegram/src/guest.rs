//! Questions from chats that the bot is no member of: guest mode, since Bot API 10.0
//! (<https://core.telegram.org/bots/api#answerguestquery>).
//!
//! The id of such a chat "may not coincide with other existing bot chats sharing the same identifier", and that of a
//! private chat between two people is another one for each of them. So each person's questions in each such chat are a
//! place of their own, where others read along: nothing private is known there.
//!
//! A question takes one message as its answer. What comes after that (an answer that waited for an approval) is added to
//! it by edits. A process that did not send that message is told what stands in it ([`Answers::recall`]).

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use clifford_channel::{
    ANSWERS_ONLY, Address, Inbound, Part, Place, PlaceKind, Receipt, SendError, Space, lenient::text as string,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::Value;
use teloxide::{
    requests::Payload,
    types::{ChatId, LinkPreviewOptions, ParseMode, True},
};

use crate::{
    TEXT_UNITS, Telegram,
    api::ApiError,
    me::Me,
    place::Target,
    rich::{self, RichMessage},
    send::{no_preview, send_error},
    update,
};

/// Stands before the id of the question, in the `via` of its answer.
pub(crate) const VIA: &str = "guest ";
/// Stands before the chat and the person, in the id of the place.
const PLACE: &str = ANSWERS_ONLY;
/// How many answers are remembered, to which more can be added.
const KEPT: usize = 500;
/// The title of an answer, which nobody sees: it is a result of a search that nobody chooses from.
const TITLE: &str = "Answer";

/// The event of a question that came `now`; `None` if the bot ignores it. `Err` names a missing field.
pub(crate) fn question(message: &Value, me: &Me, now: Timestamp) -> Result<Option<Inbound>, String> {
    let query = string(message, "guest_query_id").ok_or("it has no `guest_query_id`")?;
    let via = Some(format!("{VIA}{query}"));
    Ok(match update::message(message, me, now)? {
        Some(Inbound::Message(mut asked)) => {
            asked.place = place(asked.place, &asked.speaker.id);
            // It came because somebody called the bot.
            asked.addressed.mention = true;
            asked.via = via;
            Some(Inbound::Message(asked))
        }
        Some(Inbound::Command(mut command)) => {
            command.place = place(command.place, &command.speaker.id);
            command.via = via;
            Some(Inbound::Command(command))
        }
        _ => None,
    })
}

/// Where a person asks in a chat that the bot is no member of.
fn place(chat: Place, person: &str) -> Place {
    let id = format!("{PLACE}{}:{person}", chat.external_id);
    Place {
        external_id: id.clone(),
        parent: None,
        kind: PlaceKind::Group,
        space: Some(Space {
            external_id: id,
            name: chat.name.clone(),
        }),
        ..chat
    }
}

/// Whether a place is such a chat.
pub(crate) fn is_place(place: &str) -> bool {
    place.starts_with(PLACE)
}

/// The question that an address answers.
pub(crate) fn query(to: &Address) -> Option<&str> {
    to.via.as_deref()?.strip_prefix(VIA)
}

/// The answers that this process knows, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<VecDeque<Answered>>);

/// An answer that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answered {
    query: String,
    /// Telegram's id of the message.
    message: String,
    /// Its paragraphs, in Telegram's markup and as plain text.
    said: Vec<[String; 2]>,
}

impl Answers {
    /// Whether this process knows the answer to a question.
    pub(crate) fn knows(&self, query: &str) -> bool {
        self.of(query).is_some()
    }

    /// Takes over an answer that another process gave: the parts that it was given in, the oldest first.
    pub(crate) fn recall(&self, query: &str, parts: Vec<(Receipt, Part)>) {
        let mut said = Vec::with_capacity(parts.len());
        let mut message = None;
        for (receipt, part) in parts {
            if let Part::Text { text, plain, .. } = part {
                message.get_or_insert(receipt.id);
                said.push([text, plain]);
            }
        }
        // Without its id Telegram lets nobody change it.
        if let Some(message) = message.filter(|id| !id.is_empty()) {
            self.keep(Answered {
                query: query.to_owned(),
                message,
                said,
            });
        }
    }

    fn of(&self, query: &str) -> Option<Answered> {
        self.lock().iter().find(|answered| answered.query == query).cloned()
    }

    /// The answer that is this message.
    fn as_message(&self, message: &str) -> Option<Answered> {
        self.lock().iter().find(|answered| answered.message == message).cloned()
    }

    fn keep(&self, new: Answered) {
        let mut all = self.lock();
        all.retain(|answered| answered.query != new.query);
        if all.len() >= KEPT {
            all.pop_front();
        }
        all.push_back(new);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Answered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// <https://core.telegram.org/bots/api#answerguestquery>
#[derive(Debug, Serialize)]
struct AnswerGuestQuery<'a> {
    guest_query_id: &'a str,
    result: Article<'a>,
}

impl Payload for AnswerGuestQuery<'_> {
    type Output = True;

    const NAME: &'static str = "answerGuestQuery";
}

/// <https://core.telegram.org/bots/api#inlinequeryresultarticle>
#[derive(Debug, Serialize)]
struct Article<'a> {
    r#type: &'static str,
    id: &'static str,
    title: &'static str,
    input_message_content: Content<'a>,
}

/// <https://core.telegram.org/bots/api#inputmessagecontent>
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Rich {
        rich_message: RichMessage<'a>,
    },
    Text {
        message_text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        parse_mode: Option<ParseMode>,
        link_preview_options: LinkPreviewOptions,
    },
}

/// <https://core.telegram.org/bots/api#sentguestmessage>
#[derive(Default, Deserialize)]
#[serde(default)]
struct SentGuestMessage {
    inline_message_id: Option<String>,
}

/// <https://core.telegram.org/bots/api#editmessagetext>, of a message in a chat that the bot is no member of.
#[derive(Debug, Serialize)]
struct EditInlineMessage<'a> {
    inline_message_id: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_mode: Option<ParseMode>,
    link_preview_options: LinkPreviewOptions,
}

impl Payload for EditInlineMessage<'_> {
    type Output = True;

    const NAME: &'static str = "editMessageText";
}

/// Answers a question, or adds to its answer.
pub(crate) async fn answer(telegram: &Telegram, to: &Address, query: &str, part: &Part) -> Result<Receipt, SendError> {
    let Part::Text { text, plain, rich, .. } = part else {
        return Err(SendError::Rejected(
            "a question from a chat that the bot is no member of is answered by text alone".to_owned(),
        ));
    };
    let target = target(to);
    telegram.pace.turn(target.chat.0, false).await;
    if let Some(mut answered) = telegram.guests.of(query) {
        answered.said.push([text.clone(), plain.clone()]);
        return show(telegram, to, answered).await;
    }
    let given = give(telegram, query, text, plain, rich.as_deref()).await;
    let sent = given.map_err(|error| send_error(error, to, &target, &telegram.pace))?;
    let message = sent.inline_message_id.unwrap_or_default();
    telegram.guests.keep(Answered {
        query: query.to_owned(),
        message: message.clone(),
        said: vec![[text.clone(), plain.clone()]],
    });
    Ok(Receipt { id: message })
}

/// Gives the answer: as a rich message, as a text, and at last as one without markup, as far as Telegram takes it.
async fn give(
    telegram: &Telegram,
    query: &str,
    text: &str,
    plain: &str,
    rich: Option<&str>,
) -> Result<SentGuestMessage, ApiError> {
    let api = &telegram.api;
    let request = |content| AnswerGuestQuery {
        guest_query_id: query,
        result: Article {
            r#type: "article",
            id: "answer",
            title: TITLE,
            input_message_content: content,
        },
    };
    if let Some(html) = rich {
        let rich_message = RichMessage { html };
        if let Some(given) = rich::call(api, &request(Content::Rich { rich_message })).await {
            return given;
        }
    }
    let content = |text, parse_mode| Content::Text {
        message_text: text,
        parse_mode,
        link_preview_options: no_preview(),
    };
    api.call_marked(request(content(text, Some(ParseMode::Html))), |given| {
        *given = request(content(plain, None));
    })
    .await
}

/// Changes a part of what an answer said, such as a question that was settled. What stands around it stays.
pub(crate) async fn change(telegram: &Telegram, to: &Address, id: &str, part: &Part) -> Result<Receipt, SendError> {
    let Part::Text { text, plain, .. } = part else {
        return Err(SendError::Rejected("only a text takes the place of a text".to_owned()));
    };
    telegram.pace.turn(target(to).chat.0, false).await;
    match telegram.guests.as_message(id) {
        Some(mut answered) => {
            answered.change([text, plain]);
            show(telegram, to, answered).await
        }
        None => {
            replace(telegram, to, id, [text, plain]).await?;
            Ok(Receipt { id: id.to_owned() })
        }
    }
}

impl Answered {
    /// Puts a text in the place of the one that it was, whose last paragraph alone differs from it.
    fn change(&mut self, [text, plain]: [&str; 2]) {
        let before_last = |plain: &str| plain.rsplit_once("\n\n").map(|(before, _)| before.to_owned());
        let begins = before_last(plain);
        let was = self.said.iter().position(|[_, was]| before_last(was) == begins);
        if let Some(changed) = self.said.get_mut(was.unwrap_or_default()) {
            *changed = [text.to_owned(), plain.to_owned()];
        }
    }

    /// All that it says; an error: more than one message takes.
    fn whole(&self) -> Result<[String; 2], SendError> {
        let [text, plain] = [0, 1].map(|form| {
            let said: Vec<_> = self.said.iter().map(|said| said[form].as_str()).collect();
            said.join("\n\n")
        });
        // The text without markup is at least as long as what Telegram counts of the other.
        if plain.encode_utf16().count() > TEXT_UNITS {
            return Err(SendError::Rejected("the one message that answers is full".to_owned()));
        }
        Ok([text, plain])
    }
}

/// Shows an answer as it is now.
async fn show(telegram: &Telegram, to: &Address, answered: Answered) -> Result<Receipt, SendError> {
    let [text, plain] = answered.whole()?;
    replace(telegram, to, &answered.message, [&text, &plain]).await?;
    let id = answered.message.clone();
    telegram.guests.keep(answered);
    Ok(Receipt { id })
}

/// Replaces the text of a message in such a chat, by its id.
async fn replace(telegram: &Telegram, to: &Address, id: &str, [text, plain]: [&str; 2]) -> Result<(), SendError> {
    let request = EditInlineMessage {
        inline_message_id: id,
        text,
        parse_mode: Some(ParseMode::Html),
        link_preview_options: no_preview(),
    };
    let edited = telegram.api.call_marked::<_, IgnoredAny>(request, |request| {
        (request.text, request.parse_mode) = (plain, None);
    });
    match edited.await {
        Err(ApiError::Refused { description, .. }) if description.contains("message is not modified") => Ok(()),
        Err(error) => Err(send_error(error, to, &target(to), &telegram.pace)),
        Ok(_) => Ok(()),
    }
}

/// The chat as far as its rates and bans go.
fn target(to: &Address) -> Target {
    let chat = to.place.strip_prefix(PLACE).and_then(|place| place.split(':').next());
    Target {
        chat: ChatId(chat.and_then(|chat| chat.parse().ok()).unwrap_or_default()),
        thread: None,
        private: false,
        reply_to: None,
        alone: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use teloxide::types::UserId;

    use super::*;

    fn me() -> Me {
        Me {
            id: UserId(1),
            username: Some("clifford_bot".to_owned()),
            name: "@clifford_bot".to_owned(),
            takes_guests: true,
        }
    }

    fn asked(chat: &Value, text: &str) -> Value {
        json!({
            "message_id": 5, "date": 1_700_000_000, "from": {"id": 7, "first_name": "Ada"}, "chat": chat,
            "text": text, "entities": [{"type": "mention", "offset": 0, "length": 13}], "guest_query_id": "q1",
        })
    }

    #[test]
    fn a_question_is_of_one_person_in_one_chat_where_others_read_along() {
        let chats = [
            (
                json!({"id": -100, "type": "supergroup", "title": "Team"}),
                "guest:-100:7",
            ),
            (json!({"id": 8, "type": "private", "first_name": "Bob"}), "guest:8:7"),
        ];
        for (chat, expected) in chats {
            let read = question(&asked(&chat, "@clifford_bot when?"), &me(), Timestamp::UNIX_EPOCH);
            let Ok(Some(Inbound::Message(message))) = read else {
                panic!("{read:?}")
            };
            assert_eq!(message.place.external_id, expected);
            assert_eq!(
                message.place.space.map(|space| space.external_id).as_deref(),
                Some(expected)
            );
            assert!(!message.place.kind.is_private() && message.addressed.mention);
            assert_eq!(
                (message.text.as_str(), message.via.as_deref()),
                ("when?", Some("guest q1"))
            );
        }
        let group = json!({"id": -100, "type": "supergroup", "title": "Team"});
        let read = question(&asked(&group, "@clifford_bot /help"), &me(), Timestamp::UNIX_EPOCH);
        let Ok(Some(Inbound::Command(command))) = read else {
            panic!("{read:?}")
        };
        assert_eq!(
            (command.name.as_str(), command.via.as_deref()),
            ("help", Some("guest q1"))
        );
        let mut without = asked(&group, "@clifford_bot x");
        without["guest_query_id"] = Value::Null;
        assert!(question(&without, &me(), Timestamp::UNIX_EPOCH).is_err());
    }

    #[test]
    fn more_is_added_to_an_answer_while_there_is_room_and_it_is_remembered() {
        let answers = Answers::default();
        let answered = |query: &str| Answered {
            query: query.to_owned(),
            message: format!("m{query}"),
            said: vec![["<b>one</b>".to_owned(), "one".to_owned()]],
        };
        for number in 0..=KEPT {
            answers.keep(answered(&number.to_string()));
        }
        assert_eq!(answers.of("0"), None);
        let mut added = answers.as_message("m1").unwrap();
        added.said.push(["<i>two</i>".to_owned(), "two".to_owned()]);
        assert_eq!(added.whole().unwrap(), ["<b>one</b>\n\n<i>two</i>", "one\n\ntwo"]);
        answers.keep(added.clone());
        assert_eq!(answers.of("1"), Some(added.clone()));
        added.said.push([String::new(), "x".repeat(TEXT_UNITS)]);
        assert!(added.whole().is_err());
    }

    #[test]
    fn what_was_settled_takes_the_place_of_its_question_alone() {
        let said = |texts: &[&str]| texts.iter().map(|text| [0, 1].map(|_| (*text).to_owned())).collect();
        let mut answered = Answered {
            query: "q".to_owned(),
            message: "m".to_owned(),
            said: said(&["Let me see.", "May I add?\n\n/approve", "May I send?\n\n/approve"]),
        };
        answered.change(["May I send?\n\nDenied."; 2]);
        answered.change(["May I add?\n\nApproved."; 2]);
        let expected: Vec<[String; 2]> = said(&["Let me see.", "May I add?\n\nApproved.", "May I send?\n\nDenied."]);
        assert_eq!(answered.said, expected);
    }

    #[test]
    fn an_answer_of_another_process_is_taken_over() {
        let answers = Answers::default();
        let part = |id: &str, text: &str| {
            let part = Part::Text {
                text: format!("<b>{text}</b>"),
                plain: text.to_owned(),
                rich: None,
                buttons: Vec::new(),
            };
            (Receipt { id: id.to_owned() }, part)
        };
        answers.recall("q", Vec::new());
        answers.recall("q", vec![part("", "one")]);
        assert!(!answers.knows("q"));
        answers.recall("q", vec![part("m", "one"), part("m", "two")]);
        let known = answers.of("q").unwrap();
        assert_eq!(known.message, "m");
        assert_eq!(known.whole().unwrap(), ["<b>one</b>\n\n<b>two</b>", "one\n\ntwo"]);
    }
}
