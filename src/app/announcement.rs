//! How the commands of this machine find the server that works on their database: a file in the data directory, which
//! only its user can read. It is made anew at each start, and gone with the server. A server that was killed leaves it
//! behind, and another program may listen at its address by then: it would be given the token and what people say. So the
//! server holds a lock on the file, which ends with its process, and a file without one tells of nobody.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use clifford_config::Loaded;
use clifford_vault::{Secret, Token, irregular};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::{
    local_data,
    owned::{ANNOUNCEMENT, NEW_ANNOUNCEMENT},
};

/// The server, as the file tells of it.
#[derive(Serialize, Deserialize)]
struct Told {
    /// The database that it works on, by its hash.
    database: String,
    /// Where it listens.
    address: String,
    /// Where people find it; a server of an older version does not say.
    #[serde(default)]
    dashboard: Option<String>,
    /// The token that lets this machine's commands in.
    token: String,
    /// Whether it ends when a terminal is left.
    #[serde(default)]
    of_terminal: bool,
}

/// Where a server is found.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Where it listens.
    pub(super) address: SocketAddr,
    /// Where people find the dashboard, as the beginning of a URL.
    pub(super) dashboard: String,
}

/// How long a server stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// Until somebody stops it; then it may be started again.
    UntilStopped,
    /// As long as its terminal. Another terminal goes on in its place.
    WithTerminal,
}

/// A server that was found.
#[derive(Clone, Debug)]
pub struct Announced {
    /// Where it listens, as the beginning of a URL.
    pub address: String,
    /// Where people find the dashboard, as the beginning of a URL.
    pub dashboard: String,
    /// The token that lets this machine's commands in.
    pub token: Secret,
    /// How long it stays.
    pub stays: Stays,
}

impl From<Told> for Announced {
    fn from(told: Told) -> Self {
        Self {
            dashboard: told.dashboard.unwrap_or_else(|| told.address.clone()),
            address: told.address,
            token: Secret::new(told.token),
            stays: match told.of_terminal {
                true => Stays::WithTerminal,
                false => Stays::UntilStopped,
            },
        }
    }
}

/// Where a server announces itself.
#[derive(Clone, Debug)]
pub struct Announcement {
    path: PathBuf,
    database: String,
    /// The file with its lock, while this process announces itself.
    held: Arc<Mutex<Option<File>>>,
}

impl Announcement {
    /// The announcement of a server with these settings.
    pub fn of(loaded: &Loaded) -> Self {
        let database = match local_data(loaded).database {
            Some(file) => fs::canonicalize(&file).unwrap_or(file).display().to_string(),
            None => loaded.database_url.as_str().to_owned(),
        };
        Self {
            path: loaded.data_dir.join(ANNOUNCEMENT),
            // An address may hold a password.
            database: clifford_vault::hash(&database),
            held: Arc::default(),
        }
    }

    /// The server that announced itself, if it lives and works on the same database.
    pub fn read(&self) -> Option<Announced> {
        // A pipe would be waited for.
        if irregular(&self.path).is_some() {
            return None;
        }
        let mut file = File::open(&self.path).ok()?;
        // A shared lock does not keep others that ask from theirs, and ends with the file.
        if flock(&file, FlockOperation::NonBlockingLockShared) != Err(rustix::io::Errno::WOULDBLOCK) {
            return None;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let told: Told = serde_json::from_slice(&bytes).ok()?;
        (told.database == self.database).then(|| told.into())
    }

    /// The announcement that other processes read.
    fn record(&self, place: &Place, token: &Token, stays: Stays) -> Told {
        Told {
            database: self.database.clone(),
            address: format!("http://{}", reachable(place.address)),
            dashboard: Some(place.dashboard.clone()),
            token: token.expose().to_owned(),
            of_terminal: stays == Stays::WithTerminal,
        }
    }

    /// A server of this process, as another one would find it.
    pub(super) fn own(&self, place: &Place, token: &Token, stays: Stays) -> Announced {
        self.record(place, token, stays).into()
    }

    /// Announces a server, for as long as this process lives or until it takes that back.
    ///
    /// # Errors
    /// The file cannot be written or locked.
    pub(super) fn write(&self, place: &Place, token: &Token, stays: Stays) -> io::Result<()> {
        let told = self.record(place, token, stays);
        let new = self.path.with_file_name(NEW_ANNOUNCEMENT);
        // One that a crash left must not lend its mode.
        remove(&new)?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec(&told)?)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        clifford_vault::give_to_owner(&new)?;
        fs::rename(&new, &self.path)?;
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(())
    }

    /// Takes back the announcement of the server with this token.
    pub(super) fn take_back(&self, token: &Token) {
        let is_own = fs::read(&self.path)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Told>(&bytes).ok())
            .is_some_and(|told| told.token == token.expose());
        if is_own && let Err(error) = remove(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "failed to remove the file that announces the server");
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The address at which this machine reaches it.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn place(address: &str) -> Place {
        Place {
            address: address.parse().unwrap(),
            dashboard: "http://localhost:8088".to_owned(),
        }
    }

    #[test]
    fn a_server_is_found_by_its_database_until_it_takes_its_word_back() {
        let directory = tempfile::tempdir().unwrap();
        let of = |database: &str| Announcement {
            path: directory.path().join(ANNOUNCEMENT),
            database: database.to_owned(),
            held: Arc::default(),
        };
        let (ours, token) = (of("a"), Token::new(&mut rand::rng()));
        assert!(ours.read().is_none());
        ours.write(&place("0.0.0.0:8088"), &token, Stays::WithTerminal).unwrap();
        let found = ours.read().unwrap();
        assert_eq!(
            (&*found.address, &*found.dashboard, found.token.expose(), found.stays),
            (
                "http://127.0.0.1:8088",
                "http://localhost:8088",
                token.expose(),
                Stays::WithTerminal
            )
        );
        assert!(of("b").read().is_none());
        let mode = fs::metadata(directory.path().join(ANNOUNCEMENT))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        ours.take_back(&Token::new(&mut rand::rng()));
        assert!(ours.read().is_some());
        ours.take_back(&token);
        assert!(ours.read().is_none());
    }

    #[test]
    fn what_a_killed_server_left_behind_tells_of_nobody() {
        let directory = tempfile::tempdir().unwrap();
        let announcement = Announcement {
            path: directory.path().join(ANNOUNCEMENT),
            database: "a".to_owned(),
            held: Arc::default(),
        };
        let token = Token::new(&mut rand::rng());
        let write = |address: &str| announcement.write(&place(address), &token, Stays::UntilStopped);
        write("127.0.0.1:8088").unwrap();
        assert_eq!(announcement.read().unwrap().stays, Stays::UntilStopped);
        // As the system does with the locks of a process that ends.
        announcement.held.lock().unwrap().take();
        assert!(announcement.path.exists() && announcement.read().is_none());
        write("127.0.0.1:8089").unwrap();
        assert_eq!(&*announcement.read().unwrap().address, "http://127.0.0.1:8089");
    }
}
