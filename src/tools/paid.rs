//! What a tool pays for: calls of models on behalf of a run, which count as the run's own do.

use std::fmt;

use async_trait::async_trait;
use clifford_llm::{Completion, Request};
use futures::future::BoxFuture;
use serde_json::Value;

use super::ToolError;
use crate::roles::Role;

/// Something that has a price, whoever sells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Purchase {
    /// What it is counted under.
    pub provider: String,
    /// The model that makes it.
    pub model: String,
    /// Its price.
    pub cost: f64,
}

/// Pays: what budgets have left is reserved before a call, and what it cost is recorded after it.
#[async_trait]
pub trait Pays: Send + Sync + fmt::Debug {
    /// Asks the model that has a role.
    ///
    /// # Errors
    /// A budget is spent, or there is no answer.
    async fn ask(&self, role: Role, request: &Request) -> Result<Completion, ToolError>;

    /// Makes a call that has a price.
    ///
    /// # Errors
    /// A budget is spent, or the call's.
    async fn buy(&self, purchase: Purchase, call: BoxFuture<'_, Result<Value, ToolError>>) -> Result<Value, ToolError>;
}
