//! Fetches addresses that a model or a person gave: the one way out to addresses that nobody configured.
//!
//! Only http and https, only hosts of the public internet unless the owner allows others, judged anew at every
//! redirect and by the addresses that are really connected to; within limits of length and time.
//!
//! **Out to the web.** [`Fetcher`] fetches whatever a model or a person gave the address of; nothing else does.
//! `core/net/target.rs` judges an address as it is written, `core/net/address.rs` an IP address (an IPv6 address that
//! carries an IPv4 address as that), and both are pure. `resolver.rs` is the client's only way to look names up: it
//! lets public addresses through, and the client connects to what came out of it, so that there is no moment between
//! a check and a connection. Redirects are followed by hand, each judged as the first address was; hosts that the
//! owner allows go through a client of their own. `body.rs` counts bytes as they arrive and as they are unpacked.
//! HTML is parsed in a worker process (`worker/page.rs`), in small pieces with a look at the number of nodes in between:
//! a few bytes of broken HTML can make millions. Services that the owner configured (search, weather) are called by
//! `tools/service.rs`.

mod body;
mod content;
mod error;
mod resolver;

use std::{error::Error as _, net::IpAddr, sync::Arc, time::Duration};

use clifford_core::net::target::Reach;
pub use clifford_core::net::{
    address::is_public,
    refused::Refused,
    target::{AllowedHost, NoHost, parse},
};
pub use content::Kind;
pub use error::{FetchError, SetupError};
use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, LOCATION},
    redirect::Policy,
};
use resolver::{Filter, NameError};
pub use resolver::{Lookup, System};
use url::Url;

/// How often a page may redirect.
const REDIRECTS: usize = 5;

/// The requirements of the request.
const WANTED: &str =
    "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,application/xml;q=0.9,*/*;q=0.5";

/// How much a page may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of its body, unpacked.
    pub bytes: usize,
    /// Time in all, redirects included.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 5 * 1024 * 1024,
            time: Duration::from_secs(15),
        }
    }
}

/// The resolver of a fetcher, and its rule for public addresses.
#[derive(Clone)]
pub struct Network {
    /// The resolver of hosts.
    pub lookup: Arc<dyn Lookup>,
    /// Those of them that may be connected to.
    pub is_public: fn(IpAddr) -> bool,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            lookup: Arc::new(System),
            is_public,
        }
    }
}

/// A text from the web.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where it was found in the end.
    pub url: Url,
    /// The status of the response.
    pub status: StatusCode,
    /// Its media type, as the server says.
    pub media_type: Option<String>,
    /// The kind of text.
    pub kind: Kind,
    /// The text.
    pub text: String,
}

/// Fetches. It keeps no connection beyond itself, and knows neither cookies nor passwords nor proxies.
#[derive(Clone, Debug)]
pub struct Fetcher {
    /// Connects to public addresses only.
    guarded: Client,
    /// Connects to wherever the owner allowed.
    open: Client,
    allowed: Vec<AllowedHost>,
    limits: Limits,
    is_public: fn(IpAddr) -> bool,
}

