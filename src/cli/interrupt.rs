//! Signals that end a command in the middle: what it has made beside its work goes, the terminal is as it was, and then the
//! signal does what it does to everybody.

use std::{
    fs,
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use futures::future::select_all;
use rustix::termios::{self, OptionalActions, Termios};
use signal_hook::low_level::emulate_default_handler;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::oneshot,
    task::JoinSet,
};

/// How long a command has to let go of what it holds. One that asks or computes hears nothing.
const GRACE: Duration = Duration::from_millis(200);
/// Shows the cursor, and lets pasted text come as if it was typed.
const PLAIN: &[u8] = b"\x1b[?25h\x1b[?2004l";

/// The command has begun to listen to signals itself.
static IS_HANDLED: AtomicBool = AtomicBool::new(false);

/// From now on the command ends itself when it is signalled.
pub(super) fn handle_signals() {
    IS_HANDLED.store(true, Ordering::Relaxed);
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
    let mut watch = JoinSet::new();
    watch.spawn(async move {
        let kind = signals.next().await;
        if IS_HANDLED.load(Ordering::Relaxed) {
            return;
        }
        tell.send(kind).ok();
        tokio::select! {
            () = tokio::time::sleep(GRACE) => {}
            _ = signals.next() => {}
        }
        end(&again, kind);
    });
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
        if before.local_modes == now.local_modes {
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
