//! Models: which one a run asks, by whose key, and what fits it.
//!
//! **Models.** `models/roles.rs` says which model has which role, and what its calls cost; `src/app/models.rs` puts
//! the layers around each: retries, then failover over circuits (`llm/circuit.rs`), one a provider, whatever that is
//! asked for. A request carries the moment until which somebody waits; each provider has its share of the time
//! (`llm/turn.rs`).
//!
//! **Whose key.** A prompt's read brings the person's own keys along (`store/people/keys.rs`, sealed). Whoever has
//! one for a provider is answered by `own_keys::model`, a model around that key alone: no failover, no circuit, no
//! budget. What tools ask models for goes through `tools/paid.rs`; the engine's side of it (`run/tool_payer.rs`)
//! reserves, asks and records as the run's own calls do, and a tool's result carries what it spent into the fold.

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
