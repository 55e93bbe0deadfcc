//! Agents.

use axum::{Json, extract::State};
use clifford_core::{id::AgentId, places::Mode};
use clifford_store::places::agents::{self, Agent};
use serde::Deserialize;

use super::{
    Shared,
    auth::{Admin, OwnerReader},
    extract::{Body, Id},
    page::Page,
    problem::{Problem, ProblemBody},
};

/// Every agent, by name.
#[utoipa::path(get, path = "/api/agents", tag = "agents", security(("bearer" = [])),
    responses((status = 200, body = Page<Agent>)))]
pub(super) async fn list(State(api): State<Shared>, _: OwnerReader) -> Result<Json<Page<Agent>>, Problem> {
    Ok(Json(Page::whole(agents::list(&mut api.db.read().await?).await?)))
}

/// One agent.
#[utoipa::path(get, path = "/api/agents/{id}", tag = "agents", security(("bearer" = [])),
    params(("id" = String, Path, description = "The agent")),
    responses((status = 200, body = Agent), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(api): State<Shared>,
    _: OwnerReader,
    Id(id): Id<AgentId>,
) -> Result<Json<Agent>, Problem> {
    one(&api, id).await.map(Json)
}

/// Changes to an agent; a field that is left out stays as it is. At the next start the configuration's values apply
/// again.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentChange {
    /// Whether it takes runs.
    enabled: Option<bool>,
    /// How it answers.
    mode: Option<Mode>,
}

/// Changes an agent.
#[utoipa::path(patch, path = "/api/agents/{id}", tag = "agents", security(("bearer" = [])), request_body = AgentChange,
    params(("id" = String, Path, description = "The agent")),
    responses((status = 200, body = Agent), (status = 404, body = ProblemBody)))]
pub(super) async fn change(
    State(api): State<Shared>,
    _: Admin,
    Id(id): Id<AgentId>,
    Body(change): Body<AgentChange>,
) -> Result<Json<Agent>, Problem> {
    let now = api.clock.now();
    api.db
        .write(move |tx| {
            Box::pin(async move {
                if let Some(enabled) = change.enabled {
                    agents::set_enabled(tx, id, enabled, now).await?;
                }
                match change.mode {
                    Some(mode) => agents::set_mode(tx, id, mode, now).await,
                    None => Ok(()),
                }
            })
        })
        .await?;
    one(&api, id).await.map(Json)
}

async fn one(api: &Shared, id: AgentId) -> Result<Agent, Problem> {
    agents::get(&mut api.db.read().await?, id)
        .await?
        .ok_or_else(|| Problem::not_found(format!("agent {id}")))
}
