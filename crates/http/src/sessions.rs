//! Sessions in a browser: how they begin, who is behind one, how they end.
//!
//! **The contract.** A login link is `ADDRESS/login?link=LINK` ([`sessions::login_link`]); it is made by `clifford login`, by
//! `/dashboard` in a private chat, and at a start of `serve` as long as nobody has logged in. The page behind it must not
//! use it up by being looked at: it shows a button, which sends `POST /api/sessions` with `{"link": LINK}`. The answer
//! sets the cookie of the session ([`cookie`]: `HttpOnly`, `SameSite=Strict`, and `Secure` where `http.public_url` is https or a proxy
//! says so). From then on the cookie stands in for a token on every route, with the rights of its person; the operator's
//! has all. A person's passkey is the other way in (`passkeys`). A request that changes something and comes with the cookie must carry an `Origin` that is its `Host`.
//! `GET /api/me` says who is asking, and `DELETE /api/sessions/current` logs out, `others` the
//! other browsers of the same person. A session is a row with a hash; a
//! session that nobody uses for 30 days is over.

pub mod cookie;
mod tries;

use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderName, Method, StatusCode, header},
    response::{AppendHeaders, IntoResponse},
};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, SessionId, UserId},
    people::UserRole,
};
use clifford_store::{
    StoreError,
    people::{
        sessions::{self, Begun, Session, SessionOf},
        users,
    },
    places::channels,
};
use serde::{Deserialize, Serialize};

use self::cookie::{FormToken, Held};
pub(super) use self::tries::Tries;
use super::{
    Shared,
    access::{Caller, Grant, Need, Object, Reader, Scope, Scopes, Standing, is_manager, may_look},
    extract::{Body, Id, Query, check_text},
    handler,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
    server::Peer,
};

/// Whether a request is to begin a session: a link, or a passkey, stands in for a token there.
pub(super) fn begins(method: &Method, path: &str) -> bool {
    let paths = ["/api/sessions", "/api/sessions/challenge", "/api/sessions/passkey"];
    *method == Method::POST && paths.contains(&path)
}

/// Whether a request is to end the session that it comes with.
fn leaves(method: &Method, path: &str) -> bool {
    *method == Method::DELETE && path == "/api/sessions/current"
}

/// The person behind the first of these cookies whose session there is, and what its forms carry.
///
/// # Errors
/// The session is over; the request changes something and comes from another site.
pub(super) async fn caller(
    api: &Shared,
    (method, path): (&Method, &str),
    headers: &HeaderMap,
    held: &[Held<'_>],
) -> Result<(Caller, FormToken), Problem> {
    let now = api.clock.now();
    let (known, form) = known(api, held, now).await?.ok_or_else(|| {
        Problem::new(
            Code::Unauthorized,
            "the session is over; log in again with a link of `clifford login` or of `/dashboard` in a private chat",
        )
    })?;
    // Somebody who is shut out may still log out.
    if let Some(user) = known.user_id.filter(|_| !leaves(method, path)) {
        may_look(api, user, known.role, Code::ShutOut).await?;
    }
    if !method.is_safe() {
        same_origin(headers, true)?;
    }
    if known.is_to_be_noted(now) {
        let id = known.id;
        api.db.write(move |tx| Box::pin(sessions::note(tx, id, now))).await?;
    }
    let (standing, scopes): (_, &[Scope]) = match (known.user_id, known.role) {
        (None, _) => (Standing::Operator, &[Scope::Admin]),
        (Some(_), Some(UserRole::Owner)) => (Standing::Owner, &[Scope::Admin]),
        (Some(_), _) => (Standing::Person, &[Scope::Read, Scope::Write]),
    };
    let scopes: Vec<_> = scopes.iter().map(|scope| scope.as_str().to_owned()).collect();
    let caller = Caller {
        name: known.name.unwrap_or_else(|| known.account.clone()),
        id: known.account,
        grant: Grant {
            standing,
            scopes: Scopes::of(&scopes),
        },
        person: known.user_id,
        session: Some(known.id),
    };
    Ok((caller, form))
}

async fn known(api: &Shared, held: &[Held<'_>], now: Timestamp) -> Result<Option<(SessionOf, FormToken)>, StoreError> {
    let mut conn = api.db.read_local().await?;
    for Held { secret, .. } in held {
        let hash = clifford_vault::hash(secret);
        if let Some(known) = sessions::session_of(&mut conn, &hash, now).await? {
            return Ok(Some((known, FormToken::of(Some(secret)))));
        }
    }
    Ok(None)
}

/// Refuses a request of another site.
pub(super) fn same_origin(headers: &HeaderMap, is_needed: bool) -> Result<(), Problem> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_ours = match (text(header::ORIGIN), text(header::HOST)) {
        (None, _) => !is_needed,
        (Some(origin), Some(host)) => {
            let origin = origin
                .strip_prefix("https://")
                .or_else(|| origin.strip_prefix("http://"));
            origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
        }
        (Some(_), None) => false,
    };
    if is_ours {
        return Ok(());
    }
    let detail = "a change by a session must come from a page of this server: its Origin must be its Host";
    Err(Problem::new(Code::ForeignOrigin, detail).of_field("Origin"))
}

/// A login link.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Login {
    /// The part of the link behind `link=`.
    link: String,
}

