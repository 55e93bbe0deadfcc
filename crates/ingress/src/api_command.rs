//! Commands of API callers: the same list, in the same transaction as those of every chat, answered at once.

use clifford_chat::{
    inbound::{Command, Place, Speaker},
    outbound::{Button, Press},
};
use clifford_core::{
    clock::Timestamp,
    commands::CommandName,
    id::{ContextId, MessageId},
};
use clifford_store::{
    StoreError, Tx,
    messages::{self, Message},
    places::channels,
};
use serde_json::{Value as Json, json};

use super::{
    IngressService, Origin,
    api::{self, ApiAccepted, ApiRefusal},
    message,
    pace::Limited,
};

/// Names the command in the metadata of its answer.
const ANSWERS: &str = "answers";
/// The buttons below an answer, in its metadata.
const BUTTONS: &str = "buttons";
/// How many messages that were said aside are looked through for an answer.
const ASIDE: u32 = 20;

/// A command through the API.
#[derive(Clone, Debug)]
pub struct ApiCommand {
    /// Where.
    pub place: Place,
    /// The person.
    pub speaker: Speaker,
    /// The message as it was written.
    pub text: String,
    /// The command.
    pub name: CommandName,
    /// The text behind it.
    pub argument: String,
    /// The sender's own key against storing it twice.
    pub key: Option<String>,
    /// The conversation that it is about, if not the active one.
    pub context: Option<ContextId>,
    /// Whether the limit of messages a minute holds for the sender.
    pub is_limited: bool,
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiAnswer {
    /// The text, Markdown.
    pub text: String,
    /// The buttons below it: a list of `label` and `command`, the message that a press sends.
    pub buttons: Option<Json>,
}

/// How a command came through the API.
#[derive(Clone, Debug)]
pub(super) struct Keyed {
    /// Its sender's key, or one made for it.
    pub(super) key: String,
    /// The SHA-256 of what came with the sender's key.
    pub(super) request_hash: Option<String>,
    /// The conversation that it is about.
    context: Option<ContextId>,
}

impl Keyed {
    /// Goes on in the conversation that the command is about. A repeat changes nothing.
    pub(super) async fn choose_context(&self, tx: &mut Tx, origin: &Origin, now: Timestamp) -> Result<(), StoreError> {
        match self.context {
            Some(context) if !api::is_repeat(tx, &origin.place, &self.key).await? => {
                message::choose_context(tx, origin, context, now).await
            }
            _ => Ok(()),
        }
    }
}

impl IngressService {
    /// Takes a command of an API caller, who was let in by a token. The answer is `None` if the key belongs to a message
    /// that a run answers.
    ///
    /// # Errors
    /// Why it is not taken; [`StoreError::NotFound`] for a context that is not this channel's.
    pub async fn api_command(&self, command: ApiCommand) -> Result<(ApiAccepted, Option<ApiAnswer>), ApiRefusal> {
        let now = self.clock.now();
        // Stopping is never rate limited.
        if command.is_limited && command.name != CommandName::Stop {
            self.api_pace(&command.place, &command.speaker).await?;
        }
        let request_hash = command.key.as_ref().map(|_| {
            let text = self.masked(command.text);
            api::hash_of(&text, command.context, None, &[], None)
        });
        let key = command.key.unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
        let origin = Origin::of_api(command.place.clone(), command.speaker.clone());
        let keyed = Keyed {
            key: key.clone(),
            request_hash: request_hash.clone(),
            context: command.context,
        };
        let place = command.place.clone();
        let given = Command {
            place: command.place,
            speaker: command.speaker,
            id: key.clone(),
            argument: match command.name {
                CommandName::Key => command.argument,
                _ => self.masked(command.argument),
            },
            name: command.name.to_string(),
            sent_at: now.to_jiff(),
            via: None,
            answered_alone: false,
            below: None,
        };
        Box::pin(self.give(given, origin, Limited::No, Some(keyed), now)).await?;
        let mut conn = self.db.read().await?;
        let channel = channels::by_place(&mut conn, place.platform, &place.external_id).await?;
        let channel = channel.ok_or(ApiRefusal::NotHeard)?;
        let stored = messages::keyed(&mut conn, channel.id, &key).await?;
        let stored = stored.ok_or(ApiRefusal::NotHeard)?;
        if stored.request_hash.is_some() && stored.request_hash != request_hash {
            return Err(ApiRefusal::KeyReused);
        }
        let aside = messages::said_aside(&mut conn, channel.id, stored.id, ASIDE).await?;
        let answer = aside.into_iter().find(|said| is_answer(said, stored.id));
        let accepted = ApiAccepted {
            message: stored.id,
            run: stored.run_id,
            channel: channel.id,
        };
        Ok((accepted, answer.map(answer_in)))
    }
}

/// The metadata of the answer to a command of the API: what it answers, and the buttons that nobody draws there.
/// `shows`: the metadata of a question that it shows.
pub(super) fn metadata(command: MessageId, shows: Option<Json>, buttons: &[Button]) -> Json {
    let mut metadata = shows.unwrap_or_else(|| json!({}));
    metadata[ANSWERS] = json!(command);
    // A form is typed instead: the text says how.
    let pressed = buttons.iter().filter(|button| button.press != Press::Form);
    let buttons: Vec<_> = pressed.map(as_text).collect();
    if !buttons.is_empty() {
        metadata[BUTTONS] = json!(buttons);
    }
    metadata
}

fn as_text(button: &Button) -> Json {
    json!({ "label": button.label, "command": format!("/{}", button.command) })
}

fn is_answer(said: &Message, command: MessageId) -> bool {
    let answers = said.metadata.as_ref().map(|metadata| &metadata.0[ANSWERS]);
    answers.is_some_and(|answers| *answers == json!(command))
}

fn answer_in(said: Message) -> ApiAnswer {
    let buttons = said.metadata.map(|mut metadata| metadata.0[BUTTONS].take());
    ApiAnswer {
        text: said.content,
        buttons: buttons.filter(Json::is_array),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_of_an_answer_names_the_command_and_what_can_be_pressed() {
        let command = MessageId::new();
        let buttons = [
            Button::new("Delete everything", "erase yes 12").negative(),
            Button {
                press: Press::Form,
                ..Button::new("Write it", "settings persona")
            },
        ];
        assert_eq!(
            metadata(command, None, &buttons),
            json!({ "answers": command, "buttons": [{ "label": "Delete everything", "command": "/erase yes 12" }] })
        );
        assert_eq!(metadata(command, None, &[]), json!({ "answers": command }));
        let shows = Some(json!({ "question": "q1" }));
        assert_eq!(
            metadata(command, shows, &[]),
            json!({ "answers": command, "question": "q1" })
        );
    }
}
