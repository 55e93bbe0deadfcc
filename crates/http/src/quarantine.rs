//! Work that was set aside because processes died of it: listed, retried, and taken off the list.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::{id::RunId, work::Kind};
use clifford_store::{
    db::notify,
    deaths::{self, Quarantined},
};
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    access::{Admin, OwnerReader},
    extract::{Id, Query},
    handler,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
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
#[handler]
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

/// Work that is tried again.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Released {
    /// The kind of work.
    kind: Kind,
    /// Its id.
    id: String,
    /// The run that takes the place of the one that was set aside.
    #[schema(value_type = Option<String>)]
    run_id: Option<RunId>,
}

/// Retries quarantined work, as if no process had died of it. A run is tried again as a new one. A platform's event is
/// taken when the platform hands it in again.
#[utoipa::path(post, path = "/api/quarantine/{id}/retry", tag = "quarantine", security(("bearer" = [])),
    params(("id" = String, Path, description = "The work")),
    responses((status = 202, body = Released), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
#[handler]
pub(super) async fn retry(
    State(api): State<Shared>,
    _: Admin,
    Id(id): Id<String>,
) -> Result<(StatusCode, Json<Released>), Problem> {
    let Quarantined { kind, id, .. } = find_work(&api, &id).await?;
    let mut run_id = None;
    if kind == Kind::Run {
        let run = id.parse().map_err(|_| Problem::not_found(not_found_text(&id)))?;
        run_id = Some(api.runs.retry(run).await?.id);
    } else {
        let (work, now) = (id.clone(), api.clock.now());
        api.db
            .write(move |tx| {
                Box::pin(async move {
                    deaths::release(tx, kind, &work, now).await?;
                    notify::work(tx).await
                })
            })
            .await?;
    }
    Ok((StatusCode::ACCEPTED, Json(Released { kind, id, run_id })))
}

/// Takes a run, job or message off the list. It stays failed, and what people wrote for a run counts as deleted.
#[utoipa::path(post, path = "/api/quarantine/{id}/forget", tag = "quarantine", security(("bearer" = [])),
    params(("id" = String, Path, description = "The work")),
    responses((status = 204), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "A trigger, event or file is set aside as long as it is there")))]
#[handler]
pub(super) async fn forget(State(api): State<Shared>, _: Admin, Id(id): Id<String>) -> Result<StatusCode, Problem> {
    let Quarantined { kind, id, .. } = find_work(&api, &id).await?;
    let now = api.clock.now();
    let forgotten = api
        .db
        .write(move |tx| Box::pin(async move { deaths::forget(tx, kind, &id, now).await }));
    if forgotten.await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        let detail = format!("a quarantined {kind} is set aside as long as it is there; retry it");
        Err(Problem::new(Code::WrongState, detail))
    }
}

async fn find_work(api: &Shared, id: &str) -> Result<Quarantined, Problem> {
    let found = deaths::find(&mut api.db.read().await?, id).await?;
    found.ok_or_else(|| Problem::not_found(not_found_text(id)))
}

fn not_found_text(id: &str) -> String {
    format!("quarantined work {id}")
}
