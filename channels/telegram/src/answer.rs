//! Answers to callback queries: without one, a pressed button goes on looking as if it were at work.

use std::time::Duration;

use futures::{StreamExt as _, channel::mpsc::UnboundedReceiver};
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

/// Answers the queries with these ids, until no more come.
pub(crate) async fn answer(api: &Api, queries: UnboundedReceiver<String>, stop: &CancellationToken) {
    queries
        .for_each_concurrent(AT_ONCE, |query| answer_one(api, query, stop))
        .await;
}

/// What comes of the press is said in the chat, so this says nothing, and whatever refuses it is passed over.
async fn answer_one(api: &Api, query: String, stop: &CancellationToken) {
    let request = AnswerCallbackQuery::new(CallbackQueryId(query));
    for delay in delays().take(ATTEMPTS) {
        let wait = match api.call::<_, bool>(&request, TIMEOUT).await {
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
