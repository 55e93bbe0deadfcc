//! The rights that a handler asks of its caller, as extractors: a handler that names one runs for nobody else.

use axum::{extract::FromRequestParts, http::request::Parts};

use super::{Caller, Need, Scope};
use crate::{
    Shared,
    problem::{Code, Problem},
};

/// Marks a request of this machine itself: it may ask how the process is without a token.
#[derive(Clone, Copy)]
pub(crate) struct FromHere;

impl FromRequestParts<Shared> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Self>().cloned();
        caller.ok_or_else(|| Problem::new(Code::Unauthorized, "a token is needed"))
    }
}

macro_rules! extractor {
    ($(#[$doc:meta] $name:ident = |$caller:ident| $check:expr;)*) => {$(
        #[$doc]
        pub(crate) struct $name;

        impl FromRequestParts<Shared> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, api: &Shared) -> Result<Self, Problem> {
                let $caller = Caller::from_request_parts(parts, api).await?;
                $check.map(|()| Self)
            }
        }
    )*};
}

/// A caller who may look at what is the bot's own, or this machine itself.
pub(crate) struct ReadinessReader;

impl FromRequestParts<Shared> for ReadinessReader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Shared) -> Result<Self, Problem> {
        if parts.extensions.get::<FromHere>().is_none() {
            OwnerReader::from_request_parts(parts, api).await?;
        }
        Ok(Self)
    }
}

extractor! {
    /// A caller who may look, at what is theirs.
    Reader = |caller| caller.require(Scope::Read);
    /// A caller who may talk to the bot and change what is theirs.
    Writer = |caller| caller.require(Scope::Write);
    /// A caller who may look at what is the bot's own.
    OwnerReader = |caller| caller.allow_bot(Need::See);
    /// A caller who may change what is the bot's own.
    Admin = |caller| caller.allow_bot(Need::Administer);
}
