//! Handlers of requests: one type for all of them.
//!
//! axum takes functions as they are, but each is a type of its own there, for which the compiler builds a dozen layers
//! of the router anew, and proves of each layer that its future may be polled by another thread, down to the database:
//! with more than a hundred handlers, half of this crate's build.

use std::pin::Pin;

use axum::{extract::Request, response::Response};

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A function that answers a request, made by `#[handler]` of one with extractors.
pub struct HandlerOf<S>(fn(Request, S) -> Answering);

impl<S> HandlerOf<S> {
    /// Of a function that reads what it needs of the request.
    #[must_use]
    pub const fn new(answer: fn(Request, S) -> Answering) -> Self {
        Self(answer)
    }
}

impl<S> Clone for HandlerOf<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for HandlerOf<S> {}

impl<S: Send + Sync + 'static> axum::handler::Handler<(), S> for HandlerOf<S> {
    type Future = Answering;

    fn call(self, request: Request, state: S) -> Answering {
        (self.0)(request, state)
    }
}
