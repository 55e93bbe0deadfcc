//! The course of a run in time, for its waterfall: when it was asked, when it ended, and what it did in between; how long
//! it waited before its first step, and how long its messages took to be delivered.

use clifford_core::clock::Timestamp;
use maud::{Markup, html};
use serde::Deserialize;

use super::{Whole, step::Step};
use crate::view::{
    chart,
    format::{At, duration},
    parts::{Tone, badge},
};

/// A message of a run on its way to its chat.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Delivery {
    message_id: String,
    status: String,
    created_at: At,
    delivered_at: Option<At>,
}

impl Delivery {
    /// Its chat had it as soon as it was said.
    fn is_at_once(&self) -> bool {
        self.status == "delivered" && self.delivered_at == Some(self.created_at)
    }
}

/// The time that a waterfall shows.
#[derive(Clone, Copy)]
pub(crate) struct Course {
    begun: Timestamp,
    /// Nothing: there is no room for bars.
    took: u64,
}

impl Course {
    /// From the message that asked for a run to its end, and to the end of what was delivered for it.
    pub(super) fn of(whole: &Whole) -> Self {
        let run = &whole.run;
        let begun = whole.asked_at.map_or(run.created_at.0, |at| at.0.min(run.created_at.0));
        let delivered = whole.deliveries.iter().filter_map(|one| one.delivered_at);
        let end = delivered.map(|at| at.0).fold(run.updated_at.0, Ord::max);
        Self {
            begun,
            took: milliseconds(begun, end),
        }
    }

    /// One without bars.
    pub(super) const fn plain(begun: At) -> Self {
        Self {
            begun: begun.0,
            took: 0,
        }
    }

    /// How long after its beginning that was.
    pub(super) fn offset(self, at: At) -> u64 {
        milliseconds(self.begun, at.0)
    }

    /// The bar of what began so late and took so long; `class`: of what kind it is.
    pub(super) fn bar(self, from: u64, long: u64, class: &str) -> Markup {
        html! {
            @if self.took > 0 && long > 0 { (chart::span(float(from), float(long), float(self.took), class)) }
        }
    }

    /// How long a step waits for what comes next: by the clock, for a person, or for subagents.
    pub(super) fn pause(self, step: &Step, following: &[Step]) -> Markup {
        let waits = matches!(step.event(), Some("sleep" | "confirm_request" | "spawn_subagents"));
        let next = following.iter().map(Step::begun).min().filter(|_| waits);
        let Some(next) = next else { return html! {} };
        let from = self.offset(step.created_at);
        self.bar(from, self.offset(next).saturating_sub(from), "wait")
    }

    /// The wait before its first deed: behind what was at work in its conversation, and for a worker. A question to the
    /// model is kept together with its reply, so the beginning of any step may be the first.
    pub(super) fn waiting(self, steps: &[Step]) -> Markup {
        let first = steps.iter().map(Step::begun).min().filter(|_| self.took > 0);
        let Some(first) = first else { return html! {} };
        let waited = self.offset(first);
        html! {
            li.wait {
                div.what { strong { "Waits for its turn" } span.small.quiet { (duration(waited)) } }
                (self.bar(0, waited, "wait"))
            }
        }
    }

    /// The fate of the messages.
    pub(super) fn deliveries(self, context: Option<&str>, all: &[Delivery]) -> Markup {
        html! { @for one in all { (self.delivery(context, one)) } }
    }

