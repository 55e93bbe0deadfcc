//! `clifford export`: all that is kept of a person, or of everybody, as JSON Lines.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, IsTerminal, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clifford_engine::jobs::export::Export;
use clifford_store::{Db, people::users};

use super::{
    examples,
    output::Closed,
    people,
    setup::{self, Globals},
};

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford export telegram:4711 --out ada.jsonl   all of one person",
    "clifford export Ada | jq 'select(.type == \"memory_item\")'",
    "clifford export --out everybody.jsonl           of everybody",
))]
pub(super) struct Args {
    /// The person: an id, platform:account, or a name that only they have [default: everybody].
    user: Option<String>,
    /// The file to write; it must not exist [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let outcome = write(&db, &args).await;
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn write(db: &Db, args: &Args) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let people = match &args.user {
        Some(text) => vec![people::find(&mut conn, text).await?.id],
        None => users::all(&mut conn).await?,
    };
    let mut export = Export::of(people, setup::now());
    let mut out: Box<dyn Write + Send> = match &args.out {
        Some(path) => Box::new(BufWriter::new(create(path)?)),
        None => Box::new(BufWriter::new(io::stdout())),
    };
    let shows_progress = args.out.is_some() && io::stderr().is_terminal();
    let mut lines = 0;
    while let Some(page) = export.next(&mut conn).await? {
        let page = clifford_markup::json_for_terminal(&page);
        out.write_all(page.as_bytes()).map_err(unwritable)?;
        lines += page.lines().count();
        if shows_progress {
            // Nobody has to see it.
            let _ = write!(io::stderr(), "\r{lines} records");
        }
    }
    out.flush().map_err(unwritable)?;
    if shows_progress {
        let _ = writeln!(io::stderr());
    }
    Ok(())
}

/// A new file that nobody else may read.
fn create(path: &Path) -> anyhow::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => anyhow::anyhow!("{} already exists; choose another name", path.display()),
            _ => anyhow::Error::new(error).context(format!(
                "{} cannot be made: name a new file where you may write",
                path.display()
            )),
        })
}

fn unwritable(error: io::Error) -> anyhow::Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Closed.into();
    }
    anyhow::Error::new(error).context("the export cannot be written; is the disk full?")
}
