//! Every route, and the layers that all of them pass through.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    http::{HeaderMap, Method, Uri, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
};
use clifford_telemetry::measures;
use futures::FutureExt;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    Api, Shared, agents, auth, budgets, channels, completions, connections, contexts,
    description::{Description, Routes},
    edits, events, export, feedback, files, handler, health, hooks, keys, links, memories, messages, metrics, models,
    outages, outbox, pairings, passkeys, policies,
    problem::{Code, Problem},
    prompts, quarantine, reload, replay, rerun, runs, search, sessions, settings, spaces, stream, terminal, tokens,
    tools, triggers, undo, usage, users, webhooks, why,
};

/// How much longer an answer may take than a body: a body that does not come in time is always told as that.
const BODY_FIRST: Duration = Duration::from_secs(1);

/// The description of every route.
static DESCRIPTION: LazyLock<Description> = LazyLock::new(|| Description::of(each_route));

/// The whole API.
pub fn router(api: Api) -> Router {
    let api = Arc::new(api);
    let within = Duration::from_secs(api.settings.request_timeout_seconds);
    let body_limit = usize::try_from(api.settings.max_body_bytes).unwrap_or(usize::MAX);
    let soon = Limit::new(within, BODY_FIRST, "http.request_timeout_seconds");
    let waited = Limit::new(
        within + messages::LONGEST_WAIT,
        Duration::ZERO,
        "http.request_timeout_seconds, and the longest wait that a caller may ask for",
    );
    let quick = served(quick).layer(from_fn(move |request, next| soon.limited(request, next)));
    let patient = served(patient).layer(from_fn(move |request, next| waited.limited(request, next)));
    // A run may take its time once more.
    let longest = api.context.settings.engine().max_run_time;
    let long = Limit::new(
        within + longest,
        Duration::ZERO,
        "http.request_timeout_seconds and engine.max_run_seconds",
    );
    let lasting = served(lasting).layer(from_fn(move |request, next| long.limited(request, next)));
    let open = served(open).layer(from_fn(move |request, next| soon.limited(request, next)));
    Router::new()
        .merge(quick)
        .merge(patient)
        .merge(lasting)
        .fallback(unknown_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Shared::clone(&api), auth::authenticate))
        .merge(open.method_not_allowed_fallback(wrong_method))
        .layer(from_fn_with_state(Shared::clone(&api), webhooks::taken))
        .layer(DefaultBodyLimit::max(body_limit))
        .layer(from_fn(completions::errors))
        .layer(from_fn(guarded))
        .with_state(api)
}

/// The routes that show the health of a process without the API.
pub fn watching(api: Api) -> Router {
    let api = Arc::new(api);
    let within = Duration::from_secs(api.settings.request_timeout_seconds);
    let soon = Limit::new(within, Duration::ZERO, "http.request_timeout_seconds");
    let told = served(|add| {
        add(routes!(health::readyz));
        add(routes!(metrics::scrape));
    });
    let open = served(|add| add(routes!(health::healthz)));
    Router::new()
        .merge(told)
        .fallback(unknown_route)
        .layer(from_fn_with_state(Shared::clone(&api), auth::authenticate))
        .merge(open)
        .layer(from_fn(move |request, next| soon.limited(request, next)))
        .layer(from_fn(guarded))
        .with_state(api)
}

