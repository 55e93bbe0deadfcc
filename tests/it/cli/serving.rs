//! `clifford serve`: its output, and its end.

use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStdout, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{Ended, Machine};

/// A server, as far as it has spoken.
pub(super) struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Server {
    pub(super) fn start(machine: &Machine, args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut child = machine
            .command([&["serve", "--set", "http.bind=127.0.0.1:0"], args].concat())
            .envs(env.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, out }
    }

    /// Reads until a line that begins so.
    pub(super) fn says(&mut self, beginning: &str) -> String {
        let mut line = String::new();
        while !line.starts_with(beginning) {
            line.clear();
            let read = self.out.read_line(&mut line).expect("it reads");
            assert_ne!(read, 0, "never said: {beginning}");
        }
        line.trim_end().to_owned()
    }

    pub(super) fn stop(self) -> Ended {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM).expect("it runs");
        Ended::of(self.child.wait_with_output().expect("it ends"))
    }
}

#[test]
fn a_server_says_what_it_does_and_stops_with_0() {
    let machine = Machine::new();
    let mut server = Server::start(&machine, &[], &[]);
    assert_eq!(server.says("model"), "model      offline responder (no language model)");
    assert_eq!(server.says("platforms"), "platforms  none");
    let line = server.says("dashboard");
    assert!(
        line.starts_with("dashboard  http://localhost:")
            && !line.contains(":0/")
            && line.contains("/login?link=clf_")
            && line.ends_with("(lets you in once, for 10 minutes)"),
        "{line}"
    );
    server.says("There is no bot.toml");
    server.says("No chat platform is on");
    let login = machine.run(["login", "--json"]).json();
    assert!(
        login["url"]
            .as_str()
            .is_some_and(|url| url.starts_with("http://localhost:") && url.contains("/login?link=clf_"))
            && login["userId"].is_null(),
        "{login}"
    );
    for args in [
        &["runs", "list"][..],
        &["users", "list"],
        &["settings", "set", "bot", "memory", "false"],
    ] {
        machine.run(args).succeeds();
    }
    assert_eq!(server.stop().code, 0);
}

#[test]
fn a_claim_code_is_printed_once_while_there_is_no_owner() {
    let machine = Machine::new();
    let env = [
        ("TELEGRAM_BOT_TOKEN", "1:a"),
        ("CLIFFORD_CHANNELS__TELEGRAM__API_URL", "http://127.0.0.1:1"),
    ];
    let mut server = Server::start(&machine, &[], &env);
    let line = server.says("owner");
    assert!(
        line.starts_with("owner      none yet: send ") && line.ends_with("to become its owner"),
        "{line}"
    );
    server.stop();
    let mut server = Server::start(&machine, &[], &env);
    let line = server.says("owner");
    assert!(line.ends_with("`clifford pair claim` prints a new one"), "{line}");
    server.stop();
}

#[test]
fn a_json_log_holds_all_that_is_said_and_no_secret() {
    let machine = Machine::new();
    let env = [
        ("TELEGRAM_BOT_TOKEN", "123:secret-token"),
        ("CLIFFORD_CHANNELS__TELEGRAM__API_URL", "http://127.0.0.1:1"),
    ];
    let mut server = Server::start(&machine, &["--set", "log.format=json"], &env);
    let mut err = BufReader::new(server.child.stderr.take().expect("a pipe"));
    let mut said = Vec::new();
    while !said.iter().any(|line: &String| line.contains("There is no bot.toml")) {
        let mut line = String::new();
        assert_ne!(err.read_line(&mut line).expect("it reads"), 0, "{said:?}");
        let event: Value = serde_json::from_str(&line).expect("an event a line");
        assert!(
            event["level"].is_string() && event["fields"]["message"].is_string(),
            "{line}"
        );
        said.push(line);
    }
    assert!(said.iter().any(|line| line.contains("Clifford ")), "{said:?}");
    assert!(!said.iter().any(|line| line.contains("secret-token")), "{said:?}");
    let ended = server.stop();
    assert_eq!((ended.code, ended.out.as_str()), (0, ""));
}

/// Looks until a run waits, and returns its id.
fn waiting(machine: &Machine) -> String {
    for _ in 0..500 {
        let ended = machine.run(["runs", "list", "--status", "waiting", "--json"]);
        if ended.code == 0
            && let Some(id) = ended.json()[0]["id"].as_str()
        {
            return id.to_owned();
        }
    }
    panic!("no run waits");
}

#[test]
fn a_run_that_is_cancelled_from_outside_ends_where_it_is_worked_on_and_a_server_does_it_again() {
    let machine = Machine::new();
    let ask = machine
        .command(["ask", "wait 10 minutes"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let first = waiting(&machine);
    machine.run(["runs", "cancel", &first]).succeeds();
    let ended = Ended::of(ask.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains(&format!("run {first} cancelled")), "{ended:?}");

    let mut server = Server::start(&machine, &[], &[]);
    server.says("model");
    let again = machine.run(["runs", "retry", &first, "--json"]).json();
    let id = waiting(&machine);
    assert_eq!(again["id"], id.as_str());
    let tail = machine
        .command(["runs", "tail", &id])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    machine.run(["runs", "cancel", &id]).succeeds();
    let output = tail.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("sleep"), "{text}");
    assert_eq!(text.lines().last(), Some(format!("{id}: cancelled").as_str()));
    assert_eq!(server.stop().code, 0);
}
