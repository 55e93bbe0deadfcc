//! Whether the process lives, and whether it can work.

use std::{collections::BTreeMap, time::Duration};

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use clifford_chat::{inbound::ConnectionStatus, platform::Platform};
use clifford_delivery::receiver::{STANDING_BY, lease_name};
use clifford_engine::jobs::maintenance;
use clifford_llm::CircuitState;
use clifford_store::{StoreError, leases, places::settings};
use serde::Serialize;

use super::{Shared, access::ReadinessReader, handler};

/// How long the database may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the process is alive. Needs no token. The first line is `ok`; a line follows for each platform that is not
/// connected, with the reason.
#[utoipa::path(get, path = "/healthz", tag = "operation", responses((status = 200, description = "It lives", body = String)))]
#[handler]
pub(super) async fn healthz(State(api): State<Shared>) -> String {
    let connections = api.ingress.connections();
    let down = connections.iter().filter_map(|(platform, status)| match status {
        ConnectionStatus::Disconnected(why) if why != STANDING_BY => {
            Some(format!("{platform} is not connected: {why}"))
        }
        _ => None,
    });
    std::iter::once("ok".to_owned())
        .chain(down)
        .collect::<Vec<_>>()
        .join("\n")
}

/// One thing that must work.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct Check {
    /// Whether it does.
    pub(super) ok: bool,
    /// How it stands.
    detail: String,
}

impl Check {
    fn good(detail: impl Into<String>) -> Self {
        Self {
            ok: true,
            detail: detail.into(),
        }
    }

    fn bad(detail: impl Into<String>) -> Self {
        Self {
            ok: false,
            detail: detail.into(),
        }
    }
}

/// Whether the process can work.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct Readiness {
    /// Everything that must, does.
    ready: bool,
    /// Each thing that must, and `maintenance`.
    checks: BTreeMap<String, Check>,
}

/// Whether the process can work: the database takes writes, each platform is connected, a provider answers. The check
/// `maintenance` names maintenance jobs that fail, and does not count. On this machine itself it needs no token, as long
/// as no proxy hands the request on (`X-Forwarded-For` and its like).
#[utoipa::path(get, path = "/readyz", tag = "operation", security(("bearer" = [])),
    responses((status = 200, body = Readiness), (status = 503, body = Readiness)))]
#[handler]
pub(super) async fn readyz(State(api): State<Shared>, _: ReadinessReader) -> Response {
    let mut checks = BTreeMap::from([
        ("database".to_owned(), database(&api).await),
        ("provider".to_owned(), provider(&api)),
    ]);
    for platform in &api.platforms {
        checks.insert(format!("channel:{platform}"), platform_check(&api, *platform).await);
    }
    let ready = checks.values().all(|check| check.ok);
    if checks["database"].ok {
        checks.insert("maintenance".to_owned(), maintenance_check(&api).await);
    }
    let status = if ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (status, Json(Readiness { ready, checks })).into_response()
}

/// A write, because a full disk can still be read.
async fn database(api: &Shared) -> Check {
    if let Err(error) = api.db.in_place() {
        return Check::bad(error.to_string());
    }
    let now = api.clock.now();
    let written = api.db.write(move |tx| {
        Box::pin(
            async move { settings::put(tx, settings::BOT, settings::LAST_READY_CHECK, &now.to_string(), now).await },
        )
    });
    match tokio::time::timeout(PATIENCE, written).await {
        Ok(Ok(())) => Check::good("it takes writes"),
        Ok(Err(error)) => {
            tracing::warn!(%error, "failed to reach the database");
            Check::bad("it takes no writes; the log says why")
        }
        Err(_) => Check::bad(format!("it did not answer within {} s", PATIENCE.as_secs())),
    }
}

/// Whether some provider is asked at all, and takes the key that it is asked with.
pub(super) fn provider(api: &Shared) -> Check {
    let circuits = api.context.models.circuits();
    let told: Vec<_> = circuits
        .iter()
        .map(|circuit| match (circuit.state(), circuit.refusal()) {
            (CircuitState::Open(left), _) => format!(
                "{} keeps failing and is left alone for {} s",
                circuit.provider(),
                left.as_secs() + 1
            ),
            (_, Some(remedy)) => format!("{} refused the last call: {remedy}", circuit.provider()),
            (CircuitState::Closed, None) => circuit.provider().to_owned(),
            (CircuitState::HalfOpen, None) => format!("{} kept failing and is tried again", circuit.provider()),
        })
        .collect();
    let some_answers = circuits
        .iter()
        .any(|circuit| !matches!(circuit.state(), CircuitState::Open(_)) && circuit.refusal().is_none());
    if some_answers {
        Check::good(told.join("; "))
    } else {
        Check::bad(told.join("; "))
    }
}

/// How a platform is connected, here or by another process.
pub(super) async fn platform_check(api: &Shared, platform: Platform) -> Check {
    let here = api.ingress.connections().remove(&platform);
    match &here {
        Some(ConnectionStatus::Connected(name)) => {
            return Check::good(format!("connected as {name}{}", late(api, platform)));
        }
        Some(ConnectionStatus::Limited { name, lacks }) => {
            return Check::good(format!("connected as {name}; {lacks}{}", late(api, platform)));
        }
        Some(ConnectionStatus::Disconnected(_)) | None => {}
    }
    if elsewhere(api, platform).await.unwrap_or(false) {
        return Check::good("connected by another process; standing by");
    }
    Check::bad(match here {
        Some(ConnectionStatus::Disconnected(why)) => why,
        _ => "not connected yet".to_owned(),
    })
}

/// The maintenance jobs that fail. The process works on without them for a long while.
async fn maintenance_check(api: &Shared) -> Check {
    let failing = async { maintenance::failing(&mut api.db.read().await?, &api.context.settings).await };
    match failing.await {
        Ok(failing) if failing.is_empty() => Check::good("no maintenance job fails"),
        Ok(failing) => Check::bad(failing.iter().map(maintenance::describe).collect::<Vec<_>>().join("; ")),
        Err(error) => {
            tracing::warn!(%error, "failed to read the maintenance jobs");
            Check::bad("the database did not tell; the log says why")
        }
    }
}

/// The messages that are late, by chat and reason.
fn late(api: &Shared, platform: Platform) -> String {
    let now = api.clock.now();
    let late = api.context.delivery.late(platform);
    let told = late.iter().map(|late| {
        let since = now.since(late.since).as_secs();
        format!(
            "; a message to chat {} (channel:{}) is late since {since} s: {}",
            late.place, late.channel, late.reason
        )
    });
    told.collect()
}

async fn elsewhere(api: &Shared, platform: Platform) -> Result<bool, StoreError> {
    let mut conn = api.db.read().await?;
    let holder = leases::holder(&mut conn, &lease_name(platform, 0), api.clock.now()).await?;
    Ok(holder.is_some_and(|holder| holder != api.context.worker()))
}
