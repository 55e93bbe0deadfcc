//! The schema's versions: bringing a database up to date, and whether this Clifford may work with a newer one.
//!
//! A migration adds to what is there, so that a Clifford that does not know it goes on working. One that takes something
//! away says in its name which version a Clifford must know to do without it: `0012_drop_flags_needs_0011.sql`. The name
//! is stored with the version, so it can be read by those who do not have the file.

use std::{collections::BTreeSet, sync::LazyLock};

use sqlx::{
    SqlSafeStr as _,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};
use sqlx_postgres::{PgExecutor, PgPool};
use sqlx_sqlite::SqlitePool;

use crate::{StoreError, is_damage, is_lasting};

// `SQLITE_FILES` and `POSTGRES_FILES`: the names and texts of the migrations.
include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

static SQLITE: LazyLock<Migrator> = LazyLock::new(|| migrator(SQLITE_FILES));
static POSTGRES: LazyLock<Migrator> = LazyLock::new(|| migrator(POSTGRES_FILES));

const APPLIED: &str = "SELECT version, description FROM _sqlx_migrations ORDER BY version";

/// A version that was applied to a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Its number.
    pub version: i64,
    /// Its name, with spaces.
    pub description: String,
}

impl Applied {
    /// The version that a Clifford must know to work with this one.
    fn needs(&self) -> i64 {
        let named = self.description.rsplit_once(" needs ");
        named.and_then(|(_, version)| version.parse().ok()).unwrap_or(0)
    }
}

/// Where the schema of a database stands, as this Clifford sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The migrations applied, oldest first.
    pub applied: Vec<Applied>,
    /// The migrations that this Clifford has, oldest first.
    pub known: Vec<i64>,
}

/// The standing of a schema against this Clifford's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// Everything that is known was applied, and nothing else.
    UpToDate,
    /// So many versions are to be applied.
    Behind(usize),
    /// A newer Clifford brought it further, and this one may still work with it.
    Ahead,
    /// It was brought to where only a Clifford may work with it that knows this version.
    Needs(i64),
    /// This version is of another line than this Clifford's.
    Foreign(i64),
}

impl Schema {
    /// The newest version that was applied; 0: none.
    pub fn version(&self) -> i64 {
        self.applied.last().map_or(0, |applied| applied.version)
    }

    /// The newest version that this Clifford knows.
    pub fn newest_known(&self) -> i64 {
        self.known.last().copied().unwrap_or(0)
    }

    /// Compares the migrations applied with the known ones.
    pub fn state(&self) -> SchemaState {
        let known: BTreeSet<_> = self.known.iter().copied().collect();
        let applied: BTreeSet<_> = self.applied.iter().map(|applied| applied.version).collect();
        let newest = self.newest_known();
        let unknown: Vec<_> = (self.applied.iter())
            .filter(|applied| !known.contains(&applied.version))
            .collect();
        let missing = known.difference(&applied).count();
        let Some(first) = unknown.first() else {
            return match missing {
                0 => SchemaState::UpToDate,
                missing => SchemaState::Behind(missing),
            };
        };
        if missing > 0 || first.version < newest {
            return SchemaState::Foreign(first.version);
        }
        match unknown.iter().map(|applied| applied.needs()).max() {
            Some(needs) if needs > newest => SchemaState::Needs(needs),
            _ => SchemaState::Ahead,
        }
    }

    /// Nothing, if this Clifford may work with the database.
    ///
    /// # Errors
    /// [`StoreError::Newer`]: it may not, and what to do.
    pub fn check(&self) -> Result<(), StoreError> {
        let (version, newest) = (self.version(), self.newest_known());
        match self.state() {
            SchemaState::UpToDate | SchemaState::Behind(_) => Ok(()),
            SchemaState::Ahead => {
                tracing::warn!(
                    version,
                    newest,
                    "opened a database whose schema is newer than this Clifford knows"
                );
                Ok(())
            }
            SchemaState::Needs(needs) => Err(StoreError::Newer(format!(
                "the database has schema version {version} and needs a Clifford that knows version {needs}; this one \
                 knows {newest}: run the newer Clifford, or restore a backup from before the upgrade"
            ))),
            SchemaState::Foreign(foreign) => Err(StoreError::Newer(format!(
                "schema version {foreign} of the database is none of this Clifford's, which knows {newest}: run the \
                 Clifford that made it, or restore a backup"
            ))),
        }
    }
}

/// The migrations of files that are named as `0001_first_things.sql`.
fn migrator(files: &[(&'static str, &'static str)]) -> Migrator {
    let migrations = files.iter().filter_map(|(file, text)| {
        let (version, name) = file.strip_suffix(".sql")?.split_once('_')?;
        let (version, name) = (version.parse().ok()?, name.replace('_', " "));
        let text = text.into_sql_str();
        Some(Migration::new(version, name.into(), MigrationType::Simple, text, false))
    });
    Migrator::with_migrations(migrations.collect())
}

fn schema_of(applied: Result<Vec<(i64, String)>, sqlx::Error>, migrations: &Migrator) -> Result<Schema, StoreError> {
    let applied = match applied {
        // Nothing was ever applied to it.
        Err(sqlx::Error::Database(error))
            if error.code().as_deref() == Some("42P01") || error.message().starts_with("no such table") =>
        {
            Vec::new()
        }
        applied => applied?,
    };
    let applied = applied.into_iter();
    let applied = applied
        .map(|(version, description)| Applied { version, description })
        .collect();
    let known = migrations.iter().map(|migration| migration.version).collect();
    Ok(Schema { applied, known })
}

