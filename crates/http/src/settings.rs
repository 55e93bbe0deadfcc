//! Settings of the bot, a space, a channel or a person.

use axum::{
    Json,
    extract::{FromRequestParts, Path, Request, State},
    http::{StatusCode, request::Parts},
};
use clifford_tools::settings::catalogue::{self, Scope, SettingSpec, SettingView};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader},
    extract::{Query, body},
    handler,
    page::Page,
    problem::{Code, Problem, ProblemBody},
};

/// A setting as a path names it.
pub(super) struct Named {
    scope: Scope,
    known: &'static SettingSpec,
}

impl FromRequestParts<Shared> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Shared) -> Result<Self, Problem> {
        let (scope, name) = Path::<(String, String)>::from_request_parts(parts, api)
            .await
            .map(|path| path.0)
            .unwrap_or_default();
        let scope: Scope = scope
            .parse()
            .map_err(|why: String| Problem::new(Code::InvalidPath, why).of_field("scope"))?;
        let known = catalogue::known(scope, &name).map_err(Problem::not_found)?;
        Ok(Self { scope, known })
    }
}

/// Which settings.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SettingsQuery {
    /// `bot`, `space:ID`, `channel:ID` or `user:ID`; left out: `bot`.
    scope: Option<String>,
}

/// Every setting of a scope, with its own and its inherited value.
#[utoipa::path(get, path = "/api/settings", tag = "settings", security(("bearer" = [])), params(SettingsQuery),
    responses((status = 200, body = Page<SettingView>), (status = 400, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<SettingsQuery>,
) -> Result<Json<Page<SettingView>>, Problem> {
    let scope = wanted.scope.as_deref().unwrap_or("bot");
    let scope = scope
        .parse()
        .map_err(|why: String| Problem::new(Code::InvalidQuery, why).of_field("scope"))?;
    caller.allow(&api, Need::See, &Object::scope(scope), scope).await?;
    Ok(Json(Page::whole(visible_settings(&api, scope).await?)))
}

/// One setting of a scope.
#[utoipa::path(get, path = "/api/settings/{scope}/{name}", tag = "settings", security(("bearer" = [])),
    params(("scope" = String, Path, description = "`bot`, `space:ID`, `channel:ID` or `user:ID`"),
        ("name" = String, Path, description = "The setting")),
    responses((status = 200, body = SettingView), (status = 400, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    named: Named,
) -> Result<Json<SettingView>, Problem> {
    let object = Object::scope(named.scope);
    caller.allow(&api, Need::See, &object, named.scope).await?;
    view(&api, &named).await.map(Json)
}

/// The new value of a setting.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewValue {
    /// A text, or `true` or `false`.
    #[schema(value_type = Object)]
    value: Value,
}

/// Sets a setting of a scope.
#[utoipa::path(put, path = "/api/settings/{scope}/{name}", tag = "settings", security(("bearer" = [])),
    request_body = NewValue,
    params(("scope" = String, Path, description = "`bot`, `space:ID`, `channel:ID` or `user:ID`"),
        ("name" = String, Path, description = "The setting")),
    responses((status = 200, body = SettingView), (status = 400, body = ProblemBody), (status = 404, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn put(
    State(api): State<Shared>,
    caller: Caller,
    named: Named,
    request: Request,
) -> Result<Json<SettingView>, Problem> {
    let object = Object::scope(named.scope);
    caller.allow(&api, Need::Configure, &object, named.scope).await?;
    let new: NewValue = body(request, &api).await?;
    let text = match new.value {
        Value::String(text) => text,
        Value::Bool(on) => on.to_string(),
        other => return Err(Problem::input("value", format!("`{other}` is no text, true or false"))),
    };
    let Named { scope, known } = named;
    let value = known.kind.checked(&text).map_err(|why| Problem::input("value", why))?;
    let now = api.clock.now();
    api.db
        .write(move |tx| Box::pin(async move { catalogue::set(tx, scope, known, &value, now).await }))
        .await?;
    view(&api, &named).await.map(Json)
}

/// Removes a setting; the inherited value applies again.
#[utoipa::path(delete, path = "/api/settings/{scope}/{name}", tag = "settings", security(("bearer" = [])),
    params(("scope" = String, Path, description = "`bot`, `space:ID`, `channel:ID` or `user:ID`"),
        ("name" = String, Path, description = "The setting")),
    responses((status = 204, description = "It is not set any more"), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody, description = "It was not set")))]
#[handler]
pub(super) async fn unset(State(api): State<Shared>, caller: Caller, named: Named) -> Result<StatusCode, Problem> {
    let object = Object::scope(named.scope);
    caller.allow(&api, Need::Configure, &object, named.scope).await?;
    let Named { scope, known } = named;
    let now = api.clock.now();
    let was_set = api
        .db
        .write(move |tx| Box::pin(async move { catalogue::unset(tx, scope, known, now).await }))
        .await?;
    if was_set {
        Ok(StatusCode::NO_CONTENT)
    } else {
        let what = format!("value of `{}` that is set for {scope}", known.name);
        Err(Problem::not_found(what))
    }
}

async fn visible_settings(api: &Shared, scope: Scope) -> Result<Vec<SettingView>, Problem> {
    let defaults = api.context.settings.defaults();
    Ok(catalogue::list(&mut api.db.read().await?, scope, defaults).await?)
}

async fn view(api: &Shared, named: &Named) -> Result<SettingView, Problem> {
    let found = visible_settings(api, named.scope).await?;
    found
        .into_iter()
        .find(|shown| shown.name == named.known.name)
        .ok_or_else(|| Problem::not_found(format!("setting `{}`", named.known.name)))
}