    fn delivery(self, context: Option<&str>, one: &Delivery) -> Markup {
        let from = self.offset(one.created_at);
        let is_at_once = one.is_at_once();
        let (class, name) = match one.status.as_str() {
            "delivered" if is_at_once => ("good", html! { strong { "Is in the chat at once" } }),
            "delivered" => ("good", html! { strong { "Is delivered" } }),
            "failed" => (
                "bad",
                html! { strong { "Is not delivered" } " " (badge(Tone::Bad, "failed")) },
            ),
            _ => ("", html! { strong { "Is on its way" } }),
        };
        let took = one.delivered_at.map(|at| self.offset(at).saturating_sub(from));
        html! {
            li class=(class) {
                div.what {
                    span { (name) }
                    span.small.quiet {
                        @if let Some(took) = took.filter(|_| !is_at_once) { (duration(took)) " · " }
                        "+" (duration(from))
                    }
                }
                @if let Some(took) = took { (self.bar(from, took.max(1), "delivery")) }
                @if is_at_once {
                    p.small.quiet { "The dashboard and the API read a message where it is kept: no platform has to take it." }
                }
                @if one.status == "failed" { p.small { a href="/outbox" { "Send it again, or give it up" } } }
                @else if let Some(context) = context {
                    p.small { a href={ "/conversations/" (context) "?around=" (one.message_id) "#message-" (one.message_id) } { "The message" } }
                }
            }
        }
    }
}

fn milliseconds(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.since(from).as_millis()).unwrap_or(u64::MAX)
}

fn float(milliseconds: u64) -> f64 {
    // A run longer than 49 days has a bar that is full.
    f64::from(u32::try_from(milliseconds).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn at(milliseconds: u32) -> String {
        format!(
            "2026-01-01T00:00:{:02}.{:03}Z",
            milliseconds / 1000,
            milliseconds % 1000
        )
    }

    fn step(seq: u32, ended: u32, took: Option<u32>, event: &str) -> Value {
        json!({ "seq": seq, "type": "message", "resultJson": { "event": event }, "durationMs": took,
            "createdAt": at(ended) })
    }

    fn whole() -> Whole {
        serde_json::from_value(json!({
            "id": "r", "kind": "message", "inputText": "x", "status": "completed", "llmCalls": 1, "promptTokens": 1,
            "completionTokens": 1, "cachedTokens": 0, "cost": 0.0, "createdAt": at(1000), "updatedAt": at(8000),
            "askedAt": at(0), "feedback": [],
            "runSteps": [step(1, 3000, None, "llm_request"), step(2, 3000, Some(1000), "llm_response"), step(3, 4000, None, "sleep"),
                step(4, 7000, Some(1000), "llm_response")],
            "deliveries": [
                { "messageId": "m", "status": "delivered", "createdAt": at(8000), "deliveredAt": at(10_000) },
                { "messageId": "n", "status": "failed", "createdAt": at(8000), "deliveredAt": null },
                { "messageId": "o", "status": "delivered", "createdAt": at(5000), "deliveredAt": at(5000) },
            ],
        }))
        .unwrap()
    }

    #[test]
    fn waiting_sleeping_and_delivery_are_bars_of_the_whole() {
        let whole = whole();
        let course = Course::of(&whole);
        let first = &whole.run_steps[0];
        let bar = |x: &str, width: &str, class: &str| {
            format!("<rect class=\"fill {class}\" x=\"{x}\" width=\"{width}\" height=\"4\"></rect>")
        };
        let waiting = course.waiting(&whole.run_steps).into_string();
        assert!(waiting.contains(&bar("0.00", "20.00", "wait")), "{waiting}");
        let slept = course.pause(&whole.run_steps[2], &whole.run_steps[3..]).into_string();
        assert!(slept.contains(&bar("40.00", "20.00", "wait")), "{slept}");
        assert_eq!(course.pause(first, &whole.run_steps[1..]).into_string(), "");
        let sent = course.deliveries(Some("c"), &whole.deliveries).into_string();
        assert!(sent.contains(&bar("80.00", "20.00", "delivery")), "{sent}");
        assert!(
            sent.contains("/conversations/c?around=m#message-m") && sent.contains("Is not delivered"),
            "{sent}"
        );
        let at_once = sent.split("Is in the chat at once").nth(1).unwrap_or_default();
        assert!(at_once.contains(&bar("50.00", "0.60", "delivery")), "{sent}");
    }

    #[test]
    fn a_short_view_has_no_bars_and_does_not_speak_of_waiting() {
        let whole = whole();
        let course = Course::plain(whole.run.created_at);
        assert_eq!(course.waiting(&whole.run_steps).into_string(), "");
        assert_eq!(course.bar(0, 10, "").into_string(), "");
    }
}
