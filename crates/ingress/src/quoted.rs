//! Finds the message that another one answers: in our rows, else in the platform's event.
//!
//! **Answers to messages.** `quoted.rs` finds the message that another one answers: in our rows by its platform id,
//! else in the platform's event. It is stored next to the message (`messages.quote`), never in its text, and
//! `store/messages/replies.rs` puts it in front of the text wherever a prompt reads that: whole in a run's input,
//! shorter in a conversation. Its lines cannot be taken for a speaker's. Another person's words taint the run.
//! `deletion.rs` notes deletions (`messages.deleted_at`); prompts, the memory writer and search leave such rows out,
//! and quotes of them go (`store/messages/quoting.rs`): a quote's JSON names the platform's id of its message, which
//! need not be stored itself. Messages of a quarantined run are treated alike, and a quarantined event is not quoted
//! either, even if the platform sends its text.

use clifford_chat::inbound::{Attachment, Place, Quoted, Speaker, is_of_others};
use clifford_core::{
    id::{MessageId, UserId},
    messages::{Author, Direction, Quote, cut},
};
use clifford_store::{
    StoreError,
    messages::{
        inbound_attempts,
        replies::{self, AnsweredMessage},
    },
};

use super::{IngressService, careful::events_of_message};

/// A quote, with what is stored of it besides its words.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// The quote; `None`: nothing of it is known.
    pub quote: Option<Quote>,
    /// The platform's id of the message, if it stands in the same place.
    pub id: Option<String>,
    /// The author of these words, if they are another person known here.
    pub user: Option<UserId>,
    /// Files that came with it: they are files of the message that answers it.
    pub files: Vec<Attachment>,
}

impl IngressService {
    /// Finds the message that another one answers. A deleted or quarantined message is not quoted, even if the platform
    /// sends its text.
    pub(super) async fn quoted(
        &self,
        place: &Place,
        speaker: &Speaker,
        quoted: Option<Quoted>,
    ) -> Result<Found, StoreError> {
        let Some(quoted) = quoted else {
            return Ok(Found::default());
        };
        let mut ours = None;
        if let Some(id) = &quoted.id {
            let mut conn = self.db.read_local().await?;
            // The message at which a thread begins stands next to the thread.
            for at in std::iter::once(&place.external_id).chain(&place.parent) {
                if inbound_attempts::is_any_quarantined(&mut conn, &events_of_message(place.platform, at, id)).await? {
                    return Ok(Found::default());
                }
                ours = replies::find(&mut conn, place.platform, at, id, &speaker.id).await?;
                if ours.is_some() {
                    break;
                }
            }
        }
        if ours.as_ref().is_some_and(|ours| ours.is_withheld != 0) {
            return Ok(Found::default());
        }
        Ok(self.found_for(quoted, ours, speaker))
    }

    /// Finds the message of a place that an API caller answers, by its own id; `None`: it is none of that place, or is
    /// not to be quoted.
    pub(super) async fn quoted_by_id(
        &self,
        place: &Place,
        speaker: &Speaker,
        id: MessageId,
    ) -> Result<Option<Found>, StoreError> {
        let mut conn = self.db.read().await?;
        let ours = replies::by_id(&mut conn, place.platform, &place.external_id, id, &speaker.id).await?;
        let ours = ours.filter(|ours| ours.is_withheld == 0);
        // Its files are the channel's already.
        Ok(ours.map(|ours| Found {
            files: Vec::new(),
            ..self.found_for(Quoted::default(), Some(ours), speaker)
        }))
    }

    /// The stored form of a message that another one answers, without secrets.
    fn found_for(&self, quoted: Quoted, ours: Option<AnsweredMessage>, speaker: &Speaker) -> Found {
        let mut found = resolve_quote(quoted, ours, speaker, self.settings.section.quoted_characters);
        if let Some(quote) = &mut found.quote {
            quote.text = self.masked(std::mem::take(&mut quote.text));
            if let Author::Other(Some(name)) = &mut quote.by {
                *name = self.masked(std::mem::take(name));
            }
        }
        found.files = self.masked_names(found.files);
        found
    }
}

/// Puts together what our row and the platform tell.
fn resolve_quote(quoted: Quoted, ours: Option<AnsweredMessage>, speaker: &Speaker, most: usize) -> Found {
    // Our row was marked when it came, whichever part of it the platform tells now.
    let holds_others = is_of_others(&quoted.text) || ours.as_ref().is_some_and(|ours| is_of_others(&ours.content));
    let (by, user) = match &ours {
        Some(ours) if ours.direction == Direction::Outbound => (Author::Bot { run: ours.run_id }, None),
        Some(ours) if ours.is_of_speaker != 0 && holds_others => (Author::Other(author_name(&quoted)), None),
        Some(ours) if ours.is_of_speaker != 0 => (Author::Speaker, None),
        Some(ours) => {
            let name = ours.speaker_and_text().0.map(str::to_owned);
            (Author::Other(name.or_else(|| author_name(&quoted))), ours.user_id)
        }
        None if quoted.is_own => (Author::Bot { run: None }, None),
        None if quoted.author_id.as_deref() == Some(&speaker.id) && !holds_others => (Author::Speaker, None),
        None => (Author::Other(author_name(&quoted)), None),
    };
    let stored = ours.as_ref().map(AnsweredMessage::attachments).unwrap_or_default();
    let attachments = if stored.is_empty() { quoted.attachments } else { stored };
    let whole = match &ours {
        // An inbound row holds notes about its files in its text, while the quote has its files next to it; an outbound
        // row holds the text as it was meant.
        Some(ours) if !quoted.is_part && (quoted.text.is_empty() || ours.direction == Direction::Outbound) => {
            ours.speaker_and_text().1.to_owned()
        }
        _ => quoted.text,
    };
    let text = cut(whole.trim(), most);
    let quote = Quote {
        by,
        text,
        media: attachments.iter().map(label).collect(),
    };
    let id = quoted.id;
    let says_nothing = quote.text.is_empty() && quote.media.is_empty();
    Found {
        // An answer to a message of which nothing is known: that it is one says nothing.
        quote: (!says_nothing).then_some(quote),
        id,
        user,
        files: attachments.into_iter().filter(Attachment::is_file).collect(),
    }
}

