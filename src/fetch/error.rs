//! Why a page was not fetched, in words that tell nothing of what stands behind an address that may not be fetched.

use std::time::Duration;

/// Why an address may not be fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no address at all.
    #[error("this is no web address; one begins with its scheme, http or https")]
    NoAddress,
    /// Whoever reads it does not see what is fetched.
    #[error(
        "an address with tabs, line breaks or other control characters in it is not fetched; write it in one piece"
    )]
    Characters,
    /// Nobody writes such an address, and it would be kept with every step that names it.
    #[error("the address is too long")]
    Length,
    /// Only the web is fetched.
    #[error("only http and https addresses are fetched")]
    Scheme,
    /// Passwords are for nobody else's eyes.
    #[error("an address with a user name or password in it is not fetched; leave them out")]
    Credentials,
    /// Other services than the web listen there.
    #[error("only the ports 80 and 443 are fetched; the owner can allow others (tools.web.allow_hosts)")]
    Port,
    /// It is of this machine, its network or its cloud.
    #[error("this address may not be fetched; the owner can allow it (tools.web.allow_hosts)")]
    Address,
}

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
    /// It broke off, or was no HTTP.
    #[error("the page's server broke off, or sent no valid answer")]
    Broken,
}

/// Why no fetcher can be made.
#[derive(Debug, thiserror::Error)]
#[error("no connection can be made: {0}")]
pub struct SetupError(#[from] reqwest::Error);
