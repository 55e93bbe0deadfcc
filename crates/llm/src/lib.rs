//! Language models: one trait, and the clients and layers that implement it.
//!
//! Nothing here knows runs, channels or the database. Retrying, failing over and accounting are layers
//! that implement [`Model`] around a [`Model`]; none of them knows a provider.

mod model;

pub use model::{Completion, Message, Model, ModelError, NativeToolCall, Request, Role, Schema, Sink, Usage};
