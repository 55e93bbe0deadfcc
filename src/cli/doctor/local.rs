//! Checks of this machine: database, disk, port.

use std::{
    fs,
    io::ErrorKind,
    net::TcpListener,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

use clifford_config::{Config, Loaded, Origin, Secrets};
use clifford_core::{run::rules::Rules, work::Kind};
use clifford_engine::jobs::maintenance;
use clifford_store::{
    DAMAGED, Db, DbOptions, ORPHANS, SchemaState, StoreError, deaths, maintenance::Record, places::settings,
};
use clifford_worker::Workers;
use rustix::fs::{Access, access, statvfs};

use super::Check;
use crate::{
    app,
    cli::{config::origin, output, server::Server, setup},
};

/// A file of SQLite's up to this size is looked through for damage, which takes some seconds; `clifford db check` does so
/// with any.
const READ_WHOLE: u64 = 256 << 20;
/// The permission bits by which others read a file.
const READ_BY_OTHERS: u32 = 0o044;
/// Less free space than this is too little to go on.
const TOO_LITTLE: u64 = 50 << 20;
/// Less than this is worth a word.
const LITTLE: u64 = 500 << 20;

/// The place of the settings, and whether a secret stands there for everybody to read.
pub(super) fn settings(loaded: &Loaded, secrets: Option<&Secrets>) -> Check {
    const NAME: &str = "config";
    let shown = origin(loaded);
    let Origin::File(path) = &loaded.origin else {
        return Check::ok(NAME, shown);
    };
    let is_open = || fs::metadata(path).is_ok_and(|file| file.is_file() && file.mode() & READ_BY_OTHERS != 0);
    let holds_secret = |secrets: &Secrets| {
        let text = fs::read_to_string(path).unwrap_or_default();
        secrets.masker.mask(&text) != text
    };
    if secrets.is_some_and(holds_secret) && is_open() {
        return Check::warn(
            NAME,
            format!("{shown} holds a secret, and other users of this machine can read it"),
            format!("chmod go= {shown}, or let it name a variable or a file that holds the secret"),
        );
    }
    Check::ok(NAME, shown)
}

/// Whether the database can be reached, read and written, and has this version's schema.
pub(super) async fn database(loaded: &Loaded) -> Check {
    const NAME: &str = "database";
    let shown = loaded.database_url.to_string();
    if let Err(error) = app::known::check(loaded).await {
        return Check::fail(NAME, error.to_string(), "do that before the next start");
    }
    if let Some(path) = setup::sqlite_path(loaded).filter(|path| !path.exists()) {
        let above = nearest(&path);
        return if above.is_dir() && access(&above, Access::WRITE_OK).is_ok() {
            Check::ok(NAME, format!("{shown} is not there yet; the first start makes it"))
        } else {
            Check::fail(
                NAME,
                format!(
                    "{shown} cannot be made: {} is no directory that can be written to",
                    above.display()
                ),
                "make it one, or set data.dir or database.url",
            )
        };
    }
    match look(loaded).await {
        Ok((version, SchemaState::Behind(missing))) => Check::warn(
            NAME,
            format!("{shown}, schema version {version}, {missing} migrations behind"),
            "`clifford serve` brings it up to date, or `clifford db migrate`",
        ),
        Ok((version, SchemaState::Ahead)) => Check::warn(
            NAME,
            format!("{shown}, schema version {version}, which a newer Clifford made; this one can work with it"),
            "update Clifford on this machine",
        ),
        Ok((version, _)) => Check::ok(NAME, format!("{shown}, schema version {version}, up to date")),
        Err(error @ StoreError::Newer(_)) => Check::fail(NAME, error.to_string(), "update Clifford on this machine"),
        Err(StoreError::Damaged(why)) => Check::fail(NAME, format!("{DAMAGED}: {why}"), app::known::rescue(loaded)),
        Err(error) => Check::fail(
            NAME,
            error.to_string(),
            "check database.url, and that the disk has room and can be written to",
        ),
    }
}

/// Work that was set aside because processes died of it. [`database`] reports a database that cannot be read.
pub(super) async fn quarantine(loaded: &Loaded) -> Option<Check> {
    const NAME: &str = "work";
    setup::sqlite_path(loaded)
        .is_none_or(|path| path.exists())
        .then_some(())?;
    let counts = quarantined(loaded).await.ok()?;
    if counts.is_empty() {
        return Some(Check::ok(NAME, "nothing is in quarantine"));
    }
    let counts = counts
        .iter()
        .map(|(kind, count)| output::count(*count, &kind.to_string(), None));
    let found = format!(
        "in quarantine, because processes died of it: {}",
        counts.collect::<Vec<_>>().join(", ")
    );
    let mend =
        "`clifford quarantine list` shows it; `clifford quarantine retry ID` tries it again, `forget ID` lets it rest";
    Some(Check::warn(NAME, found, mend))
}

async fn quarantined(loaded: &Loaded) -> Result<Vec<(Kind, i64)>, StoreError> {
    app::known::check(loaded).await?;
    let options = DbOptions {
        migrate: false,
        ..app::db_options(loaded, false)
    };
    let db = Db::open(&options).await?;
    let counts = deaths::count_quarantined(&mut db.read().await?).await;
    db.close().await;
    counts
}

/// Maintenance jobs that fail. [`database`] reports a database that cannot be read.
pub(super) async fn maintenance(loaded: &Loaded) -> Option<Check> {
    const NAME: &str = "upkeep";
    setup::sqlite_path(loaded)
        .is_none_or(|path| path.exists())
        .then_some(())?;
    let failing = failing(loaded).await.ok()?;
    if failing.is_empty() {
        return Some(Check::ok(NAME, "no maintenance job fails"));
    }
    let told: Vec<_> = failing.iter().map(maintenance::describe).collect();
    let mend = "mend the cause; it is tried again at growing intervals, an hour at most";
    Some(Check::warn(NAME, told.join("; "), mend))
}

async fn failing(loaded: &Loaded) -> Result<Vec<Record>, StoreError> {
    app::known::check(loaded).await?;
    let options = DbOptions {
        migrate: false,
        ..app::db_options(loaded, false)
    };
    let db = Db::open(&options).await?;
    let failing = async {
        let settings = app::engine_settings(&loaded.config, Rules::from(loaded.config.engine.clone()));
        maintenance::failing(&mut db.read().await?, &settings).await
    };
    let failing = failing.await;
    db.close().await;
    failing
}

/// The newest version that was applied, and what it means; a database that can be worked with can be written to, and is
/// whole, as far as it is looked through.
async fn look(loaded: &Loaded) -> Result<(i64, SchemaState), StoreError> {
    let options = DbOptions {
        migrate: false,
        ..app::db_options(loaded, false)
    };
    let db = Db::open(&options).await?;
    let schema = db.schema().await?;
    schema.check()?;
    let standing = schema.state();
    if !matches!(standing, SchemaState::Behind(_)) {
        let now = setup::now();
        db.write(move |tx| {
            Box::pin(async move {
                settings::put(tx, "doctor", "trial", "written", now).await?;
                settings::take(tx, "doctor", "trial", "written").await
            })
        })
        .await?;
    }
    let file = setup::sqlite_path(loaded).and_then(|path| path.metadata().ok());
    let faults = match file.filter(|file| file.len() <= READ_WHOLE) {
        Some(_) => db.integrity().await?.unwrap_or_default(),
        None => Vec::new(),
    };
    db.close().await;
    // Rows that refer to none are no damage of the file: `clifford db check` tells them.
    match faults.into_iter().find(|fault| !fault.ends_with(ORPHANS)) {
        Some(fault) => Err(StoreError::Damaged(fault)),
        None => Ok((schema.version(), standing)),
    }
}

/// Whether there is room for data.
pub(super) fn disk(loaded: &Loaded) -> Check {
    const NAME: &str = "disk";
    const MEND: &str = "free some space, or set data.dir to a larger disk";
    let place = setup::sqlite_path(loaded).unwrap_or_else(|| loaded.data_dir.clone());
    let place = nearest(&place);
    let place = if place.is_dir() {
        place
    } else {
        place.parent().map(Path::to_owned).unwrap_or(place)
    };
    let shown = if place.as_os_str().is_empty() {
        ".".into()
    } else {
        place.clone()
    };
    match statvfs(&shown) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let found = format!("{} MB free at {}", free >> 20, shown.display());
            match free {
                ..TOO_LITTLE => Check::fail(NAME, found, MEND),
                TOO_LITTLE..LITTLE => Check::warn(NAME, found, MEND),
                LITTLE.. => Check::ok(NAME, found),
            }
        }
        Err(error) => Check::warn(
            NAME,
            format!("{}: {error}", shown.display()),
            "see whether the disk is mounted",
        ),
    }
}

