//! The messages of some spans of time, the newest first. Ids tell when messages were stored, and no message is stored
//! before it is sent: a message stored soon after it was sent is found by the ids of the requested times. The rest has
//! an index of its own: messages that came late, as after an outage, and messages stored while the clock had been set
//! back, when ids go on from the latest time.

use clifford_core::{
    clock::Timestamp,
    id::MessageId,
    row::FromRow,
    value::{Value, args},
};

use super::lookup::{Reach, SAID, SKEW};
use crate::{Conn, StoreError};

/// How far a walk looks back at first, in milliseconds.
const FIRST_LOOK: i64 = 2 * SKEW;
/// How many times farther it looks each further time.
const FARTHER: i64 = 2;

/// A message stored so much later than it was sent, or with an id so much later than the time of storing it, in
/// milliseconds, is in the index `messages_stored_late`.
const LATE: i64 = 86_400_000;

/// The condition of that index, in the words of its migration, without which an engine would not use it: an id begins
/// with eight digits of its time, of 65 s each.
fn is_late(postgres: bool) -> String {
    let time = if postgres {
        format!("LPAD(TO_HEX((m.created_at + {LATE}) / 65536), 8, '0')")
    } else {
        format!("PRINTF('%08x', (m.created_at + {LATE}) / 65536)")
    };
    format!("(m.sent_at < m.created_at - {LATE} OR SUBSTR(m.id, 1, 8) > {time})")
}

/// A listing of the messages of some spans of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The messages, the newest first.
    pub ids: Vec<MessageId>,
    /// Messages that were indexed behind this number are not among them.
    pub through: i64,
}

#[derive(Clone, Copy, Debug, FromRow)]
struct ListedMessage {
    id: MessageId,
    said_at: Timestamp,
}

/// The messages of any of these spans, within the reach, that may be found: `limit` of them behind the first `skip`.
pub async fn in_spans(
    conn: &mut Conn,
    spans: &[(Timestamp, Timestamp)],
    reach: &Reach,
    skip: usize,
    limit: usize,
) -> Result<Listing, StoreError> {
    let none = Listing {
        ids: Vec::new(),
        through: reach.through,
    };
    let edges = edges(spans, reach);
    if edges.is_empty() || reach.places.is_empty() {
        return Ok(none);
    }
    let Some((oldest, newest, number)) = extent(conn).await? else {
        return Ok(none);
    };
    let walk = Walk {
        edges: &edges,
        reach,
        through: reach.through.min(number),
        most: skip.saturating_add(limit),
    };
    let mut found = walk.late(conn).await?;
    let mut distance = FIRST_LOOK;
    for (first, end) in stored_within(&edges).into_iter().rev() {
        let (first, mut before) = (first.max(oldest), end.min(newest.saturating_add(1)));
        while before > first {
            let from = before.saturating_sub(distance).max(first);
            found.extend(walk.look(conn, from, before).await?);
            found.sort_unstable_by_key(|said| std::cmp::Reverse((said.said_at, said.id)));
            found.truncate(walk.most);
            before = from;
            distance = distance.saturating_mul(FARTHER);
            let last = found.last().filter(|_| found.len() >= walk.most);
            if last.is_some_and(|last| last.said_at.0 >= from.saturating_add(SKEW)) {
                return Ok(walk.listing(found, skip));
            }
        }
    }
    Ok(walk.listing(found, skip))
}

/// When that was stored which was said between the edges and is not [`is_late`]: each from when to when, in order, in
/// milliseconds since the epoch.
fn stored_within(edges: &[Timestamp]) -> Vec<(i64, i64)> {
    let mut times: Vec<(i64, i64)> = Vec::with_capacity(edges.len() / 2);
    for span in edges.chunks_exact(2) {
        let [from, to] = [span.first(), span.last()].map(|edge| edge.map_or(0, |edge| edge.0));
        let (from, to) = (from.saturating_sub(SKEW).max(0), to.saturating_add(LATE + SKEW));
        match times.last_mut() {
            Some((_, end)) if *end >= from => *end = to,
            _ => times.push((from, to)),
        }
    }
    times
}

