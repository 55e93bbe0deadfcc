//! `clifford usage`: the usage of models and of tools. Works alongside a server on the same database.

mod tools;

use std::{fmt, process::ExitCode, str::FromStr};

use anyhow::Context as _;
use clifford_core::{budget, clock::Timestamp, models::Grouping};
use clifford_store::{
    runs::feedback::{self, Verdicts},
    usage::{self, Filter, Group, tools::ToolUsage},
};
use jiff::{civil::Date, tz::TimeZone};

use super::{
    examples,
    output::{self, Format, Paint, paint},
    people,
    setup::{self, Globals},
    words,
};

/// Arguments of `usage`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford usage",
    "clifford usage --by model --since 2026-11-01",
    "clifford usage --by user --json",
    "clifford usage --by tool",
    "clifford usage --user Ada",
))]
pub(super) struct Args {
    /// Sum up by day, model, user, space, channel or role; by tool: the calls of tools.
    #[arg(long, value_name = "WHAT", default_value_t = By::Models(Grouping::Day))]
    by: By,
    /// From this day on; without it, of the last 30 days.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    since: Option<Date>,
    /// Only of this person: their id, `platform:account`, or a name that nobody else has.
    #[arg(long)]
    user: Option<String>,
    /// The most to list.
    #[arg(long, default_value_t = 50, value_parser = words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

/// The key by which usage is summed up.
#[derive(Clone, Copy, Debug)]
enum By {
    /// The calls of models, by one of their properties.
    Models(Grouping),
    /// The calls of tools, by tool.
    Tool,
}

impl By {
    const TOOL: &str = "tool";
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Models(by) => by.as_str(),
            Self::Tool => Self::TOOL,
        })
    }
}

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            Self::TOOL => Ok(Self::Tool),
            _ => text
                .parse()
                .map(Self::Models)
                .map_err(|fault: String| format!("{fault}, {}", Self::TOOL)),
        }
    }
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    let zone = budget::zone(&loaded.config.engine.time_zone);
    let db = globals.database().await?;
    let mut conn = db.read().await?;
    let user = match &args.user {
        Some(user) => Some(people::find(&mut conn, user).await?.id),
        None => None,
    };
    let filter = Filter {
        since: since(args.since, &zone)?,
        user,
        ..Filter::default()
    };
    let verdicts = feedback::verdicts(&mut conn, filter.since, user).await?;
    let (sums, more) = match args.by {
        By::Models(by) => {
            let found = usage::grouped(&mut conn, by, filter, &zone, output::one_more(args.limit)).await?;
            let (found, more) = output::page(found, args.limit, output::Way::Limit);
            (Sums::Models(by, found), more)
        }
        By::Tool => {
            let found = usage::tools::by_tool(&mut conn, filter, output::one_more(args.limit)).await?;
            let (found, more) = output::page(found, args.limit, output::Way::Limit);
            (Sums::Tools(found), more)
        }
    };
    drop(conn);
    db.close().await;
    match &sums {
        Sums::Models(by, groups) => tell(&args.format, groups, verdicts, |groups| show(groups, *by))?,
        Sums::Tools(called) => tell(&args.format, called, verdicts, tools::show)?,
    }
    more.tell();
    Ok(ExitCode::SUCCESS)
}

/// The usage, summed up.
enum Sums {
    Models(Grouping, Vec<Group>),
    Tools(Vec<ToolUsage>),
}

/// Prints the sums, and the verdicts on answers in the same time.
fn tell<T: serde::Serialize>(
    format: &Format,
    sums: &[T],
    feedback: Verdicts,
    show: impl FnOnce(&[T]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if format.json {
        return output::json(&Told { usage: sums, feedback });
    }
    show(sums)?;
    if feedback == Verdicts::default() {
        return Ok(());
    }
    output::print(&format!(
        "\nanswers liked: {}, disliked: {}",
        feedback.liked, feedback.disliked
    ))
}

fn day(text: &str) -> Result<Date, String> {
    text.parse()
        .map_err(|_| "write a day as YYYY-MM-DD, such as 2026-11-01".to_owned())
}

/// When a day begins, in the bot's time zone.
fn since(day: Option<Date>, zone: &TimeZone) -> anyhow::Result<Timestamp> {
    Ok(match day {
        Some(day) => day
            .to_zoned(zone.clone())
            .with_context(|| format!("{day} is outside of the calendar"))?
            .timestamp()
            .into(),
        None => usage::last_days(usage::RECENT_DAYS, zone, setup::now()),
    })
}

/// The output of `--json`.
#[derive(serde::Serialize)]
struct Told<'a, T> {
    /// The sums.
    usage: &'a [T],
    /// Feedback on answers in the same time.
    feedback: Verdicts,
}

fn show(groups: &[Group], by: Grouping) -> anyhow::Result<()> {
    let rows = groups.iter().map(|group| {
        let named = group.name.as_ref().or(group.key.as_ref());
        let estimated = if group.estimated_calls > 0 { "~" } else { "" };
        let counted = |tokens: i64| format!("{estimated}{}", output::grouped(tokens));
        [
            named.map_or_else(|| "(none)".to_owned(), |name| output::head(name, 40)),
            output::grouped(group.calls),
            counted(group.prompt_tokens),
            output::grouped(group.cached_tokens),
            counted(group.completion_tokens),
            if group.cost > 0.0 {
                format!("{:.4}", group.cost)
            } else {
                "-".to_owned()
            },
        ]
    });
    let head = by.as_str().to_uppercase();
    output::table(
        [&head, "CALLS", "PROMPT", "CACHED", "REPLY", "COST"],
        rows.collect(),
        "no model calls found in this time",
    )?;
    if groups.iter().any(|group| group.estimated_calls > 0) {
        let note = "~ is an estimate: the offline responder and some servers do not count their tokens.";
        output::item("", &paint(Paint::Dim, note))?;
    }
    Ok(())
}
