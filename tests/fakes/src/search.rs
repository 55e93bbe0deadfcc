//! Search engines on one socket: SearXNG (`GET /search`), Brave (`GET /res/v1/web/search`) and Tavily
//! (`POST /search`), each by its documented API, with its own way to refuse.

use std::{
    collections::BTreeMap,
    io,
    net::Ipv4Addr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Value, json};

use crate::serving::Server;

/// A page that can be found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// The text of the result.
    pub text: String,
}

#[derive(Debug, Default)]
struct Shared {
    hits: Vec<Hit>,
    queries: Vec<String>,
    violations: Vec<String>,
    refuse: Option<u16>,
}

type Parameters = Query<BTreeMap<String, String>>;

/// The search engines.
#[derive(Debug)]
pub struct SearchFake {
    shared: Arc<Mutex<Shared>>,
    server: Server,
}

impl SearchFake {
    /// The only key that Brave and Tavily know.
    pub const KEY: &'static str = "tvly-0123456789-fake";

    /// Starts on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// No port could be bound.
    pub async fn start() -> io::Result<Self> {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let router = Router::new()
            .route("/search", get(searxng).post(tavily))
            .route("/res/v1/web/search", get(brave))
            .with_state(Arc::clone(&shared));
        let server = Server::start(Ipv4Addr::LOCALHOST.into(), router).await?;
        Ok(Self { shared, server })
    }

    /// Where each API begins.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// From now on this page is found, whatever is looked for.
    pub fn put(&self, title: &str, url: &str, text: &str) {
        lock(&self.shared).hits.push(Hit {
            title: title.to_owned(),
            url: url.to_owned(),
            text: text.to_owned(),
        });
    }

    /// From now on every search is refused with this status.
    pub fn refuse(&self, status: u16) {
        lock(&self.shared).refuse = Some(status);
    }

    /// The queries, in order.
    pub fn queries(&self) -> Vec<String> {
        lock(&self.shared).queries.clone()
    }

    /// Every way in which a request broke an API.
    pub fn violations(&self) -> Vec<String> {
        lock(&self.shared).violations.clone()
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The hits for a query, or the status of a refusal.
fn look(shared: &Mutex<Shared>, query: &str, count: usize) -> Result<Vec<Hit>, u16> {
    let mut shared = lock(shared);
    shared.queries.push(query.to_owned());
    match shared.refuse {
        Some(status) => Err(status),
        None => Ok(shared.hits.iter().take(count).cloned().collect()),
    }
}

fn answer(status: u16, body: Value) -> Response {
    (
        StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST),
        Json(body),
    )
        .into_response()
}

fn violated(shared: &Mutex<Shared>, what: &str) -> String {
    lock(shared).violations.push(what.to_owned());
    what.to_owned()
}

fn unknown<'a>(given: impl Iterator<Item = &'a String>, known: &[&str]) -> Option<String> {
    let mut given = given;
    given.find(|name| !known.contains(&name.as_str())).cloned()
}

async fn searxng(State(shared): State<Arc<Mutex<Shared>>>, Query(parameters): Parameters) -> Response {
    const KNOWN: [&str; 9] = [
        "q",
        "format",
        "categories",
        "engines",
        "language",
        "pageno",
        "time_range",
        "safesearch",
        "theme",
    ];
    if let Some(name) = unknown(parameters.keys(), &KNOWN) {
        violated(&shared, &format!("SearXNG knows no {name}"));
    }
    // Without a query it shows its front page, and in other formats what no client can read.
    let (Some(query), Some("json")) = (parameters.get("q"), parameters.get("format").map(String::as_str)) else {
        violated(&shared, "SearXNG was not asked for JSON");
        return (StatusCode::OK, "<!doctype html><title>SearXNG</title>").into_response();
    };
    match look(&shared, query, usize::MAX) {
        // A page of its own, not JSON.
        Err(status) => (
            StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN),
            "<!doctype html><title>Forbidden</title>",
        )
            .into_response(),
        Ok(hits) => {
            let results = hits.iter().map(|hit| {
                json!({ "url": hit.url, "title": hit.title, "content": hit.text, "engine": "fake", "engines": ["fake"],
                    "positions": [1], "score": 1.0, "category": "general", "template": "default.html" })
            });
            answer(
                200,
                json!({ "query": query, "number_of_results": 0, "results": results.collect::<Vec<_>>(),
                    "answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": [] }),
            )
        }
    }
}

