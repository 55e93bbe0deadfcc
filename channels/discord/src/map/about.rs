//! "Ask Clifford" in the menu of a message: the question is that message, which is quoted.
//! <https://docs.discord.com/developers/interactions/application-commands#message-commands>

use clifford_channel::{Addressed, Message, Place};

use super::{Me, NameOf, created_at, interaction::InteractionPayload, message::quote};

/// The command's name, as the menu shows it.
pub(crate) const ASK_ABOUT: &str = "Ask Clifford";
/// The question: the command takes no words.
const QUESTION: &str = "What do you say to this message?";

/// The question about a message; `None` if the command is another one. Its files are files of the quote.
pub(crate) fn about(
    payload: &InteractionPayload,
    me: Me,
    place: Place,
    name_of: NameOf<'_>,
    via: Option<String>,
) -> Option<Message> {
    let target = payload.target()?;
    let quoted = quote(&target, me, name_of);
    Some(Message {
        place,
        speaker: payload.speaker.clone(),
        id: payload.id.to_string(),
        text: QUESTION.to_owned(),
        sent_at: created_at(payload.id),
        reply_to: Some(target.id.to_string()),
        addressed: Addressed {
            mention: true,
            reply: false,
            in_thread: false,
        },
        attachments: Vec::new(),
        album: None,
        backfilled: false,
        via,
        quoted: Some(quoted),
    })
}

#[cfg(test)]
mod tests {
    use clifford_channel::{PlaceKind, Quoted};
    use serde_json::{Value, json};

    use super::*;

    const ME: Me = Me {
        user: 1,
        application: 2,
        role: None,
    };

    fn asked(kind: u64, messages: &Value) -> Option<Message> {
        let payload = json!({
            "type": 2, "token": "t", "id": "786008729715212338", "channel_id": "5", "guild_id": "6",
            "application_id": "2", "member": {"user": {"id": "7", "username": "ada"}},
            "data": {"type": kind, "name": ASK_ABOUT, "id": "1", "target_id": "9", "resolved": {"messages": messages}},
        });
        let place = Place {
            platform: crate::PLATFORM,
            external_id: "5".to_owned(),
            parent: None,
            kind: PlaceKind::Group,
            name: None,
            space: None,
        };
        let payload = InteractionPayload::read(&payload.to_string()).unwrap();
        about(&payload, ME, place, &|_| None, Some("via".to_owned()))
    }

    #[test]
    fn the_message_whose_menu_it_is_is_quoted_with_its_files() {
        let file = json!({"id": "8", "filename": "a.txt", "size": 3, "url": "https://cdn.example/a.txt"});
        let message = |author: &str| {
            json!({"9": {"id": "9", "channel_id": "5", "content": "Noon, says <@7>", "attachments": [file],
                "author": {"id": author, "username": "bob"}, "mentions": [{"id": "7", "username": "ada"}]}})
        };
        let read = asked(3, &message("8")).unwrap();
        assert_eq!(
            (
                read.text.as_str(),
                read.reply_to.as_deref(),
                read.via.as_deref(),
                read.attachments.len()
            ),
            (QUESTION, Some("9"), Some("via"), 0)
        );
        assert!(read.addressed.mention);
        let quoted = read.quoted.unwrap();
        let expected = Quoted {
            id: Some("9".to_owned()),
            is_own: false,
            author_id: Some("8".to_owned()),
            author: "bob".to_owned(),
            text: "Noon, says @ada".to_owned(),
            is_part: false,
            attachments: quoted.attachments.clone(),
        };
        assert_eq!((quoted.attachments.len(), &quoted), (1, &expected));
        assert!(asked(3, &message("1")).unwrap().quoted.unwrap().is_own);
    }

    #[test]
    fn without_a_message_it_is_no_question_about_one() {
        assert_eq!(asked(3, &json!({})), None);
        assert_eq!(asked(3, &json!({"9": 7})), None);
        assert_eq!(asked(1, &json!({"9": {"id": "9", "channel_id": "5"}})), None);
    }
}
