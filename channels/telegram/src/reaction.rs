//! Reactions, in: what a person says of a message by them. And out: how far the bot is with a message of theirs.
//!
//! Telegram tells a bot of reactions in private chats, and in groups where the bot is an administrator:
//! <https://core.telegram.org/bots/api#messagereactionupdated>

use clifford_channel::{
    Address, Inbound, Mark, Reacted, Reaction, SendError, Verdict,
    lenient::{int, list, object, text},
};
use serde::de::IgnoredAny;
use serde_json::Value;
use teloxide::{
    payloads::SetMessageReaction,
    types::{MessageId, ReactionType},
};

use crate::{
    api::{Api, ApiError, CALL_TIMEOUT},
    pace::Pace,
    place::Target,
    refusal::is_gone,
    send::send_error,
    update::account,
};

/// The event of changed reactions; `None` if they are not a person's. `Err` names a missing field.
pub(crate) fn read(change: &Value) -> Result<Option<Inbound>, String> {
    let chat = object(change, "chat").and_then(|chat| int(chat, "id"));
    let chat = chat.ok_or("it names no chat")?;
    let message = int(change, "message_id").ok_or("it names no message")?;
    // An administrator who is anonymous reacts as the chat.
    let Some(speaker) = object(change, "user").and_then(account) else {
        return Ok(None);
    };
    let last = |name: &str| {
        let mut verdicts = list(change, name).iter().rev().filter_map(|reaction| {
            let emoji = text(reaction, "emoji")?;
            Verdict::of_emoji(&emoji)
        });
        verdicts.next()
    };
    let stands = last("new_reaction");
    // Most emoji are no verdict, and take none back.
    if stands.is_none() && last("old_reaction").is_none() {
        return Ok(None);
    }
    Ok(Some(Inbound::Reaction(Reaction {
        platform: crate::PLATFORM,
        place: chat.to_string(),
        message: message.to_string(),
        speaker,
        reacted: Reacted::Stands(stands),
    })))
}

/// Marks a person's message, in place of the mark before. A mark that a chat does not allow is not missed.
pub(crate) async fn mark(api: &Api, pace: &Pace, to: &Address, mark: Mark) -> Result<(), SendError> {
    let target = Target::of(to)?;
    let Some(message) = to.reply_to.as_deref().and_then(|id| id.parse().ok()) else {
        return Ok(());
    };
    if !pace.spare(target.chat.0) {
        return Ok(());
    }
    let mut request = SetMessageReaction::new(target.chat, MessageId(message));
    request.reaction = Some(vec![ReactionType::Emoji {
        emoji: emoji(mark).to_owned(),
    }]);
    match api.call::<_, IgnoredAny>(&request, CALL_TIMEOUT).await {
        Err(ApiError::Refused { description, .. }) if !is_gone(&description) => {
            tracing::debug!(description, "Telegram refused a reaction");
            Ok(())
        }
        Err(error) => Err(send_error(error, to, &target, pace)),
        Ok(_) => Ok(()),
    }
}

/// Emoji that Telegram takes as reactions: <https://core.telegram.org/bots/api#reactiontypeemoji>
fn emoji(mark: Mark) -> &'static str {
    match mark {
        Mark::Seen => "\u{1f440}",
        Mark::Working => "\u{270d}",
        Mark::Done => "\u{1f44c}",
        Mark::Failed => "\u{1f494}",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_thumb_of_a_person_is_their_verdict() {
        let thumb = |emoji: &str| json!({"type": "emoji", "emoji": emoji});
        let custom = json!({"type": "custom_emoji", "custom_emoji_id": "5"});
        let (up, down) = (thumb("\u{1f44d}"), thumb("\u{1f44e}"));
        let change = |old: &Value, new: &Value| {
            json!({
                "chat": {"id": -100, "type": "supergroup"}, "message_id": 7, "date": 0,
                "user": {"id": 5, "is_bot": false, "first_name": "Ada"}, "old_reaction": old, "new_reaction": new,
            })
        };
        let cases = [
            (json!([]), json!([up]), Some(Verdict::Liked)),
            (json!([]), json!([up, down]), Some(Verdict::Disliked)),
            (json!([up]), json!([thumb("\u{2764}"), custom]), None),
            (json!([custom, down]), json!([]), None),
            (json!([up]), json!("odd"), None),
        ];
        for (old, new, expected) in cases {
            let change = change(&old, &new);
            let Ok(Some(Inbound::Reaction(read))) = read(&change) else {
                panic!("{change}")
            };
            assert_eq!((read.place.as_str(), read.message.as_str()), ("-100", "7"));
            assert_eq!(read.reacted, Reacted::Stands(expected), "{change}");
        }
        // None of these is a verdict, or takes one back.
        for (old, new) in [
            (json!([]), json!([thumb("\u{2764}")])),
            (json!([thumb("\u{2764}")]), json!([custom])),
            (json!([]), json!([])),
            (json!("odd"), json!("odd")),
        ] {
            assert_eq!(read(&change(&old, &new)), Ok(None));
        }
        let anonymous =
            json!({"chat": {"id": -100}, "message_id": 7, "actor_chat": {"id": -100}, "new_reaction": [up]});
        assert_eq!(read(&anonymous), Ok(None));
        assert!(read(&json!({"chat": {"id": -100}})).is_err());
    }
}