async fn brave(
    State(shared): State<Arc<Mutex<Shared>>>,
    headers: HeaderMap,
    Query(parameters): Parameters,
) -> Response {
    const KNOWN: [&str; 13] = [
        "q",
        "country",
        "search_lang",
        "ui_lang",
        "count",
        "offset",
        "safesearch",
        "freshness",
        "text_decorations",
        "spellcheck",
        "result_filter",
        "units",
        "extra_snippets",
    ];
    let refusal = |status: u16, code: &str, detail: &str| {
        answer(
            status,
            json!({ "type": "ErrorResponse", "id": "0", "time": 0,
                "error": { "id": "0", "status": status, "code": code, "detail": detail } }),
        )
    };
    let token = headers
        .get("x-subscription-token")
        .and_then(|value| value.to_str().ok());
    match token {
        None => {
            let detail = violated(&shared, "Brave needs X-Subscription-Token");
            return refusal(422, "VALIDATION", &detail);
        }
        Some(SearchFake::KEY) => {}
        Some(_) => {
            return refusal(
                422,
                "SUBSCRIPTION_TOKEN_INVALID",
                "The provided subscription token is invalid.",
            );
        }
    }
    let unknown = unknown(parameters.keys(), &KNOWN).map(|name| format!("Brave knows no {name}"));
    let count = parameters.get("count").map_or(Some(20), |count| count.parse().ok());
    let count = count.filter(|count| (1..=20).contains(count));
    let query = parameters
        .get("q")
        .filter(|query| (1..=400).contains(&query.chars().count()));
    let (Some(query), Some(count), None) = (query, count, &unknown) else {
        let detail = violated(
            &shared,
            unknown.as_deref().unwrap_or("Unable to validate request parameter(s)"),
        );
        return refusal(422, "VALIDATION", &detail);
    };
    match look(&shared, query, count) {
        Err(status) => refusal(status, "RATE_LIMITED", "Request rate limit exceeded for plan."),
        Ok(hits) => {
            let mut body = json!({ "type": "search", "query": { "original": query } });
            if !hits.is_empty() {
                let decorated = parameters.get("text_decorations").is_none_or(|value| value != "false");
                let results = hits.iter().map(|hit| {
                    let description = if decorated {
                        format!("<strong>{}</strong>", hit.text)
                    } else {
                        hit.text.clone()
                    };
                    json!({ "type": "search_result", "title": hit.title, "url": hit.url, "description": description,
                        "is_source_local": false, "family_friendly": true })
                });
                body["web"] = json!({ "type": "search", "results": results.collect::<Vec<_>>() });
            }
            answer(200, body)
        }
    }
}

async fn tavily(State(shared): State<Arc<Mutex<Shared>>>, headers: HeaderMap, body: Bytes) -> Response {
    const KNOWN: [&str; 12] = [
        "query",
        "max_results",
        "search_depth",
        "topic",
        "time_range",
        "days",
        "include_answer",
        "include_raw_content",
        "include_images",
        "include_domains",
        "exclude_domains",
        "country",
    ];
    let refusal = |status: u16, error: &str| answer(status, json!({ "detail": { "error": error } }));
    let bearer = headers
        .get("authorization")
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    if bearer != Some(SearchFake::KEY) {
        return refusal(401, "Unauthorized: missing or invalid API key.");
    }
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let unknown = body
        .as_object()
        .and_then(|body| unknown(body.keys(), &KNOWN))
        .map(|name| format!("Tavily knows no {name}"));
    let query = body["query"].as_str().filter(|query| !query.is_empty());
    let most = body
        .get("max_results")
        .map_or(Some(5), Value::as_u64)
        .filter(|most| *most <= 20);
    let depth = body["search_depth"]
        .as_str()
        .is_none_or(|depth| ["basic", "advanced"].contains(&depth));
    let (Some(query), Some(most), true, None) = (query, most, depth, &unknown) else {
        let error = violated(&shared, unknown.as_deref().unwrap_or("Invalid request for Tavily"));
        return refusal(400, &error);
    };
    match look(&shared, query, usize::try_from(most).unwrap_or(usize::MAX)) {
        Err(status) => refusal(status, "Your request has been blocked due to excessive requests."),
        Ok(hits) => {
            let results = hits.iter().map(|hit| {
                json!({ "title": hit.title, "url": hit.url, "content": hit.text, "score": 0.9, "raw_content": null })
            });
            answer(
                200,
                json!({ "query": query, "follow_up_questions": null, "answer": null, "images": [],
                    "results": results.collect::<Vec<_>>(), "response_time": 0.1 }),
            )
        }
    }
}
