//! Requests in which platforms bring their events: the header is checked before the body is read, and the answer waits
//! until the event is stored. The adapters contribute them ([`Webhook`]); none is known here.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{FromRequest, Request, State},
    http::{HeaderMap, Method, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use clifford_channel::{Channel, IngressError, Webhook};
use clifford_chat::platform::Platform;

use super::{
    Shared,
    extract::Raw,
    problem::{Code, Problem},
};

/// Takes a request to the path of a webhook; every other goes on.
pub(super) async fn taken(State(api): State<Shared>, request: Request, next: Next) -> Response {
    let Some(channel) = addressed(&api, request.uri().path()) else {
        return next.run(request).await;
    };
    let Some(webhook) = channel.webhook() else {
        return next.run(request).await;
    };
    match take(&api, channel.platform(), webhook, request).await {
        Ok(()) => StatusCode::OK.into_response(),
        Err(problem) => problem.into_response(),
    }
}

fn addressed(api: &Shared, path: &str) -> Option<Arc<dyn Channel>> {
    let at_path = |channel: &&Arc<dyn Channel>| channel.webhook().is_some_and(|webhook| webhook.path() == path);
    api.webhooks.iter().find(at_path).cloned()
}

async fn take(api: &Shared, platform: Platform, webhook: &dyn Webhook, request: Request<Body>) -> Result<(), Problem> {
    if request.method() != Method::POST {
        let detail = format!("events of {platform} come by POST");
        return Err(Problem::new(Code::MethodNotAllowed, detail));
    }
    if !webhook.admits(only(request.headers(), webhook.header())) {
        tracing::warn!(%platform, "refused a webhook request without the right secret");
        let detail = format!("it is not from {platform}: the secret in its header is missing or wrong");
        return Err(Problem::new(Code::NotSigned, detail).of_field(webhook.header()));
    }
    let Raw(body) = Raw::from_request(request, api).await?;
    let within = Duration::from_secs(api.settings.request_timeout_seconds);
    match tokio::time::timeout(within, webhook.take(body, &*api.ingress)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(IngressError::Unavailable(error))) => {
            tracing::warn!(%platform, error, "failed to store an event, the platform is to bring it again");
            Err(Problem::new(
                Code::DatabaseUnavailable,
                "the event was not stored; bring it again",
            ))
        }
        Err(_) => {
            let detail = format!("it took over {} s (http.request_timeout_seconds)", within.as_secs());
            Err(Problem::new(Code::Timeout, detail))
        }
    }
}

/// The value of a header that stands there once; else nothing.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> &'a [u8] {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.as_bytes(),
        _ => b"",
    }
}
