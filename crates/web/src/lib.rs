//! The dashboard: pages that show and steer what the API does.
//!
//! **The dashboard.** A page asks the API of its own process, in its reader's name (`backend`), and draws the answer:
//! so there is one rule of access, and no statement here. `router` mounts the pages before the API. A change comes in
//! as a form (`form`), which is read only after it is known to come from a page of ours. `guard` sets the headers of
//! every answer, `assets` holds the style and the script, and `view` the components; `/design` shows all of them.

mod address;
mod assets;
mod backend;
mod extract;
mod failure;
mod form;
mod guard;
mod pages;
mod session;
mod view;

use std::sync::Arc;

use axum::{Router, extract::Request, middleware::from_fn, response::Response};
use clifford_core::clock::SharedClock;
pub(crate) use clifford_derive::handler;

/// The services of the pages.
struct Web {
    /// The API, which answers every question of a page.
    api: Router,
    /// The clock.
    clock: SharedClock,
}

/// The state of every page.
type Shared = Arc<Web>;

/// The type that `#[handler]` gives a function.
type Handler = clifford_http::HandlerOf<Shared>;

/// Pages pass over parameters that they do not know: links in chats get some on their way.
const fn without_query(_: &Request) -> Option<Response> {
    None
}

/// The pages, and the API behind them.
pub fn router(api: Router, clock: SharedClock) -> Router {
    let web = Arc::new(Web {
        api: api.clone(),
        clock,
    });
    let api = api.layer(from_fn(guard::found));
    pages::routes().with_state(web).fallback_service(api)
}
