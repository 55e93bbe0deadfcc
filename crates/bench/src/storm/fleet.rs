//! The processes of a storm: started, killed, started again.

use std::{
    fs::OpenOptions,
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use clifford_fakes::postgres::Cluster;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::{
    model,
    world::{DEADLY, World},
};

/// How long a process may take to end when it is asked to.
const GOODBYE: Duration = Duration::from_secs(60);

/// Where the bot keeps everything.
pub struct Database {
    /// Its address.
    pub url: String,
    /// The server, if it is ours.
    cluster: Option<Arc<Cluster>>,
}

impl Database {
    /// A new database: `sqlite` in the directory, `postgres` on a server of its own; anything else is an address.
    ///
    /// # Errors
    /// There is no PostgreSQL server to start.
    pub async fn named(name: &str, dir: &Path) -> anyhow::Result<Self> {
        Ok(match name {
            "sqlite" => Self {
                url: format!("sqlite:{}", dir.join("storm.db").display()),
                cluster: None,
            },
            "postgres" => {
                let started = tokio::task::spawn_blocking(|| {
                    let cluster = Cluster::start()?;
                    let url = cluster.database()?;
                    Some((cluster, url))
                });
                let (cluster, url) = started
                    .await?
                    .context("PostgreSQL is switched off by CLIFFORD_SKIP_POSTGRES=1")?;
                Self {
                    url,
                    cluster: Some(Arc::new(cluster)),
                }
            }
            url => Self {
                url: url.to_owned(),
                cluster: None,
            },
        })
    }

    /// Whether the server can be restarted from here.
    pub fn can_restart(&self) -> bool {
        self.cluster.is_some()
    }

    /// The server dies, and starts again.
    ///
    /// # Errors
    /// It does not start again.
    pub async fn restart(&self) -> anyhow::Result<()> {
        if let Some(cluster) = self.cluster.clone() {
            tokio::task::spawn_blocking(move || cluster.restart())
                .await?
                .map_err(anyhow::Error::msg)?;
        }
        Ok(())
    }
}

/// All processes, on one database.
pub struct Fleet {
    binary: PathBuf,
    /// Where settings and logs are; kept if something was wrong.
    pub dir: TempDir,
    seats: Vec<Seat>,
    /// How many were killed so far.
    pub kills: usize,
    /// How many died of a message so far.
    pub deaths: usize,
    /// When one died, of a kill or of a message.
    pub died: Vec<Instant>,
}

/// One process, again and again.
struct Seat {
    /// Takes part in the work only.
    worker: bool,
    child: Child,
}

impl Fleet {
    /// Starts so many processes; the second half of them are workers only.
    ///
    /// # Errors
    /// They cannot be started.
    pub fn start(binary: PathBuf, dir: TempDir, settings: &str, count: usize) -> anyhow::Result<Self> {
        let path = dir.path().join("bot.toml");
        std::fs::write(&path, settings).with_context(|| format!("{} cannot be written", path.display()))?;
        let mut fleet = Self {
            binary,
            dir,
            seats: Vec::new(),
            kills: 0,
            deaths: 0,
            died: Vec::new(),
        };
        for place in 0..count {
            let worker = place >= connected(count);
            let child = fleet.spawn(worker)?;
            fleet.seats.push(Seat { worker, child });
        }
        Ok(fleet)
    }

    fn spawn(&self, worker: bool) -> anyhow::Result<Child> {
        let dir = self.dir.path();
        let log = OpenOptions::new().create(true).append(true).open(dir.join("log"))?;
        let mut command = Command::new(&self.binary);
        command.arg("serve").arg("--config").arg(dir.join("bot.toml"));
        if worker {
            command.args(["--only", "workers"]);
        }
        command
            .current_dir(dir)
            .env_clear()
            .env("HOME", dir)
            .env("CLIFFORD_CRASH_ON", format!("run={DEADLY}"))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} cannot be started", self.binary.display()))
    }

    /// Starts another process in the place of each that died of a message. Returns how many there were.
    ///
    /// # Errors
    /// One ended in another way, or the next cannot be started.
    pub fn revive(&mut self) -> anyhow::Result<usize> {
        let mut dead = 0;
        for place in 0..self.seats.len() {
            let worker = self.seats[place].worker;
            let Some(status) = self.seats[place].child.try_wait()? else {
                continue;
            };
            if status.signal() != Some(rustix::process::Signal::ABORT.as_raw()) {
                let log = self.dir.path().join("log");
                let text = std::fs::read_to_string(&log).unwrap_or_default();
                let why = text
                    .lines()
                    .rfind(|line| line.starts_with("clifford: "))
                    .unwrap_or_default();
                bail!(
                    "process {place} ended by itself ({status}): {why}; see {}",
                    log.display()
                );
            }
            dead += 1;
            self.died.push(Instant::now());
            self.seats[place].child = self.spawn(worker)?;
        }
        self.deaths += dead;
        Ok(dead)
    }

    /// Kills a process and starts another in its place; returns when it was dead.
    ///
    /// # Errors
    /// One had ended by itself, or the next cannot be started.
    pub async fn kill(&mut self, place: usize) -> anyhow::Result<Instant> {
        self.revive()?;
        let place = place % self.seats.len();
        let worker = self.seats[place].worker;
        let seat = &mut self.seats[place];
        seat.child.kill().await?;
        let died = Instant::now();
        self.kills += 1;
        self.died.push(died);
        self.seats[place].child = self.spawn(worker)?;
        Ok(died)
    }

    /// Asks all to end.
    ///
    /// # Errors
    /// One does not, or not cleanly.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        for (place, seat) in self.seats.iter_mut().enumerate() {
            let id = seat
                .child
                .id()
                .with_context(|| format!("process {place} ended by itself"))?;
            let pid = rustix::process::Pid::from_raw(i32::try_from(id)?).context("no process id")?;
            rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        }
        for (place, seat) in self.seats.iter_mut().enumerate() {
            let status = tokio::time::timeout(GOODBYE, seat.child.wait())
                .await
                .with_context(|| format!("process {place} does not end"))??;
            ensure!(status.success(), "process {place} ended badly: {status}");
        }
        Ok(())
    }
}

