//! One worker process, seen from its parent.

use std::{ffi::OsString, io, path::PathBuf, process::Stdio, time::Duration};

use tokio::{
    process::{Child, ChildStdin, ChildStdout, Command},
    time::Instant,
};

use super::{
    Reply, Task,
    frame::{self, FrameError, REPLY, TASK},
};

/// How long a process may take to end once its input is closed.
const GRACE: Duration = Duration::from_secs(1);

/// The program that a worker process runs: this binary, or in tests another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program(PathBuf);

impl Program {
    /// This process's own binary. For `clifford` alone: it is started with the argument `worker`.
    ///
    /// On Linux the file is found even after an upgrade has replaced it, so both sides speak the same version.
    ///
    /// # Errors
    /// The operating system does not tell where it is.
    pub fn this() -> io::Result<Self> {
        let own = PathBuf::from("/proc/self/exe");
        if own.exists() {
            return Ok(Self(own));
        }
        std::env::current_exe().map(Self)
    }

    /// The binary of this path.
    pub fn at(path: impl Into<OsString>) -> Self {
        Self(PathBuf::from(path.into()))
    }
}

/// Why a task got no reply.
#[derive(Debug)]
pub(super) enum Lost {
    /// The task cannot be written as a frame.
    TooLong(FrameError),
    /// The process ended, or wrote nonsense.
    Died(FrameError),
    /// The deadline passed.
    Late,
}

/// A worker process at work or idle. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    /// For how long it has worked.
    pub worked: Duration,
}

impl Process {
    /// Starts one: an empty environment, the root directory, no file but its pipes, a process group of its own (a
    /// terminal's Ctrl-C is not for it).
    pub(super) fn start(program: &Program) -> io::Result<Self> {
        let mut child = Command::new(&program.0)
            .arg0("clifford")
            .arg("worker")
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("it has no pipes"));
        };
        Ok(Self {
            child,
            stdin,
            stdout,
            worked: Duration::ZERO,
        })
    }

    /// Whether it still runs: an idle one may have been killed from outside.
    pub(super) fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Has a task done. After an error the process must not be used again.
    pub(super) async fn perform(&mut self, task: &Task, body: &[u8], within: Duration) -> Result<Reply, Lost> {
        let began = Instant::now();
        let exchange = async {
            match frame::send(&mut self.stdin, task, body, TASK).await {
                Err(error @ FrameError::TooLong { .. }) => return Err(Lost::TooLong(error)),
                // It died while it read: what it wrote before tells nothing.
                Err(error) => return Err(Lost::Died(error)),
                Ok(()) => {}
            }
            frame::receive(&mut self.stdout, REPLY).await.map_err(Lost::Died)
        };
        let outcome = tokio::time::timeout(within, exchange).await;
        self.worked += began.elapsed();
        outcome.unwrap_or(Err(Lost::Late))
    }

    /// Kills and reaps it, and tells how it ended.
    pub(super) async fn kill(mut self) -> String {
        self.child.start_kill().ok();
        match self.child.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// Ends it: its input is closed, and what does not end by that is killed.
    pub(super) async fn end(self) {
        let Self {
            mut child,
            stdin,
            stdout,
            ..
        } = self;
        drop((stdin, stdout));
        if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
            child.kill().await.ok();
        }
    }
}
