//! Tokens of the API: listed and revoked. `clifford token create` makes them.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::id::TokenId;
use clifford_store::people::tokens::{self, ApiToken};

use super::{
    Shared,
    access::{Caller, Need, Object},
    auth::Reader,
    extract::Id,
    page::Page,
    problem::{Problem, ProblemBody},
};

/// The tokens that the caller may see, oldest first, without the tokens: a person's their own, an owner's token all.
#[utoipa::path(get, path = "/api/tokens", tag = "tokens", security(("bearer" = [])),
    responses((status = 200, body = Page<ApiToken>)))]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
) -> Result<Json<Page<ApiToken>>, Problem> {
    let mut found = tokens::list(&mut api.db.read().await?).await?;
    if let Some(only) = caller.only() {
        found.retain(|token| token.user_id == Some(only));
    }
    Ok(Json(Page::whole(found)))
}

/// Revokes a token: it is good no more.
#[utoipa::path(delete, path = "/api/tokens/{id}", tag = "tokens", security(("bearer" = [])),
    params(("id" = String, Path, description = "The token")),
    responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn revoke(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<TokenId>,
) -> Result<StatusCode, Problem> {
    let known = tokens::list(&mut api.db.read().await?).await?;
    let person = known
        .into_iter()
        .find(|token| token.id == id)
        .and_then(|token| token.user_id);
    let object = person.map_or_else(Object::nobodys, Object::person);
    let what = format!("token {id}");
    caller.allow(&api, Need::Configure, &object, &what).await?;
    let now = api.clock.now();
    let revoked = api.db.write(move |tx| Box::pin(tokens::revoke(tx, id, now))).await?;
    if revoked {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Problem::not_found(what))
    }
}
