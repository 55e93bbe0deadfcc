//! Authentication: bearer tokens with scopes, and sessions of browsers. `access` holds the rights of a caller.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use clifford_core::{clock::Timestamp, id::TokenId, people::UserRole};
use clifford_store::people::{sessions as sessions_of, tokens, users};

use super::{
    Shared,
    access::{Caller, FromHere, Grant, Scope, Scopes, Standing, may_look},
    problem::{Code, Problem},
    server::Peer,
    sessions::{self, cookie::FormToken},
};

/// How often requests without a valid token are logged at most.
const LOGGED_EVERY: Duration = Duration::from_secs(60);

/// Headers of a request that somebody else sent and a proxy handed on.
const HANDED_ON: [&str; 4] = ["forwarded", "via", "x-forwarded-for", "x-real-ip"];

/// Whether a request asks how the process is, comes from this machine, and neither brings a token nor was handed on by a
/// proxy.
fn is_local_check(request: &Request) -> bool {
    let headers = request.headers();
    let is_known = headers.contains_key(header::AUTHORIZATION) || headers.contains_key(header::COOKIE);
    let is_handed_on = HANDED_ON.iter().any(|name| headers.contains_key(*name));
    let address = request.extensions().get::<Peer>().map(Peer::address);
    request.uri().path() == "/readyz"
        && !is_known
        && !is_handed_on
        && address.is_some_and(|address| address.to_canonical().is_loopback())
}

/// Lets in who has a token, who brings a login link, and who asks on this machine whether the process is ready.
pub(super) async fn authenticate(State(api): State<Shared>, mut request: Request, next: Next) -> Response {
    let method = request.method().clone();
    if is_local_check(&request) {
        request.extensions_mut().insert(FromHere);
        return next.run(request).await;
    }
    if sessions::begins(&method, request.uri().path()) {
        return next.run(request).await;
    }
    match caller(&api, (&method, request.uri().path()), request.headers()).await {
        Ok((caller, form)) => {
            if let Some(peer) = request.extensions().get::<Peer>()
                && let Err(problem) = peer.authenticated(caller.token(), caller.share())
            {
                return problem.into_response();
            }
            request.extensions_mut().insert(caller);
            let mut response = next.run(request).await;
            if let Some(form) = form {
                response.extensions_mut().insert(form);
            }
            response
        }
        Err(problem) => {
            if problem.is(Code::Unauthorized) || problem.is(Code::ShutOut) {
                api.state.refusals.count(api.clock.now());
            }
            problem.into_response()
        }
    }
}

async fn caller(
    api: &Shared,
    route: (&Method, &str),
    headers: &HeaderMap,
) -> Result<(Caller, Option<FormToken>), Problem> {
    // A proxy may have judged another one of them.
    if headers.get_all(header::AUTHORIZATION).iter().nth(1).is_some() {
        let challenge = "Bearer realm=\"clifford\", error=\"invalid_request\"";
        return Err(Problem::new(Code::Unauthorized, "send one Authorization header").with_challenge(challenge));
    }
    let Some(token) = bearer(headers) else {
        let held = sessions::cookie::held(headers);
        if !held.is_empty() {
            let (caller, form) = sessions::caller(api, route, headers, &held).await?;
            return Ok((caller, Some(form)));
        }
        let detail = "send Authorization: Bearer TOKEN; `clifford token create` makes one";
        return Err(Problem::new(Code::Unauthorized, detail).with_challenge("Bearer realm=\"clifford\""));
    };
    Ok((bearer_of(api, token).await?, None))
}

