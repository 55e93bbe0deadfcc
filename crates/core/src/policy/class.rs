//! The class of a command, which decides about approval and repetition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The class of a command; decides about confirmation, and about calling it again after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, utoipa::ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Class {
    /// Looks, changes nothing.
    Read,
    /// Changes something that can be changed back.
    Write,
    /// Destroys something.
    Destruct,
    /// Touches what is private or costs money.
    Sensitive,
}
