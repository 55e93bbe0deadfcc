//! A person, as they are stored, and their role.

use serde::Serialize;

use crate::{column::text_enum, id::UserId, row::FromRow};

text_enum! {
    /// The rights of a person.
    UserRole {
        /// Everything.
        Owner = "owner",
        /// Talk to the bot.
        Member = "member",
        /// Nothing yet, where access is by pairing.
        Stranger = "stranger",
    }
}

/// A person.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Their id.
    #[schema(value_type = String)]
    pub id: UserId,
    /// The name that others see.
    pub name: String,
    /// The role.
    pub role: UserRole,
    /// Language (BCP 47), where known.
    pub language: Option<String>,
    /// They chose it; else it is their platform's word.
    #[serde(skip)]
    #[schema(ignore)]
    pub language_set: bool,
    /// IANA time zone, where known.
    pub time_zone: Option<String>,
}
