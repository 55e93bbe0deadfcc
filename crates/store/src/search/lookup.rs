//! Looks up the forms of words in the index, the messages to rank, and their neighbours. The rule of visibility stands
//! in one place: [`Reach`].

use std::{collections::HashMap, fmt::Write as _};

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, RunId},
    messages::Direction,
    row::FromRow,
    search::terms,
    value::{Value, args},
};

use super::within;
use crate::{Conn, StoreError, withheld};

/// How much of a message decides about its rank, in characters.
const HEAD: u32 = 600;

/// How much earlier than a message was said its id may have been made by another clock, in milliseconds.
pub(super) const SKEW: i64 = 86_400_000;

/// Where and what somebody searches, as the statements take it.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The channels.
    pub places: Vec<ChannelId>,
    /// Up to this number in the index.
    pub through: i64,
    /// Messages from then on.
    pub from: Option<Timestamp>,
    /// Messages before then.
    pub to: Option<Timestamp>,
    /// Not what belongs to this run.
    pub except: Option<RunId>,
}

/// When a message was said, as far as is known: a platform's clock may tell of an earlier time than that of storing it.
pub(super) const SAID: &str = "CASE WHEN m.sent_at < m.created_at THEN m.sent_at ELSE m.created_at END";

impl Reach {
    /// The condition for messages (`m`) that may be found: the one rule for all results of a search. The index only
    /// says where to look.
    fn rule(&self, args: &mut Vec<Value>) -> String {
        self.visible(args) + &self.times(args)
    }

    /// Those of them that may be found, whenever they were said.
    pub(super) fn visible(&self, args: &mut Vec<Value>) -> String {
        let mut sql = format!(
            "m.context_id IS NOT NULL AND m.deleted_at IS NULL AND {} AND {}",
            withheld::is_open("m."),
            within("m.channel_id", &self.places, args)
        );
        if let Some(run) = self.except {
            args.push(run.into());
            let _ = write!(sql, " AND (m.run_id IS NULL OR m.run_id <> ${})", args.len());
        }
        sql
    }

    fn times(&self, args: &mut Vec<Value>) -> String {
        let mut sql = String::new();
        for (bound, sign) in [(self.from, ">="), (self.to, "<")] {
            if let Some(bound) = bound {
                args.push(bound.into());
                let _ = write!(sql, " AND {SAID} {sign} ${}", args.len());
            }
        }
        sql
    }
}

/// The content of a list of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostingsQuery {
    /// Any message.
    All,
    /// Messages with one of several forms of each of several phrases.
    Forms(Vec<Vec<Form>>),
    /// The newest messages that were stored between two moments.
    Stored(Timestamp, Timestamp),
}

/// A form of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Terms that stand one behind another.
    pub terms: Vec<String>,
    /// The last one may go on.
    pub is_open: bool,
}

/// The query for some places in the engine's syntax. Terms hold letters, digits, marks and emoji only, so quotes make
/// them literal.
pub(crate) fn expression(sought: &[Vec<Form>], places: &[String], postgres: bool) -> String {
    let (quote, or, and, next) = if postgres {
        ('\'', " | ", " & ", "' <-> '")
    } else {
        ('"', " OR ", " AND ", " ")
    };
    let places: Vec<_> = places.iter().map(|place| format!("{quote}{place}{quote}")).collect();
    let mut text = format!("({})", places.join(or));
    for forms in sought {
        text.push_str(and);
        text.push_str(&any_of(forms, quote, or, next, postgres));
    }
    text
}

fn any_of(forms: &[Form], quote: char, or: &str, next: &str, postgres: bool) -> String {
    let forms: Vec<_> = forms
        .iter()
        .map(|form| {
            let open = match (form.is_open, postgres) {
                (false, _) => "",
                (true, true) => ":*",
                (true, false) => " *",
            };
            format!("{quote}{}{quote}{open}", form.terms.join(next))
        })
        .collect();
    format!("({})", forms.join(or))
}

