//! The data of one person, a page of rows at a time. Nothing of anybody else: of shared places only what they said
//! there, and the answers that are theirs alone.

mod rows;

use clifford_core::{id::UserId, row::FromRow, value::args};
use serde::Serialize;

pub use self::rows::*;
use crate::{Conn, StoreError};

/// The most rows of one page.
pub const PAGE: u32 = 200;

/// An exported row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Record {
    User(User),
    Identity(Identity),
    Setting(Setting),
    /// A change of a setting that they made in a chat.
    SettingChange(SettingChange),
    MemoryItem(Box<MemoryItem>),
    Channel(Channel),
    Context(Context),
    Message(Box<Message>),
    Run(Box<Run>),
    Usage(Usage),
    Reminder(Reminder),
    File(File),
    DocumentPiece(DocumentPiece),
    ApiToken(ApiToken),
    Session(Session),
    Passkey(Passkey),
    OwnKey(OwnKey),
    Feedback(Feedback),
    PolicyRule(PolicyRule),
    Job(Job),
}

/// A kind of record, in the order of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    User,
    Identity,
    Setting,
    SettingChange,
    MemoryItem,
    Channel,
    Context,
    Message,
    SharedMessage,
    Answer,
    Run,
    Usage,
    Reminder,
    File,
    DocumentPiece,
    ApiToken,
    Session,
    Passkey,
    OwnKey,
    Feedback,
    PolicyRule,
    Job,
}

const MESSAGE: &str =
    "id, direction, channel_id, context_id, run_id, content, quote, attachments, platform_message_id, status,
     sent_at, edited_at, deleted_at";
const REMINDER: &str = "id, kind, run_id, channel_id, content, cron, time_zone, next_at, last_fired_at";
const THEIR_TRIGGERS: &str = "(user_id = $1 OR run_id IN (SELECT id FROM runs WHERE user_id = $1))";
const PRIVATE_CHANNEL: &str = "(channel_id IN (SELECT id FROM channels WHERE user_id = $1))";
/// Nobody else wrote for the run of this row (`x`).
const THEIRS_ALONE: &str = "NOT EXISTS (SELECT 1 FROM messages other WHERE other.run_id = x.run_id
     AND other.direction = 'inbound' AND (other.user_id IS NULL OR other.user_id <> $1))";

impl Kind {
    /// Every kind, in the order of an export.
    pub const ALL: [Self; 22] = [
        Self::User,
        Self::Identity,
        Self::Setting,
        Self::SettingChange,
        Self::MemoryItem,
        Self::Channel,
        Self::Context,
        Self::Message,
        Self::SharedMessage,
        Self::Answer,
        Self::Run,
        Self::Usage,
        Self::Reminder,
        Self::File,
        Self::DocumentPiece,
        Self::ApiToken,
        Self::Session,
        Self::Passkey,
        Self::OwnKey,
        Self::Feedback,
        Self::PolicyRule,
        Self::Job,
    ];

