//! `clifford db`: looks after the database.

mod copy;

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use clifford_store::{DAMAGED, Db, DbOptions, SchemaState};
use serde_json::json;

use super::{
    bar::{Bar, Unit},
    examples,
    output::{self, Format},
    parts::Parts,
    setup::{self, Globals},
};
use crate::app::{self, owned::BACKUP_PARTS};

/// Arguments of `db`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford db status",
    "clifford db migrate",
    "clifford db backup /backups/clifford-$(date +%F).db",
    "clifford db check",
    "clifford db copy --to postgres://clifford:PASSWORD@db.example/clifford",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Migrate the schema, and create the database if there is none; `serve` does so as well.
    Migrate {
        /// Begin with an empty database where there was another that is empty or gone now.
        #[arg(long)]
        new: bool,
        #[command(flatten)]
        format: Format,
    },
    /// Show which database is used, and whether its schema is up to date.
    Status(Format),
    /// Copy the database to a new file while it is in use (SQLite; for PostgreSQL use pg_dump).
    Backup {
        /// The file to write; it must not exist.
        path: PathBuf,
        #[command(flatten)]
        format: Format,
    },
    /// Check the integrity of the database's file (SQLite only).
    Check(Format),
    /// Copy everything from SQLite to PostgreSQL or back, and compare both; a copy that was killed goes on.
    Copy(copy::Args),
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::Migrate { new, format } => migrate(globals, new, format).await,
        Command::Status(format) => status(globals, format).await,
        Command::Backup { path, format } => backup(globals, &path, format).await,
        Command::Check(format) => check(globals, format).await,
        Command::Copy(args) => copy::run(globals, args).await,
    }
}

async fn migrate(globals: &Globals, new: bool, format: Format) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    if new {
        app::known::forget(&loaded);
    }
    let db = setup::database_or_new(&loaded).await?;
    let schema = db.schema().await?;
    db.close().await;
    let version = schema.version();
    if format.json {
        output::json(&json!({ "database": loaded.database_url, "version": version }))?;
    } else {
        output::print(&format!(
            "{}: schema version {version}, up to date",
            loaded.database_url
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn status(globals: &Globals, format: Format) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    let options = DbOptions {
        migrate: false,
        ..app::db_options(&loaded, false)
    };
    setup::existing(&loaded).await?;
    let db = Db::open(&options).await?;
    let schema = db.schema().await?;
    db.close().await;
    let standing = schema.state();
    let newest = schema.newest_known();
    let verdict = match standing {
        SchemaState::UpToDate => "up to date".to_owned(),
        SchemaState::Behind(missing) => {
            format!("{missing} migrations behind: `clifford db migrate` or `clifford serve` brings it up to date")
        }
        SchemaState::Ahead => {
            format!("newer than this Clifford, which knows version {newest} and can work with it")
        }
        SchemaState::Needs(needs) => format!(
            "needs a Clifford that knows version {needs}; this one knows {newest}: run the newer one, or restore a backup"
        ),
        SchemaState::Foreign(foreign) => format!(
            "version {foreign} is none of this Clifford's, which knows {newest}: run the one that made it, or restore a backup"
        ),
    };
    let usable = schema.check().is_ok();
    if format.json {
        let applied: Vec<_> = schema.applied.iter().map(|applied| applied.version).collect();
        output::json(&json!({
            "database": loaded.database_url, "applied": applied, "known": schema.known,
            "upToDate": standing == SchemaState::UpToDate, "usable": usable,
        }))?;
    } else {
        output::print(&format!(
            "database  {}\nschema    version {}, {verdict}",
            loaded.database_url,
            schema.version(),
        ))?;
    }
    Ok(if usable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn backup(globals: &Globals, path: &Path, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let parts = Parts::for_new(path, BACKUP_PARTS)?;
    let bar = Bar::new(!format.json, "copying the database", Unit::Things(""), None);
    let written = write_backup(&db, path, &parts).await;
    drop(bar);
    db.close().await;
    written.with_context(|| format!("the backup to {} failed", path.display()))?;
    let bytes = std::fs::metadata(path).map(|file| file.len()).unwrap_or_default();
    if format.json {
        output::json(&json!({ "path": path, "bytes": bytes }))?;
    } else {
        output::print(&format!(
            "{}: written, {}",
            path.display(),
            output::count(bytes, "byte", None)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Only a whole copy has its name, and it takes no other file's.
async fn write_backup(db: &Db, path: &Path, parts: &Parts) -> anyhow::Result<()> {
    let part = parts.path().join("copy");
    db.backup(&part).await?;
    File::open(&part)?.sync_all()?;
    Parts::put(&part, path)
}

async fn check(globals: &Globals, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let bar = Bar::new(!format.json, "checking the database", Unit::Things(""), None);
    let faults = db.integrity().await?;
    drop(bar);
    db.close().await;
    let Some(faults) = faults else {
        bail!("PostgreSQL has no such check: use `pg_amcheck` with database.url, and watch the server's log");
    };
    if format.json {
        output::json(&json!({ "ok": faults.is_empty(), "faults": faults }))?;
    } else if faults.is_empty() {
        output::print("the database is whole")?;
    } else {
        bail!("{DAMAGED}: {}", faults.join("; "));
    }
    Ok(if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
