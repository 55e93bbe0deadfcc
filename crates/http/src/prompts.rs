//! The versions of an agent's prompt, and the prompts that were recorded of a run's calls.

use axum::{
    Json,
    extract::{FromRequestParts, Path, State},
    http::request::Parts,
};
use clifford_core::{
    clock::Timestamp,
    id::{AgentId, RunId},
    run::step::{Event, StepKind, deleted_at},
};
use clifford_store::{
    places::agents::{
        managing::ManagedAgent,
        prompts::{self, Prompt, PromptVersion},
    },
    runs::steps,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Shared,
    access::{Admin, Caller, Need, OwnerReader, Reader},
    agents,
    extract::{Id, Query},
    handler,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
    runs::allowed,
    step::in_camel_case,
};

/// The number behind an id in a path: a version of an agent's prompt, a step of a run.
pub(super) struct Numbered<T> {
    id: T,
    number: u32,
}

impl<T: std::str::FromStr> FromRequestParts<Shared> for Numbered<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Shared) -> Result<Self, Problem> {
        let path = Path::<(String, String)>::from_request_parts(parts, api).await;
        let (id, number) = path.map(|path| path.0).unwrap_or_default();
        let wrong = |field: &str, detail: &str| Problem::new(Code::InvalidPath, detail).of_field(field);
        Ok(Self {
            id: id
                .parse()
                .map_err(|_| wrong("id", "an id is a UUID, such as 0190d7b2-6b7e-7cc0-8f4e-2f1f3a0b1c2d"))?,
            number: (number.parse()).map_err(|_| wrong("number", "the path must end in a number from 1"))?,
        })
    }
}

/// Which versions.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct VersionsQuery {
    /// Only older than this version.
    before: Option<u32>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of the versions of an agent's prompt, the newest first.
#[utoipa::path(get, path = "/api/agents/{id}/prompts", tag = "agents", security(("bearer" = [])), params(VersionsQuery,
        ("id" = String, Path, description = "The agent")),
    responses((status = 200, body = Page<PromptVersion>), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: OwnerReader,
    Id(id): Id<AgentId>,
    Query(wanted): Query<VersionsQuery>,
) -> Result<Json<Page<PromptVersion>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    agents::one(&api, id).await?;
    let before = wanted.before.map(i64::from);
    let found = prompts::page(&mut api.db.read().await?, id, before, limit + 1).await?;
    Ok(Json(Page::of(found, limit, |prompt| prompt.version.to_string())))
}

/// One version of an agent's prompt, with its text.
#[utoipa::path(get, path = "/api/agents/{id}/prompts/{version}", tag = "agents", security(("bearer" = [])),
    params(("id" = String, Path, description = "The agent"), ("version" = u32, Path, description = "The version")),
    responses((status = 200, body = Prompt), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: OwnerReader,
    path: Numbered<AgentId>,
) -> Result<Json<Prompt>, Problem> {
    agents::one(&api, path.id).await?;
    version(&api, &path).await.map(Json)
}

/// Goes back to a version of an agent's prompt: its text becomes the newest version.
#[utoipa::path(post, path = "/api/agents/{id}/prompts/{version}/restore", tag = "agents", security(("bearer" = [])),
    params(("id" = String, Path, description = "The agent"), ("version" = u32, Path, description = "The version")),
    responses((status = 200, body = ManagedAgent), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn restore(
    State(api): State<Shared>,
    _: Admin,
    path: Numbered<AgentId>,
) -> Result<Json<ManagedAgent>, Problem> {
    let id = path.id;
    agents::one(&api, id).await?;
    let kept = version(&api, &path).await?;
    let now = api.clock.now();
    api.db
        .write(move |tx| Box::pin(async move { prompts::set(tx, id, &kept.prompt, Some(kept.version), now).await }))
        .await?;
    agents::one(&api, id).await.map(Json)
}

async fn version(api: &Shared, path: &Numbered<AgentId>) -> Result<Prompt, Problem> {
    let number = path.number;
    let found = prompts::get(&mut api.db.read().await?, path.id, i64::from(number)).await?;
    found.ok_or_else(|| Problem::not_found(format!("version {number} of this prompt")))
}

/// A prompt as a model read it.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedPrompt {
    /// The step of the request.
    seq: u32,
    /// SHA-256 of the prompt: requests with the same prompt have the same.
    prompt_hash: String,
    /// Its size in tokens, by rule of thumb.
    estimated_tokens: u64,
    /// The same by section.
    #[schema(value_type = Object)]
    sections: Value,
    /// Its messages, each with `role` and `content`. Secrets are hidden in them.
    #[schema(value_type = Vec<Object>)]
    messages: Value,
}

/// The prompt that a step of a run sent to the model, as far as it was recorded: `engine.record_prompts` decides that.
#[utoipa::path(get, path = "/api/runs/{id}/steps/{seq}/prompt", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run"),
        ("seq" = u32, Path, description = "The step, whose event is `llm_request`")),
    responses((status = 200, body = RecordedPrompt),
        (status = 404, body = ProblemBody, description = "There is no such run, no prompt was recorded for the step, or retention deleted it")))]
#[handler]
pub(super) async fn recorded(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    path: Numbered<RunId>,
) -> Result<Json<RecordedPrompt>, Problem> {
    allowed(&api, &caller, Need::See, path.id).await?;
    let gone = |at: Timestamp| {
        let detail = format!("the prompt of step {} was deleted by retention at {at}", path.number);
        Problem::new(Code::NotFound, detail)
    };
    let mut conn = api.db.read().await?;
    let step = steps::one(&mut conn, path.id, path.number).await?;
    if step.is_none()
        && let Some(at) = deleted_at(&steps::of_run(&mut conn, path.id).await?)
    {
        return Err(gone(at));
    }
    let found = step.and_then(|step| match step.kind {
        StepKind::Event(Event::StepsDeleted { deleted_at, .. })
        | StepKind::Event(Event::LlmRequest {
            prompt_deleted_at: Some(deleted_at),
            ..
        }) => Some(Err(gone(deleted_at))),
        StepKind::Event(Event::LlmRequest {
            estimated_tokens,
            sections,
            prompt_hash,
            prompt: Some(messages),
            ..
        }) => {
            let mut sections = serde_json::to_value(sections).unwrap_or_default();
            in_camel_case(&mut sections);
            Some(Ok(RecordedPrompt {
                seq: step.seq,
                prompt_hash,
                estimated_tokens,
                sections,
                messages,
            }))
        }
        _ => None,
    });
    found
        .unwrap_or_else(|| Err(Problem::not_found(format!("recorded prompt of step {}", path.number))))
        .map(Json)
}
