//! The signals of a process: to stop, and to read its settings again.

use std::io::{self, IsTerminal};

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that stop a process.
pub(in crate::cli) struct Stops {
    interrupt: Signal,
    terminate: Signal,
    /// Held, never read: a file that may not grow is a full disk, which passes, and not the end of the process.
    _too_large: Signal,
}

impl Stops {
    pub(in crate::cli) fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).context("SIGINT cannot be listened to")?,
            terminate: signal(SignalKind::terminate()).context("SIGTERM cannot be listened to")?,
            _too_large: signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))
                .context("SIGXFSZ cannot be listened to")?,
        })
    }

    pub(in crate::cli) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// A signal to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// To end.
    Stop,
    /// To read its settings again.
    Reload,
}

/// The signals to a server. One that comes while nobody listens is heard later; several of a kind are one.
pub(super) struct Signals {
    // SIGHUP first: a process that listens to SIGTERM listens to both.
    hangup: Signal,
    stops: Stops,
    /// It was started in a terminal, whose closing is a SIGHUP as well.
    in_terminal: bool,
}

impl Signals {
    pub(super) fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup()).context("SIGHUP cannot be listened to")?,
            stops: Stops::listen()?,
            in_terminal: io::stdin().is_terminal(),
        })
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> Told {
        tokio::select! {
            biased;
            () = self.stops.next() => Told::Stop,
            _ = self.hangup.recv() => match self.in_terminal && !io::stdin().is_terminal() {
                // The terminal is gone: nobody sees a server there, or can end it.
                true => Told::Stop,
                false => Told::Reload,
            }
        }
    }

    /// Waits for the signal to stop. Other signals wait.
    pub(super) async fn stop(&mut self) {
        self.stops.next().await;
    }
}