/// The numbers of the messages that each list holds, each the newest first and at most `limit` of them.
pub async fn lists(
    conn: &mut Conn,
    sought: &[PostingsQuery],
    reach: &Reach,
    limit: u32,
) -> Result<Vec<Vec<i64>>, StoreError> {
    if reach.places.is_empty() || sought.is_empty() {
        return Ok(vec![Vec::new(); sought.len()]);
    }
    let postgres = conn.is_postgres();
    let places: Vec<_> = reach.places.iter().map(|channel| terms::place(*channel)).collect();
    let expressions: Vec<_> = sought
        .iter()
        .map(|sought| match sought {
            PostingsQuery::All => Some(expression(&[], &places, postgres)),
            PostingsQuery::Forms(phrases) => Some(expression(phrases, &places, postgres)),
            PostingsQuery::Stored(..) => None,
        })
        .collect();
    let walks = walks(conn, &expressions, reach, limit).await?;
    let mut args = args![reach.through, limit];
    let mut arms = Vec::with_capacity(sought.len());
    for ((sought, expression), walk) in sought.iter().zip(expressions).zip(walks) {
        arms.push(match (sought, expression) {
            (PostingsQuery::Stored(from, to), _) => stored(*from, *to, reach, &mut args),
            (_, expression) => {
                args.push(expression.into());
                matched(reach, postgres, walk, &mut args)
            }
        });
    }
    all_of(conn, &arms, args).await
}

/// The number of a place's newest messages in which PostgreSQL counts matches, to estimate how common they are.
const SAMPLE: u32 = 100;
/// How much dearer it is to walk to a message and compare it than to fetch one that the index names.
const DEARER: u32 = 2;

/// Whether the engine may walk back from the newest message to find what each list of the index holds, or is to take
/// what the index names and sort that. PostgreSQL's planner takes comparing a message to terms for as cheap as
/// comparing two numbers, and walks over most of a channel for words that a few in a hundred hold.
async fn walks(
    conn: &mut Conn,
    expressions: &[Option<String>],
    reach: &Reach,
    limit: u32,
) -> Result<Vec<bool>, StoreError> {
    // Of several places, the one where something was said last stands for all.
    let Some(place) = reach.places.first().filter(|_| conn.is_postgres()) else {
        return Ok(vec![true; expressions.len()]);
    };
    let mut args = args![reach.through, *place, SAMPLE];
    let mut sql = "WITH s AS MATERIALIZED (
           SELECT t.id, t.terms FROM (
             SELECT search_id FROM messages WHERE channel_id = $2 AND search_id <= $1 ORDER BY id DESC LIMIT $3
           ) m JOIN message_search t ON t.id = m.search_id)
         SELECT CAST(-2 AS BIGINT) AS list, COALESCE(MAX(id), 0) AS count FROM message_search WHERE id <= $1
         UNION ALL SELECT CAST(-1 AS BIGINT), COALESCE(MIN(id), 0) FROM s"
        .to_owned();
    for (place, expression) in expressions.iter().enumerate() {
        if let Some(expression) = expression {
            args.push(expression.clone().into());
            let _ = write!(
                sql,
                " UNION ALL SELECT CAST({place} AS BIGINT), COUNT(*) FROM s WHERE terms @@ CAST(${} AS TSQUERY)",
                args.len()
            );
        }
    }
    let counts: HashMap<i64, i64> = conn.all_planned_anew(sql, args).await?.into_iter().collect();
    let count = |list: i64| counts.get(&list).copied().unwrap_or_default();
    let (newest, first) = (count(-2), count(-1));
    let walk = |list| is_worth_a_walk(count(list), newest - first + 1, newest, limit);
    Ok((0_i64..).take(expressions.len()).map(walk).collect())
}

/// Whether `limit` messages are found sooner by a walk than by the index, where `matching` of the newest `span` match,
/// of `all` messages.
fn is_worth_a_walk(matching: i64, span: i64, all: i64, limit: u32) -> bool {
    let [matching, span, all] = [matching, span, all].map(i128::from);
    // To walk over limit * span / matching, or to fetch all * matching / span.
    all * matching * matching >= i128::from(DEARER) * i128::from(limit) * span * span
}

/// The order of a list that is walked to, or is not.
fn newest_first(number: &str, walk: bool) -> String {
    // A computed value is in no index.
    format!("ORDER BY {number}{} DESC", if walk { "" } else { " + 0" })
}

