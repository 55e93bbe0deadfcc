//! The address of a SQLite database: a path, and nothing else that SQLite would read from it.

use std::path::Path;

use super::StoreError;

/// The path in `sqlite:PATH`.
///
/// # Errors
/// It is another database's address, or SQLite would not take its path for one.
pub(super) fn sqlite_path(url: &str) -> Result<&Path, StoreError> {
    let Some(path) = url.strip_prefix("sqlite:") else {
        let scheme = url.split(':').next().unwrap_or_default();
        return Err(StoreError::BadUrl(format!(
            "`{scheme}:` is no database that Clifford knows: set database.url to sqlite:PATH or postgres://…"
        )));
    };
    let path = path.trim_start_matches("//");
    if path.starts_with(":memory:") || path.starts_with("file:") {
        return Err(StoreError::BadUrl(
            "sqlite: takes the path of a file: for a file of such a name, write sqlite:./NAME".to_owned(),
        ));
    }
    Ok(Path::new(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_a_path() {
        for (url, path) in [
            ("sqlite:a.db", "a.db"),
            ("sqlite:///var/a.db", "/var/a.db"),
            ("sqlite://a.db", "a.db"),
            ("sqlite:./file:a.db", "./file:a.db"),
        ] {
            assert_eq!(sqlite_path(url).expect(url), Path::new(path));
        }
        for url in [
            "mysql://x",
            "",
            "sqlite::memory:",
            "sqlite://:memory:",
            "sqlite:file:a.db?mode=memory",
        ] {
            sqlite_path(url).expect_err(url);
        }
    }
}
