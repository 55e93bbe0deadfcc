//! Answers that grow: one message, edited while it grows, and at last edited into the answer's first part.
//!
//! It is posted under the nonce of that part. Sending the part after a crash therefore returns this message, which is
//! then edited: no draft stays behind, and no answer arrives twice.

use clifford_channel::{Address, DeliveryKey, Part, SendError};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    answer,
    answers::Placeholder,
    api::{ApiError, Body, Call},
    drafts::{is_draft, marked},
    lacking::Right,
    post::{
        MAY_NOT_REPLY, Posted, channel, is_about_the_reply, message, message_of_files, send_error, without_old_buttons,
    },
    shared::Shared,
    via::Via,
    voice::Voice,
};

/// There is no such message any more.
const UNKNOWN_MESSAGE: u64 = 10_008;

/// The thread is archived, and nothing in it can be changed.
const ARCHIVED: u64 = 50_083;

/// Shows how far an answer has come.
pub(crate) async fn show(shared: &Shared, to: &Address, key: &DeliveryKey, text: &str) -> Result<(), SendError> {
    let part = [text_part(&marked(text))];
    if let Some(via) = living(shared, to) {
        return answer::draft(shared, &via, &part).await.map(drop).map_err(send_error);
    }
    let channel = channel(to)?;
    let shown = match shared.drafts.find(key) {
        Some(id) => edit(shared, channel, &id, to, &part, key).await,
        None => post(shared, channel, to, &part, key).await,
    };
    match shown {
        Ok(posted) => {
            if let Some(id) = posted.id {
                shared.drafts.insert(key, id);
            }
            Ok(())
        }
        Err(error) => {
            if is_unknown(&error) {
                shared.drafts.remove(key);
            }
            Err(send_error(error))
        }
    }
}

/// Takes away a draft that nothing comes of.
pub(crate) async fn remove(shared: &Shared, to: &Address, key: &DeliveryKey) -> Result<(), SendError> {
    if let Some(via) = living(shared, to) {
        return answer::undraft(shared, &via, Placeholder::Silent)
            .await
            .map_err(send_error);
    }
    let channel = channel(to)?;
    let Some(id) = shared.drafts.find(key) else {
        return Ok(());
    };
    match delete(shared, to, channel, &id).await {
        Err(error @ ApiError::Limited(_)) => Err(send_error(error)),
        outcome => {
            shared.drafts.remove(key);
            outcome.map_err(send_error)
        }
    }
}

async fn delete(shared: &Shared, to: &Address, channel: impl std::fmt::Display, id: &str) -> Result<(), ApiError> {
    let path = format!("/channels/{channel}/messages/{id}");
    let call = Call::new(Method::DELETE, "delete message", &to.place, path);
    shared.api.call::<Value>(&call).await.map(drop)
}

/// Sends a part, or files, which may have been shown as a draft: by this process, or by one before it.
pub(crate) async fn finish(
    shared: &Shared,
    to: &Address,
    parts: &[Part],
    key: &DeliveryKey,
) -> Result<Posted, ApiError> {
    let channel = &to.place;
    let drafted = match shared.drafts.find(key) {
        Some(id) => id,
        None => {
            let posted = post(shared, channel, to, parts, key).await?;
            if !is_draft(&posted.content) {
                return Ok(posted);
            }
            match posted.id {
                Some(id) => id,
                None => return post(shared, channel, to, parts, &anew(key)).await,
            }
        }
    };
    let finished = match edit(shared, channel, &drafted, to, parts, key).await {
        // Somebody deleted it. Its nonce would only bring it back.
        Err(error) if is_unknown(&error) => post(shared, channel, to, parts, &anew(key)).await,
        // Nothing is changed in a thread that was archived meanwhile; a new message opens it again.
        Err(error) if is_archived(&error) => {
            let posted = post(shared, channel, to, parts, &anew(key)).await;
            if posted.is_ok()
                && let Err(error) = delete(shared, to, channel, &drafted).await
            {
                tracing::debug!(%error, thread = %channel, "failed to delete a draft in a thread that was archived");
            }
            posted
        }
        finished => finished,
    };
    if !matches!(
        &finished,
        Err(ApiError::Limited(_) | ApiError::Unreachable(_) | ApiError::Failed(_))
    ) {
        shared.drafts.remove(key);
    }
    finished
}

