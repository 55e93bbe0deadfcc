//! Contexts: conversations.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::{
    id::{ChannelId, ContextId, JobId, UserId},
    people::UserRole,
};
use clifford_engine::memory::closing;
use clifford_store::{
    contexts::{self, Context},
    jobs::{self, Job},
    people::users,
    places::channels,
};
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader, Writer},
    channels as channel_routes,
    extract::{Body, Id, Query, check_text},
    handler,
    memories::jobs_page,
    page::{self, Page},
    problem::{Problem, ProblemBody},
};

/// Longest name of a conversation.
const NAME: usize = 200;

/// Which conversations.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct ContextsQuery {
    /// Only of this channel.
    #[param(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// Only private ones of this person.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<ContextId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of conversations, newest first.
#[utoipa::path(get, path = "/api/contexts", tag = "contexts", security(("bearer" = [])), params(ContextsQuery),
    responses((status = 200, body = Page<Context>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<ContextsQuery>,
) -> Result<Json<Page<Context>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    let user = match wanted.channel_id {
        Some(channel) if wanted.user_id.is_none() => {
            caller.sees_channel(&api, channel).await?;
            None
        }
        _ => caller.owner_filter(&api, wanted.user_id).await?,
    };
    let mut conn = api.db.read().await?;
    let found = contexts::page(&mut conn, wanted.channel_id, user, wanted.before, limit + 1).await?;
    Ok(Json(Page::of(found, limit, |context| context.id.to_string())))
}

/// One conversation.
#[utoipa::path(get, path = "/api/contexts/{id}", tag = "contexts", security(("bearer" = [])),
    params(("id" = String, Path, description = "The conversation")),
    responses((status = 200, body = Context), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<ContextId>,
) -> Result<Json<Context>, Problem> {
    allowed(&api, &caller, Need::See, id).await.map(Json)
}

/// A conversation to be begun.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NewContext {
    /// The web channel; left out: the caller's own.
    #[schema(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// Its name; left out: named after its first exchange.
    name: Option<String>,
}

/// Starts a conversation in a web channel, and closes the active one.
#[utoipa::path(post, path = "/api/contexts", tag = "contexts", security(("bearer" = [])), request_body = NewContext,
    responses((status = 201, body = Context), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn create(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Body(new): Body<NewContext>,
) -> Result<(StatusCode, Json<Context>), Problem> {
    if let Some(name) = &new.name {
        check_text("name", name, NAME)?;
    }
    let place = channel_routes::place(&api, &caller, new.channel_id).await?;
    let speaker = caller.speaker();
    let now = api.clock.now();
    let id = api
        .db
        .write(move |tx| {
            Box::pin(async move {
                let user = users::find_or_create(tx, place.platform, &speaker, UserRole::Member, now).await?;
                let person = (place.kind.is_private()).then_some((user.id, speaker.id.as_str()));
                let channel = channels::find_or_create(tx, &place, person, now).await?;
                if let Some(active) = channel.active_context_id {
                    closing::close(tx, active, now).await?;
                }
                contexts::begin(tx, &channel, new.name.as_deref(), now).await
            })
        })
        .await?;
    Ok((StatusCode::CREATED, Json(find_context(&api, id).await?)))
}

/// Changes to a conversation; a field that is left out stays as it is.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextChange {
    /// Its name.
    name: Option<String>,
    /// `true` closes it. A message to it opens it again.
    closed: Option<bool>,
}

/// Renames or closes a conversation.
#[utoipa::path(patch, path = "/api/contexts/{id}", tag = "contexts", security(("bearer" = [])),
    request_body = ContextChange, params(("id" = String, Path, description = "The conversation")),
    responses((status = 200, body = Context), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn change(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<ContextId>,
    Body(change): Body<ContextChange>,
) -> Result<Json<Context>, Problem> {
    if let Some(name) = &change.name {
        check_text("name", name, NAME)?;
    }
    if change.closed == Some(false) {
        return Err(Problem::input("closed", "a message with its contextId opens it again"));
    }
    allowed(&api, &caller, Need::Change, id).await?;
    let now = api.clock.now();
    api.db
        .write(move |tx| {
            Box::pin(async move {
                if change.closed == Some(true) {
                    closing::close(tx, id, now).await?;
                }
                if let Some(name) = &change.name {
                    contexts::rename(tx, id, name).await?;
                }
                Ok(())
            })
        })
        .await?;
    find_context(&api, id).await.map(Json)
}

/// Which jobs of a conversation.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct JobsQuery {
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<JobId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of a conversation's jobs of the memory writer, newest first.
#[utoipa::path(get, path = "/api/contexts/{id}/jobs", tag = "contexts", security(("bearer" = [])),
    params(("id" = String, Path, description = "The conversation"), JobsQuery),
    responses((status = 200, body = Page<Job>), (status = 400, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn jobs(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<ContextId>,
    Query(wanted): Query<JobsQuery>,
) -> Result<Json<Page<Job>>, Problem> {
    allowed(&api, &caller, Need::See, id).await?;
    let filter = jobs::Filter {
        context: Some(id),
        before: wanted.before,
        ..jobs::Filter::default()
    };
    jobs_page(&api, &filter, wanted.limit).await
}

/// A conversation that the caller may do this with.
pub(super) async fn allowed(api: &Shared, caller: &Caller, need: Need, id: ContextId) -> Result<Context, Problem> {
    let context = find_context(api, id).await?;
    caller
        .allow(api, need, &Object::context(&context), format!("context {id}"))
        .await?;
    Ok(context)
}

/// One conversation.
async fn find_context(api: &Shared, id: ContextId) -> Result<Context, Problem> {
    contexts::get(&mut api.db.read().await?, id)
        .await?
        .ok_or_else(|| Problem::not_found(format!("context {id}")))
}
