//! `clifford backup`: database, key and files in one archive, while the bot runs.

pub(super) mod archive;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use clifford_config::{DATABASE_FILE, Loaded};
use clifford_content::files::FILES;
use clifford_core::settings::{Database, FileStore};
use clifford_store::{Db, DbOptions, copy};
use clifford_vault::KEY_FILE;
use serde_json::json;

use self::archive::{Head, Writer};
use super::{
    bar::{Bar, Unit},
    examples,
    output::{self, Format},
    parts::Parts,
    setup::{self, Globals},
};
use crate::app::{self, owned::BACKUP_PARTS};

/// Arguments of `backup`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford backup /backups/clifford-$(date +%F).tar",
    "clifford restore /backups/clifford-2026-11-25.tar",
))]
pub(super) struct Args {
    /// The archive to write; it must not exist.
    path: PathBuf,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    setup::existing(&loaded).await?;
    let path = &args.path;
    if path == Path::new("-") {
        bail!("a backup goes into a file: name one");
    }
    setup::restrict(&loaded);
    let parts = Parts::for_new(path, BACKUP_PARTS)?;
    let database = parts.path().join(DATABASE_FILE);
    let schema = copy_database(&loaded, &database, &args).await?;
    let part = parts.path().join("archive");
    let head = Head::new(setup::now(), schema);
    let files = write(&loaded, &part, &head, &database, &args)
        .with_context(|| format!("the backup to {} failed", path.display()))?;
    // A file that came in the meantime is not replaced.
    Parts::put(&part, path)?;
    app::known::backed_up(&loaded, path, setup::now());
    let bytes = fs::metadata(path).map(|file| file.len()).unwrap_or_default();
    let in_bucket = loaded.config.files.store == FileStore::S3;
    if args.format.json {
        output::json(&json!({ "path": path, "bytes": bytes, "files": files, "filesInBucket": in_bucket }))?;
    } else {
        let bucket = if in_bucket {
            "; people's files are in the bucket, and not in the archive"
        } else {
            ""
        };
        output::print(&format!(
            "{}: written, {}, {}{bucket}",
            path.display(),
            output::count(files, "file", None),
            output::count(bytes, "byte", None)
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Copies the database into a file of SQLite's, and returns the version of its schema.
async fn copy_database(loaded: &Loaded, to: &Path, args: &Args) -> anyhow::Result<i64> {
    // A snapshot of PostgreSQL is read over one connection.
    let mut options = app::db_options(loaded, false);
    options.section.max_connections = 1;
    let db = Db::open(&options).await?;
    let version = db.schema().await?.version();
    let outcome = if db.is_shared() {
        let bar = Bar::new(!args.format.json, "copying", Unit::Things("rows"), Some(0));
        from_postgres(&db, to, &bar).await
    } else {
        let _bar = Bar::new(!args.format.json, "copying the database", Unit::Things(""), None);
        db.backup(to).await.map_err(Into::into)
    };
    db.close().await;
    outcome.context("the database cannot be copied")?;
    Ok(version)
}

async fn from_postgres(db: &Db, to: &Path, bar: &Bar) -> anyhow::Result<()> {
    let target = Db::open(&file_options(to)).await?;
    let outcome = copy::snapshot("a backup", db, &target, &mut |progress| bar.copied(progress)).await;
    target.close().await;
    outcome?;
    if log_of(to, "-wal").exists() {
        bail!("the copy is not complete in its file; is the disk full?");
    }
    Ok(())
}

/// How a database in an archive is opened.
pub(super) fn file_options(path: &Path) -> DbOptions {
    DbOptions {
        url: format!("sqlite:{}", path.display()),
        section: Database {
            max_connections: 1,
            ..Database::default()
        },
        exclusive: false,
        migrate: true,
    }
}

/// A file that SQLite keeps next to a database.
pub(super) fn log_of(database: &Path, ending: &str) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// Writes the archive, and returns how many files of people are in it.
fn write(loaded: &Loaded, part: &Path, head: &Head, database: &Path, args: &Args) -> anyhow::Result<u64> {
    let files = files(loaded)?;
    let paths = files.iter().map(|(_, path)| path.as_path()).chain([database]);
    let bytes = paths
        .filter_map(|path| fs::metadata(path).ok())
        .map(|file| file.len())
        .sum();
    let bar = Bar::new(!args.format.json, "writing the archive", Unit::Bytes, Some(bytes));
    let mut archive = Writer::create(part, head)?.shown_by(bar);
    archive.add(DATABASE_FILE, database)?;
    archive.add(KEY_FILE, &loaded.data_dir.join(KEY_FILE))?;
    let mut added = 0;
    for (name, path) in &files {
        added += u64::from(archive.add(name, path)?);
    }
    archive.finish()?;
    Ok(added)
}

/// The files of people on this machine, by their names in an archive.
fn files(loaded: &Loaded) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    if loaded.config.files.store == FileStore::S3 {
        return Ok(files);
    }
    for shard in entries(&loaded.data_dir.join(FILES))? {
        for file in entries(&shard)? {
            let (Some(dir), Some(name)) = (shard.file_name(), file.file_name()) else {
                continue;
            };
            let (dir, name) = (dir.to_string_lossy(), name.to_string_lossy());
            // A file that is still being written has no row yet.
            if !name.ends_with(".part") {
                files.push((format!("{FILES}/{dir}/{name}"), file.clone()));
            }
        }
    }
    Ok(files)
}

/// The entries of a directory in their order; none, if it is not there, or is a file.
fn entries(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort_unstable();
    Ok(paths)
}
