//! The entries of the data directory that are Clifford's. All else in it belongs to somebody else, and stays as it is.

use std::path::{Path, PathBuf};

use clifford_config::DATABASE_FILE;
use clifford_content::files::FILES;
use clifford_engine::jobs::erase::TYPED;
use clifford_vault::KEY_FILE;

/// The ends of the names of a database and of the files next to it.
pub(crate) const BESIDE_DATABASE: [&str; 6] = ["", "-wal", "-shm", "-journal", LOCK_END, RESTORED_END];
const LOCK_END: &str = ".lock";
/// The end of the name of a database that a restore is about to put in place.
pub(crate) const RESTORED_END: &str = ".restored";
/// The announcement of the server to this machine's commands, and a new one that is being written.
pub(crate) const ANNOUNCEMENT: &str = "server.json";
pub(crate) const NEW_ANNOUNCEMENT: &str = "server.json.new";
/// The mark of a restore that moves its parts.
pub(crate) const RESTORE_MARK: &str = "restore-in-progress";
/// The beginning of the name of the directory with the parts of a backup that is being restored.
pub(crate) const RESTORE_PARTS: &str = ".restore-";
/// The same of what was there before a restore.
pub(crate) const BEFORE_RESTORE: &str = "before-restore-";
/// The same of a backup that is being written.
pub(crate) const BACKUP_PARTS: &str = ".clifford-backup-";
/// The databases that are known here, and its temporary file's beginning.
pub(crate) const KNOWN: &str = "known.json";
/// A key that is being written is `secret.NUMBER.new`.
const NEW_KEY: (&str, &str) = ("secret.", ".new");
const NEW_KEY_NUMBER: usize = 16;
/// The digits of a directory's name in that of people's files, and of a file's in it.
const SHARD: usize = 2;
const FILE: usize = 32;
/// The end of the name of a file that is being written.
const PART: &str = ".part";
/// The directory of a disk for what a check of it finds; an empty disk has it, and it is nobody's.
const LOST_AND_FOUND: &str = "lost+found";

/// A directory with entries of Clifford's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The data directory.
    Data,
    /// That of people's files.
    Files,
    /// A directory in it, by the end of the files' ids.
    Shard,
    /// One that is Clifford's with all that is in it.
    Whole,
}

impl Level {
    /// The kind of an entry that Clifford makes here under this name. `None`: it makes no such entry.
    pub(super) fn entry(self, name: &str) -> Option<Self> {
        let is_own = match self {
            Self::Whole => true,
            Self::Data if name == FILES => return Some(Self::Files),
            Self::Data => is_own(name),
            Self::Files if is_hex(name, SHARD) => return Some(Self::Shard),
            Self::Files => false,
            Self::Shard => is_hex(name.strip_suffix(PART).unwrap_or(name), FILE),
        };
        is_own.then_some(Self::Whole)
    }
}

fn is_own(name: &str) -> bool {
    let names = [KEY_FILE, TYPED, ANNOUNCEMENT, NEW_ANNOUNCEMENT, RESTORE_MARK];
    let beginnings = [RESTORE_PARTS, BEFORE_RESTORE, BACKUP_PARTS, KNOWN];
    let new_key = name
        .strip_prefix(NEW_KEY.0)
        .and_then(|rest| rest.strip_suffix(NEW_KEY.1));
    names.contains(&name)
        || beginnings.iter().any(|beginning| name.starts_with(beginning))
        || name
            .strip_prefix(DATABASE_FILE)
            .is_some_and(|end| BESIDE_DATABASE.contains(&end))
        || new_key.is_some_and(|number| is_hex(number, NEW_KEY_NUMBER))
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether an entry tells of nobody else in the directory.
pub(super) fn is_nobodys(name: &str) -> bool {
    name == LOST_AND_FOUND
}

/// A database and the files next to it. They stand where a link to the database leads.
pub(crate) fn of_database(database: &Path) -> impl Iterator<Item = PathBuf> {
    let real = database.canonicalize().unwrap_or_else(|_| database.to_owned());
    BESIDE_DATABASE.into_iter().map(move |end| {
        let mut name = real.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clifford_makes_is_told_from_what_others_have() {
        let id = "0192cafe0000700080000000000000ab";
        for (level, name, expected) in [
            (Level::Data, "clifford.db", Some(Level::Whole)),
            (Level::Data, "clifford.db-wal", Some(Level::Whole)),
            (Level::Data, "clifford.db-shm", Some(Level::Whole)),
            (Level::Data, "clifford.db-journal", Some(Level::Whole)),
            (Level::Data, "clifford.db.lock", Some(Level::Whole)),
            (Level::Data, "clifford.db.restored", Some(Level::Whole)),
            (Level::Data, "secret.key", Some(Level::Whole)),
            (Level::Data, "secret.00ab12cd34ef5678.new", Some(Level::Whole)),
            (Level::Data, "chat_history", Some(Level::Whole)),
            (Level::Data, "server.json", Some(Level::Whole)),
            (Level::Data, "server.json.new", Some(Level::Whole)),
            (Level::Data, "restore-in-progress", Some(Level::Whole)),
            (Level::Data, ".restore-Xy12", Some(Level::Whole)),
            (Level::Data, "before-restore-1795000000000", Some(Level::Whole)),
            (Level::Data, ".clifford-backup-Xy12", Some(Level::Whole)),
            (Level::Data, "known.json", Some(Level::Whole)),
            (Level::Data, "known.jsonXy12", Some(Level::Whole)),
            (Level::Data, "files", Some(Level::Files)),
            (Level::Files, "ab", Some(Level::Shard)),
            (Level::Shard, id, Some(Level::Whole)),
            (Level::Shard, &format!("{id}.part"), Some(Level::Whole)),
            (Level::Whole, "anything", Some(Level::Whole)),
            (Level::Data, "bot.toml", None),
            (Level::Data, "clifford.db.mine", None),
            (Level::Data, "my-clifford.db", None),
            (Level::Data, "secret.txt", None),
            (Level::Data, "secret..new", None),
            (Level::Data, "secret.notes.new", None),
            (Level::Data, "files.txt", None),
            (Level::Data, "server.js", None),
            (Level::Data, ".ssh", None),
            (Level::Files, "photos", None),
            (Level::Files, "abc", None),
            (Level::Shard, "letter.txt", None),
            (Level::Shard, "ab", None),
        ] {
            assert_eq!(level.entry(name), expected, "{level:?} {name}");
        }
    }
}