/// How many of so many processes are connected to the platforms; the others are workers only.
pub fn connected(processes: usize) -> usize {
    processes.div_ceil(2)
}

/// The settings of the bot in a storm: nothing that would hold it back, and leases that run out soon. Processes share
/// Discord's servers.
pub fn settings(world: &World, model_url: &str, database: &str, dir: &Path, processes: usize) -> String {
    format!(
        r#"
[database]
url = "{database}"
max_connections = 8
[data]
dir = "{dir}"
[http]
enabled = false
[log]
level = "info,clifford=debug"
[ingress]
user_messages_per_minute = 0
[engine]
lease_seconds = 3
[delivery]
progress_after_seconds = 0
stuck_seconds = 2
max_backoff_seconds = 2
[channels.telegram]
token = "{telegram_token}"
api_url = "{telegram}"
access = "open"
rate_overall_per_second = 0
rate_private_per_second = 0
rate_group_per_minute = 0
[channels.discord]
token = "{discord_token}"
shards = {shards}
api_url = "{discord}"
access = "open"
[[llm.providers]]
name = "storm"
kind = "openai"
base_url = "{model_url}"
model = "storm"
key = "none"
context_tokens = {window}
[tools.web]
allow_hosts = ["{site}"]
"#,
        window = model::WINDOW,
        site = world.site.address(),
        dir = dir.display(),
        shards = connected(processes),
        telegram_token = world.telegram.token(),
        telegram = world.telegram.api_url(),
        discord_token = clifford_fakes::discord::DiscordFake::TOKEN,
        discord = world.discord.api_url(),
    )
}
