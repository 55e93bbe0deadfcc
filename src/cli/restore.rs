//! `clifford restore`: puts the contents of a backup in place of what is there.
//!
//! The archive is taken apart and checked in a directory of its own. Only then is anything moved: what was there goes
//! aside, and each part of the backup takes its place by a rename. A failure puts everything back. A place where a
//! restore was killed in between is not worked on (`app/restoring.rs`).

mod heir;

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, anyhow, bail};
use clifford_config::{DATABASE_FILE, Loaded};
use clifford_content::files::FILES;
use clifford_store::{Db, StoreError, copy};
use clifford_vault::{KEY_FILE, irregular};
use serde_json::json;

use self::heir::Heir;
use super::{
    backup::{
        archive::{self, Head},
        file_options, log_of,
    },
    bar::{Bar, Unit},
    examples, interrupt,
    output::{self, Format, when},
    setup::{self, Globals},
};
use crate::app::{
    self,
    owned::{self, BEFORE_RESTORE, RESTORE_MARK, RESTORE_PARTS, RESTORED_END},
    restoring::Moving,
};

/// Arguments of `restore`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford restore /backups/clifford-2026-11-25.tar",
    "clifford restore /backups/clifford-2026-11-25.tar --force   put what is there aside",
))]
pub(super) struct Args {
    /// An archive that `clifford backup` has written.
    archive: PathBuf,
    /// Put the database, key and files that are there aside.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    if args.archive.is_dir() {
        bail!("{} is a directory: name the archive in it", args.archive.display());
    }
    // Opened once: it may be a pipe.
    let archive = File::open(&args.archive).with_context(|| format!("{} cannot be read", args.archive.display()))?;
    let database = setup::sqlite_path(&loaded).map(|path| led_to(&path)).transpose()?;
    replaceable(&loaded, database.as_deref())?;
    setup::restrict(&loaded);
    fs::create_dir_all(&loaded.data_dir)
        .with_context(|| format!("the data directory {} cannot be made", loaded.data_dir.display()))?;
    // Held to the end, so that no bot starts on what is being moved.
    let _lock = database.as_deref().map(hold).transpose()?;
    if let Some(there) = present(&loaded, database.as_deref())?
        && !args.force
    {
        bail!(
            "{} is there already: `clifford restore --force` puts it aside, or name another place with --set data.dir=…",
            there.display()
        );
    }
    remove_leftovers(&loaded.data_dir)?;
    let parts = tempfile::Builder::new()
        .prefix(RESTORE_PARTS)
        .tempdir_in(&loaded.data_dir)
        .map_err(|error| {
            let (dir, why) = (loaded.data_dir.display(), error.kind());
            anyhow!("the data directory {dir} is not writable ({why})")
        })?;
    let (head, files) = archive::extract(archive, &args.archive, parts.path(), !args.format.json)?;
    let bar = Bar::new(!args.format.json, "checking the database", Unit::Things(""), None);
    check(&parts.path().join(DATABASE_FILE)).await?;
    drop(bar);
    let heir = Heir::of(&loaded.data_dir)?;
    heir.inherit(parts.path())?;
    let held = interrupt::Held::listen().context("signals cannot be listened to")?;
    let moving = Moving::begin(&loaded.data_dir).context("the data directory cannot be written")?;
    let mut moves = Moves::new(format!("{BEFORE_RESTORE}{}", setup::now().0));
    let putting = put_in_place(&loaded, database.as_deref(), parts.path(), &head, &mut moves);
    let moved = held.unless(putting).await;
    let moved = moved.unwrap_or_else(|| Err(anyhow!("it was interrupted")));
    let moved = moved.and_then(|()| {
        database
            .iter()
            .flat_map(|path| owned::of_database(path))
            .chain(moves.made.iter().cloned())
            .try_for_each(|path| heir.inherit(&path))
    });
    if let Err(error) = moved {
        let left = moves.undo();
        if let Some(database) = &database {
            fs::remove_file(near(database)).ok();
        }
        if left.is_empty() {
            moving.undone();
            return Err(error.context("nothing was restored"));
        }
        // The mark stays: nothing may start on a part of each.
        return Err(error.context(format!(
            "the restore broke off, and not everything is back in its place: {}. Move it by hand, then give `clifford \
             restore --force` the same backup again",
            left.join("; ")
        )));
    }
    moving
        .end()
        .context("everything is restored, but the mark of that cannot be removed")?;
    report(&loaded, &args, &head, files, &moves)?;
    Ok(ExitCode::SUCCESS)
}

