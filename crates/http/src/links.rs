//! Linking of accounts, for operators: by the same codes as in chats.

use axum::{
    Json,
    extract::{Request, State},
    http::StatusCode,
};
use clifford_core::{clock::Timestamp, id::UserId};
use clifford_ingress::identity::{self, Refusal};
use clifford_store::people::users;
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    access::{Caller, Need, Object},
    extract::{Id, body, check_text},
    handler,
    problem::{Code, Problem, ProblemBody},
};

/// Longest text that is looked at as a code.
const TYPED: usize = 64;

/// A code that was just made. It is shown this once.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkCode {
    /// The code, to be entered for the other person or on their account.
    code: String,
    /// Until when it is good, once.
    #[schema(value_type = String)]
    expires_at: Timestamp,
}

/// Makes a code by which another person becomes part of this one; an older code of theirs is void.
#[utoipa::path(post, path = "/api/users/{id}/link-code", tag = "users", security(("bearer" = [])),
    params(("id" = String, Path, description = "The person who stays")),
    responses((status = 201, body = LinkCode), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn make(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<UserId>,
) -> Result<(StatusCode, Json<LinkCode>), Problem> {
    caller
        .allow(&api, Need::Configure, &Object::person(id), format!("user {id}"))
        .await?;
    let now = api.clock.now();
    let made = api
        .db
        .write(move |tx| {
            Box::pin(async move {
                let account = identity::account_of(tx, id).await?;
                identity::make_code(tx, &account, now).await
            })
        })
        .await?;
    let code = LinkCode {
        code: made.code,
        expires_at: made.expires_at,
    };
    Ok((StatusCode::CREATED, Json(code)))
}

/// A code to be entered.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Entered {
    /// The code that the other person's account made. Case, spaces and dashes do not matter.
    code: String,
}

/// A person with their accounts.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Linked {
    /// The person that both are now.
    #[schema(value_type = String)]
    user_id: UserId,
    /// Their name.
    name: String,
    /// Their accounts.
    accounts: Vec<LinkedAccount>,
}

/// An account on a platform.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct LinkedAccount {
    /// Which platform.
    platform: String,
    /// The platform's id of the account.
    platform_user_id: String,
    /// Its name there.
    name: String,
}

/// Makes this person part of the one whose account made the code.
#[utoipa::path(post, path = "/api/users/{id}/link", tag = "users", security(("bearer" = [])), request_body = Entered,
    params(("id" = String, Path, description = "The person who becomes part of the other")),
    responses((status = 200, body = Linked), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody), (status = 429, body = ProblemBody)))]
#[handler]
pub(super) async fn enter(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<UserId>,
    request: Request,
) -> Result<Json<Linked>, Problem> {
    caller
        .allow(&api, Need::Configure, &Object::person(id), format!("user {id}"))
        .await?;
    let entered: Entered = body(request, &api).await?;
    check_text("code", &entered.code, TYPED)?;
    let now = api.clock.now();
    let (user, identities) = api
        .db
        .write(move |tx| {
            Box::pin(async move {
                let account = identity::account_of(tx, id).await?;
                Ok(match identity::enter_code(tx, &account, &entered.code, now).await? {
                    Ok(user) => {
                        let identities = users::identities(tx, user.id).await?;
                        Ok((user, identities))
                    }
                    Err(refusal) => Err(refusal),
                })
            })
        })
        .await?
        .map_err(|refusal| problem(&refusal))?;
    let accounts = identities.into_iter().map(|identity| LinkedAccount {
        platform: identity.platform,
        platform_user_id: identity.platform_user_id,
        name: identity.name,
    });
    Ok(Json(Linked {
        user_id: user.id,
        name: user.name,
        accounts: accounts.collect(),
    }))
}

fn problem(refusal: &Refusal) -> Problem {
    let code = match refusal {
        Refusal::NoSuchCode => return Problem::new(Code::LinkCodeUnknown, refusal.to_string()).of_field("code"),
        Refusal::TooManyTries(_) => Code::TooManyTries,
        Refusal::AlreadyLinked => Code::AlreadyLinked,
        Refusal::OtherWayRound => Code::LinkOtherWayRound,
        Refusal::BeingErased | Refusal::OnlyAccount => Code::WrongState,
    };
    Problem::new(code, refusal.to_string())
}
