//! Signals that end a command in the middle: what it has made besides its work goes, the terminal is as it was, and
//! then the signal does what it does to everybody.

use std::{
    fs,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::select_all;
use rustix::{
    process::getpgrp,
    termios::{self, OptionalActions, Termios},
};
use signal_hook::low_level::emulate_default_handler;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::oneshot,
    task::JoinSet,
};

/// How long a command may take to hear a signal. One that asks or computes hears nothing, and ends without letting go
/// of what it holds.
const GRACE: Duration = Duration::from_secs(1);
/// Shows the cursor, and lets pasted text come as if it was typed.
const PLAIN: &[u8] = b"\x1b[?25h\x1b[?2004l";

/// The signals, a bit each, to which the command listens itself.
static HANDLED: AtomicU64 = AtomicU64::new(0);

/// From now on the command listens to these signals itself.
pub(super) fn handle(kinds: &[SignalKind]) {
    let bits = kinds.iter().fold(0, |bits, kind| bits | bit(*kind));
    HANDLED.fetch_or(bits, Ordering::Relaxed);
}

fn bit(kind: SignalKind) -> u64 {
    1 << (kind.as_raw_value() - 1)
}

/// Ending signals, to which a command listens itself while it does what may not be left half done.
pub(super) struct Held(Signals);

impl Held {
    /// From now on they are held. One that comes before the work is not lost.
    ///
    /// # Errors
    /// Signals cannot be listened to.
    pub(super) fn listen() -> io::Result<Self> {
        let signals = Signals::listen()?;
        let kinds: Vec<_> = signals.0.iter().map(|(kind, _)| *kind).collect();
        handle(&kinds);
        Ok(Self(signals))
    }

    /// Does work until it is over or a signal comes. `None`: one came, and the work was dropped.
    pub(super) async fn unless<T>(mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            outcome = work => Some(outcome),
            _ = self.0.next() => None,
        }
    }
}

/// Does the work of a command, until that or a signal ends it.
///
/// # Errors
/// Signals cannot be listened to.
pub(super) async fn until_signalled<T>(work: impl Future<Output = T>) -> io::Result<T> {
    let mut signals = Signals::listen()?;
    let (tell, told) = oneshot::channel();
    let terminal = Terminal::new();
    let again = terminal.clone();
    let is_heard = Arc::new(AtomicBool::new(false));
    let is_ending = Arc::clone(&is_heard);
    let mut watch = JoinSet::new();
    watch.spawn(async move {
        let kind = loop {
            let kind = signals.next().await;
            if HANDLED.load(Ordering::Relaxed) & bit(kind) == 0 {
                break kind;
            }
        };
        tell.send(kind).ok();
        let unheard = async {
            tokio::time::sleep(GRACE).await;
            if is_ending.load(Ordering::Relaxed) {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = unheard => {}
            _ = signals.next() => {}
        }
        end(&again, kind);
    });
    let told = async {
        let kind = told.await;
        is_heard.store(true, Ordering::Relaxed);
        kind
    };
    tokio::select! {
        biased;
        outcome = work => Ok(outcome),
        // By now the work is dropped, with all that it held.
        Ok(kind) = told => end(&terminal, kind),
    }
}

fn end(terminal: &Terminal, kind: SignalKind) -> ! {
    terminal.restore();
    emulate_default_handler(kind.as_raw_value()).ok();
    std::process::exit(128 + kind.as_raw_value())
}

/// The signals that end a process, without those that whoever started it wants to be ignored, as `nohup` does.
struct Signals(Vec<(SignalKind, Signal)>);

impl Signals {
    fn listen() -> io::Result<Self> {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ending = [
            SignalKind::hangup(),
            SignalKind::interrupt(),
            SignalKind::quit(),
            SignalKind::terminate(),
        ];
        let heard = ending.into_iter().filter(|kind| !is_ignored(&status, *kind));
        heard
            .map(|kind| Ok((kind, signal(kind)?)))
            .collect::<io::Result<_>>()
            .map(Self)
    }

    async fn next(&mut self) -> SignalKind {
        let waiting = self.0.iter_mut().map(|(kind, signal)| {
            Box::pin(async {
                signal.recv().await;
                *kind
            })
        });
        let waiting: Vec<_> = waiting.collect();
        match waiting.is_empty() {
            true => std::future::pending().await,
            false => select_all(waiting).await.0,
        }
    }
}

/// Whether a signal is ignored, by the status of a process of Linux.
fn is_ignored(status: &str, kind: SignalKind) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or_default() >> (kind.as_raw_value() - 1) & 1 == 1
}

/// The terminal of standard input, as it was when the command began.
#[derive(Clone)]
struct Terminal(Option<Termios>);

impl Terminal {
    fn new() -> Self {
        Self(termios::tcgetattr(io::stdin()).ok())
    }

    /// Undoes what a question has set.
    fn restore(&self) {
        let (Some(before), Ok(now)) = (&self.0, termios::tcgetattr(io::stdin())) else {
            return;
        };
        // In the background it is another program's, and setting it would stop this one.
        let is_ours = termios::tcgetpgrp(io::stdin()).map_or(true, |group| group == getpgrp());
        if before.local_modes == now.local_modes || !is_ours {
            return;
        }
        // It may be gone; there is nobody to tell then.
        termios::tcsetattr(io::stdin(), OptionalActions::Now, before).ok();
        io::stderr().write_all(PLAIN).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_may_not_be_left_half_done_hears_of_a_signal() {
        let signalled = async {
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::TERM).expect("it runs");
            std::future::pending::<u32>().await
        };
        assert_eq!(Held::listen().expect("it listens").unless(signalled).await, None);
        assert_eq!(Held::listen().expect("it listens").unless(async { 5 }).await, Some(5));
    }

    #[test]
    fn a_signal_that_is_ignored_stays_so() {
        let status =
            "Name:\tclifford\nSigBlk:\t0000000000000003\nSigIgn:\t0000000000001001\nSigCgt:\tffffffffffffffff\n";
        for (status, kind, expected) in [
            (status, SignalKind::hangup(), true),
            (status, SignalKind::interrupt(), false),
            (status, SignalKind::terminate(), false),
            ("", SignalKind::hangup(), false),
            ("SigIgn:\tx\n", SignalKind::hangup(), false),
        ] {
            assert_eq!(is_ignored(status, kind), expected, "{status:?} {kind:?}");
        }
    }
}
