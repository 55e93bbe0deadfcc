//! Tools: their commands, their state and their settings.

use axum::{
    Json,
    extract::{FromRequestParts, Path, State},
    http::request::Parts,
};
use clifford_core::{id::UserId, run::step::ToolOutcome};
use clifford_engine::by_hand::{self, NotCalled};
use clifford_store::people::users;
use clifford_tools::settings::{
    catalogue::Scope,
    tool_options::{self, ShownTool},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Shared,
    access::{Admin, Caller, Need, Object, Reader},
    extract::{Body, Query},
    handler,
    page::Page,
    problem::{Code, Problem, ProblemBody},
};

/// A tool's name in a path.
pub(super) struct Name(String);

impl FromRequestParts<Shared> for Name {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Shared) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, api).await;
        Ok(Self(path.map(|path| path.0).unwrap_or_default()))
    }
}

/// For which scope.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct In {
    /// `bot`, `space:ID`, `channel:ID`, `agent:ID` or `user:ID`; left out: `bot`.
    scope: Option<String>,
}

impl In {
    fn read(&self) -> Result<Scope, Problem> {
        let scope = self.scope.as_deref().unwrap_or("bot");
        scope
            .parse()
            .map_err(|why: String| Problem::new(Code::InvalidQuery, why).of_field("scope"))
    }
}

/// Every tool, with its settings in a scope and their sources.
#[utoipa::path(get, path = "/api/tools", tag = "tools", security(("bearer" = [])), params(In),
    responses((status = 200, body = Page<ShownTool>), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(within): Query<In>,
) -> Result<Json<Page<ShownTool>>, Problem> {
    let scope = within.read()?;
    caller.allow(&api, Need::See, &Object::scope(scope), scope).await?;
    let mut tools = visible_tools(&api, scope).await?;
    tools.iter_mut().for_each(|tool| as_seen_by(&caller, tool));
    Ok(Json(Page::whole(tools)))
}

/// Why a server cannot be started tells of the machine: that is its owner's.
fn as_seen_by(caller: &Caller, tool: &mut ShownTool) {
    if let Some(server) = tool.server.as_mut().filter(|_| caller.only().is_some()) {
        server.error = None;
    }
}

/// One tool.
#[utoipa::path(get, path = "/api/tools/{name}", tag = "tools", security(("bearer" = [])), 
    params(("name" = String, Path, description = "The tool"), In),
    responses((status = 200, body = ShownTool), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    name: Name,
    Query(within): Query<In>,
) -> Result<Json<ShownTool>, Problem> {
    let scope = within.read()?;
    caller.allow(&api, Need::See, &Object::scope(scope), scope).await?;
    let mut tool = one(&api, scope, &name.0).await?;
    as_seen_by(&caller, &mut tool);
    Ok(Json(tool))
}

/// The settings of a tool, by field, as in `[tools.NAME]` of `bot.toml`; `null`: the inherited value applies again.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub(super) struct ToolChange(Map<String, Value>);

/// Changes the settings of a tool in a scope; a field that is left out stays as it is. The change takes effect with the
/// next run.
#[utoipa::path(patch, path = "/api/tools/{name}", tag = "tools", security(("bearer" = [])), request_body = ToolChange,
    params(("name" = String, Path, description = "The tool"), In),
    responses((status = 200, body = ShownTool), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn change(
    State(api): State<Shared>,
    _: Admin,
    name: Name,
    Query(within): Query<In>,
    Body(change): Body<ToolChange>,
) -> Result<Json<ShownTool>, Problem> {
    let scope = within.read()?;
    let tool = tool_options::find(&api.context.tools.registry, &name.0).map_err(Problem::not_found)?;
    let changes = tool_options::checked(&tool, scope, &api.context.tools.services.config, &change.0)
        .map_err(|(field, why)| Problem::input(&field, why))?;
    let now = api.clock.now();
    (api.db)
        .write(move |tx| Box::pin(async move { tool_options::apply(tx, scope, &changes, now).await }))
        .await?;
    one(&api, scope, &name.0).await.map(Json)
}

async fn visible_tools(api: &Shared, scope: Scope) -> Result<Vec<ShownTool>, Problem> {
    let context = &api.context;
    let mut conn = api.db.read().await?;
    Ok(tool_options::list(&mut conn, scope, &context.tools.registry, &context.tools.services).await?)
}

async fn one(api: &Shared, scope: Scope, name: &str) -> Result<ShownTool, Problem> {
    tool_options::find(&api.context.tools.registry, name).map_err(Problem::not_found)?;
    let found = visible_tools(api, scope)
        .await?
        .into_iter()
        .find(|tool| tool.name == name);
    found.ok_or_else(|| Problem::not_found(format!("tool `{name}`")))
}

/// A call of a command that only reads, as a run would make it.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = ToolCallByHand)]
pub(super) struct HandCall {
    /// Its arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    args: Map<String, Value>,
    /// The person to act for; left out: nobody.
    #[schema(value_type = Option<String>)]
    user_id: Option<UserId>,
}

/// The outcome of a call.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ToolCalled)]
pub(super) struct Called {
    /// Its result; `null`: it failed.
    result: Option<Value>,
    /// Why it failed.
    error: Option<String>,
}

/// Calls a command that only reads, to try it. `name` is that of the command, such as `compute.eval`.
#[utoipa::path(post, path = "/api/tools/{name}/call", tag = "tools", security(("bearer" = [])), request_body = HandCall,
    params(("name" = String, Path, description = "The command")),
    responses((status = 200, body = Called), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "It does more than read"), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn call(
    State(api): State<Shared>,
    _: Admin,
    name: Name,
    Body(call): Body<HandCall>,
) -> Result<Json<Called>, Problem> {
    if let Some(user) = call.user_id {
        let known = users::get(&mut api.db.read().await?, user).await?;
        known.ok_or_else(|| Problem::input("userId", format!("there is no user {user}")))?;
    }
    let outcome = Box::pin(by_hand::call(&api.runs, &name.0, call.args, call.user_id)).await;
    let (result, error) = match outcome {
        Ok(ToolOutcome::Success { result }) => (Some(result), None),
        Ok(ToolOutcome::Failure { error, .. }) => (None, Some(error)),
        Err(NotCalled::Unknown(why)) => return Err(Problem::new(Code::NotFound, why)),
        Err(error @ NotCalled::DoesMore(_)) => return Err(Problem::new(Code::WrongState, error.to_string())),
        Err(NotCalled::Store(error)) => return Err(error.into()),
    };
    Ok(Json(Called { result, error }))
}
