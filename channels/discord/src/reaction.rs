//! Reactions, in: what a person says of a message by them. And out: how far the bot is with a message of theirs.

use clifford_channel::{Address, Mark, Reacted, Reaction, SendError, Speaker, Verdict, lenient};
use reqwest::Method;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    api::{ApiError, Call},
    lacking::Right,
    map::id,
    post::{MISSING_PERMISSIONS, channel, send_error},
    shared::Shared,
};

/// The event of a reaction that was added or taken back; `None` if it is no verdict.
///
/// # Errors
/// It names no message, place or person.
pub(crate) fn read(data: &Value, is_added: bool) -> Result<Option<Reaction>, String> {
    let place = id(data, "channel_id").ok_or("it names no channel")?;
    let message = id(data, "message_id").ok_or("it names no message")?;
    let user = id(data, "user_id").ok_or("it names nobody")?;
    let emoji = lenient::object(data, "emoji").and_then(|emoji| lenient::text(emoji, "name"));
    let Some(verdict) = emoji.and_then(|emoji| Verdict::of_emoji(&emoji)) else {
        return Ok(None);
    };
    // In private, and where one is taken back, Discord tells no name.
    let member = lenient::object(data, "member");
    let account = member.and_then(|member| lenient::object(member, "user"));
    let handle = account.and_then(|account| lenient::name(account, "username"));
    let name = (member.and_then(|member| lenient::name(member, "nick")))
        .or_else(|| account.and_then(|account| lenient::name(account, "global_name")))
        .or_else(|| handle.clone());
    Ok(Some(Reaction {
        platform: crate::PLATFORM,
        place: place.to_string(),
        message: message.to_string(),
        speaker: Speaker {
            id: user.to_string(),
            name: name.unwrap_or_default(),
            handle,
            is_bot: account.is_some_and(|account| lenient::flag(account, "bot")),
            language: None,
            roles: None,
        },
        reacted: match is_added {
            true => Reacted::Given(verdict),
            false => Reacted::Withdrawn(verdict),
        },
    }))
}

/// Marks a person's message, in place of the mark before. A mark that a channel does not allow is not missed.
pub(crate) async fn mark(shared: &Shared, to: &Address, mark: Mark) -> Result<(), SendError> {
    let message = to.reply_to.as_ref().filter(|_| to.via.is_none());
    let Some(message) = message.and_then(|id| id.parse::<u64>().ok()) else {
        return Ok(());
    };
    let channel = channel(to)?;
    if shared.lacking.is_lacking(Right::React, &to.place, Instant::now()) {
        return Ok(());
    }
    let before = match mark {
        Mark::Seen => None,
        Mark::Working => Some(Mark::Seen),
        Mark::Done | Mark::Failed => Some(Mark::Working),
    };
    let put = [Some((Method::PUT, mark)), before.map(|before| (Method::DELETE, before))];
    for (method, mark) in put.into_iter().flatten() {
        let path = format!("/channels/{channel}/messages/{message}/reactions/{}/@me", emoji(mark));
        let call = Call::new(method, "react", &to.place, path);
        match shared.api.call::<Value>(&call).await {
            // Such as a mark that was not there, or a right that the bot lacks.
            Err(ApiError::Refused(refusal)) => {
                tracing::debug!(%refusal, "Discord refused a reaction");
                if refusal.code == MISSING_PERMISSIONS {
                    shared.lacking.note(Right::React, &to.place, Instant::now());
                    return Ok(());
                }
            }
            Err(error) => return Err(send_error(error)),
            Ok(_) => {}
        }
    }
    Ok(())
}

/// An emoji in a path.
fn emoji(mark: Mark) -> &'static str {
    match mark {
        Mark::Seen => "%F0%9F%91%80",
        Mark::Working => "%E2%8F%B3",
        Mark::Done => "%E2%9C%85",
        Mark::Failed => "%E2%9D%8C",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_thumb_that_is_added_or_taken_back_is_read() {
        let data = json!({
            "user_id": "5", "channel_id": "6", "message_id": "7", "emoji": {"id": null, "name": "\u{1f44e}\u{1f3fd}"},
            "member": {"nick": "Countess", "user": {"id": "5", "username": "ada"}},
        });
        let Ok(Some(added)) = read(&data, true) else {
            panic!("{data}")
        };
        assert_eq!((added.place.as_str(), added.message.as_str()), ("6", "7"));
        assert_eq!(
            (added.speaker.id.as_str(), added.speaker.name.as_str()),
            ("5", "Countess")
        );
        assert_eq!(added.reacted, Reacted::Given(Verdict::Disliked));
        let mut data = data;
        data["member"] = Value::Null;
        let Ok(Some(removed)) = read(&data, false) else {
            panic!("{data}")
        };
        assert_eq!(
            (removed.speaker.name.as_str(), removed.reacted),
            ("", Reacted::Withdrawn(Verdict::Disliked))
        );
        data["emoji"] = json!({"id": "9", "name": "blob"});
        assert_eq!(read(&data, true), Ok(None));
        assert!(read(&json!({"emoji": {"name": "x"}}), true).is_err());
    }
}
