//! A question that is answered in words: by a reply to its message.
//!
//! One word of a small table counts as the button with that word. Any other reply of the run's person denies the call,
//! and its words are theirs, as any message of this turn: the model may call again with what they changed. So words
//! alone approve nothing but the call that was shown, and "yes, but" approves nothing at all.
//!
//! Nothing else than the button's command comes of a reply, so the same rules say who may answer, which call is meant
//! and until when. A reply of an inline bot or with files is no answer, and neither is a forwarded or quoted text. A
//! question that is not shown whole is not approved so. In the terminal, where nothing can be replied to, what its person
//! writes right behind a question is taken for the reply.

use clifford_chat::{
    inbound::{Accepted, Command, Message},
    platform::Platform,
};
use clifford_core::{policy::evidence::own_words, run::question};
use clifford_engine::run::answering;
use clifford_store::{
    StoreError,
    people::users,
    runs::{self, approvals},
};

use super::IngressService;

impl IngressService {
    /// Takes in a message, or the answer that it is.
    pub(super) async fn message_or_answer(&self, message: Message) -> Result<Accepted, StoreError> {
        if message.speaker.is_bot {
            return self.message(message).await;
        }
        match self.answer_in_words(&message).await? {
            Some(command) => Box::pin(self.command(command)).await,
            None => self.message(message).await,
        }
    }

    /// The command that a message gives by answering a question in a word.
    async fn answer_in_words(&self, message: &Message) -> Result<Option<Command>, StoreError> {
        let (place, text) = (&message.place, message.text.trim());
        let answers = message.quoted.is_some() || (place.platform == Platform::TERMINAL);
        let is_plain = message.attachments.is_empty() && message.via.is_none() && own_words(text) == text;
        if text.is_empty() || !answers || !is_plain {
            return Ok(None);
        }
        let mut conn = self.db.read().await?;
        let shown = match message.quoted.as_ref().and_then(|quoted| quoted.id.as_deref()) {
            Some(id) => approvals::question_of_message(&mut conn, place.platform, &place.external_id, id).await?,
            None if place.platform == Platform::TERMINAL => {
                approvals::question_of_newest(&mut conn, place.platform, &place.external_id).await?
            }
            None => None,
        };
        let Some((run, code)) = shown.as_deref().and_then(question::parse) else {
            return Ok(None);
        };
        let Some(run) = runs::get(&mut conn, run).await? else {
            return Ok(None);
        };
        let asked = answering::asked(&mut conn, &run)
            .await?
            .filter(|asked| asked.code == code);
        let Some(asked) = asked else { return Ok(None) };
        let id = question::id(run.id, &code);
        let (name, argument) = match question::in_words(text) {
            Some(true) if question::is_shown_whole(&asked.request) => ("approve", id),
            Some(true) => return Ok(None),
            Some(false) => ("deny", id),
            None => {
                let user = users::by_identity(&mut conn, place.platform, &message.speaker.id).await?;
                if user.is_none_or(|user| run.user_id != Some(user.id)) {
                    return Ok(None);
                }
                ("deny", format!("{id} {text}"))
            }
        };
        Ok(Some(Command {
            place: place.clone(),
            speaker: message.speaker.clone(),
            id: message.id.clone(),
            name: name.to_owned(),
            argument,
            sent_at: message.sent_at,
            via: None,
            answered_alone: false,
            below: None,
        }))
    }
}
