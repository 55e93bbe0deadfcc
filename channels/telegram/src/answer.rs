//! Answers to callback queries: without one, a pressed button goes on looking as if it were at work.

use std::time::Duration;

use futures::{
    StreamExt as _,
    channel::{mpsc::UnboundedReceiver, oneshot},
};
use serde::de::IgnoredAny;
use teloxide::{payloads::AnswerCallbackQuery, types::CallbackQueryId};
use tokio_util::sync::CancellationToken;

use crate::{
    api::{Api, ApiError},
    link::delays,
};

/// Queries that are answered concurrently.
const CONCURRENCY: usize = 8;
/// Attempts for one query. Telegram takes no answer after a while.
const ATTEMPTS: usize = 3;
/// The timeout of one attempt: a shutdown waits for it.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest that an answer waits for its alert.
const ALERT_WITHIN: Duration = Duration::from_secs(2);
/// The most characters of an alert.
const ALERT_CHARS: usize = 200;

/// A callback query.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) id: String,
    /// Brings the text of an alert, if the press is refused.
    pub(crate) alert: Option<oneshot::Receiver<String>>,
}

/// Answers queries, until no more come.
pub(crate) async fn answer(api: &Api, queries: UnboundedReceiver<Query>, stop: &CancellationToken) {
    queries
        .for_each_concurrent(CONCURRENCY, |query| answer_one(api, query, stop))
        .await;
}

/// The outcome of a press shows in the chat, so the answer is empty unless the press was refused. An answer that
/// Telegram refuses is dropped.
pub(crate) async fn answer_one(api: &Api, query: Query, stop: &CancellationToken) {
    let mut request = AnswerCallbackQuery::new(CallbackQueryId(query.id));
    if let Some(alert) = query.alert
        && let Some(Ok(Ok(text))) = stop
            .run_until_cancelled(tokio::time::timeout(ALERT_WITHIN, alert))
            .await
    {
        request.text = Some(text.replace('`', "").chars().take(ALERT_CHARS).collect());
        request.show_alert = Some(true);
    }
    for delay in delays().take(ATTEMPTS) {
        let wait = match api.call::<_, IgnoredAny>(&request, TIMEOUT).await {
            Ok(_) => return,
            Err(ApiError::RetryAfter(wait)) => wait,
            Err(ApiError::NoConnection(_) | ApiError::Unreachable(_) | ApiError::Failed(_)) => delay,
            Err(error @ (ApiError::Refused { .. } | ApiError::MovedTo(_))) => {
                tracing::debug!(?error, "failed to answer callback query");
                return;
            }
        };
        if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
            return;
        }
    }
}
