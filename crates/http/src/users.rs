//! Users: the people whom the bot knows, and their accounts.

use axum::{
    Json,
    extract::{Request, State},
    http::StatusCode,
};
use clifford_chat::names;
use clifford_core::{
    id::UserId,
    people::{User, UserRole},
};
use clifford_store::{
    jobs::{self, Job},
    people::users::{self, Change, Filter, Identity},
};
use clifford_tools::settings::catalogue::Kind;
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader},
    extract::{Id, Query, body, check_text, nullable},
    handler,
    page::{self, Page},
    problem::{Problem, ProblemBody},
};

/// Longest name of a person.
const NAME: usize = 200;

/// Which people.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct UsersQuery {
    /// Only with this role.
    role: Option<UserRole>,
    /// Only those whose name, or an account of whom, has this in it; letter case aside.
    q: Option<String>,
    /// Only those who came before this one.
    #[param(value_type = Option<String>)]
    before: Option<UserId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of people, newest first.
#[utoipa::path(get, path = "/api/users", tag = "users", security(("bearer" = [])), params(UsersQuery),
    responses((status = 200, body = Page<User>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<UsersQuery>,
) -> Result<Json<Page<User>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    if let Some(words) = &wanted.q {
        check_text("q", words, NAME).map_err(|problem| problem.of_query())?;
    }
    let filter = Filter {
        role: wanted.role,
        like: wanted.q,
        only: caller.only(),
        before: wanted.before,
    };
    let found = users::page(&mut api.db.read().await?, filter, limit + 1).await?;
    Ok(Json(Page::of(found, limit, |user| user.id.to_string())))
}

/// One person.
#[utoipa::path(get, path = "/api/users/{id}", tag = "users", security(("bearer" = [])),
    params(("id" = String, Path, description = "The person")),
    responses((status = 200, body = User), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<UserId>,
) -> Result<Json<User>, Problem> {
    allowed(&api, &caller, Need::See, id).await?;
    one(&api, id).await.map(Json)
}

/// A person's accounts.
#[utoipa::path(get, path = "/api/users/{id}/identities", tag = "users", security(("bearer" = [])),
    params(("id" = String, Path, description = "The person")),
    responses((status = 200, body = Page<Identity>), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn identities(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<UserId>,
) -> Result<Json<Page<Identity>>, Problem> {
    allowed(&api, &caller, Need::See, id).await?;
    one(&api, id).await?;
    let found = users::identities(&mut api.db.read().await?, id).await?;
    Ok(Json(Page::whole(found)))
}

/// Changes to a person; a field that is left out stays as it is.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct UserChange {
    /// The name that others see: nothing in it is unseen, or turns text around. Others may have the same.
    name: Option<String>,
    /// The role; only an owner changes it. The last owner stays one.
    role: Option<UserRole>,
    /// Their language as a BCP 47 tag; `null`: it is not known.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>)]
    language: Option<Option<String>>,
    /// Their IANA time zone; `null`: it is not known.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>)]
    time_zone: Option<Option<String>>,
}

/// Changes a person.
#[utoipa::path(patch, path = "/api/users/{id}", tag = "users", security(("bearer" = [])), request_body = UserChange,
    params(("id" = String, Path, description = "The person")),
    responses((status = 200, body = User), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "They are the last owner")))]
#[handler]
pub(super) async fn change(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<UserId>,
    request: Request,
) -> Result<Json<User>, Problem> {
    allowed(&api, &caller, Need::Configure, id).await?;
    let change: UserChange = body(request, &api).await?;
    if change.role.is_some() {
        caller
            .allow_bot(Need::Administer)
            .map_err(|problem| problem.of_field("role"))?;
    }
    if let Some(name) = &change.name {
        check_text("name", name, NAME)?;
        if names::deceives(name) {
            let why = "it holds a character that nobody sees, or that turns text around; write it anew without";
            return Err(Problem::input("name", why));
        }
    }
    let change = Change {
        name: change.name,
        role: change.role,
        language: checked("language", Kind::Language, change.language)?,
        time_zone: checked("timeZone", Kind::TimeZone, change.time_zone)?,
    };
    let now = api.clock.now();
    let user = api
        .db
        .write(move |tx| Box::pin(async move { users::change(tx, id, &change, now).await }))
        .await?;
    Ok(Json(user))
}

fn checked(field: &str, kind: Kind, value: Option<Option<String>>) -> Result<Option<Option<String>>, Problem> {
    match value {
        Some(Some(text)) => match kind.checked(&text) {
            Ok(text) => Ok(Some(Some(text))),
            Err(why) => Err(Problem::input(field, why)),
        },
        other => Ok(other),
    }
}

/// Deletes a person and all of their data. It is done in the background, and done when there is no such person any
/// more.
#[utoipa::path(delete, path = "/api/users/{id}", tag = "users", security(("bearer" = [])),
    params(("id" = String, Path, description = "The person")),
    responses((status = 202, body = Job, description = "The job that does it"), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "They are the last owner")))]
#[handler]
pub(super) async fn erase(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<UserId>,
) -> Result<(StatusCode, Json<Job>), Problem> {
    allowed(&api, &caller, Need::Configure, id).await?;
    let now = api.clock.now();
    let job = api
        .db
        .write(move |tx| {
            Box::pin(async move {
                users::not_the_last_owner(tx, id).await?;
                jobs::erase(tx, id, now).await
            })
        })
        .await?;
    api.context.notify.jobs.notify_one();
    Ok((StatusCode::ACCEPTED, Json(job)))
}

/// Whether the caller may do this with a person.
async fn allowed(api: &Shared, caller: &Caller, need: Need, id: UserId) -> Result<(), Problem> {
    let allowed = caller.allow(api, need, &Object::person(id), format!("user {id}")).await;
    allowed.map(|_| ())
}

pub(super) async fn one(api: &Shared, id: UserId) -> Result<User, Problem> {
    users::get(&mut api.db.read().await?, id)
        .await?
        .ok_or_else(|| Problem::not_found(format!("user {id}")))
}
