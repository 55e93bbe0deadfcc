//! The HTTP API: one file per resource, and their common parts.
//!
//! **The API.** `server.rs` accepts; `server/connections.rs` says which connection keeps its place when there are no
//! more, and `server/hosts.rs` which requests are meant for this server. `auth.rs` finds the token with its person in
//! one statement, `sessions.rs` that of a browser. A handler names the object that a request is about and what is done
//! with it; `access` finds how it stands to the caller (for shared places by asking the platform), and
//! `access/rules.rs`, which is pure, is the one rule that answers. A test plays every route of the description by every
//! kind of token. Streams of runs share one look at the database (`stream/shared.rs`), and those of everything another
//! (`events/watcher.rs`). Platforms that call the bot are answered in `webhooks.rs`.

mod accepted;
mod access;
mod agents;
mod auth;
mod budgets;
pub mod channel;
mod channels;
mod commands;
mod completions;
mod connections;
mod contexts;
mod description;
mod edits;
mod events;
mod export;
mod extract;
mod feedback;
mod files;
#[doc(hidden)]
pub mod fuzzing;
mod handler;
mod health;
mod hooks;
mod keys;
mod links;
mod memories;
mod messages;
mod metrics;
mod models;
mod openapi;
mod outages;
mod outbox;
mod pace;
mod page;
mod pairings;
mod passkeys;
mod policies;
mod problem;
mod prompts;
mod quarantine;
mod question;
#[cfg(test)]
mod reference;
mod reload;
mod replay;
mod rerun;
mod router;
mod runs;
mod search;
mod server;
pub mod sessions;
mod settings;
mod spaces;
mod step;
mod stream;
pub mod terminal;
mod tokens;
mod tools;
mod triggers;
mod undo;
mod usage;
mod users;
mod webhooks;
mod why;

use std::sync::Arc;

use axum::http::Extensions;
use clifford_channel::Channel;
use clifford_chat::platform::Platform;
use clifford_config as config;
use clifford_core::clock::SharedClock;
use clifford_engine::{Context, Runs};
use clifford_ingress::IngressService;
use clifford_store::Db;
use tokio_util::sync::CancellationToken;

pub(crate) use clifford_derive::handler;

pub use self::{
    handler::HandlerOf,
    metrics::Metrics,
    reload::{ChangedSettings, Reload, ReloadRequest},
    router::{router, watching},
    server::{BindError, Server, Socket},
};

/// The facts of a request's connection that its answer needs: for a request that is made on behalf of another one.
pub fn connection(of: &Extensions) -> Extensions {
    let mut known = Extensions::new();
    if let Some(peer) = of.get::<server::Peer>() {
        known.insert(peer.clone());
    }
    known
}

/// The services of the handlers.
pub struct Api {
    /// The database.
    pub db: Db,
    /// The clock.
    pub clock: SharedClock,
    /// Runs are started, watched and changed through it.
    pub runs: Arc<Runs>,
    /// The models, the tools and what else runs work with.
    pub context: Arc<Context>,
    /// Messages go in through it.
    pub ingress: Arc<IngressService>,
    /// Limits.
    pub settings: config::Http,
    /// The hash of the owner token that was given from outside.
    pub owner_token: Option<String>,
    /// The hash of the token of this machine's own commands.
    pub local_token: Option<String>,
    /// The way to have the configuration read again; `None`: this process does not.
    pub reload: Option<Reload>,
    /// The terminals of this machine, where this process does all of the work.
    pub terminal: Option<Arc<terminal::Relay>>,
    /// The platforms that this process is to be connected to.
    pub platforms: Vec<Platform>,
    /// The platforms that bring their events to this server.
    pub webhooks: Vec<Arc<dyn Channel>>,
    /// Counters, gauges and histograms, if they are recorded.
    pub metrics: Option<Metrics>,
    /// Open streams and waits end on it.
    pub stop: CancellationToken,
    /// The API's own state.
    pub state: ApiState,
}

/// The API's own state, which may be lost with the process.
#[derive(Debug, Default)]
pub struct ApiState {
    managers: access::Managers,
    refusals: auth::Refusals,
    streams: stream::Streams,
    events: events::LiveEvents,
    tries: sessions::Tries,
    challenges: sessions::Tries,
}

/// The state of every handler.
type Shared = Arc<Api>;

/// The type that `#[handler]` gives a function.
type Handler = HandlerOf<Shared>;

use extract::without_query;
