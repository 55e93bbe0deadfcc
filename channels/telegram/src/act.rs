//! Acts besides sending: pins, polls and topics, with the rights of the person who asks. Bots cannot read a chat's
//! history.

use clifford_channel::{Act, ActError, Acted, Address, PlatformRole, Poll, SendError};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use teloxide::{
    payloads::{CreateForumTopic, GetChat, GetChatMember, PinChatMessage, SendPoll, UnpinChatMessage},
    requests::Payload,
    types::{ChatId, MessageId, UserId},
};

use crate::{
    api::{Api, ApiError, CALL_TIMEOUT, Sent},
    place::{Target, external_id},
};

/// A member of a chat, as far as rights go.
#[derive(Debug, Deserialize)]
struct Member {
    status: String,
    #[serde(default)]
    is_member: bool,
    #[serde(default)]
    custom_title: Option<String>,
    #[serde(flatten)]
    rights: Rights,
}

/// The rights of one member, or the defaults of a chat.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Rights {
    #[serde(default)]
    can_pin_messages: bool,
    #[serde(default)]
    can_send_polls: bool,
    #[serde(default)]
    can_manage_topics: bool,
}

#[derive(Deserialize)]
struct Chat {
    #[serde(default)]
    permissions: Rights,
}

#[derive(Deserialize)]
struct Topic {
    message_thread_id: i32,
}

/// Performs an act, if the account may.
pub(crate) async fn act(api: &Api, place: &str, account: &str, act: &Act) -> Result<Acted, ActError> {
    let account: u64 = account
        .parse()
        .map_err(|_| ActError::Refused(format!("`{account}` is no account on Telegram")))?;
    let target = target(place)?;
    may(api, target.chat, UserId(account), act).await?;
    match act {
        Act::History { .. } => Err(ActError::Unknown("Telegram shows bots no history".to_owned())),
        Act::Pin { message } => {
            let mut request = PinChatMessage::new(target.chat, message_id(message)?);
            request.disable_notification = Some(true);
            call::<_, IgnoredAny>(api, &request).await?;
            Ok(Acted::Done)
        }
        Act::Unpin { message } => {
            let mut request = UnpinChatMessage::new(target.chat);
            request.message_id = Some(message_id(message)?);
            call::<_, IgnoredAny>(api, &request).await?;
            Ok(Acted::Done)
        }
        Act::Poll(poll) => send_poll(api, &target, poll).await,
        Act::Thread { name, .. } => create_topic(api, target.chat, name).await.map(Acted::Place),
    }
}

async fn create_topic(api: &Api, chat: ChatId, name: &str) -> Result<String, ActError> {
    let topic: Topic = call(api, &CreateForumTopic::new(chat, name)).await?;
    let thread = teloxide::types::ThreadId(MessageId(topic.message_thread_id));
    Ok(external_id(chat, Some(thread)))
}

/// Opens a topic in a forum. Only the bot's own right counts: whoever manages the group set that it does so.
pub(crate) async fn open_topic(api: &Api, place: &str, name: &str) -> Result<String, SendError> {
    let rejected = |error: ActError| SendError::Rejected(error.to_string());
    let chat = target(place).map_err(rejected)?.chat;
    create_topic(api, chat, name).await.map_err(rejected)
}

async fn send_poll(api: &Api, target: &Target, poll: &Poll) -> Result<Acted, ActError> {
    let mut request = SendPoll::new(
        target.chat,
        &poll.question,
        poll.answers.iter().cloned().map(Into::into).collect::<Vec<_>>(),
    );
    request.message_thread_id = target.thread;
    request.is_anonymous = Some(false);
    request.allows_multiple_answers = Some(poll.several);
    let sent: Sent = call(api, &request).await?;
    Ok(sent.id.map_or(Acted::Done, Acted::Message))
}

/// Whether the account is an administrator of the group that a place is in.
pub(crate) async fn manages(api: &Api, place: &str, account: &str) -> Result<bool, ActError> {
    let member = member(api, place, account).await?;
    Ok(member.is_some_and(|member| matches!(member.status.as_str(), "creator" | "administrator")))
}

/// The standing of an account in the group that a place is in, and an administrator's title.
pub(crate) async fn roles(api: &Api, place: &str, account: &str) -> Result<Vec<PlatformRole>, ActError> {
    let member = member(api, place, account).await?;
    Ok(member.as_ref().map(standing).unwrap_or_default())
}

/// The account as a member of the group that a place is in; `None` in private. The group itself speaks for its
/// administrators who stay anonymous.
async fn member(api: &Api, place: &str, account: &str) -> Result<Option<Member>, ActError> {
    let chat = target(place)?.chat;
    if chat.0 > 0 {
        return Ok(None);
    }
    if account == chat.0.to_string() {
        return Ok(Some(Member {
            status: "administrator".to_owned(),
            is_member: true,
            custom_title: None,
            rights: Rights::default(),
        }));
    }
    let account: u64 =
        (account.parse()).map_err(|_| ActError::Refused(format!("`{account}` is no account on Telegram")))?;
    call(api, &GetChatMember::new(chat, UserId(account))).await.map(Some)
}

fn standing(member: &Member) -> Vec<PlatformRole> {
    let words: &[&str] = match member.status.as_str() {
        "creator" => &["owner", "administrator"],
        "administrator" => &["administrator"],
        _ => &[],
    };
    let title = (member.custom_title.as_deref()).filter(|title| !title.is_empty() && !words.is_empty());
    let title = title.map(|title| PlatformRole {
        id: format!("title:{title}"),
        name: title.to_owned(),
    });
    words.iter().map(|word| PlatformRole::word(word)).chain(title).collect()
}

