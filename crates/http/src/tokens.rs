//! Tokens of the API: listed, made and revoked. Nobody makes a token that may do more than they may.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::{
    id::{TokenId, UserId},
    people::UserRole,
};
use clifford_store::people::tokens::{self, ApiToken, NewToken};
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    access::{Caller, Need, Object, Reader, Scope, Writer},
    extract::{Body, Id, check_text},
    handler,
    page::Page,
    problem::{Code, Problem, ProblemBody},
    users,
};

/// The longest name.
const LONGEST_NAME: usize = 100;
/// How many tokens in use a person makes for themselves.
const MOST_OF_PERSON: i64 = 50;

/// The tokens that the caller may see, oldest first, without the tokens: a person's their own, an owner's token all.
#[utoipa::path(get, path = "/api/tokens", tag = "tokens", security(("bearer" = [])),
    responses((status = 200, body = Page<ApiToken>)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
) -> Result<Json<Page<ApiToken>>, Problem> {
    let found = tokens::list(&mut api.db.read().await?, caller.only()).await?;
    Ok(Json(Page::whole(found)))
}

/// A token to be made.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = NewToken)]
pub(super) struct NewTokenBody {
    /// A name, by which it is known when it is to be revoked.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// Its rights, none of which its maker lacks.
    #[schema(min_items = 1)]
    scopes: Vec<Scope>,
    /// The person whose it is; left out: the caller's own person, of an owner's token the operator.
    #[schema(value_type = Option<String>)]
    user_id: Option<UserId>,
}

/// A token that was just made.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MadeToken {
    /// Its id.
    #[schema(value_type = String)]
    id: TokenId,
    /// Its name.
    name: String,
    /// Its rights.
    scopes: Vec<String>,
    /// The person whose it is; none: the operator's.
    #[schema(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// The token itself. It is shown this once: only its hash is kept.
    token: String,
}

/// Makes a token and shows it, this once. A person's token makes tokens of that person, an owner's with `admin` of
/// everybody, and of the operator. There is none for a person who would be refused with it (409).
#[utoipa::path(post, path = "/api/tokens", tag = "tokens", security(("bearer" = [])), request_body = NewTokenBody,
    responses((status = 201, body = MadeToken), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn create(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Body(body): Body<NewTokenBody>,
) -> Result<(StatusCode, Json<MadeToken>), Problem> {
    let user = body.user_id.or(caller.only());
    let object = user.map_or(Object::Bot, Object::person);
    let (need, what) = match user {
        Some(user) => (Need::Configure, format!("user {user}")),
        None => (Need::Administer, "route".to_owned()),
    };
    caller.allow_field(&api, need, &object, "userId", what).await?;
    for scope in &body.scopes {
        caller.require(*scope)?;
    }
    check_text("name", &body.name, LONGEST_NAME)?;
    if body.scopes.is_empty() {
        return Err(Problem::input("scopes", "a token needs a scope: read, write or admin"));
    }
    if let Some(user) = user {
        let person = users::one(&api, user).await?;
        check_use(&api, user, person.role).await?;
    }
    check_count(&api, &caller).await?;
    let scopes = [Scope::Read, Scope::Write, Scope::Admin].into_iter();
    let scopes = scopes.filter(|scope| body.scopes.contains(scope));
    let new = NewToken {
        name: body.name,
        scopes: scopes.map(|scope| scope.as_str().to_owned()).collect(),
        user,
    };
    let (stored, now) = (new.clone(), api.clock.now());
    let made = api
        .db
        .write(move |tx| Box::pin(async move { tokens::create(tx, &stored, now).await }));
    let (id, token) = made.await?;
    let made = MadeToken {
        id,
        name: new.name,
        scopes: new.scopes,
        user_id: new.user,
        token: token.expose().to_owned(),
    };
    Ok((StatusCode::CREATED, Json(made)))
}

/// Refuses a token by which its person would be let in nowhere.
async fn check_use(api: &Shared, user: UserId, role: UserRole) -> Result<(), Problem> {
    if api.ingress.looks(&mut api.db.read().await?, user, role).await? {
        return Ok(());
    }
    let detail =
        "this person may not speak to the bot in private, so a token of theirs would be refused; let them in first";
    Err(Problem::new(Code::WrongState, detail).of_field("userId"))
}

/// Holds a person to a number of tokens: each is a row.
async fn check_count(api: &Shared, caller: &Caller) -> Result<(), Problem> {
    let Some(me) = caller.only() else { return Ok(()) };
    if tokens::in_use(&mut api.db.read().await?, me).await? < MOST_OF_PERSON {
        return Ok(());
    }
    let detail = format!("{MOST_OF_PERSON} tokens are in use, which is the most: revoke one first");
    Err(Problem::new(Code::WrongState, detail))
}

/// Revokes a token: it is good no more.
#[utoipa::path(delete, path = "/api/tokens/{id}", tag = "tokens", security(("bearer" = [])),
    params(("id" = String, Path, description = "The token")),
    responses((status = 204), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn revoke(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<TokenId>,
) -> Result<StatusCode, Problem> {
    let known = tokens::get(&mut api.db.read().await?, id).await?;
    let person = known.and_then(|token| token.user_id);
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
