//! A login by a passkey: the challenge for anybody, and the session for whoever answers it.

use std::net::{IpAddr, Ipv4Addr};

use axum::{Extension, Json, extract::State, http::HeaderMap, response::IntoResponse};
use clifford_store::people::{
    passkeys::{self, Credential, Purpose},
    sessions::{Begun, Session},
};
use clifford_vault::passkey::{self, Answer, Known, PasskeyError, Site};
use serde::Deserialize;

use super::{LONGEST_PART, options::RequestOptions, refused, site, spend, unknown_challenge};
use crate::{
    Shared,
    access::may_look,
    extract::{Body, check_text},
    handler,
    problem::{Code, Problem, ProblemBody},
    server::Peer,
    sessions,
};

/// Makes a challenge by which anybody may log in with a passkey. It is good once, for five minutes. The answer has the
/// options of `navigator.credentials.get()`.
#[utoipa::path(post, path = "/api/sessions/challenge", tag = "sessions",
    responses((status = 200, body = RequestOptions), (status = 409, body = ProblemBody), (status = 429, body = ProblemBody)))]
#[handler]
pub(crate) async fn challenge(
    State(api): State<Shared>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
) -> Result<Json<RequestOptions>, Problem> {
    sessions::same_origin(&headers, false)?;
    let site = site::of(&api, &headers)?;
    let now = api.clock.now();
    // Each is a row that a stranger makes.
    let address = address(peer.as_ref());
    api.state.challenges.check(address, now)?;
    api.state.challenges.count(address, now);
    let write = api
        .db
        .write(move |tx| Box::pin(passkeys::challenge(tx, &Purpose::LogIn, now)));
    let challenge = write.await?.ok_or_else(too_many)?;
    Ok(Json(RequestOptions::new(site, challenge)))
}

/// Too many challenges are open.
pub(super) fn too_many() -> Problem {
    let detail = "too many logins are under way; use a link, or try again in some minutes";
    Problem::new(Code::TooManyTries, detail).with_retry(passkeys::CHALLENGE_FOR.as_secs())
}

fn address(peer: Option<&Extension<Peer>>) -> IpAddr {
    peer.map_or(IpAddr::from(Ipv4Addr::LOCALHOST), |peer| peer.address())
}

/// The answer of a passkey to a challenge.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct LoginByPasskey {
    /// The credential's `id`.
    id: String,
    /// `response.clientDataJSON`, in base64url.
    client_data: String,
    /// `response.authenticatorData`, in base64url.
    authenticator_data: String,
    /// `response.signature`, in base64url.
    signature: String,
    /// `response.userHandle`, in base64url.
    user_handle: String,
}

impl LoginByPasskey {
    fn check(&self) -> Result<(), Problem> {
        for (field, text) in [
            ("id", &self.id),
            ("clientData", &self.client_data),
            ("authenticatorData", &self.authenticator_data),
            ("signature", &self.signature),
            ("userHandle", &self.user_handle),
        ] {
            check_text(field, text, LONGEST_PART)?;
        }
        Ok(())
    }

    fn answer(&self) -> Answer<'_> {
        Answer {
            client_data: &self.client_data,
            authenticator_data: &self.authenticator_data,
        }
    }
}

/// Begins a session of a passkey's person, by its answer to a challenge. The answer sets the session's cookie.
#[utoipa::path(post, path = "/api/sessions/passkey", tag = "sessions", request_body = LoginByPasskey,
    responses((status = 201, body = Session), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody),
        (status = 429, body = ProblemBody)))]
#[handler]
pub(crate) async fn log_in(
    State(api): State<Shared>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    Body(login): Body<LoginByPasskey>,
) -> Result<impl IntoResponse, Problem> {
    sessions::same_origin(&headers, false)?;
    login.check()?;
    let site = site::of(&api, &headers)?;
    let (address, now) = (address(peer.as_ref()), api.clock.now());
    match begin(&api, &site, &login, &headers).await {
        Ok(begun) => Ok(sessions::begun(&api, &headers, begun)),
        Err(problem) => {
            if problem.is(Code::PasskeyRefused) {
                tracing::info!(reason = problem.detail(), "refused a login by a passkey");
                return Err(api.state.tries.count_wrong(address, now, problem));
            }
            Err(problem)
        }
    }
}

async fn begin(api: &Shared, site: &Site, login: &LoginByPasskey, headers: &HeaderMap) -> Result<Begun, Problem> {
    let issued = passkey::challenge_of(login.answer()).map_err(refused)?;
    // First: of strangers who know no passkey nothing is written.
    let known = passkeys::credential(&mut api.db.read().await?, &login.id).await?;
    let known = known.ok_or_else(unknown)?;
    match spend(api, issued.clone()).await? {
        Some(Purpose::LogIn) => {}
        _ => return Err(unknown_challenge()),
    }
    let count = verified(site, &issued, login, &known).map_err(|error| {
        if error == PasskeyError::Counter {
            tracing::warn!(passkey_id = %known.id, "refused a passkey whose counter did not increase: there may be a copy of it");
        }
        refused(error)
    })?;
    if let Some(user) = known.user_id {
        may_look(api, user, known.role, Code::PasskeyRefused).await?;
    }
    let (id, count, now) = (known.id, i64::from(count), api.clock.now());
    let browser = sessions::browser(headers);
    let write = api
        .db
        .write(move |tx| Box::pin(async move { passkeys::log_in(tx, id, count, browser.as_deref(), now).await }));
    // Somebody was faster: who removed it, or another login with this count.
    let begun = write.await?.ok_or_else(|| refused(PasskeyError::Counter))?;
    tracing::info!(session_id = %begun.session.id, passkey_id = %id, "began a session with a passkey");
    Ok(begun)
}

/// Whether the passkey that an answer names gave it: how often it has signed by now.
fn verified(site: &Site, issued: &str, login: &LoginByPasskey, known: &Credential) -> Result<u32, PasskeyError> {
    // §7.2, steps 6 and 7: the device knows the person whose passkey it is; and the passkey is for this host.
    if known.rp_id != site.host {
        return Err(PasskeyError::Host);
    }
    if known.user_handle != login.user_handle {
        return Err(PasskeyError::Signature);
    }
    let key = Known {
        public_key: &known.public_key,
        sign_count: known.sign_count,
    };
    passkey::verify_login(site, issued, login.answer(), &login.signature, key)
}

fn unknown() -> Problem {
    let detail = "this passkey is not known here, or was removed; log in by a link";
    Problem::new(Code::PasskeyRefused, detail)
}
