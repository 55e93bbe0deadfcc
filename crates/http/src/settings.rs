//! Settings of the bot, a space, a channel or a person.

use axum::{
    Json,
    extract::{FromRequestParts, Path, Request, State},
    http::{StatusCode, request::Parts},
};
use clifford_core::{clock::Timestamp, id::UserId};
use clifford_ingress::setting_notice::{self, ChangedSetting};
use clifford_store::{
    StoreError, Tx,
    places::setting_changes::{self, NewChange},
};
use clifford_tools::settings::catalogue::{self, Change, Scope, SettingSpec, SettingView};
use serde::Deserialize;
use serde_json::{Map, Value};

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
        let scope = in_path(&scope)?;
        let known = catalogue::known(scope, &name).map_err(Problem::not_found)?;
        Ok(Self { scope, known })
    }
}

/// The scope that a path names.
pub(super) struct Of(Scope);

impl FromRequestParts<Shared> for Of {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Shared) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, api).await;
        in_path(&path.map(|path| path.0).unwrap_or_default()).map(Self)
    }
}

fn in_path(scope: &str) -> Result<Scope, Problem> {
    scope
        .parse()
        .map_err(|why: String| Problem::new(Code::InvalidPath, why).of_field("scope"))
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
    /// A text, a number, or `true` or `false`.
    #[schema(value_type = Object)]
    value: Value,
}

/// Sets a setting of a scope.
#[utoipa::path(put, path = "/api/settings/{scope}/{name}", tag = "settings", security(("bearer" = [])),
    request_body = NewValue,
    params(("scope" = String, Path, description = "`bot`, `space:ID`, `channel:ID` or `user:ID`"),
        ("name" = String, Path, description = "The setting")),
    responses((status = 200, body = SettingView), (status = 400, body = ProblemBody), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "The owner fixed it"), (status = 422, body = ProblemBody)))]
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
    let value = checked(named.known, new.value).map_err(|why| Problem::input("value", why))?;
    if let Some(why) = unnamed(&api, named.known, &value).await? {
        return Err(Problem::input("value", why));
    }
    save(&api, &caller, named.scope, vec![(named.known, Some(value))]).await?;
    view(&api, &named).await.map(Json)
}

/// New values of settings by name; `null`: the inherited value applies again.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub(super) struct NewValues(Map<String, Value>);

/// Changes several settings of a scope: all of them, or where one is refused none. One that is left out stays as it is.
#[utoipa::path(patch, path = "/api/settings/{scope}", tag = "settings", security(("bearer" = [])),
    request_body = NewValues,
    params(("scope" = String, Path, description = "`bot`, `space:ID`, `channel:ID` or `user:ID`")),
    responses((status = 200, body = Page<SettingView>), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody), (status = 409, body = ProblemBody, description = "The owner fixed one"),
        (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn change(
    State(api): State<Shared>,
    caller: Caller,
    Of(scope): Of,
    request: Request,
) -> Result<Json<Page<SettingView>>, Problem> {
    caller
        .allow(&api, Need::Configure, &Object::scope(scope), scope)
        .await?;
    let new: NewValues = body(request, &api).await?;
    let mut changes = Vec::new();
    for (name, value) in new.0 {
        let fault = |why: String| Problem::input(&name, why);
        let known = catalogue::known(scope, &name).map_err(|what| fault(format!("there is no {what}")))?;
        let value = match value {
            Value::Null => None,
            value => Some(checked(known, value).map_err(fault)?),
        };
        if let Some(value) = &value
            && let Some(why) = unnamed(&api, known, value).await?
        {
            return Err(fault(why));
        }
        changes.push((known, value));
    }
    save(&api, &caller, scope, changes).await?;
    Ok(Json(Page::whole(visible_settings(&api, scope).await?)))
}

/// A value as it is stored.
fn checked(known: &SettingSpec, value: Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text,
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        other => return Err(format!("`{other}` is no text, number, true or false")),
    };
    known.kind.checked(&text)
}

/// Why a value names nothing that is there, if it names something.
async fn unnamed(api: &Shared, known: &SettingSpec, value: &str) -> Result<Option<String>, Problem> {
    let names = match known.name {
        "agent" => catalogue::agent_names(&mut api.db.read().await?).await?,
        "model" => {
            let offers = api.context.models.offers().into_iter();
            offers.filter_map(|offer| offer.name).collect()
        }
        _ => Vec::new(),
    };
    Ok(catalogue::named(known, value, &names).err())
}