/// Checks that a person may do it in a chat; in their own private chat they may.
async fn may(api: &Api, chat: ChatId, account: UserId, act: &Act) -> Result<(), ActError> {
    if chat.0 > 0 {
        return if u64::try_from(chat.0) == Ok(account.0) {
            Ok(())
        } else {
            Err(ActError::NotTheirs("it is another person's private chat".to_owned()))
        };
    }
    let member: Member = call(api, &GetChatMember::new(chat, account)).await?;
    let everybody = match member.status.as_str() {
        "member" => call::<_, Chat>(api, &GetChat::new(chat)).await?.permissions,
        _ => Rights::default(),
    };
    allowed(&member, everybody, act).map_err(|right| ActError::NotTheirs(format!("they lack the right to {right}")))
}

/// Checks a member's rights for an act. The error is the missing right.
fn allowed(member: &Member, everybody: Rights, act: &Act) -> Result<(), &'static str> {
    let rights = match member.status.as_str() {
        "creator" => return Ok(()),
        // An administrator's rights name only what others lack: polls are sent by every administrator.
        "administrator" => Rights {
            can_send_polls: true,
            ..member.rights
        },
        "member" => everybody,
        "restricted" if member.is_member => member.rights,
        _ => return Err("be there: they are no member"),
    };
    let (may, right) = match act {
        Act::History { .. } => (true, "read"),
        Act::Pin { .. } | Act::Unpin { .. } => (rights.can_pin_messages, "pin messages"),
        Act::Poll(_) => (rights.can_send_polls, "send polls"),
        Act::Thread { .. } => (rights.can_manage_topics, "manage topics"),
    };
    if may { Ok(()) } else { Err(right) }
}

async fn call<P, R>(api: &Api, payload: &P) -> Result<R, ActError>
where
    P: Payload + serde::Serialize + Sync,
    R: DeserializeOwned,
{
    api.call(payload, CALL_TIMEOUT).await.map_err(|error| match error {
        ApiError::Refused { description, .. } => ActError::Refused(description),
        ApiError::MovedTo(_) => ActError::Unavailable("the group has just become a supergroup".to_owned()),
        ApiError::RetryAfter(wait) => {
            ActError::Unavailable(format!("Telegram asks to wait {} s", wait.as_secs().max(1)))
        }
        ApiError::NoConnection(reason) => ActError::Unavailable(reason),
        ApiError::Unreachable(reason) | ApiError::Failed(reason) => ActError::Unsure(reason),
    })
}

fn target(place: &str) -> Result<Target, ActError> {
    let address = Address {
        place: place.to_owned(),
        private: false,
        reply_to: None,
        via: None,
    };
    Target::of(&address).map_err(|error| ActError::Refused(error.to_string()))
}

fn message_id(text: &str) -> Result<MessageId, ActError> {
    text.trim()
        .parse()
        .map(MessageId)
        .map_err(|_| ActError::Refused(format!("`{text}` is no id of a message on Telegram: it is a number")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_standing_is_told_with_its_title() {
        let cases = [
            (json!({ "status": "creator" }), vec!["owner", "administrator"]),
            (
                json!({ "status": "administrator", "custom_title": "Treasurer" }),
                vec!["administrator", "title:Treasurer"],
            ),
            (
                json!({ "status": "administrator", "custom_title": "" }),
                vec!["administrator"],
            ),
            // A title that is left over makes nobody an administrator.
            (json!({ "status": "member", "custom_title": "Treasurer" }), vec![]),
            (json!({ "status": "kicked" }), vec![]),
        ];
        for (member, expected) in cases {
            let read: Member = serde_json::from_value(member.clone()).unwrap();
            let ids: Vec<_> = standing(&read).into_iter().map(|role| role.id).collect();
            assert_eq!(ids, expected, "{member}");
        }
    }

    #[test]
    fn a_person_may_do_what_their_standing_in_the_chat_allows() {
        let pin = Act::Pin {
            message: "1".to_owned(),
        };
        let poll = Act::Poll(Poll {
            question: "?".to_owned(),
            answers: vec![],
            several: false,
            hours: 1,
        });
        let topic = Act::Thread {
            name: "x".to_owned(),
            message: None,
        };
        let everybody = Rights {
            can_send_polls: true,
            ..Rights::default()
        };
        let cases = [
            (json!({ "status": "creator" }), &pin, Ok(())),
            (
                json!({ "status": "administrator", "can_pin_messages": true }),
                &pin,
                Ok(()),
            ),
            (
                json!({ "status": "administrator", "can_pin_messages": false }),
                &pin,
                Err("pin messages"),
            ),
            (json!({ "status": "administrator" }), &poll, Ok(())),
            (json!({ "status": "administrator" }), &topic, Err("manage topics")),
            (json!({ "status": "member" }), &poll, Ok(())),
            (json!({ "status": "member" }), &pin, Err("pin messages")),
            (
                json!({ "status": "restricted", "is_member": true, "can_send_polls": false }),
                &poll,
                Err("send polls"),
            ),
            (
                json!({ "status": "restricted", "is_member": true, "can_pin_messages": true }),
                &pin,
                Ok(()),
            ),
            (
                json!({ "status": "restricted", "is_member": false, "can_pin_messages": true }),
                &pin,
                Err("be there: they are no member"),
            ),
            (json!({ "status": "left" }), &poll, Err("be there: they are no member")),
            (
                json!({ "status": "kicked" }),
                &poll,
                Err("be there: they are no member"),
            ),
        ];
        for (member, act, expected) in cases {
            let read: Member = serde_json::from_value(member.clone()).unwrap();
            assert_eq!(allowed(&read, everybody, act), expected, "{member} {act:?}");
        }
    }
}
