//! What is exported of everything, of a person or of a place, a page of rows at a time.
//!
//! Of a person: what is private to them, whole, and of shared places only what they said there. Of a place: what was said
//! in it and what is remembered from it, and nothing that anybody said in private.

use std::collections::HashMap;

use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, DocumentId, SpaceId, UserId},
    row::FromRow,
    value::{Value, args},
};

use super::known::within_texts;
use super::records::{
    Channel, Context, Document, File, Kind, MemoryItem, Message, Person, PersonAccount, Record, Reminder, Run, Setting,
    Space,
};
use crate::{Conn, StoreError};

/// The most rows of one page.
const PAGE: u32 = 500;

/// What is exported.
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
}

impl Cursor {
    /// Of which kind the next records are. `None`: it is at the end.
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
        let found = match kind {
            Kind::Person => people(conn, scope, &cursor.after).await?,
            Kind::Space => rows::<Space>(conn, scope, kind, cursor, |row| Record::Space(row.into())).await?,
            Kind::Channel => rows::<Channel>(conn, scope, kind, cursor, |row| Record::Channel(row.into())).await?,
            Kind::Context => rows::<Context>(conn, scope, kind, cursor, |row| Record::Context(row.into())).await?,
            Kind::Run => rows::<Run>(conn, scope, kind, cursor, |row| Record::Run(row.into())).await?,
            Kind::Message => rows::<Message>(conn, scope, kind, cursor, |row| Record::Message(row.into())).await?,
            Kind::MemoryItem => {
                rows::<MemoryItem>(conn, scope, kind, cursor, |row| Record::MemoryItem(row.into())).await?
            }
            Kind::Setting => rows::<Setting>(conn, scope, kind, cursor, Record::Setting).await?,
            Kind::Reminder => rows::<Reminder>(conn, scope, kind, cursor, |row| Record::Reminder(row.into())).await?,
            Kind::Document => documents(conn, scope, &cursor.after).await?,
            Kind::File => rows::<File>(conn, scope, kind, cursor, |row| Record::File(row.into())).await?,
        };
        match found.last() {
            Some((key, _)) => {
                cursor.after.clone_from(key);
                return Ok(found.into_iter().map(|(_, record)| record).collect());
            }
            None => {
                *cursor = Cursor {
                    kind: cursor.kind + 1,
                    after: String::new(),
                };
            }
        }
    }
    Ok(Vec::new())
}

#[derive(FromRow)]
struct Keyed<T> {
    sort_key: String,
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
    cursor: &Cursor,
    record: fn(T) -> Record,
) -> Result<Vec<(String, Record)>, StoreError> {
    let sql = statement(scope, kind);
    let found: Vec<Keyed<T>> = conn.fetch_all(sql, arguments(scope, &cursor.after)).await?;
    Ok(found.into_iter().map(|row| (row.sort_key, record(row.row))).collect())
}

fn statement(scope: Scope, kind: Kind) -> String {
    let key = match kind {
        Kind::Setting => "(x.scope || ':' || x.name)",
        _ => "x.id",
    };
    let columns = columns(scope, kind);
    let condition = condition(scope, kind);
    let table = kind.table();
    // The first comparison keeps the argument in use, whatever the scope.
    format!(
        "SELECT {key} AS sort_key, {columns} FROM {table} x
         WHERE $1 = $1 AND {condition} AND {key} > $2 ORDER BY {key} LIMIT {PAGE}"
    )
}

/// The channels of the person or place.
const fn own(scope: Scope) -> &'static str {
    match scope {
        Scope::Everything => "(SELECT id FROM channels)",
        Scope::Person(_) => "(SELECT id FROM channels WHERE user_id = $1)",
        Scope::Space(_) => "(SELECT id FROM channels WHERE space_id = $1)",
        Scope::Channel(_) => "(SELECT id FROM channels WHERE id = $1)",
    }
}

/// The condition for a message, by its table's name.
fn is_said(scope: Scope, of: &str) -> String {
    let within = match scope {
        Scope::Everything => "TRUE".to_owned(),
        Scope::Person(_) => format!(
            "({of}.channel_id IN {} OR ({of}.direction = 'inbound' AND {of}.user_id = $1))",
            own(scope)
        ),
        Scope::Space(_) | Scope::Channel(_) => format!("{of}.channel_id IN {}", own(scope)),
    };
    format!("{within} AND {of}.status NOT IN ('pending', 'sending') AND {of}.edits IS NULL")
}

