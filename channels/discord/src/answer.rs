//! Answers to interactions: the first part takes the place of the acknowledgement, and "is thinking" never stays.

use std::time::Duration;

use clifford_channel::{Address, DeliveryKey, Part, SendError, lenient};
use reqwest::Method;
use serde_json::{Value, json};
use serenity::model::channel::MessageFlags;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::{
    answers::{Original, Placeholder},
    api::{ApiError, Body, Call},
    drafts::is_passing,
    map::id,
    post::{Posted, channel, has_ended, response, send_error, text_of, to_one, without_old_buttons},
    shared::Shared,
    via::Via,
    wait::Backoff,
};

/// How many messages after an interaction are looked through for its response.
const NEAR: usize = 50;
/// How long that may take: the answer waits for it.
const FOUND_WITHIN: Duration = Duration::from_secs(5);

/// The first part takes the place of the acknowledgement, the others follow it.
pub(crate) async fn parts(shared: &Shared, via: &Via, parts: &[Part], key: &DeliveryKey) -> Result<Posted, ApiError> {
    let mut original = shared.answers.hold(via, (shared.config.clock)()).await;
    let stands = match original.clone() {
        Some(stands) => stands,
        None => match read(shared, via).await? {
            (Original::Part(_), posted) if !posted.content.is_empty() && posted.content == text_of(parts) => {
                *original = Some(Original::Part(key.clone()));
                return Ok(posted);
            }
            (stands, _) => stands,
        },
    };
    match stands {
        Original::Part(first) if first != *key => {
            *original = Some(Original::Part(first));
            let path = format!("/webhooks/{}/{}", via.application, via.token);
            let call = Call::new(Method::POST, "follow up", via.interaction, path);
            // It is not as the first one by itself: <https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages>
            let body = if via.alone {
                to_one(response(parts))
            } else {
                response(parts)
            };
            shared.api.call(&call.body(body)).await
        }
        Original::Open(_) | Original::Part(_) => {
            let answer = edit(shared, via, response(parts)).await;
            *original = Some(match &answer {
                // Whether it was taken is not known: the same part goes there again.
                Ok(_) | Err(ApiError::Unreachable(_) | ApiError::Failed(_)) => Original::Part(key.clone()),
                Err(ApiError::Limited(_) | ApiError::Refused(_)) => Original::Open(None),
            });
            answer
        }
    }
}

/// A part takes the place of the message below which something was pressed, with its menus and buttons.
pub(crate) async fn in_place(shared: &Shared, via: &Via, parts: &[Part]) -> Result<Posted, ApiError> {
    edit(shared, via, response(parts)).await
}

/// Shows what stands until the answer comes in the place of the acknowledgement; `false`: something else must stay there.
pub(crate) async fn draft(shared: &Shared, via: &Via, part: &[Part]) -> Result<bool, ApiError> {
    let mut original = shared.answers.hold(via, (shared.config.clock)()).await;
    let stands = match original.clone() {
        Some(stands) => stands,
        None => read(shared, via).await?.0,
    };
    match stands {
        // No draft may be left behind where nothing can be changed soon.
        Original::Open(Some(Placeholder::Below)) => {
            *original = Some(stands);
            Ok(false)
        }
        Original::Open(_) => {
            edit(shared, via, response(part)).await?;
            *original = Some(Original::Open(None));
            Ok(true)
        }
        Original::Part(_) => Ok(false),
    }
}

/// Shows a question in the place of the acknowledgement, for a thread to begin there, and returns that message's id.
pub(crate) async fn head(shared: &Shared, via: &Via, title: &str) -> Result<u64, ApiError> {
    let mut original = shared.answers.hold(via, (shared.config.clock)()).await;
    let body = Body::Json(json!({"content": format!("💬 {title}"), "allowed_mentions": {"parse": []}}));
    let posted = edit(shared, via, body).await?;
    // Further replies to the command follow it.
    *original = Some(Original::Part(DeliveryKey(String::new())));
    let id = posted.id.and_then(|id| id.parse().ok());
    id.ok_or_else(|| ApiError::Unreachable("Discord did not tell the id of its response".to_owned()))
}

