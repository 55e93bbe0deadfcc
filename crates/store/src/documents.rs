//! Documents that can be searched: cut into pieces, each in the full-text index, and with an embedding where there is
//! a model for that.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, DocumentId, FileId, UserId},
    row::FromRow,
    search::{
        Scope,
        terms::{self, MOST_TERMS},
    },
    value::{Value, args},
};
use serde::Serialize;

use super::{
    Conn, StoreError, Tx,
    search::{PostingsQuery, all_of, expression},
};

/// A document.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize)]
pub struct Document {
    /// Its id.
    pub id: DocumentId,
    /// Its owner.
    pub user_id: Option<UserId>,
    /// The person who had it indexed, also where it belongs to a place.
    pub made_by: Option<UserId>,
    /// The channel that it belongs to.
    pub channel_id: Option<ChannelId>,
    /// The file that it was made of.
    pub file_id: Option<FileId>,
    /// Its title.
    pub title: String,
    /// When it was indexed.
    pub created_at: Timestamp,
}

/// A piece of a document that is to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NewChunk {
    /// Its text.
    pub content: String,
    /// The model of its embedding, and that.
    pub embedding: Option<(String, Vec<f32>)>,
}

/// A piece that was found.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Chunk {
    /// Its number.
    pub id: i64,
    /// Its document.
    pub document_id: DocumentId,
    /// The document's title.
    pub title: String,
    /// Its place in the document.
    pub seq: i64,
    /// Its text.
    pub content: String,
}

const SELECT: &str = "SELECT id, user_id, made_by, channel_id, file_id, title, created_at FROM documents";

/// Stores a document with its pieces, unless there is one of its key; returns whether it did.
pub async fn insert(tx: &mut Tx, document: &Document, key: &str, chunks: &[NewChunk]) -> Result<bool, StoreError> {
    let inserted = tx
        .execute(
            "INSERT INTO documents (id, user_id, channel_id, file_id, title, created_at, idempotency_key, made_by)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (idempotency_key) DO NOTHING",
            args![
                document.id,
                document.user_id,
                document.channel_id,
                document.file_id,
                &document.title,
                document.created_at,
                key,
                document.made_by
            ],
        )
        .await?;
    if inserted == 0 {
        return Ok(false);
    }
    let postgres = tx.is_postgres();
    for (seq, chunk) in chunks.iter().enumerate() {
        let (model, embedding) = (chunk.embedding.as_ref())
            .map(|(model, embedding)| (model.clone(), encode(embedding)))
            .unzip();
        let (id,): (i64,) = tx
            .fetch_one(
                "INSERT INTO document_chunks (document_id, seq, content, model, embedding)
                 VALUES ($1, $2, $3, $4, $5) RETURNING id",
                args![document.id, seq, &chunk.content, model, embedding],
            )
            .await?;
        tx.defer(
            put_in(postgres),
            args![
                id,
                indexed(document.user_id, document.channel_id, &chunk.content, postgres)
            ],
        )
        .await?;
    }
    Ok(true)
}

/// The statement that puts a piece into the index.
fn put_in(postgres: bool) -> &'static str {
    if postgres {
        "INSERT INTO chunk_search (id, terms) VALUES ($1, CAST($2 AS TSVECTOR))"
    } else {
        "INSERT INTO chunk_search (rowid, terms) VALUES ($1, $2)"
    }
}

/// A piece that is to be indexed.
#[derive(FromRow)]
struct Unindexed {
    id: i64,
    content: String,
    user_id: Option<UserId>,
    channel_id: Option<ChannelId>,
}

/// Puts up to `limit` pieces with higher numbers than `after` into the index, which has none of them, and returns the
/// highest number among them. `None`: there are no more.
pub(crate) async fn index_anew(tx: &mut Tx, after: i64, limit: u32) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT c.id, c.content, d.user_id, d.channel_id FROM document_chunks c
               JOIN documents d ON d.id = c.document_id WHERE c.id > $1 ORDER BY c.id LIMIT $2";
    let pieces: Vec<Unindexed> = tx.fetch_all(sql, args![after, limit]).await?;
    let postgres = tx.is_postgres();
    for piece in &pieces {
        let terms = indexed(piece.user_id, piece.channel_id, &piece.content, postgres);
        tx.defer(put_in(postgres), args![piece.id, terms]).await?;
    }
    Ok(pieces.last().map(|piece| piece.id))
}