/// The condition for a run, by its table's name: it has ended with all of its tree.
fn has_run(scope: Scope, of: &str) -> String {
    const ENDED: &str = "('completed', 'failed', 'cancelled')";
    let within = match scope {
        Scope::Everything => "TRUE".to_owned(),
        Scope::Person(_) => format!(
            "({of}.channel_id IS NULL OR {of}.channel_id IN {}) AND {of}.user_id = $1",
            own(scope)
        ),
        Scope::Space(_) | Scope::Channel(_) => format!("{of}.channel_id IN {}", own(scope)),
    };
    format!(
        "{within} AND {of}.status IN {ENDED} AND COALESCE({of}.profile, '') <> '{}'
         AND EXISTS (SELECT 1 FROM runs root WHERE root.id = {of}.root_run_id AND root.status IN {ENDED})",
        super::import::PROFILE
    )
}

/// The condition for an item, by its table's name.
fn is_remembered(scope: Scope, of: &str) -> String {
    match scope {
        Scope::Everything => "TRUE".to_owned(),
        Scope::Person(_) => format!("{of}.user_id = $1"),
        Scope::Space(_) => format!("{of}.origin_space = $1"),
        Scope::Channel(_) => format!(
            "{of}.origin_space IS NOT NULL AND {of}.context_id IN (SELECT id FROM contexts WHERE channel_id = $1)"
        ),
    }
}

/// The condition for what belongs to a person or a channel.
fn belongs(scope: Scope, of: &str) -> String {
    match scope {
        Scope::Everything => "TRUE".to_owned(),
        Scope::Person(_) => format!("{of}.user_id = $1"),
        Scope::Space(_) | Scope::Channel(_) => format!("{of}.channel_id IN {}", own(scope)),
    }
}

fn condition(scope: Scope, kind: Kind) -> String {
    let is_whole = scope == Scope::Everything;
    match kind {
        _ if is_whole && matches!(kind, Kind::Person | Kind::Space | Kind::Channel | Kind::Context) => "TRUE".to_owned(),
        Kind::Person => condition_of_people(scope),
        Kind::Space => match scope {
            Scope::Person(_) => format!(
                "(x.id IN (SELECT space_id FROM channels c WHERE {}) OR x.id IN (SELECT origin_space FROM memory_items WHERE user_id = $1)
                  OR x.id IN (SELECT space_id FROM files WHERE user_id = $1))",
                condition_of_channels("c")
            ),
            Scope::Channel(_) => "x.id IN (SELECT space_id FROM channels WHERE id = $1)".to_owned(),
            Scope::Space(_) | Scope::Everything => "x.id = $1".to_owned(),
        },
        Kind::Channel => match scope {
            Scope::Person(_) => condition_of_channels("x"),
            _ => format!("x.id IN {}", own(scope)),
        },
        Kind::Context => match scope {
            Scope::Person(_) => condition_of_contexts("x"),
            _ => format!("x.channel_id IN {}", own(scope)),
        },
        Kind::Run => has_run(scope, "x"),
        Kind::Message => is_said(scope, "x"),
        Kind::MemoryItem => is_remembered(scope, "x"),
        Kind::Setting => condition_of_settings(scope).to_owned(),
        Kind::Reminder => format!("x.kind = 'reminder' AND {}", belongs(scope, "x")),
        Kind::Document | Kind::File => belongs(scope, "x"),
    }
}

fn condition_of_people(scope: Scope) -> String {
    if let Scope::Person(_) = scope {
        return "x.id = $1".to_owned();
    }
    let own = own(scope);
    format!(
        "(x.id IN (SELECT user_id FROM messages WHERE channel_id IN {own})
          OR x.id IN (SELECT user_id FROM runs WHERE channel_id IN {own})
          OR x.id IN (SELECT user_id FROM files WHERE channel_id IN {own})
          OR x.id IN (SELECT user_id FROM triggers WHERE kind = 'reminder' AND channel_id IN {own})
          OR x.id IN (SELECT made_by FROM documents WHERE channel_id IN {own})
          OR x.id IN (SELECT user_id FROM memory_items i WHERE {}))",
        is_remembered(scope, "i")
    )
}

/// The conversations of a person, and those of shared places where they said something, or something is remembered from.
fn condition_of_contexts(of: &str) -> String {
    format!(
        "({of}.channel_id IN (SELECT id FROM channels WHERE user_id = $1)
          OR {of}.id IN (SELECT context_id FROM messages WHERE user_id = $1 AND direction = 'inbound')
          OR {of}.id IN (SELECT context_id FROM memory_items WHERE user_id = $1))"
    )
}

