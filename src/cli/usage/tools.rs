//! The calls of tools, in sums, as a table.

use std::time::Duration;

use clifford_store::usage::tools::ToolUsage;

use crate::cli::output;

pub(super) fn show(tools: &[ToolUsage]) -> anyhow::Result<()> {
    let rows = tools.iter().map(|called| {
        [
            output::head(&called.tool, 40),
            output::grouped(called.calls),
            output::grouped(called.failures),
            took(called.duration_ms / called.calls.max(1)),
            took(called.longest_ms),
            if called.cost > 0.0 {
                format!("{:.4}", called.cost)
            } else {
                "-".to_owned()
            },
            output::ago(called.last_at),
        ]
    });
    output::table(
        ["TOOL", "CALLS", "FAILED", "ON AVERAGE", "AT MOST", "COST", "LAST"],
        rows.collect(),
        "no tool calls found in this time",
    )
}

/// A time that a call took: milliseconds, and from a second on, seconds.
fn took(milliseconds: i64) -> String {
    let time = Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default());
    if time < Duration::from_secs(1) {
        return format!("{} ms", time.as_millis());
    }
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_are_told_in_milliseconds_and_others_in_seconds() {
        for (milliseconds, expected) in [
            (-3, "0 ms"),
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1.0 s"),
            (61_240, "61.2 s"),
        ] {
            assert_eq!(took(milliseconds), expected);
        }
    }
}
