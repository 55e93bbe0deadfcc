//! Language models: one trait, and the clients and layers that implement it.
//!
//! Nothing here knows runs, channels or the database. Retrying, failing over and accounting are layers
//! that implement [`Model`] around a [`Model`]; none of them knows a provider.

mod anthropic;
mod circuit;
mod failover;
mod function;
mod listing;
mod offline;
mod openai;
mod remote;
mod retry;
mod settings;
mod sight;
mod turn;
mod window;

pub use anthropic::Anthropic;
pub use circuit::{Circuit, CircuitPolicy, CircuitState};
pub use clifford_llm_api::{
    model::{
        Completion, Denial, Image, Message, Model, ModelError, NativeToolCall, Request, Role, Schema, Sink, Usage,
    },
    tokens::{IMAGE_TOKENS, Quarters, estimate_request, estimate_tokens, weigh, weigh_bytes, whole_tokens},
};
pub use failover::{Candidate, Failover};
pub use listing::Listed;
pub use offline::Offline;
pub use openai::OpenAi;
pub use remote::{DEFAULT_MAX_TOKENS, ProviderConfig, SetupError, http_client, shown_url};
pub use retry::{RetryPolicy, Retrying};
pub use settings::{Provider, ProviderKind, RoleModel, Structured, Timeouts, TokenPrices, thinks_first};
pub use sight::{Sight, known_sight};
pub use window::{Learned, Window, WindowSource, assumed_window, is_own_network, known_window};
