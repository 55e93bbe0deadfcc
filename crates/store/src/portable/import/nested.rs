//! Writes records that hold what hangs on them.

use clifford_core::value::args;

use crate::{
    StoreError, Tx,
    documents::{self, NewChunk},
    portable::{Agent, Document, Person, Record},
};

/// Stores a record that is no row, unless it is here. `false`: it is.
pub(super) async fn insert(tx: &mut Tx, record: Record) -> Result<bool, StoreError> {
    match record {
        Record::Person(person) => insert_person(tx, &person).await,
        Record::Agent(agent) => insert_agent(tx, &agent).await,
        Record::Document(document) => insert_document(tx, *document).await,
        row => Err(StoreError::Corrupt(format!("{} are rows", row.kind().plural()))),
    }
}

/// Stores a person with their accounts, unless they are here. `false`: they are.
async fn insert_person(tx: &mut Tx, person: &Person) -> Result<bool, StoreError> {
    let role = if person.is_allowed { "member" } else { "stranger" };
    let is_new = tx
        .execute(
            "INSERT INTO users (id, name, role, language, time_zone, created_at, updated_at, language_set)
             VALUES ($1, $2, $3, $4, $5, $6, $6, $7) ON CONFLICT (id) DO NOTHING",
            args![
                person.id,
                &person.name,
                role,
                person.language.clone(),
                person.time_zone.clone(),
                person.created_at,
                person.language_set
            ],
        )
        .await?;
    if is_new == 0 {
        return Ok(false);
    }
    for account in &person.accounts {
        let is_new = tx
            .execute(
                "INSERT INTO identities (platform, platform_user_id, user_id, name, handle, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (platform, platform_user_id) DO NOTHING",
                args![
                    &account.platform,
                    &account.account,
                    person.id,
                    &account.name,
                    account.handle.clone(),
                    account.created_at
                ],
            )
            .await?;
        if is_new == 0 {
            return Err(came_up("an account"));
        }
    }
    Ok(true)
}

/// Somebody came up while an import ran that takes them for new.
fn came_up(what: &str) -> StoreError {
    StoreError::WrongState(format!("{what} of the import came up here meanwhile: begin again"))
}

/// Stores a document that is not here, with its pieces, where it is found.
async fn insert_document(tx: &mut Tx, document: Document) -> Result<bool, StoreError> {
    if tx
        .exists(
            "SELECT CAST(1 AS BIGINT) FROM documents WHERE id = $1",
            args![document.id],
        )
        .await?
    {
        return Ok(false);
    }
    let row = documents::Document {
        id: document.id,
        user_id: document.user_id,
        made_by: document.made_by,
        channel_id: document.channel_id,
        file_id: document.file_id,
        title: document.title,
        created_at: document.created_at,
    };
    let pieces: Vec<_> = (document.pieces.into_iter())
        .map(|content| NewChunk {
            content,
            embedding: None,
        })
        .collect();
    documents::insert(tx, &row, &format!("import:{}", row.id), &pieces).await
}

/// Stores an agent with the versions of its prompt. It becomes the default one by the configuration alone.
async fn insert_agent(tx: &mut Tx, agent: &Agent) -> Result<bool, StoreError> {
    let is_new = tx
        .execute(
            "INSERT INTO agents (id, name, prompt, mode, enabled, is_default, source, created_at, updated_at, deleted_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9) ON CONFLICT (id) DO NOTHING",
            args![
                agent.id,
                &agent.name,
                &agent.prompt,
                agent.mode,
                agent.enabled,
                false,
                agent.source,
                agent.created_at,
                agent.deleted_at
            ],
        )
        .await?;
    if is_new == 0 {
        return Ok(false);
    }
    for prompt in &agent.prompts {
        tx.execute(
            "INSERT INTO agent_prompts (agent_id, version, prompt, source, restores, created_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (agent_id, version) DO NOTHING",
            args![
                agent.id,
                prompt.version,
                &prompt.prompt,
                prompt.source,
                prompt.restores,
                prompt.created_at
            ],
        )
        .await?;
    }
    Ok(true)
}
