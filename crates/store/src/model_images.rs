//! The models that see images, as they taught: what one process learned, the others know.

use clifford_core::{clock::Timestamp, row::FromRow, value::args};

use super::{Conn, StoreError, Tx};

/// Whether a model sees images.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ModelImages {
    /// The provider's name in the configuration.
    pub provider: String,
    /// Its address, without credentials.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// Whether it does.
    pub sees: bool,
    /// When it was learned.
    pub learned_at: Timestamp,
}

/// Stores it in place of what was learned earlier.
pub async fn put(tx: &mut Tx, images: &ModelImages) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO model_images (provider, base_url, model, sees, learned_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (provider, base_url, model)
         DO UPDATE SET sees = excluded.sees, learned_at = excluded.learned_at",
        args![
            images.provider.as_str(),
            images.base_url.as_str(),
            images.model.as_str(),
            images.sees,
            images.learned_at
        ],
    )
    .await?;
    Ok(())
}

/// All that is known.
pub async fn every(conn: &mut Conn) -> Result<Vec<ModelImages>, StoreError> {
    conn.fetch_all(
        "SELECT provider, base_url, model, sees, learned_at FROM model_images ORDER BY provider, base_url, model",
        args![],
    )
    .await
}
