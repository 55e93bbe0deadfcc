//! `clifford runs list`.

use clifford_core::{
    id::{ChannelId, RunId, UserId},
    runs::RunStatus,
};
use clifford_store::{
    Db,
    runs::{Filter, views as run_views},
};

use crate::cli::{
    output::{self, Format},
    setup,
};

/// Arguments of `runs list`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only runs that stand so: pending, running, waiting, completed, failed or cancelled.
    #[arg(long, value_parser = status)]
    status: Option<RunStatus>,
    /// Only runs of this person (their id).
    #[arg(long)]
    user: Option<UserId>,
    /// Only runs of this channel (its id).
    #[arg(long)]
    channel: Option<ChannelId>,
    /// Only runs that are older than this one (its id).
    #[arg(long, value_name = "RUN")]
    before: Option<RunId>,
    /// The most to list.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

fn status(text: &str) -> Result<RunStatus, String> {
    serde_json::from_value(text.into())
        .map_err(|_| "write pending, running, waiting, completed, failed or cancelled".to_owned())
}

pub(super) async fn run(db: &Db, args: Args) -> anyhow::Result<()> {
    let filter = Filter {
        status: args.status,
        user: args.user,
        channel: args.channel,
        before: args.before,
    };
    let found = run_views::page(&mut db.read().await?, &filter, args.limit, setup::now()).await?;
    if args.format.json {
        return output::json(&found);
    }
    let rows = found
        .into_iter()
        .map(|run| {
            [
                run.id.to_string(),
                run.status.to_string(),
                output::when(run.created_at),
                run.llm_calls.to_string(),
                (run.prompt_tokens + run.completion_tokens).to_string(),
                output::head(&run.input_text, 60),
            ]
        })
        .collect();
    output::table(
        ["RUN", "STATUS", "BEGAN", "CALLS", "TOKENS", "INPUT"],
        rows,
        "there are no such runs",
    )
}
