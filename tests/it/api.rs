//! The HTTP API, over real HTTP: what each route does, and what it says to whatever is wrong.

mod bot;
mod errors;
mod export;
mod limits;
mod operation;
mod readiness;
mod routes;
mod stream;
