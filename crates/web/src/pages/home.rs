//! The start page: how the bot is, what it does, what it cost, what failed, what comes next, and who waits for an
//! answer.

use std::collections::BTreeMap;

use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    budgets::{self, Budget},
    channels,
    names::Names,
    outbox, pairings, quarantine, reminders,
    run::{self, Whole},
    runs::Run,
};
use crate::{
    address::with_query,
    backend::{Asker, Page},
    failure::Failure,
    handler,
    view::{
        format::{At, cost, count, of_bot, title, when},
        layout,
        parts::{Button, Tone, badge, empty, head, short},
        words,
    },
};

const DAY: std::time::Duration = std::time::Duration::from_secs(86_400);
/// How many of each list are shown.
const FEW: usize = 6;

#[derive(Deserialize)]
struct Health {
    ready: bool,
    checks: BTreeMap<String, Check>,
}

#[derive(Deserialize)]
struct Check {
    ok: bool,
    detail: String,
}

/// Something that is down.
#[derive(Deserialize)]
struct Outage {
    what: String,
    platform: Option<String>,
}

impl Outage {
    fn sentence(&self) -> String {
        match (self.what.as_str(), &self.platform) {
            (_, Some(platform)) => {
                let platform = title(platform);
                format!(
                    "{platform} is not connected: what you write there is not answered until it is. Write in the chat here."
                )
            }
            ("model", None) => {
                "The language model does not answer now. What you write is kept, and answered once it does.".to_owned()
            }
            (other, None) => format!("{} does not work now.", title(other)),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spent {
    key: Option<String>,
    calls: u64,
    prompt_tokens: u64,
    completion_tokens: u64,
    cost: f64,
    own_key_calls: u64,
    own_key_cost: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Trigger {
    id: String,
    kind: String,
    user_id: Option<String>,
    name: Option<String>,
    content: String,
    next_at: Option<At>,
}

/// The page.
#[handler]
pub(crate) async fn show(asker: Asker) -> Result<Markup, Failure> {
    let coming = format!("/api/triggers?upcoming=true&limit={FEW}");
    let since = asker.now().before(DAY);
    let (since_then, few) = (since.to_jiff().to_string(), FEW.to_string());
    let failed = [("status", "failed"), ("changedSince", &since_then), ("limit", &few)];
    let failed = with_query("/api/runs", &failed);
    let (health, working, queued, waiting, failed, spent, limits, triggers, mut people) = try_join!(
        asker.look::<Health>("/readyz"),
        asker.get::<Page<Run>>("/api/runs?status=running&limit=50"),
        asker.get::<Page<Run>>("/api/runs?status=pending&limit=50"),
        asker.all::<Run>("/api/runs", &[("status", "waiting"), ("wakeReason", "tool_confirm")]),
        asker.get::<Page<Run>>(&failed),
        asker.get::<Page<Spent>>("/api/usage?by=day&limit=1"),
        budgets::all(&asker, ""),
        asker.get::<Page<Trigger>>(&coming),
        Names::of_people(&asker),
    )?;
    // The one that has waited longest comes first.
    let asking = run::asking(&asker, waiting.iter().rev().take(FEW)).await?;
    let (strangers, aside, unsent, managed, down) = try_join!(
        pairings::open(&asker),
        quarantine::newest(&asker, FEW),
        outbox::failed_since(&asker, since, FEW),
        channels::managed(&asker),
        outages(&asker)
    )?;
    let failed = failed.items;
    let triggers = triggers.items;
    let runs = asking.iter().map(|whole| &whole.run);
    let runs = runs
        .chain(working.items.iter().chain(&queued.items).take(FEW))
        .chain(&failed);
    let owners = triggers.iter().map(|trigger| trigger.user_id.as_deref());
    let named = runs.map(|run| run.user_id.as_deref()).chain(owners);
    people.complete_people(&asker, named).await?;
    let content = html! {
        (head("Home", "", &html! { a.button.main href="/chat" { "New message" } }))
        div id="outages" data-live {
            @for outage in &down { div.note.warn { p { (words(&outage.sentence())) } } }
        }
        div id="asked" data-live {
            @if asking.iter().any(|whole| whole.question.is_some()) { (asked(&asker, &asking, waiting.len(), &people)) }
        }
        (pairings::draw(&asker, &strangers))
        (quarantine::draw(&asker, &aside))
        div.grid id="home" data-live {
            div.column {
                (at_work(&asker, &working.items, &queued.items, &people))
                (next(&asker, &triggers, &people))
                (failures(&asker, &failed, &people))
                (outbox::draw(&asker, &unsent))
            }
            div.column {
                (channels::servers("What you manage", &managed, &html! {}))
                (spending(&spent.items, &limits, asker.today()))
                (well(health.as_ref()))
            }
        }
    };
    Ok(layout::page(&asker, "Home", &content))
}

/// The outages that keep the bot from answering the reader, who sees nothing of its health.
async fn outages(asker: &Asker) -> Result<Vec<Outage>, Failure> {
    if !asker.is_person() {
        return Ok(Vec::new());
    }
    let found: Option<Page<Outage>> = asker.find("/api/outages").await?;
    Ok(found.unwrap_or_default().items)
}

/// The questions that wait for an answer: all that each will do is read before its buttons.
fn asked(asker: &Asker, asking: &[Whole], count: usize, people: &Names) -> Markup {
    let is_mine = |whole: &Whole| asker.me().is_some_and(|me| me.user_id == whole.run.user_id);
    html! {
        section.card aria-labelledby="asked-title" {
            header {
                h2 id="asked-title" { "Waiting for your approval" }
                @if count > FEW { a.small href="/runs?status=waiting" { "All " (count) } }
            }
            ul.list {
                @for whole in asking {
                    @if let Some(approval) = whole.approval() {
                        li.stacked {
                            div.row.apart {
                                a.clamp href={ "/runs/" (approval.run) } { (words(&whole.run.title())) }
                                @if !is_mine(whole) { span.small.quiet { "asked by " (people.show(whole.run.user_id.as_deref())) } }
                            }
                            (approval.draw(asker))
                        }
                    }
                }
            }
        }
    }
}

fn well(health: Option<&Health>) -> Markup {
    html! {
        @if let Some(health) = health {
            section.card aria-labelledby="health-title" {
                header {
                    h2 id="health-title" { "Health" }
                    @if health.ready { (badge(Tone::Good, "well")) } @else { (badge(Tone::Bad, "needs attention")) }
                }
                ul.list {
                    @for (name, check) in &health.checks { (checked(name, check)) }
                }
            }
        }
    }
}

/// One check, in the words of its reader; where one that fails is mended or looked into.
fn checked(name: &str, check: &Check) -> Markup {
    let (name, way) = match (name.strip_prefix("channel:"), name) {
        (Some(platform), _) => (title(platform), Some("/channels")),
        (None, "provider") => ("Model".to_owned(), None),
        (None, other) => (title(other), None),
    };
    let detail = match check.detail.as_str() {
        "offline" => "none is set up: the offline responder answers",
        detail => detail,
    };
    html! {
        li {
            div.about { strong { (words(&name)) } div.small.quiet { (words(detail)) } }
            @if !check.ok {
                div.row {
                    (badge(Tone::Bad, "fails"))
                    @if let Some(way) = way { a.button href=(way) { "Look into it" } }
                }
            }
        }
    }
}

fn spending(days: &[Spent], limits: &[Budget], today: &str) -> Markup {
    let spent = days.iter().find(|day| day.key.as_deref() == Some(today));
    let of = |read: fn(&Spent) -> u64| spent.map_or(0, read);
    html! {
        section.card aria-labelledby="spent-title" {
            header { h2 id="spent-title" { "Spent today" } a.small href="/usage" { "Usage" } }
            div.figure {
                @match spent.map_or(0.0, |day| of_bot(day.cost, day.own_key_cost)) {
                    0.0 => { "nothing" }
                    spent => { (cost(spent)) " " span.small.quiet { "in the currency of the prices" } }
                }
            }
            dl.figures {
                div { dt { "model calls" } dd { (count(of(|day| day.calls))) } }
                div { dt { "tokens sent" } dd { (count(of(|day| day.prompt_tokens))) } }
                div { dt { "received" } dd { (count(of(|day| day.completion_tokens))) } }
                @if let Some(day) = spent.filter(|day| day.own_key_calls > 0) {
                    div { dt { "paid by own keys" } dd { (cost(day.own_key_cost)) } }
                }
            }
            @for budget in limits { (budgets::left(budget)) }
        }
    }
}

fn at_work(asker: &Asker, working: &[Run], queued: &[Run], people: &Names) -> Markup {
    html! {
        section.card aria-labelledby="work-title" {
            header { h2 id="work-title" { "At work now" } a.small href="/runs?status=running" { "All" } }
            @if working.is_empty() && queued.is_empty() {
                (empty("Nobody is waiting", &html! { "Write to the bot, and its work shows here as it happens." }))
            } @else {
                ul.list { @for run in working.iter().chain(queued).take(FEW) { (line(asker, run, people, "cancel", "Stop")) } }
            }
        }
    }
}

fn failures(asker: &Asker, failed: &[Run], people: &Names) -> Markup {
    html! {
        section.card aria-labelledby="failed-title" {
            header { h2 id="failed-title" { "Failed in the last day" } a.small href="/runs?status=failed" { "All" } }
            @if failed.is_empty() {
                (empty("No failures", &html! { "Every run of the last 24 hours ended well." }))
            } @else {
                ul.list { @for run in failed { (line(asker, run, people, "retry", "Try again")) } }
            }
        }
    }
}

/// A run with whose it is, and the button for it.
fn line(asker: &Asker, run: &Run, people: &Names, action: &str, label: &str) -> Markup {
    let is_mine = asker.me().is_some_and(|me| me.user_id == run.user_id);
    let action = format!("/runs/{}/{action}", run.id);
    html! {
        li {
            div.about {
                a.clamp href={ "/runs/" (run.id) } { (words(&run.title())) }
                div.small.quiet {
                    @if !is_mine { (people.show(run.user_id.as_deref())) " · " }
                    (when(run.updated_at, asker.now()))
                    @if let Some(why) = &run.error { " · " (words(&short(why, 120))) }
                }
            }
            div.row {
                (run.badge())
                // A subagent is stopped or tried again with the run that asked for it.
                @if run.kind != "subagent" { (Button::new(&action, label).draw(asker)) }
            }
        }
    }
}

fn next(asker: &Asker, triggers: &[Trigger], people: &Names) -> Markup {
    let is_mine = |trigger: &Trigger| asker.me().is_some_and(|me| me.user_id == trigger.user_id);
    html! {
        section.card aria-labelledby="next-title" {
            header { h2 id="next-title" { "Comes next" } a.small href="/reminders" { "All" } }
            @if triggers.is_empty() {
                (empty("Nothing is planned", &html! { "Say “remind me tomorrow at 9 to …” in a chat." }))
            } @else {
                ul.list {
                    @for trigger in triggers {
                        li {
                            div.about {
                                span.clamp { (words(trigger.name.as_deref().unwrap_or(&trigger.content))) }
                                div.small.quiet {
                                    (title(&trigger.kind))
                                    @if !is_mine(trigger) { " of " (people.show(trigger.user_id.as_deref())) }
                                    @if let Some(at) = trigger.next_at { " · " (when(at, asker.now())) }
                                }
                            }
                            (reminders::buttons(asker, &trigger.id, Some(reminders::OFF)))
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_has_the_name_that_people_know_and_one_that_fails_a_way_on() {
        let drawn = |name: &str, ok: bool, detail: &str| {
            let detail = detail.to_owned();
            checked(name, &Check { ok, detail }).into_string()
        };
        let down = drawn("channel:telegram", false, "HTTP 502");
        assert!(
            down.contains(">Telegram<") && down.contains("HTTP 502") && down.contains("href=\"/channels\""),
            "{down}"
        );
        let up = drawn("channel:telegram", true, "connected");
        assert!(!up.contains("fails") && !up.contains("href"), "{up}");
        let model = drawn("provider", true, "offline");
        assert!(model.contains(">Model<") && model.contains("none is set up"), "{model}");
        assert!(drawn("database", false, "it is full").contains("fails"));
    }
}
