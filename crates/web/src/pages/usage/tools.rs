//! Usage by tool: how often each was called and failed, how long it took, and what it spent.

use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::UsageQuery;
use crate::{
    address::with_query,
    backend::{Asker, Page},
    failure::Failure,
    view::{
        chart, csv,
        format::{At, cost, count, duration, when},
        parts::{Tone, badge, empty, short},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolGroup {
    tool: String,
    calls: u64,
    failures: u64,
    duration_ms: u64,
    longest_ms: u64,
    last_at: At,
    cost: f64,
}

impl ToolGroup {
    /// How long a call took on average.
    fn each_ms(&self) -> u64 {
        self.duration_ms / self.calls.max(1)
    }
}

pub(super) async fn called(asker: &Asker, wanted: &UsageQuery) -> Result<Vec<ToolGroup>, Failure> {
    let asked = [
        ("days", wanted.days().to_string()),
        ("spaceId", wanted.space.clone()),
        ("limit", (super::MOST + 1).to_string()),
    ];
    let asked = asked.each_ref().map(|(name, value)| (*name, value.as_str()));
    let path = with_query("/api/usage/tools", &asked);
    let page: Page<ToolGroup> = asker.get(&path).await?;
    Ok(page.items)
}

/// The chart with its table.
pub(super) fn draw(asker: &Asker, tools: &[ToolGroup]) -> Markup {
    if tools.is_empty() {
        return empty(
            "No tool was called in this time",
            &html! { "Ask for something that takes one, such as “what is 17 × 23?” or “remind me in an hour”." },
        );
    }
    let most = tools.iter().take(super::COLUMNS);
    let values: Vec<_> = most
        .map(|called| (short(&called.tool, 24), chart::of_count(called.calls)))
        .collect();
    html! {
        section.card aria-labelledby="chart-title" {
            h2 id="chart-title" { "Calls by tool" }
            (chart::columns("Calls by tool; the table below has the numbers", &values, chart::whole))
        }
        table.table.cards {
            caption.hidden { "Usage by tool" }
            thead {
                tr {
                    th scope="col" { "Tool" } th.number scope="col" { "Calls" } th.number scope="col" { "Failed" }
                    th.number scope="col" { "Took on average" } th.number scope="col" { "At most" }
                    th.number scope="col" { "Cost" } th scope="col" { "Last" }
                }
            }
            tbody { @for called in tools.iter().take(super::MOST) { (row(asker, called)) } }
        }
        @if tools.len() > super::MOST { p.small.quiet { "These are the " (super::MOST) " that are called most." } }
    }
}

fn row(asker: &Asker, called: &ToolGroup) -> Markup {
    html! {
        tr {
            td.lead { code { (words(&called.tool)) } }
            td.number data-label="Calls" { (count(called.calls)) }
            td.number data-label="Failed" {
                @if called.failures > 0 { (badge(Tone::Bad, &count(called.failures))) } @else { "0" }
            }
            td.number data-label="Took on average" { (duration(called.each_ms())) }
            td.number data-label="At most" { (duration(called.longest_ms)) }
            td.number data-label="Cost" { (cost(called.cost)) }
            td data-label="Last" { (when(called.last_at, asker.now())) }
        }
    }
}

/// The same as CSV.
pub(super) fn csv(tools: &[ToolGroup]) -> Response {
    let mut out = String::from("tool,calls,failures,duration_ms,longest_ms,cost,last_at\r\n");
    for called in tools.iter().take(super::MOST) {
        let cells = [
            csv::cell(&called.tool),
            called.calls.to_string(),
            called.failures.to_string(),
            called.duration_ms.to_string(),
            called.longest_ms.to_string(),
            called.cost.to_string(),
            called.last_at.0.to_jiff().to_string(),
        ];
        out.push_str(&csv::line(&cells));
    }
    if tools.len() > super::MOST {
        out.push_str(&csv::line(&super::ending("are called most", super::MOST, 7)));
    }
    csv::file("usage.csv", out)
}
