//! The JSON action grammar: the actions, the reader of replies, and the text about them for the model.
//!
//! [`Action`] is the one source: the schema sent to providers, the contract in the system prompt and the
//! faults told to the model are all made from its definition. The schema is sent where a provider can constrain its
//! output by it; the reader stays the last defence. This crate knows no run, no tool, no provider.

mod action;
mod canonical;
mod check;
mod contract;
mod halves;
mod nested;
mod read;
mod scan;
mod schema;
mod search;
mod think;
mod values;

pub use action::{
    Action, Announced, Category, ContextMessage, ContextRole, Further, Importance, Note, OutputMode, RecoverAction,
    Reply, Sleep, SubagentSpec, WakeOn,
};
pub use canonical::canonical;
pub use check::Unreadable;
pub use contract::contract;
pub use halves::{Mender, without_halves};
pub use nested::{flattened, said};
pub use read::{read, read_native};
pub use schema::{schema, schema_for};
pub use think::{FIRST_THOUGHTS, without_thoughts};
pub use values::{reply_text, values};
