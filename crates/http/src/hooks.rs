//! Webhooks: signed requests that begin runs. They need no token.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use clifford_engine::triggers::webhook::{self, Call, Refusal};

use super::{
    Shared,
    extract::{Id, Raw},
    handler,
    problem::{Code, Problem, ProblemBody},
    triggers::{FiredView, busy, follow},
};

/// When the request was signed: seconds since the epoch.
const TIMESTAMP: &str = "x-clifford-timestamp";
/// The signature: `sha256=` and hexadecimal digits.
const SIGNATURE: &str = "x-clifford-signature";

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let detail = refusal.to_string();
        match refusal {
            Refusal::NotSigned | Refusal::Stale => Self::new(Code::NotSigned, detail),
            Refusal::Repeated => Self::new(Code::Repeated, detail),
            Refusal::Store(error) => busy(error),
            Refusal::Encryption(error) => error.into(),
        }
    }
}

/// Starts the run of a webhook. The request is signed: `X-Clifford-Timestamp` says when, as seconds since the epoch,
/// and `X-Clifford-Signature` is `sha256=` and the HMAC-SHA256 of the timestamp, a full stop and the body, in
/// hexadecimal digits. A signature is valid once, and for five minutes. The run gets the body as data.
#[utoipa::path(post, path = "/api/hooks/{name}", tag = "triggers", request_body(content = String,
        description = "Anything; JSON is given to the run as that, anything else as text"),
    params(("name" = String, Path, description = "The webhook's name"),
        ("X-Clifford-Timestamp" = String, Header, description = "When it was signed: seconds since the epoch"),
        ("X-Clifford-Signature" = String, Header, description = "sha256=HEX")),
    responses((status = 202, body = FiredView), (status = 413, body = ProblemBody),
        (status = 401, body = ProblemBody, description = "It is not signed, or was too long ago"),
        (status = 409, body = ProblemBody, description = "It was taken before, or the webhook is turned off")))]
#[handler]
pub(super) async fn take(
    State(api): State<Shared>,
    Id(name): Id<String>,
    headers: HeaderMap,
    Raw(body): Raw,
) -> Result<(StatusCode, Json<FiredView>), Problem> {
    let header = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    let call = Call {
        name: &name,
        timestamp: header(TIMESTAMP),
        signature: header(SIGNATURE),
        body: &body,
    };
    let context = &api.context;
    let fired = webhook::take(
        &api.db,
        &context.encryption,
        context.delivery.outbound(),
        context.settings.ingress.shared_parallel,
        call,
        api.clock.now(),
    )
    .await?;
    Ok((StatusCode::ACCEPTED, Json(follow(&api, fired))))
}