/// When the oldest and the newest of all messages were stored, in milliseconds since the epoch, and the greatest number
/// in the index. `None`: it is empty.
async fn extent(conn: &mut Conn) -> Result<Option<(i64, i64, i64)>, StoreError> {
    type Extent = (Option<MessageId>, Option<MessageId>, Option<i64>);
    let sql = "SELECT (SELECT MIN(id) FROM messages) AS oldest, (SELECT MAX(id) FROM messages) AS newest,
                      (SELECT MAX(search_id) FROM messages WHERE search_id IS NOT NULL) AS number";
    let (oldest, newest, number): Extent = conn.fetch_one(sql, args![]).await?;
    Ok(match (oldest, newest, number) {
        (Some(oldest), Some(newest), Some(number)) => Some((made_at(oldest), made_at(newest), number)),
        _ => None,
    })
}

/// When an id was made, in milliseconds since the epoch: its first 48 bits.
fn made_at(id: MessageId) -> i64 {
    i64::try_from(id.0.as_u128() >> 80).unwrap_or(i64::MAX)
}

/// Where the spans begin and end, within the reach: each where one begins, then where it ends, in order.
fn edges(spans: &[(Timestamp, Timestamp)], reach: &Reach) -> Vec<Timestamp> {
    let clipped = spans.iter().map(|(from, to)| {
        let from = reach.from.map_or(*from, |bound| bound.max(*from));
        (from, reach.to.map_or(*to, |bound| bound.min(*to)))
    });
    let mut spans: Vec<_> = clipped.filter(|(from, to)| from < to).collect();
    spans.sort_unstable();
    let mut edges: Vec<Timestamp> = Vec::with_capacity(2 * spans.len());
    for (from, to) in spans {
        match edges.last_mut() {
            Some(end) if *end >= from => *end = to.max(*end),
            _ => edges.extend([from, to]),
        }
    }
    edges
}

/// The parameters of a walk back in time.
struct Walk<'a> {
    edges: &'a [Timestamp],
    reach: &'a Reach,
    through: i64,
    most: usize,
}

impl Walk<'_> {
    fn listing(&self, found: Vec<ListedMessage>, skip: usize) -> Listing {
        Listing {
            ids: found.into_iter().skip(skip).map(|said| said.id).collect(),
            through: self.through,
        }
    }

    /// The newest of what [`is_late`].
    async fn late(&self, conn: &mut Conn) -> Result<Vec<ListedMessage>, StoreError> {
        let [Some(first), Some(last)] = [self.edges.first(), self.edges.last()] else {
            return Ok(Vec::new());
        };
        let args = args![self.through, self.most, *first, *last];
        let which = format!("{} AND {SAID} >= $3 AND {SAID} < $4", is_late(conn.is_postgres()));
        self.those(conn, &which, args).await
    }

    /// The newest of what was stored between two moments, in milliseconds since the epoch, and is not [`is_late`].
    async fn look(&self, conn: &mut Conn, from: i64, before: i64) -> Result<Vec<ListedMessage>, StoreError> {
        let [from, before] = [from, before].map(|moment| MessageId::first_at(Timestamp(moment)));
        let args = args![self.through, self.most, from, before];
        let late = is_late(conn.is_postgres());
        let which = format!("NOT COALESCE({late}, FALSE) AND m.id >= $3 AND m.id < $4");
        self.those(conn, &which, args).await
    }

    async fn those(
        &self,
        conn: &mut Conn,
        which: &str,
        mut args: Vec<Value>,
    ) -> Result<Vec<ListedMessage>, StoreError> {
        let edges: Vec<_> = (self.edges.iter())
            .map(|edge| {
                args.push((*edge).into());
                args.len()
            })
            .collect();
        let visible = self.reach.visible(&mut args);
        let sql = format!(
            "SELECT m.id, {SAID} AS said_at FROM messages m
             WHERE {which} AND {} AND m.search_id <= $1 AND {visible}
             ORDER BY said_at DESC, m.id DESC LIMIT $2",
            within(&edges, false)
        );
        conn.all_planned_anew(sql, args).await
    }
}

