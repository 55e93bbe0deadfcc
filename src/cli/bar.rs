//! Progress of long work: a bar on a terminal, and nothing anywhere else.

use std::{
    io::{self, IsTerminal, Read},
    time::Duration,
};

use clifford_store::copy::{self, Phase};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often a bar shows that time goes by.
const TICK: Duration = Duration::from_millis(120);

/// The unit that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Bytes.
    Bytes,
    /// Things of this name: `rows`.
    Things(&'static str),
}

/// A bar on standard error, which is gone when the work has ended.
pub(super) struct Bar(ProgressBar, Unit);

impl Bar {
    /// A bar for work that is named by `what`; without a total it shows how much is done, and that it goes on. It is seen
    /// on a terminal only, and if it `is_wanted`.
    pub(super) fn new(is_wanted: bool, what: &str, unit: Unit, total: Option<u64>) -> Self {
        if !is_wanted || !io::stderr().is_terminal() || std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
            return Self::none();
        }
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        bar.set_style(style(unit, total.is_some()));
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(TICK);
        Self(bar, unit)
    }

    /// Nothing.
    pub(super) fn none() -> Self {
        Self(ProgressBar::hidden(), Unit::Things(""))
    }

    /// Says what is done now.
    pub(super) fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// How much is done, of how much.
    pub(super) fn at(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }

    /// Says what is done now, and how much of it; of how much, if that is known.
    pub(super) fn show(&self, what: &str, done: u64, total: Option<u64>) {
        if self.0.length().is_some() != total.is_some() {
            self.0.set_style(style(self.1, total.is_some()));
        }
        self.say(what);
        match total {
            Some(total) => self.at(done, total),
            None => {
                self.0.unset_length();
                self.0.set_position(done);
            }
        }
    }

    /// How far a copy of a database is.
    pub(super) fn copied(&self, progress: copy::Progress<'_>) {
        let phase = match progress.phase {
            Phase::Copying => "copying",
            Phase::Indexing => "indexing",
            Phase::Verifying => "comparing",
        };
        self.say(&format!("{phase} {}", progress.table));
        self.at(progress.passed, progress.of);
    }

    /// So much more is done.
    pub(super) fn add(&self, more: u64) {
        self.0.inc(more);
    }

    /// Counts what is read.
    pub(super) fn reading<R: Read>(&self, reader: R) -> impl Read + use<R> {
        self.0.wrap_read(reader)
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(unit: Unit, has_total: bool) -> ProgressStyle {
    let template = match (unit, has_total) {
        (Unit::Bytes, true) => "{msg} {wide_bar} {bytes}/{total_bytes}, {eta} left".to_owned(),
        (Unit::Bytes, false) => "{spinner} {msg} {bytes} in {elapsed}".to_owned(),
        (Unit::Things(name), true) => format!("{{msg}} {{wide_bar}} {{human_pos}}/{{human_len}} {name}, {{eta}} left"),
        (Unit::Things(""), false) => "{spinner} {msg} {elapsed}".to_owned(),
        (Unit::Things(name), false) => format!("{{spinner}} {{msg}} {{human_pos}} {name} in {{elapsed}}"),
    };
    // The templates are those above, which are in order.
    ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_in_order() {
        for unit in [Unit::Bytes, Unit::Things("rows"), Unit::Things("")] {
            for has_total in [true, false] {
                let bar = ProgressBar::with_draw_target(Some(3), ProgressDrawTarget::hidden());
                bar.set_style(style(unit, has_total));
                bar.set_message("x");
                bar.inc(1);
                assert_eq!(bar.position(), 1);
            }
        }
    }

    #[test]
    fn without_a_terminal_nothing_is_drawn() {
        assert!(Bar::new(false, "x", Unit::Bytes, None).0.is_hidden());
        let mut read = String::new();
        let mut text = Bar::none().reading("text".as_bytes());
        assert_eq!(text.read_to_string(&mut read).ok(), Some(4));
    }
}
