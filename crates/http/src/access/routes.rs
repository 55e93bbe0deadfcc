//! The permissions of each route, in words for its description. The check of the handler counts, not this list; a test
//! holds the list to the existing routes, and the API's tests play each of them by every kind of token.

use utoipa::openapi::{
    OpenApi,
    path::{Operation, PathItem},
};

/// The callers of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// Needs no token.
    Anybody,
    /// Any token.
    AnyToken,
    /// A session in a browser, for its own person.
    Session,
    /// Reads: a person's token what is theirs, an owner's everything.
    See,
    /// Reads files, which an owner's token of others opens with `admin` only.
    Open,
    /// Takes out all that is kept of a person.
    Export,
    /// Changes: a person's token what is theirs, an owner's needs `admin` for what is another person's.
    Change,
    /// Settings, keys and accounts: a person's token its own, an owner's needs `admin`.
    Configure,
    /// Reads what is the bot's own; on this machine anybody.
    HereOrOwnerSees,
    /// Reads what is the bot's own.
    OwnerSees,
    /// Changes what is the bot's own.
    OwnerChanges,
}

impl Who {
    const fn sentence(self) -> &'static str {
        match self {
            Self::Anybody => "no token needed.",
            Self::AnyToken => "any token or session.",
            Self::Session => "a session in a browser, for its own person; a token makes no way in.",
            Self::See => {
                "scope `read`. A person's token sees what is theirs, and what belongs to a group or server that they manage; \
                 an owner's sees everything. Objects outside of that answer 404."
            }
            Self::Open => {
                "scope `read`, or `write` to change. A person's token has what is theirs, and what belongs to a group or \
                 server that they manage; an owner's needs `admin` for what is another person's."
            }
            Self::Export => "a person's token with `read` for its own person; an owner's needs `admin`.",
            Self::Change => {
                "scope `write`. A person's token changes what is theirs, and what belongs to a group or server that they \
                 manage; an owner's needs `admin` for what is another person's. Objects outside of that answer 404."
            }
            Self::Configure => {
                "a person's token with `write` for what is theirs, and for a group or server that they manage; an owner's \
                 needs `admin`."
            }
            Self::HereOrOwnerSees => "an owner's token with `read`; on the machine itself none.",
            Self::OwnerSees => "an owner's token with `read`.",
            Self::OwnerChanges => "an owner's token with `admin`.",
        }
    }
}