/// The numbers that each of several statements names, the greatest first.
pub(crate) async fn all_of(conn: &mut Conn, arms: &[String], args: Vec<Value>) -> Result<Vec<Vec<i64>>, StoreError> {
    let mut lists = vec![Vec::new(); arms.len()];
    let arms: Vec<_> = (arms.iter().enumerate())
        .map(|(place, numbers)| format!("SELECT CAST({place} AS BIGINT) AS list, l.number FROM ({numbers}) l"))
        .collect();
    // Whether to walk the newest or to look terms up depends on how common the terms are.
    let rows: Vec<(i64, i64)> = conn.all_planned_anew(arms.join(" UNION ALL "), args).await?;
    for (list, number) in rows {
        let list = usize::try_from(list).ok().and_then(|list| lists.get_mut(list));
        list.into_iter().for_each(|list| list.push(number));
    }
    lists
        .iter_mut()
        .for_each(|list| list.sort_unstable_by(|one, other| other.cmp(one)));
    Ok(lists)
}

/// The newest messages that the index has for the expression that is the last argument.
fn matched(reach: &Reach, postgres: bool, walk: bool, args: &mut Vec<Value>) -> String {
    let expression = args.len();
    let (number, matches) = if postgres {
        ("id", format!("terms @@ CAST(${expression} AS TSQUERY)"))
    } else {
        ("rowid", format!("message_search MATCH ${expression}"))
    };
    let found = format!("SELECT {number} AS number FROM message_search WHERE {matches} AND {number} <= $1");
    if reach.from.is_none() && reach.to.is_none() {
        return format!("{found} {} LIMIT $2", newest_first(number, walk));
    }
    format!(
        "SELECT f.number FROM ({found}) f CROSS JOIN messages m WHERE m.search_id = f.number {}
         {} LIMIT $2",
        reach.times(args),
        newest_first("f.number", walk)
    )
}

/// The newest messages that were stored between two moments: ids tell when they were made.
fn stored(from: Timestamp, to: Timestamp, reach: &Reach, args: &mut Vec<Value>) -> String {
    let within = within("m.channel_id", &reach.places, args);
    let times = reach.times(args);
    args.extend([MessageId::first_at(from).into(), MessageId::first_at(to).into()]);
    let last = args.len();
    format!(
        "SELECT m.search_id AS number FROM messages m
         WHERE {within} AND m.id >= ${} AND m.id < ${last} AND m.search_id <= $1 {times} ORDER BY m.id DESC LIMIT $2",
        last - 1
    )
}

/// A message that a query finds, with what decides about its rank.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Candidate {
    /// Its number in the index.
    pub number: i64,
    /// The message.
    pub id: MessageId,
    /// Its conversation.
    pub context_id: ContextId,
    /// When it was said.
    pub said_at: Timestamp,
    /// Its beginning.
    pub head: String,
    /// How long it is in all, in characters.
    pub length: i64,
}

impl Candidate {
    /// Not all of it decides about its rank.
    pub fn is_cut(&self) -> bool {
        self.length > i64::from(HEAD)
    }
}

/// The messages of these numbers that may be found, in no order.
pub async fn candidates(conn: &mut Conn, numbers: &[i64], reach: &Reach) -> Result<Vec<Candidate>, StoreError> {
    if numbers.is_empty() || reach.places.is_empty() {
        return Ok(Vec::new());
    }
    let postgres = conn.is_postgres();
    let mut args = args![sql_list(numbers, postgres), HEAD];
    let source = if postgres {
        "unnest(CAST(string_to_array($1, ',') AS BIGINT[])) AS j(value)"
    } else {
        "json_each($1) AS j"
    };
    let sql = format!(
        "SELECT m.search_id AS number, m.id, m.context_id, {SAID} AS said_at,
                SUBSTR(m.content, 1, CAST($2 AS INTEGER)) AS head, CAST(LENGTH(m.content) AS BIGINT) AS length
         FROM {source} CROSS JOIN messages m WHERE m.search_id = j.value AND {}",
        reach.rule(&mut args)
    );
    conn.fetch_all(sql, args).await
}

/// A list as an argument: of numbers or ids, which need no quotes on PostgreSQL.
fn sql_list<T: std::fmt::Display>(items: &[T], postgres: bool) -> String {
    let quote = if postgres { "" } else { "\"" };
    let items: Vec<_> = items.iter().map(|item| format!("{quote}{item}{quote}")).collect();
    let list = items.join(",");
    if postgres { list } else { format!("[{list}]") }
}

