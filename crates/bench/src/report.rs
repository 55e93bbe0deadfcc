//! Figures, their limits, and how they are shown.

use std::fmt::Write as _;

use serde::Serialize;

use crate::replies::Tally;

/// Where a figure should be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Under this.
    Under(f64),
    /// Over this.
    Over(f64),
    /// Over this, or over half of the bare loop's where that is less.
    OverOrHalfOfBare(f64),
    /// Under this, whatever the machine: it says how much more is to do because more was before.
    Growth(f64),
    /// Shown for what it says of the others.
    None,
}

/// One measured number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The name of the measurement.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Clifford's.
    pub value: f64,
    /// The bare loop's, in the same run.
    pub bare: Option<f64>,
    /// Where it should be.
    pub limit: Limit,
}

impl Figure {
    /// A figure without a bare loop's.
    pub const fn new(name: &'static str, unit: &'static str, value: f64, limit: Limit) -> Self {
        Self {
            name,
            unit,
            value,
            bare: None,
            limit,
        }
    }

    /// The same with the bare loop's.
    pub const fn beside(mut self, bare: f64) -> Self {
        self.bare = Some(bare);
        self
    }

    /// How many times the bare loop's it is.
    pub fn ratio(&self) -> Option<f64> {
        self.bare.map(|bare| self.value / bare)
    }

    /// Whether it is where it should be; `None`: it may be anywhere.
    pub fn holds(&self) -> Option<bool> {
        match self.limit {
            Limit::Under(limit) | Limit::Growth(limit) => Some(self.value < limit),
            Limit::Over(limit) => Some(self.value > limit),
            Limit::OverOrHalfOfBare(limit) => Some(self.value > self.bare.map_or(limit, |bare| limit.min(bare / 2.0))),
            Limit::None => None,
        }
    }
}

/// The result of one measurement.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The figures, the same ones in every round.
    pub figures: Vec<Figure>,
    /// The outcome of Clifford's messages.
    pub tally: Tally,
    /// The curves to draw.
    pub curves: Vec<Curve>,
}

/// A line of a chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The chart that it is part of.
    pub chart: Chart,
    /// The name of the quantity.
    pub name: &'static str,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chart {
    /// Milliseconds by the share of answers, in percent, that took at most as long.
    Latency,
    /// Milliseconds of a turn by the number of messages before it.
    Growth,
}

/// All that was measured.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The load average of the last minute when the measurement began.
    load: String,
    figures: Vec<Shown>,
    tally: Tally,
    curves: Vec<Curve>,
}

#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    figure: Figure,
    ratio: Option<f64>,
    holds: Option<bool>,
    /// The lowest and the highest of the rounds.
    spread: (f64, f64),
}

impl Report {
    /// An empty report.
    pub fn new() -> Self {
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Self {
            load: load.split(' ').next().unwrap_or_default().to_owned(),
            figures: Vec::new(),
            tally: Tally::default(),
            curves: Vec::new(),
        }
    }

    /// The curves to draw: of each figure's last round.
    pub fn curves(&self) -> &[Curve] {
        &self.curves
    }

    /// Takes the medians of several rounds of the same figures.
    pub fn add(&mut self, rounds: Vec<Round>) {
        for round in &rounds {
            self.tally.add(round.tally);
        }
        if let Some(last) = rounds.last() {
            self.curves.extend(last.curves.iter().cloned());
        }
        let Some(first) = rounds.first() else { return };
        for (place, figure) in first.figures.iter().enumerate() {
            let of = |pick: fn(&Figure) -> Option<f64>| -> Vec<f64> {
                let mut all: Vec<f64> = rounds
                    .iter()
                    .filter_map(|round| round.figures.get(place).and_then(pick))
                    .collect();
                all.sort_by(f64::total_cmp);
                all
            };
            let values = of(|figure| Some(figure.value));
            let figure = Figure {
                value: median(&values).unwrap_or(figure.value),
                bare: median(&of(|figure| figure.bare)),
                ..figure.clone()
            };
            let spread = (
                values.first().copied().unwrap_or_default(),
                values.last().copied().unwrap_or_default(),
            );
            self.figures.push(Shown {
                ratio: figure.ratio(),
                holds: figure.holds(),
                figure,
                spread,
            });
        }
    }

