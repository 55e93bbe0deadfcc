//! The two engines behind one handle.

mod address;
pub(crate) mod conn;
pub mod free_space;
pub(crate) mod local;
mod lock;
mod new;
pub mod notify;
pub(crate) mod page;
mod places;
mod rows;
pub(crate) mod schema;
mod write;
pub(crate) mod writer;

use std::{
    fmt::Display,
    fs::File,
    future::Future,
    path::Path,
    pin::Pin,
    str::FromStr,
    sync::Arc,
    time::{Duration, Instant},
};

use clifford_core::settings::{Database, Synchronous};
use clifford_telemetry::measures;
use futures::FutureExt;
use sqlx::{ConnectOptions, Connection as _};
use sqlx_postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx_sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use tokio::{runtime::Handle, sync::Semaphore, time::timeout};

pub use self::{
    lock::{hold, is_held},
    new::is_new,
};
use super::{Conn, Schema, StoreError, is_damage, is_lasting, message};
use crate::db::{
    local::{BUSY_TIMEOUT, Locals, PRAGMAS},
    writer::Writer,
};

/// How long PostgreSQL may take to give a connection.
const ANSWER: Duration = Duration::from_secs(10);

/// SQLite: how many statements a connection of the pool keeps prepared. A page of the dashboard reads by some twenty.
const READER_STATEMENTS: usize = 50;
/// SQLite: how much of the file a connection of the pool keeps in memory. The system keeps it for all of them.
const READER_PAGES: (&str, &str) = ("cache_size", "-512");
/// SQLite: how long a connection of the pool is kept. They are lent in turn, so at a little work none would ever rest.
const READER_LIVES: Duration = Duration::from_secs(60);

/// How long a new SQLite file that another connection sets up is left to it, before it is tried again.
const AGAIN: Duration = Duration::from_millis(20);

/// A boxed future that lives as long as the transaction it works in.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How to open the database.
#[derive(Clone, Debug)]
pub struct DbOptions {
    /// `sqlite:PATH`, where the path stands as it is, or `postgres://…`.
    pub url: String,
    /// `[database]`. Its own `url` may be missing: then the one above is in the data directory.
    pub section: Database,
    /// Keep other engines off (SQLite only): set by the processes that work on runs.
    pub exclusive: bool,
    /// Bring the schema up to date.
    pub migrate: bool,
}

/// The database. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Db {
    pools: Pools,
    writer: Option<Writer>,
    /// SQLite: connections that answer in the thread that asks.
    locals: Option<Locals>,
    /// SQLite: how many may read on threads for blocking work.
    readers: u32,
    /// SQLite: a permit for each of them.
    blocking: Arc<Semaphore>,
    /// Held, never read: the lock ends with the process.
    _lock: Option<Arc<File>>,
}

/// Opens the file with the mode of its log set. A new file is locked while another connection sets that mode, and
/// SQLite asks no busy handler there: so it is tried again for as long as [`BUSY_TIMEOUT`].
async fn create(options: &SqliteConnectOptions) -> sqlx::Result<SqlitePool> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let pool = SqlitePoolOptions::new().max_connections(1);
        match pool.connect_with(options.clone()).await {
            Err(error) if is_busy(&error) && Instant::now() < deadline => tokio::time::sleep(AGAIN).await,
            opened => return opened,
        }
    }
}

/// Gives files that root has made to the owner of the directory. SQLite does so with files that are made later.
fn give_files_to_owner(database: &Path) -> std::io::Result<()> {
    ["", "-wal", "-shm"].into_iter().try_for_each(|end| {
        let mut beside = database.as_os_str().to_owned();
        beside.push(end);
        clifford_vault::give_to_owner(Path::new(&beside))
    })
}

/// SQLITE_BUSY, in any of its kinds: the low byte of the extended code is 5 (<https://www.sqlite.org/rescode.html>).
fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.and_then(|code| code.parse::<u32>().ok())
        .is_some_and(|code| code & 0xff == 5)
}

/// The pools of the engine in use.
#[derive(Clone, Debug)]
pub enum Pools {
    /// SQLite.
    Sqlite {
        /// Readers.
        read: SqlitePool,
    },
    /// PostgreSQL.
    Postgres(PgPool),
}

impl Db {
    /// Opens the database, creates it if it is a missing SQLite file, and brings its schema up to date.
    ///
    /// # Errors
    /// The address is bad, the database cannot be reached, is held by another process, or needs a newer
    /// Clifford.
    pub async fn open(options: &DbOptions) -> Result<Self, StoreError> {
        if options.url.starts_with("postgres://") || options.url.starts_with("postgresql://") {
            Self::open_postgres(options).await
        } else {
            Self::open_sqlite(options, address::sqlite_path(&options.url)?).await
        }
    }

