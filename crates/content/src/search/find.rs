//! Finds messages: takes into the index what is missing of the places that are searched, ranks what it names for a
//! query, and shows a page of that.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, MessageId},
    messages::Direction,
    search::{
        dates::Moment,
        query::Query,
        rank::{Nearby, PhraseCounts, Ranked, Ranking, Scored},
        request::{Cursor, Request},
        snippet,
    },
};
use clifford_store::{
    Conn, Db, StoreError, Tx,
    search::{self, Beside, Candidate, LocatedMessage, Reach},
};
use jiff::tz::TimeZone;
use serde::Serialize;

use super::window::{EACH, Plan};

/// How many messages a search takes into the index in one transaction.
const BATCH: u32 = 200;
/// How often it does so before it looks at what there is.
const BATCHES: u32 = 5;
/// How long it waits for another process that has some in flight, as often as that.
const MOMENT: Duration = Duration::from_millis(10);
/// How many of the best messages have their neighbours looked at.
const LOOKED_BESIDE: usize = 60;
/// How far.
const DISTANCE: u32 = 2;
/// How often more is ranked for one page: there are no later pages.
const WINDOWS: usize = 10;
/// How much of what stands next to a message is shown, in characters.
const SHOWN_BESIDE: usize = 200;

/// A message that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct SearchHit {
    /// The message.
    #[serde(flatten)]
    pub message: LocatedMessage,
    /// Around what was found; what was found is bold.
    pub snippet: String,
    /// The message before it.
    pub before: Option<NearbyText>,
    /// The message after it.
    pub after: Option<NearbyText>,
}

/// A message that stands next to one that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NearbyText {
    /// The message.
    #[schema(value_type = String)]
    pub id: MessageId,
    /// Its direction.
    pub direction: Direction,
    /// Its beginning, as it was said.
    pub content: String,
}

/// A page of what was found, best first; of what was said at a time, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The messages on it.
    pub items: Vec<SearchHit>,
    /// Where the next one begins, if there is more.
    pub next: Option<Cursor>,
}

/// Finds messages.
pub async fn find(db: &Db, request: Request) -> Result<Page, StoreError> {
    let places = search::places(&mut db.read().await?, request.scope).await?;
    if places.is_empty() {
        return Ok(Page::default());
    }
    catch_up(db, &places).await?;
    db.read_blocking(move |conn| Box::pin(async move { page(conn, places, &request).await }))
        .await
}

/// Finds messages within a transaction.
pub async fn find_within(tx: &mut Tx, request: Request) -> Result<Page, StoreError> {
    let places = search::places(tx, request.scope).await?;
    if places.is_empty() {
        return Ok(Page::default());
    }
    for _ in 0..BATCHES {
        if search::index(tx, Some(&places), BATCH).await? == 0 {
            break;
        }
    }
    page(tx, places, &request).await
}

async fn page(conn: &mut Conn, places: Vec<ChannelId>, request: &Request) -> Result<Page, StoreError> {
    let reach = Reach {
        places,
        through: request.cursor.map_or(i64::MAX, |cursor| cursor.through),
        from: request.from,
        to: request.to,
        except: request.except,
    };
    if let Some(spans) = &request.listed {
        let page = list_in_spans(conn, spans, &reach, request).await?;
        if !page.items.is_empty() {
            return Ok(page);
        }
    }
    match &request.query {
        Some(query) => ranked(conn, query, reach, request).await,
        None => Ok(Page::default()),
    }
}

/// How many come before a page, and how many are on it.
fn extent(request: &Request) -> (usize, usize) {
    let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
    (request.cursor.map_or(0, |cursor| cursor.skip), limit)
}

/// All that was said at some times, the newest first.
async fn list_in_spans(
    conn: &mut Conn,
    spans: &[(Timestamp, Timestamp)],
    reach: &Reach,
    request: &Request,
) -> Result<Page, StoreError> {
    let (skip, limit) = extent(request);
    let said = search::in_spans(conn, spans, reach, skip, limit.saturating_add(1)).await?;
    let next = (said.ids.len() > limit).then(|| Cursor {
        through: said.through,
        skip: skip.saturating_add(limit),
    });
    let ids: Vec<_> = said.ids.into_iter().take(limit).collect();
    let items = found_items(conn, &ids, reach, None, request).await?;
    Ok(Page { items, next })
}

