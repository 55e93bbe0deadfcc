//! Records that hold what hangs on them: people, agents and documents.

use std::collections::HashMap;

use clifford_core::{
    clock::Timestamp,
    id::{AgentId, ChannelId, DocumentId, FileId, UserId},
    places::{AgentSource, Mode},
    row::FromRow,
    value::args,
};

use super::{
    PAGE, Scope, arguments,
    conditions::{belongs, condition},
};
use crate::{
    Conn, StoreError,
    portable::{Agent, AgentPrompt, Document, Kind, Person, PersonAccount, Record, known::within_texts},
};

#[derive(FromRow)]
struct PersonRow {
    id: UserId,
    name: String,
    is_allowed: bool,
    language: Option<String>,
    language_set: bool,
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

pub(super) async fn people(conn: &mut Conn, scope: Scope, after: &str) -> Result<Vec<(String, Record)>, StoreError> {
    let condition = condition(scope, Kind::Person);
    let sql = format!(
        "SELECT id, name, role <> 'stranger' AS is_allowed, language, language_set, time_zone, created_at
         FROM users x
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
            language_set: row.language_set,
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
    file_id: Option<FileId>,
    title: String,
    created_at: Timestamp,
}

/// Documents one at a time: each is read whole.
pub(super) async fn documents(conn: &mut Conn, scope: Scope, after: &str) -> Result<Vec<(String, Record)>, StoreError> {
    let condition = condition(scope, Kind::Document);
    let file = belongs(scope, "f");
    let sql = format!(
        "SELECT id, user_id, channel_id, (SELECT u.id FROM users u WHERE u.id = x.made_by) AS made_by,
             (SELECT f.id FROM files f WHERE f.id = x.file_id AND {file}) AS file_id, title, created_at
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
        file_id: row.file_id,
        title: row.title,
        created_at: row.created_at,
        pieces: pieces.into_iter().map(|piece| piece.0).collect(),
    };
    Ok(vec![(row.id.to_string(), Record::Document(Box::new(record)))])
}

#[derive(FromRow)]
struct AgentRow {
    id: AgentId,
    name: String,
    prompt: String,
    mode: Mode,
    enabled: bool,
    source: AgentSource,
    created_at: Timestamp,
    deleted_at: Option<Timestamp>,
}

/// Agents one at a time, with all versions of their prompts.
pub(super) async fn agents(conn: &mut Conn, scope: Scope, after: &str) -> Result<Vec<(String, Record)>, StoreError> {
    let condition = condition(scope, Kind::Agent);
    let sql = format!(
        "SELECT id, name, prompt, mode, enabled, source, created_at, deleted_at
         FROM agents x WHERE $1 = $1 AND {condition} AND x.id > $2 ORDER BY x.id LIMIT 1"
    );
    let Some(row) = conn.fetch_optional::<AgentRow>(sql, arguments(scope, after)).await? else {
        return Ok(Vec::new());
    };
    let sql =
        "SELECT version, prompt, source, restores, created_at FROM agent_prompts WHERE agent_id = $1 ORDER BY version";
    let prompts: Vec<AgentPrompt> = conn.fetch_all(sql, args![row.id]).await?;
    let record = Agent {
        id: row.id,
        name: row.name,
        prompt: row.prompt,
        mode: row.mode,
        enabled: row.enabled,
        source: row.source,
        created_at: row.created_at,
        deleted_at: row.deleted_at,
        prompts,
    };
    Ok(vec![(row.id.to_string(), Record::Agent(Box::new(record)))])
}
