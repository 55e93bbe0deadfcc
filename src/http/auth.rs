//! Who calls, and what they may do: bearer tokens with scopes.

use axum::{
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use clifford_channel::{Place, PlaceKind, Platform, Speaker};

use super::{
    Shared,
    problem::{Code, Problem},
};
use crate::store::tokens;

/// May do everything, as `read` and `write` together and more.
const ADMIN: &str = "admin";

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    id: String,
    name: String,
    scopes: Vec<String>,
}

impl Caller {
    /// The caller's own channel.
    pub(super) fn place(&self) -> Place {
        Place {
            platform: Platform::Web,
            external_id: self.account(),
            kind: PlaceKind::Private,
            name: Some(self.name.clone()),
            space: None,
        }
    }

    /// The caller as somebody who speaks.
    pub(super) fn speaker(&self) -> Speaker {
        Speaker {
            id: self.account(),
            name: self.name.clone(),
            handle: None,
            is_bot: false,
            language: None,
        }
    }

    fn account(&self) -> String {
        format!("api:{}", self.id)
    }

    /// The caller in words, for what they make.
    pub(super) fn label(&self) -> String {
        format!("API token {}", self.name)
    }

    /// May do everything.
    pub(super) fn is_admin(&self) -> bool {
        self.require(ADMIN).is_ok()
    }

    fn require(&self, scope: &str) -> Result<(), Problem> {
        if self.scopes.iter().any(|own| own == scope || own == ADMIN) {
            return Ok(());
        }
        let detail = format!("it needs the scope `{scope}`");
        let challenge = format!("Bearer realm=\"clifford\", error=\"insufficient_scope\", scope=\"{scope}\"");
        Err(Problem::new(Code::MissingScope, detail).with_challenge(challenge))
    }
}

/// Lets in who has a token.
pub(super) async fn authenticate(State(api): State<Shared>, mut request: Request, next: Next) -> Response {
    match caller(&api, request.headers()).await {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

async fn caller(api: &Shared, headers: &HeaderMap) -> Result<Caller, Problem> {
    let Some(token) = bearer(headers) else {
        let detail = "send Authorization: Bearer TOKEN; `clifford token create` makes one";
        return Err(Problem::new(Code::Unauthorized, detail).with_challenge("Bearer realm=\"clifford\""));
    };
    // Only hashes are compared, so how long that takes tells nothing of a token.
    let hash = clifford_vault::hash(token);
    if api.owner_token.as_deref() == Some(&hash) {
        return Ok(Caller {
            id: "owner".to_owned(),
            name: "owner".to_owned(),
            scopes: vec![ADMIN.to_owned()],
        });
    }
    let known = tokens::by_hash(&mut api.engine.db.read().await?, &hash).await?;
    let Some(known) = known else {
        let challenge = "Bearer realm=\"clifford\", error=\"invalid_token\"";
        return Err(Problem::new(Code::Unauthorized, "the token is unknown or was revoked").with_challenge(challenge));
    };
    Ok(Caller {
        id: known.id.to_string(),
        name: known.name,
        scopes: known.scopes.0,
    })
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

impl FromRequestParts<Shared> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Problem::new(Code::Unauthorized, "a token is needed"))
    }
}

macro_rules! scope {
    ($(#[$doc:meta] $name:ident = $scope:expr;)*) => {$(
        #[$doc]
        pub(super) struct $name;

        impl FromRequestParts<Shared> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, api: &Shared) -> Result<Self, Problem> {
                let caller = Caller::from_request_parts(parts, api).await?;
                caller.require($scope).map(|()| Self)
            }
        }
    )*};
}

scope! {
    /// A caller who may look.
    Reader = "read";
    /// A caller who may talk to the bot and change what it does.
    Writer = "write";
    /// A caller who may change settings.
    Admin = ADMIN;
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
    fn admin_includes_the_other_scopes_and_they_include_nothing() {
        let may = |own: &str, scope| {
            let caller = Caller {
                id: String::new(),
                name: String::new(),
                scopes: vec![own.to_owned()],
            };
            caller.require(scope).is_ok()
        };
        for (own, expected) in [
            ("read", [true, false, false]),
            ("write", [false, true, false]),
            ("admin", [true, true, true]),
            ("other", [false, false, false]),
        ] {
            assert_eq!(
                ["read", "write", "admin"].map(|scope| may(own, scope)),
                expected,
                "{own}"
            );
        }
    }
}
