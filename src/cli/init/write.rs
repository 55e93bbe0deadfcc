//! Writes the file whole or not at all.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

use anyhow::Context;

/// Puts a file where it belongs, in one step; one that holds a secret is for its owner's eyes only.
///
/// # Errors
/// The directory cannot be written to.
pub(super) fn write(path: &Path, text: &str, secret: bool) -> anyhow::Result<()> {
    let explain = || format!("{} cannot be written; name another place by --config", path.display());
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        fs::create_dir_all(dir).with_context(explain)?;
    }
    // Where it is a link, what that leads to is written.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let path = real.as_path();
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = Path::new(&beside);
    // A file of an earlier attempt may have other permissions.
    fs::remove_file(beside).ok();
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(if secret { 0o600 } else { 0o644 })
        .open(beside)
        .with_context(explain)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(beside, path));
    if written.is_err() {
        fs::remove_file(beside).ok();
    }
    written.with_context(explain)
}

/// Whether a file is for its owner's eyes only.
pub(super) fn is_private(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 == 0)
}