pub(super) async fn of_sqlite(pool: &SqlitePool) -> Result<Schema, StoreError> {
    schema_of(sqlx::query_as(APPLIED).fetch_all(pool).await, &SQLITE)
}

pub(super) async fn of_postgres(from: impl PgExecutor<'_>) -> Result<Schema, StoreError> {
    schema_of(sqlx::query_as(APPLIED).fetch_all(from).await, &POSTGRES)
}

/// The same migrations for a database that may hold more than these: whether it may is asked before.
fn tolerant(migrations: &Migrator) -> Migrator {
    let mut migrator = Migrator::with_migrations(migrations.iter().cloned().collect());
    migrator.set_ignore_missing(true);
    migrator
}

/// Brings a database up to date. Processes that do so at once wait for each other.
pub(super) async fn migrate_postgres(pool: &PgPool) -> Result<(), StoreError> {
    of_postgres(pool).await?.check()?;
    tolerant(&POSTGRES).run(pool).await.map_err(migration_error)
}

/// Brings a database up to date: by all that it lacks or by nothing, and with one write to the disk. Processes that do so
/// at once wait for each other.
pub(super) async fn migrate_sqlite(pool: &SqlitePool) -> Result<(), StoreError> {
    let schema = of_sqlite(pool).await?;
    schema.check()?;
    let migrations = tolerant(&SQLITE);
    if !matches!(schema.state(), SchemaState::Behind(_)) {
        return migrations.run(pool).await.map_err(migration_error);
    }
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await?;
    // As `run` does it; of `run`'s own future the compiler does not see that it is `Send`.
    migrations
        .run_direct(None, &mut *tx, false)
        .await
        .map_err(migration_error)?;
    Ok(tx.commit().await?)
}

fn migration_error(error: MigrateError) -> StoreError {
    match error {
        MigrateError::VersionMismatch(version) => StoreError::Newer(format!(
            "schema version {version} of the database differs from this Clifford's: run the version that made it, or \
             restore a backup"
        )),
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) if is_damage(&error) => error.into(),
        other => {
            let lasting = matches!(&other, MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) if is_lasting(error));
            let told = format!("the schema could not be brought up to date: {other}");
            if lasting {
                StoreError::Refused(told)
            } else {
                StoreError::Unavailable(told)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(applied: &[(i64, &str)], known: i64) -> Schema {
        let applied = applied.iter().map(|(version, description)| Applied {
            version: *version,
            description: (*description).to_owned(),
        });
        Schema {
            applied: applied.collect(),
            known: (1..=known).collect(),
        }
    }

    #[test]
    fn a_newer_database_may_be_worked_with_unless_a_version_needs_more_than_is_known() {
        /// The migrations applied, those known, and the resulting standing.
        type Case = (&'static [(i64, &'static str)], i64, SchemaState);
        let cases: [Case; 9] = [
            (&[], 2, SchemaState::Behind(2)),
            (&[(1, "initial")], 2, SchemaState::Behind(1)),
            (&[(1, "initial"), (2, "more")], 2, SchemaState::UpToDate),
            (&[(1, "initial"), (2, "more"), (3, "most")], 2, SchemaState::Ahead),
            (
                &[(1, "initial"), (2, "more"), (3, "drop all needs 0002")],
                2,
                SchemaState::Ahead,
            ),
            (
                &[(1, "initial"), (2, "more"), (3, "drop all needs 0002")],
                1,
                SchemaState::Needs(2),
            ),
            (
                &[(1, "initial"), (2, "drop all needs 0002"), (3, "what the bot needs")],
                1,
                SchemaState::Needs(2),
            ),
            (&[(1, "initial"), (3, "of others")], 2, SchemaState::Foreign(3)),
            (&[(1, "initial"), (2, "more"), (20, "of others")], 1, SchemaState::Ahead),
        ];
        for (applied, known, standing) in cases {
            assert_eq!(schema(applied, known).state(), standing, "{applied:?} for {known}");
        }
    }

    #[test]
    fn both_engines_have_the_same_versions_under_the_same_names() {
        let names = |migrations: &Migrator| -> Vec<_> {
            let names = migrations.iter();
            names.map(|one| (one.version, one.description.clone())).collect()
        };
        assert_eq!(names(&SQLITE), names(&POSTGRES));
        assert_eq!(
            SQLITE.iter().count(),
            SQLITE_FILES.len(),
            "the name of a file is not read"
        );
        let numbers: Vec<_> = SQLITE.iter().map(|migration| migration.version).collect();
        assert_eq!(numbers, (1..=i64::try_from(numbers.len()).unwrap()).collect::<Vec<_>>());
    }

    #[test]
    fn a_refusal_names_both_versions_and_the_way_out() {
        let refused = schema(&[(1, "initial"), (2, "drop all needs 0002")], 1).check();
        assert_eq!(
            refused.unwrap_err().to_string(),
            "the database has schema version 2 and needs a Clifford that knows version 2; this one knows 1: run the newer \
             Clifford, or restore a backup from before the upgrade"
        );
    }
}
