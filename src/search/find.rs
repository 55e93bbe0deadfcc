//! Finds messages: takes into the index what is missing of the places that are searched, ranks the newest matches, and
//! shows a page of them.

use std::{fmt, str::FromStr, time::Duration};

use serde::Serialize;

use super::{Query, Scope, rank, snippet};
use crate::{
    id::{ChannelId, MessageId, RunId},
    store::{
        Db, StoreError,
        search::{self, Candidate, Placed},
    },
};

/// How many matches are ranked at a time: the newest. Older ones come on later pages.
const WINDOW: u32 = 1000;
/// How many messages a search takes into the index in one transaction.
const BATCH: u32 = 200;
/// How often it does so before it looks at what there is.
const BATCHES: u32 = 5;
/// How long it waits for another process that has some in hand, as often as that.
const MOMENT: Duration = Duration::from_millis(10);

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is asked.
    pub query: Query,
    /// Where.
    pub scope: Scope,
    /// Not what this run was asked or said: it knows that.
    pub except: Option<RunId>,
    /// Where to go on.
    pub from: Option<Cursor>,
    /// How many on a page.
    pub limit: u32,
}

/// Where the next page begins: the window of matches up to a number in the index, less what was shown of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    through: i64,
    skip: usize,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.through, self.skip)
    }
}

impl FromStr for Cursor {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FAULT: &str = "it is not what `next` of a page said";
        let (through, skip) = text.split_once('-').ok_or(FAULT)?;
        Ok(Self {
            through: through.parse().map_err(|_| FAULT)?,
            skip: skip.parse().map_err(|_| FAULT)?,
        })
    }
}

/// A message that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Found {
    /// The message.
    #[serde(flatten)]
    pub message: Placed,
    /// Around what was found, in Markdown; what was found is bold.
    pub snippet: String,
}

/// A page of what was found, best first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// What is on it.
    pub items: Vec<Found>,
    /// Where the next one begins, if there may be more.
    pub next: Option<Cursor>,
}

/// Finds messages.
///
/// # Errors
/// The store's.
pub async fn find(db: &Db, request: Request) -> Result<Page, StoreError> {
    let places = search::places(&mut db.read().await?, request.scope).await?;
    if places.is_empty() {
        return Ok(Page::default());
    }
    catch_up(db, &places).await?;
    let (through, skip) = request.from.map_or((i64::MAX, 0), |from| (from.through, from.skip));
    let window = search::candidates(&mut db.read().await?, &request.query, &places, through, WINDOW).await?;
    let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
    let (first, last) = (
        window.first().map(|one| one.number),
        window.last().map(|one| one.number),
    );
    let is_full = window.len() >= usize::try_from(WINDOW).unwrap_or(usize::MAX);
    let ranked = ranked(request.query.clone(), window, request.except).await?;
    let shown = skip.saturating_add(limit);
    let next = if ranked.len() > shown {
        first.map(|through| Cursor { through, skip: shown })
    } else {
        let older = last.filter(|_| is_full).map(|last| last - 1);
        older.map(|through| Cursor { through, skip: 0 })
    };
    let ids: Vec<_> = ranked.into_iter().skip(skip).take(limit).collect();
    let mut placed = search::placed(&mut db.read().await?, &ids).await?;
    placed.sort_by_key(|message| ids.iter().position(|id| *id == message.id));
    let items = placed.into_iter().map(|message| Found {
        snippet: snippet(&message.content, &request.query),
        message,
    });
    Ok(Page {
        items: items.collect(),
        next,
    })
}

/// The best first; of those that are equally good, the newest. On a thread for work: it may take some milliseconds.
async fn ranked(query: Query, window: Vec<Candidate>, except: Option<RunId>) -> Result<Vec<MessageId>, StoreError> {
    let work = tokio::task::spawn_blocking(move || {
        let others = window
            .into_iter()
            .filter(|one| except.is_none() || one.run_id != except);
        let mut scored: Vec<_> = others.map(|one| (rank::score(&query, &one.head), one.id)).collect();
        scored.sort_unstable_by(|one, other| other.cmp(one));
        scored.into_iter().map(|(_, id)| id).collect()
    });
    work.await
        .map_err(|error| StoreError::Unavailable(format!("what was found could not be ranked: {error}")))
}

/// Takes into the index what is missing of these places: all of it, unless a great deal is.
async fn catch_up(db: &Db, places: &[ChannelId]) -> Result<(), StoreError> {
    for _ in 0..BATCHES {
        if !search::is_behind(&mut db.read().await?, places).await? {
            return Ok(());
        }
        let places = places.to_vec();
        let taken = db
            .write(move |tx| Box::pin(async move { search::index(tx, Some(&places), BATCH).await }))
            .await?;
        if taken == 0 {
            tokio::time::sleep(MOMENT).await;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor { through: 17, skip: 3 };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        for text in ["", "17", "a-b", "1-2-3", "1--2", "99999999999999999999-1"] {
            assert!(text.parse::<Cursor>().is_err(), "{text}");
        }
    }
}