/// Has PostgreSQL number the next piece after the highest number that is stored.
pub(crate) async fn go_on_numbering(tx: &mut Tx) -> Result<(), StoreError> {
    if !tx.is_postgres() {
        return Ok(());
    }
    let sql =
        "SELECT setval(pg_get_serial_sequence('document_chunks', 'id'), COALESCE(MAX(id), 1), MAX(id) IS NOT NULL)
               FROM document_chunks";
    tx.fetch_one::<(i64,)>(sql, args![]).await.map(|_| ())
}

/// The indexed text of a piece: its owner and place, then its terms, in the engine's syntax.
fn indexed(owner: Option<UserId>, channel: Option<ChannelId>, content: &str, postgres: bool) -> String {
    let places = (owner.map(terms::owner).into_iter()).chain(channel.map(terms::place));
    let mut text = String::new();
    let words = terms::terms(content).take(MOST_TERMS).map(|term| term.text);
    for (position, term) in places.chain(words).enumerate() {
        let _ = if postgres {
            write!(text, "'{term}':{} ", position + 1)
        } else {
            write!(text, "{term} ")
        };
    }
    text
}

/// The document that was stored under a key.
pub async fn by_key(conn: &mut Conn, key: &str) -> Result<Option<Document>, StoreError> {
    conn.fetch_optional(format!("{SELECT} WHERE idempotency_key = $1"), args![key])
        .await
}

/// One document, if it belongs to this scope.
pub async fn get(conn: &mut Conn, scope: Scope, id: DocumentId) -> Result<Option<Document>, StoreError> {
    let mut args = args![id];
    let Some(within) = within(scope, "", &mut args) else {
        return Ok(None);
    };
    conn.fetch_optional(format!("{SELECT} WHERE id = $1 AND {within}"), args)
        .await
}

/// The newest documents of a scope, or those that are older than one.
pub async fn list(
    conn: &mut Conn,
    scope: Scope,
    before: Option<DocumentId>,
    limit: u32,
) -> Result<Vec<Document>, StoreError> {
    let mut args = args![limit, before];
    let Some(within) = within(scope, "", &mut args) else {
        return Ok(Vec::new());
    };
    let sql = format!("{SELECT} WHERE {within} AND ($2 IS NULL OR id < $2) ORDER BY id DESC LIMIT $1");
    conn.fetch_all(sql, args).await
}

/// Deletes a document with its pieces.
pub async fn delete(tx: &mut Tx, id: DocumentId) -> Result<(), StoreError> {
    tx.defer("DELETE FROM documents WHERE id = $1", args![id]).await
}

/// The pieces of a scope that each list of the index holds, the newest first and at most `limit` of them.
pub async fn lists(
    conn: &mut Conn,
    scope: Scope,
    sought: &[PostingsQuery],
    limit: u32,
) -> Result<Vec<Vec<i64>>, StoreError> {
    let place = match scope {
        Scope::Person(user) | Scope::Both(user, _) => terms::owner(user),
        Scope::Channel(channel) => terms::place(channel),
        Scope::Nothing => return Ok(vec![Vec::new(); sought.len()]),
    };
    let postgres = conn.is_postgres();
    let (number, matches) = if postgres {
        ("id", "terms @@ CAST")
    } else {
        ("rowid", "chunk_search MATCH ")
    };
    let mut args = args![limit];
    let mut arms = Vec::with_capacity(sought.len());
    for sought in sought {
        let phrases = match sought {
            PostingsQuery::Forms(phrases) => &phrases[..],
            PostingsQuery::All | PostingsQuery::Stored(..) => &[],
        };
        args.push(expression(phrases, std::slice::from_ref(&place), postgres).into());
        let expression = match (args.len(), postgres) {
            (place, true) => format!("(${place} AS TSQUERY)"),
            (place, false) => format!("${place}"),
        };
        arms.push(format!(
            "SELECT {number} AS number FROM chunk_search WHERE {matches}{expression} ORDER BY {number} DESC LIMIT $1"
        ));
    }
    all_of(conn, &arms, args).await
}

