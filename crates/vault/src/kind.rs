//! The kind of what stands under a name where a regular file belongs: nothing else is read, replaced or moved.

use std::{
    fs::{self, FileType},
    os::unix::fs::FileTypeExt,
    path::Path,
};

/// The kind of what a path leads to, in words, where that is no regular file. `None`: it is one, or nothing is there.
pub fn irregular(path: &Path) -> Option<&'static str> {
    let found = fs::metadata(path).ok()?.file_type();
    (!found.is_file()).then(|| kind(found))
}

/// As [`irregular`], where a symbolic link is not followed: it is none either.
pub fn irregular_itself(path: &Path) -> Option<&'static str> {
    let found = fs::symlink_metadata(path).ok()?.file_type();
    (!found.is_file()).then(|| kind(found))
}

fn kind(found: FileType) -> &'static str {
    if found.is_dir() {
        "a directory"
    } else if found.is_symlink() {
        "a symbolic link"
    } else if found.is_fifo() {
        "a pipe"
    } else if found.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::{fs::symlink, net::UnixListener},
        process::Command,
    };

    use super::*;

    #[test]
    fn what_is_no_regular_file_is_named() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "text").expect("a file");
        fs::create_dir(at("directory")).expect("a directory");
        let made = Command::new("mkfifo").arg(at("pipe")).status().expect("mkfifo");
        assert!(made.success());
        let _listener = UnixListener::bind(at("socket")).expect("a socket");
        for (link, target) in [("to-file", "file"), ("to-pipe", "pipe"), ("to-nothing", "nothing")] {
            symlink(target, at(link)).expect("a link");
        }
        symlink("/dev/null", at("to-device")).expect("a link");
        for (name, led_to, itself) in [
            ("file", None, None),
            ("nothing", None, None),
            ("directory", Some("a directory"), Some("a directory")),
            ("pipe", Some("a pipe"), Some("a pipe")),
            ("socket", Some("a socket"), Some("a socket")),
            ("to-file", None, Some("a symbolic link")),
            ("to-pipe", Some("a pipe"), Some("a symbolic link")),
            ("to-nothing", None, Some("a symbolic link")),
            ("to-device", Some("a device"), Some("a symbolic link")),
        ] {
            assert_eq!(
                (irregular(&at(name)), irregular_itself(&at(name))),
                (led_to, itself),
                "{name}"
            );
        }
    }
}
