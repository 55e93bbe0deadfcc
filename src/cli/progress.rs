//! A line on a terminal that tells how far long work is.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

/// How often the line changes at most.
const EVERY: Duration = Duration::from_millis(100);

/// The line; it is on standard error, and only if that is a terminal.
pub(super) struct Progress {
    is_on: bool,
    width: usize,
    shown_at: Option<Instant>,
}

impl Progress {
    /// A line, if it is wanted and somebody may see it.
    pub fn new(is_wanted: bool) -> Self {
        Self {
            is_on: is_wanted && io::stderr().is_terminal(),
            width: 0,
            shown_at: None,
        }
    }

    /// Shows how much is done, of how much.
    pub fn show(&mut self, what: &str, done: u64, total: Option<u64>) {
        if !self.is_on || self.shown_at.is_some_and(|at| at.elapsed() < EVERY) {
            return;
        }
        self.shown_at = Some(Instant::now());
        let line = match total.filter(|total| *total > 0) {
            Some(total) => {
                let percent = done.saturating_mul(100) / total;
                let full = usize::try_from(percent.min(100) / 5).unwrap_or(0);
                format!("{what} [{:<20}] {percent} %, {done} of {total}", "#".repeat(full))
            }
            None => format!("{what}: {done}"),
        };
        self.line(&line);
    }

    /// Takes the line away.
    pub fn end(&mut self) {
        if self.is_on && self.width > 0 {
            self.line("");
        }
    }

    /// Puts a line over the one before.
    fn line(&mut self, line: &str) {
        // Nobody has to see it.
        let _ = write!(io::stderr(), "\r{line:width$}\r{line}", width = self.width);
        self.width = line.len();
    }
}
