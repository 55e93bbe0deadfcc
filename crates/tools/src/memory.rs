//! `memory`: the items of the run's user and earlier messages, as far as its channel may see them.

pub(crate) mod noting;
mod recall;

use clifford_core::{
    id::UserId,
    memory::content::Content,
    policy::{class::Class, sources},
};
use clifford_store::{
    StoreError,
    memory::{
        items::{self as memory_items, MemoryItem, Remembered},
        write::Words,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Command, Tool, ToolContext, ToolError};

/// The most items in one answer.
const MOST_ITEMS: u32 = 100;

#[derive(Deserialize, JsonSchema)]
struct GetArgs {
    /// Only of this module.
    module: Option<String>,
    /// Only of this key.
    key: Option<String>,
}

#[derive(Serialize)]
struct Items {
    items: Vec<MemoryItem>,
}

#[derive(Deserialize, JsonSchema)]
struct PutArgs {
    /// identity, preferences, constraints, projects, relationships, environment or recent_context.
    module: String,
    /// Short snake_case, such as `cat_name`.
    key: String,
    /// The text to remember, in a few words.
    value: String,
    /// 0: a lasting fact, to 5: a detail of the day; left out: 1.
    level: Option<u32>,
}

#[derive(Serialize)]
struct Stored {
    stored: bool,
}

pub(super) fn tool() -> Tool {
    Tool::new("memory", "🧠", "what is known of the user")
        .about("Memory items of the user, and earlier messages.")
        .important()
        .command(
            Command::new("get", "{module?, key?}", Class::Read, get)
                .about("Memory items of the user: all, those of one module, or one by its key."),
        )
        .command(
            Command::new("put", "{module, key, value}: remember", Class::Write, put)
                .about("Remembers something of the user.")
                .example(json!({ "module": "preferences", "key": "tea", "value": "green, no sugar" }))
                .idempotent()
                .exposes_errors(),
        )
        .command(
            Command::new(
                "search",
                "{query, from?, to?, limit?}: past messages, by names, rare words, dates",
                Class::Read,
                recall::search,
            )
            .about(
                "Finds what was said before, by any word of the query in any form, and what is remembered. Ask with the \
                 question itself, or with its names and rare words; quote what must be there word by word. Each \
                 message comes with the one before and after it; session_messages with around shows more.",
            )
            .example(json!({ "query": "Zorro vet appointment", "from": "2026-03" })),
        )
        .command(
            Command::new(
                "sessions",
                "{limit?, before?}: past conversations",
                Class::Read,
                recall::sessions,
            )
            .about("Past conversations, the newest first."),
        )
        .command(
            Command::new(
                "session_messages",
                "{id, limit?, before? | around?}",
                Class::Read,
                recall::session_messages,
            )
            .about("Messages of one conversation: the newest, those before one, or those around one."),
        )
}

async fn get(cx: ToolContext, args: GetArgs) -> Result<Items, ToolError> {
    let user = cx.user.ok_or_else(nobody)?;
    let known = remembered_items(&cx, user).await?;
    let wanted = |asked: &Option<String>, value: &str| asked.as_deref().is_none_or(|asked| asked == value);
    let items: Vec<_> = (known.iter().map(|known| &known.item))
        .filter(|item| wanted(&args.module, &item.module) && wanted(&args.key, &item.key))
        .cloned()
        .collect();
    mark(&cx, &known, &items);
    Ok(Items { items })
}

/// Items that others had a part in are not more trusted for having been kept.
fn mark(cx: &ToolContext, known: &[Remembered], told: &[MemoryItem]) {
    let is_tainted = |item: &MemoryItem| known.iter().any(|known| known.is_tainted() && known.item == *item);
    if told.iter().any(is_tainted) {
        cx.came_from(sources::LEARNED);
    }
}

/// The part of its user's memory that the run's place may see; nothing where memory is off.
async fn remembered_items(cx: &ToolContext, user: UserId) -> Result<Vec<Remembered>, StoreError> {
    if !cx.remembers().await? {
        return Ok(Vec::new());
    }
    memory_items::remembered(&mut cx.db.read().await?, user, cx.viewer, MOST_ITEMS).await
}

async fn put(cx: ToolContext, args: PutArgs) -> Result<Stored, ToolError> {
    let user = cx.user.ok_or_else(nobody)?;
    if !cx.remembers().await? {
        return Err(ToolError::TellModel(
            "memory is off in this place: nothing is remembered here".to_owned(),
        ));
    }
    let content = Content {
        module: args.module,
        key: args.key,
        value: args.value,
        level: i64::from(args.level.unwrap_or(1)),
        confidence: 1.0,
    };
    let (viewer, context, now) = (cx.viewer, cx.context, cx.clock.now());
    let words = if cx.is_tainted { Words::Others } else { Words::Own };
    let undo = cx
        .db
        .write(move |tx| Box::pin(async move { noting::note(tx, user, content, viewer, context, words, now).await }))
        .await?
        .map_err(ToolError::TellModel)?;
    if let Some(undo) = undo {
        cx.undoable(undo);
    }
    Ok(Stored { stored: true })
}

fn nobody() -> ToolError {
    ToolError::TellModel("this run has no user to remember things of".to_owned())
}
