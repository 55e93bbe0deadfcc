//! Messages that wait to be delivered, or were given up.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::id::{ChannelId, MessageId};
use clifford_store::{
    messages::undelivered::{self, Filter, Recipients, Undelivered},
    places::channels,
};
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader, Writer, managed_spaces},
    extract::{Id, Query},
    handler,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};

/// The reason of what is given up here.
const GIVEN_UP: &str = "given up by hand";

/// Which messages.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct OutboxQuery {
    /// Only those that were given up (`true`), or that still wait (`false`).
    failed: Option<bool>,
    /// Only those for this channel.
    #[param(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<MessageId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of messages that are not delivered, newest first: they wait, or were given up. A person's token lists those for
/// their own chats, and for the groups and servers that their person manages.
#[utoipa::path(get, path = "/api/outbox", tag = "outbox", security(("bearer" = [])), params(OutboxQuery),
    responses((status = 200, body = Page<Undelivered>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<OutboxQuery>,
) -> Result<Json<Page<Undelivered>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    let whose = match (caller.only(), wanted.channel_id) {
        (_, Some(channel)) => {
            caller.sees_channel(&api, channel).await?;
            Recipients::All
        }
        (Some(me), None) => Recipients::Of(me, managed_spaces(&api, me).await?),
        (None, None) => Recipients::All,
    };
    let filter = Filter {
        whose,
        failed: wanted.failed,
        channel: wanted.channel_id,
        before: wanted.before,
    };
    let found = undelivered::page(&mut api.db.read().await?, filter, limit + 1).await?;
    Ok(Json(Page::of(found, limit, |message| message.id.to_string())))
}

/// Sends a message again that was given up.
#[utoipa::path(post, path = "/api/outbox/{id}/resend", tag = "outbox", security(("bearer" = [])),
    params(("id" = String, Path, description = "The message")),
    responses((status = 202), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
#[handler]
pub(super) async fn resend(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<MessageId>,
) -> Result<StatusCode, Problem> {
    allowed(&api, &caller, id).await?;
    let again = api
        .db
        .write(move |tx| Box::pin(undelivered::send_again(tx, id)))
        .await?;
    if !again {
        let detail = "it still waits, or nothing is left of the files that it was";
        return Err(Problem::new(Code::WrongState, detail));
    }
    Ok(StatusCode::ACCEPTED)
}

/// Gives up a message that waits: it is not sent any more.
#[utoipa::path(post, path = "/api/outbox/{id}/give-up", tag = "outbox", security(("bearer" = [])),
    params(("id" = String, Path, description = "The message")),
    responses((status = 204), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
#[handler]
pub(super) async fn give_up(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<MessageId>,
) -> Result<StatusCode, Problem> {
    allowed(&api, &caller, id).await?;
    let given_up = api
        .db
        .write(move |tx| Box::pin(undelivered::give_up(tx, id, GIVEN_UP)))
        .await?;
    if !given_up {
        return Err(Problem::new(Code::WrongState, "it does not wait any more"));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Lets the caller change what becomes of an undelivered message.
async fn allowed(api: &Shared, caller: &Caller, id: MessageId) -> Result<(), Problem> {
    let what = format!("undelivered message {id}");
    let mut conn = api.db.read().await?;
    let Some(message) = undelivered::get(&mut conn, id).await? else {
        return Err(Problem::not_found(what));
    };
    let channel = channels::get(&mut conn, message.channel_id).await?;
    drop(conn);
    let object = channel.as_ref().map_or_else(Object::nobodys, Object::channel);
    caller.allow(api, Need::Change, &object, what).await?;
    Ok(())
}