    /// No message was lost, answered twice or out of order, and nothing grows.
    pub fn nothing_went_wrong(&self) -> bool {
        let Tally {
            lost,
            repeated,
            out_of_order,
            ..
        } = self.tally;
        let grows = |shown: &Shown| matches!(shown.figure.limit, Limit::Growth(_)) && shown.holds == Some(false);
        lost + repeated + out_of_order == 0 && !self.figures.iter().any(grows)
    }

    /// Shows it on standard output.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    #[expect(clippy::print_stdout, reason = "the report is what this program is for")]
    pub fn print(&self, json: bool) -> anyhow::Result<()> {
        if json {
            println!("{}", serde_json::to_string(self)?);
        } else {
            println!("{}", self.table());
        }
        Ok(())
    }

    fn table(&self) -> String {
        let mut text = format!("load average at the start: {}\n\n", self.load);
        let mut line = |cells: [&str; 7]| {
            let [name, value, spread, limit, holds, bare, ratio] = cells;
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{name:<44} {value:>14} {spread:>17} {limit:>12} {holds:>6} {bare:>10} {ratio:>7}"
            );
        };
        line(["figure", "value", "of all rounds", "limit", "holds", "bare", "ratio"]);
        for Shown {
            figure,
            ratio,
            holds,
            spread: (low, high),
        } in &self.figures
        {
            let limit = match (figure.limit, figure.bare) {
                (Limit::Under(limit) | Limit::Growth(limit), _) => format!("< {}", short(limit)),
                (Limit::OverOrHalfOfBare(limit), Some(bare)) => format!("> {}", short(limit.min(bare / 2.0))),
                (Limit::Over(limit), _) | (Limit::OverOrHalfOfBare(limit), None) => format!("> {}", short(limit)),
                (Limit::None, _) => String::new(),
            };
            line([
                figure.name,
                &format!("{} {}", short(figure.value), figure.unit),
                &format!("{} … {}", short(*low), short(*high)),
                &limit,
                holds.map_or("", |holds| if holds { "yes" } else { "NO" }),
                &figure.bare.map(short).unwrap_or_default(),
                &ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
            ]);
        }
        let Tally {
            asked,
            lost,
            repeated,
            out_of_order,
        } = self.tally;
        let _ = write!(
            text,
            "\n{asked} messages: {lost} lost, {repeated} answered more than once, {out_of_order} out of order"
        );
        text
    }
}

fn median(sorted: &[f64]) -> Option<f64> {
    sorted.get(sorted.len() / 2).copied()
}

/// Three digits are what such a measurement is worth.
fn short(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_throughput_holds_if_it_is_half_of_what_a_slow_machine_can_do() {
        let figure = |value, bare| Figure::new("f", "/s", value, Limit::OverOrHalfOfBare(1000.0)).beside(bare);
        assert_eq!(figure(1001.0, 9000.0).holds(), Some(true));
        assert_eq!(figure(999.0, 9000.0).holds(), Some(false));
        assert_eq!(figure(501.0, 1000.0).holds(), Some(true));
        assert_eq!(figure(500.0, 1000.0).holds(), Some(false));
    }

    #[test]
    fn the_median_of_the_rounds_counts_and_every_loss_does() {
        let round = |value, lost| Round {
            figures: vec![Figure::new("f", "ms", value, Limit::Under(3.0)).beside(2.0 * value)],
            tally: Tally {
                asked: 10,
                lost,
                ..Tally::default()
            },
            curves: Vec::new(),
        };
        let mut report = Report::new();
        report.add(vec![round(9.0, 0), round(1.0, 1), round(2.0, 0)]);
        let shown = &report.figures[0];
        assert_eq!(shown.figure, Figure::new("f", "ms", 2.0, Limit::Under(3.0)).beside(4.0));
        assert_eq!(
            (shown.ratio, shown.holds, shown.spread),
            (Some(0.5), Some(true), (1.0, 9.0))
        );
        assert_eq!(
            report.tally,
            Tally {
                asked: 30,
                lost: 1,
                ..Tally::default()
            }
        );
        assert!(!report.nothing_went_wrong());
    }

    #[test]
    fn what_grows_is_wrong_and_what_is_slow_is_not() {
        let report = |limit| {
            let mut report = Report::new();
            report.add(vec![Round {
                figures: vec![Figure::new("f", "x", 1.4, limit)],
                ..Round::default()
            }]);
            report.nothing_went_wrong()
        };
        assert!(!report(Limit::Growth(1.3)));
        assert!(report(Limit::Growth(1.5)));
        assert!(report(Limit::Under(1.3)));
    }
}
