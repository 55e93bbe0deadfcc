//! How a soak is shown.

use std::{fmt::Write as _, time::Duration};

use serde::Serialize;

use super::{
    life::Lived,
    trend::{BLOCKS, Kind, PER_HOUR, Sample, Trend},
};
use crate::replies::Tally;

/// How many lines the table has.
const LINES: usize = 20;

/// All that was seen.
#[derive(Debug, Serialize)]
pub struct Report {
    minutes: f64,
    warm_up_minutes: f64,
    telegram: Tally,
    discord: Tally,
    broken_connections: usize,
    trends: Vec<Trend>,
    samples: Vec<Sample>,
}

impl Report {
    /// Judges what came after the warm-up.
    pub fn new(samples: Vec<Sample>, warm_up: Duration, lived: Lived) -> Self {
        let warm: Vec<_> = samples
            .iter()
            .filter(|sample| sample.at >= warm_up.as_secs_f64())
            .cloned()
            .collect();
        Self {
            minutes: samples.last().map_or(0.0, |last| last.at / 60.0),
            warm_up_minutes: warm_up.as_secs_f64() / 60.0,
            telegram: lived.telegram,
            discord: lived.discord,
            broken_connections: lived.broken,
            trends: Kind::ALL.iter().filter_map(|kind| Trend::of(*kind, &warm)).collect(),
            samples,
        }
    }

    /// Nothing grows, and every message was answered once.
    pub fn holds(&self) -> bool {
        let wrong = |tally: Tally| tally.lost + tally.repeated + tally.out_of_order;
        self.trends.len() == Kind::ALL.len()
            && !self.trends.iter().any(|trend| trend.grows)
            && wrong(self.telegram) + wrong(self.discord) == 0
    }

    /// Shows it on standard output.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    #[expect(clippy::print_stdout, reason = "the report is what this command is for")]
    pub fn print(&self, json: bool) -> anyhow::Result<()> {
        if json {
            println!("{}", serde_json::to_string(self)?);
        } else {
            println!("{}", self.text());
        }
        Ok(())
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |cells: [&str; 5]| {
            let [at, memory, handles, tasks, database] = cells;
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{at:>9} {memory:>11} {handles:>11} {tasks:>11} {database:>13}");
        };
        line(["second", "memory, MB", "open files", "tasks", "database, MB"]);
        for sample in self.samples.iter().step_by(self.samples.len().div_ceil(LINES).max(1)) {
            line([
                &format!("{:.0}", sample.at),
                &format!("{:.1}", sample.value(Kind::Memory)),
                &format!("{:.0}", sample.value(Kind::Handles)),
                &format!("{:.0}", sample.value(Kind::Tasks)),
                &format!("{:.2}", sample.value(Kind::Database)),
            ]);
        }
        let _ = writeln!(
            text,
            "\nafter the first {:.1} minutes, through the means of {BLOCKS} stretches of time; it may be {:.0} % an hour",
            self.warm_up_minutes,
            100.0 * PER_HOUR
        );
        for trend in &self.trends {
            let _ = writeln!(
                text,
                "{:<13} {:>9.1} … {:<9.1} {:>+9.1} % an hour, ± {:.1}   {}",
                trend.kind.name(),
                trend.first,
                trend.last,
                100.0 * trend.per_hour,
                100.0 * trend.unsure,
                if trend.grows { "GROWS" } else { "does not grow" }
            );
        }
        for (platform, tally) in [("Telegram", self.telegram), ("Discord", self.discord)] {
            let Tally {
                asked,
                lost,
                repeated,
                out_of_order,
            } = tally;
            let _ = writeln!(
                text,
                "{platform}: {asked} messages, {lost} lost, {repeated} answered more than once, {out_of_order} out of order"
            );
        }
        let _ = write!(text, "{} connections were broken", self.broken_connections);
        text
    }
}
