//! Language models: one trait, and the clients and layers that implement it.
//!
//! Nothing here knows runs, channels or the database. Retrying, failing over and accounting are layers
//! that implement [`Model`] around a [`Model`]; none of them knows a provider.

mod anthropic;
mod circuit;
mod failover;
mod function;
mod model;
mod offline;
mod openai;
mod remote;
mod retry;
mod tokens;
mod turn;

pub use anthropic::Anthropic;
pub use circuit::{Circuit, CircuitPolicy, CircuitState};
pub use failover::{Candidate, Failover};
pub use model::{Completion, Image, Message, Model, ModelError, NativeToolCall, Request, Role, Schema, Sink, Usage};
pub use offline::Offline;
pub use openai::OpenAi;
pub use remote::{Capability, DEFAULT_MAX_TOKENS, ProviderConfig, SetupError, Timeouts, http_client};
pub use retry::{RetryPolicy, Retrying};
pub use tokens::{IMAGE_TOKENS, estimate_tokens};