/// Replaces the text and the buttons of a message that was sent, be it as the answer to an interaction.
pub(crate) async fn replace(shared: &Shared, to: &Address, id: &str, part: &Part) -> Result<Posted, SendError> {
    let channel = channel(to)?;
    let id: u64 = (id.parse()).map_err(|_| SendError::Rejected(format!("`{id}` is no message on Discord")))?;
    let path = format!("/channels/{channel}/messages/{id}");
    let body = changed(message(to, std::slice::from_ref(part), &DeliveryKey(String::new())));
    let call = Call::new(Method::PATCH, "edit message", &to.place, path).body(body);
    shared.api.call(&call).await.map_err(send_error)
}

pub(crate) async fn post(
    shared: &Shared,
    channel: impl std::fmt::Display,
    to: &Address,
    parts: &[Part],
    key: &DeliveryKey,
) -> Result<Posted, ApiError> {
    let path = format!("/channels/{channel}/messages");
    let call = Call::new(Method::POST, "send", &to.place, path);
    let mut to = answer::late(shared, to).await;
    if shared.lacking.is_lacking(Right::Reply, &to.place, Instant::now()) {
        to.reply_to = None;
    }
    let mut is_voice = Voice::of(parts).is_some();
    loop {
        let body = match is_voice {
            true => message(&to, parts, key),
            false => message_of_files(&to, parts, key),
        };
        match shared.api.call(&call.clone().body(body)).await {
            // The answer is worth more than what it points at.
            Err(ApiError::Refused(refusal)) if to.reply_to.is_some() && is_about_the_reply(&refusal) => {
                tracing::debug!(%refusal, "Discord refused the reply, sending without it");
                if refusal.code == MAY_NOT_REPLY {
                    shared.lacking.note(Right::Reply, &to.place, Instant::now());
                }
                to.reply_to = None;
            }
            // The right to send voice messages is one of its own.
            Err(ApiError::Refused(refusal)) if is_voice => {
                tracing::debug!(%refusal, "Discord refused a voice message, sending it as a file");
                is_voice = false;
            }
            posted => return posted,
        }
    }
}

pub(crate) async fn edit(
    shared: &Shared,
    channel: impl std::fmt::Display,
    id: &str,
    to: &Address,
    parts: &[Part],
    key: &DeliveryKey,
) -> Result<Posted, ApiError> {
    let path = format!("/channels/{channel}/messages/{id}");
    let call = Call::new(Method::PATCH, "edit message", &to.place, path);
    let edited: Posted = shared.api.call(&call.body(changed(message(to, parts, key)))).await?;
    Ok(Posted {
        id: edited.id.or_else(|| Some(id.to_owned())),
        ..edited
    })
}

/// The body of an edit: what makes a message one of its own stays as it was.
fn changed(mut body: Body) -> Body {
    without_old_buttons(&mut body);
    let (Body::Json(json) | Body::Files { json, .. }) = &mut body else {
        return body;
    };
    if let Some(fields) = json.as_object_mut() {
        for only_new in ["nonce", "enforce_nonce", "message_reference"] {
            fields.remove(only_new);
        }
        fields.insert("allowed_mentions".to_owned(), json!({"parse": []}));
    }
    body
}

/// The key of a part whose draft cannot become it.
fn anew(key: &DeliveryKey) -> DeliveryKey {
    DeliveryKey(format!("{key}x"))
}

fn text_part(text: &str) -> Part {
    Part::Text {
        text: text.to_owned(),
        plain: text.to_owned(),
        rich: None,
        buttons: Vec::new(),
    }
}

pub(crate) fn living(shared: &Shared, to: &Address) -> Option<Via> {
    let via = to.via.as_deref().and_then(Via::parse);
    via.filter(|via| via.is_alive((shared.config.clock)()))
}

/// A thread is archived: <https://docs.discord.com/developers/topics/opcodes-and-status-codes#json>
fn is_archived(error: &ApiError) -> bool {
    matches!(error, ApiError::Refused(refusal) if refusal.code == ARCHIVED)
}

pub(crate) fn is_unknown(error: &ApiError) -> bool {
    matches!(error, ApiError::Refused(refusal) if refusal.code == UNKNOWN_MESSAGE)
}
