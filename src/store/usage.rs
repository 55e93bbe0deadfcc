//! What models were used for, one row a call.

use super::{StoreError, Tx, args};
use crate::{
    clock::Timestamp,
    engine::step::LlmResponse,
    id::{ChannelId, RunId, UserId},
};

/// Records one model call, made as a step of a run.
///
/// # Errors
/// The store's.
pub async fn insert(
    tx: &mut Tx,
    run: RunId,
    seq: u32,
    user: Option<UserId>,
    channel: Option<ChannelId>,
    response: &LlmResponse,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.later(
        "INSERT INTO usage (run_id, seq, user_id, space_id, provider, model, prompt_tokens, completion_tokens,
             cached_tokens, estimated, cost, created_at)
         VALUES ($1, $2, $3, (SELECT space_id FROM channels WHERE id = $4), $5, $6, $7, $8, $9, $10, $11, $12)",
        args![
            run,
            seq,
            user,
            channel,
            &response.provider,
            &response.model,
            response.usage.prompt_tokens,
            response.usage.completion_tokens,
            response.usage.cached_tokens,
            response.usage.estimated,
            response.cost,
            now
        ],
    )
    .await?;
    Ok(())
}
