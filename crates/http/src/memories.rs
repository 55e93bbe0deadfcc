//! Memories: the items of people, and the jobs of the memory writer.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::{
    id::{ContextId, JobId, MemoryItemId, MessageId, UserId},
    memory::{content::Content, levels::LEVELS, source},
    work::JobKind,
};
use clifford_engine::memory::editing::{self, Change, NewItem, Visibility};
use clifford_store::{
    jobs::{self, Job},
    memory::{
        admin::{self as memory_admin, Filter, Item},
        source as memory_source,
    },
    people::users,
};
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    access::{Caller, Need, Object, Reader, Writer},
    extract::{Body, Id, Query},
    handler,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};

/// The level of an item whose level is not given.
const LEVEL: i64 = 1;

/// Which items.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct MemoriesQuery {
    /// Only of this person. A person's token may leave it out; else only one with the scope `admin`.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Only of this module.
    module: Option<String>,
    /// Only of this level.
    level: Option<u32>,
    /// Only archived ones, or only active ones.
    archived: Option<bool>,
    /// Only items whose key or value contains this text; case does not matter.
    q: Option<String>,
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<MemoryItemId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of items, newest first.
#[utoipa::path(get, path = "/api/memories", tag = "memories", security(("bearer" = [])), params(MemoriesQuery),
    responses((status = 200, body = Page<Item>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<MemoriesQuery>,
) -> Result<Json<Page<Item>>, Problem> {
    let user = caller.owner_filter(&api, wanted.user_id).await?;
    if user.is_none() && !caller.is_admin() {
        let detail = "name the person; only a token with the scope `admin` lists those of everybody";
        return Err(Problem::new(Code::InvalidQuery, detail).of_field("userId"));
    }
    let limit = page::limit(wanted.limit)?;
    let last = LEVELS.len().saturating_sub(1);
    if wanted
        .level
        .is_some_and(|level| usize::try_from(level).is_ok_and(|level| level > last))
    {
        let detail = format!("there is no such level; they are 0 to {last}");
        return Err(Problem::new(Code::InvalidQuery, detail).of_field("level"));
    }
    let filter = Filter {
        user,
        module: wanted.module,
        level: wanted.level.map(i64::from),
        archived: wanted.archived,
        text: wanted.q,
        before: wanted.before,
    };
    let found = memory_admin::page(&mut api.db.read().await?, &filter, limit + 1).await?;
    Ok(Json(Page::of(found, limit, |item| item.id.to_string())))
}

/// One item.
#[utoipa::path(get, path = "/api/memories/{id}", tag = "memories", security(("bearer" = [])),
    params(("id" = String, Path, description = "The item")),
    responses((status = 200, body = Item), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<MemoryItemId>,
) -> Result<Json<Item>, Problem> {
    find_item(&api, &caller, Need::See, id).await.map(Json)
}

/// Where an item comes from.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MemorySource {
    /// The conversation; `null`: it was noted outside of one.
    #[schema(value_type = Option<String>)]
    context_id: Option<ContextId>,
    /// The message of its person there that has the most of its words, rare ones before common ones; `null`: none has any,
    /// or the message is gone.
    #[schema(value_type = Option<String>)]
    message_id: Option<MessageId>,
}

/// The conversation and the message that an item comes from.
#[utoipa::path(get, path = "/api/memories/{id}/source", tag = "memories", security(("bearer" = [])),
    params(("id" = String, Path, description = "The item")),
    responses((status = 200, body = MemorySource), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn source_of(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<MemoryItemId>,
) -> Result<Json<MemorySource>, Problem> {
    let item = find_item(&api, &caller, Need::See, id).await?;
    let said = memory_source::candidates(&mut api.db.read().await?, &item).await?;
    Ok(Json(MemorySource {
        context_id: item.context_id,
        message_id: source::of(&item.key, &item.value, &said),
    }))
}

/// An item that the caller may do this with.
async fn find_item(api: &Shared, caller: &Caller, need: Need, id: MemoryItemId) -> Result<Item, Problem> {
    let item = memory_admin::get(&mut api.db.read().await?, id).await?;
    let item = item.ok_or_else(|| unknown(id))?;
    caller
        .allow(api, need, &Object::person(item.user_id), format!("memory item {id}"))
        .await?;
    Ok(item)
}

/// An item to be remembered.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NewMemory {
    /// The person.
    #[schema(value_type = String)]
    user_id: UserId,
    /// identity, preferences, constraints, projects, relationships, environment or recent_context.
    module: String,
    /// Short snake_case, such as `cat_name`.
    key: String,
    /// The text to remember; its maximum length depends on the level.
    value: String,
    /// 0 (durable) to 5 (detailed and recent); left out: 1.
    level: Option<i64>,
    /// The confidence, 0 to 1; left out: 1.
    confidence: Option<f64>,
    /// Whether the bot may use it wherever its person speaks to it; left out: in private only.
    shareable: Option<bool>,
    /// Only its person changes it.
    pinned: Option<bool>,
}

/// Adds a memory item for a person. A full level archives the item that has not come up for longest.
#[utoipa::path(post, path = "/api/memories", tag = "memories", security(("bearer" = [])), request_body = NewMemory,
    responses((status = 201, body = Item), (status = 422, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "There is an active item of that module and key")))]
