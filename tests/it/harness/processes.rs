//! How a bot's processes begin, are told something, and end.

use std::{
    ffi::OsStr,
    fs::OpenOptions,
    os::unix::process::ExitStatusExt,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use super::{Bot, PATIENCE, Site};

/// The log line of a process whose API can be called.
const SERVING: &str = "serving the API";

impl Bot {
    /// Starts a process, and waits until it is connected and serves the API, if it is to.
    pub async fn start(&mut self) {
        self.start_with(None).await;
    }

    /// Starts a process that dies when it comes to a crash point, and waits until it is connected.
    pub async fn start_crashing(&mut self, point: &str) {
        self.start_with(Some(point)).await;
    }

    async fn start_with(&mut self, crash_at: Option<&str>) {
        let before = self.sessions();
        let polls = self.telegram.polls();
        let serving = self.logged(SERVING);
        self.spawn(crash_at);
        if self.sites.contains(&Site::Discord) {
            self.discord
                .wait_for("a new gateway session", |fake| {
                    (fake.identifies() + fake.resumes() > before && fake.connections() > 0).then_some(())
                })
                .await;
        }
        if self.sites.contains(&Site::Telegram) {
            self.telegram
                .wait_until("the first poll", |fake| (fake.polls() > polls).then_some(()))
                .await;
        }
        // A process that is to die at a point may die before.
        if crash_at.is_none() && self.has_api() {
            self.has_logged(SERVING, serving + 1).await;
        }
    }

    fn has_api(&self) -> bool {
        let settings: toml::Table = self.settings().parse().unwrap();
        let enabled = settings.get("http").and_then(|http| http.get("enabled"));
        enabled.and_then(toml::Value::as_bool).unwrap_or(true)
    }

    fn sessions(&self) -> usize {
        self.discord.identifies() + self.discord.resumes()
    }

    /// From now on processes are started from this binary; `None`: from the one under test.
    pub fn runs(&mut self, other: Option<&OsStr>) {
        self.binary = other.map_or_else(super::binary, OsStr::to_owned);
    }

    /// Starts the binary as who has just installed it does: without a command and a file of settings, in an empty
    /// directory, with this environment and nothing else. Returns that directory.
    pub fn spawn_bare(&mut self, env: &[(&str, String)]) -> TempDir {
        let home = tempfile::tempdir().unwrap();
        let log = OpenOptions::new().create(true).append(true).open(self.log()).unwrap();
        let mut command = Command::new(&self.binary);
        command
            .current_dir(home.path())
            .env_clear()
            .env("HOME", home.path())
            .envs(env.iter().cloned())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true);
        self.processes.push(command.spawn().unwrap());
        home
    }

    /// From now on its processes are started without this variable of the environment.
    pub fn unset(&mut self, name: &str) {
        self.environment.retain(|(key, _)| *key != name);
    }

    /// Whether the oldest process has ended by itself.
    pub fn has_died(&mut self) -> bool {
        self.processes[0].try_wait().unwrap().is_some()
    }

    /// Waits until the oldest process has killed itself at its crash point.
    pub async fn crashed(&mut self) {
        let status = self.exited().await;
        assert_eq!(
            status.signal(),
            Some(Signal::KILL.as_raw()),
            "it did not die at its crash point"
        );
    }

    /// Kills the oldest process as `kill -9` does.
    pub async fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.exited().await;
    }

    /// Asks the oldest process to end; it must do so cleanly.
    pub async fn stop(&mut self) {
        self.listens().await;
        self.signal(Signal::TERM);
        let status = self.exited().await;
        assert!(status.success(), "{status}");
    }

    /// Asks the oldest process to end, and does not wait for it.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Has the oldest process read its settings again.
    pub async fn reload(&self) {
        self.listens().await;
        self.signal(Signal::HUP);
    }

    /// Waits until its processes have logged this so often.
    pub async fn has_logged(&self, text: &str, times: usize) {
        let mut often = tokio::time::interval(Duration::from_millis(20));
        let logged = tokio::time::timeout(PATIENCE, async {
            while self.logged(text) < times {
                often.tick().await;
            }
        });
        assert!(
            logged.await.is_ok(),
            "not logged {times} times: {text}: {}",
            self.log_text()
        );
    }

    /// Interrupts the oldest process until it ends, as somebody does who presses Ctrl-C again and again.
    pub async fn interrupted(&mut self) -> ExitStatus {
        let mut often = tokio::time::interval(Duration::from_millis(100));
        let ended = tokio::time::timeout(PATIENCE, async {
            loop {
                often.tick().await;
                if let Some(status) = self.processes[0].try_wait().unwrap() {
                    return status;
                }
                self.signal(Signal::INT);
            }
        });
        let status = ended.await.expect("it ends");
        self.processes.remove(0);
        status
    }

    /// Waits until the oldest process catches SIGTERM (or has ended): one that has just been started would be ended
    /// by it.
    async fn listens(&self) {
        let path = format!("/proc/{}/status", self.pid().as_raw_pid());
        let mut often = tokio::time::interval(Duration::from_millis(5));
        let listens = tokio::time::timeout(PATIENCE, async {
            while !listens(&std::fs::read_to_string(&path).unwrap()) {
                often.tick().await;
            }
        });
        listens.await.expect("it catches SIGTERM");
    }

    /// Stops the oldest process where it stands, as a machine does that hangs.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets the oldest process go on where it stood.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    /// The oldest process.
    pub fn pid(&self) -> Pid {
        let id = self.processes.first().and_then(Child::id).expect("a process");
        Pid::from_raw(i32::try_from(id).unwrap()).expect("a pid")
    }

    /// How the oldest process ended.
    pub async fn exited(&mut self) -> ExitStatus {
        let mut child = self.processes.remove(0);
        match tokio::time::timeout(PATIENCE, child.wait()).await {
            Ok(status) => status.unwrap(),
            Err(_) => panic!("the process does not end\n{}", self.look().await.dump().await),
        }
    }
}

/// Whether a process catches SIGTERM or has ended, by its `/proc/PID/status`.
fn listens(status: &str) -> bool {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim();
    let caught = u64::from_str_radix(field("SigCgt:"), 16).unwrap();
    field("State:").starts_with('Z') || caught & (1 << (Signal::TERM.as_raw() - 1)) != 0
}