async fn save(api: &Shared, caller: &Caller, scope: Scope, changes: Vec<Change>) -> Result<(), Problem> {
    for (known, _) in &changes {
        not_fixed(api, caller, scope, known)?;
    }
    let (now, by) = (api.clock.now(), caller.person);
    let outbound = api.context.delivery.outbound().clone();
    let write = api.db.write(move |tx| {
        Box::pin(async move {
            let mut changed = Vec::with_capacity(changes.len());
            for (known, new) in &changes {
                let (known, old) = (*known, catalogue::own(tx, scope, known).await?);
                let new = new.clone();
                changed.push(ChangedSetting { known, old, new });
            }
            catalogue::apply(tx, scope, &changes, now).await?;
            keep(tx, scope, &changed, by, now).await?;
            setting_notice::tell(tx, &outbound, scope, &changed, by, now).await
        })
    });
    if let Some(notice) = write.await? {
        api.context.delivery.deliver(notice);
    }
    Ok(())
}

/// Keeps changes of a place's settings or a person's, as those of a chat are kept: `/settings` there names them, and
/// takes them back.
async fn keep(
    tx: &mut Tx,
    scope: Scope,
    changes: &[ChangedSetting],
    by: Option<UserId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    if matches!(scope, Scope::Bot | Scope::Agent(_)) {
        return Ok(());
    }
    for setting in changes.iter().filter(|setting| setting.old != setting.new) {
        let kept = NewChange {
            scope: &scope.stored(),
            name: setting.known.name,
            old: setting.old.as_deref(),
            new: setting.new.as_deref(),
            by,
        };
        setting_changes::record(tx, kept, now).await?;
    }
    Ok(())
}

/// Refuses a setting that the owner fixed to everybody else.
fn not_fixed(api: &Shared, caller: &Caller, scope: Scope, known: &SettingSpec) -> Result<(), Problem> {
    match fixed_by(api, scope, known.name).filter(|_| caller.only().is_some()) {
        Some(key) => {
            let detail = format!("the owner fixed it ({key} of the configuration) and alone changes it");
            Err(Problem::new(Code::WrongState, detail).of_field(known.name))
        }
        None => Ok(()),
    }
}

fn fixed_by(api: &Shared, scope: Scope, name: &str) -> Option<&'static str> {
    catalogue::fixed_by(&api.context.settings.ingress.fixed_settings, scope, name)
}

/// Removes a setting; the inherited value applies again.
#[utoipa::path(delete, path = "/api/settings/{scope}/{name}", tag = "settings", security(("bearer" = [])),
    params(("scope" = String, Path, description = "`bot`, `space:ID`, `channel:ID` or `user:ID`"),
        ("name" = String, Path, description = "The setting")),
    responses((status = 204, description = "It is not set any more"), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody, description = "It was not set"),
        (status = 409, body = ProblemBody, description = "The owner fixed it")))]
#[handler]
pub(super) async fn unset(State(api): State<Shared>, caller: Caller, named: Named) -> Result<StatusCode, Problem> {
    let object = Object::scope(named.scope);
    caller.allow(&api, Need::Configure, &object, named.scope).await?;
    let Named { scope, known } = named;
    not_fixed(&api, &caller, scope, known)?;
    let (now, by) = (api.clock.now(), caller.person);
    let outbound = api.context.delivery.outbound().clone();
    let write = api.db.write(move |tx| {
        Box::pin(async move {
            let (old, new) = (catalogue::own(tx, scope, known).await?, None);
            let was_set = catalogue::unset(tx, scope, known, now).await?;
            let changed = [ChangedSetting { known, old, new }];
            keep(tx, scope, &changed, by, now).await?;
            let notice = setting_notice::tell(tx, &outbound, scope, &changed, by, now).await?;
            Ok((was_set, notice))
        })
    });
    let (was_set, notice) = write.await?;
    if let Some(notice) = notice {
        api.context.delivery.deliver(notice);
    }
    if was_set {
        Ok(StatusCode::NO_CONTENT)
    } else {
        let what = format!("value of `{}` that is set for {scope}", known.name);
        Err(Problem::not_found(what))
    }
}

async fn visible_settings(api: &Shared, scope: Scope) -> Result<Vec<SettingView>, Problem> {
    let defaults = api.context.settings.defaults();
    let mut found = catalogue::list(&mut api.db.read().await?, scope, defaults).await?;
    for shown in &mut found {
        shown.fixed_by = fixed_by(api, scope, shown.name);
    }
    Ok(found)
}

async fn view(api: &Shared, named: &Named) -> Result<SettingView, Problem> {
    let found = visible_settings(api, named.scope).await?;
    found
        .into_iter()
        .find(|shown| shown.name == named.known.name)
        .ok_or_else(|| Problem::not_found(format!("setting `{}`", named.known.name)))
}