/// The numbers of a scope's newest pieces that this model has embedded, the newest first.
///
/// # Errors
/// The database fails.
pub async fn embedded(conn: &mut Conn, scope: Scope, model: &str, limit: u32) -> Result<Vec<i64>, StoreError> {
    let mut args = args![model, limit];
    let Some(within) = within(scope, "d.", &mut args) else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "SELECT c.id FROM document_chunks c JOIN documents d ON d.id = c.document_id
         WHERE c.model = $1 AND c.embedding IS NOT NULL AND {within} ORDER BY c.id DESC LIMIT $2"
    );
    let rows: Vec<(i64,)> = conn.fetch_all(sql, args).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// The embeddings of these pieces by this model, in no order. Those of pieces that are gone are left out.
///
/// # Errors
/// The database fails.
pub async fn embeddings(conn: &mut Conn, model: &str, ids: &[i64]) -> Result<Vec<StoredEmbedding>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut args: Vec<Value> = ids.iter().map(|id| Value::from(*id)).collect();
    args.push(model.into());
    let sql = format!(
        "SELECT id, embedding FROM document_chunks WHERE id IN ({}) AND model = ${} AND embedding IS NOT NULL",
        super::removal::places(ids.len()),
        args.len()
    );
    conn.fetch_all(sql, args).await
}

/// The embedding of a piece as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StoredEmbedding {
    /// The piece.
    pub id: i64,
    embedding: String,
}

impl StoredEmbedding {
    /// The piece with its embedding. It takes a while of many.
    ///
    /// # Errors
    /// The row cannot be read.
    pub fn decoded(&self) -> Result<(i64, Vec<f32>), StoreError> {
        let broken = || StoreError::Corrupt("an embedding".to_owned());
        Ok((self.id, decode(&self.embedding).ok_or_else(broken)?))
    }
}

/// How many pieces of documents there are within the scope.
///
/// # Errors
/// The database fails.
pub async fn count_pieces(conn: &mut Conn, scope: Scope) -> Result<usize, StoreError> {
    let mut args = args![];
    let Some(within) = within(scope, "d.", &mut args) else {
        return Ok(0);
    };
    let sql = format!("SELECT COUNT(*) FROM document_chunks c JOIN documents d ON d.id = c.document_id WHERE {within}");
    let (count,): (i64,) = conn.fetch_one(sql, args).await?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The pieces of these ids that are within the scope, in no order. The document names the owner; the index only says
/// where to look.
pub async fn chunks(conn: &mut Conn, scope: Scope, ids: &[i64]) -> Result<Vec<Chunk>, StoreError> {
    let mut args: Vec<Value> = ids.iter().map(|id| Value::from(*id)).collect();
    let Some(within) = within(scope, "d.", &mut args).filter(|_| !ids.is_empty()) else {
        return Ok(Vec::new());
    };
    let sql = format!(
        "SELECT c.id, c.document_id, d.title, c.seq, c.content FROM document_chunks c
         JOIN documents d ON d.id = c.document_id WHERE c.id IN ({}) AND {within}",
        super::removal::places(ids.len())
    );
    conn.fetch_all(sql, args).await
}

/// The rows of a scope, as a condition with further arguments; `None`: no row is in it.
fn within(scope: Scope, table: &str, args: &mut Vec<Value>) -> Option<String> {
    match scope {
        Scope::Person(user) => {
            args.push(user.into());
            Some(format!("{table}user_id = ${}", args.len()))
        }
        Scope::Channel(channel) => {
            args.push(channel.into());
            Some(format!("{table}channel_id = ${}", args.len()))
        }
        Scope::Both(user, channel) => {
            args.extend([user.into(), channel.into()]);
            let last = args.len();
            Some(format!(
                "{table}user_id = ${} AND {table}channel_id = ${last}",
                last - 1
            ))
        }
        Scope::Nothing => None,
    }
}

fn encode(embedding: &[f32]) -> String {
    let bytes: Vec<u8> = embedding.iter().flat_map(|value| value.to_le_bytes()).collect();
    STANDARD.encode(bytes)
}

fn decode(text: &str) -> Option<Vec<f32>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (values, rest) = bytes.as_chunks::<4>();
    rest.is_empty()
        .then(|| values.iter().map(|value| f32::from_le_bytes(*value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedding_comes_back_as_it_was() {
        let embedding = [0.25, -1.5, f32::MIN_POSITIVE, 0.0];
        assert_eq!(decode(&encode(&embedding)).as_deref(), Some(&embedding[..]));
        assert_eq!(decode("AAA="), None);
        assert_eq!(decode("no base64"), None);
    }
}
