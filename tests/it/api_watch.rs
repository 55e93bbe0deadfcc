//! A watcher of a bot in a process of its own: its API, and its metrics.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::harness::{Bot, Setup};

/// The owner token of a bot that is watched.
pub const TOKEN: &str = "a-token-of-the-owner";

/// A bot with its API on a free port.
pub fn watched(setup: Setup) -> Setup {
    setup
        .set("http.enabled", true)
        .set("http.bind", "127.0.0.1:0")
        .env("CLIFFORD_API_TOKEN", TOKEN)
}

/// A way into a bot's API.
pub struct Watch {
    address: String,
    client: reqwest::Client,
}

/// A sample: its name and labels.
pub type Sample = (String, BTreeMap<String, String>);

impl Watch {
    /// The API of the process that was started last.
    pub fn on(bot: &Bot) -> Self {
        let log = bot.log_text();
        let line = log.lines().rev().find(|line| line.contains("serving the API"));
        Self::at(line.expect("it serves its API"))
    }

    /// The API of a process that logged this line.
    pub fn at(line: &str) -> Self {
        let (_, port) = line.split_once("127.0.0.1:").expect("an address");
        let port: String = port.chars().take_while(char::is_ascii_digit).collect();
        Self {
            address: format!("127.0.0.1:{port}"),
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The status and the body of an answer.
    pub async fn get(&self, path: &str) -> (u16, String) {
        let request = self
            .client
            .get(format!("http://{}{path}", self.address))
            .bearer_auth(TOKEN);
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// The same of a request with a body.
    pub async fn post(&self, path: &str, body: String) -> (u16, String) {
        self.post_as(TOKEN, path, body).await
    }

    /// The same with another token.
    pub async fn post_as(&self, token: &str, path: &str, body: String) -> (u16, String) {
        let request = self
            .client
            .post(format!("http://{}{path}", self.address))
            .bearer_auth(token);
        let request = request.header("content-type", "application/json").body(body);
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// The answer of the dashboard to a form without fields.
    pub async fn submit(&self, path: &str) -> (u16, String) {
        let origin = format!("http://{}", self.address);
        let request = self.client.post(format!("{origin}{path}")).bearer_auth(TOKEN);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let response = request.header("origin", origin).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// The body of an answer to a request that may get none: its server may die meanwhile.
    pub async fn attempt(&self, path: &str, body: &'static str) -> Option<String> {
        let request = self
            .client
            .post(format!("http://{}{path}", self.address))
            .bearer_auth(TOKEN);
        let request = request.header("content-type", "application/json").body(body);
        request.send().await.ok()?.text().await.ok()
    }

    /// Whether it is ready, and its checks.
    pub async fn ready(&self) -> (u16, Value) {
        let (status, text) = self.get("/readyz").await;
        (status, serde_json::from_str::<Value>(&text).unwrap()["checks"].clone())
    }

    /// Every sample that it counts now.
    pub async fn samples(&self) -> BTreeMap<Sample, f64> {
        let (status, text) = self.get("/metrics").await;
        assert_eq!(status, 200);
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(sample).collect()
    }
}

/// `name{label="value",…} number`
fn sample(line: &str) -> (Sample, f64) {
    let (series, number) = line.rsplit_once(' ').unwrap();
    let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
    let labels = labels
        .strip_suffix('}')
        .unwrap()
        .split("\",")
        .filter(|label| !label.is_empty());
    let labels = labels.map(|label| {
        let (name, value) = label.split_once("=\"").unwrap();
        (name.to_owned(), value.trim_end_matches('"').to_owned())
    });
    ((name.to_owned(), labels.collect()), number.parse().unwrap())
}

/// A sample's name and labels.
pub fn named(name: &str, labels: &[(&str, &str)]) -> Sample {
    let labels = labels
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    (name.to_owned(), labels.collect())
}
