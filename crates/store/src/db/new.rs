//! Whether a database is one that nothing was ever stored in; nothing is opened for writing or made for that.

use std::{fs, io, path::Path, str::FromStr};

use sqlx::Connection as _;
use sqlx_postgres::PgConnectOptions;
use tokio::time::timeout;

use super::{ANSWER, DbOptions, address, reach, schema};
use crate::StoreError;

/// The most bytes of a file that has no table: its first page.
const FIRST_PAGE: u64 = 4096;

/// Whether a database has no schema yet: its file is not there or empty, or the server has no tables of Clifford's there.
/// A file that cannot be looked at is none: who opens it says why.
///
/// # Errors
/// The address is bad, or the server cannot be asked.
pub async fn is_new(options: &DbOptions) -> Result<bool, StoreError> {
    if options.url.starts_with("postgres") {
        return is_new_in_postgres(&options.url).await;
    }
    Ok(is_new_file(address::sqlite_path(&options.url)?).unwrap_or(false))
}

fn is_new_file(path: &Path) -> io::Result<bool> {
    let length = |path: &Path| match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        found => found.map(|found| found.len()),
    };
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // Where the file is empty, SQLite throws its log away; of a new one all but the first page may stand there.
    Ok(match length(path)? {
        0 => true,
        1..=FIRST_PAGE => length(Path::new(&log))? == 0,
        _ => false,
    })
}

async fn is_new_in_postgres(url: &str) -> Result<bool, StoreError> {
    let bad = |_| StoreError::BadUrl("database.url is no address of a PostgreSQL database".to_owned());
    let connect = PgConnectOptions::from_str(url).map_err(bad)?;
    let mut conn = reach(&connect).await?;
    let silent = |_| StoreError::Unavailable("PostgreSQL does not answer".to_owned());
    let schema = timeout(ANSWER, schema::of_postgres(&mut conn)).await.map_err(silent)?;
    conn.close().await.ok();
    Ok(schema?.version() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_new_until_a_table_is_in_it_or_in_its_log() {
        let dir = tempfile::tempdir().expect("a directory");
        let (file, log) = (dir.path().join("a.db"), dir.path().join("a.db-wal"));
        let is_new = || is_new_file(&file).expect("it is looked at");
        assert!(is_new());
        fs::write(&log, "rows").expect("a log");
        assert!(is_new());
        for (bytes, in_log, expected) in [
            (0, 9, true),
            (100, 0, true),
            (4096, 0, true),
            (4096, 9, false),
            (4097, 0, false),
            (90_000, 9, false),
        ] {
            fs::write(&file, vec![b'x'; bytes]).expect("a file");
            fs::write(&log, vec![b'x'; in_log]).expect("a log");
            assert_eq!(is_new(), expected, "{bytes} {in_log}");
        }
    }
}