/// Whether a worker process can be started and works.
pub(super) async fn worker_processes() -> Check {
    const NAME: &str = "worker";
    const LIMIT: Duration = Duration::from_secs(10);
    match Workers::of_this_program().evaluate("doctor", "6 * 7", LIMIT).await {
        Ok(value) if value == "42" => Check::ok(NAME, "worker processes can be started"),
        other => Check::fail(
            NAME,
            match other {
                Ok(value) => format!("a worker process says that 6 * 7 is {value}"),
                Err(error) => format!("a worker process fails: {error}"),
            },
            "expressions and web pages cannot be read without: let this user start processes of 512 MiB of address space",
        ),
    }
}

/// Whether other users of this machine can read what is kept.
pub(super) fn permissions(loaded: &Loaded) -> Option<Check> {
    const NAME: &str = "private";
    let kept = app::local_data(loaded);
    if !kept.data_dir.exists() && !kept.database.as_ref().is_some_and(|database| database.exists()) {
        return None;
    }
    let shown = kept.data_dir.display();
    let open = kept.open_to_others();
    let first = open.first().map(|path| path.display().to_string()).unwrap_or_default();
    let counted = output::count(open.len(), "file or directory", Some("files and directories"));
    Some(match (open.len(), loaded.config.data.private) {
        (0, _) => Check::ok(NAME, format!("only its own user can read {shown}")),
        (_, false) => Check::ok(
            NAME,
            format!("{counted} open to others, as data.private = false allows"),
        ),
        (_, true) => Check::warn(
            NAME,
            format!("other users of this machine can read {counted}, such as {first}"),
            "`clifford serve` restricts them when it starts; until then: chmod go= each of them",
        ),
    })
}

