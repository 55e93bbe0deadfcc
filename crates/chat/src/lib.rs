//! The exchange between Clifford and a chat platform: events in, parts out, and errors.
//!
//! Types only: `clifford-channel` has the traits that an adapter implements, and hands these types out as its own.

pub mod access;
pub mod act;
mod button;
pub mod completion;
pub mod error;
pub mod inbound;
pub mod lenient;
pub mod names;
pub mod outbound;
pub mod platform;
pub mod role;
pub mod typed;
