//! People's own keys for model providers. A key goes in, and never out.

use axum::{
    Json,
    extract::{FromRequestParts, Path, Request, State},
    http::{StatusCode, request::Parts},
};
use clifford_core::id::UserId;
use clifford_engine::models::{
    byok::{self, CannotUse},
    roles::Keyed,
};
use clifford_store::{
    StoreError,
    people::keys::{self as user_secrets, OwnKey},
};
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader},
    extract::{Id, body},
    handler,
    page::Page,
    problem::{Problem, ProblemBody},
    users,
};

/// A person, and a provider as the configuration names it.
pub(super) struct OfPerson {
    user: UserId,
    provider: String,
}

impl FromRequestParts<Shared> for OfPerson {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Shared) -> Result<Self, Problem> {
        let path = Path::<(String, String)>::from_request_parts(parts, api).await;
        let (user, provider) = path.map(|path| path.0).unwrap_or_default();
        match user.parse() {
            Ok(user) => Ok(Self { user, provider }),
            Err(_) => Err(Problem::not_found(format!("user {user}"))),
        }
    }
}

/// The providers that a person has given keys of their own for.
#[utoipa::path(get, path = "/api/users/{id}/keys", tag = "users", security(("bearer" = [])),
    params(("id" = String, Path, description = "The person")),
    responses((status = 200, body = Page<OwnKey>), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<UserId>,
) -> Result<Json<Page<OwnKey>>, Problem> {
    caller
        .allow(&api, Need::See, &Object::person(id), format!("user {id}"))
        .await?;
    users::one(&api, id).await?;
    let keys = user_secrets::list(&mut api.db.read().await?, id).await?;
    Ok(Json(Page::whole(keys)))
}

/// A key of a person's own.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenKey {
    /// The key. It is encrypted, and shown nowhere.
    #[schema(write_only)]
    key: String,
}

/// Takes a person's own key for a provider, in place of the one that was there. Their runs are answered by it from then
/// on, at their cost.
#[utoipa::path(put, path = "/api/users/{id}/keys/{provider}", tag = "users", security(("bearer" = [])),
    request_body = GivenKey,
    params(("id" = String, Path, description = "The person"),
        ("provider" = String, Path, description = "The provider, as the configuration names it")),
    responses((status = 200, body = OwnKey), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn put(
    State(api): State<Shared>,
    caller: Caller,
    OfPerson { user, provider }: OfPerson,
    request: Request,
) -> Result<Json<OwnKey>, Problem> {
    caller
        .allow(&api, Need::Configure, &Object::person(user), format!("user {user}"))
        .await?;
    let given: GivenKey = body(request, &api).await?;
    let context = &api.context;
    let providers: Vec<_> = context
        .models
        .keyed()
        .iter()
        .map(Keyed::name)
        .map(str::to_owned)
        .collect();
    let encrypted = byok::encrypt(&providers, &context.encryption, &provider, &given.key);
    let encrypted = encrypted.map_err(|fault| match fault {
        CannotUse::Provider { .. } => Problem::not_found(format!("provider {}", byok::hidden_if_key(&provider))),
        other => Problem::input("key", other.to_string()),
    })?;
    let now = api.clock.now();
    let stored = encrypted.clone();
    let written = api
        .db
        .write(move |tx| Box::pin(async move { user_secrets::put(tx, user, &stored, now).await }));
    written.await.map_err(|error| match error {
        StoreError::Conflict(_) => Problem::not_found(format!("user {user}")),
        other => other.into(),
    })?;
    Ok(Json(OwnKey {
        provider: encrypted.provider,
        created_at: now,
    }))
}

/// Forgets a person's own key for a provider.
#[utoipa::path(delete, path = "/api/users/{id}/keys/{provider}", tag = "users", security(("bearer" = [])),
    params(("id" = String, Path, description = "The person"),
        ("provider" = String, Path, description = "The provider, as the configuration names it")),
    responses((status = 204, description = "It is gone"), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn remove(
    State(api): State<Shared>,
    caller: Caller,
    OfPerson { user, provider }: OfPerson,
) -> Result<StatusCode, Problem> {
    caller
        .allow(&api, Need::Configure, &Object::person(user), format!("user {user}"))
        .await?;
    let named = provider.clone();
    let removed = api
        .db
        .write(move |tx| Box::pin(async move { user_secrets::remove(tx, user, &named).await }))
        .await?;
    if removed {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Problem::not_found(format!("a key of user {user} for this provider")))
    }
}