/// A condition: it was said between the edges (arguments by their numbers). It halves them, so that many cost little.
fn within(edges: &[usize], is_within: bool) -> String {
    let (before, from) = edges.split_at(edges.len() / 2);
    let Some((edge, behind)) = from.split_first() else {
        return if is_within { "TRUE" } else { "FALSE" }.to_owned();
    };
    format!(
        "CASE WHEN {SAID} < ${edge} THEN {} ELSE {} END",
        within(before, is_within),
        within(behind, is_within != before.len().is_multiple_of(2))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_at_some_times_was_stored_soon_after() {
        let stored = |edges: &[i64]| stored_within(&edges.iter().copied().map(Timestamp).collect::<Vec<_>>());
        let day = SKEW;
        assert_eq!(stored(&[]), []);
        assert_eq!(
            stored(&[10 * day, 11 * day, 20 * day, 21 * day]),
            [(9 * day, 13 * day), (19 * day, 23 * day)]
        );
        // Spans that overlap are one.
        assert_eq!(stored(&[10 * day, 11 * day, 14 * day, 15 * day]), [(9 * day, 17 * day)]);
        assert_eq!(stored(&[0, i64::MAX]), [(0, i64::MAX)]);
    }

    #[test]
    fn spans_become_edges_within_the_reach() {
        let edges = |spans: &[(i64, i64)], from: Option<i64>, to: Option<i64>| {
            let spans: Vec<_> = (spans.iter())
                .map(|span| (Timestamp(span.0), Timestamp(span.1)))
                .collect();
            let reach = Reach {
                places: Vec::new(),
                through: i64::MAX,
                from: from.map(Timestamp),
                to: to.map(Timestamp),
                except: None,
            };
            super::edges(&spans, &reach)
                .iter()
                .map(|edge| edge.0)
                .collect::<Vec<_>>()
        };
        for (spans, from, to, expected) in [
            (&[][..], None, None, &[][..]),
            (&[], Some(1), Some(9), &[]),
            (&[(3, 5)], None, None, &[3, 5]),
            (&[(7, 9), (3, 5)], None, None, &[3, 5, 7, 9]),
            // Spans that touch or overlap are one.
            (&[(3, 5), (5, 7)], None, None, &[3, 7]),
            (&[(3, 9), (4, 5)], None, None, &[3, 9]),
            (&[(3, 5), (7, 9)], Some(4), Some(8), &[4, 5, 7, 8]),
            (&[(3, 5), (7, 9)], Some(5), None, &[7, 9]),
            (&[(3, 5)], Some(5), Some(3), &[]),
            (&[(i64::MIN, i64::MAX)], Some(5), None, &[5, i64::MAX]),
        ] {
            assert_eq!(edges(spans, from, to), expected, "{spans:?} {from:?} {to:?}");
        }
    }

    #[test]
    fn a_moment_is_within_every_other_pair_of_edges() {
        let db = rusqlite::Connection::open_in_memory().expect("a database");
        for count in [0_isize, 1, 2, 5, 11, 88] {
            // From 10 until before 15, from 20 until before 25 and so on.
            let numbers: Vec<usize> = (1..=2 * count).map(isize::unsigned_abs).collect();
            let mut condition = within(&numbers, false);
            for number in numbers {
                let edge = number.div_ceil(2) * 10 + if number % 2 == 0 { 5 } else { 0 };
                condition = condition.replace(&format!("${number} "), &format!("{edge} "));
            }
            let sql = format!("SELECT {condition} FROM (SELECT ?1 AS sent_at, ?1 AS created_at) m");
            for moment in 0..10 * count + 20 {
                let is_within: bool = db.query_row(&sql, [moment], |row| row.get(0)).expect("a row");
                let expected = moment % 10 < 5 && (1..=count).contains(&(moment / 10));
                assert_eq!(is_within, expected, "{moment} of {count}");
            }
        }
    }

    #[test]
    fn an_id_tells_when_it_was_made() {
        for at in [0, 1_773_831_600_000] {
            assert_eq!(made_at(MessageId::first_at(Timestamp(at))), at);
        }
    }
}
