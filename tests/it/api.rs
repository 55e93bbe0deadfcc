//! The HTTP API, over real HTTP: what each route does, and what it says to whatever is wrong.

mod bot;
mod chat;
mod errors;
mod export;
mod files;
mod limits;
mod links;
mod memories;
mod operation;
mod people;
mod policies;
mod readiness;
mod routes;
mod search;
mod stream;
mod tools;
mod triggers;
mod usage;
mod who_may;