    /// The sort key of its rows, and the condition for those of person `$1`. Those of a private channel are by channel
    /// (`$1`), answers by runs (behind `$3`, up to `$4`): no page repeats rows of an earlier one.
    fn query(self) -> (&'static str, String) {
        let of =
            |columns: &str, table: &str, condition: &str| format!("SELECT {columns} FROM {table} x WHERE {condition}");
        match self {
            Self::User => (
                "id",
                of(
                    "id, name, role, language, language_set, time_zone, created_at",
                    "users",
                    "id = $1",
                ),
            ),
            Self::Identity => (
                "platform || ':' || platform_user_id",
                of(
                    "platform, platform_user_id, name, handle, created_at",
                    "identities",
                    "user_id = $1",
                ),
            ),
            Self::Setting => (
                "scope || ':' || name",
                of(
                    "scope, name, value, updated_at",
                    "settings",
                    "(scope = $1 OR scope IN (SELECT id FROM channels WHERE user_id = $1)) AND name <> 'erase_code'",
                ),
            ),
            Self::SettingChange => (
                "id",
                of(
                    "id, scope, name, old_value, new_value, changed_at, undone_at",
                    "setting_changes",
                    "user_id = $1",
                ),
            ),
            Self::MemoryItem => (
                "id",
                of(
                    "id, module, key, value, level, confidence, context_id, origin_space, shareable, pinned, archived,
                     created_at, last_seen_at",
                    "memory_items",
                    "user_id = $1",
                ),
            ),
            Self::Channel => (
                "id",
                of(
                    "id, platform, external_id, name, enabled, last_message_at, created_at",
                    "channels",
                    "user_id = $1",
                ),
            ),
            Self::Context => (
                "id",
                of(
                    "id, channel_id, name, summary, turn_count, closed_at, created_at",
                    "contexts",
                    &format!("(user_id = $1 OR {PRIVATE_CHANNEL})"),
                ),
            ),
            Self::Message => ("id", of(MESSAGE, "messages", "channel_id = $1")),
            Self::SharedMessage => (
                "id",
                of(
                    MESSAGE,
                    "messages",
                    &format!("user_id = $1 AND direction = 'inbound' AND NOT {PRIVATE_CHANNEL}"),
                ),
            ),
            Self::Answer => (
                "id",
                of(
                    MESSAGE,
                    "messages",
                    &format!(
                        "run_id IN (SELECT id FROM runs WHERE user_id = $1 AND id > $3 AND id <= $4)
                         AND user_id = $1 AND direction = 'outbound' AND NOT {PRIVATE_CHANNEL}
                         AND EXISTS (SELECT 1 FROM messages own WHERE own.run_id = x.run_id
                                     AND own.direction = 'inbound' AND own.user_id = $1)
                         AND {THEIRS_ALONE}"
                    ),
                ),
            ),
            Self::Run => ("id", format!("{RUNS} WHERE user_id = $1")),
            Self::Usage => (
                "id",
                of(
                    "id, run_id, role, provider, model, prompt_tokens, completion_tokens, cached_tokens, cost, created_at",
                    "usage",
                    "user_id = $1",
                ),
            ),
            Self::Reminder => ("id", of(REMINDER, "triggers", THEIR_TRIGGERS)),
            Self::File => (
                "id",
                of(
                    "id, message_id, name, media_type, size, created_at",
                    "files",
                    "user_id = $1",
                ),
            ),
            Self::DocumentPiece => (
                "CAST(x.id AS TEXT)",
                of(
                    "document_id, title, seq, content",
                    "(SELECT c.id, c.document_id, c.seq, c.content, d.title, d.user_id, d.made_by
                      FROM document_chunks c JOIN documents d ON d.id = c.document_id)",
                    "(user_id = $1 OR made_by = $1)",
                ),
            ),
            Self::ApiToken => (
                "id",
                of("id, name, scopes, created_at, revoked_at", "api_tokens", "user_id = $1"),
            ),
            Self::Session => (
                "id",
                of(
                    "id, user_agent, created_at, seen_at, expires_at",
                    "sessions",
                    "user_id = $1",
                ),
            ),
            Self::Passkey => (
                "id",
                of("id, name, rp_id, created_at, used_at", "passkeys", "user_id = $1"),
            ),
            Self::OwnKey => ("provider", of("provider, created_at", "user_secrets", "user_id = $1")),
            Self::Feedback => (
                "run_id",
                of("run_id, verdict, given_by, given_at", "run_feedback", "user_id = $1"),
            ),
            Self::PolicyRule => (
                "id",
                of(
                    "id, rule, space_id, context_id, created_at, updated_at",
                    "policies",
                    &format!(
                        "(user_id = $1 OR context_id IN (SELECT id FROM contexts WHERE user_id = $1 OR {PRIVATE_CHANNEL}))"
                    ),
                ),
            ),
            Self::Job => (
                "id",
                of(
                    "id, kind, mode, context_id, status, result, created_at",
                    "jobs",
                    &format!(
                        "(user_id = $1 OR context_id IN (SELECT id FROM contexts WHERE user_id = $1 OR {PRIVATE_CHANNEL}))"
                    ),
                ),
            ),
        }
    }
}

/// In a shared place a run's texts are the person's own if it was asked nothing but one message of theirs.
const RUNS: &str = "SELECT id, kind, channel_id, context_id, parent_run_id,
     CASE WHEN is_own THEN input_text END AS input_text, CASE WHEN is_own THEN input_json END AS input_json,
     CASE WHEN is_own THEN output_text END AS output_text,
     status, CASE WHEN is_own THEN error END AS error, prompt_tokens, completion_tokens, cost, created_at, ended_at
     FROM (SELECT r.*, (r.channel_id IS NULL OR EXISTS (
               SELECT 1 FROM channels c WHERE c.id = r.channel_id AND c.user_id = r.user_id)
           OR EXISTS (SELECT 1 FROM messages own WHERE own.run_id = r.id AND own.direction = 'inbound'
                      AND own.user_id = r.user_id AND own.content = r.input_text)) AS is_own FROM runs r) x";

/// Where the next page of an export begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    kind: usize,
    /// Of a kind that is read by windows: which one, behind the first and up to the second.
    from: String,
    to: Option<String>,
    after: String,
}

impl Cursor {
    /// The beginning.
    pub const fn start() -> Self {
        Self::of(0)
    }
    const fn of(kind: usize) -> Self {
        Self {
            kind,
            from: String::new(),
            to: None,
            after: String::new(),
        }
    }
}