/// Every route.
const ROUTES: &[(&str, &str, Who)] = &[
    ("get", "/healthz", Who::Anybody),
    ("post", "/api/hooks/{name}", Who::Anybody),
    ("get", "/api/openapi.json", Who::Anybody),
    ("get", "/readyz", Who::HereOrOwnerSees),
    ("get", "/metrics", Who::OwnerSees),
    ("get", "/api/messages", Who::See),
    ("post", "/api/messages", Who::Change),
    ("patch", "/api/messages/{id}", Who::Change),
    ("get", "/api/models", Who::See),
    ("get", "/api/search", Who::See),
    ("get", "/api/runs", Who::See),
    ("post", "/api/runs", Who::Change),
    ("get", "/api/runs/{id}", Who::See),
    ("get", "/api/runs/{id}/replay", Who::See),
    ("get", "/api/runs/{id}/compare", Who::See),
    ("get", "/api/runs/{id}/why", Who::See),
    ("post", "/api/runs/{id}/rerun", Who::Change),
    ("get", "/api/runs/{id}/stream", Who::See),
    ("get", "/api/runs/{id}/steps/{seq}/prompt", Who::See),
    ("post", "/api/runs/{id}/cancel", Who::Change),
    ("post", "/api/runs/{id}/wake", Who::Change),
    ("post", "/api/runs/{id}/retry", Who::Change),
    ("post", "/api/runs/{id}/confirm", Who::Change),
    ("post", "/api/runs/{id}/undo", Who::Change),
    ("get", "/api/events", Who::See),
    ("get", "/api/contexts", Who::See),
    ("post", "/api/contexts", Who::Change),
    ("get", "/api/contexts/{id}", Who::See),
    ("patch", "/api/contexts/{id}", Who::Change),
    ("get", "/api/contexts/{id}/jobs", Who::See),
    ("get", "/api/memories", Who::See),
    ("post", "/api/memories", Who::Change),
    ("get", "/api/memories/jobs", Who::See),
    ("get", "/api/memories/{id}", Who::See),
    ("get", "/api/memories/{id}/source", Who::See),
    ("patch", "/api/memories/{id}", Who::Change),
    ("delete", "/api/memories/{id}", Who::Change),
    ("get", "/api/users", Who::See),
    ("get", "/api/users/{id}", Who::See),
    ("patch", "/api/users/{id}", Who::Configure),
    ("delete", "/api/users/{id}", Who::Configure),
    ("get", "/api/users/{id}/identities", Who::See),
    ("get", "/api/users/{id}/keys", Who::See),
    ("put", "/api/users/{id}/keys/{provider}", Who::Configure),
    ("delete", "/api/users/{id}/keys/{provider}", Who::Configure),
    ("post", "/api/users/{id}/link-code", Who::Configure),
    ("post", "/api/users/{id}/link", Who::Configure),
    ("get", "/api/users/{id}/export", Who::Export),
    ("post", "/api/sessions", Who::Anybody),
    ("get", "/api/sessions", Who::See),
    ("delete", "/api/sessions/current", Who::AnyToken),
    ("delete", "/api/sessions/others", Who::AnyToken),
    ("delete", "/api/sessions/{id}", Who::Configure),
    ("post", "/api/sessions/challenge", Who::Anybody),
    ("post", "/api/sessions/passkey", Who::Anybody),
    ("get", "/api/passkeys", Who::See),
    ("post", "/api/passkeys", Who::Session),
    ("post", "/api/passkeys/challenge", Who::Session),
    ("patch", "/api/passkeys/{id}", Who::Configure),
    ("delete", "/api/passkeys/{id}", Who::Configure),
    ("get", "/v1/models", Who::See),
    ("post", "/v1/chat/completions", Who::Change),
    ("get", "/api/me", Who::AnyToken),
    ("get", "/api/tokens", Who::See),
    ("post", "/api/tokens", Who::Configure),
    ("delete", "/api/tokens/{id}", Who::Configure),
    ("get", "/api/spaces", Who::See),
    ("get", "/api/spaces/{id}", Who::See),
    ("get", "/api/pairings", Who::OwnerSees),
    ("post", "/api/pairings/decide", Who::OwnerChanges),
    ("get", "/api/outages", Who::See),
    ("get", "/api/outbox", Who::See),
    ("post", "/api/outbox/{id}/resend", Who::Change),
    ("post", "/api/outbox/{id}/give-up", Who::Change),
    ("get", "/api/quarantine", Who::OwnerSees),
    ("post", "/api/quarantine/{id}/retry", Who::OwnerChanges),
    ("post", "/api/quarantine/{id}/forget", Who::OwnerChanges),
    ("post", "/api/reload", Who::OwnerChanges),
    ("get", "/api/settings", Who::See),
    ("patch", "/api/settings/{scope}", Who::Configure),
    ("get", "/api/settings/{scope}/{name}", Who::See),
    ("put", "/api/settings/{scope}/{name}", Who::Configure),
    ("delete", "/api/settings/{scope}/{name}", Who::Configure),
    ("get", "/api/policies", Who::OwnerSees),
    ("post", "/api/policies", Who::OwnerChanges),
    ("post", "/api/policies/test", Who::OwnerSees),
    ("get", "/api/policies/{id}", Who::OwnerSees),
    ("put", "/api/policies/{id}", Who::OwnerChanges),
    ("delete", "/api/policies/{id}", Who::OwnerChanges),
    ("get", "/api/tools", Who::See),
    ("get", "/api/tools/{name}", Who::See),
    ("patch", "/api/tools/{name}", Who::OwnerChanges),
    ("post", "/api/tools/{name}/call", Who::OwnerChanges),
    ("get", "/api/terminal", Who::OwnerChanges),
    ("post", "/api/terminal/messages", Who::OwnerChanges),
    ("post", "/api/terminal/shown", Who::OwnerChanges),
    ("get", "/api/channels", Who::See),
    ("get", "/api/channels/{id}", Who::See),
    ("patch", "/api/channels/{id}", Who::OwnerChanges),
    ("get", "/api/agents", Who::OwnerSees),
    ("post", "/api/agents", Who::OwnerChanges),
    ("get", "/api/agents/{id}", Who::OwnerSees),
    ("patch", "/api/agents/{id}", Who::OwnerChanges),
    ("delete", "/api/agents/{id}", Who::OwnerChanges),
    ("get", "/api/agents/{id}/prompts", Who::OwnerSees),
    ("get", "/api/agents/{id}/prompts/{version}", Who::OwnerSees),
    ("post", "/api/agents/{id}/prompts/{version}/restore", Who::OwnerChanges),
    ("get", "/api/connections", Who::OwnerSees),
    ("get", "/api/feedback", Who::See),
    ("put", "/api/runs/{id}/feedback", Who::Change),
    ("delete", "/api/runs/{id}/feedback", Who::Change),
    ("get", "/api/triggers", Who::See),
    ("post", "/api/triggers", Who::Change),
    ("get", "/api/triggers/{id}", Who::See),
    ("patch", "/api/triggers/{id}", Who::Change),
    ("delete", "/api/triggers/{id}", Who::Change),
    ("post", "/api/triggers/{id}/fire", Who::Change),
    ("get", "/api/usage", Who::See),
    ("get", "/api/usage/tools", Who::See),
    ("get", "/api/budgets", Who::See),
    ("get", "/api/files", Who::Open),
    ("post", "/api/files", Who::Open),
    ("get", "/api/files/{id}", Who::Open),
    ("delete", "/api/files/{id}", Who::Open),
    ("get", "/api/files/{id}/content", Who::Open),
];

/// Says in each operation's description who may call it.
pub(crate) fn describe(description: &mut OpenApi) {
    for (method, path, who) in ROUTES {
        let item = description.paths.paths.get_mut(*path);
        if let Some(operation) = item.and_then(|item| operation(item, method)) {
            let told = operation.description.take().unwrap_or_default();
            operation.description = Some(format!("{told}\n\nAccess: {}", who.sentence()).trim().to_owned());
        }
    }
}

fn operation<'a>(item: &'a mut PathItem, method: &str) -> Option<&'a mut Operation> {
    match method {
        "get" => item.get.as_mut(),
        "put" => item.put.as_mut(),
        "post" => item.post.as_mut(),
        "delete" => item.delete.as_mut(),
        "patch" => item.patch.as_mut(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::{super::super::router, ROUTES};

    #[test]
    fn every_route_says_who_may_call_it() {
        let description: Value = serde_json::from_str(&router::described()).unwrap();
        let mut routes = BTreeSet::new();
        for (path, item) in description["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let told = operation["description"].as_str().unwrap_or_default();
                assert!(told.contains("Access: "), "{method} {path} has no entry");
                routes.insert((method.clone(), path.clone()));
            }
        }
        let listed: BTreeSet<_> = ROUTES
            .iter()
            .map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned()))
            .collect();
        assert_eq!(listed, routes);
    }
}
