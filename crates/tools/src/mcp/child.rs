//! A server's program: started with an environment of its own, and ended with the process.

use std::{io, process::Stdio, time::Duration};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};
use tokio_util::task::TaskTracker;

use super::{pace::Pace, settings::Program};

/// How long a program may take to end by itself once its input is closed, and then once it was told to.
const GRACE: Duration = Duration::from_secs(1);
/// How often it is looked whether it has ended: while it is to end, and while it is at work.
const LOOK: Duration = Duration::from_millis(20);
const WATCH: Duration = Duration::from_millis(500);
/// The most bytes of a line that a program writes to its log.
const LINE: u64 = 4096;
/// The part of this process's environment that a program gets: enough to be found and to find its files.
const PASSED_ON: [&str; 2] = ["PATH", "HOME"];

/// A program at work, with whatever it started: they are a process group, and end together.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// Reads its standard error; ends by itself when nobody writes there any more.
    _log: TaskTracker,
}

impl Process {
    /// Starts a program. Its standard error goes to the log.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn start(name: &str, program: &Program) -> io::Result<(Self, ChildStdout, ChildStdin)> {
        let mut command = Command::new(&program.program);
        command
            .args(&program.args)
            .env_clear()
            .envs(
                PASSED_ON
                    .iter()
                    .filter_map(|name| Some((name, std::env::var_os(name)?))),
            )
            .envs(program.env.iter().map(|(name, value)| (name, value.expose())))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(dir) = &program.cwd {
            command.current_dir(dir);
        }
        let mut child = command.spawn()?;
        let pipes = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let (Some(stdout), Some(stdin), Some(stderr)) = pipes else {
            return Err(io::Error::other("it has no pipes"));
        };
        let tasks = TaskTracker::new();
        tasks.spawn(log(name.to_owned(), stderr));
        Ok((Self { child, _log: tasks }, stdout, stdin))
    }

    /// Ends the program, whose input was closed: most end by that, others are told to, and what is left is killed.
    pub(super) async fn end(mut self) {
        if !self.ends_within(GRACE).await {
            self.signal(Signal::TERM);
            self.ends_within(GRACE).await;
        }
        self.signal(Signal::KILL);
        self.child.wait().await.ok();
    }

    /// Waits until the program has ended, by itself or not.
    pub(super) async fn ended(&self) {
        self.ended_looking_every(WATCH).await;
    }

    async fn ends_within(&self, time: Duration) -> bool {
        tokio::time::timeout(time, self.ended_looking_every(LOOK)).await.is_ok()
    }

    async fn ended_looking_every(&self, pause: Duration) {
        while !self.has_ended() {
            tokio::time::sleep(pause).await;
        }
    }

    /// Whether the program has ended; it is not waited for by that, so its group keeps its number.
    fn has_ended(&self) -> bool {
        let looking = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.id()
            .is_none_or(|id| !matches!(waitid(WaitId::Pid(id), looking), Ok(None)))
    }

    /// Its number, until it was waited for.
    fn id(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.child.id()?).ok()?)
    }

    /// Sends a signal to the program and all that it started. Until it was waited for, nobody else has its number.
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.id() {
            // A group that is gone needs no signal.
            kill_process_group(group, signal).ok();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

/// Writes what a program says of itself into the log, where secrets are masked.
async fn log(server: String, stderr: ChildStderr) {
    let (mut reader, mut pace) = (BufReader::new(stderr), Pace::new());
    while let Some(line) = line(&mut reader).await {
        let wait = pace.take(line.len());
        tracing::debug!(%server, line, "MCP server wrote to its standard error");
        tokio::time::sleep(wait).await;
    }
}

/// The next line, or as much of it as one entry of the log may hold.
async fn line(reader: &mut (impl AsyncRead + AsyncBufReadExt + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    let read = reader.take(LINE).read_until(b'\n', &mut bytes).await;
    match read {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(super::words::cleaned(&String::from_utf8_lossy(&bytes), bytes.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_read_one_by_one_and_an_endless_one_in_pieces() {
        let text = format!("one\ntw\u{1b}o\n{}", "x".repeat(5000));
        let mut reader = BufReader::new(text.as_bytes());
        let mut lines = Vec::new();
        while let Some(line) = line(&mut reader).await {
            lines.push(line);
        }
        assert_eq!(lines, ["one", "tw o", &"x".repeat(4096), &"x".repeat(904)]);
    }
}
