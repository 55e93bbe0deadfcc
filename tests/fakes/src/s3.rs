//! A bucket of S3: takes, gives and deletes objects for requests that are signed as they must be.
//!
//! Signatures are those of query parameters (AWS signature version 4); each is computed anew here.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State as Extract},
    http::{Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::any,
};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

/// The server. It stops when it is dropped.
#[derive(Debug)]
pub struct S3Fake {
    address: SocketAddr,
    shared: Shared,
    _stop: DropGuard,
}

type Shared = Arc<Mutex<State>>;

#[derive(Debug, Default)]
struct State {
    objects: BTreeMap<String, Bytes>,
    violations: Vec<String>,
    is_down: bool,
}

impl S3Fake {
    /// The only bucket.
    pub const BUCKET: &str = "clifford-files";
    /// Its region.
    pub const REGION: &str = "eu-test-1";
    /// The access key that is known.
    pub const ACCESS_KEY: &str = "AKIAFAKE";
    /// Its secret key.
    pub const SECRET_KEY: &str = "fake-secret-key";

    /// Starts listening on 127.0.0.1.
    ///
    /// # Panics
    /// If the machine has no free port: a test cannot go on without one.
    #[expect(clippy::expect_used, reason = "a test cannot go on without a port")]
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the listener's address");
        let shared = Shared::default();
        let router = Router::new()
            .route("/{*path}", any(handle))
            .layer(DefaultBodyLimit::max(64 << 20))
            .with_state((Arc::clone(&shared), address));
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        TaskTracker::new().spawn(async move {
            tokio::select! {
                () = stopped.cancelled() => {}
                _ = axum::serve(listener, router) => {}
            }
        });
        Self {
            address,
            shared,
            _stop: stop.drop_guard(),
        }
    }

    /// Where it listens.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The keys of what is in the bucket.
    pub fn keys(&self) -> Vec<String> {
        locked(&self.shared).objects.keys().cloned().collect()
    }

    /// Acts of a client that a client must not do.
    pub fn violations(&self) -> Vec<String> {
        locked(&self.shared).violations.clone()
    }

    /// Whether it answers with a failure of its own from now on.
    pub fn is_down(&self, is_down: bool) {
        locked(&self.shared).is_down = is_down;
    }
}

fn locked(shared: &Shared) -> MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn handle(
    Extract((shared, address)): Extract<(Shared, SocketAddr)>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    let mut state = locked(&shared);
    if state.is_down {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "SlowDown");
    }
    if let Err(fault) = check(&method, &uri, address) {
        state.violations.push(format!("{method} {}: {fault}", uri.path()));
        return refusal(StatusCode::FORBIDDEN, "SignatureDoesNotMatch");
    }
    let Some(key) = uri.path().strip_prefix(&format!("/{}/", S3Fake::BUCKET)) else {
        return refusal(StatusCode::NOT_FOUND, "NoSuchBucket");
    };
    match method {
        Method::PUT => {
            state.objects.insert(key.to_owned(), body);
            StatusCode::OK.into_response()
        }
        Method::GET => match state.objects.get(key) {
            Some(content) => content.clone().into_response(),
            None => refusal(StatusCode::NOT_FOUND, "NoSuchKey"),
        },
        Method::DELETE => {
            state.objects.remove(key);
            StatusCode::NO_CONTENT.into_response()
        }
        _ => refusal(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed"),
    }
}

fn refusal(status: StatusCode, code: &str) -> Response {
    let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>no</Message></Error>");
    (status, [(header::CONTENT_TYPE, "application/xml")], body).into_response()
}

/// Whether a request is signed with the key, for this bucket's region and host.
fn check(method: &Method, uri: &Uri, address: SocketAddr) -> Result<(), String> {
    let query = uri.query().unwrap_or_default();
    let pairs: BTreeMap<&str, &str> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
    let of = |name: &str| pairs.get(name).copied().ok_or_else(|| format!("{name} is missing"));
    let date = of("X-Amz-Date")?;
    let day = date.get(..8).ok_or("X-Amz-Date is no date")?;
    let scope = format!("{day}/{}/s3/aws4_request", S3Fake::REGION);
    let credential = format!("{}/{scope}", S3Fake::ACCESS_KEY).replace('/', "%2F");
    for (name, expected) in [
        ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
        ("X-Amz-Credential", &credential),
        ("X-Amz-SignedHeaders", "host"),
    ] {
        let given = of(name)?;
        if given != expected {
            return Err(format!("{name} is {given}, not {expected}"));
        }
    }
    let signed: Vec<String> = (pairs.iter().filter(|(name, _)| **name != "X-Amz-Signature"))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let request = format!(
        "{method}\n{}\n{}\nhost:{address}\n\nhost\nUNSIGNED-PAYLOAD",
        uri.path(),
        signed.join("&")
    );
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", hex(&Sha256::digest(request)));
    let first = hmac(format!("AWS4{}", S3Fake::SECRET_KEY).as_bytes(), day.as_bytes());
    let key = [S3Fake::REGION, "s3", "aws4_request"]
        .iter()
        .fold(first, |key, part| hmac(&key, part.as_bytes()));
    let expected = hex(&hmac(&key, text.as_bytes()));
    if of("X-Amz-Signature")? == expected {
        Ok(())
    } else {
        Err("the signature is wrong".to_owned())
    }
}

/// HMAC-SHA256 (RFC 2104).
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0_u8; 64];
    match key.len() {
        0..=64 => block[..key.len()].copy_from_slice(key),
        _ => block[..32].copy_from_slice(&Sha256::digest(key)),
    }
    let inner = Sha256::digest([block.map(|byte| byte ^ 0x36).as_slice(), text].concat());
    Sha256::digest([block.map(|byte| byte ^ 0x5c).as_slice(), &inner[..]].concat()).into()
}
