//! Passkeys: added in a browser that is logged in, listed, renamed, removed; and a login by one.
//!
//! **The contract.** `POST /api/passkeys/challenge`, by a session, answers with the options of
//! `navigator.credentials.create()`, and `POST /api/passkeys` takes what the browser makes of them.
//! `POST /api/sessions/challenge`, by anybody, answers with the options of `navigator.credentials.get()`, and
//! `POST /api/sessions/passkey` takes the answer and begins a session as a link does. All bytes are in base64url.
//!
//! **Where data come in, and what is stored when.** A challenge is a row before it is given out, so any process takes
//! its answer, also after a restart. The answer comes from a stranger: its challenge is used up first, whatever comes
//! of it; then `clifford_vault::passkey` checks what browser and device say, by the public key that is stored. A
//! login's counter and its session are one commit, which no second login with the same count passes. Out go options,
//! names and times: neither a key nor the name that a device gave to a passkey leaves, but to its own person, whose
//! devices must not make a second one.
//!
//! A passkey is for one host (`site`), and lets in its own person alone. It does so as long as somebody may speak to
//! the bot: not those who were made strangers since.

pub(super) mod login;
mod options;
mod site;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use clifford_core::id::{PasskeyId, SessionId};
use clifford_store::{
    StoreError,
    people::passkeys::{self, NewPasskey, Passkey, Purpose},
};
use clifford_telemetry::failpoint::{self as crash, Point};
use clifford_vault::passkey::{self, Answer, PasskeyError};
use serde::Deserialize;

use self::options::CreationOptions;
use super::{
    Shared,
    access::{Caller, Need, Object, Reader, Writer},
    extract::{Body, Id, check_text},
    handler,
    page::Page,
    problem::{Code, Problem, ProblemBody},
};

/// The longest name of a passkey.
const LONGEST_NAME: usize = 100;
/// The longest part of an answer: an RSA key takes some hundred characters, a name of a device's choice up to 1,400.
const LONGEST_PART: usize = 8192;

/// The passkeys that the caller may see, oldest first, without their keys: a person's their own, an owner's token all.
#[utoipa::path(get, path = "/api/passkeys", tag = "passkeys", security(("bearer" = [])),
    responses((status = 200, body = Page<Passkey>)))]
#[handler]
pub(super) async fn list(State(api): State<Shared>, _: Reader, caller: Caller) -> Result<Json<Page<Passkey>>, Problem> {
    let found = passkeys::list(&mut api.db.read().await?, caller.only()).await?;
    Ok(Json(Page::whole(found)))
}

/// Makes a challenge by which a browser that is logged in makes a passkey. It is good once, for five minutes, for this
/// session. The answer has the options of `navigator.credentials.create()`.
#[utoipa::path(post, path = "/api/passkeys/challenge", tag = "passkeys", security(("bearer" = [])),
    responses((status = 200, body = CreationOptions), (status = 409, body = ProblemBody)))]
#[handler]
pub(super) async fn challenge(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    headers: HeaderMap,
) -> Result<Json<CreationOptions>, Problem> {
    let session = session(&caller)?;
    let site = site::of(&api, &headers)?;
    let person = caller.person;
    let (known, user_handle) = passkeys::known(&mut api.db.read().await?, person).await?;
    let purpose = Purpose::Add {
        session,
        user_handle: user_handle.clone(),
    };
    let now = api.clock.now();
    let write = api
        .db
        .write(move |tx| Box::pin(async move { passkeys::challenge(tx, &purpose, now).await }));
    let challenge = write.await?.ok_or_else(login::too_many)?;
    Ok(Json(CreationOptions::new(
        &site,
        challenge,
        (user_handle, &caller.name),
        known,
    )))
}

/// A browser's answer to the options for a new passkey.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = NewPasskey)]
pub(super) struct NewPasskeyBody {
    /// A name by which its person knows it.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
    /// `response.clientDataJSON`, in base64url.
    client_data: String,
    /// `response.getAuthenticatorData()`, in base64url.
    authenticator_data: String,
}

