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

/// Queries that are answered at the same time.
const AT_ONCE: usize = 8;
/// How often one is tried. Telegram takes no answer after a while.
const ATTEMPTS: usize = 3;
/// How long one attempt may take: the end of receiving waits for it.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How long an answer waits for what is to be told to whoever pressed.
const TOLD_WITHIN: Duration = Duration::from_secs(2);
/// The most characters of an answer's text.
const TEXT: usize = 200;

/// A callback query.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) id: String,
    /// What comes of it, if whoever pressed is told that alone.
    pub(crate) told: Option<oneshot::Receiver<&'static str>>,
}

/// Answers queries, until no more come.
pub(crate) async fn answer(api: &Api, queries: UnboundedReceiver<Query>, stop: &CancellationToken) {
    queries
        .for_each_concurrent(AT_ONCE, |query| answer_one(api, query, stop))
        .await;
}

/// What comes of the press is said in the chat, so this says nothing unless the press was refused; whatever refuses the
/// answer is passed over.
async fn answer_one(api: &Api, query: Query, stop: &CancellationToken) {
    let mut request = AnswerCallbackQuery::new(CallbackQueryId(query.id));
    if let Some(told) = query.told
        && let Some(Ok(Ok(text))) = stop.run_until_cancelled(tokio::time::timeout(TOLD_WITHIN, told)).await
    {
        request.text = Some(text.replace('`', "").chars().take(TEXT).collect());
        request.show_alert = Some(true);
    }
    for delay in delays().take(ATTEMPTS) {
        let wait = match api.call::<_, IgnoredAny>(&request, TIMEOUT).await {
            Ok(_) => return,
            Err(ApiError::RetryAfter(wait)) => wait,
            Err(ApiError::NoConnection(_) | ApiError::Unreachable(_) | ApiError::Failed(_)) => delay,
            Err(error @ (ApiError::Refused { .. } | ApiError::MovedTo(_))) => {
                tracing::debug!(?error, "Telegram did not take the answer to a pressed button");
                return;
            }
        };
        if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
            return;
        }
    }
}