fn condition_of_channels(of: &str) -> String {
    format!(
        "({of}.user_id = $1
          OR {of}.id IN (SELECT channel_id FROM messages WHERE user_id = $1 AND direction = 'inbound')
          OR {of}.id IN (SELECT channel_id FROM contexts t WHERE {})
          OR {of}.id IN (SELECT channel_id FROM files WHERE user_id = $1)
          OR {of}.id IN (SELECT channel_id FROM documents WHERE user_id = $1)
          OR {of}.id IN (SELECT channel_id FROM triggers WHERE kind = 'reminder' AND user_id = $1))",
        condition_of_contexts("t")
    )
}

const fn condition_of_settings(scope: Scope) -> &'static str {
    match scope {
        Scope::Everything => {
            "x.name <> 'erase_code' AND (x.scope IN (SELECT id FROM users) OR x.scope IN (SELECT id FROM spaces)
             OR x.scope IN (SELECT id FROM channels))"
        }
        Scope::Person(_) => {
            "x.name <> 'erase_code' AND (x.scope = $1 OR x.scope IN (SELECT id FROM channels WHERE user_id = $1))"
        }
        Scope::Space(_) => "(x.scope = $1 OR x.scope IN (SELECT id FROM channels WHERE space_id = $1))",
        Scope::Channel(_) => "x.scope = $1",
    }
}

/// The condition that what is said in one channel may be shown in the other: it is the same, or both are one person's.
/// Questions about a run in a group, for one, are asked in the private chat of whoever decides.
fn same_people(one: &str, other: &str) -> String {
    format!(
        "({one} IS NULL OR {one} = {other} OR EXISTS (
             SELECT 1 FROM channels a JOIN channels b ON b.user_id = a.user_id WHERE a.id = {one} AND b.id = {other}))"
    )
}

/// The columns, each as this scope may tell it.
fn columns(scope: Scope, kind: Kind) -> String {
    let own = own(scope);
    let is_person = matches!(scope, Scope::Person(_));
    let names = match kind {
        Kind::Space => Space::COLUMNS,
        Kind::Channel => Channel::COLUMNS,
        Kind::Context => Context::COLUMNS,
        Kind::Run => Run::COLUMNS,
        Kind::Message => Message::COLUMNS,
        Kind::MemoryItem => MemoryItem::COLUMNS,
        Kind::Setting => Setting::COLUMNS,
        Kind::Reminder => Reminder::COLUMNS,
        Kind::File => File::COLUMNS,
        Kind::Person | Kind::Document => &[],
    };
    let conversation = |of: &str| {
        format!(
            "(SELECT o.id FROM contexts o WHERE o.id = x.{of} AND {})",
            condition(scope, Kind::Context).replace("x.", "o.")
        )
    };
    let told = |name: &&str| -> String {
        let told = match (kind, *name) {
            (Kind::Message, "run_id") => format!(
                "(SELECT r.id FROM runs r WHERE r.id = x.run_id AND {} AND {})",
                has_run(scope, "r"),
                same_people("r.channel_id", "x.channel_id")
            ),
            (Kind::Message, "status") => "CASE WHEN x.status = 'queued' THEN 'history' ELSE x.status END".to_owned(),
            (Kind::Message, "quote") if is_person => format!("CASE WHEN x.channel_id IN {own} THEN x.quote END"),
            (Kind::Message, "user_id") if is_person => "CASE WHEN x.user_id = $1 THEN x.user_id END".to_owned(),
            (Kind::Message | Kind::Run, "context_id") => format!(
                "(SELECT o.id FROM contexts o WHERE o.id = x.context_id AND {} AND {})",
                condition(scope, Kind::Context).replace("x.", "o."),
                same_people("o.channel_id", "x.channel_id")
            ),
            // A conversation is of those who read its channel.
            (Kind::Context, "user_id" | "space_id") => {
                format!("(SELECT c.{name} FROM channels c WHERE c.id = x.channel_id)")
            }
            // Others' words stand in them.
            (Kind::Context, "name" | "summary" | "summary_of" | "compacted_through") if is_person => {
                format!("CASE WHEN x.channel_id IN {own} THEN x.{name} END")
            }
            (Kind::Channel, "active_context_id") => format!(
                "(SELECT o.id FROM contexts o WHERE o.id = x.active_context_id AND {} AND {})",
                condition(scope, Kind::Context).replace("x.", "o."),
                same_people("o.channel_id", "x.id")
            ),
            (Kind::Channel, "user_id") if is_person => "CASE WHEN x.user_id = $1 THEN x.user_id END".to_owned(),
            (Kind::Run, "parent_run_id") => format!(
                "(SELECT p.id FROM runs p WHERE p.id = x.parent_run_id AND {})",
                has_run(scope, "p")
            ),
            (Kind::MemoryItem, "context_id") => conversation(name),
            (Kind::File, "message_id") => format!(
                "(SELECT m.id FROM messages m WHERE m.id = x.message_id AND m.channel_id = x.channel_id AND {})",
                is_said(scope, "m")
            ),
            _ => format!("x.{name}"),
        };
        format!("{told} AS {name}")
    };
    names.iter().map(told).collect::<Vec<_>>().join(", ")
}

