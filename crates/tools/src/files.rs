//! `files`: files of people and of the bot, as far as the run's place may see them.

use std::sync::Arc;

use clifford_content::files::{self, FileError, NewFile, may_see};
use clifford_core::{
    clock::Timestamp,
    id::FileId,
    policy::{class::Class, sources},
    work::Kind,
};
use clifford_store::files::{self as stored, File};
use clifford_telemetry::{
    failpoint::{self as crash, Way},
    measures,
};
use clifford_worker::{PICTURES, WorkError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Command, Isolates, Tool, ToolContext, ToolError, kept};

/// How many files where nothing is asked for, and the most of them.
const LIMITS: (u32, u32) = (20, 50);
/// How many characters are read where nothing is asked for, and the most of them.
const CHARACTERS: (usize, usize) = (8_000, 40_000);

#[derive(Deserialize, JsonSchema)]
struct CreateArgs {
    /// With an ending, such as `report.md`.
    name: String,
    /// Its text.
    content: String,
}

#[derive(Deserialize, JsonSchema)]
struct ListArgs {
    /// How many, at most 50; left out: 20. The newest.
    limit: Option<u32>,
    /// Only those before this one, by its id.
    before: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct SearchArgs {
    /// A part of the name.
    query: String,
    /// How many, at most 50; left out: 20.
    limit: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct GetArgs {
    /// The file.
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct ReadArgs {
    /// The file, or what a mark names where something was left out.
    id: String,
    /// From which character on; left out: 0.
    offset: Option<usize>,
    /// How many characters, at most 40000; left out: 8000.
    limit: Option<usize>,
}

#[derive(Serialize)]
struct Listed {
    files: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    id: FileId,
    name: String,
    #[serde(rename = "type")]
    media_type: Option<String>,
    size: Option<i64>,
    created: Timestamp,
}

#[derive(Serialize)]
struct Read {
    name: String,
    text: String,
    offset: usize,
    /// How many characters it has in all.
    length: usize,
    /// Where the rest begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<usize>,
}

impl From<File> for Shown {
    fn from(file: File) -> Self {
        Self {
            id: file.id,
            name: file.name,
            media_type: file.media_type,
            size: file.size,
            created: file.created_at,
        }
    }
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Unavailable(why) => Self::Unavailable(why),
            error => Self::TellModel(error.to_string()),
        }
    }
}

pub(super) fn tool() -> Tool {
    Tool::new("files", "📎", "files sent and made")
        .about("Files that people sent and that were made; send one with file_ids of send_message or finish.")
        .command(
            Command::new("create", "{name, content}: new text file", Class::Write, create)
                .about("Makes a text file. Send it with file_ids of send_message or finish.")
                .example(json!({ "name": "list.md", "content": "- milk\n- bread" }))
                .idempotent(),
        )
        .command(Command::new("list", "newest", Class::Read, list))
        .command(Command::new("search", "{query}: by name", Class::Read, search).example(json!({ "query": "invoice" })))
        .command(Command::new("get", "{id}: its facts", Class::Read, get))
        .command(
            Command::new("read", "{id, offset?, limit?}: its text", Class::Read, read)
                .about(
                    "Reads a text, a PDF, a document of an office program, a table, an e-book or a web page, also one that \
                     came with a message. Others cannot be read as text.",
                )
                .time_limit(std::time::Duration::from_secs(60))
                .result_limit(256 * 1024)
                .exposes_errors(),
        )
}

async fn create(cx: ToolContext, args: CreateArgs) -> Result<Shown, ToolError> {
    let new = NewFile {
        name: args.name,
        content: args.content.into(),
        user: cx.user,
        place: cx.place,
        root_run: Some(cx.root_run),
        key: Some(cx.idempotency_key),
    };
    let file = cx.services.files.create(&cx.db, new, cx.clock.now()).await?;
    Ok(file.into())
}

async fn list(cx: ToolContext, args: ListArgs) -> Result<Listed, ToolError> {
    let before = args.before.as_deref().map(id).transpose()?;
    let limit = limit(args.limit)?;
    let found = stored::visible(&mut cx.db.read().await?, cx.scope, None, before, limit).await?;
    Ok(listing(&cx, found))
}

async fn search(cx: ToolContext, args: SearchArgs) -> Result<Listed, ToolError> {
    let query = args.query.trim();
    if query.is_empty() {
        return Err(ToolError::TellModel(
            "query: there is nothing in it to look for".to_owned(),
        ));
    }
    let limit = limit(args.limit)?;
    let found = stored::visible(&mut cx.db.read().await?, cx.scope, Some(query), None, limit).await?;
    Ok(listing(&cx, found))
}

async fn get(cx: ToolContext, args: GetArgs) -> Result<Shown, ToolError> {
    let file = one(&cx, &args.id).await?;
    Ok(file_entry(&cx, file))
}

async fn read(cx: ToolContext, args: ReadArgs) -> Result<Read, ToolError> {
    let (ordinary, most) = CHARACTERS;
    let limit = args.limit.unwrap_or(ordinary);
    if limit == 0 || limit > most {
        return Err(ToolError::TellModel(format!("limit: give 1 to {most}")));
    }
    // More would only be cut again.
    let limit = limit.min(cx.readable);
    let (name, text) = match kept::find(&cx, &args.id).await? {
        Some(kept) => {
            if let Some(origin) = kept.origin {
                cx.came_from(origin);
            }
            (args.id, kept.text)
        }
        None => {
            let file = one(&cx, &args.id).await?;
            came_from(&cx, &file);
            let text = text_of(&cx, &file).await?;
            (file.name, text)
        }
    };
    let offset = args.offset.unwrap_or(0);
    let length = text.chars().count();
    if offset > 0 && offset >= length {
        return Err(ToolError::TellModel(format!("offset: {name} has {length} characters")));
    }
    let end = offset.saturating_add(limit);
    Ok(Read {
        text: text.chars().skip(offset).take(limit).collect(),
        name,
        offset,
        length,
        next: (end < length).then_some(end),
    })
}

/// A file's text.
pub(super) async fn text_of(cx: &ToolContext, file: &File) -> Result<String, ToolError> {
    let content = cx.services.files.content(&cx.db, file, cx.clock.now()).await?;
    let reading = reading(cx, file).await?;
    crash::strike(Way::File, || file.name.clone());
    let kind = files::media_type(&file.name, &content.bytes);
    let text = match files::text(&content.bytes) {
        Some(page) if kind == HTML => document(cx, file, page.as_bytes()).await,
        // Some of them are letters and digits alone.
        _ if is_document(kind) => document(cx, file, &content.bytes).await,
        Some(text) => Ok(text),
        None => Err(no_text(file, &content.bytes)),
    };
    reading.end(cx).await?;
    text
}

/// The media type of web pages, which are read without their markup.
const HTML: &str = "text/html";
/// Media types of what is read as a document, besides those of office programs.
const DOCUMENTS: [&str; 6] = [
    HTML,
    "application/pdf",
    "application/epub+zip",
    "application/msword",
    "application/x-ole-storage",
    "application/zip",
];

/// Whether a file of this media type may be a document.
fn is_document(kind: &str) -> bool {
    DOCUMENTS.contains(&kind) || kind.starts_with("application/vnd.")
}

/// The text of a document, as a worker process reads it.
async fn document(cx: &ToolContext, file: &File, content: &[u8]) -> Result<String, ToolError> {
    let read = cx.services.workers.document(&cx.on_behalf_of(), content).await;
    match read {
        Ok(document) if document.is_cut => Ok(format!("{}\n\n(The rest is not read.)", document.text)),
        Ok(document) => Ok(document.text),
        Err(WorkError::Rejected(why)) if why == PICTURES && cx.services.sees_images => Err(ToolError::TellModel(
            format!("{} {why}; image.describe with `page` (1 and on) reads one", file.name),
        )),
        Err(WorkError::Rejected(why)) => Err(ToolError::TellModel(format!("{} {why}", file.name))),
        Err(WorkError::TooCostly) => Err(ToolError::TellModel(format!(
            "{} takes more time or memory to read than it may",
            file.name
        ))),
        Err(WorkError::Unavailable(why)) => Err(ToolError::Unavailable(why)),
    }
}

/// The content of a file is being read. The mark of a suspected run is removed at the end, also if the tool call is cut
/// short: the process is alive then.
#[must_use]
pub(super) struct Reading(Option<(Arc<dyn Isolates>, FileId)>);

impl Reading {
    /// The file was read, and the process is alive.
    pub(super) async fn end(mut self, cx: &ToolContext) -> Result<(), ToolError> {
        if let Some((_, id)) = self.0 {
            let read = cx
                .db
                .write(move |tx| Box::pin(async move { stored::was_read(tx, id).await }));
            read.await?;
            self.0 = None;
        }
        Ok(())
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some((isolation, id)) = self.0.take() {
            isolation.retract(id);
        }
    }
}

/// Called before the content of a file is read, which waits for nothing. A suspected run announces it in the file's
/// row. A file is set aside if a process died under that: the run was worked on alone, and did nothing else.
pub(super) async fn reading(cx: &ToolContext, file: &File) -> Result<Reading, ToolError> {
    let id = file.id;
    if let Some(isolation) = &cx.isolation {
        isolation.enter().await;
    }
    let (deaths, was_set_aside) = stored::deaths(&mut cx.db.read().await?, id).await?;
    if deaths == 0 && !was_set_aside {
        let reading = Reading(cx.isolation.clone().map(|isolation| (isolation, id)));
        if cx.isolation.is_some() {
            let announced = cx
                .db
                .write(move |tx| Box::pin(async move { stored::announce(tx, id).await }));
            announced.await?;
        }
        return Ok(reading);
    }
    if !was_set_aside {
        let now = cx.clock.now();
        let set_aside = cx
            .db
            .write(move |tx| Box::pin(async move { stored::quarantine(tx, id, now).await }));
        set_aside.await?;
        tracing::error!(file_id = %id, "file quarantined: the process died each time that it read it");
        measures::quarantined(Kind::File);
    }
    let name = &file.name;
    Err(ToolError::TellModel(format!(
        "{name} is set aside: reading it brought the bot down each time; its operator can see why"
    )))
}

pub(super) fn no_text(file: &File, content: &[u8]) -> ToolError {
    let kind = files::media_type(&file.name, content);
    ToolError::TellModel(format!("{} is {kind}, not text: it cannot be read here", file.name))
}

/// A file that may be seen here. One that may not is none.
pub(super) async fn one(cx: &ToolContext, text: &str) -> Result<File, ToolError> {
    let unknown = || ToolError::TellModel(format!("there is no file {text}; files.list names those there are"));
    let id: FileId = text.parse().map_err(|_| unknown())?;
    let file = stored::get(&mut cx.db.read().await?, id).await?;
    file.filter(|file| is_own_work(cx, file) || may_see(cx.scope, file))
        .ok_or_else(unknown)
}

/// Files that the asking tree of runs made hold its own words; the content of all others is data.
pub(super) fn came_from(cx: &ToolContext, file: &File) {
    if !is_own_work(cx, file) {
        cx.came_from(sources::file(&file.name));
    }
}

fn is_own_work(cx: &ToolContext, file: &File) -> bool {
    file.root_run_id == Some(cx.root_run)
}

fn listing(cx: &ToolContext, found: Vec<File>) -> Listed {
    Listed {
        files: found.into_iter().map(|file| file_entry(cx, file)).collect(),
    }
}

/// A name consists of words of the person who gave it.
fn file_entry(cx: &ToolContext, file: File) -> Shown {
    if file.user_id != cx.user {
        came_from(cx, &file);
    }
    file.into()
}

fn id(text: &str) -> Result<FileId, ToolError> {
    text.parse()
        .map_err(|_| ToolError::TellModel(format!("before: `{text}` is no id")))
}

fn limit(asked: Option<u32>) -> Result<u32, ToolError> {
    let (ordinary, most) = LIMITS;
    match asked.unwrap_or(ordinary) {
        limit if limit > 0 && limit <= most => Ok(limit),
        _ => Err(ToolError::TellModel(format!("limit: give 1 to {most}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;

    use super::*;

    #[derive(Debug, Default)]
    struct Retracted(Mutex<Vec<FileId>>);

    #[async_trait]
    impl Isolates for Retracted {
        async fn enter(&self) {}

        fn retract(&self, file: FileId) {
            self.0.lock().unwrap().push(file);
        }
    }

    #[test]
    fn what_was_announced_is_taken_back_where_a_call_is_broken_off() {
        let (retracted, id) = (Arc::new(Retracted::default()), FileId::new());
        drop(Reading(Some((Arc::clone(&retracted) as _, id))));
        drop(Reading(None));
        let mut ended = Reading(Some((Arc::clone(&retracted) as _, FileId::new())));
        ended.0 = None;
        drop(ended);
        assert_eq!(*retracted.0.lock().unwrap(), [id]);
    }
}
