//! People who asked to be let in, and the decision about each.

use axum::{Json, extract::State, http::StatusCode};
use clifford_ingress::{self as ingress, Decision};
use clifford_store::{
    db::notify,
    people::{
        pairing_codes::{self, PairingRequest},
        pairings,
    },
};
use serde::Deserialize;

use super::{
    Shared,
    access::{Admin, Caller, OwnerReader},
    extract::{Body, Query},
    handler,
    page::Page,
    problem::{Problem, ProblemBody},
};

/// Which requests.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PairingsQuery {
    /// Blocked accounts, in place of those that wait.
    #[serde(default)]
    blocked: bool,
}

/// People who ask to be let in, the oldest request first, each with the code that they got; or those who are blocked.
#[utoipa::path(get, path = "/api/pairings", tag = "pairings", security(("bearer" = [])), params(PairingsQuery),
    responses((status = 200, body = Page<PairingRequest>)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: OwnerReader,
    Query(wanted): Query<PairingsQuery>,
) -> Result<Json<Page<PairingRequest>>, Problem> {
    let mut conn = api.db.read().await?;
    let found = match wanted.blocked {
        true => {
            let blocked = pairings::blocked(&mut conn).await?;
            blocked.into_iter().map(PairingRequest::from).collect()
        }
        false => pairing_codes::list(&mut conn, api.clock.now()).await?,
    };
    Ok(Json(Page::whole(found)))
}

/// The decision about somebody who asked.
#[derive(Clone, Copy, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum PairingDecision {
    /// They may talk to the bot.
    Approve,
    /// They may not, and may ask again.
    Refuse,
    /// They may not, and are not heard any more.
    Block,
}

/// A decision about an account.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NewPairingDecision {
    /// Which platform.
    platform: String,
    /// The platform's id of the account.
    platform_user_id: String,
    /// The decision about its person.
    decision: PairingDecision,
}

/// Decides about somebody who asked to be let in, and tells them.
#[utoipa::path(post, path = "/api/pairings/decide", tag = "pairings", security(("bearer" = [])),
    request_body = NewPairingDecision, responses((status = 204), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn decide(
    State(api): State<Shared>,
    _: Admin,
    caller: Caller,
    Body(decided): Body<NewPairingDecision>,
) -> Result<StatusCode, Problem> {
    let decision = match decided.decision {
        PairingDecision::Approve => Decision::Approve,
        PairingDecision::Refuse => Decision::Refuse,
        PairingDecision::Block => Decision::Block,
    };
    let (now, by) = (api.clock.now(), caller.name);
    let what = format!("request of {}:{}", decided.platform, decided.platform_user_id);
    let settled = api
        .db
        .write(move |tx| {
            Box::pin(async move {
                // Their answer is to be sent.
                notify::work(tx).await?;
                ingress::decide(tx, &decided.platform, &decided.platform_user_id, decision, &by, now).await
            })
        })
        .await?;
    settled
        .map(|_| StatusCode::NO_CONTENT)
        .ok_or_else(|| Problem::not_found(what))
}