/// The file that a path of a database leads to: what is restored takes its place, not that of a link to it.
///
/// # Errors
/// A link leads to a file of another user.
fn led_to(path: &Path) -> anyhow::Result<PathBuf> {
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Ok(path.to_owned());
    }
    let real = fs::canonicalize(path)
        .with_context(|| format!("{} is a symbolic link that leads nowhere: remove it", path.display()))?;
    let (owner, own) = (fs::metadata(&real)?.uid(), rustix::process::geteuid().as_raw());
    if owner != own {
        bail!(
            "{} leads to {}, which belongs to another user: remove the link, or restore as that user",
            path.display(),
            real.display()
        );
    }
    Ok(real)
}

/// Nothing, if what a restore replaces is what Clifford makes: files, and a directory of them.
///
/// # Errors
/// Something else stands there, and is not moved.
fn replaceable(loaded: &Loaded, database: Option<&Path>) -> anyhow::Result<()> {
    let database = database
        .iter()
        .flat_map(|path| owned::of_database(path))
        .collect::<Vec<_>>();
    let (key, mark) = (loaded.data_dir.join(KEY_FILE), loaded.data_dir.join(RESTORE_MARK));
    for path in database.into_iter().chain([key, mark]) {
        if let Some(kind) = irregular(&path) {
            bail!(
                "{} is {kind}, and is left where it is: restore elsewhere with --set data.dir=… or --set database.url=…",
                path.display()
            );
        }
    }
    let files = loaded.data_dir.join(FILES);
    if files.exists() && !files.is_dir() {
        bail!(
            "{} is no directory, and is left where it is: restore elsewhere with --set data.dir=…",
            files.display()
        );
    }
    Ok(())
}

/// Removes what killed restores have left.
fn remove_leftovers(data_dir: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(data_dir).context("the data directory cannot be read")? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(RESTORE_PARTS) && path.is_dir() {
            fs::remove_dir_all(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
        }
    }
    Ok(())
}

fn hold(database: &Path) -> anyhow::Result<File> {
    if let Some(dir) = database.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        fs::create_dir_all(dir).with_context(|| format!("{} cannot be made", dir.display()))?;
    }
    Ok(clifford_store::hold(database)?)
}

