//! Agents: those of `bot.toml`, and those that an owner makes.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::{clock::Timestamp, id::AgentId, places::Mode};
use clifford_store::{
    StoreError,
    places::agents::{
        self, Agent,
        managing::{self, ManagedAgent, NewAgent},
        prompts,
    },
};
use serde::Deserialize;

use super::{
    Shared,
    access::{Admin, Caller, Need, OwnerReader},
    extract::{Body, Id, check_text},
    handler,
    page::Page,
    problem::{Code, Problem, ProblemBody},
};

/// The longest name, as in `bot.toml`.
const LONGEST_NAME: usize = 100;
/// The longest prompt, as in `bot.toml`.
const LONGEST_PROMPT: usize = 20_000;

/// Every agent, by name.
#[utoipa::path(get, path = "/api/agents", tag = "agents", security(("bearer" = [])),
    responses((status = 200, body = Page<ManagedAgent>)))]
#[handler]
pub(super) async fn list(State(api): State<Shared>, _: OwnerReader) -> Result<Json<Page<ManagedAgent>>, Problem> {
    Ok(Json(Page::whole(managing::list(&mut api.db.read().await?).await?)))
}

/// The agent that a caller names for a run or a reminder. Which agent answers somewhere is the owner's choice.
///
/// # Errors
/// 403 for anybody else; there is no such agent, or it is off.
pub(super) async fn chosen(api: &Shared, caller: &Caller, id: AgentId) -> Result<Agent, Problem> {
    if caller.only().is_some() {
        caller
            .allow_bot(Need::Administer)
            .map_err(|problem| problem.of_field("agentId"))?;
    }
    match agents::get(&mut api.db.read().await?, id).await? {
        Some(agent) if agent.enabled => Ok(agent),
        Some(agent) => {
            let detail = format!("{} takes no runs; turn it on with PATCH /api/agents/{id}", agent.name);
            Err(Problem::new(Code::AgentDisabled, detail).of_field("agentId"))
        }
        None => Err(Problem::input("agentId", format!("there is no agent {id}"))),
    }
}

/// One agent.
#[utoipa::path(get, path = "/api/agents/{id}", tag = "agents", security(("bearer" = [])),
    params(("id" = String, Path, description = "The agent")),
    responses((status = 200, body = ManagedAgent), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: OwnerReader,
    Id(id): Id<AgentId>,
) -> Result<Json<ManagedAgent>, Problem> {
    one(&api, id).await.map(Json)
}

/// An agent to be made.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewAgent)]
pub(super) struct NewAgentBody {
    /// Its name, which no other agent has.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// The agent's persona: the head of its system prompt.
    #[schema(min_length = 1, max_length = 20_000)]
    prompt: String,
    /// How it answers; left out: by runs.
    mode: Option<Mode>,
    /// Whether it takes runs; left out: it does.
    enabled: Option<bool>,
}

/// Makes an agent. Channels and triggers name it by its id; people who manage a place choose it by its name. An agent of
/// this name that was deleted comes back, with the versions of its prompt.
#[utoipa::path(post, path = "/api/agents", tag = "agents", security(("bearer" = [])), request_body = NewAgentBody,
    responses((status = 201, body = ManagedAgent), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn create(
    State(api): State<Shared>,
    _: Admin,
    Body(body): Body<NewAgentBody>,
) -> Result<(StatusCode, Json<ManagedAgent>), Problem> {
    check_text("name", &body.name, LONGEST_NAME)?;
    check_text("prompt", &body.prompt, LONGEST_PROMPT)?;
    let new = NewAgent {
        name: body.name,
        prompt: body.prompt,
        mode: body.mode.unwrap_or(Mode::Run),
        enabled: body.enabled.unwrap_or(true),
    };
    let now = api.clock.now();
    let made = api
        .db
        .write(move |tx| Box::pin(async move { managing::create(tx, &new, now).await }));
    let id = made.await.map_err(|error| match error {
        StoreError::Conflict(_) => Problem::new(Code::Conflict, "an agent has this name").of_field("name"),
        other => other.into(),
    })?;
    Ok((StatusCode::CREATED, Json(one(&api, id).await?)))
}

/// Changes to an agent; a field that is left out stays as it is. Of an agent of `bot.toml`, `enabled` and `mode` hold
/// until the next start, and the prompt until `bot.toml` gives it another one.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentChange {
    /// Whether it takes runs.
    enabled: Option<bool>,
    /// How it answers.
    mode: Option<Mode>,
    /// Its prompt, which becomes a new version.
    #[schema(min_length = 1, max_length = 20_000)]
    prompt: Option<String>,
}

/// Changes an agent. Runs go by its new prompt from their next model call on.
#[utoipa::path(patch, path = "/api/agents/{id}", tag = "agents", security(("bearer" = [])), request_body = AgentChange,
    params(("id" = String, Path, description = "The agent")),
    responses((status = 200, body = ManagedAgent), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn change(
    State(api): State<Shared>,
    _: Admin,
    Id(id): Id<AgentId>,
    Body(change): Body<AgentChange>,
) -> Result<Json<ManagedAgent>, Problem> {
    if let Some(prompt) = &change.prompt {
        check_text("prompt", prompt, LONGEST_PROMPT)?;
    }
    one(&api, id).await?;
    let now = api.clock.now();
    api.db
        .write(move |tx| Box::pin(async move { apply(tx, id, &change, now).await }))
        .await?;
    one(&api, id).await.map(Json)
}

async fn apply(
    tx: &mut clifford_store::Tx,
    id: AgentId,
    wanted: &AgentChange,
    now: Timestamp,
) -> Result<(), StoreError> {
    if let Some(enabled) = wanted.enabled {
        agents::set_enabled(tx, id, enabled, now).await?;
    }
    if let Some(mode) = wanted.mode {
        agents::set_mode(tx, id, mode, now).await?;
    }
    match &wanted.prompt {
        Some(prompt) => prompts::set(tx, id, prompt, None, now).await,
        None => Ok(()),
    }
}

/// Deletes an agent: it takes no more runs, and what named it has the default agent. Its runs stay. An agent of
/// `bot.toml` is not deleted here.
#[utoipa::path(delete, path = "/api/agents/{id}", tag = "agents", security(("bearer" = [])),
    params(("id" = String, Path, description = "The agent")),
    responses((status = 204, description = "It is gone"), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "It stands in bot.toml")))]
#[handler]
pub(super) async fn remove(State(api): State<Shared>, _: Admin, Id(id): Id<AgentId>) -> Result<StatusCode, Problem> {
    let now = api.clock.now();
    api.db
        .write(move |tx| Box::pin(async move { managing::delete(tx, id, now).await }))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The agent that a request names.
///
/// # Errors
/// 404; the store's.
pub(super) async fn one(api: &Shared, id: AgentId) -> Result<ManagedAgent, Problem> {
    managing::get(&mut api.db.read().await?, id)
        .await?
        .ok_or_else(|| Problem::not_found(format!("agent {id}")))
}
