//! Why a page was not fetched, in words that tell nothing of what stands behind an address that may not be fetched.

use std::time::Duration;

use clifford_core::net::refused::Refused;

/// Why a page was not fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The address itself may not be fetched.
    #[error("{0}")]
    Refused(Refused),
    /// The server redirects to an address that may not be fetched.
    #[error("the page redirects elsewhere, and was not followed: {0}")]
    RedirectRefused(Refused),
    /// No such host.
    #[error("the host {0} is not known; check its spelling")]
    UnknownHost(String),
    /// Nobody answers.
    #[error("the host {0} cannot be reached")]
    Unreachable(String),
    /// It takes too long in all.
    #[error("the page did not arrive within {} s", .0.as_secs_f32())]
    TooSlow(Duration),
    /// It is too long, once it is unpacked.
    #[error("the page is longer than {0} bytes")]
    TooLong(usize),
    /// It leads on and on.
    #[error("the page redirects more than {0} times")]
    TooManyRedirects(usize),
    /// A redirect without a place to go to.
    #[error("the page redirects to nowhere")]
    RedirectToNowhere,
    /// It is packed in a way that is not known.
    #[error("the page is packed in a way that cannot be unpacked")]
    Encoding,
    /// It is no text.
    #[error("the page is no text but {0}")]
    NoText(String),
    /// The server does not give it.
    #[error("the server answered HTTP {0}")]
    Status(u16),
    /// It broke off, or was no HTTP.
    #[error("the page's server broke off, or sent no valid answer")]
    Broken,
}

/// Why no fetcher can be made.
#[derive(Debug, thiserror::Error)]
#[error("no connection can be made: {0}")]
pub struct SetupError(#[from] reqwest::Error);
