//! Threads for questions: each begins at the message that asks, and so has its id. And the messages at which threads of
//! people begin.

use clifford_channel::{NewThread, Place, Quoted, SendError};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    act::ARCHIVE_AFTER,
    answer,
    api::{ApiError, Body, Call},
    map::{self, Payload},
    post::send_error,
    shared::Shared,
    via::Via,
};

/// There is one already: <https://docs.discord.com/developers/topics/opcodes-and-status-codes#json>
const HAS_THREAD: u64 = 160_004;

/// Opens the thread of a question; where there is one already, that is it.
pub(crate) async fn open(shared: &Shared, place: &str, thread: &NewThread) -> Result<String, SendError> {
    let channel: u64 = number(place)?;
    let via = thread.via.as_deref().and_then(Via::parse);
    let message = match via {
        // A command is no message: the thread begins at the response to it, which shows the question.
        Some(via) => answer::head(shared, &via, &thread.title).await.map_err(send_error)?,
        None => number(&thread.message)?,
    };
    let path = format!("/channels/{channel}/messages/{message}/threads");
    let body = json!({ "name": thread.title, "auto_archive_duration": ARCHIVE_AFTER });
    let call = Call::new(Method::POST, "threads", channel, path).body(Body::Json(body));
    match shared.api.call::<Value>(&call).await {
        Ok(_) => {}
        Err(ApiError::Refused(refusal)) if refusal.code == HAS_THREAD => {}
        Err(error) => return Err(send_error(error)),
    }
    // To open threads is one right, to write in them another. The indicator needs the latter, too.
    let typing = Call::new(Method::POST, "typing", message, format!("/channels/{message}/typing"));
    match shared.api.call::<Value>(&typing).await {
        Err(error @ ApiError::Refused(_)) => Err(send_error(error)),
        Err(_) | Ok(_) => Ok(message.to_string()),
    }
}

/// The message at which a thread begins: it has the thread's id, and stands in the thread's channel, or in the thread itself
/// if that is a post of a forum. <https://docs.discord.com/developers/topics/threads>
pub(crate) async fn starter(shared: &Shared, thread: &Place) -> Result<Option<Quoted>, SendError> {
    let (Some(me), Some(parent)) = (shared.me.get(), &thread.parent) else {
        return Ok(None);
    };
    let (id, parent) = (number(&thread.external_id)?, number(parent)?);
    let channel = if shared.directory.holds_posts(parent) {
        id
    } else {
        parent
    };
    let path = format!("/channels/{channel}/messages/{id}");
    let call = Call::new(Method::GET, "read message", channel, path);
    match shared.api.call::<Value>(&call).await {
        Ok(message) => Ok(Payload::of(message).ok().map(|message| {
            let guild = map::guild_of(thread);
            let names = |named| shared.directory.name(guild, named);
            map::quote(&message, *me, &names)
        })),
        // It began without one, that was deleted, or the bot may not read it.
        Err(ApiError::Refused(refusal)) if matches!(refusal.status, 403 | 404) => Ok(None),
        Err(error) => Err(send_error(error)),
    }
}

fn number(id: &str) -> Result<u64, SendError> {
    id.parse()
        .map_err(|_| SendError::Rejected(format!("`{id}` is no id on Discord")))
}
