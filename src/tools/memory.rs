//! `memory`: what is remembered of the run's user, and what was said before, within what its channel may see.

mod recall;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Class, Command, Tool, ToolContext, ToolError};
use crate::store::memory_items::{self, MemoryItem, NewItem};

/// The modules that items belong to.
const MODULES: [&str; 7] = [
    "identity",
    "preferences",
    "constraints",
    "projects",
    "relationships",
    "environment",
    "recent_context",
];
/// The longest value, in characters: what the most detailed level takes.
const MOST_VALUE: usize = 300;
/// The most detailed level.
const MOST_LEVEL: u32 = 5;
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
    /// What to remember, in a few words.
    value: String,
    /// 0: a lasting fact, to 5: a detail of the day; left out: 1.
    level: Option<u32>,
}

#[derive(Serialize)]
struct Stored {
    stored: bool,
}

pub(super) fn tool() -> Tool {
    Tool {
        name: "memory",
        summary: "what is known of the user",
        commands: vec![
            Command::new("get", "{module?, key?}: what is remembered", Class::Read, get),
            Command::new("put", "{module, key, value}: remember it", Class::Write, put)
                .idempotent()
                .exposes_errors(),
            Command::new(
                "search",
                "{query, limit?}: what was said before",
                Class::Read,
                recall::search,
            ),
            Command::new(
                "sessions",
                "{limit?, before?}: past conversations",
                Class::Read,
                recall::sessions,
            ),
            Command::new(
                "session_messages",
                "{id, limit?, before?}: one of them",
                Class::Read,
                recall::session_messages,
            ),
        ],
    }
}

async fn get(cx: ToolContext, args: GetArgs) -> Result<Items, ToolError> {
    let user = cx.user.ok_or_else(nobody)?;
    let items = memory_items::active(&mut cx.db.read().await?, user, cx.viewer(), MOST_ITEMS).await?;
    let wanted = |asked: &Option<String>, value: &str| asked.as_deref().is_none_or(|asked| asked == value);
    let items = items
        .into_iter()
        .filter(|item| wanted(&args.module, &item.module) && wanted(&args.key, &item.key));
    Ok(Items { items: items.collect() })
}

async fn put(cx: ToolContext, args: PutArgs) -> Result<Stored, ToolError> {
    let user = cx.user.ok_or_else(nobody)?;
    if !MODULES.contains(&args.module.as_str()) {
        return Err(ToolError::TellModel(format!(
            "module: `{}` is none of {}",
            args.module,
            MODULES.join(", ")
        )));
    }
    let snake = !args.key.is_empty()
        && args.key.len() <= 64
        && args
            .key
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !snake {
        return Err(ToolError::TellModel(format!(
            "key: `{}` is not short snake_case, such as cat_name",
            args.key
        )));
    }
    let value = args.value.split_whitespace().collect::<Vec<_>>().join(" ");
    if value.is_empty() || value.chars().count() > MOST_VALUE {
        return Err(ToolError::TellModel(format!(
            "value: give 1 to {MOST_VALUE} characters"
        )));
    }
    let level = args.level.unwrap_or(1);
    if level > MOST_LEVEL {
        return Err(ToolError::TellModel(format!("level: give 0 to {MOST_LEVEL}")));
    }
    let item = NewItem {
        user,
        module: args.module,
        key: args.key,
        value,
        level,
        context: cx.context,
        origin: if cx.private { None } else { cx.space },
    };
    let now = cx.clock.now();
    let stored = cx
        .db
        .write(move |tx| Box::pin(async move { memory_items::put(tx, &item, now).await }))
        .await?;
    if stored {
        Ok(Stored { stored })
    } else {
        Err(ToolError::TellModel(
            "that item is pinned; only its user may change it".to_owned(),
        ))
    }
}

fn nobody() -> ToolError {
    ToolError::TellModel("this run has no user to remember things of".to_owned())
}
