//! `compute`: arithmetic and units, statistics, dates and time zones.

mod dates;
mod eval;
mod stats;

use clifford_core::policy::class::Class;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Command, Tool};

/// The time limit of the calculator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Config {
    /// The most seconds of one expression.
    #[schemars(range(min = 1, max = 15))]
    max_seconds: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { max_seconds: 2 }
    }
}

pub(super) fn tool() -> Tool {
    Tool::new("compute", "🧮", "numbers, units, dates")
        .about("Arithmetic, units and percentages, statistics of a list, dates and time zones.")
        .pinned()
        .config::<Config>()
        .command(
            Command::new("eval", "{expression}: units too", Class::Read, eval::eval)
                .about("The value of an expression, with units and percentages: `3 * (4 + 5)`, `5 km in miles`.")
                .example(json!({ "expression": "3 * (4 + 5)" }))
                .exposes_errors(),
        )
        .command(
            Command::new("stats", "{values, percentile?}", Class::Read, stats::stats)
                .about("Count, sum, mean, median, standard deviation, least and greatest of a list of numbers.")
                .example(json!({ "values": [3, 4, 8], "percentile": 90 }))
                .exposes_errors(),
        )
        .command(
            Command::new(
                "date",
                "{date?, add?, until?, zone?, to_zone?}",
                Class::Read,
                dates::date,
            )
            .about(
                "A date or time, now if none is given: its weekday and week; with a span added, the time until \
                     another date, or what it is in another zone.",
            )
            .example(json!({ "date": "2026-03-01 09:00", "zone": "Europe/Berlin", "to_zone": "Asia/Tokyo" }))
            .exposes_errors(),
        )
}
