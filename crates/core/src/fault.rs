//! Faults of what people enter.

/// A fault of what somebody entered, and the field that has it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct Fault {
    /// The field.
    pub field: &'static str,
    /// The fault, and its remedy.
    pub why: String,
}

impl Fault {
    /// A fault of a field.
    pub fn new(field: &'static str, why: impl Into<String>) -> Self {
        Self { field, why: why.into() }
    }
}