/// Routes that answer at once. A stream is one of them: its head comes at once.
fn quick(add: &mut dyn FnMut(Routes)) {
    add(routes!(messages::list));
    add(routes!(edits::edit));
    add(routes!(models::list));
    add(routes!(search::list));
    add(routes!(runs::list, runs::create));
    add(routes!(runs::get));
    add(routes!(runs::cancel));
    add(routes!(runs::wake));
    add(routes!(runs::retry));
    add(routes!(runs::confirm));
    add(routes!(undo::undo));
    add(routes!(replay::replay));
    add(routes!(rerun::compare));
    add(routes!(why::why));
    add(routes!(stream::stream));
    add(routes!(events::events));
    add(routes!(contexts::list, contexts::create));
    add(routes!(contexts::get, contexts::change));
    add(routes!(contexts::jobs));
    add(routes!(memories::list, memories::create));
    add(routes!(memories::get, memories::change, memories::forget));
    add(routes!(memories::source_of));
    add(routes!(memories::writes));
    add(routes!(users::list));
    add(routes!(users::get, users::change, users::erase));
    add(routes!(users::identities));
    add(routes!(keys::list));
    add(routes!(keys::put, keys::remove));
    add(routes!(settings::list));
    add(routes!(settings::change));
    add(routes!(settings::get, settings::put, settings::unset));
    add(routes!(policies::list, policies::create));
    add(routes!(policies::get, policies::change, policies::remove));
    add(routes!(policies::test));
    add(routes!(tools::list));
    add(routes!(tools::get, tools::change));
    add(routes!(terminal::open));
    add(routes!(terminal::typed));
    add(routes!(terminal::shown));
    add(routes!(channels::list));
    add(routes!(channels::get, channels::change));
    add(routes!(agents::list, agents::create));
    add(routes!(agents::get, agents::change, agents::remove));
    add(routes!(prompts::list));
    add(routes!(prompts::get));
    add(routes!(prompts::restore));
    add(routes!(prompts::recorded));
    add(routes!(connections::list));
    add(routes!(feedback::list));
    add(routes!(feedback::give, feedback::take_back));
    add(routes!(triggers::list, triggers::create));
    add(routes!(triggers::get, triggers::change, triggers::remove));
    add(routes!(triggers::fire));
    add(routes!(links::make));
    add(routes!(links::enter));
    add(routes!(sessions::list, sessions::begin));
    add(routes!(sessions::log_out));
    add(routes!(sessions::end_others));
    add(routes!(passkeys::login::challenge));
    add(routes!(passkeys::login::log_in));
    add(routes!(passkeys::list, passkeys::add));
    add(routes!(passkeys::challenge));
    add(routes!(passkeys::rename, passkeys::remove));
    add(routes!(sessions::end));
    add(routes!(sessions::me));
    add(routes!(tokens::list, tokens::create));
    add(routes!(tokens::revoke));
    add(routes!(spaces::list));
    add(routes!(spaces::get));
    add(routes!(pairings::list));
    add(routes!(pairings::decide));
    add(routes!(outages::list));
    add(routes!(outbox::list));
    add(routes!(outbox::resend));
    add(routes!(outbox::give_up));
    add(routes!(reload::reload));
    add(routes!(quarantine::list));
    add(routes!(quarantine::retry));
    add(routes!(quarantine::forget));
    add(routes!(completions::models));
    add(routes!(export::export));
    add(routes!(usage::list));
    add(routes!(usage::by_tool));
    add(routes!(budgets::list));
    add(routes!(files::list, files::upload));
    add(routes!(files::get, files::delete));
    add(routes!(files::content));
    add(routes!(health::readyz));
    add(routes!(metrics::scrape));
}

/// Routes that need no token: a webhook's requests are signed, and the description is everybody's.
fn open(add: &mut dyn FnMut(Routes)) {
    add(routes!(health::healthz));
    add(routes!(hooks::take));
    add(routes!(description));
}

/// Routes whose caller may ask them to wait.
fn patient(add: &mut dyn FnMut(Routes)) {
    add(routes!(messages::create));
    add(routes!(completions::create));
    add(routes!(tools::call));
}

/// Routes that take as long as a run may.
fn lasting(add: &mut dyn FnMut(Routes)) {
    add(routes!(rerun::rerun));
}

/// The router of these routes. Each description is dropped at once: all of them together take some megabytes, which
/// most processes never need.
fn served(routes: impl FnOnce(&mut dyn FnMut(Routes))) -> Router<Shared> {
    let mut all = Router::new();
    routes(&mut |route| {
        let (router, _) = OpenApiRouter::new().routes(route).split_for_parts();
        all = std::mem::take(&mut all).merge(router);
    });
    all
}