/// Uses up a login link and begins a session of its person. The answer sets the session's cookie.
#[utoipa::path(post, path = "/api/sessions", tag = "sessions", request_body = Login,
    responses((status = 201, body = Session), (status = 422, body = ProblemBody), (status = 429, body = ProblemBody)))]
#[handler]
pub(super) async fn begin(
    State(api): State<Shared>,
    peer: Option<axum::Extension<Peer>>,
    headers: HeaderMap,
    Body(login): Body<Login>,
) -> Result<impl IntoResponse, Problem> {
    same_origin(&headers, false)?;
    check_text("link", &login.link, 200)?;
    let now = api.clock.now();
    let address = peer.map_or(IpAddr::from(Ipv4Addr::LOCALHOST), |peer| peer.address());
    let browser = browser(&headers);
    let hash = clifford_vault::hash(&login.link);
    // A good one is let through, however many bad ones others behind the same proxy send. Those write nothing.
    let known = sessions::person_of_link(&mut api.db.read().await?, &hash, now).await?;
    let Some(person) = known else {
        return Err(api.state.tries.count_wrong(address, now, unknown_link()));
    };
    if let Some((user, role)) = person {
        may_look(&api, user, Some(role), Code::LinkUnknown).await?;
    }
    let begun = api
        .db
        .write(move |tx| Box::pin(async move { sessions::redeem(tx, &hash, browser.as_deref(), now).await }))
        .await?;
    // Somebody was faster.
    let begun = begun.ok_or_else(unknown_link)?;
    tracing::info!(session_id = %begun.session.id, "began a session");
    Ok(self::begun(&api, &headers, begun))
}

fn unknown_link() -> Problem {
    let detail = "a link is good once and for ten minutes; `clifford login` or `/dashboard` makes a new one";
    Problem::new(Code::LinkUnknown, detail).of_field("link")
}

/// The name of the browser that a request comes from, as it calls itself.
pub(super) fn browser(headers: &HeaderMap) -> Option<String> {
    let name = headers.get(header::USER_AGENT).and_then(|name| name.to_str().ok());
    name.map(str::to_owned)
}

/// The answer that lets a browser into a session that has just begun.
pub(super) fn begun(api: &Shared, headers: &HeaderMap, begun: Begun) -> impl IntoResponse + use<> {
    let is_secure = cookie::is_secure(api, headers);
    let cookie = cookie::set(
        &cookie::name(headers),
        begun.token.expose(),
        cookie::KEPT_FOR,
        is_secure,
    );
    (
        StatusCode::CREATED,
        AppendHeaders([(header::SET_COOKIE, cookie)]),
        Json(begun.session),
    )
}

