//! A machine of one's own: an empty home, and the binary with one more platform.

use std::{
    fs,
    path::PathBuf,
    process::{Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::process::{Child, Command};

pub struct Machine {
    home: TempDir,
}

impl Machine {
    pub fn new() -> Self {
        Self {
            home: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    pub fn command(&self, args: &[&str], env: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clifford-socket"));
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home.path())
            .envs(env.iter().copied())
            .current_dir(self.home.path())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs a command to its end.
    pub async fn run(&self, args: &[&str], env: &[(&str, &str)]) -> Ended {
        Ended::of(self.command(args, env).output().await.unwrap())
    }

    /// Starts a server whose output goes to `log`.
    pub fn serve(&self, env: &[(&str, &str)]) -> Child {
        let log = fs::File::create(self.path("log")).unwrap();
        let mut command = self.command(&["serve"], env);
        command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
    }
}

/// The output and exit code of a command.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Went well, and said nothing on standard error.
    #[track_caller]
    pub fn succeeds(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// The check of a `doctor --json` of this name: status, what was found, and how to mend it.
    #[track_caller]
    pub fn check(&self, name: &str) -> [String; 3] {
        let report: Value = serde_json::from_str(&self.out).unwrap();
        let mut checks = report["checks"].as_array().unwrap().iter();
        let check = checks.find(|check| check["check"] == name);
        let check = check.unwrap_or_else(|| panic!("no check {name}: {report}"));
        ["status", "found", "mend"].map(|key| check[key].as_str().unwrap_or_default().to_owned())
    }
}