/// Every route, one after another.
fn each_route(add: &mut dyn FnMut(Routes)) {
    for routes in [quick, patient, lasting, open] {
        routes(add);
    }
}

/// This description.
#[utoipa::path(get, path = "/api/openapi.json", tag = "operation",
    responses((status = 200, description = "OpenAPI 3.1", body = String, content_type = "application/json")))]
#[handler]
async fn description(headers: HeaderMap) -> Response {
    DESCRIPTION.answer(&headers)
}

/// The description of every route, as JSON.
#[cfg(test)]
pub(super) fn described() -> String {
    DESCRIPTION.json()
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

/// How long an answer may take.
#[derive(Clone, Copy)]
struct Limit {
    told: Duration,
    grace: Duration,
    /// The settings that it follows from.
    settings: &'static str,
}

impl Limit {
    const fn new(told: Duration, grace: Duration, settings: &'static str) -> Self {
        Self { told, grace, settings }
    }

    /// The answer, if it comes in time.
    async fn limited(self, request: Request, next: Next) -> Response {
        match tokio::time::timeout(self.told + self.grace, next.run(request)).await {
            Ok(response) => response,
            Err(_) => self.problem().into_response(),
        }
    }

    fn problem(self) -> Problem {
        let detail = format!("it took over {} s ({})", self.told.as_secs(), self.settings);
        Problem::new(Code::Timeout, detail)
    }
}

/// Counts answers, and makes one of a panic.
async fn guarded(request: Request, next: Next) -> Response {
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let mut response = answered.unwrap_or_else(|_| {
        tracing::error!("request handler panicked");
        Problem::new(Code::Internal, "the log says more").into_response()
    });
    measures::answered_request(response.status().as_str());
    harden(response.headers_mut());
    response
}

fn harden(headers: &mut HeaderMap) {
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        header::HeaderValue::from_static("nosniff"),
    );
    // Answers are of one caller: no cache keeps them.
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(header::HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_description_is_kept_small_and_is_the_same_again() {
        let text = described();
        let length = DESCRIPTION.bytes();
        assert!(length < 60_000, "{length} bytes");
        assert!(text.len() > 5 * length, "{} bytes", text.len());
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut fields: Vec<_> = document.as_object().unwrap().keys().collect();
        fields.sort_unstable();
        assert_eq!(fields, ["components", "info", "openapi", "paths", "servers"]);
        let schemes = document["components"]["securitySchemes"].as_object().unwrap();
        assert_eq!(schemes.keys().collect::<Vec<_>>(), ["bearer", "session"]);
        assert!(document["components"]["schemas"]["Problem"].is_object());
    }

    #[test]
    fn an_answer_that_is_late_names_its_own_limit() {
        let seconds = Duration::from_secs;
        for (limit, expected) in [
            (Limit::new(seconds(30), BODY_FIRST, "a"), "it took over 30 s (a)"),
            (
                Limit::new(seconds(330), Duration::ZERO, "a and b"),
                "it took over 330 s (a and b)",
            ),
        ] {
            assert_eq!(limit.problem().detail(), expected);
        }
    }

    /// Of two types of one name, the document would have the first alone.
    #[test]
    fn no_two_schemas_have_one_name() {
        let mut schemas = BTreeMap::new();
        each_route(&mut |route| {
            let (_, described) = OpenApiRouter::<Shared>::new().routes(route).split_for_parts();
            let components = described.components.map(|components| components.schemas);
            for (name, schema) in components.into_iter().flatten() {
                let schema = serde_json::to_value(&schema).unwrap();
                let known = schemas.entry(name.clone()).or_insert_with(|| schema.clone());
                assert_eq!(*known, schema, "{name}");
            }
        });
        assert!(schemas.contains_key("NewPairingDecision"));
        assert!(schemas.contains_key("ApprovalDecision"));
    }
}
