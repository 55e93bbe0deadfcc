//! Rules about tool calls, and their verdict on a trial call.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::{id::PolicyId, policy::Rule};
use clifford_store::{
    StoreError,
    places::policies::{self, Policy},
};
use clifford_tools::{
    named::{self, NameFault},
    trial::{self, Trial, TrialOutcome},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Shared,
    access::{Admin, OwnerReader},
    extract::{Body, Id},
    handler,
    page::Page,
    problem::{Problem, ProblemBody},
};

/// The most characters of a name.
const LONGEST_NAME: usize = 200;

/// Every rule of the database, oldest first. Those of `bot.toml` stand there.
#[utoipa::path(get, path = "/api/policies", tag = "policies", security(("bearer" = [])),
    responses((status = 200, body = Page<Policy>)))]
#[handler]
pub(super) async fn list(State(api): State<Shared>, _: OwnerReader) -> Result<Json<Page<Value>>, Problem> {
    let found = policies::list(&mut api.db.read().await?).await?;
    Ok(Json(Page::whole(found.iter().map(rendered).collect())))
}

/// One rule.
#[utoipa::path(get, path = "/api/policies/{id}", tag = "policies", security(("bearer" = [])),
    params(("id" = String, Path, description = "The rule")),
    responses((status = 200, body = Policy), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: OwnerReader,
    Id(id): Id<PolicyId>,
) -> Result<Json<Value>, Problem> {
    let found = policies::get(&mut api.db.read().await?, id).await?;
    let found = found.as_ref().map(rendered);
    found.map(Json).ok_or_else(|| Problem::not_found(format!("rule {id}")))
}

/// Adds a rule.
#[utoipa::path(post, path = "/api/policies", tag = "policies", security(("bearer" = [])), request_body = Rule,
    responses((status = 201, body = Policy), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn create(
    State(api): State<Shared>,
    _: Admin,
    Body(rule): Body<Rule>,
) -> Result<(StatusCode, Json<Value>), Problem> {
    check(&api, &rule)?;
    let now = api.clock.now();
    let made = api
        .db
        .write(move |tx| Box::pin(async move { policies::insert(tx, &rule, now).await }))
        .await
        .map_err(unknown)?;
    Ok((StatusCode::CREATED, Json(rendered(&made))))
}

/// Replaces a rule.
#[utoipa::path(put, path = "/api/policies/{id}", tag = "policies", security(("bearer" = [])), request_body = Rule,
    params(("id" = String, Path, description = "The rule")),
    responses((status = 200, body = Policy), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn change(
    State(api): State<Shared>,
    _: Admin,
    Id(id): Id<PolicyId>,
    Body(rule): Body<Rule>,
) -> Result<Json<Value>, Problem> {
    check(&api, &rule)?;
    let now = api.clock.now();
    let changed = api
        .db
        .write(move |tx| {
            Box::pin(async move {
                policies::change(tx, id, &rule, now).await?;
                policies::get(tx, id).await
            })
        })
        .await
        .map_err(unknown)?;
    changed
        .as_ref()
        .map(rendered)
        .map(Json)
        .ok_or_else(|| Problem::not_found(format!("rule {id}")))
}

/// Deletes a rule.
#[utoipa::path(delete, path = "/api/policies/{id}", tag = "policies", security(("bearer" = [])),
    params(("id" = String, Path, description = "The rule")),
    responses((status = 204, description = "It is gone"), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn remove(State(api): State<Shared>, _: Admin, Id(id): Id<PolicyId>) -> Result<StatusCode, Problem> {
    let removed = api.db.write(move |tx| Box::pin(policies::remove(tx, id))).await?;
    if removed {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Problem::not_found(format!("rule {id}")))
    }
}

/// A call that is only tried.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TrialCall {
    /// `tool.command`.
    call: String,
    /// Its arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    args: Map<String, Value>,
    /// The caller, and the place of the call.
    #[serde(flatten)]
    trial: Trial,
}

/// Returns the verdict on a call and its reason. Nothing is called, and nothing counted.
#[utoipa::path(post, path = "/api/policies/test", tag = "policies", security(("bearer" = [])), request_body = TrialCall,
    responses((status = 200, body = TrialOutcome), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn test(
    State(api): State<Shared>,
    _: OwnerReader,
    Body(given): Body<TrialCall>,
) -> Result<Json<TrialOutcome>, Problem> {
    let context = &api.context;
    let made = policies::list(&mut api.db.read().await?).await?;
    let rules = trial::rules(&context.settings.rules.policy, made);
    let zone = &context.settings.engine().time_zone;
    trial::run(
        &context.tools.registry,
        &rules,
        &given.call,
        &given.args,
        &given.trial,
        api.clock.now(),
        zone,
    )
    .map(Json)
    .map_err(|fault| Problem::input("call", fault))
}

/// A rule with the API's names: it is stored with those of `bot.toml`.
fn rendered(policy: &Policy) -> Value {
    let mut shown = serde_json::to_value(policy).unwrap_or_default();
    if let Some(fields) = shown.as_object_mut()
        && let Some(roles) = fields.remove("platform_roles")
    {
        fields.insert("platformRoles".to_owned(), roles);
    }
    shown
}

fn check(api: &Shared, rule: &Rule) -> Result<(), Problem> {
    if rule.name.chars().count() > LONGEST_NAME {
        let fault = format!("it is longer than {LONGEST_NAME} characters");
        return Err(Problem::input("name", fault));
    }
    if let Some((field, fault)) = rule.fault() {
        return Err(Problem::input(field, fault));
    }
    match named::fault(&api.context.tools.registry, rule) {
        Some(NameFault::Unknown(fault)) => Err(Problem::input("tools", fault)),
        // An MCP server may bring it yet.
        Some(NameFault::Later(_)) | None => Ok(()),
    }
}

fn unknown(error: StoreError) -> Problem {
    match error {
        StoreError::Conflict(_) => Problem::input("user", "there is no such user, space or context"),
        other => other.into(),
    }
}
