//! `clifford memory jobs`.

use clifford_core::{
    id::{ContextId, JobId},
    work::JobKind,
};
use clifford_store::{
    Db,
    jobs::{self, Filter, Job},
};

use super::people;
use crate::cli::{
    ids::{self, IdArg},
    output::{self, Format},
    words,
};

/// Arguments of `memory jobs`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only of this person's conversations: their id, `platform:account`, or a name that nobody else has.
    user: Option<String>,
    /// Only of this conversation (its id).
    #[arg(long)]
    context: Option<IdArg<ContextId>>,
    /// Only those that are older than this one (its id).
    #[arg(long, value_name = "JOB")]
    before: Option<IdArg<JobId>>,
    /// The most to list.
    #[arg(long, default_value_t = 20, value_parser = words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(db: &Db, args: Args) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let user = match &args.user {
        Some(text) => Some(people::find(&mut conn, text).await?.id),
        None => None,
    };
    let filter = Filter {
        kind: Some(JobKind::MemoryWrite),
        context: ids::optional(&mut conn, args.context.as_ref()).await?,
        user,
        before: ids::optional(&mut conn, args.before.as_ref()).await?,
    };
    let found = jobs::page(&mut conn, &filter, output::one_more(args.limit)).await?;
    let (found, more) = output::page(found, args.limit, output::Way::Before);
    drop(conn);
    if args.format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let rows = found
        .iter()
        .map(|job| {
            [
                job.id.to_string(),
                job.mode.map(|mode| mode.to_string()).unwrap_or_default(),
                output::state(&job.status.to_string()),
                job.attempts.to_string(),
                output::ago(job.ended_at.unwrap_or(job.due_at)),
                output::head(&outcome(job), 80),
            ]
        })
        .collect();
    output::table(
        ["JOB", "WHY", "STATUS", "TRIES", "ENDED OR DUE", "OUTCOME"],
        rows,
        "no memory jobs found",
    )?;
    more.tell();
    Ok(())
}

/// The outcome of a job.
fn outcome(job: &Job) -> String {
    match (&job.result, &job.error) {
        (Some(result), _) => result.0.to_string(),
        (None, Some(error)) => error.clone(),
        (None, None) => String::new(),
    }
}