/// Adds a passkey to the person of the session, by the answer to a challenge.
#[utoipa::path(post, path = "/api/passkeys", tag = "passkeys", security(("bearer" = [])), request_body = NewPasskeyBody,
    responses((status = 201, body = Passkey), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn add(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    headers: HeaderMap,
    Body(body): Body<NewPasskeyBody>,
) -> Result<(StatusCode, Json<Passkey>), Problem> {
    let session = session(&caller)?;
    check_text("name", &body.name, LONGEST_NAME)?;
    check_text("clientData", &body.client_data, LONGEST_PART)?;
    check_text("authenticatorData", &body.authenticator_data, LONGEST_PART)?;
    let site = site::of(&api, &headers)?;
    let answer = Answer {
        client_data: &body.client_data,
        authenticator_data: &body.authenticator_data,
    };
    let issued = passkey::challenge_of(answer).map_err(refused)?;
    let user_handle = match spend(&api, issued.clone()).await? {
        Some(Purpose::Add {
            session: of,
            user_handle,
        }) if of == session => user_handle,
        _ => return Err(unknown_challenge()),
    };
    let made = passkey::verify_new(&site, &issued, answer).map_err(refused)?;
    let new = NewPasskey {
        credential_id: made.id,
        user_handle,
        rp_id: site.host,
        public_key: made.public_key,
        sign_count: i64::from(made.sign_count),
        name: body.name.trim().to_owned(),
    };
    let (person, now) = (caller.person, api.clock.now());
    let write = api
        .db
        .write(move |tx| Box::pin(async move { passkeys::add(tx, person, &new, now).await }));
    let passkey = write.await.map_err(|error| match error {
        StoreError::Conflict(_) => Problem::new(Code::Conflict, "this passkey was added already"),
        other => other.into(),
    })?;
    tracing::info!(passkey_id = %passkey.id, session_id = %session, "added a passkey");
    Ok((StatusCode::CREATED, Json(passkey)))
}

/// Another name of a passkey.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct PasskeyChange {
    /// The name by which its person knows it.
    #[schema(min_length = 1, max_length = 100)]
    name: String,
}

/// Gives a passkey another name.
#[utoipa::path(patch, path = "/api/passkeys/{id}", tag = "passkeys", security(("bearer" = [])),
    params(("id" = String, Path, description = "The passkey")), request_body = PasskeyChange,
    responses((status = 200, body = Passkey), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn rename(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<PasskeyId>,
    Body(body): Body<PasskeyChange>,
) -> Result<Json<Passkey>, Problem> {
    may_change(&api, &caller, id).await?;
    check_text("name", &body.name, LONGEST_NAME)?;
    let name = body.name.trim().to_owned();
    let write = api
        .db
        .write(move |tx| Box::pin(async move { passkeys::rename(tx, id, &name).await }));
    let renamed = write.await?;
    renamed
        .map(Json)
        .ok_or_else(|| Problem::not_found(format!("passkey {id}")))
}

/// Removes a passkey: it lets nobody in any more. Sessions that began with it go on.
#[utoipa::path(delete, path = "/api/passkeys/{id}", tag = "passkeys", security(("bearer" = [])),
    params(("id" = String, Path, description = "The passkey")),
    responses((status = 204), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn remove(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<PasskeyId>,
) -> Result<StatusCode, Problem> {
    may_change(&api, &caller, id).await?;
    let removed = api.db.write(move |tx| Box::pin(passkeys::remove(tx, id))).await?;
    if removed {
        tracing::info!(passkey_id = %id, "removed a passkey");
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Problem::not_found(format!("passkey {id}")))
    }
}

async fn may_change(api: &Shared, caller: &Caller, id: PasskeyId) -> Result<(), Problem> {
    let found = passkeys::get(&mut api.db.read().await?, id).await?;
    let person = found.and_then(|passkey| passkey.user_id);
    let object = person.map_or_else(Object::nobodys, Object::person);
    let what = format!("passkey {id}");
    caller.allow(api, Need::Configure, &object, &what).await.map(|_| ())
}

/// The session of a caller: a token, which a program may have, makes no way in for a person.
fn session(caller: &Caller) -> Result<SessionId, Problem> {
    let detail = "a passkey is added in a browser that is logged in, not by a token";
    caller.session.ok_or_else(|| Problem::new(Code::WrongState, detail))
}

/// Uses up a challenge: what it was for.
async fn spend(api: &Shared, issued: String) -> Result<Option<Purpose>, Problem> {
    let now = api.clock.now();
    let write = api
        .db
        .write(move |tx| Box::pin(async move { passkeys::spend(tx, &issued, now).await }));
    let purpose = write.await?;
    if purpose.is_some() {
        crash::reach(Point::ChallengeSpent);
    }
    Ok(purpose)
}

fn unknown_challenge() -> Problem {
    let detail = "its challenge is over or was answered before; try again";
    Problem::new(Code::PasskeyRefused, detail)
}

fn refused(error: PasskeyError) -> Problem {
    Problem::new(Code::PasskeyRefused, error.to_string())
}
