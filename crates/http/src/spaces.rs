//! Spaces: the groups and servers that the bot is in.

use axum::{Json, extract::State};
use clifford_core::id::SpaceId;
use clifford_store::places::spaces::{self, Space};
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader, managed_spaces},
    extract::{Id, Query},
    handler,
    page::{self, Page},
    problem::{Problem, ProblemBody},
};

/// Which spaces.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SpacesQuery {
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<SpaceId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of spaces, newest first. A person's token lists those that their person manages, as the platform says, among
/// the ones where they spoke.
#[utoipa::path(get, path = "/api/spaces", tag = "spaces", security(("bearer" = [])), params(SpacesQuery),
    responses((status = 200, body = Page<Space>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<SpacesQuery>,
) -> Result<Json<Page<Space>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    if let Some(me) = caller.only() {
        let managed = managed_spaces(&api, me).await?;
        let mut found = spaces::these(&mut api.db.read().await?, &managed).await?;
        found.retain(|space| wanted.before.is_none_or(|before| space.id < before));
        return Ok(Json(Page::of(found, limit, |space| space.id.to_string())));
    }
    let found = spaces::page(&mut api.db.read().await?, wanted.before, limit + 1).await?;
    Ok(Json(Page::of(found, limit, |space| space.id.to_string())))
}

/// One space.
#[utoipa::path(get, path = "/api/spaces/{id}", tag = "spaces", security(("bearer" = [])),
    params(("id" = String, Path, description = "The space")),
    responses((status = 200, body = Space), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<SpaceId>,
) -> Result<Json<Space>, Problem> {
    caller
        .allow(&api, Need::See, &Object::Space(id), format!("space {id}"))
        .await?;
    let found = spaces::get(&mut api.db.read().await?, id).await?;
    found.map(Json).ok_or_else(|| Problem::not_found(format!("space {id}")))
}