    async fn open_sqlite(options: &DbOptions, path: &Path) -> Result<Self, StoreError> {
        let unusable = |error: &dyn Display| {
            StoreError::Unavailable(format!(
                "{} cannot be used: {error}; check that its directory exists, is writable and has space, or set database.url",
                path.display()
            ))
        };
        lock::regular(path)?;
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            std::fs::create_dir_all(dir).map_err(|error| unusable(&error))?;
        }
        let lock = if options.exclusive {
            Some(lock::lock(path).map_err(|error| error.into_store(path))?)
        } else {
            None
        };
        let connect = SqliteConnectOptions::new()
            .filename(path)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT)
            .statement_cache_capacity(READER_STATEMENTS)
            .disable_statement_logging();
        let connect = PRAGMAS
            .into_iter()
            .chain([READER_PAGES])
            .fold(connect, |connect, (name, value)| connect.pragma(name, value));
        let creating = connect
            .clone()
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(match options.section.synchronous {
                Synchronous::Full => SqliteSynchronous::Full,
                Synchronous::Normal => SqliteSynchronous::Normal,
            });
        let is_new = path.symlink_metadata().is_err();
        let first = create(&creating).await.map_err(|error| {
            if is_damage(&error) {
                error.into()
            } else if is_busy(&error) {
                StoreError::Unavailable(format!(
                    "another program has locked {}: end that one, or set database.url",
                    path.display()
                ))
            } else {
                unusable(&error)
            }
        })?;
        if options.migrate {
            schema::migrate_sqlite(&first).await.map_err(|error| match error {
                StoreError::Unavailable(reason) => unusable(&reason),
                other => other,
            })?;
        }
        if is_new {
            give_files_to_owner(path).map_err(|error| unusable(&error))?;
        }
        let locals = Locals::new(path, options.section.synchronous);
        let writer = Writer::start(&locals)?;
        // The last connection to close a file cleans its log up; now the writer has it open.
        first.close().await;
        let place = locals.clone();
        let readers = options.section.max_connections.clamp(1, 8);
        let read = SqlitePoolOptions::new()
            .max_connections(readers)
            .max_lifetime(READER_LIVES)
            // A connection to a file cannot be lost on the way: asking it first costs a trip to its thread.
            .test_before_acquire(false)
            // None of the pragmas above reads the file, so one that was put in its place is left as it is, with the
            // log.
            .after_connect(move |_, _| {
                let place = place
                    .in_place()
                    .map_err(|error| sqlx::Error::Configuration(error.into()));
                Box::pin(std::future::ready(place))
            })
            .connect_lazy_with(connect.create_if_missing(false));
        Ok(Self {
            pools: Pools::Sqlite { read },
            writer: Some(writer),
            locals: Some(locals),
            readers,
            blocking: Arc::new(Semaphore::new(usize::try_from(readers).unwrap_or(1))),
            _lock: lock.map(Arc::new),
        })
    }

    async fn open_postgres(options: &DbOptions) -> Result<Self, StoreError> {
        let connect = PgConnectOptions::from_str(&options.url)
            .map_err(|_| {
                StoreError::BadUrl(
                    "database.url is no address of a PostgreSQL database: use postgres://user:password@host/database"
                        .to_owned(),
                )
            })?
            .application_name("clifford")
            .statement_cache_capacity(400)
            .disable_statement_logging();
        // Whether it hears of the end is its own affair.
        reach(&connect).await?.close().await.ok();
        let pool = PgPoolOptions::new()
            .max_connections(options.section.max_connections)
            .acquire_timeout(ANSWER)
            .connect_lazy_with(connect);
        if options.migrate {
            schema::migrate_postgres(&pool).await?;
        }
        Ok(Self {
            pools: Pools::Postgres(pool),
            writer: None,
            locals: None,
            readers: 0,
            blocking: Arc::new(Semaphore::new(0)),
            _lock: None,
        })
    }

    /// The pools, for what the engines do each in its own way (listening, backup).
    pub fn pools(&self) -> &Pools {
        &self.pools
    }

    /// Several processes may share this database.
    pub fn is_shared(&self) -> bool {
        matches!(self.pools, Pools::Postgres(_))
    }

    /// A connection to read with.
    ///
    /// # Errors
    /// The database does not answer.
    pub fn read(&self) -> BoxFuture<'_, Result<Conn, StoreError>> {
        async move {
            let began = Instant::now();
            let conn = match &self.pools {
                // An open connection reads the right file, wherever that is; no connection is opened while the file is
                // not in its place.
                Pools::Sqlite { read } => match read.try_acquire() {
                    Some(open) => Conn::sqlite(open),
                    None => {
                        self.in_place()?;
                        Conn::sqlite(read.acquire().await?)
                    }
                },
                Pools::Postgres(pool) => Conn::postgres(pool.acquire().await?),
            };
            measures::connection_waited(began);
            Ok(conn)
        }
        .boxed()
    }

    /// As [`Db::read`], for what is asked of every message and found at once: on SQLite the thread that asks finds it
    /// itself, and does nothing else meanwhile.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn read_local(&self) -> Result<Conn, StoreError> {
        match &self.locals {
            Some(locals) => Ok(Conn::local(locals.lend()?)),
            None => self.read().await,
        }
    }

    /// Runs `work`, which reads much and computes with it. On SQLite it runs on a thread for blocking work, where its
    /// statements execute as well: a connection of the pool would hand each row from one thread to another.
    ///
    /// # Errors
    /// The database does not answer; those of `work`.
    pub async fn read_blocking<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        let Some(locals) = &self.locals else {
            return work(&mut self.read().await?).await;
        };
        let failed = |error: &dyn Display| StoreError::Unavailable(format!("failed to read: {error}"));
        // As many at once as the pool has connections, and no more.
        let began = Instant::now();
        let permit = Arc::clone(&self.blocking).acquire_owned().await;
        let permit = permit.map_err(|error| failed(&error))?;
        measures::connection_waited(began);
        let (runtime, mut conn) = (Handle::current(), Conn::local(locals.lend()?));
        let read = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            runtime.block_on(work(&mut conn))
        });
        read.await.map_err(|error| failed(&error))?
    }

    /// Whether SQLite's file is still where it was opened; nothing is committed, and nothing opened, while it is not.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]: it was moved, deleted or replaced, and what to do.
    pub fn in_place(&self) -> Result<(), StoreError> {
        self.locals.as_ref().map_or(Ok(()), Locals::in_place)
    }

    /// Copies the whole database to a file while it is in use.
    ///
    /// # Errors
    /// Only SQLite can do this here; PostgreSQL has `pg_dump`.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        self.in_place()?;
        match &self.pools {
            Pools::Sqlite { read } => {
                let to = to
                    .to_str()
                    .ok_or_else(|| StoreError::BadUrl("the backup's path is not UTF-8".to_owned()))?;
                sqlx::query("VACUUM INTO $1").bind(to).execute(read).await?;
                Ok(())
            }
            Pools::Postgres(_) => Err(StoreError::BadUrl(
                "PostgreSQL makes its own backups: use pg_dump with database.url".to_owned(),
            )),
        }
    }

    /// Looks for damage in the whole database, and returns what it found. `None`: only SQLite can do this here.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn integrity(&self) -> Result<Option<Vec<String>>, StoreError> {
        self.in_place()?;
        match &self.pools {
            Pools::Sqlite { read } => {
                match integrity_of_file(read).await {
                    // The check itself came upon it.
                    Err(error) if is_damage(&error) => Ok(Some(vec![message(&error)])),
                    found => Ok(Some(found?)),
                }
            }
            Pools::Postgres(_) => Ok(None),
        }
    }

    /// Where its schema stands.
    ///
    /// # Errors
    /// The database does not answer.
    pub async fn schema(&self) -> Result<Schema, StoreError> {
        self.in_place()?;
        match &self.pools {
            Pools::Sqlite { read } => schema::of_sqlite(read).await,
            Pools::Postgres(pool) => schema::of_postgres(pool).await,
        }
    }

    /// Waits for what is being written, and closes every connection.
    pub async fn close(&self) {
        if let Some(writer) = &self.writer {
            writer.close().await;
        }
        if let Some(locals) = &self.locals {
            // Readers on threads for blocking work end first, and no new one begins.
            let all = self.blocking.acquire_many(self.readers).await;
            self.blocking.close();
            drop(all);
            locals.close();
        }
        match &self.pools {
            Pools::Sqlite { read } => read.close().await,
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}

/// The end of the fault of rows that the file holds as it should, and that refer to none.
pub const ORPHANS: &str = "rows refer to others that are not there";

async fn integrity_of_file(read: &SqlitePool) -> sqlx::Result<Vec<String>> {
    let mut found: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check").fetch_all(read).await?;
    found.retain(|line| line != "ok");
    let orphans = sqlx::query("PRAGMA foreign_key_check").fetch_all(read).await?.len();
    if orphans > 0 {
        found.push(format!("{orphans} {ORPHANS}"));
    }
    Ok(found)
}

/// Connects once: who waits for a pool's first connection is not told why there is none.
async fn reach(connect: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    let why = match timeout(ANSWER, connect.connect()).await {
        Ok(Ok(connection)) => return Ok(connection),
        Ok(Err(error)) => Ok(error),
        Err(_) => Err(format!("it did not answer within {} s", ANSWER.as_secs())),
    };
    let unusable = |why: &dyn Display| {
        let (host, port, database) = (connect.get_host(), connect.get_port(), connect.get_database());
        let database = database.unwrap_or("");
        format!(
            "PostgreSQL at {host}:{port}/{database} cannot be used: {why}; check database.url and that the server runs"
        )
    };
    Err(match why {
        Ok(error) if is_lasting(&error) => StoreError::Refused(unusable(&error)),
        Ok(error) => StoreError::Unavailable(unusable(&error)),
        Err(silence) => StoreError::Unavailable(unusable(&silence)),
    })
}
