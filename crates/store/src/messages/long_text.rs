//! Long texts of messages, read by their head and their tail: a prompt never shows more of them.

use clifford_core::{json_text::JsonText, messages::Gap, row::FromRow};
use serde_json::Value as Json;

use super::replies::with_quote;

/// How many characters of the beginning of a long text are read.
const HEAD: usize = 16_000;
/// How many of its end.
const TAIL: usize = 8_000;

/// The text of a message as it is read.
#[derive(Clone, Debug, FromRow)]
pub(crate) struct LongText {
    content: String,
    tail: Option<String>,
    length: i64,
}

/// The columns of [`LongText`], of the column with this name. Only a text of many bytes is counted by characters.
pub(crate) fn columns(name: &str) -> String {
    let most = HEAD + TAIL;
    let (behind, rest) = (HEAD + 1, TAIL - 1);
    format!(
        "CASE WHEN OCTET_LENGTH({name}) > {most} THEN SUBSTR({name}, 1, {HEAD}) ELSE {name} END AS content,
         CASE WHEN OCTET_LENGTH({name}) <= {most} THEN NULL
              WHEN LENGTH({name}) > {most} THEN SUBSTR({name}, LENGTH({name}) - {rest})
              ELSE SUBSTR({name}, {behind}) END AS tail,
         CAST(CASE WHEN OCTET_LENGTH({name}) > {most} THEN LENGTH({name}) ELSE 0 END AS BIGINT) AS length"
    )
}

/// The same columns, with all of the text.
pub(super) fn whole(name: &str) -> String {
    format!("{name} AS content, CAST(NULL AS TEXT) AS tail, CAST(0 AS BIGINT) AS length")
}

impl LongText {
    /// The part that was read, behind the quote, of which at most so many characters are shown.
    pub(crate) fn with_quote(self, quote: Option<&JsonText<Json>>, most: usize) -> (String, Option<Gap>) {
        let mut text = with_quote(quote, &self.content, most);
        let Some(tail) = self.tail else {
            return (text, None);
        };
        let read = self.content.chars().count() + tail.chars().count();
        let missing = usize::try_from(self.length).unwrap_or_default().saturating_sub(read);
        let at = text.len();
        text.push_str(&tail);
        (text, (missing > 0).then_some(Gap { at, missing }))
    }
}
