//! Language models: one trait, and the clients and layers that implement it.
//!
//! Nothing here knows runs, channels or the database. [`OpenAi`] and [`Anthropic`] read and write their provider's JSON;
//! `remote.rs` is the HTTP client of both: requests, statuses, limits, errors. [`Offline`] answers without a server.
//! [`Retrying`] and [`Failover`] are layers that implement [`Model`](clifford_llm_api::model::Model) around other models,
//! and know of these no more than their [`Circuit`]. `sight.rs` and [`Window`] are what a model shows of itself. The
//! engine decides who pays, and counts.

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
pub use failover::{Candidate, Failover};
pub use listing::Listed;
pub use offline::Offline;
pub use openai::OpenAi;
pub use remote::{DEFAULT_MAX_TOKENS, Lessons, ProviderConfig, SetupError, http_client, shown_url};
pub use retry::{RetryPolicy, Retrying};
pub use settings::{Provider, ProviderKind, RoleModel, Structured, Timeouts, TokenPrices};
pub use sight::{Sight, known_sight};
pub use window::{Learned, Window, WindowSource};
