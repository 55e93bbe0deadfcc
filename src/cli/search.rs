//! `clifford search`: a search over earlier messages. Works alongside a server on the same database.

use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clifford_content::search::find::SearchHit;
use clifford_core::{
    budget,
    id::ChannelId,
    messages::Direction,
    search::{Cursor, Request, Scope, SearchInput},
};
use clifford_store::Db;
use serde::Serialize;

use super::{
    examples,
    ids::{self, IdArg},
    output::{self, Format},
    people,
    setup::{self, Globals},
    words,
};

/// Arguments of `search`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford search --user Ada what is my cat called",
    "clifford search --user telegram:7 --from 2026-03 --to 2026-04 dentist",
    "clifford search --channel 0198f2c4 '\"red car\"' --json",
))]
pub(super) struct Args {
    /// A question or a few words: any word counts, in any form; "quoted" ones are required. A time alone lists the
    /// messages of that time.
    #[arg(required_unless_present_any = ["from", "to"], value_name = "WORD")]
    question: Vec<String>,
    /// In the private chats of this person: their id, `platform:account`, or a name that nobody else has.
    #[arg(long)]
    user: Option<String>,
    /// In this channel; with --user, if it is a private one of that person.
    #[arg(long)]
    channel: Option<IdArg<ChannelId>>,
    /// Only messages from then on, such as 2026-03-15, 2026-03-15T11:00, 2026-03, 2026 or yesterday.
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Only messages until then, the day, month or year included.
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// The next page: the `next` of the page before.
    #[arg(long, value_name = "NEXT")]
    before: Option<Cursor>,
    /// The most to show.
    #[arg(long, default_value_t = 10, value_parser = words::up_to::<200>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

/// A page as JSON, as the API has it.
#[derive(Serialize)]
struct Shown {
    items: Vec<SearchHit>,
    next: Option<String>,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let zone = budget::zone(&globals.load()?.config.engine.time_zone);
    let db = globals.database().await?;
    let outcome = search(&db, args, zone).await;
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn search(db: &Db, args: Args, zone: jiff::tz::TimeZone) -> anyhow::Result<()> {
    let user = match &args.user {
        Some(name) => Some(people::find(&mut db.read().await?, name).await?.id),
        None => None,
    };
    let channel = ids::optional(&mut db.read().await?, args.channel.as_ref()).await?;
    let scope = match (user, channel) {
        (Some(user), Some(channel)) => Scope::Both(user, channel),
        (Some(user), None) => Scope::Person(user),
        (None, Some(channel)) => Scope::Channel(channel),
        (None, None) => bail!("say where to look: give --user, --channel or both"),
    };
    let question = args.question.join(" ");
    let asked = SearchInput {
        text: &question,
        from: args.from.as_deref(),
        to: args.to.as_deref(),
    };
    let request =
        Request::read(asked, scope, zone, setup::now()).map_err(|fault| anyhow!("{}: {fault}", fault.field))?;
    let request = Request {
        cursor: args.before,
        limit: args.limit,
        ..request
    };
    let page = clifford_content::search::find::find(db, request).await?;
    let next = page.next.map(|next| next.to_string());
    if args.format.json {
        return output::json(&Shown {
            items: page.items,
            next,
        });
    }
    let rows = page.items.iter().map(row).collect();
    output::table(["SAID", "CONVERSATION", "BY", "TEXT"], rows, "no messages found")?;
    match next {
        Some(next) => output::print(&format!("more: --before {next}\n")),
        None => Ok(()),
    }
}

fn row(found: &SearchHit) -> [String; 4] {
    // Nothing but text reaches the terminal.
    let text = |text: &str, most| {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        output::head(&plain, most)
    };
    let message = &found.message;
    let by = match message.direction {
        Direction::Inbound => "person",
        Direction::Outbound => "bot",
    };
    [
        output::ago(message.created_at),
        text(message.context_name.as_deref().unwrap_or_default(), 24),
        by.to_owned(),
        text(&found.snippet, 160),
    ]
}
