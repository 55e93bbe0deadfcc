//! The server behind the fakes of models: the script that it answers by, and the two protocols that it speaks.
//!
//! [`reply`], [`request`], [`text`] and [`fault`] hold the words; [`openai`] and [`anthropic`] check and write one
//! protocol each; [`server`] speaks either by the script in [`state`].

pub(crate) mod anthropic;
mod fault;
mod openai;
mod reply;
mod request;
pub(crate) mod server;
pub(crate) mod state;
mod text;
pub(crate) mod window;

pub use reply::Reply;
pub(crate) use request::Protocol;
pub use request::RecordedRequest;
pub use state::Hold;
pub use window::{Listing, counted};
