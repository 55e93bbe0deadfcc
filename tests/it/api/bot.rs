//! A bot in this process, with the offline responder and a database of its own, and callers of its API.

use std::{collections::BTreeMap, net::SocketAddr};

use clifford::app::{App, Options};
use clifford_config::{self as config, Sources};
use clifford_core::id::{TokenId, UserId};
use clifford_http::{Server, Socket};
use clifford_store::people::tokens;
use clifford_worker::{Program, Workers};
use reqwest::{Method, header::HeaderMap};
use serde_json::Value;
use tempfile::TempDir;

/// The owner token that the tests' configuration gives from outside.
pub const OWNER: &str = "an-owner-token";

pub struct Bot {
    pub app: App,
    pub address: SocketAddr,
    client: reqwest::Client,
    _dir: TempDir,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Bot {
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    pub async fn with(settings: &[(&str, &str)]) -> Self {
        Box::pin(Self::launch(settings, false)).await
    }

    /// One that connects to the platforms of its settings.
    pub async fn connected(settings: &[(&str, &str)]) -> Self {
        Box::pin(Self::launch(settings, true)).await
    }

    async fn launch(settings: &[(&str, &str)], channels: bool) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().to_str().unwrap().to_owned();
        let mut overrides = vec![
            ("data.dir".to_owned(), data),
            // The umask is that of all tests.
            ("data.private".to_owned(), "false".to_owned()),
            ("http.bind".to_owned(), "127.0.0.1:0".to_owned()),
        ];
        overrides.extend(
            settings
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
        );
        let env = BTreeMap::from([("CLIFFORD_API_TOKEN".to_owned(), OWNER.to_owned())]);
        let sources = Sources {
            cwd: dir.path().to_owned(),
            env: env.clone(),
            overrides,
            platforms: clifford::app::PLATFORMS,
            ..Sources::default()
        };
        let loaded = config::load(&sources).unwrap();
        let secrets = loaded.secrets(&env).unwrap();
        let options = Options {
            channels,
            workers: true,
            worker_processes: Workers::of(Program::at(env!("CARGO_BIN_EXE_clifford"))),
            ..Options::default()
        };
        let socket = Socket::bind(&loaded.config.http).await.unwrap();
        let server = Server::on(&socket, &loaded.config.http).unwrap();
        let address = server.address();
        let app = App::start(&loaded, &secrets, options).await.unwrap();
        app.serve(server, &secrets);
        Self {
            app,
            address,
            client: reqwest::Client::builder()
                .no_proxy()
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .unwrap(),
            _dir: dir,
        }
    }

    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("http://{}{path}", self.address))
    }

    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.unwrap();
        Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.unwrap(),
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path).bearer_auth(OWNER)).await
    }

    pub async fn call(&self, method: Method, path: &str, body: &Value) -> Answer {
        self.send(self.request(method, path).bearer_auth(OWNER).json(body))
            .await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::POST, path, body).await
    }

    /// A token with these scopes.
    pub async fn token(&self, scopes: &[&str]) -> String {
        let token = format!("token-{}", scopes.join("-"));
        let hash = clifford_vault::hash(&token);
        let scopes: Vec<_> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let now = self.app.clock.now();
        self.app
            .db
            .write(move |tx| {
                Box::pin(async move { tokens::insert(tx, TokenId::new(), "a caller", &hash, &scopes, now).await })
            })
            .await
            .unwrap();
        token
    }

    /// A token of a person.
    pub async fn token_of(&self, user: UserId, token: &'static str, scopes: &[&str]) {
        let (hash, now) = (clifford_vault::hash(token), self.app.clock.now());
        let scopes: Vec<_> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let write = self.app.db.write(move |tx| {
            Box::pin(async move { tokens::insert_for(tx, TokenId::new(), token, &hash, &scopes, user, now).await })
        });
        write.await.unwrap();
    }

    /// Asks something, waits for the answer and returns what the API said.
    pub async fn ask(&self, text: &str) -> Value {
        let answer = self
            .post("/api/messages?wait=30", &serde_json::json!({ "content": text }))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// A run that sleeps until it is woken.
    pub async fn sleeper(&self) -> String {
        let said = self
            .post("/api/runs", &serde_json::json!({ "inputText": "wait 10 hours" }))
            .await
            .json();
        let id = said["id"].as_str().unwrap().to_owned();
        let mut watcher = self
            .app
            .context
            .events
            .watch(id.parse().unwrap(), clifford_engine::events::Sight::Progress);
        while self.get(&format!("/api/runs/{id}")).await.json()["status"] != "waiting" {
            watcher.next().await;
        }
        id
    }
}