#[derive(FromRow)]
struct PersonRow {
    id: UserId,
    name: String,
    is_allowed: bool,
    language: Option<String>,
    time_zone: Option<String>,
    created_at: Timestamp,
}

#[derive(FromRow)]
struct AccountRow {
    user_id: UserId,
    platform: String,
    account: String,
    name: String,
    handle: Option<String>,
    created_at: Timestamp,
}

async fn people(conn: &mut Conn, scope: Scope, after: &str) -> Result<Vec<(String, Record)>, StoreError> {
    let condition = condition(scope, Kind::Person);
    let sql = format!(
        "SELECT id, name, role <> 'stranger' AS is_allowed, language, time_zone, created_at FROM users x
         WHERE $1 = $1 AND {condition} AND x.id > $2 ORDER BY x.id LIMIT {PAGE}"
    );
    let found: Vec<PersonRow> = conn.fetch_all(sql, arguments(scope, after)).await?;
    let mut accounts: HashMap<UserId, Vec<PersonAccount>> = HashMap::new();
    if !found.is_empty() {
        let mut args = Vec::new();
        let ids = within_texts("user_id", found.iter().map(|person| person.id.to_string()), &mut args);
        let sql = format!(
            "SELECT user_id, platform, platform_user_id AS account, name, handle, created_at FROM identities
             WHERE {ids} ORDER BY platform, platform_user_id"
        );
        for row in conn.fetch_all::<AccountRow>(sql, args).await? {
            accounts.entry(row.user_id).or_default().push(PersonAccount {
                platform: row.platform,
                account: row.account,
                name: row.name,
                handle: row.handle,
                created_at: row.created_at,
            });
        }
    }
    let person = |row: PersonRow| {
        let record = Person {
            id: row.id,
            name: row.name,
            is_allowed: row.is_allowed,
            language: row.language,
            time_zone: row.time_zone,
            created_at: row.created_at,
            accounts: accounts.remove(&row.id).unwrap_or_default(),
        };
        (row.id.to_string(), Record::Person(Box::new(record)))
    };
    Ok(found.into_iter().map(person).collect())
}

#[derive(FromRow)]
struct DocumentRow {
    id: DocumentId,
    user_id: Option<UserId>,
    channel_id: Option<ChannelId>,
    made_by: Option<UserId>,
    title: String,
    created_at: Timestamp,
}

/// Documents one at a time: each is read whole.
async fn documents(conn: &mut Conn, scope: Scope, after: &str) -> Result<Vec<(String, Record)>, StoreError> {
    let condition = condition(scope, Kind::Document);
    let sql = format!(
        "SELECT id, user_id, channel_id, (SELECT u.id FROM users u WHERE u.id = x.made_by) AS made_by, title, created_at
         FROM documents x WHERE $1 = $1 AND {condition} AND x.id > $2 ORDER BY x.id LIMIT 1"
    );
    let Some(row) = conn.fetch_optional::<DocumentRow>(sql, arguments(scope, after)).await? else {
        return Ok(Vec::new());
    };
    let sql = "SELECT content FROM document_chunks WHERE document_id = $1 ORDER BY seq";
    let pieces: Vec<(String,)> = conn.fetch_all(sql, args![row.id]).await?;
    let record = Document {
        id: row.id,
        user_id: row.user_id,
        channel_id: row.channel_id,
        made_by: row.made_by,
        title: row.title,
        created_at: row.created_at,
        pieces: pieces.into_iter().map(|piece| piece.0).collect(),
    };
    Ok(vec![(row.id.to_string(), Record::Document(Box::new(record)))])
}
