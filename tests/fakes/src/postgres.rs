//! A private PostgreSQL server for the tests of one process.
//!
//! The server belongs to a small shell that waits for the end of its standard input. The other end of
//! that pipe is held by this process, so that however the process ends, a kill included, the shell notices,
//! stops the server and deletes its directory.

use std::{
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

/// Runs without the tests that need PostgreSQL, which then say that they were skipped, if this is `1`.
pub const SKIP: &str = "CLIFFORD_SKIP_POSTGRES";

/// Makes a cluster, starts it, says so, waits for the end of its input, cleans up.
///
/// Durability is off because only a crash of the machine could need it; a crash of a client does not.
const KEEPER: &str = r#"
bin=$1; port=$2
dir=$(mktemp -d) || exit 1
cd "$dir"
stop() { exec >/dev/null 2>&1; "$bin/pg_ctl" -D "$dir/data" -m immediate stop; cd /; rm -rf "$dir"; }
trap stop EXIT
"$bin/initdb" -D "$dir/data" -U clifford -A trust -E UTF8 --locale=C --no-sync >"$dir/log" 2>&1 &&
"$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -o "-h 127.0.0.1 -p $port -k $dir -c fsync=off -c max_wal_size=128MB -c max_connections=300" start \
    >/dev/null 2>&1 </dev/null || { cat "$dir/log"; exit 1; }
echo "ready $dir"
cat >/dev/null
"#;

/// A server on a free port of `127.0.0.1` and on a Unix socket, with a superuser `clifford` and no password.
#[derive(Debug)]
pub struct Cluster {
    server: Option<Server>,
    databases: AtomicU32,
    template: OnceLock<String>,
}

#[derive(Debug)]
struct Server {
    bin: PathBuf,
    port: u16,
    socket: String,
    // Held for its standard input: the keeper ends when this process does.
    _keeper: Child,
}

impl Cluster {
    /// The cluster of this process, started at the first call.
    ///
    /// # Panics
    ///
    /// If no PostgreSQL is installed, unless `CLIFFORD_SKIP_POSTGRES=1`, or if it does not start.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| Self {
            server: if std::env::var_os(SKIP).is_some_and(|skip| skip == "1") {
                None
            } else {
                Some(Server::start())
            },
            databases: AtomicU32::new(0),
            template: OnceLock::new(),
        })
    }

    /// A cluster of one's own, which may be restarted; it ends when it is dropped. `None` where
    /// `CLIFFORD_SKIP_POSTGRES=1`: there is none.
    ///
    /// # Panics
    ///
    /// If no PostgreSQL is installed, or if it does not start.
    pub fn start() -> Option<Self> {
        let skip = std::env::var_os(SKIP).is_some_and(|skip| skip == "1");
        (!skip).then(|| Self {
            server: Some(Server::start()),
            databases: AtomicU32::new(0),
            template: OnceLock::new(),
        })
    }

    /// Kills the server, and starts it again: connections break, and what was not committed is gone.
    ///
    /// # Errors
    ///
    /// The error is the output of `pg_ctl`.
    pub fn restart(&self) -> Result<(), String> {
        self.server.as_ref().map_or(Ok(()), Server::restart)
    }

    /// The URL of a new and empty database, or nothing where `CLIFFORD_SKIP_POSTGRES=1`: the test then
    /// ends, and this has printed that it was skipped.
    ///
    /// # Panics
    ///
    /// If the server refuses.
    pub fn database(&self) -> Option<String> {
        let server = self.server()?;
        Some(server.url(&self.create(server, "template0")))
    }

    /// The URL of a new database that is a copy of what `migrate` makes of an empty one, once, given its URL. Copying takes
    /// a fraction of the time of making some hundred tables. Nothing as for [`Cluster::database`].
    ///
    /// # Panics
    ///
    /// If the server refuses.
    pub fn migrated(&self, migrate: impl FnOnce(&str)) -> Option<String> {
        let server = self.server()?;
        let template = self.template.get_or_init(|| {
            let name = self.create(server, "template0");
            migrate(&server.url(&name));
            name
        });
        Some(server.url(&self.create(server, template)))
    }

    #[expect(clippy::print_stderr, reason = "a skipped test has to say so")]
    fn server(&self) -> Option<&Server> {
        if self.server.is_none() {
            eprintln!("skipped: {SKIP}=1");
        }
        self.server.as_ref()
    }

    fn create(&self, server: &Server, template: &str) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        server.create(&name, template);
        name
    }
}

