//! The export of everything, of a person or of a place, a page of rows at a time.
//!
//! Of a person: what is private to them, whole, and of shared places only what they said there. Of a place: what was said
//! in it and what is remembered from it, and nothing that anybody said in private.

mod columns;
mod conditions;
mod nested;

use clifford_core::{
    id::{ChannelId, SpaceId, UserId},
    row::FromRow,
    value::{Value, args},
};

use self::{columns::columns, conditions::condition};
use super::records::{Kind, Record};
use crate::{Conn, StoreError};

/// The most rows of one page.
const PAGE: u32 = 500;

/// The scope of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everything.
    Everything,
    /// A person.
    Person(UserId),
    /// A group or server with all of its channels.
    Space(SpaceId),
    /// A shared channel.
    Channel(ChannelId),
}

/// Where the next page begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    kind: usize,
    after: String,
    /// The number behind the id, for rows whose key has one.
    number: i64,
}

impl Cursor {
    /// The kind of the next records. `None`: the export is at its end.
    pub fn kind(&self) -> Option<Kind> {
        Kind::ALL.get(self.kind).copied()
    }
}

/// Begins a snapshot that does not change while it is read.
pub async fn begin(conn: &mut Conn) -> Result<(), StoreError> {
    let sql = if conn.is_postgres() {
        "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
    } else {
        "BEGIN"
    };
    conn.fetch_all::<(i64,)>(sql, vec![]).await.map(|_| ())
}

/// Ends it.
pub async fn end(conn: &mut Conn) -> Result<(), StoreError> {
    conn.fetch_all::<(i64,)>("COMMIT", vec![]).await.map(|_| ())
}

/// The next page; the cursor moves on. Empty: there are no more.
pub async fn page(conn: &mut Conn, scope: Scope, cursor: &mut Cursor) -> Result<Vec<Record>, StoreError> {
    while let Some(kind) = cursor.kind() {
        let found = records(conn, scope, kind, cursor).await?;
        if !found.is_empty() {
            return Ok(found);
        }
        *cursor = Cursor {
            kind: cursor.kind + 1,
            ..Cursor::default()
        };
    }
    Ok(Vec::new())
}

async fn records(conn: &mut Conn, scope: Scope, kind: Kind, cursor: &mut Cursor) -> Result<Vec<Record>, StoreError> {
    let found = match kind {
        Kind::Person => nested::people(conn, scope, &cursor.after).await?,
        Kind::Agent => nested::agents(conn, scope, &cursor.after).await?,
        Kind::Document => nested::documents(conn, scope, &cursor.after).await?,
        Kind::Space => return rows(conn, scope, kind, cursor, Record::Space).await,
        Kind::Channel => return rows(conn, scope, kind, cursor, Record::Channel).await,
        Kind::Context => return rows(conn, scope, kind, cursor, Record::Context).await,
        Kind::Run => return rows(conn, scope, kind, cursor, Record::Run).await,
        Kind::Step => return rows(conn, scope, kind, cursor, Record::Step).await,
        Kind::Message => return rows(conn, scope, kind, cursor, Record::Message).await,
        Kind::Part => return rows(conn, scope, kind, cursor, Record::Part).await,
        Kind::Usage => return rows(conn, scope, kind, cursor, Record::Usage).await,
        Kind::Feedback => return rows(conn, scope, kind, cursor, Record::Feedback).await,
        Kind::MemoryItem => return rows(conn, scope, kind, cursor, Record::MemoryItem).await,
        Kind::Setting => return rows(conn, scope, kind, cursor, |row| Record::Setting(*row)).await,
        Kind::SettingChange => return rows(conn, scope, kind, cursor, Record::SettingChange).await,
        Kind::Rule => return rows(conn, scope, kind, cursor, Record::Rule).await,
        Kind::Reminder => return rows(conn, scope, kind, cursor, Record::Reminder).await,
        Kind::File => return rows(conn, scope, kind, cursor, Record::File).await,
    };
    if let Some((key, _)) = found.last() {
        cursor.after.clone_from(key);
    }
    Ok(found.into_iter().map(|(_, record)| record).collect())
}

#[derive(FromRow)]
struct Keyed<T> {
    sort_key: String,
    sort_number: i64,
    #[row(flatten)]
    row: T,
}

/// `$1` is the person or place; of everything it is compared with nothing.
fn arguments(scope: Scope, after: &str) -> Vec<Value> {
    let of = match scope {
        Scope::Everything => String::new(),
        Scope::Person(id) => id.to_string(),
        Scope::Space(id) => id.to_string(),
        Scope::Channel(id) => id.to_string(),
    };
    args![of, after]
}

async fn rows<T: FromRow>(
    conn: &mut Conn,
    scope: Scope,
    kind: Kind,
    cursor: &mut Cursor,
    record: fn(Box<T>) -> Record,
) -> Result<Vec<Record>, StoreError> {
    let sql = statement(scope, kind);
    let mut arguments = arguments(scope, &cursor.after);
    arguments.push(cursor.number.into());
    let found: Vec<Keyed<T>> = conn.fetch_all(sql, arguments).await?;
    if let Some(last) = found.last() {
        cursor.after.clone_from(&last.sort_key);
        cursor.number = last.sort_number;
    }
    Ok(found.into_iter().map(|row| record(Box::new(row.row))).collect())
}

fn statement(scope: Scope, kind: Kind) -> String {
    let (key, number) = key(kind);
    let columns = columns(scope, kind);
    let condition = condition(scope, kind);
    let table = kind.table();
    let (number, after, order) = match number {
        Some(number) => (
            number,
            format!("({key}, {number}) > ($2, $3)"),
            format!("{key}, {number}"),
        ),
        None => ("CAST(0 AS BIGINT)", format!("{key} > $2 AND $3 = $3"), key.to_owned()),
    };
    // The comparisons of arguments with themselves keep these in use, whatever the scope.
    format!(
        "SELECT {key} AS sort_key, {number} AS sort_number, {columns} FROM {table} x
         WHERE $1 = $1 AND {condition} AND {after} ORDER BY {order} LIMIT {PAGE}"
    )
}

/// The sort key of a kind's rows: a text, and a number behind it.
const fn key(kind: Kind) -> (&'static str, Option<&'static str>) {
    match kind {
        Kind::Step => ("x.run_id", Some("x.seq")),
        Kind::Part => ("x.message_id", Some("x.seq")),
        Kind::Setting => ("(x.scope || ':' || x.name)", None),
        Kind::Feedback => ("(x.run_id || ':' || x.user_id)", None),
        // A thread comes behind its channel.
        Kind::Channel => ("((CASE WHEN x.parent_id IS NULL THEN 'a' ELSE 'b' END) || x.id)", None),
        _ => ("x.id", None),
    }
}
