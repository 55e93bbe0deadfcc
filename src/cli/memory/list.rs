//! `clifford memory list`.

use clifford_core::id::MemoryItemId;
use clifford_store::{
    Db,
    memory::admin::{self as memory_admin, Filter, Item},
};

use super::{name, people};
use crate::cli::{
    ids::{self, IdArg},
    output::{self, Format},
    words,
};

/// Arguments of `memory list`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The person: their id, `platform:account`, or a name that nobody else has.
    user: String,
    /// Only of this module, such as `preferences`.
    #[arg(long)]
    module: Option<String>,
    /// Only of this level, 0 to 5.
    #[arg(long, value_parser = words::level)]
    level: Option<i64>,
    /// Only those whose key or value holds this text.
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Archived items in place of active ones.
    #[arg(long)]
    archived: bool,
    /// Only items that are older than this one (its id).
    #[arg(long, value_name = "ITEM")]
    before: Option<IdArg<MemoryItemId>>,
    /// The most to list.
    #[arg(long, default_value_t = 100, value_parser = words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(db: &Db, args: Args) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let user = people::find(&mut conn, &args.user).await?;
    let filter = Filter {
        user: Some(user.id),
        module: args.module,
        level: args.level,
        archived: Some(args.archived),
        text: args.query,
        before: ids::optional(&mut conn, args.before.as_ref()).await?,
    };
    let found = memory_admin::page(&mut conn, &filter, output::one_more(args.limit)).await?;
    let (found, more) = output::page(found, args.limit, output::Way::Before);
    drop(conn);
    if args.format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let rows = found
        .iter()
        .map(|item| {
            [
                name(item),
                item.level.to_string(),
                output::head(&item.value, 60),
                marks(item),
                output::ago(item.last_seen_at),
            ]
        })
        .collect();
    output::table(
        ["ITEM", "LEVEL", "VALUE", "MARKS", "LAST SEEN"],
        rows,
        "no memories found",
    )?;
    more.tell();
    Ok(())
}

/// The notes about an item besides its value.
pub(super) fn marks(item: &Item) -> String {
    let marks = [
        ("pinned", item.pinned),
        ("shared", item.shareable),
        ("said in a space", item.origin_space.is_some()),
        ("archived", item.archived),
    ];
    let marks: Vec<_> = marks.into_iter().filter(|mark| mark.1).map(|mark| mark.0).collect();
    marks.join(", ")
}
