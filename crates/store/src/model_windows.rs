//! Context windows of models, as their providers told them, shared by all processes.

use clifford_core::{clock::Timestamp, models::Source, row::FromRow, value::args};

use super::{Conn, StoreError, Tx};

/// A known window of a model.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ModelWindow {
    /// The provider's name in the configuration.
    pub provider: String,
    /// Its address, without credentials.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// Its source.
    pub source: Source,
    /// How many tokens.
    pub tokens: i64,
    /// When it was learned.
    pub learned_at: Timestamp,
}

/// Stores a window in place of an earlier one from the same source.
pub async fn put(tx: &mut Tx, window: &ModelWindow) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO model_windows (provider, base_url, model, source, tokens, learned_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (provider, base_url, model, source)
         DO UPDATE SET tokens = excluded.tokens, learned_at = excluded.learned_at",
        args![
            window.provider.as_str(),
            window.base_url.as_str(),
            window.model.as_str(),
            window.source,
            window.tokens,
            window.learned_at
        ],
    )
    .await?;
    Ok(())
}

/// All known windows, in the order in which they were learned.
pub async fn every(conn: &mut Conn) -> Result<Vec<ModelWindow>, StoreError> {
    conn.fetch_all(
        "SELECT provider, base_url, model, source, tokens, learned_at FROM model_windows
         ORDER BY learned_at, provider, base_url, model, source",
        args![],
    )
    .await
}
