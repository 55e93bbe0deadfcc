//! Work that was set aside because processes died of it. `clifford quarantine` retries it.

use axum::{Json, extract::State};
use clifford_store::deaths::{self, Quarantined};
use serde::Deserialize;

use super::{
    Shared,
    auth::OwnerReader,
    extract::Query,
    page::{self, Page},
    problem::{Problem, ProblemBody},
};

/// How many.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct QuarantineQuery {
    /// The most to list, at most 200.
    limit: Option<u32>,
}

/// Quarantined work, the newest first.
#[utoipa::path(get, path = "/api/quarantine", tag = "quarantine", security(("bearer" = [])), params(QuarantineQuery),
    responses((status = 200, body = Page<Quarantined>), (status = 400, body = ProblemBody)))]
pub(super) async fn list(
    State(api): State<Shared>,
    _: OwnerReader,
    Query(wanted): Query<QuarantineQuery>,
) -> Result<Json<Page<Quarantined>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    Ok(Json(Page::whole(
        deaths::quarantined(&mut api.db.read().await?, limit).await?,
    )))
}
