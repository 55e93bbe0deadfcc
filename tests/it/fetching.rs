//! Fetching of addresses: nothing but the public web is ever connected to.
//!
//! On loopback there is no public web, so 127.0.0.2 plays it where a page has to be reached; every site counts its
//! connections.

mod bodies;
mod names;
mod redirects;

use std::{
    collections::BTreeMap,
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use clifford_core::net::{address::is_public, refused::Refused};
use clifford_fakes::site::{Answer, SiteFake};
use clifford_fetch::{FetchError, Fetcher, Limits, Lookup, Network};

const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

/// A name service that answers as it is told, and counts how often it is asked.
#[derive(Debug, Default)]
struct Names {
    answers: BTreeMap<String, Vec<Vec<SocketAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    /// A name, with what it means the first time, the second time and so on; the last meaning stays.
    fn with(mut self, name: &str, answers: &[&[SocketAddr]]) -> Self {
        let answers = answers.iter().map(|answer| answer.to_vec()).collect();
        self.answers.insert(name.to_owned(), answers);
        self
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Lookup for Names {
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        let mut asked = self.asked.lock().unwrap();
        let before = asked.iter().filter(|name| *name == host).count();
        asked.push(host.to_owned());
        let answers = self.answers.get(host).ok_or(io::ErrorKind::NotFound)?;
        Ok(answers[before.min(answers.len() - 1)].clone())
    }
}

/// A site of the public web, one that nobody may reach, and a fetcher between them.
struct World {
    public: SiteFake,
    inner: SiteFake,
    names: Arc<Names>,
    fetcher: Fetcher,
}

impl World {
    /// `public.test` is the public site, `inner.test` the other one.
    async fn new(limits: Limits) -> Self {
        Self::with(limits, |names, _, _| names).await
    }

    async fn with(limits: Limits, name: impl FnOnce(Names, SocketAddr, SocketAddr) -> Names) -> Self {
        let public = SiteFake::start_at(PUBLIC).await.unwrap();
        let inner = SiteFake::start().await.unwrap();
        inner.put("/", Answer::html("secret"));
        let (open, closed) = (public.address(), inner.address());
        let names = Names::default()
            .with("public.test", &[&[open]])
            .with("inner.test", &[&[closed]]);
        let names = Arc::new(name(names, open, closed));
        let network = Network {
            lookup: Arc::clone(&names) as Arc<dyn Lookup>,
            is_public: |address| address == PUBLIC || is_public(address),
        };
        let fetcher = Fetcher::on(network, Vec::new(), limits).unwrap();
        Self {
            public,
            inner,
            names,
            fetcher,
        }
    }

    /// The result of fetching a path of the public site: its text, or the reason of a refusal.
    async fn fetch(&self, path: &str) -> Result<String, FetchError> {
        let page = self.fetcher.page(&format!("http://public.test{path}")).await;
        page.map(|page| page.text)
    }
}

fn in_time(limit: Duration) -> Limits {
    Limits {
        time: limit,
        ..Limits::default()
    }
}

fn refused<T>(why: Refused) -> Result<T, FetchError> {
    Err(FetchError::Refused(why))
}

#[tokio::test]
async fn what_is_written_as_an_address_of_this_machine_is_never_connected_to() {
    let inner = SiteFake::start().await.unwrap();
    inner.put("/", Answer::html("secret"));
    let fetcher = Fetcher::new(Vec::new(), Limits::default()).unwrap();
    let port = inner.address().port();
    for host in [
        "127.0.0.1",
        "127.1",
        "0",
        "0.0.0.0",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "127%2e0.0.1",
        "１２７.０.０.１",
        "127。0。0。1",
        "[::1]",
        "[::]",
        "[::127.0.0.1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "localhost",
        "LOCALHOST.",
        "clifford.localhost",
    ] {
        for scheme in ["http", "https"] {
            let url = format!("{scheme}://{host}:{port}/");
            assert_eq!(fetcher.page(&url).await, refused(Refused::Address), "{url}");
        }
    }
    for (url, why) in [
        (format!("file://127.0.0.1:{port}/"), Refused::NoAddress),
        ("file:///etc/passwd".to_owned(), Refused::Scheme),
        (format!("gopher://127.0.0.1:{port}/_GET%20/"), Refused::Scheme),
        (format!("ftp://127.0.0.1:{port}/"), Refused::Scheme),
        ("data:text/html,secret".to_owned(), Refused::Scheme),
        (format!("http://ada:secret@127.0.0.1:{port}/"), Refused::Credentials),
        (format!("http://public.test@127.0.0.1:{port}/"), Refused::Credentials),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), Refused::Address),
        ("http://[fd00:ec2::254]/latest/meta-data/".to_owned(), Refused::Address),
        ("http://metadata.google.internal/".to_owned(), Refused::Address),
        ("https://1.1.1.1:22/".to_owned(), Refused::Port),
    ] {
        assert_eq!(fetcher.page(&url).await, refused(why), "{url}");
    }
    assert_eq!(inner.connections(), 0);
}

#[tokio::test]
async fn the_owner_can_allow_what_else_is_refused() {
    let (one, other) = (SiteFake::start().await.unwrap(), SiteFake::start().await.unwrap());
    one.put("/", Answer::html("allowed"));
    one.put("/on", Answer::redirect(302, &other.url("/")));
    let allowed = vec![one.address().to_string().parse().unwrap()];
    let fetcher = Fetcher::new(allowed, Limits::default()).unwrap();
    let page = fetcher.page(&one.url("/")).await.unwrap();
    assert_eq!(
        (page.text.as_str(), page.url.as_str()),
        ("allowed", one.url("/").as_str())
    );
    assert_eq!(
        fetcher.page(&one.url("/on")).await,
        Err(FetchError::RedirectRefused(Refused::Address))
    );
    assert_eq!((one.connections() > 0, other.connections()), (true, 0));
}
