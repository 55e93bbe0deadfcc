//! Fakes of Telegram, Discord, model servers, search engines, Open-Meteo, websites and phones with passkeys, as strict
//! as the real ones.
//!
//! Each service listens on `127.0.0.1:0`, checks requests as the real service would (unknown fields, limits,
//! required fields, order), records them, and can be told to misbehave. A violation is answered as the
//! real service answers it, and kept in the fake's list of violations so that a test can assert there
//! were none. Beside them stand a real PostgreSQL for the tests of one process, conversations with known answers, and the
//! kit of what every adapter does.

#![warn(missing_docs)]

pub mod anthropic;
pub mod authenticator;
pub mod conformance;
pub mod corpus;
pub mod discord;
mod models;
pub mod openai;
pub mod otlp;
pub mod postgres;
pub mod s3;
pub mod search;
mod serving;
pub mod site;
pub mod telegram;
pub mod weather;
