//! The REST routes but for interactions.

use axum::{
    Json, Router,
    extract::{Path, Query, Request, State as Extract},
    http::StatusCode,
    middleware,
    response::{IntoResponse, Response},
    routing::{get, patch, post, put},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Shared, commands,
    error::Refusal,
    files,
    gate::gate,
    gateway, interactions,
    json::FORUM,
    messages::{self, Draft},
    reactions,
    rights::{self, permission},
    state::{self, Room, State},
};

pub(super) fn router(shared: Shared) -> Router {
    let api = Router::new()
        .route("/gateway", get(gateway_url))
        .route("/gateway/bot", get(gateway_bot))
        .route("/users/@me", get(me))
        .route("/users/@me/channels", post(open_dm))
        .route("/applications/@me", get(application))
        .route("/oauth2/applications/@me", get(application))
        .route("/applications/{id}/commands", get(commands::read).put(commands::put))
        .route(
            "/applications/{id}/guilds/{guild}/commands",
            get(commands::read_of_guild).put(commands::put_of_guild),
        )
        .route("/channels/{id}", get(read_channel))
        .route("/channels/{id}/messages", get(read_messages).post(send_message))
        .route(
            "/channels/{id}/messages/{message}",
            get(read_message).patch(edit_message).delete(delete_message),
        )
        .route(
            "/channels/{id}/messages/pins/{message}",
            put(rights::pin).delete(rights::unpin),
        )
        .route(
            "/channels/{id}/messages/{message}/reactions/{emoji}/@me",
            put(reactions::add).delete(reactions::remove),
        )
        .route("/channels/{id}/threads", post(rights::thread))
        .route(
            "/channels/{id}/messages/{message}/threads",
            post(rights::thread_of_message),
        )
        .route("/guilds/{id}", get(rights::guild))
        .route("/guilds/{id}/members/{user}", get(rights::member))
        .route("/channels/{id}/typing", post(typing))
        .route("/attachments/refresh-urls", post(files::refresh))
        .route("/interactions/{id}/{token}/callback", post(interactions::acknowledge))
        .route("/webhooks/{application}/{token}", post(interactions::follow_up))
        .route(
            "/webhooks/{application}/{token}/messages/@original",
            patch(interactions::edit_original)
                .get(interactions::read_original)
                .delete(interactions::delete_original),
        )
        .fallback(|| async { StatusCode::NOT_FOUND })
        .layer(middleware::from_fn_with_state(shared.clone(), gate));
    Router::new()
        .nest("/api/v10", api)
        .route("/attachments/{channel}/{place}/{name}", get(files::content))
        .route("/gateway", get(gateway::upgrade))
        .route("/gateway/", get(gateway::upgrade))
        .with_state(shared)
}

async fn gateway_url(Extract(shared): Extract<Shared>) -> Json<Value> {
    Json(json!({"url": shared.state().ws_url}))
}

async fn gateway_bot(Extract(shared): Extract<Shared>) -> Json<Value> {
    let state = shared.state();
    let reset_after = u64::try_from(state.gateway.reset_after.as_millis()).unwrap_or(u64::MAX);
    Json(json!({
        "url": state.ws_url, "shards": state.gateway.shards,
        "session_start_limit": {
            "total": 1000, "remaining": state.gateway.identifies_left, "reset_after": reset_after,
            "max_concurrency": state.gateway.concurrency,
        },
    }))
}

async fn me(Extract(shared): Extract<Shared>) -> Json<Value> {
    let state = shared.state();
    Json(state.users.get(&state.bot).cloned().unwrap_or_default())
}

/// The message content intent, as bots in fewer than 100 servers have it.
const MESSAGE_CONTENT_LIMITED: u64 = 1 << 19;

async fn application(Extract(shared): Extract<Shared>) -> Json<Value> {
    let state = shared.state();
    let bot = state.users.get(&state.bot);
    let flags = if state.gateway.message_content {
        MESSAGE_CONTENT_LIMITED
    } else {
        0
    };
    Json(json!({
        "id": state.application.to_string(), "name": "Clifford", "icon": null, "description": "", "bot": bot,
        "bot_public": true, "bot_require_code_grant": false, "verify_key": "0", "flags": flags,
    }))
}

#[derive(Deserialize)]
struct OpenDm {
    recipient_id: String,
}

async fn open_dm(Extract(shared): Extract<Shared>, Json(body): Json<OpenDm>) -> Response {
    match body.recipient_id.parse().ok().and_then(|user| shared.open_dm(user)) {
        Some(room) => Json(room).into_response(),
        None => Refusal::new(400, 50_007, "Cannot send messages to this user").into_response(),
    }
}

async fn read_channel(Extract(shared): Extract<Shared>, Path(id): Path<u64>) -> Response {
    let state = shared.state();
    match state.channels.get(&id) {
        Some(room) => room
            .refusal()
            .map_or_else(|| Json(&room.json).into_response(), IntoResponse::into_response),
        None => unknown_channel().into_response(),
    }
}

