//! Callers: the holders of tokens, and the people on whose behalf they act.

use clifford_chat::{
    inbound::{Place, PlaceKind, Speaker},
    platform::Platform,
};
use clifford_core::id::{SessionId, UserId};
use clifford_store::{StoreError, people::users};

use super::{Grant, Scope, Standing, lacks};
use crate::{Shared, problem::Problem, server::Share};

/// A caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The token, or the account of a session.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// On whose behalf the token acts, and its scopes.
    pub(crate) grant: Grant,
    /// The person of the token, or the person who speaks by its account.
    pub(crate) person: Option<UserId>,
    /// The session in a browser, if it is one.
    pub(crate) session: Option<SessionId>,
}

impl Caller {
    /// The caller's own channel.
    pub(crate) fn place(&self) -> Place {
        Place {
            platform: Platform::WEB,
            external_id: self.account(),
            parent: None,
            kind: PlaceKind::Private,
            name: Some(self.name.clone()),
            space: None,
        }
    }

    /// The caller as somebody who speaks.
    pub(crate) fn speaker(&self) -> Speaker {
        Speaker {
            id: self.account(),
            name: self.name.clone(),
            handle: None,
            is_bot: false,
            language: None,
            roles: None,
        }
    }

    fn account(&self) -> String {
        format!("api:{}", self.id)
    }

    /// The token, for what is counted by token.
    pub(crate) fn token(&self) -> &str {
        &self.id
    }

    /// How many of the places for requests are the caller's.
    pub(crate) fn share(&self) -> Share {
        match self.grant.standing {
            Standing::Person => Share::Half,
            Standing::Operator | Standing::Owner => Share::All,
        }
    }

    /// The caller in words, for what they make.
    pub(crate) fn label(&self) -> String {
        match self.session {
            Some(_) => format!("the dashboard of {}", self.name),
            None => format!("API token {}", self.name),
        }
    }

    /// May do everything.
    pub(crate) fn is_admin(&self) -> bool {
        self.grant.standing != Standing::Person && self.grant.scopes.include(Scope::Admin)
    }

    /// The person whose things are all that the caller sees; `None`: an owner, who sees everything.
    pub(crate) fn only(&self) -> Option<UserId> {
        self.person.filter(|_| self.grant.standing == Standing::Person)
    }

    /// The caller's own person, if they have spoken before.
    pub(crate) async fn own(&self, api: &Shared) -> Result<Option<UserId>, StoreError> {
        if self.person.is_some() {
            return Ok(self.person);
        }
        let user = users::by_identity(&mut api.db.read().await?, Platform::WEB, &self.account()).await?;
        Ok(user.map(|user| user.id))
    }

    pub(crate) fn require(&self, scope: Scope) -> Result<(), Problem> {
        if self.grant.scopes.include(scope) {
            Ok(())
        } else {
            Err(lacks(scope))
        }
    }
}