fn author_name(quoted: &Quoted) -> Option<String> {
    Some(quoted.author.clone()).filter(|name| !name.trim().is_empty())
}

fn label(attachment: &Attachment) -> String {
    match &attachment.name {
        Some(name) => format!("{}: {name}", attachment.kind),
        None => attachment.kind.clone(),
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::id::{MessageId, RunId};

    use super::*;

    fn ada() -> Speaker {
        Speaker {
            id: "7".to_owned(),
            name: "Ada".to_owned(),
            handle: None,
            is_bot: false,
            language: None,
            roles: None,
        }
    }

    fn told_by_platform() -> Quoted {
        Quoted {
            id: Some("11".to_owned()),
            is_own: false,
            author_id: Some("8".to_owned()),
            author: "Bob".to_owned(),
            text: "The rocket launches at noon".to_owned(),
            is_part: false,
            attachments: Vec::new(),
        }
    }

    fn row(direction: Direction, content: &str) -> AnsweredMessage {
        AnsweredMessage {
            id: MessageId::new(),
            direction,
            user_id: Some(UserId::new()),
            run_id: Some(RunId::new()),
            content: content.to_owned(),
            attachments: None,
            is_of_speaker: 0,
            is_withheld: 0,
        }
    }

    #[test]
    fn our_row_says_who_and_in_which_run_and_the_platform_what() {
        let quote =
            |quoted: Quoted, ours: Option<AnsweredMessage>| resolve_quote(quoted, ours, &ada(), 10).quote.unwrap();
        let by = |quoted: Quoted, ours: Option<AnsweredMessage>| quote(quoted, ours).by;
        assert_eq!(
            quote(told_by_platform(), None),
            Quote {
                by: Author::Other(Some("Bob".to_owned())),
                text: "The rocket …".to_owned(),
                media: Vec::new(),
            }
        );
        let answer = row(Direction::Outbound, "42");
        assert_eq!(
            by(told_by_platform(), Some(answer.clone())),
            Author::Bot { run: answer.run_id }
        );
        let own = AnsweredMessage {
            is_of_speaker: 1,
            ..row(Direction::Inbound, "[Ada] x")
        };
        assert_eq!(by(told_by_platform(), Some(own)), Author::Speaker);
        let nothing_told = Quoted {
            id: Some("11".to_owned()),
            ..Quoted::default()
        };
        let bobs = row(Direction::Inbound, "[Robert] at noon");
        let read = resolve_quote(nothing_told.clone(), Some(bobs.clone()), &ada(), 100);
        let expected = Quote {
            by: Author::Other(Some("Robert".to_owned())),
            text: "at noon".to_owned(),
            media: Vec::new(),
        };
        assert_eq!((read.quote, read.user), (Some(expected), bobs.user_id));
        assert_eq!(resolve_quote(nothing_told, None, &ada(), 100).quote, None);
        let own = Quoted {
            author_id: Some("7".to_owned()),
            ..told_by_platform()
        };
        assert_eq!(by(own, None), Author::Speaker);
    }

    #[test]
    fn words_that_the_speaker_only_sent_on_are_not_theirs() {
        let sent_on = |content: &str| AnsweredMessage {
            is_of_speaker: 1,
            attachments: None,
            ..row(Direction::Inbound, content)
        };
        let told = |text: &str| Quoted {
            author_id: Some("7".to_owned()),
            author: "Ada".to_owned(),
            text: text.to_owned(),
            ..told_by_platform()
        };
        let part = |text: &str| Quoted {
            is_part: true,
            ..told(text)
        };
        let other = || Author::Other(Some("Ada".to_owned()));
        for (quoted, ours, by, text) in [
            (
                told("[forwarded] (from Bob) at noon"),
                None,
                other(),
                "[forwarded] (from Bob) at noon",
            ),
            (
                part("[by an inline bot] noon"),
                None,
                other(),
                "[by an inline bot] noon",
            ),
            (
                part("noon"),
                Some(sent_on("[forwarded] (from Bob) at noon")),
                other(),
                "noon",
            ),
            (
                told("at noon"),
                Some(sent_on("[Ada] [by an inline bot] at noon")),
                other(),
                "at noon",
            ),
            (
                told(""),
                Some(sent_on("[forwarded] (from Bob) at noon")),
                other(),
                "[forwarded] (from Bob) at noon",
            ),
            (told("at noon"), Some(sent_on("at noon")), Author::Speaker, "at noon"),
        ] {
            let quote = resolve_quote(quoted, ours, &ada(), 100).quote.unwrap();
            assert_eq!((quote.by, quote.text.as_str()), (by, text));
        }
    }
}
