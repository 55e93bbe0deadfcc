//! `clifford erase`: deletes a person with every trace. Works alongside a server on the same database.

use std::{io::IsTerminal, path::Path, process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use clifford_content::files::Storage;
use clifford_core::{
    clock::SystemClock,
    id::{UserId, WorkerId},
    people::User,
};
use clifford_engine::jobs::erase::{self, Erased};
use clifford_store::{Db, jobs, leases::ClaimWindow, people::claim};
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    people,
    setup::{self, Globals},
};
use crate::app;

/// How long the job is this process's own.
const LEASE: Duration = Duration::from_secs(600);
/// How often, and how long in between, the space of the deleted rows is tried to be cleaned.
const CLEANINGS: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(500);

/// Arguments of `erase`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford export telegram:4711 --out ada.jsonl   a copy first",
    "clifford erase telegram:4711                    asks, then deletes everything that is kept of this person",
    "clifford erase Ada --yes                        without asking",
))]
pub(super) struct Args {
    /// The person: an id, platform:account, or a name that only they have.
    user: String,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let (loaded, secrets) = globals.load_with_secrets()?;
    let storage = app::storage(&loaded, &secrets, Arc::new(SystemClock)).map_err(anyhow::Error::msg)?;
    let db = globals.database().await?;
    let outcome = erase(&db, &storage, &loaded.data_dir, &args).await;
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn erase(db: &Db, storage: &Storage, data_dir: &Path, args: &Args) -> anyhow::Result<()> {
    let user = people::find(&mut db.read().await?, &args.user).await?;
    if !args.yes && !is_confirmed(&user).await? {
        return output::print("nothing was deleted");
    }
    erase::typed(db, user.id, data_dir).await?;
    let Some(erased) = carry_out(db, user.id, storage).await? else {
        bail!("a running server is erasing this person already; look again in a minute");
    };
    if args.format.json {
        return output::json(&json!({ "erased": user.id, "rows": erased.counts }));
    }
    output::print(&format!("everything that was kept of {} is deleted", user.id))?;
    if erased.was_owner {
        let code = db.write(move |tx| Box::pin(claim::make(tx, setup::now()))).await?;
        if let Some(code) = code {
            output::print(&format!(
                "owner      none any more: send {code} to the bot in a private chat to become its owner"
            ))?;
        }
    }
    Ok(())
}

/// Does the job here, at once; if this process dies, it is a server's. `None`: it is one's already.
async fn carry_out(db: &Db, person: UserId, storage: &Storage) -> anyhow::Result<Option<Erased>> {
    let (worker, now) = (WorkerId::new(), setup::now());
    let lease = db
        .write(move |tx| {
            Box::pin(async move {
                let (job, _) = erase::begin(tx, person, now).await?;
                jobs::claim_one(tx, job, ClaimWindow::new(worker, now, LEASE)).await
            })
        })
        .await?;
    let Some(lease) = lease else { return Ok(None) };
    let erased = erase::rows(db, person, lease, storage, setup::now()).await?;
    for _ in 0..CLEANINGS {
        if erase::finish(db, lease, setup::now()).await? {
            return Ok(Some(erased));
        }
        tokio::time::sleep(BETWEEN).await;
    }
    bail!("everything is deleted, but somebody reads the database: its log is cleaned when a server runs next")
}

async fn is_confirmed(user: &User) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!(
            "this deletes everything that is kept of {} ({}): add --yes to do so without being asked",
            output::cell(&user.name),
            user.id
        );
    }
    let question = format!(
        "Delete everything that is kept of {} ({}), for good?",
        clifford_markup::for_terminal(&output::cell(&user.name)),
        user.id
    );
    let asked = tokio::task::spawn_blocking(move || inquire::Confirm::new(&question).with_default(false).prompt());
    asked.await?.context("nothing was answered, and nothing deleted")
}
