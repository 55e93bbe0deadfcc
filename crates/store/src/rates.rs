//! Token buckets of those who write: rows, so that they hold over several processes.
//!
//! Most messages find enough in their buckets: that is read with everything else that a plain message needs, and what it
//! takes is written with its other statements. A bucket may so fall below zero where several processes take at once;
//! then it only takes longer to fill.

use clifford_core::{
    clock::Timestamp,
    rate::{Bucket, Counted},
    row::FromRow,
    settings::RateLimit,
    value::{Value, args},
};

use crate::{Conn, StoreError, Tx};

/// Between the fields of a row that is one text, and between such rows.
const FIELDS: char = '\u{1f}';
const ROWS: char = '\u{1e}';

/// A bucket that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredBucket {
    /// The subject that is limited.
    pub subject: String,
    /// The name of the limit.
    pub name: String,
    /// How it stood.
    pub bucket: Bucket,
}

/// Finds a bucket among those that are known: the one in which what is said then counts.
pub fn find(held: &[StoredBucket], subject: &str, limit: &RateLimit, counted: impl Into<Counted>) -> Option<Bucket> {
    let name = counted.into().name(limit);
    let found = held.iter().find(|held| held.subject == subject && held.name == name)?;
    Some(found.bucket)
}

/// SQL of the buckets of some subjects as one text, for [`of_text`].
pub(crate) fn sql(subjects: &str, is_postgres: bool) -> String {
    let (join, code) = match is_postgres {
        true => ("STRING_AGG", "CHR"),
        false => ("GROUP_CONCAT", "CHAR"),
    };
    let (fields, rows) = (u32::from(FIELDS), u32::from(ROWS));
    let field = format!(" || {code}({fields}) || ");
    format!(
        "(SELECT {join}(b.subject{field}b.name{field}CAST(b.tokens AS TEXT){field}CAST(b.filled_at AS TEXT){field}\
         CAST(b.refused AS TEXT), {code}({rows}))
          FROM rate_buckets b WHERE b.subject IN ({subjects}))"
    )
}

/// The buckets of [such a text](sql).
pub(crate) fn of_text(text: Option<&str>) -> Vec<StoredBucket> {
    let read = |row: &str| {
        let mut fields = row.splitn(5, FIELDS);
        let (subject, name) = (fields.next()?.to_owned(), fields.next()?.to_owned());
        let bucket = Bucket {
            tokens: fields.next()?.parse().ok()?,
            filled_at: Timestamp(fields.next()?.parse().ok()?),
            refused: fields.next()?.parse().ok()?,
        };
        Some(StoredBucket { subject, name, bucket })
    };
    text.unwrap_or_default().split(ROWS).filter_map(read).collect()
}

/// The outcome of counting a message.
#[derive(Clone, Copy, Debug, PartialEq, FromRow)]
pub struct CountOutcome {
    /// How many are left.
    pub tokens: f64,
    /// How many in a row were too many; 0: this one was not.
    pub refused: i64,
}

/// Milliseconds by which the clocks of two machines may differ. A bucket that was filled later than that is one of a clock
/// that was stepped back since: it fills from now on.
const SKEW: i64 = 60_000;

/// Counts a message. `$3`: the most messages; `$4`: how many a millisecond adds.
fn statement(subject: &str, limit: &RateLimit, counted: Counted) -> (String, Vec<Value>) {
    const FILLED: &str = "(rate_buckets.tokens + $4 * CASE WHEN $5 > rate_buckets.filled_at
                           THEN $5 - rate_buckets.filled_at ELSE 0 END)";
    let left = format!("(CASE WHEN {FILLED} > $3 THEN $3 ELSE {FILLED} END)");
    (
        format!(
            "INSERT INTO rate_buckets (subject, name, tokens, filled_at, refused) VALUES ($1, $2, $3 - 1.0, $5, 0)
             ON CONFLICT (subject, name) DO UPDATE SET
                 tokens = {left} - CASE WHEN {left} >= 1 THEN 1 ELSE 0 END,
                 filled_at = CASE WHEN $5 > rate_buckets.filled_at OR rate_buckets.filled_at - $5 > {SKEW} THEN $5
                     ELSE rate_buckets.filled_at END,
                 refused = CASE WHEN {left} >= 1 THEN 0 ELSE rate_buckets.refused + 1 END
             RETURNING tokens, refused"
        ),
        args![subject, counted.name(limit), limit.capacity(), limit.rate(), counted.at],
    )
}

/// Counts a message.
pub async fn take(
    tx: &mut Tx,
    subject: &str,
    limit: &RateLimit,
    counted: impl Into<Counted>,
) -> Result<CountOutcome, StoreError> {
    let (sql, args) = statement(subject, limit, counted.into());
    tx.fetch_one(sql, args).await
}

/// Counts a message of which it is known that it is not too many, with the statements around it.
pub async fn take_later(
    tx: &mut Tx,
    subject: &str,
    limit: &RateLimit,
    counted: impl Into<Counted>,
) -> Result<(), StoreError> {
    let (sql, args) = statement(subject, limit, counted.into());
    let sql = sql.trim_end_matches("RETURNING tokens, refused");
    tx.defer(sql, args).await
}

/// Counts a message that was too many by another count than the bucket's, and takes nothing. Returns how many in a row
/// were too many: whoever is told of the first is told of no other.
pub async fn refuse(
    tx: &mut Tx,
    subject: &str,
    limit: &RateLimit,
    counted: impl Into<Counted>,
) -> Result<i64, StoreError> {
    let counted = counted.into();
    let (refused,): (i64,) = tx
        .fetch_one(
            "INSERT INTO rate_buckets (subject, name, tokens, filled_at, refused) VALUES ($1, $2, $3, $4, 1)
             ON CONFLICT (subject, name) DO UPDATE SET refused = rate_buckets.refused + 1
             RETURNING refused",
            args![subject, counted.name(limit), limit.capacity(), counted.at],
        )
        .await?;
    Ok(refused)
}

/// The buckets of a subject.
pub async fn of(conn: &mut Conn, subject: &str) -> Result<Vec<StoredBucket>, StoreError> {
    let rows: Vec<(String, f64, i64, i64)> = conn
        .fetch_all(
            "SELECT name, tokens, filled_at, refused FROM rate_buckets WHERE subject = $1",
            args![subject],
        )
        .await?;
    let held = |(name, tokens, filled_at, refused): (String, f64, i64, i64)| StoredBucket {
        subject: subject.to_owned(),
        name,
        bucket: Bucket {
            tokens,
            filled_at: Timestamp(filled_at),
            refused,
        },
    };
    Ok(rows.into_iter().map(held).collect())
}

/// Deletes the buckets that are full by now.
pub async fn forget_before(tx: &mut Tx, before: Timestamp) -> Result<(), StoreError> {
    tx.execute("DELETE FROM rate_buckets WHERE filled_at < $1", args![before])
        .await?;
    Ok(())
}
