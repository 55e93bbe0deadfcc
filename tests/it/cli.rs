//! The command line, as people and scripts use it: each command through the real binary, in a clean environment.

mod alone;
mod backup;
mod damaged;
mod data;
mod doctor;
mod emptied;
mod eval;
mod foreign;
mod hostile;
mod importing;
mod init;
mod interrupts;
mod killed;
mod manners;
mod mcp;
mod odd_places;
mod operating;
mod own_data;
mod people;
mod policies;
mod postgres;
mod runs;
mod serving;
mod settings;
mod shapes;
mod talking;
mod terminal;
mod through;
mod tools;
mod triggers;
mod typing;
mod typing_on;
mod updating;
mod usage;
mod wizard;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A machine of one's own: an empty home, and nothing in the environment.
struct Machine {
    home: TempDir,
}

/// The output and exit code of a command.
#[derive(Debug)]
struct Ended {
    code: i32,
    out: String,
    err: String,
}

impl Machine {
    fn new() -> Self {
        Self {
            home: tempfile::tempdir().expect("a directory"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn database(&self) -> PathBuf {
        self.path("data/clifford/clifford.db")
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("a file");
        path
    }

    fn command<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clifford"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home.path())
            .env("XDG_DATA_HOME", self.path("data"))
            .current_dir(self.home.path())
            .stdin(Stdio::null());
        command
    }

    fn run<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ended {
        Ended::of(self.command(args).output().expect("the binary runs"))
    }

    /// Runs a command with this on its standard input.
    fn pipe(&self, input: &str, args: &[&str]) -> Ended {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(input.as_bytes()).expect("it reads");
        drop(stdin);
        Ended::of(child.wait_with_output().expect("it ends"))
    }

    /// Asks a question, so that there is a database with a run in it.
    fn asked(question: &str) -> Self {
        let machine = Self::new();
        machine.run(["ask", question]).succeeds();
        machine
    }

    /// As [`Machine::run`], off the runtime's threads, so that fakes in this process can answer.
    async fn run_beside(&self, args: &[&str], env: &[(&str, String)]) -> Ended {
        let mut command = self.command(args);
        command.envs(env.iter().map(|(name, value)| (name, value)));
        let output = tokio::task::spawn_blocking(move || command.output()).await;
        Ended::of(output.expect("the thread ends").expect("the binary runs"))
    }
}

impl Ended {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// Went well, and said nothing on standard error.
    #[track_caller]
    fn succeeds(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// Failed with this one line.
    #[track_caller]
    fn fails_with(self, expected: &str) {
        assert_eq!(
            (self.code, self.out.as_str(), self.err.trim_end()),
            (1, "", format!("clifford: {expected}").as_str())
        );
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A path as it stands in messages.
fn shown(path: &Path) -> String {
    path.display().to_string()
}

const COMMANDS: [&[&str]; 45] = [
    &[],
    &["init"],
    &["serve"],
    &["chat"],
    &["ask"],
    &["doctor"],
    &["config"],
    &["config", "check"],
    &["config", "show"],
    &["config", "schema"],
    &["db"],
    &["db", "migrate"],
    &["db", "status"],
    &["db", "backup"],
    &["db", "check"],
    &["db", "copy"],
    &["backup"],
    &["restore"],
    &["export"],
    &["import"],
    &["runs", "list"],
    &["runs", "show"],
    &["runs", "cancel"],
    &["runs", "retry"],
    &["runs", "replay"],
    &["runs", "tail"],
    &["token", "create"],
    &["pair", "approve"],
    &["link", "code"],
    &["link", "use"],
    &["memory", "list"],
    &["memory", "add"],
    &["memory", "set"],
    &["memory", "forget"],
    &["memory", "jobs"],
    &["users", "list"],
    &["users", "show"],
    &["users", "set"],
    &["contexts", "list"],
    &["contexts", "close"],
    &["settings", "list"],
    &["settings", "set"],
    &["settings", "unset"],
    &["mcp"],
    &["completions"],
];

#[test]
fn every_command_explains_itself() {
    let machine = Machine::new();
    for command in COMMANDS {
        let out = machine.run([command, &["--help"]].concat()).succeeds();
        assert!(out.contains("Usage: clifford"), "{command:?}: {out}");
    }
    for command in [
        "init",
        "serve",
        "chat",
        "ask",
        "doctor",
        "config",
        "db",
        "backup",
        "restore",
        "runs",
        "contexts",
        "memory",
        "users",
        "settings",
        "token",
        "pair",
        "link",
        "completions",
    ] {
        let out = machine.run([command, "--help"]).succeeds();
        assert!(out.contains("Examples:\n  "), "{command}: {out}");
        assert!(
            out.contains("Exit codes: 0 done, 1 failed, 2 wrong usage"),
            "{command}: {out}"
        );
    }
}

#[test]
fn wrong_usage_ends_with_2() {
    let machine = Machine::new();
    for args in [
        &["serv"][..],
        &["serve", "--only", "nothing"],
        &["serve", "extra"],
        &["runs", "show"],
        &["runs", "show", "12"],
        &["runs", "list", "--limit", "0"],
        &["runs", "list", "--status", "done"],
        &["memory", "set", "you", "name"],
        &["memory", "list", "you", "--level", "6"],
        &["users", "list", "--role", "king"],
        &["contexts", "show", "12"],
        &["token", "create", "--scope", "root"],
        &["completions", "cobol"],
        &["--set", "nonsense", "config", "show"],
    ] {
        let ended = machine.run(args);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{args:?}: {ended:?}");
        assert!(
            ended.err.contains("Usage:") || ended.err.contains("error:"),
            "{args:?}: {ended:?}"
        );
    }
    assert!(!machine.path("data").exists(), "nothing is made by wrong usage");
}

#[test]
fn wrong_usage_is_told_by_what_is_wrong() {
    let machine = Machine::new();
    for (args, told, not) in [
        (
            &["runs", "list", "--limit", "-1"][..],
            "write a whole number from 1 to 1000",
            "unexpected",
        ),
        (&["runs", "list", "--count", "2"], "--count", "tip:"),
        (&["serve", "--confg", "bot.toml"], "'--config'", "no such"),
    ] {
        let ended = machine.run(args);
        assert_eq!(ended.code, 2, "{args:?}: {ended:?}");
        assert!(
            ended.err.contains(told) && !ended.err.contains(not),
            "{args:?}: {ended:?}"
        );
    }
}

#[test]
fn completions_are_scripts_for_each_shell() {
    let machine = Machine::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            machine.run(["completions", shell]).succeeds().contains("doctor"),
            "{shell}"
        );
    }
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let machine = Machine::asked("hello");
    for args in [
        &["--help"][..],
        &["config", "schema"],
        &["completions", "zsh"],
        &["runs", "list"],
        &["runs", "show", "last"],
        &["runs", "tail", "last"],
        &["config", "show"],
        &["ask", "hello"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = machine.command(args).stdout(writer).output().expect("the binary runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), err.as_ref()), (Some(0), ""), "{args:?}");
    }
}