/// A message next to another one.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Beside {
    /// The other.
    pub of_id: MessageId,
    /// The message.
    pub id: MessageId,
    /// Its number in the index; 0: it is not in it yet.
    pub number: i64,
    /// Its conversation.
    pub context_id: ContextId,
    /// Its direction.
    pub direction: Direction,
    /// When it was said.
    pub said_at: Timestamp,
    /// Its beginning.
    pub head: String,
}

/// The messages up to `distance` before and behind each of these, in its conversation, as far as they may be found; in
/// no order.
pub async fn neighbours(
    conn: &mut Conn,
    ids: &[MessageId],
    distance: u32,
    reach: &Reach,
) -> Result<Vec<Beside>, StoreError> {
    if ids.is_empty() || distance == 0 || reach.places.is_empty() {
        return Ok(Vec::new());
    }
    let postgres = conn.is_postgres();
    let mut args = args![sql_list(ids, postgres), HEAD, i64::from(distance) - 1, reach.through];
    let source = if postgres {
        "unnest(string_to_array($1, ',')) AS j(value)"
    } else {
        "json_each($1) AS j"
    };
    // For an equal conversation PostgreSQL may walk through all messages there are by their ids; for a range of them
    // SQLite walks through all of the conversation.
    let of_context = if postgres {
        "n.context_id >= h.context_id AND n.context_id <= h.context_id"
    } else {
        "n.context_id = h.context_id"
    };
    let end = |sign: &str, order: &str| {
        format!(
            "(SELECT n.id FROM messages n WHERE {of_context} AND n.deleted_at IS NULL AND n.id {sign} h.id
              ORDER BY n.context_id {order}, n.id {order} LIMIT 1 OFFSET $3)"
        )
    };
    let sql = format!(
        "SELECT h.id AS of_id, m.id, COALESCE(m.search_id, 0) AS number, m.context_id, m.direction, {SAID} AS said_at,
                SUBSTR(m.content, 1, CAST($2 AS INTEGER)) AS head
         FROM {source} CROSS JOIN messages h CROSS JOIN messages m
         WHERE h.id = j.value AND m.context_id = h.context_id AND m.id <> h.id
         AND m.id >= COALESCE({}, '') AND m.id <= COALESCE({}, 'z')
         AND (m.search_id IS NULL OR m.search_id <= $4) AND {}",
        end("<", "DESC"),
        end(">", "ASC"),
        reach.rule(&mut args)
    );
    conn.fetch_all(sql, args).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_are_looked_up_and_common_ones_are_walked_to() {
        // Of a sample of a place, which lies among so many of the newest.
        for (span, all, first_walked) in [
            (100, 1000, None),
            (100, 100_000, Some(13)),
            (100, 2_000_000, Some(3)),
            // In a place of a hundredth, all that was said is named sooner than walked to.
            (10_000, 1_000_000, None),
            (1000, 1_000_000, Some(40)),
        ] {
            let found = (0..=i64::from(SAMPLE)).find(|matching| is_worth_a_walk(*matching, span, all, 800));
            assert_eq!(found, first_walked, "{span} of {all}");
        }
    }

    #[test]
    fn what_is_sought_is_written_as_each_engine_takes_it() {
        let form = |terms: &[&str], is_open| Form {
            terms: terms.iter().map(|term| (*term).to_owned()).collect(),
            is_open,
        };
        let sought = [
            vec![form(&["cat"], false), form(&["example", "com"], true)],
            vec![form(&["red", "car"], false)],
        ];
        let channels = [ChannelId::new(), ChannelId::new()];
        let channels = channels.map(clifford_core::search::terms::place);
        let [one, two] = &channels;
        assert_eq!(
            expression(&sought, &channels, false),
            format!("(\"{one}\" OR \"{two}\") AND (\"cat\" OR \"example com\" *) AND (\"red car\")")
        );
        assert_eq!(
            expression(&sought, &channels, true),
            format!("('{one}' | '{two}') & ('cat' | 'example' <-> 'com':*) & ('red' <-> 'car')")
        );
        assert_eq!(expression(&[], &channels[..1], false), format!("(\"{one}\")"));
    }
}