/// An interaction is being answered: it is looked after, also if an earlier process acknowledged it.
pub(crate) fn at_work(shared: &Shared, to: &Address) {
    let now = (shared.config.clock)();
    let via = to.via.as_deref().and_then(Via::parse);
    if let Some(via) = via.filter(|via| via.is_alive(now)) {
        shared.answers.at_work(&via, now);
    }
}

/// Says in the place of each interaction that is about to end, and was not answered, that its answer comes below.
pub(crate) async fn announce_late(shared: &Shared, stop: &CancellationToken) {
    let mut ticks = tokio::time::interval(shared.config.timing.late_every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        for via in shared.answers.ending((shared.config.clock)()) {
            if let Err(error) = below(shared, &via).await {
                tracing::debug!(%error, interaction_id = via.interaction, "failed to announce a late answer");
            }
        }
    }
}

async fn below(shared: &Shared, via: &Via) -> Result<(), ApiError> {
    let known = shared.answers.hold(via, (shared.config.clock)()).await.clone();
    match known {
        Some(Original::Open(Some(Placeholder::Silent))) => Ok(()),
        Some(_) | None => put_placeholder(shared, via, Placeholder::Below).await,
    }
}

/// Where an answer goes whose interaction has ended: to its channel, pointing at the placeholder of the command.
pub(crate) async fn late(shared: &Shared, to: &Address) -> Address {
    let via = to.via.as_deref().and_then(Via::parse);
    let reply_to = match (via, channel(to)) {
        (Some(via), Ok(channel)) if !to.private => original_in(shared, channel, via.interaction).await,
        _ => return to.clone(),
    };
    Address {
        reply_to,
        via: None,
        ..to.clone()
    }
}

/// The message that stands for an interaction: one of the first after it.
async fn original_in(shared: &Shared, channel: u64, interaction: u64) -> Option<String> {
    let path = format!("/channels/{channel}/messages?after={interaction}&limit={NEAR}");
    let mut call = Call::new(Method::GET, "read messages", channel, path);
    call.urgent = Some(FOUND_WITHIN);
    let near: Vec<Value> = match shared.api.call(&call).await {
        Ok(near) => near,
        Err(error) => {
            tracing::debug!(%error, interaction_id = interaction, "failed to find the placeholder of a command");
            return None;
        }
    };
    let original = near.iter().find(|message| {
        let of = |name| lenient::object(message, name).and_then(|asked| id(asked, "id"));
        of("interaction_metadata").or_else(|| of("interaction")) == Some(interaction)
    });
    id(original?, "id").map(|id| id.to_string())
}

/// Puts a word in place of a draft that nothing comes of.
pub(crate) async fn undraft(shared: &Shared, via: &Via, stand: Placeholder) -> Result<(), ApiError> {
    put_placeholder(shared, via, stand).await
}

/// Nothing is at work for an interaction any more: if nothing was said, its place says so.
pub(crate) async fn end_thinking(shared: &Shared, to: &Address) -> Result<(), SendError> {
    let via = to.via.as_deref().and_then(Via::parse);
    let Some(via) = via.filter(|via| via.is_alive((shared.config.clock)())) else {
        return Ok(());
    };
    match put_placeholder(shared, &via, Placeholder::Silent).await {
        // Nobody comes back to this.
        Err(ApiError::Unreachable(_) | ApiError::Failed(_)) => put_placeholder(shared, &via, Placeholder::Silent).await,
        other => other,
    }
    .map_err(send_error)
}