#[handler]
pub(super) async fn create(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Body(new): Body<NewMemory>,
) -> Result<(StatusCode, Json<Item>), Problem> {
    let user = new.user_id;
    let (object, what) = (Object::person(user), format!("user {user}"));
    caller.allow_field(&api, Need::Change, &object, "userId", what).await?;
    let known = users::get(&mut api.db.read().await?, user).await?;
    known.ok_or_else(|| Problem::input("userId", format!("there is no user {user}")))?;
    let new = NewItem {
        user,
        content: Content {
            module: new.module,
            key: new.key,
            value: new.value,
            level: new.level.unwrap_or(LEVEL),
            confidence: new.confidence.unwrap_or(1.0),
        },
        shareable: new.shareable.unwrap_or(false),
        pinned: new.pinned.unwrap_or(false),
    };
    let now = api.clock.now();
    let item = api
        .db
        .write(move |tx| Box::pin(async move { editing::add(tx, new, now).await }))
        .await??;
    Ok((StatusCode::CREATED, Json(item)))
}

/// Changes to an item; a field that is left out stays as it is.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MemoryChange {
    /// Its module.
    module: Option<String>,
    /// Its key.
    key: Option<String>,
    /// Its value. A new value is used in private only, unless the item is shareable.
    value: Option<String>,
    /// Its level.
    level: Option<i64>,
    /// The confidence.
    confidence: Option<f64>,
    /// Only its person changes it.
    pinned: Option<bool>,
    /// Whether it is archived.
    archived: Option<bool>,
    /// Whether the bot may use it wherever its person speaks to it.
    shareable: Option<bool>,
    /// `true`: used in private only, even if it was said elsewhere.
    private: Option<bool>,
}

impl MemoryChange {
    fn known(&self) -> Result<Option<Visibility>, Problem> {
        match (self.shareable, self.private) {
            (_, Some(false)) => Err(Problem::input("private", "`shareable` makes it known elsewhere")),
            (Some(true), Some(true)) => Err(Problem::input("private", "it is either private or shareable")),
            (_, Some(true)) => Ok(Some(Visibility::InPrivate)),
            (Some(true), None) => Ok(Some(Visibility::Everywhere)),
            (Some(false), None) => Ok(Some(Visibility::WhereItWasSaid)),
            (None, None) => Ok(None),
        }
    }
}

/// Changes an item, pinned or not, as its person may.
#[utoipa::path(patch, path = "/api/memories/{id}", tag = "memories", security(("bearer" = [])),
    request_body = MemoryChange, params(("id" = String, Path, description = "The item")),
    responses((status = 200, body = Item), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "There is another active item of that module and key")))]
#[handler]
pub(super) async fn change(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<MemoryItemId>,
    Body(change): Body<MemoryChange>,
) -> Result<Json<Item>, Problem> {
    let known = change.known()?;
    find_item(&api, &caller, Need::Change, id).await?;
    let change = Change {
        module: change.module,
        key: change.key,
        value: change.value,
        level: change.level,
        confidence: change.confidence,
        pinned: change.pinned,
        archived: change.archived,
        known,
    };
    let now = api.clock.now();
    let item = api
        .db
        .write(move |tx| Box::pin(async move { editing::change(tx, id, change, now).await }))
        .await??;
    Ok(Json(item))
}

/// Deletes an item for good. An item archived under the same key is an item of its own.
#[utoipa::path(delete, path = "/api/memories/{id}", tag = "memories", security(("bearer" = [])),
    params(("id" = String, Path, description = "The item")),
    responses((status = 204, description = "It is gone"), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn forget(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<MemoryItemId>,
) -> Result<StatusCode, Problem> {
    find_item(&api, &caller, Need::Change, id).await?;
    let deleted = api
        .db
        .write(move |tx| Box::pin(async move { memory_admin::delete(tx, id).await }))
        .await?;
    if deleted {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown(id))
    }
}

fn unknown(id: MemoryItemId) -> Problem {
    Problem::not_found(format!("memory item {id}"))
}

/// Which memory writes.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct JobsQuery {
    /// Only of this conversation.
    #[param(value_type = Option<String>)]
    context_id: Option<ContextId>,
    /// Only of this person's conversations.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<JobId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of past and pending jobs of the memory writer, newest first.
#[utoipa::path(get, path = "/api/memories/jobs", tag = "memories", security(("bearer" = [])), params(JobsQuery),
    responses((status = 200, body = Page<Job>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn writes(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<JobsQuery>,
) -> Result<Json<Page<Job>>, Problem> {
    let user = match wanted.context_id {
        Some(context) if wanted.user_id.is_none() => {
            caller.sees_context(&api, context).await?;
            None
        }
        _ => caller.owner_filter(&api, wanted.user_id).await?,
    };
    let filter = jobs::Filter {
        kind: Some(JobKind::MemoryWrite),
        context: wanted.context_id,
        user,
        before: wanted.before,
    };
    jobs_page(&api, &filter, wanted.limit).await
}

/// A page of jobs.
pub(super) async fn jobs_page(
    api: &Shared,
    filter: &jobs::Filter,
    limit: Option<u32>,
) -> Result<Json<Page<Job>>, Problem> {
    let limit = page::limit(limit)?;
    let found = jobs::page(&mut api.db.read().await?, filter, limit + 1).await?;
    Ok(Json(Page::of(found, limit, |job| job.id.to_string())))
}
