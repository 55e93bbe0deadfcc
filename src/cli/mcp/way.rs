//! How `clifford mcp` gets to an engine: by the API of this process, or of the one that has the database.

use std::time::Duration;

use anyhow::{anyhow, bail};
use axum::{
    Router,
    body::{self, Body},
    http::{Method, Request, header},
};
use clifford_config::{Loaded, Secrets};
use clifford_store::{StoreError, people::tokens};
use clifford_vault::{Secret, Token};
use clifford_worker::Workers;
use reqwest::redirect::Policy;
use serde_json::Value;
use tower::ServiceExt;

use crate::{
    app::{Announcement, App, Options, StartError},
    cli::{
        server::{Refused, headed},
        setup,
    },
};

/// How long the other process may take to answer; a caller may ask it to wait for five minutes.
const PATIENCE: Duration = Duration::from_secs(330);

/// A way to the HTTP API of an engine.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// The engine is in this process.
    Here { api: Router, token: Secret },
    /// It is in another one, which listens there.
    There {
        client: reqwest::Client,
        base: String,
        token: Secret,
        /// Whether the token was given from outside.
        is_given: bool,
        /// Where it announces itself.
        announcement: Announcement,
    },
}

impl Way {
    /// Starts an engine here; where another process has the database, the way leads there.
    ///
    /// # Errors
    /// The database cannot be used, or the other process cannot be spoken to.
    pub(super) async fn open(loaded: &Loaded, secrets: &Secrets) -> anyhow::Result<(Self, Option<App>)> {
        let options = Options {
            workers: true,
            worker_processes: Workers::of_this_program(),
            ..Options::default()
        };
        match App::start(loaded, secrets, options).await {
            Ok(app) => {
                let own = Token::new(&mut rand::rng());
                let api = app.local_api(own.hash());
                // A token that was made for somebody may here what it may there.
                let given = match &secrets.http_token {
                    Some(token) => {
                        let hash = clifford_vault::hash(token.expose());
                        let known = tokens::by_hash(&mut app.db.read().await?, &hash).await?;
                        known.map(|_| token.clone())
                    }
                    None => None,
                };
                let token = given.unwrap_or_else(|| Secret::new(own.expose()));
                Ok((Self::Here { api, token }, Some(app)))
            }
            Err(StartError::Store(StoreError::InUse(_))) => Ok((Self::there(loaded, secrets).await?, None)),
            Err(error) => Err(error.into()),
        }
    }

    async fn there(loaded: &Loaded, secrets: &Secrets) -> anyhow::Result<Self> {
        let path = setup::sqlite_path(loaded).unwrap_or_default();
        let path = path.display();
        let announcement = Announcement::of(loaded);
        let http = &loaded.config.http;
        let given = secrets.http_token.clone();
        let is_given = given.is_some();
        let (base, token) = match (announcement.read(), given) {
            (Some(announced), given) if http.enabled => (announced.address, given.unwrap_or(announced.token)),
            (None, Some(token)) if http.enabled => (http.local_address(), token),
            _ => bail!(
                "{path} is in use by another Clifford, and there is no way to its HTTP API: set http.enabled = true there and \
                 here, and CLIFFORD_API_TOKEN to what `clifford token create --name mcp` prints; or stop that one; several \
                 processes can share PostgreSQL"
            ),
        };
        let way = Self::There {
            client: client()?,
            base: base.clone(),
            token,
            is_given,
            announcement,
        };
        let answer = way.ask(Method::GET, "/api/runs?limit=1", None).await;
        answer.map_err(|error| {
            anyhow!(
                "{path} is in use by another Clifford, and that one's API at {base} cannot be used: {error}; see that \
                 http.bind and CLIFFORD_API_TOKEN are the same here and there"
            )
        })?;
        Ok(way)
    }

    /// Asks the API, and returns its answer.
    ///
    /// # Errors
    /// Its refusals, in its own words; it does not answer.
    pub(super) async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let (base, done, bytes) = match self {
            Self::Here { api, token } => {
                let mut request = Request::builder()
                    .method(method)
                    .uri(path)
                    .header(header::AUTHORIZATION, format!("Bearer {}", token.expose()));
                if body.is_some() {
                    request = request.header(header::CONTENT_TYPE, "application/json");
                }
                let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
                let response = match api.clone().oneshot(request.body(body)?).await {
                    Ok(response) => response,
                    Err(never) => match never {},
                };
                let done = response.status().is_success();
                (
                    "this process".to_owned(),
                    done,
                    body::to_bytes(response.into_body(), usize::MAX).await?,
                )
            }
            Self::There {
                client,
                base,
                token,
                is_given,
                announcement,
            } => {
                // A server that was restarted may listen elsewhere, and lets in by another token of its own.
                let announced = announcement.read();
                let base = announced.as_ref().map_or(base, |announced| &announced.address);
                let token = match &announced {
                    Some(announced) if !is_given => &announced.token,
                    _ => token,
                };
                let mut request = client
                    .request(method, format!("{base}{path}"))
                    .bearer_auth(token.expose());
                if let Some(body) = body {
                    request = request.json(&body);
                }
                let unanswered = |_| anyhow!("{base} does not answer");
                let response = request.send().await.map_err(unanswered)?;
                let done = response.status().is_success();
                (base.clone(), done, response.bytes().await.map_err(unanswered)?)
            }
        };
        let foreign = || Refused::Foreign(base.clone());
        if done && bytes.is_empty() {
            return Ok(Value::Null);
        }
        if done {
            return Ok(serde_json::from_slice(&bytes).map_err(|_| foreign())?);
        }
        bail!(headed(&bytes).unwrap_or_else(|| foreign().to_string()))
    }
}

/// It is on this machine: no proxy is asked.
fn client() -> anyhow::Result<reqwest::Client> {
    let client = reqwest::Client::builder().no_proxy().redirect(Policy::none());
    Ok(client.timeout(PATIENCE).build()?)
}
