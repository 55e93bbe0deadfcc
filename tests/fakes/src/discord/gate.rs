//! Checks before every REST route: the token, the user agent, scripted faults and rate limits.

use std::time::{Duration, Instant};

use axum::{
    Json,
    body::Body,
    extract::{Request, State as Extract},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde_json::json;

use super::{
    Fault, Route, Shared,
    error::unauthorized,
    state::{Bucket, State},
};

/// The default limit of a bucket, where a test has set none.
const DEFAULT_LIMIT: (u32, Duration) = (1_000, Duration::from_secs(1));

/// Of edits of messages Discord lets five through in five seconds, in each channel.
const EDIT_LIMIT: (u32, Duration) = (5, Duration::from_secs(5));

fn default_limit(route: Route) -> (u32, Duration) {
    if route == Route::EditMessage {
        EDIT_LIMIT
    } else {
        DEFAULT_LIMIT
    }
}

pub(super) async fn gate(Extract(shared): Extract<Shared>, request: Request, next: Next) -> Response {
    let Some((route, major)) = classify(request.method(), request.uri().path()) else {
        let what = format!("{} {}", request.method(), request.uri().path());
        shared.state().violation(format!("no such route: {what}"));
        return (
            StatusCode::NOT_FOUND,
            Json(json!({"message": "404: Not Found", "code": 0})),
        )
            .into_response();
    };
    let (fault, limit) = {
        let mut state = shared.state();
        *state.hits.entry(route).or_default() += 1;
        if !user_agent_is_good(request.headers()) {
            state.violation(format!(
                "{route:?} without a user agent such as `DiscordBot (url, version)`"
            ));
        }
        if route.needs_token() && !has_token(request.headers(), &state.token) {
            return unauthorized();
        }
        let now = Instant::now();
        (state.faults).retain(|(_, _, until)| until.is_none_or(|until| now < until));
        let at = state.faults.iter().position(|(of, ..)| *of == route);
        let fault = at.and_then(|at| state.faults.remove(at));
        (fault.map(|(_, fault, _)| fault), take(&mut state, route, major))
    };
    shared.changed();
    let mut response = match (fault, limit) {
        (Some(Fault::TooMany { retry_after, global }), _) => too_many(retry_after, global),
        (Some(Fault::Status(status)), _) => StatusCode::from_u16(status)
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            .into_response(),
        (Some(Fault::DropBefore), _) => broken(),
        (_, Err(wait)) => too_many(wait, false),
        (Some(Fault::Slow(time)), _) => {
            tokio::time::sleep(time).await;
            next.run(request).await
        }
        (Some(Fault::DropAfter), _) => {
            next.run(request).await;
            broken()
        }
        (None, Ok(_)) => next.run(request).await,
    };
    if route.is_limited() {
        let headers = limit_headers(&shared.state(), route, major);
        response.headers_mut().extend(headers);
    }
    response
}

/// An answer whose connection breaks while it is read.
fn broken() -> Response {
    let cut = futures::stream::once(async { Err::<Bytes, _>(std::io::Error::other("cut by the fake")) });
    let mut response = Response::new(Body::from_stream(cut));
    response
        .headers_mut()
        .insert(header::CONTENT_LENGTH, HeaderValue::from_static("1000"));
    response
}

/// <https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit>
fn too_many(retry_after: Duration, global: bool) -> Response {
    let seconds = retry_after.as_secs_f64();
    let body = json!({"message": "You are being rate limited.", "retry_after": seconds, "global": global});
    let mut response = (StatusCode::TOO_MANY_REQUESTS, Json(body)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, number(seconds.ceil()));
    let scope = if global { "global" } else { "user" };
    headers.insert(
        HeaderName::from_static("x-ratelimit-scope"),
        HeaderValue::from_static(scope),
    );
    if global {
        headers.insert(
            HeaderName::from_static("x-ratelimit-global"),
            HeaderValue::from_static("true"),
        );
    }
    response
}

/// Takes one request out of the bucket; `Err` says how long to wait.
fn take(state: &mut State, route: Route, major: u64) -> Result<(), Duration> {
    let (limit, window) = state.limits.get(&route).copied().unwrap_or(default_limit(route));
    let now = Instant::now();
    let bucket = state.buckets.entry((route, major)).or_insert_with(|| Bucket {
        used: 0,
        resets: now + window,
    });
    if bucket.resets <= now {
        *bucket = Bucket {
            used: 0,
            resets: now + window,
        };
    }
    if bucket.used >= limit {
        return Err(bucket.resets - now);
    }
    bucket.used += 1;
    Ok(())
}

fn limit_headers(state: &State, route: Route, major: u64) -> HeaderMap {
    let (limit, _) = state.limits.get(&route).copied().unwrap_or(default_limit(route));
    let mut headers = HeaderMap::new();
    if let Some(bucket) = state.buckets.get(&(route, major)) {
        let left = bucket.resets.saturating_duration_since(Instant::now());
        #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 have 41 bits")]
        let now = state.clock.now_ms() as f64 / 1000.0;
        let values = [
            ("x-ratelimit-limit", f64::from(limit)),
            ("x-ratelimit-remaining", f64::from(limit.saturating_sub(bucket.used))),
            ("x-ratelimit-reset", now + left.as_secs_f64()),
            ("x-ratelimit-reset-after", left.as_secs_f64()),
        ];
        for (name, value) in values {
            headers.insert(HeaderName::from_static(name), number(value));
        }
    }
    if let Ok(name) = HeaderValue::from_str(&format!("fake-{route:?}").to_lowercase()) {
        headers.insert(HeaderName::from_static("x-ratelimit-bucket"), name);
    }
    headers
}

fn number(value: f64) -> HeaderValue {
    let text = if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.3}")
    };
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("0"))
}