/// Which sessions.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SessionsQuery {
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<SessionId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of the sessions that the caller may see, newest first: a person's their own, an owner's token all.
#[utoipa::path(get, path = "/api/sessions", tag = "sessions", security(("bearer" = [])), params(SessionsQuery),
    responses((status = 200, body = Page<Session>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<SessionsQuery>,
) -> Result<Json<Page<Session>>, Problem> {
    let (limit, now) = (page::limit(wanted.limit)?, api.clock.now());
    let mut conn = api.db.read().await?;
    let found = sessions::page(&mut conn, caller.only(), wanted.before, limit + 1, now).await?;
    Ok(Json(Page::of(found, limit, |session| session.id.to_string())))
}

/// Ends a session: its browser has to log in again.
#[utoipa::path(delete, path = "/api/sessions/{id}", tag = "sessions", security(("bearer" = [])),
    params(("id" = String, Path, description = "The session")),
    responses((status = 204), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn end(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<SessionId>,
) -> Result<StatusCode, Problem> {
    let now = api.clock.now();
    let found = sessions::get(&mut api.db.read().await?, id, now).await?;
    let person = found.and_then(|session| session.user_id);
    let object = person.map_or_else(Object::nobodys, Object::person);
    let what = format!("session {id}");
    caller.allow(&api, Need::Configure, &object, &what).await?;
    let ended = api.db.write(move |tx| Box::pin(sessions::end(tx, id))).await?;
    if ended {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Problem::not_found(what))
    }
}

/// Ends the session that the request comes with, and takes its cookie back. Others of this browser, from other ports of
/// the machine, end too: they would let it in again.
#[utoipa::path(delete, path = "/api/sessions/current", tag = "sessions", security(("bearer" = [])),
    responses((status = 204), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn log_out(
    State(api): State<Shared>,
    caller: Caller,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    let id = caller.session.ok_or_else(none)?;
    let held = cookie::held(&headers).into_iter();
    let held: Vec<_> = held
        .map(|held| (held.name.to_owned(), clifford_vault::hash(held.secret)))
        .collect();
    let write = api.db.write(move |tx| {
        Box::pin(async move {
            let mut ended = Vec::new();
            for (name, hash) in held {
                // Another server's is left alone.
                if sessions::end_by(tx, &hash).await? {
                    ended.push(name);
                }
            }
            sessions::end(tx, id).await?;
            Ok(ended)
        })
    });
    let mut names = write.await?;
    let own = cookie::name(&headers);
    if !names.contains(&own) {
        names.push(own);
    }
    let is_secure = cookie::is_secure(&api, &headers);
    let taken_back = names
        .into_iter()
        .map(|name| (header::SET_COOKIE, cookie::set(&name, "", Duration::ZERO, is_secure)));
    Ok((StatusCode::NO_CONTENT, AppendHeaders(taken_back.collect::<Vec<_>>())))
}

/// Ends the other sessions of the caller's person: their other browsers have to log in again.
#[utoipa::path(delete, path = "/api/sessions/others", tag = "sessions", security(("bearer" = [])),
    responses((status = 204), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn end_others(State(api): State<Shared>, caller: Caller) -> Result<StatusCode, Problem> {
    let kept = caller.session.ok_or_else(none)?;
    let person = caller.person;
    let write = api.db.write(move |tx| Box::pin(sessions::end_others(tx, person, kept)));
    write.await?;
    Ok(StatusCode::NO_CONTENT)
}

fn none() -> Problem {
    Problem::not_found("session: a token has none")
}

/// The caller.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Me {
    /// On whose behalf the caller acts.
    role: MyRole,
    /// The person behind the token or session; `null`: the operator, or a token that has not spoken yet.
    #[schema(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// The channel in which the caller writes; `null`: they have not written yet.
    #[schema(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// The name of the token, or of the person of a session.
    name: String,
    /// The caller's scopes.
    scopes: Vec<&'static str>,
    /// The session, if the caller has one.
    #[schema(value_type = Option<String>)]
    session_id: Option<SessionId>,
    /// The day on which the bot's usage counts now, in its time zone.
    today: String,
    /// A model writes down what is said aloud.
    hears: bool,
    /// The IANA time zone of the caller's person, or of the bot.
    time_zone: String,
    /// The caller, who is no owner, manages a server or group.
    manages: bool,
}

/// On whose behalf a caller acts.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
enum MyRole {
    /// The operator of this Clifford, who sees everything.
    Operator,
    /// A person who is an owner, and sees everything.
    Owner,
    /// Any other person, who sees what is theirs.
    Person,
}

/// The caller: on whose behalf they act, and what they may do.
#[utoipa::path(get, path = "/api/me", tag = "sessions", security(("bearer" = [])),
    responses((status = 200, body = Me)))]
#[handler]
pub(super) async fn me(State(api): State<Shared>, caller: Caller) -> Result<Json<Me>, Problem> {
    let zone = api.context.settings.zone();
    let person = match caller.person {
        Some(person) => users::get(&mut api.db.read().await?, person).await?,
        None => None,
    };
    let manages = match caller.only() {
        Some(me) => is_manager(&api, me).await?,
        None => false,
    };
    let place = caller.place();
    let channel = channels::by_place(&mut api.db.read().await?, place.platform, &place.external_id).await?;
    let own_zone = person.and_then(|person| person.time_zone);
    let scopes = [Scope::Read, Scope::Write, Scope::Admin];
    let scopes = scopes.into_iter().filter(|scope| caller.grant.scopes.include(*scope));
    Ok(Json(Me {
        role: match caller.grant.standing {
            Standing::Operator => MyRole::Operator,
            Standing::Owner => MyRole::Owner,
            Standing::Person => MyRole::Person,
        },
        user_id: caller.person,
        channel_id: channel.map(|channel| channel.id),
        scopes: scopes.map(Scope::as_str).collect(),
        session_id: caller.session,
        today: api.clock.now().to_jiff().to_zoned(zone).date().to_string(),
        manages,
        hears: api.context.tools.services.transcription.is_some(),
        time_zone: own_zone.unwrap_or_else(|| api.context.settings.engine().time_zone.clone()),
        name: caller.name,
    }))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        pairs.collect()
    }

    #[test]
    fn a_change_comes_from_a_page_of_the_host_that_it_is_sent_to() {
        let of = |pairs: &[(HeaderName, &'static str)], is_needed| same_origin(&headers(pairs), is_needed).is_ok();
        let host = (header::HOST, "bot.example:8088");
        for (origin, expected) in [
            ("http://bot.example:8088", true),
            ("https://BOT.example:8088", true),
            ("http://bot.example", false),
            ("http://evil.example", false),
            ("null", false),
        ] {
            assert_eq!(
                of(&[host.clone(), (header::ORIGIN, origin)], true),
                expected,
                "{origin}"
            );
        }
        assert!(!of(std::slice::from_ref(&host), true));
        assert!(of(&[host], false));
    }
}