impl Fetcher {
    /// A fetcher on the internet.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub fn new(allowed: Vec<AllowedHost>, limits: Limits) -> Result<Self, SetupError> {
        Self::on(Network::default(), allowed, limits)
    }

    /// A fetcher on a network.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub fn on(network: Network, allowed: Vec<AllowedHost>, limits: Limits) -> Result<Self, SetupError> {
        let Network { lookup, is_public } = network;
        Ok(Self {
            guarded: client(Arc::clone(&lookup), is_public)?,
            open: client(lookup, |_| true)?,
            allowed,
            limits,
            is_public,
        })
    }

    /// Fetches a text.
    ///
    /// # Errors
    /// It may not be fetched, is no text, or did not arrive whole within the limits.
    pub async fn page(&self, address: &str) -> Result<Page, FetchError> {
        tokio::time::timeout(self.limits.time, Box::pin(self.read(address)))
            .await
            .unwrap_or(Err(FetchError::TooSlow(self.limits.time)))
    }

    /// Fetches a file of any kind.
    ///
    /// # Errors
    /// It may not be fetched, is not there, or did not arrive whole within the limits.
    pub async fn file(&self, address: &str) -> Result<Vec<u8>, FetchError> {
        let whole = async {
            let (_, response) = self.follow(address).await?;
            if !response.status().is_success() {
                return Err(FetchError::Status(response.status().as_u16()));
            }
            body::read(response, self.limits.bytes).await
        };
        tokio::time::timeout(self.limits.time, Box::pin(whole))
            .await
            .unwrap_or(Err(FetchError::TooSlow(self.limits.time)))
    }

    async fn read(&self, address: &str) -> Result<Page, FetchError> {
        let (url, response) = self.follow(address).await?;
        let (status, media_type) = (response.status(), media_type(&response));
        // Before a byte of what is no text is read.
        let kind = content::kind(media_type.as_deref())?;
        let body = body::read(response, self.limits.bytes).await?;
        let kind = kind.map_or_else(|| content::sniffed(&body), Ok)?;
        let text = content::text(&body, media_type.as_deref(), kind);
        Ok(Page {
            url,
            status,
            media_type,
            kind,
            text,
        })
    }

    /// The response that no longer redirects, and where it came from.
    async fn follow(&self, address: &str) -> Result<(Url, Response), FetchError> {
        let mut url = clifford_core::net::target::parse(address).map_err(FetchError::Refused)?;
        let mut reach = self.judge(&url).map_err(FetchError::Refused)?;
        for hop in 0..=REDIRECTS {
            url.set_fragment(None);
            let response = self.get(&url, reach).await.map_err(|error| match error {
                FetchError::Refused(why) if hop > 0 => FetchError::RedirectRefused(why),
                error => error,
            })?;
            if !is_redirect(response.status()) {
                return Ok((url, response));
            }
            let place = response.headers().get(LOCATION).ok_or(FetchError::RedirectToNowhere)?;
            let place = std::str::from_utf8(place.as_bytes()).map_err(|_| FetchError::RedirectToNowhere)?;
            url = url.join(place).map_err(|_| FetchError::RedirectToNowhere)?;
            reach = self.judge(&url).map_err(FetchError::RedirectRefused)?;
        }
        Err(FetchError::TooManyRedirects(REDIRECTS))
    }

    fn judge(&self, url: &Url) -> Result<Reach, Refused> {
        clifford_core::net::target::judge(url, &self.allowed, self.is_public)
    }

    async fn get(&self, url: &Url, reach: Reach) -> Result<Response, FetchError> {
        let client = match reach {
            Reach::Public => &self.guarded,
            Reach::Allowed => &self.open,
        };
        let request = client
            .get(url.clone())
            .header(ACCEPT, WANTED)
            .header(ACCEPT_ENCODING, body::ACCEPTED);
        request.send().await.map_err(|error| why(&error, url))
    }
}

fn client(lookup: Arc<dyn Lookup>, permits: fn(IpAddr) -> bool) -> Result<Client, SetupError> {
    Ok(Client::builder()
        .user_agent(concat!(
            "clifford/",
            env!("CARGO_PKG_VERSION"),
            " (+",
            env!("CARGO_PKG_REPOSITORY"),
            ")"
        ))
        .redirect(Policy::none())
        .referer(false)
        // A proxy would connect in our place, to wherever it likes.
        .no_proxy()
        .dns_resolver(Arc::new(Filter { lookup, permits }))
        .build()?)
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn media_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?;
    let text = value.to_str().ok()?;
    // Longer than any: as good as none.
    (text.len() <= 255).then(|| text.to_owned())
}

/// Why no response came; nothing of what the system says of addresses and ports is passed on.
fn why(error: &reqwest::Error, url: &Url) -> FetchError {
    let host = url.host_str().unwrap_or_default().to_owned();
    let mut source = error.source();
    while let Some(cause) = source {
        match cause.downcast_ref() {
            Some(NameError::Unknown) => return FetchError::UnknownHost(host),
            Some(NameError::Forbidden) => return FetchError::Refused(Refused::Address),
            None => source = cause.source(),
        }
    }
    if error.is_connect() {
        FetchError::Unreachable(host)
    } else {
        FetchError::Broken
    }
}