/// <https://docs.discord.com/developers/reference#authentication>
fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    given
        .and_then(|value| value.strip_prefix("Bot "))
        .is_some_and(|given| given == token)
}

/// <https://docs.discord.com/developers/reference#user-agent>
fn user_agent_is_good(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    agent.is_some_and(|agent| agent.starts_with("DiscordBot (") && agent.contains(", "))
}

/// Which route a request is for, and the id that its bucket belongs to. `path` is below `/api/v10`.
fn classify(method: &Method, path: &str) -> Option<(Route, u64)> {
    let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let major = segments.get(1).and_then(|id| id.parse().ok()).unwrap_or(0);
    let route = match (method.as_str(), segments.as_slice()) {
        ("GET", ["gateway"]) => Route::Gateway,
        ("GET", ["gateway", "bot"]) => Route::GatewayBot,
        ("GET", ["users", "@me"]) => Route::Me,
        ("GET", ["applications", "@me"] | ["oauth2", "applications", "@me"]) => Route::Application,
        ("GET", ["applications", _, "commands"] | ["applications", _, "guilds", _, "commands"]) => Route::ReadCommands,
        ("PUT", ["applications", _, "commands"] | ["applications", _, "guilds", _, "commands"]) => Route::PutCommands,
        ("POST", ["channels", _, "messages"]) => Route::SendMessage,
        ("GET", ["channels", _, "messages"]) => Route::ReadMessages,
        ("GET", ["channels", _, "messages", _]) => Route::ReadMessage,
        ("PATCH", ["channels", _, "messages", _]) => Route::EditMessage,
        ("DELETE", ["channels", _, "messages", _]) => Route::DeleteMessage,
        ("GET", ["channels", _]) => Route::ReadChannel,
        ("POST", ["channels", _, "typing"]) => Route::Typing,
        ("POST", ["users", "@me", "channels"]) => Route::OpenDm,
        ("POST", ["interactions", _, _, "callback"]) => Route::Acknowledge,
        ("PATCH", ["webhooks", _, _, "messages", "@original"]) => Route::EditOriginal,
        ("GET", ["webhooks", _, _, "messages", "@original"]) => Route::ReadOriginal,
        ("DELETE", ["webhooks", _, _, "messages", "@original"]) => Route::DeleteOriginal,
        ("POST", ["webhooks", _, _]) => Route::FollowUp,
        ("GET", ["guilds", _]) => Route::ReadGuild,
        ("GET", ["guilds", _, "members", _]) => Route::ReadMember,
        ("PUT" | "DELETE", ["channels", _, "messages", "pins", _]) => Route::Pin,
        ("PUT" | "DELETE", ["channels", _, "messages", _, "reactions", _, "@me"]) => Route::React,
        ("POST", ["channels", _, "threads"] | ["channels", _, "messages", _, "threads"]) => Route::BeginThread,
        ("POST", ["attachments", "refresh-urls"]) => Route::RefreshUrls,
        _ => return None,
    };
    Some((route, major))
}
