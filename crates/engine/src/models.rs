//! Models: the choice for a run, the key, and the window.
//!
//! **Models.** `models/roles.rs` maps roles to models, and prices their calls; `src/app/models.rs` puts the layers
//! around each: retries, then failover over circuits (`llm/circuit.rs`), one a provider for all of its roles. A request
//! carries its deadline; each provider has its share of the time (`llm/turn.rs`).
//!
//! **Own keys.** A prompt's read brings the person's own keys along (`store/people/keys.rs`, encrypted). A person who has
//! one for a provider is answered by `byok::model`, a model around that key alone: no failover, no circuit, no budget.
//! Calls of tools to models go through `tools/paid.rs`; the engine's side of it (`run/tool_payer.rs`) reserves, asks
//! and records as the run's own calls do, and a tool's result carries its spending into the fold.

pub mod byok;
pub mod encryption;
pub mod roles;
pub mod windows;

use std::sync::Arc;

use clifford_llm_api::model::Model;

/// A model that is called by a person's own key.
pub struct Own {
    /// The provider's name.
    pub provider: String,
    /// The model.
    pub model: Arc<dyn Model>,
}
