//! Changes of items: `clifford memory add`, `set`, `pin`, `unpin`, `share`, `private` and `forget`.

use anyhow::bail;
use clifford_core::{fault::Fault, memory::content::Content};
use clifford_engine::memory::editing::{self, Change, NewItem, Visibility};
use clifford_store::{
    Db, StoreError,
    memory::{
        admin::{self as memory_admin, Item},
        items::Viewer,
    },
};
use serde_json::json;

use super::{Which, find, list::marks, name, people};
use crate::cli::{
    output::{self, Format},
    setup, words,
};

/// Arguments of `memory add`.
#[derive(Debug, clap::Args)]
pub(super) struct Add {
    /// The person: their id, `platform:account`, or a name that nobody else has.
    user: String,
    /// `module.key`, such as `preferences.drink`.
    key: String,
    /// The text to remember.
    value: String,
    /// 0 (durable) to 5 (detailed and recent).
    #[arg(long, default_value_t = 1, value_parser = words::level)]
    level: i64,
    /// Only its person changes it.
    #[arg(long)]
    pin: bool,
    /// The bot may use it wherever the person speaks to it.
    #[arg(long)]
    share: bool,
    #[command(flatten)]
    format: Format,
}

/// Arguments of `memory set`.
#[derive(Debug, clap::Args)]
pub(super) struct Set {
    /// The person: their id, `platform:account`, or a name that nobody else has.
    user: String,
    /// The item's key, or `module.key`.
    key: String,
    /// The new text.
    value: Option<String>,
    /// Its level from now on.
    #[arg(long, required_unless_present = "value", value_parser = words::level)]
    level: Option<i64>,
    #[command(flatten)]
    format: Format,
}

/// Arguments of `memory forget`.
#[derive(Debug, clap::Args)]
pub(super) struct Forget {
    /// The person: their id, `platform:account`, or a name that nobody else has.
    user: String,
    /// The item's key, or `module.key`, or `all`.
    key: String,
    /// Do not ask; `all` needs it.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    format: Format,
}

/// The marks of an item.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    Pinned,
    NotPinned,
    Shared,
    Private,
}

pub(super) async fn add(db: &Db, args: Add) -> anyhow::Result<()> {
    let user = people::find(&mut db.read().await?, &args.user).await?;
    let Some((module, key)) = args.key.split_once('.') else {
        bail!("write `{}` with its module, such as preferences.{}", args.key, args.key);
    };
    let new = NewItem {
        user: user.id,
        content: Content {
            module: module.to_owned(),
            key: key.to_owned(),
            value: args.value,
            level: args.level,
            confidence: 1.0,
        },
        shareable: args.share,
        pinned: args.pin,
    };
    let now = setup::now();
    let added = db
        .write(move |tx| Box::pin(async move { editing::add(tx, new, now).await }))
        .await;
    match added {
        Err(StoreError::Conflict(_)) => bail!(
            "{} is known already; `clifford memory set {} {} VALUE` changes it",
            args.key,
            user.id,
            args.key
        ),
        added => print_item(&added??, args.format),
    }
}

pub(super) async fn set(db: &Db, args: Set) -> anyhow::Result<()> {
    let change = Change {
        value: args.value,
        level: args.level,
        ..Change::default()
    };
    let item = change_one(db, &args.user, &args.key, change).await?;
    print_item(&item, args.format)
}

pub(super) async fn mark(db: &Db, which: &Which, mark: Mark) -> anyhow::Result<()> {
    let (pinned, known) = match mark {
        Mark::Pinned => (Some(true), None),
        Mark::NotPinned => (Some(false), None),
        Mark::Shared => (None, Some(Visibility::Everywhere)),
        Mark::Private => (None, Some(Visibility::InPrivate)),
    };
    let change = Change {
        pinned,
        known,
        ..Change::default()
    };
    let item = change_one(db, &which.user, &which.key, change).await?;
    print_item(&item, which.format)
}

async fn change_one(db: &Db, user: &str, key: &str, change: Change) -> anyhow::Result<Item> {
    let mut conn = db.read().await?;
    let user = people::find(&mut conn, user).await?;
    let id = find(&mut conn, &user, key).await?.id;
    drop(conn);
    let now = setup::now();
    let changed: Result<Item, Fault> = db
        .write(move |tx| Box::pin(async move { editing::change(tx, id, change, now).await }))
        .await?;
    Ok(changed?)
}

pub(super) async fn forget(db: &Db, args: Forget) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let user = people::find(&mut conn, &args.user).await?;
    let one = match args.key.as_str() {
        "all" => None,
        key => Some(find(&mut conn, &user, key).await?),
    };
    let held = memory_admin::seen_by(&mut conn, user.id, Viewer::Private).await?.len();
    drop(conn);
    if one.is_none() && !args.yes && held > 0 {
        bail!(
            "this deletes all that is remembered of {1} ({0}) for good: add --yes to do it",
            output::count(held, "item", None),
            output::cell(&user.name)
        );
    }
    let id = user.id;
    let count = db
        .write(move |tx| {
            Box::pin(async move {
                match one {
                    Some(item) => memory_admin::forget(tx, id, &item.module, &item.key, Viewer::Private).await,
                    None => memory_admin::forget_all(tx, id, Viewer::Private).await,
                }
            })
        })
        .await?;
    if args.format.json {
        return output::json(&json!({ "userId": id, "forgotten": count }));
    }
    output::print(&format!("{}: forgotten ({count})", args.key))
}

/// Prints an item as it is now.
fn print_item(item: &Item, format: Format) -> anyhow::Result<()> {
    if format.json {
        return output::json(item);
    }
    let marks = match marks(item) {
        none if none.is_empty() => none,
        marks => format!(" ({marks})"),
    };
    let value = output::cell(&item.value);
    output::print(&format!("{}, level {}: {value}{marks}", name(item), item.level))
}