/// The caller behind a bearer token.
async fn bearer_of(api: &Shared, token: &str) -> Result<Caller, Problem> {
    // Only hashes are compared, so how long that takes tells nothing of a token.
    let hash = clifford_vault::hash(token);
    if api.owner_token.as_deref() == Some(&hash) {
        return Ok(operator("owner", "owner"));
    }
    if api.local_token.as_deref() == Some(&hash) {
        return Ok(operator("local", "this machine"));
    }
    let known = tokens::bearer(&mut api.db.read_local().await?, &hash).await?;
    let Some(known) = known else {
        let challenge = "Bearer realm=\"clifford\", error=\"invalid_token\"";
        return Err(Problem::new(Code::Unauthorized, "the token is unknown or was revoked").with_challenge(challenge));
    };
    if let Some(user) = known.user_id {
        may_look(api, user, known.role, Code::ShutOut).await?;
    }
    let standing = match (known.user_id, known.role) {
        (None, _) => Standing::Operator,
        (Some(_), Some(UserRole::Owner)) => Standing::Owner,
        (Some(_), _) => Standing::Person,
    };
    Ok(Caller {
        id: known.id.to_string(),
        name: known.name,
        grant: Grant {
            standing,
            scopes: Scopes::of(&known.scopes.0),
        },
        person: known.user_id.or(known.speaker),
        session: None,
    })
}

/// Whether a caller of a while ago would still be let in, as the same: the token was not revoked, the session is not over,
/// and their person may still look, with the role of before.
pub(super) async fn is_still(api: &Shared, caller: &Caller) -> Result<bool, Problem> {
    let now = api.clock.now();
    let mut conn = api.db.read_local().await?;
    let user = if let Some(id) = caller.session {
        match sessions_of::get(&mut conn, id, now).await? {
            Some(session) => session.user_id,
            None => return Ok(false),
        }
    } else if let Ok(id) = caller.id.parse::<TokenId>() {
        match tokens::get(&mut conn, id).await? {
            Some(token) if token.revoked_at.is_none() => token.user_id,
            _ => return Ok(false),
        }
    } else {
        // The operator's own, which is in no row.
        return Ok(true);
    };
    let Some(user) = user else {
        return Ok(caller.grant.standing == Standing::Operator);
    };
    let Some(person) = users::get(&mut conn, user).await? else {
        return Ok(false);
    };
    let standing = match person.role {
        UserRole::Owner => Standing::Owner,
        UserRole::Member | UserRole::Stranger => Standing::Person,
    };
    Ok(standing == caller.grant.standing && api.ingress.looks(&mut conn, user, person.role).await?)
}

/// A caller who may do everything.
fn operator(id: &str, name: &str) -> Caller {
    Caller {
        id: id.to_owned(),
        name: name.to_owned(),
        grant: Grant {
            standing: Standing::Operator,
            scopes: Scopes::of(&[Scope::Admin.as_str().to_owned()]),
        },
        person: None,
        session: None,
    }
}

/// Requests without a valid token since they were last logged: somebody who guesses must not fill the log.
#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<(Option<Timestamp>, u64)>);

impl Refusals {
    fn count(&self, now: Timestamp) {
        if let Some(count) = self.due(now) {
            tracing::warn!(count, "rejected requests without a valid token");
        }
    }

    /// Counts one; how many are to be logged now.
    fn due(&self, now: Timestamp) -> Option<u64> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.1 += 1;
        if kept.0.is_some_and(|last| last <= now && now.since(last) < LOGGED_EVERY) {
            return None;
        }
        kept.0 = Some(now);
        Some(std::mem::take(&mut kept.1))
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_token_is_read_from_its_header() {
        for (value, expected) in [
            ("Bearer clf_a", Some("clf_a")),
            ("bearer  clf_a ", Some("clf_a")),
            ("Basic clf_a", None),
            ("Bearer", None),
            ("Bearer ", None),
            ("clf_a", None),
        ] {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))]);
            assert_eq!(bearer(&headers), expected, "{value}");
        }
    }

    #[test]
    fn requests_without_a_token_are_logged_once_a_minute_with_their_number() {
        let refusals = Refusals::default();
        let due = [0, 1, 59, 60, 61, 130].map(|seconds| refusals.due(Timestamp(seconds * 1000)));
        assert_eq!(due, [Some(1), None, None, Some(3), None, Some(2)]);
    }
}