/// Something that a backup would replace.
fn present(loaded: &Loaded, database: Option<&Path>) -> io::Result<Option<PathBuf>> {
    let places = [loaded.data_dir.join(KEY_FILE), loaded.data_dir.join(FILES)];
    for place in database.map(Path::to_owned).into_iter().chain(places) {
        if place.try_exists()? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// Nothing, if the database of an archive is whole, and one that this Clifford can work with.
async fn check(database: &Path) -> anyhow::Result<()> {
    let mut options = file_options(database);
    options.migrate = false;
    let faults = match Db::open(&options).await {
        Ok(db) => {
            let looked = async {
                db.schema().await?.check()?;
                db.integrity().await
            };
            let faults = looked.await;
            db.close().await;
            faults
        }
        Err(error) => Err(error),
    };
    let faults = match faults {
        Err(StoreError::Damaged(why)) => vec![why],
        faults => faults?.unwrap_or_default(),
    };
    match faults {
        faults if faults.is_empty() => Ok(()),
        faults => bail!("the database of the backup is damaged: {}", faults.join("; ")),
    }
}

/// Renames, each of which can be undone.
struct Moves {
    /// The name of the directories for what was there, each next to it.
    aside: String,
    /// Those that were made.
    made: BTreeSet<PathBuf>,
    done: Vec<(PathBuf, PathBuf)>,
}

impl Moves {
    fn new(aside: String) -> Self {
        Self {
            aside,
            made: BTreeSet::new(),
            done: Vec::new(),
        }
    }

    /// Moves a file or directory, if it is there.
    fn rename(&mut self, from: &Path, to: &Path) -> anyhow::Result<()> {
        match fs::rename(from, to) {
            Ok(()) => {
                self.done.push((from.to_owned(), to.to_owned()));
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !from.exists() => Ok(()),
            Err(error) => Err(error).with_context(|| format!("{} cannot be moved to {}", from.display(), to.display())),
        }
    }

    /// Puts something aside that is to be replaced.
    fn put_aside(&mut self, path: &Path) -> anyhow::Result<()> {
        let Some(name) = path.file_name().filter(|_| path.exists()) else {
            return Ok(());
        };
        let aside = path.with_file_name(&self.aside);
        fs::create_dir_all(&aside).with_context(|| format!("{} cannot be made", aside.display()))?;
        let to = aside.join(name);
        self.made.insert(aside);
        self.rename(path, &to)
    }

    /// Undoes everything, the last one first. Returns a sentence for each path that could not be moved back.
    fn undo(&mut self) -> Vec<String> {
        let mut left = Vec::new();
        for (from, to) in self.done.drain(..).rev() {
            if let Err(error) = fs::rename(&to, &from) {
                left.push(format!(
                    "{} could not be moved back to {} ({error})",
                    to.display(),
                    from.display()
                ));
            }
        }
        for aside in &self.made {
            // It stays if something could not be moved back.
            fs::remove_dir(aside).ok();
        }
        left
    }
}

async fn put_in_place(
    loaded: &Loaded,
    database: Option<&Path>,
    parts: &Path,
    head: &Head,
    moves: &mut Moves,
) -> anyhow::Result<()> {
    for name in [KEY_FILE, FILES] {
        let place = loaded.data_dir.join(name);
        moves.put_aside(&place)?;
        moves.rename(&parts.join(name), &place)?;
    }
    let restored = parts.join(DATABASE_FILE);
    match database {
        Some(place) => replace(&restored, place, moves).await,
        None => fill_postgres(loaded, &restored, head).await,
    }
}

/// Where the database waits to take its place.
fn near(place: &Path) -> PathBuf {
    log_of(place, RESTORED_END)
}

/// Puts the database in its place. Its directory may be on another disk, so it goes there by a copy first.
async fn replace(restored: &Path, place: &Path, moves: &mut Moves) -> anyhow::Result<()> {
    if place.exists() {
        // Empties the log into the file, as far as that can still be opened.
        let mut options = file_options(place);
        options.migrate = false;
        if let Ok(db) = Db::open(&options).await {
            db.close().await;
        }
    }
    let near = near(place);
    fs::copy(restored, &near).with_context(|| format!("{} cannot be written; is the disk full?", near.display()))?;
    File::open(&near)?.sync_all()?;
    for ending in ["-wal", "-shm"] {
        moves.put_aside(&log_of(place, ending))?;
    }
    moves.put_aside(place)?;
    moves.rename(&near, place)?;
    let dir = place.parent().filter(|dir| !dir.as_os_str().is_empty());
    Ok(File::open(dir.unwrap_or(Path::new(".")))?.sync_all()?)
}

/// Copies the database of a backup into an empty one of PostgreSQL.
async fn fill_postgres(loaded: &Loaded, restored: &Path, head: &Head) -> anyhow::Result<()> {
    let source = Db::open(&file_options(restored)).await?;
    let bar = Bar::new(true, "copying", Unit::Things("rows"), Some(0));
    let outcome = async {
        let target = Db::open(&app::db_options(loaded, false)).await?;
        let name = format!("a backup of {}", head.created_at);
        let copied = copy::copy(&name, &source, &target, &mut |progress| bar.copied(progress)).await;
        target.close().await;
        copied
    };
    let outcome = outcome.await;
    source.close().await;
    outcome?;
    Ok(())
}

fn report(loaded: &Loaded, args: &Args, head: &Head, files: u64, moves: &Moves) -> anyhow::Result<()> {
    let aside: Vec<_> = moves.made.iter().map(|path| path.display().to_string()).collect();
    if args.format.json {
        return output::json(&json!({
            "archive": args.archive, "createdAt": head.created_at, "clifford": head.clifford, "schema": head.schema,
            "database": loaded.database_url, "files": files, "aside": aside,
        }));
    }
    output::print(&format!(
        "{}: the backup of {} is in place, with {}",
        loaded.database_url,
        when(clifford_core::clock::Timestamp(head.created_at)),
        output::count(files, "file", None)
    ))?;
    if aside.is_empty() {
        return Ok(());
    }
    output::print(&format!(
        "what was there is in {}; delete it when you need it no more",
        aside.join(" and ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_moved_back_is_told_and_the_rest_is_back() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in [KEY_FILE, DATABASE_FILE] {
            fs::write(at(name), name).unwrap();
        }
        let mut moves = Moves::new("aside".to_owned());
        moves.put_aside(&at(KEY_FILE)).unwrap();
        moves.put_aside(&at(DATABASE_FILE)).unwrap();
        assert!(!at(KEY_FILE).exists() && !at(DATABASE_FILE).exists());
        // Something else has come to where the database was.
        fs::create_dir_all(at(DATABASE_FILE).join("in the way")).unwrap();
        let left = moves.undo();
        assert_eq!(left.len(), 1, "{left:?}");
        let aside = at("aside").join(DATABASE_FILE);
        assert!(left[0].starts_with(&format!("{} could not be moved back", aside.display())));
        assert_eq!(fs::read_to_string(at(KEY_FILE)).unwrap(), KEY_FILE);
        assert_eq!(fs::read_to_string(aside).unwrap(), DATABASE_FILE);
    }

    #[test]
    fn nothing_is_left_aside_where_everything_is_back() {
        let dir = tempfile::tempdir().unwrap();
        let key = dir.path().join(KEY_FILE);
        fs::write(&key, "key").unwrap();
        let mut moves = Moves::new("aside".to_owned());
        moves.put_aside(&key).unwrap();
        assert_eq!(moves.undo(), Vec::<String>::new());
        assert!(key.exists() && !dir.path().join("aside").exists());
    }
}