/// The messages that answer a query, best first.
async fn ranked(conn: &mut Conn, query: &Query, mut reach: Reach, request: &Request) -> Result<Page, StoreError> {
    let (skip, limit) = extent(request);
    let shown = skip.saturating_add(limit);
    let plan = Plan::of(query, &request.times);
    let mut all: Vec<Scored> = Vec::new();
    let mut ranked = HashSet::new();
    let mut newest = None;
    for _ in 0..WINDOWS {
        let lists = search::lists(conn, &plan.sought, &reach, EACH).await?;
        // Messages that are sent from now on move nothing on later pages.
        let Some(through) = plan.newest(&lists) else {
            break;
        };
        reach.through = through;
        newest = newest.or(Some(through));
        let window = plan.window(&lists, &ranked);
        ranked.extend(window.numbers.iter().copied());
        let candidates = search::candidates(conn, &window.numbers, &reach).await?;
        let messages = counted(query, &request.zone, &plan, lists, candidates).await?;
        let ranking = Ranking::of(&messages, &request.times, &window.population);
        let nearby = if query.required().next().is_some() {
            Vec::new()
        } else {
            let best: Vec<_> = ranking.best(LOOKED_BESIDE).iter().map(|one| one.id).collect();
            let beside = search::neighbours(conn, &best, DISTANCE, &reach).await?;
            by_distance(&beside, &request.zone)
        };
        let known: HashSet<MessageId> = all.iter().map(|one| one.id).collect();
        let more = ranking.with_nearby(&nearby);
        all.extend(more.into_iter().filter(|one| !known.contains(&one.id)));
        // Messages that were found next to others are not found again.
        ranked.extend(all.iter().map(|one| one.number));
        let Some(next) = window.next.filter(|_| all.len() <= shown) else {
            break;
        };
        reach.through = next;
    }
    let next = newest
        .filter(|_| all.len() > shown)
        .map(|through| Cursor { through, skip: shown });
    let ids: Vec<_> = all.iter().skip(skip).take(limit).map(|one| one.id).collect();
    Ok(Page {
        items: found_items(conn, &ids, &reach, Some(query), request).await?,
        next,
    })
}

/// The query's words in each message. It runs on a worker thread: it may take some milliseconds.
async fn counted(
    query: &Query,
    zone: &TimeZone,
    plan: &Plan,
    lists: Vec<Vec<i64>>,
    candidates: Vec<Candidate>,
) -> Result<Vec<Ranked>, StoreError> {
    let (query, zone, plan) = (query.clone(), zone.clone(), plan.clone());
    let work = tokio::task::spawn_blocking(move || {
        let rank = |candidate: Candidate| {
            let mut held = PhraseCounts::by(&query, &candidate.head);
            if candidate.is_cut() {
                plan.held_by(&lists, candidate.number)
                    .for_each(|phrase| held.further(phrase));
            }
            Ranked {
                id: candidate.id,
                number: candidate.number,
                context: candidate.context_id,
                moment: Moment::of(candidate.said_at, &zone),
                held,
            }
        };
        candidates.into_iter().map(rank).collect()
    });
    work.await
        .map_err(|error| StoreError::Unavailable(format!("failed to rank what was found: {error}")))
}

/// How far each message stands from the one that it stands next to.
fn by_distance(beside: &[Beside], zone: &TimeZone) -> Vec<Nearby> {
    let mut of: HashMap<MessageId, Vec<&Beside>> = HashMap::new();
    for one in beside {
        of.entry(one.of_id).or_default().push(one);
    }
    let mut nearby = Vec::with_capacity(beside.len());
    for (center, mut ones) in of {
        ones.sort_by_key(|one| one.id);
        let before = ones.iter().filter(|one| one.id < center).count();
        for (place, one) in ones.into_iter().enumerate() {
            nearby.push(Nearby {
                of: center,
                distance: if place < before {
                    before - place
                } else {
                    place - before + 1
                },
                id: one.id,
                number: one.number,
                context: one.context_id,
                date: Moment::of(one.said_at, zone).date(),
            });
        }
    }
    nearby
}

/// The items of a page for these messages.
async fn found_items(
    conn: &mut Conn,
    ids: &[MessageId],
    reach: &Reach,
    query: Option<&Query>,
    request: &Request,
) -> Result<Vec<SearchHit>, StoreError> {
    let mut placed = search::locate(conn, ids).await?;
    placed.sort_by_key(|message| ids.iter().position(|id| *id == message.id));
    // The neighbours of a message are shown whatever their time.
    let whenever = Reach {
        through: i64::MAX,
        from: None,
        to: None,
        ..reach.clone()
    };
    let beside = search::neighbours(conn, ids, 1, &whenever).await?;
    let nearby = |one: &Beside| NearbyText {
        id: one.id,
        direction: one.direction,
        content: head(&one.head),
    };
    let found = placed.into_iter().map(|message: LocatedMessage| {
        let mut of = beside.iter().filter(|one| one.of_id == message.id);
        SearchHit {
            snippet: snippet(&message.content, query, request.form),
            before: of.clone().find(|one| one.id < message.id).map(nearby),
            after: of.find(|one| one.id > message.id).map(nearby),
            message,
        }
    });
    Ok(found.collect())
}

/// The beginning of a text, cut where it is too long.
fn head(text: &str) -> String {
    match text.char_indices().nth(SHOWN_BESIDE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
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
    fn what_stands_beside_a_message_knows_how_far_away_it_is() {
        let id = |number: u128| MessageId(uuid::Uuid::from_u128(number));
        let one = |number: u128| Beside {
            of_id: id(5),
            id: id(number),
            number: 1,
            context_id: clifford_core::id::ContextId::new(),
            direction: Direction::Inbound,
            said_at: Timestamp(0),
            head: String::new(),
        };
        let beside: Vec<_> = [7, 2, 6, 4].map(one).into();
        let mut found: Vec<_> = by_distance(&beside, &TimeZone::UTC)
            .iter()
            .map(|near| (near.id, near.distance))
            .collect();
        found.sort();
        assert_eq!(found, [(id(2), 2), (id(4), 1), (id(6), 1), (id(7), 2)]);
    }
}