/// Whether the API is reached from this machine alone.
pub(super) fn reach(config: &Config) -> Option<Check> {
    const NAME: &str = "reach";
    let http = &config.http;
    let address = http.bind;
    if !http.enabled || address.ip().is_loopback() {
        return None;
    }
    if !http.is_open() {
        let found = format!(
            "the API listens beyond this machine ({address}) for the proxy with TLS that http.public_url names: let \
             nothing else reach it"
        );
        return Some(Check::ok(NAME, found));
    }
    let hosts = if http.allowed_hosts.is_empty() {
        ", and answers to any name"
    } else {
        ""
    };
    Some(Check::warn(
        NAME,
        format!("the API listens beyond this machine ({address}), without TLS{hosts}"),
        "put a proxy with TLS before it, and set http.public_url to its https address; or set http.bind to a loopback \
         address, and http.allowed_hosts to the proxy's name",
    ))
}

/// Whether the API's port is free.
pub(super) async fn http(loaded: &Loaded) -> Option<Check> {
    const NAME: &str = "http";
    let http = &loaded.config.http;
    if !http.enabled {
        return None;
    }
    let bind = &http.bind;
    Some(match TcpListener::bind(bind) {
        Ok(_) => Check::ok(NAME, format!("{bind} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse && is_own(loaded, &http.local_address()).await => {
            Check::ok(NAME, format!("this bot answers at {bind}"))
        }
        Err(error) if error.kind() == ErrorKind::AddrInUse => Check::warn(
            NAME,
            format!("{bind} is in use"),
            "all is well if that is the bot; else set http.bind to another port",
        ),
        Err(error) => Check::fail(
            NAME,
            format!("{bind} cannot be listened on: {error}"),
            "set http.bind to an address of this machine",
        ),
    })
}

/// Whether the server of this database answers at this address.
async fn is_own(loaded: &Loaded, address: &str) -> bool {
    Server::find(loaded)
        .await
        .is_some_and(|server| server.base() == address)
}

/// The path itself, or the nearest one above it that exists.
fn nearest(path: &Path) -> PathBuf {
    let found = path.ancestors().find(|path| path.exists());
    match found {
        Some(found) if !found.as_os_str().is_empty() => found.to_owned(),
        _ => PathBuf::from("."),
    }
}