impl Server {
    fn start() -> Self {
        let Some(bin) = binaries() else {
            panic!(
                "no PostgreSQL server found in /usr/lib/postgresql or PATH: install the package \"postgresql\", or set {SKIP}=1 to skip its tests"
            )
        };
        // Another process may take the free port before the server does: rare, so a few attempts are plenty.
        let mut said = String::new();
        for _ in 0..4 {
            match Self::attempt(&bin, free_port()) {
                Ok(server) => return server,
                Err(reason) => said = reason,
            }
        }
        panic!("PostgreSQL of {} does not start:\n{said}", bin.display())
    }

    fn attempt(bin: &Path, port: u16) -> Result<Self, String> {
        let mut command = Command::new("sh");
        command
            .args(["-c", KEEPER, "keeper"])
            .arg(bin)
            .arg(port.to_string())
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some((uid, gid)) = other_than_root() {
            command.uid(uid).gid(gid);
        }
        let mut keeper = command.spawn().map_err(|error| format!("sh: {error}"))?;
        let mut said = String::new();
        if let Some(stdout) = keeper.stdout.take() {
            let mut stdout = BufReader::new(stdout);
            let _ = stdout.read_line(&mut said);
            if let Some(socket) = said.trim_end().strip_prefix("ready ") {
                return Ok(Self {
                    bin: bin.into(),
                    port,
                    socket: socket.into(),
                    _keeper: keeper,
                });
            }
            let _ = stdout.read_to_string(&mut said);
        }
        let _ = keeper.wait();
        Err(said)
    }

    fn restart(&self) -> Result<(), String> {
        let mut command = Command::new(self.bin.join("pg_ctl"));
        command
            .arg("-D")
            .arg(Path::new(&self.socket).join("data"))
            .arg("-l")
            .arg(Path::new(&self.socket).join("log"))
            .args(["-w", "-m", "immediate", "restart"])
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some((uid, gid)) = other_than_root() {
            command.uid(uid).gid(gid);
        }
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!(
                "pg_ctl restart: {status}\n{}",
                std::fs::read_to_string(Path::new(&self.socket).join("log")).unwrap_or_default()
            )),
            Err(error) => Err(format!("pg_ctl: {error}")),
        }
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://clifford@127.0.0.1:{}/{database}", self.port)
    }

    fn create(&self, name: &str, template: &str) {
        let made = Command::new(self.bin.join("createdb"))
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-U",
                "clifford",
                "-T",
                template,
                name,
            ])
            .output();
        match made {
            Ok(output) if output.status.success() => {}
            Ok(output) => panic!(
                "database {name} in {}: {}",
                self.socket,
                String::from_utf8_lossy(&output.stderr)
            ),
            Err(error) => panic!("createdb: {error}"),
        }
    }
}

/// The folder of the newest PostgreSQL: Debian keeps one per version, others have it in `PATH`.
fn binaries() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok().into_iter().flatten();
    let newest = versions
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .max()
        .map(|version| PathBuf::from(format!("/usr/lib/postgresql/{version}/bin")));
    let path = std::env::var_os("PATH").unwrap_or_default();
    newest
        .into_iter()
        .chain(std::env::split_paths(&path))
        .find(|folder| folder.join("initdb").is_file())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .map_or(0, |address| address.port())
}

/// The user and group of the server where the tests run as root, whom it refuses.
fn other_than_root() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let people = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = ["postgres", "nobody"].iter().find_map(|name| {
        let line = people.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    });
    Some(found.unwrap_or((65534, 65534)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_answers_and_is_not_the_one_before() {
        let cluster = Cluster::shared();
        let (Some(first), Some(second)) = (cluster.database(), cluster.database()) else {
            return;
        };
        assert_ne!(first, second);
        let Some(server) = &cluster.server else { return };
        let answer = Command::new(server.bin.join("psql"))
            .args([&first, "-Atc", "select 40 + 2"])
            .output()
            .expect("psql runs");
        assert_eq!(String::from_utf8_lossy(&answer.stdout), "42\n");
    }
}
