//! `clifford quarantine`: lists work that was set aside because processes died of it, retries it, or takes it off the
//! list.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clifford_core::work::Kind;
use clifford_engine::retry_from_outside;
use clifford_store::{
    Db,
    db::notify,
    deaths::{self, Quarantined},
};
use serde_json::json;

use super::{
    examples, ids,
    output::{self, Format},
    setup::{self, Globals},
    words,
};

/// Arguments of `quarantine`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford quarantine list",
    "clifford quarantine retry 0198f2c4",
    "clifford quarantine forget 0198f2c4",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List quarantined work, the newest first.
    List(List),
    /// Retry quarantined work.
    Retry(Which),
    /// Take a run, job or message off the list, which stays failed.
    Forget(Which),
}

#[derive(Debug, clap::Args)]
struct List {
    /// The most to list.
    #[arg(long, default_value_t = 20, value_parser = words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct Which {
    /// Its id, as `clifford quarantine list` shows it, or as much of its beginning as nothing else there has.
    id: String,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    // Faults of the settings come before those of the database.
    let parallel = match &args.command {
        Command::Retry(_) => globals.load()?.config.ingress.shared_parallel,
        _ => 0,
    };
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(args) => list(&db, &args).await,
        Command::Retry(which) => retry(&db, &which, parallel).await,
        Command::Forget(which) => forget(&db, &which).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn list(db: &Db, args: &List) -> anyhow::Result<()> {
    let found = deaths::quarantined(&mut db.read().await?, output::one_more(args.limit)).await?;
    let (found, more) = output::page(found, args.limit, output::Way::Limit);
    if args.format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let rows = found.into_iter().map(|found| {
        [
            found.id,
            found.kind.to_string(),
            output::ago(found.quarantined_at),
            output::head(&found.about.unwrap_or_default(), 60),
        ]
    });
    output::table(
        ["ID", "KIND", "SINCE", "ABOUT"],
        rows.collect(),
        "no quarantined work found",
    )?;
    more.tell();
    Ok(())
}

async fn retry(db: &Db, which: &Which, parallel: u32) -> anyhow::Result<()> {
    let found = find(db, which).await?;
    let told = release(db, &found, parallel).await?;
    tell(which, &found, &told)
}

async fn forget(db: &Db, which: &Which) -> anyhow::Result<()> {
    let found = find(db, which).await?;
    let (kind, id, now) = (found.kind, found.id.clone(), setup::now());
    let forgotten = db.write(move |tx| Box::pin(async move { deaths::forget(tx, kind, &id, now).await }));
    if !forgotten.await? {
        bail!(
            "{} is set aside as long as it is there; `clifford quarantine retry {}` has it tried again",
            found.kind,
            found.id
        );
    }
    let told = match found.kind {
        Kind::Run => "stays failed; what people wrote for it counts as deleted",
        _ => "stays failed",
    };
    tell(which, &found, told)
}

async fn find(db: &Db, which: &Which) -> anyhow::Result<Quarantined> {
    let mut conn = db.read().await?;
    let id = which.id.trim();
    if let Some(found) = deaths::find(&mut conn, id).await? {
        return Ok(found);
    }
    // Events have the ids of their platforms, everything else has ours.
    let beginning = ids::beginning(id).unwrap_or_else(|| id.to_owned());
    let mut found = match id {
        "" => Vec::new(),
        _ => deaths::beginning_with(&mut conn, &beginning, ids::CANDIDATES).await?,
    };
    match (found.pop(), found.as_slice()) {
        (None, _) => bail!("nothing in quarantine has the id `{id}`; `clifford quarantine list` shows what is there"),
        (Some(found), []) => Ok(found),
        (Some(last), others) => {
            let named: Vec<_> = others.iter().chain([&last]).map(|found| found.id.as_str()).collect();
            bail!("several ids in quarantine begin with {id}: {}", named.join(", "))
        }
    }
}

fn tell(which: &Which, found: &Quarantined, told: &str) -> anyhow::Result<()> {
    if which.format.json {
        return output::json(&json!({ "kind": found.kind, "id": found.id, "outcome": told }));
    }
    output::print(&format!("{}: {told}", found.id))
}

/// Has it tried again; tells what happens next.
async fn release(db: &Db, found: &Quarantined, parallel: u32) -> anyhow::Result<String> {
    let now = setup::now();
    if found.kind == Kind::Run {
        let again = retry_from_outside(db, found.id.parse()?, parallel, now).await;
        let again =
            again.with_context(|| format!("`clifford quarantine forget {}` takes it off the list", found.id))?;
        return Ok(format!("tried again as run {}", again.id));
    }
    let (kind, id) = (found.kind, found.id.clone());
    db.write(move |tx| {
        Box::pin(async move {
            deaths::release(tx, kind, &id, now).await?;
            notify::work(tx).await
        })
    })
    .await?;
    Ok(match found.kind {
        Kind::Run | Kind::Job | Kind::Message => "tried again as soon as a process looks for work".to_owned(),
        Kind::Trigger => "fires again when it is due".to_owned(),
        Kind::File => "may be read again".to_owned(),
        Kind::Event => "taken when its platform hands it in again; its author may have to send it once more".to_owned(),
    })
}