/// The next page of a person's records; the cursor moves on. Empty: there are no more.
pub async fn page(conn: &mut Conn, person: UserId, cursor: &mut Cursor) -> Result<Vec<Record>, StoreError> {
    while let Some(kind) = Kind::ALL.get(cursor.kind) {
        let records = match kind {
            Kind::User => of(conn, *kind, person, cursor, Record::User).await?,
            Kind::Identity => of(conn, *kind, person, cursor, Record::Identity).await?,
            Kind::Setting => of(conn, *kind, person, cursor, Record::Setting).await?,
            Kind::SettingChange => of(conn, *kind, person, cursor, Record::SettingChange).await?,
            Kind::MemoryItem => of(conn, *kind, person, cursor, |row| Record::MemoryItem(Box::new(row))).await?,
            Kind::Channel => of(conn, *kind, person, cursor, Record::Channel).await?,
            Kind::Context => of(conn, *kind, person, cursor, Record::Context).await?,
            Kind::Message | Kind::Answer => {
                of(conn, *kind, person, cursor, |row| Record::Message(Box::new(row))).await?
            }
            Kind::SharedMessage => {
                of(conn, *kind, person, cursor, |row: Message| {
                    Record::Message(Box::new(row.in_shared_place()))
                })
                .await?
            }
            Kind::Run => of(conn, *kind, person, cursor, |row| Record::Run(Box::new(row))).await?,
            Kind::Usage => of(conn, *kind, person, cursor, Record::Usage).await?,
            Kind::Reminder => of(conn, *kind, person, cursor, Record::Reminder).await?,
            Kind::File => of(conn, *kind, person, cursor, Record::File).await?,
            Kind::DocumentPiece => of(conn, *kind, person, cursor, Record::DocumentPiece).await?,
            Kind::ApiToken => of(conn, *kind, person, cursor, Record::ApiToken).await?,
            Kind::Session => of(conn, *kind, person, cursor, Record::Session).await?,
            Kind::Passkey => of(conn, *kind, person, cursor, Record::Passkey).await?,
            Kind::OwnKey => of(conn, *kind, person, cursor, Record::OwnKey).await?,
            Kind::Feedback => of(conn, *kind, person, cursor, Record::Feedback).await?,
            Kind::PolicyRule => of(conn, *kind, person, cursor, Record::PolicyRule).await?,
            Kind::Job => of(conn, *kind, person, cursor, Record::Job).await?,
        };
        if !records.is_empty() {
            return Ok(records);
        }
        *cursor = Cursor::of(cursor.kind + 1);
    }
    Ok(Vec::new())
}

/// A row with what it is sorted by.
#[derive(FromRow)]
struct Keyed<T> {
    sort_key: String,
    #[row(flatten)]
    row: T,
}

async fn of<T>(
    conn: &mut Conn,
    kind: Kind,
    person: UserId,
    cursor: &mut Cursor,
    record: fn(T) -> Record,
) -> Result<Vec<Record>, StoreError>
where
    T: FromRow,
{
    loop {
        let window = match window(kind) {
            Some(_) if cursor.to.is_some() => cursor.to.clone(),
            Some(next) => {
                let (to,): (Option<String>,) = conn.fetch_one(next, args![person, &cursor.from]).await?;
                if to.is_none() {
                    return Ok(Vec::new());
                }
                cursor.to.clone_from(&to);
                to
            }
            None => None,
        };
        let args = match (kind, &window) {
            (Kind::Message, Some(channel)) => args![channel, &cursor.after],
            (_, Some(to)) => args![person, &cursor.after, &cursor.from, to],
            (_, None) => args![person, &cursor.after],
        };
        let rows: Vec<Keyed<T>> = conn.fetch_all(statement(kind), args).await?;
        if let Some(last) = rows.last() {
            cursor.after.clone_from(&last.sort_key);
        } else if let Some(to) = window {
            *cursor = Cursor {
                from: to,
                ..Cursor::of(cursor.kind)
            };
            continue;
        }
        return Ok(rows.into_iter().map(|row| record(row.row)).collect());
    }
}

/// Where the next window of a kind ends, of person `$1` behind `$2`: a channel, or as many runs as a page has rows.
fn window(kind: Kind) -> Option<String> {
    match kind {
        Kind::Message => Some("SELECT MIN(id) FROM channels WHERE user_id = $1 AND id > $2".to_owned()),
        Kind::Answer => Some(format!(
            "SELECT MAX(id) FROM (SELECT id FROM runs WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT {PAGE}) behind"
        )),
        _ => None,
    }
}

fn statement(kind: Kind) -> String {
    let (key, query) = kind.query();
    let columns = format!("SELECT {key} AS sort_key, ");
    let query = query.replacen("SELECT ", &columns, 1);
    format!("{query} AND {key} > $2 ORDER BY {key} LIMIT {PAGE}")
}
