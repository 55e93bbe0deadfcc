//! `clifford runs list`.

use clifford_core::{
    id::{ChannelId, RunId},
    runs::RunStatus,
};
use clifford_store::{
    Db,
    runs::{Filter, views as run_views},
};

use super::words;
use crate::cli::{
    ids::{self, IdArg},
    output::{self, Format},
    people, setup,
};

/// Arguments of `runs list`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only runs with this status: pending, running, waiting, completed, failed or cancelled.
    #[arg(long, value_parser = status)]
    status: Option<RunStatus>,
    /// Only runs of this person: their id, `platform:account`, or a name that nobody else has.
    #[arg(long)]
    user: Option<String>,
    /// Only runs of this channel (its id).
    #[arg(long)]
    channel: Option<IdArg<ChannelId>>,
    /// Only runs that are older than this one (its id).
    #[arg(long, value_name = "RUN")]
    before: Option<IdArg<RunId>>,
    /// The most to list.
    #[arg(long, default_value_t = 20, value_parser = crate::cli::words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

fn status(text: &str) -> Result<RunStatus, String> {
    serde_json::from_value(text.into())
        .map_err(|_| "write pending, running, waiting, completed, failed or cancelled".to_owned())
}

pub(super) async fn run(db: &Db, args: Args) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let user = match &args.user {
        Some(text) => Some(people::find(&mut conn, text).await?.id),
        None => None,
    };
    let filter = Filter {
        status: args.status,
        wake_reason: None,
        user,
        channel: ids::optional(&mut conn, args.channel.as_ref()).await?,
        changed_since: None,
        before: ids::optional(&mut conn, args.before.as_ref()).await?,
    };
    let found = run_views::page(&mut conn, &filter, output::one_more(args.limit), setup::now()).await?;
    let (found, more) = output::page(found, args.limit, output::Way::Before);
    drop(conn);
    if args.format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let rows = found
        .into_iter()
        .map(|run| {
            [
                run.id.to_string(),
                words::status(run.status),
                output::ago(run.created_at),
                run.llm_calls.to_string(),
                output::grouped(run.prompt_tokens + run.completion_tokens),
                output::head(&run.input_text, 60),
            ]
        })
        .collect();
    output::table(
        ["RUN", "STATUS", "BEGAN", "CALLS", "TOKENS", "INPUT"],
        rows,
        "no matching runs found",
    )?;
    more.tell();
    Ok(())
}