fn unknown_channel() -> Refusal {
    Refusal::new(404, 10_003, "Unknown Channel")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct History {
    after: Option<u64>,
    before: Option<u64>,
    limit: Option<usize>,
}

/// One message, as the history has it.
async fn read_message(Extract(shared): Extract<Shared>, Path((id, message)): Path<(u64, u64)>) -> Response {
    let state = shared.state();
    let Some(room) = state.channels.get(&id) else {
        return unknown_channel().into_response();
    };
    if rights::may(&state, id, permission::READ_MESSAGE_HISTORY).is_err() {
        return Refusal::new(403, 50_001, "Missing Access").into_response();
    }
    let found = room
        .messages
        .get(&message)
        .filter(|message| !interactions::is_ephemeral(message));
    match (room.refusal(), found) {
        (Some(refusal), _) => refusal.into_response(),
        (None, Some(message)) => Json(told(&state, room, message)).into_response(),
        (None, None) => Refusal::new(404, 10_008, "Unknown Message").into_response(),
    }
}

/// The messages next to `after`, or the newest: newest first in either case.
async fn read_messages(Extract(shared): Extract<Shared>, Path(id): Path<u64>, query: Query<History>) -> Response {
    let mut guard = shared.state();
    let state = &mut *guard;
    let limit = query.limit.unwrap_or(50);
    if !(1..=100).contains(&limit) {
        return shared.refuse(
            state,
            Refusal::field("limit", "NUMBER_TYPE_MAX", "int value should be 1 to 100."),
        );
    }
    let Some(room) = state.channels.get(&id) else {
        return unknown_channel().into_response();
    };
    if let Some(refusal) = room.refusal() {
        return refusal.into_response();
    }
    // <https://docs.discord.com/developers/resources/message#get-channel-messages>
    if rights::may(state, id, permission::READ_MESSAGE_HISTORY).is_err() {
        return Json(json!([])).into_response();
    }
    let first = query.after.map_or(0, |after| after.saturating_add(1));
    let end = query.before.unwrap_or(u64::MAX).max(first);
    let range = room.messages.range(first..end).map(|(_, message)| message);
    let range = range.filter(|message| !interactions::is_ephemeral(message));
    let mut page: Vec<&Value> = if query.after.is_some() {
        range.take(limit).collect()
    } else {
        range.rev().take(limit).collect()
    };
    if query.after.is_some() {
        page.reverse();
    }
    let page: Vec<Value> = page.into_iter().map(|message| told(state, room, message)).collect();
    Json(page).into_response()
}

/// A message as the bot is told of it: of its application's flags depends what it says.
fn told(state: &State, room: &Room, message: &Value) -> Value {
    let mut message = message.clone();
    if room.guild.is_some() && !state.gateway.message_content {
        state::withhold(state.bot, &mut message);
    }
    message
}

async fn send_message(Extract(shared): Extract<Shared>, Path(id): Path<u64>, request: Request) -> Response {
    let refusal = match shared.state().channels.get(&id) {
        // <https://docs.discord.com/developers/topics/opcodes-and-status-codes#json>
        Some(room) if room.json["type"] == FORUM => {
            Some(Refusal::new(400, 50_008, "Cannot send messages in a non-text channel"))
        }
        Some(room) => room.refusal(),
        None => Some(unknown_channel()),
    };
    if let Some(refusal) = refusal {
        return refusal.into_response();
    }
    let posted = match Draft::read(request).await {
        Ok(draft) => {
            if let Some(status) = poisoned(&shared, &draft) {
                return status.into_response();
            }
            messages::post(&shared, id, &draft)
        }
        Err(refusal) => Err(refusal),
    };
    match posted {
        Ok(message) => Json(message).into_response(),
        Err(refusal) => shared.refuse(&mut shared.state(), refusal),
    }
}

/// The status that a message's words are answered with, if they are.
fn poisoned(shared: &Shared, draft: &Draft) -> Option<StatusCode> {
    let content = draft.body["content"].as_str().unwrap_or_default();
    let state = shared.state();
    let poison = state.poison.iter().find(|(words, _)| content.contains(words));
    poison.and_then(|(_, status)| StatusCode::from_u16(*status).ok())
}

async fn edit_message(
    Extract(shared): Extract<Shared>,
    Path((id, message)): Path<(u64, u64)>,
    request: Request,
) -> Response {
    let edited = match Draft::read(request).await {
        Ok(draft) => messages::edit(&shared, id, message, &draft),
        Err(refusal) => Err(refusal),
    };
    match edited {
        Ok(message) => Json(message).into_response(),
        Err(refusal) => shared.refuse(&mut shared.state(), refusal),
    }
}

async fn delete_message(Extract(shared): Extract<Shared>, Path((id, message)): Path<(u64, u64)>) -> Response {
    match messages::delete(&shared, id, message) {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(refusal) => shared.refuse(&mut shared.state(), refusal),
    }
}

async fn typing(Extract(shared): Extract<Shared>, Path(id): Path<u64>) -> Response {
    let mut guard = shared.state();
    let may_write = messages::may_write(&guard, id).err();
    let refusal = match guard.channels.get_mut(&id) {
        Some(room) => {
            room.typings += 1;
            may_write.or_else(|| room.refusal())
        }
        None => Some(unknown_channel()),
    };
    drop(guard);
    shared.changed();
    refusal.map_or_else(|| StatusCode::NO_CONTENT.into_response(), IntoResponse::into_response)
}
