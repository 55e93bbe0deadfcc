//! `clifford export`: all that is kept of a person, a place or everybody: as JSON Lines to read, or as an archive that
//! `clifford import` reads.

mod archive;

pub(super) use archive::storage;

use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::bail;
use clifford_core::id::{ChannelId, SpaceId};
use clifford_engine::jobs::export::Export;
use clifford_store::{Db, people::users};

use super::{
    examples,
    ids::IdArg,
    output::{Closed, Format},
    people,
    setup::{self, Globals},
};

/// Arguments of `export`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford export telegram:4711 --out ada.tar     all of one person, to import elsewhere",
    "clifford export --out everything.tar            of everybody",
    "clifford export --space 0198f2c4 --out club.tar a group or server, without what was said in private",
    "clifford export Ada | jq 'select(.type == \"memory_item\")'   to read",
))]
pub(super) struct Args {
    /// The person: an id, platform:account, or a name that only they have [default: everybody].
    user: Option<String>,
    /// A group or server in place of a person: its id, or the beginning of it.
    #[arg(long, value_name = "SPACE", conflicts_with_all = ["user", "place"], requires = "out")]
    space: Option<IdArg<SpaceId>>,
    /// A shared channel in place of a person: its id, or the beginning of it.
    #[arg(long, value_name = "CHANNEL", conflicts_with = "user", requires = "out")]
    place: Option<IdArg<ChannelId>>,
    /// The archive to write, with files; it must not exist [default: JSON Lines to standard output, to read].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    if args.format.json && args.out.is_none() {
        bail!("without --out the export itself is JSON Lines: leave --json out, or name an archive with --out");
    }
    let db = globals.database().await?;
    let outcome = match &args.out {
        Some(out) => archive::write(globals, &db, &args, out).await,
        None => lines(&db, &args).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn lines(db: &Db, args: &Args) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let people = match &args.user {
        Some(text) => vec![people::find(&mut conn, text).await?.id],
        None => users::all(&mut conn).await?,
    };
    let mut export = Export::of(people, setup::now());
    let mut out = BufWriter::new(io::stdout());
    while let Some(page) = export.next(&mut conn).await? {
        let page = clifford_markup::json_for_terminal(&page);
        out.write_all(page.as_bytes()).map_err(unwritable)?;
    }
    out.flush().map_err(unwritable)
}

fn unwritable(error: io::Error) -> anyhow::Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Closed.into();
    }
    anyhow::Error::new(error).context("the export cannot be written; is the disk full?")
}
