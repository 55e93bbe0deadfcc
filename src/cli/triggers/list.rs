//! `clifford triggers list` and `show`.

use clifford_core::{
    id::TriggerId,
    schedule::trigger::{Trigger, TriggerKind},
};
use clifford_store::{
    Db,
    triggers::{self, Filter, Firing},
};
use clifford_text::Lang;
use clifford_tools::triggers::reminders;
use serde_json::json;

use super::{Which, find, next};
use crate::cli::{
    ids::{self, IdArg},
    output::{self, Format},
    people, words,
};

/// How many firings are shown.
const FIRINGS: u32 = 10;

/// Arguments of `triggers list`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only triggers of this kind: wake, run or reminder.
    #[arg(long)]
    kind: Option<TriggerKind>,
    /// Only those of this person: their id, `platform:account`, or a name that nobody else has.
    #[arg(long)]
    user: Option<String>,
    /// Only those that are older than this one.
    #[arg(long, value_name = "TRIGGER")]
    before: Option<IdArg<TriggerId>>,
    /// The most to list.
    #[arg(long, default_value_t = 50, value_parser = words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(db: &Db, args: &Args) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let user = match &args.user {
        Some(user) => Some(people::find(&mut conn, user).await?.id),
        None => None,
    };
    let filter = Filter {
        kind: args.kind,
        user,
        before: ids::optional(&mut conn, args.before.as_ref()).await?,
    };
    let found = triggers::page(&mut conn, filter, output::one_more(args.limit)).await?;
    let (found, more) = output::page(found, args.limit, output::Way::Before);
    drop(conn);
    if args.format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let rows = found
        .into_iter()
        .map(|trigger| {
            let next = next(&trigger);
            [
                trigger.id.to_string(),
                trigger.kind.to_string(),
                trigger.name.unwrap_or_default(),
                output::head(&trigger.content, 40),
                next,
            ]
        })
        .collect();
    output::table(
        ["TRIGGER", "KIND", "NAME", "CONTENT", "NEXT"],
        rows,
        "no triggers found; `clifford triggers add` makes one",
    )?;
    more.tell();
    Ok(())
}

pub(super) async fn show(db: &Db, which: &Which) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let trigger = find(&mut conn, &which.trigger).await?;
    let firings = triggers::firings(&mut conn, trigger.id, FIRINGS).await?;
    drop(conn);
    if which.format.json {
        return output::json(&json!({ "trigger": trigger, "firings": firings }));
    }
    output::fields(&lines(&trigger, &firings))
}

fn lines(trigger: &Trigger, firings: &[Firing]) -> Vec<String> {
    let mut lines = vec![
        format!("trigger   {}", trigger.id),
        format!("kind      {}", trigger.kind),
    ];
    let ids = [
        ("run       ", trigger.run_id.map(|id| id.to_string())),
        ("agent     ", trigger.agent_id.map(|id| id.to_string())),
        ("channel   ", trigger.channel_id.map(|id| id.to_string())),
        ("person    ", trigger.user_id.map(|id| id.to_string())),
        ("context   ", trigger.context_id.map(|id| id.to_string())),
        ("name      ", trigger.name.clone()),
        (
            "content   ",
            Some(trigger.content.clone()).filter(|content| !content.is_empty()),
        ),
        ("repeats   ", reminders::repeats(trigger, Lang::English)),
        ("made by   ", trigger.created_by.clone()),
        ("error     ", trigger.last_error.clone()),
    ];
    lines.extend(
        ids.into_iter()
            .filter_map(|(name, value)| Some(format!("{name}{}", value?))),
    );
    lines.push(format!("next      {}", next(trigger)));
    lines.push(format!("catch up  {}", trigger.catch_up));
    let fired = firings.iter().map(|firing| {
        format!(
            "fired     {} for {}",
            output::when(firing.fired_at),
            output::when(firing.due_at)
        )
    });
    lines.extend(fired);
    lines
}
