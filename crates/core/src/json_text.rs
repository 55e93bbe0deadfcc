//! JSON in TEXT columns.

use serde::{Deserialize, Serialize};

/// A value kept as JSON in a TEXT column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonText<T>(pub T);

/// A value as the text of a JSON column. The types stored here (maps with string keys) always serialise.
pub fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