/// Puts a word in place of "is thinking", however often it must be tried while the interaction lives.
pub(crate) async fn placeholder_with_retries(shared: &Shared, via: &Via, stand: Placeholder) {
    let mut backoff = Backoff::new(&shared.config.timing);
    while via.is_alive((shared.config.clock)()) {
        let wait = match put_placeholder(shared, via, stand).await {
            Ok(()) => return,
            Err(ApiError::Limited(wait)) => wait,
            Err(ApiError::Unreachable(_) | ApiError::Failed(_)) => backoff.next(),
            Err(ApiError::Refused(refusal)) => {
                tracing::debug!(%refusal, "failed to replace the placeholder of a command");
                return;
            }
        };
        tokio::time::sleep(wait).await;
    }
}

/// Takes the "is thinking" away from an interaction that will not be answered.
pub(crate) async fn remove(shared: &Shared, via: &Via) {
    if let Err(error) = shared.api.call::<Value>(&original_call(via, Method::DELETE)).await {
        tracing::debug!(%error, interaction_id = via.interaction, "failed to delete the placeholder of an ignored command");
    }
}

/// Tells the person who gave an interaction, and nobody else, that it is not theirs.
pub(crate) async fn refuse(shared: &Shared, via: &Via, text: &str) {
    // Everybody sees that it is being answered: what only one person sees is a message of its own.
    remove(shared, via).await;
    tell_alone(shared, via, text).await;
}

/// Says something that only the person sees who gave an interaction.
pub(crate) async fn tell_alone(shared: &Shared, via: &Via, text: &str) {
    let path = format!("/webhooks/{}/{}", via.application, via.token);
    let body = Body::Json(
        json!({"content": text, "flags": MessageFlags::EPHEMERAL.bits(), "allowed_mentions": {"parse": []}}),
    );
    let call = Call::new(Method::POST, "follow up", via.interaction, path).body(body);
    if let Err(error) = shared.api.call::<Value>(&call).await {
        tracing::debug!(%error, interaction_id = via.interaction, "failed to send a refusal");
    }
}

/// Puts a word in place of "is thinking", unless an answer is there.
async fn put_placeholder(shared: &Shared, via: &Via, stand: Placeholder) -> Result<(), ApiError> {
    let mut original = shared.answers.hold(via, (shared.config.clock)()).await;
    if matches!(&*original, Some(Original::Part(_))) || *original == Some(Original::Open(Some(stand))) {
        return Ok(());
    }
    // Another process may have answered in the meantime.
    let stands = match read(shared, via).await {
        Ok((stands, _)) => stands,
        Err(ApiError::Refused(refusal)) if has_ended(&refusal) => return Ok(()),
        Err(error) => return Err(error),
    };
    let is_open = match stands {
        // Nothing is at work for it: no answer comes below.
        Original::Open(Some(Placeholder::Silent)) => stand != Placeholder::Below,
        Original::Open(_) => true,
        Original::Part(_) => false,
    };
    if is_open {
        let text = stand.text(shared.answers.lang(via));
        let word = Body::Json(json!({"content": text, "allowed_mentions": {"parse": []}}));
        edit(shared, via, word).await?;
        *original = Some(Original::Open(Some(stand)));
    }
    Ok(())
}

/// Reads the original response from Discord.
async fn read(shared: &Shared, via: &Via) -> Result<(Original, Posted), ApiError> {
    let posted: Posted = shared.api.call(&original_call(via, Method::GET)).await?;
    let stand = Placeholder::of(&posted.content);
    let stands = if posted.flags & MessageFlags::LOADING.bits() != 0 || stand.is_some() || is_passing(&posted.content) {
        Original::Open(stand)
    } else {
        Original::Part(DeliveryKey(String::new()))
    };
    Ok((stands, posted))
}

async fn edit(shared: &Shared, via: &Via, mut body: Body) -> Result<Posted, ApiError> {
    without_old_buttons(&mut body);
    shared.api.call(&original_call(via, Method::PATCH).body(body)).await
}

fn original_call(via: &Via, method: Method) -> Call {
    let route = match method {
        Method::GET => "read original",
        Method::DELETE => "delete original",
        _ => "edit original",
    };
    let path = format!("/webhooks/{}/{}/messages/@original", via.application, via.token);
    Call::new(method, route, via.interaction, path)
}
