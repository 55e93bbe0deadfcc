//! Every route, and what all of them pass through.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use axum::{
    Extension, Router,
    extract::{DefaultBodyLimit, Request},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use utoipa::{
    OpenApi,
    openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    Api, Shared, agents, auth, channels, contexts, export, files, health, hooks, keys, links, memories, messages,
    metrics, policies,
    problem::{Code, Problem},
    replay, runs, search, settings, stream, tools, triggers, usage, users,
};
use crate::telemetry::measures;

/// How much longer an answer may take than a body: a body that does not come in time is always told as that.
const BODY_FIRST: Duration = Duration::from_secs(1);

#[derive(OpenApi)]
#[openapi(
    info(title = "Clifford", description = "A self-hosted AI bot for chat platforms."),
    components(schemas(super::problem::ProblemBody))
)]
struct Description;

/// The description of every route, as JSON.
#[derive(Clone)]
struct Described(Arc<str>);

/// The whole API.
pub fn router(api: Api) -> Router {
    let api = Arc::new(api);
    let within = Duration::from_secs(api.settings.request_timeout_seconds);
    let (quick, mut description) = quick().split_for_parts();
    let (patient, more) = patient().split_for_parts();
    description.merge(more);
    let (open, more) = open().split_for_parts();
    description.merge(more);
    let description = described(description);
    let body_limit = usize::try_from(api.settings.max_body_bytes).unwrap_or(usize::MAX);
    let quick = quick
        .layer(Extension(Described(description)))
        .layer(from_fn(move |request, next| {
            limited(within + BODY_FIRST, request, next)
        }));
    let patient = patient.layer(from_fn(move |request, next| {
        limited(within + messages::LONGEST_WAIT, request, next)
    }));
    let open = open.layer(from_fn(move |request, next| {
        limited(within + BODY_FIRST, request, next)
    }));
    Router::new()
        .merge(quick)
        .merge(patient)
        .fallback(unknown_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Shared::clone(&api), auth::authenticate))
        .merge(open.method_not_allowed_fallback(wrong_method))
        .layer(DefaultBodyLimit::max(body_limit))
        .layer(from_fn(guarded))
        .with_state(api)
}

/// What tells how a process is that does not serve the API.
pub fn watching(api: Api) -> Router {
    let api = Arc::new(api);
    let within = Duration::from_secs(api.settings.request_timeout_seconds);
    let told = OpenApiRouter::new()
        .routes(routes!(health::readyz))
        .routes(routes!(metrics::scrape));
    let open = OpenApiRouter::new().routes(routes!(health::healthz));
    Router::new()
        .merge(told.split_for_parts().0)
        .fallback(unknown_route)
        .layer(from_fn_with_state(Shared::clone(&api), auth::authenticate))
        .merge(open.split_for_parts().0)
        .layer(from_fn(move |request, next| limited(within, request, next)))
        .layer(from_fn(guarded))
        .with_state(api)
}

/// Routes that answer at once. A stream is one of them: its head comes at once.
fn quick() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(messages::list))
        .routes(routes!(search::list))
        .routes(routes!(runs::list, runs::create))
        .routes(routes!(runs::get))
        .routes(routes!(runs::cancel))
        .routes(routes!(runs::wake))
        .routes(routes!(runs::retry))
        .routes(routes!(runs::confirm))
        .routes(routes!(replay::replay))
        .routes(routes!(stream::stream))
        .routes(routes!(contexts::list, contexts::create))
        .routes(routes!(contexts::get, contexts::change))
        .routes(routes!(contexts::jobs))
        .routes(routes!(memories::list, memories::create))
        .routes(routes!(memories::get, memories::change, memories::forget))
        .routes(routes!(memories::writes))
        .routes(routes!(users::list))
        .routes(routes!(users::get, users::change, users::erase))
        .routes(routes!(users::identities))
        .routes(routes!(keys::list))
        .routes(routes!(keys::put, keys::remove))
        .routes(routes!(settings::list))
        .routes(routes!(settings::get, settings::put, settings::unset))
        .routes(routes!(policies::list, policies::create))
        .routes(routes!(policies::get, policies::change, policies::remove))
        .routes(routes!(policies::test))
        .routes(routes!(tools::list))
        .routes(routes!(tools::get, tools::change))
        .routes(routes!(channels::list))
        .routes(routes!(channels::get, channels::change))
        .routes(routes!(agents::list))
        .routes(routes!(agents::get, agents::change))
        .routes(routes!(triggers::list, triggers::create))
        .routes(routes!(triggers::get, triggers::change, triggers::remove))
        .routes(routes!(triggers::fire))
        .routes(routes!(links::make))
        .routes(routes!(links::enter))
        .routes(routes!(export::export))
        .routes(routes!(usage::list))
        .routes(routes!(files::list, files::upload))
        .routes(routes!(files::get, files::delete))
        .routes(routes!(files::content))
        .routes(routes!(health::readyz))
        .routes(routes!(metrics::scrape))
        .routes(routes!(description))
}

/// Routes that need no token: a webhook's requests are signed.
fn open() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(health::healthz))
        .routes(routes!(hooks::take))
}

/// Routes whose caller may ask them to wait.
fn patient() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(messages::create))
}

fn described(mut description: utoipa::openapi::OpenApi) -> Arc<str> {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A token of `clifford token create`, with its scopes."))
        .build();
    description
        .components
        .get_or_insert_default()
        .add_security_scheme("bearer", SecurityScheme::Http(bearer));
    Arc::from(description.to_json().unwrap_or_default())
}

/// This description.
#[utoipa::path(get, path = "/api/openapi.json", tag = "operation", security(("bearer" = [])),
    responses((status = 200, description = "OpenAPI 3.1", body = String, content_type = "application/json")))]
async fn description(Extension(described): Extension<Described>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], described.0.to_string())
}

async fn unknown_route(uri: Uri) -> Problem {
    Problem::new(
        Code::UnknownRoute,
        format!(
            "there is nothing at {}; /api/openapi.json lists what there is",
            uri.path()
        ),
    )
}

async fn wrong_method(method: Method, uri: Uri) -> Problem {
    Problem::new(Code::MethodNotAllowed, format!("{} does not know {method}", uri.path()))
}

/// The answer, if it comes in time.
async fn limited(within: Duration, request: Request, next: Next) -> Response {
    match tokio::time::timeout(within, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let detail = format!("it took over {} s (http.request_timeout_seconds)", within.as_secs());
            Problem::new(Code::Timeout, detail).into_response()
        }
    }
}

/// Counts answers, and makes one of a panic.
async fn guarded(request: Request, next: Next) -> Response {
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|_| {
        tracing::error!("a request's handler panicked");
        Problem::new(Code::Internal, "the log says more").into_response()
    });
    harden(response.status(), response.headers_mut());
    response
}

fn harden(status: StatusCode, headers: &mut HeaderMap) {
    measures::answered_request(status.as_str());
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        header::HeaderValue::from_static("nosniff"),
    );
    // Answers are of one caller: no cache keeps them.
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(header::HeaderValue::from_static("no-store"));
}
