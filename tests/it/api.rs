//! The HTTP API, over real HTTP: the behavior of each route, and its errors.

mod agents;
pub mod bot;
mod chat;
mod completions;
mod edits;
mod errors;
mod events;
mod export;
mod files;
mod heads;
mod limits;
mod links;
mod memories;
mod operating;
mod operation;
mod people;
mod policies;
mod readiness;
mod routes;
mod search;
mod sessions;
mod stream;
mod tools;
mod triggers;
mod undo;
mod usage;
mod who_may;
