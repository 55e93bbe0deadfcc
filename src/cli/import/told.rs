//! The report of `clifford import`: who knows what and where, the records stored, and those left out.

use std::collections::BTreeMap;

use clifford_portable::{Outcome, Plan};
use clifford_store::portable::Kind;
use serde_json::{Value, json};

use crate::cli::output::{self, Format};

/// The most people and places that a table shows; JSON has all.
const SHOWN: usize = 50;

/// The plan of an import.
pub(super) fn plan(plan: &Plan, format: Format) -> anyhow::Result<()> {
    if format.json {
        return output::json(&as_json(plan, None));
    }
    output::print(&format!("{}: {}", plan.format.name(), counts(&plan.records)))?;
    if !plan.already_here.is_empty() {
        output::print(&format!("of these are here already: {}", counts(&plan.already_here)))?;
    }
    people(plan)?;
    places(plan)?;
    left_out(plan)?;
    output::print("nothing was written: the same command without --dry-run imports it")
}

/// The result of an import.
pub(super) fn outcome(outcome: &Outcome, format: Format) -> anyhow::Result<()> {
    if format.json {
        return output::json(&as_json(&outcome.plan, Some(outcome)));
    }
    let stored = match outcome.stored.is_empty() {
        true => "nothing new".to_owned(),
        false => counts(&outcome.stored),
    };
    output::print(&format!("{}: stored {stored}", outcome.plan.format.name()))?;
    if outcome.resumed_at > 0 {
        output::print(&format!(
            "an earlier import had been interrupted; this one went on behind its first {}",
            output::count(outcome.resumed_at, "record", None)
        ))?;
    }
    left_out(&outcome.plan)?;
    if outcome.stored.contains_key(Kind::Message.plural()) {
        output::print("search finds the messages as soon as a running bot has indexed them")?;
    }
    Ok(())
}

fn as_json(plan: &Plan, outcome: Option<&Outcome>) -> Value {
    json!({
        "format": plan.format,
        "dryRun": outcome.is_none(),
        "records": plan.records,
        "alreadyHere": plan.already_here,
        "people": plan.people,
        "places": plan.places,
        "skipped": plan.skipped,
        "stored": outcome.map(|outcome| &outcome.stored),
        "resumedAt": outcome.map(|outcome| outcome.resumed_at),
    })
}

fn counts(of: &BTreeMap<&'static str, u64>) -> String {
    let counted: Vec<_> = (Kind::ALL.iter())
        .filter_map(|kind| Some(kind.count(*of.get(kind.plural())?)))
        .collect();
    if counted.is_empty() {
        "nothing".to_owned()
    } else {
        counted.join(", ")
    }
}

fn people(plan: &Plan) -> anyhow::Result<()> {
    let rows = plan.people.iter().take(SHOWN).map(|person| {
        let mut accounts = person.accounts.join(", ");
        if !person.not_linked.is_empty() {
            accounts.push_str(&format!(" (not linked: {})", person.not_linked.join(", ")));
        }
        [
            output::head(&person.name, 40),
            if person.is_new { "new" } else { "known" }.to_owned(),
            accounts,
            person.messages.to_string(),
            person.memory_items.to_string(),
            person.reminders.to_string(),
        ]
    });
    output::table(
        ["PERSON", "HERE", "ACCOUNTS", "IN PRIVATE", "MEMORY", "REMINDERS"],
        rows.collect(),
        "no people are in it",
    )?;
    more(plan.people.len(), "people")
}

fn places(plan: &Plan) -> anyhow::Result<()> {
    let rows = plan.places.iter().take(SHOWN).map(|place| {
        [
            output::head(place.name.as_deref().unwrap_or("-"), 40),
            place.platform.clone(),
            place
                .read_by
                .clone()
                .map_or_else(|| "everybody in it".to_owned(), |name| output::head(&name, 40)),
            if place.is_new { "new" } else { "known" }.to_owned(),
            place.messages.to_string(),
            place.files.to_string(),
        ]
    });
    output::table(
        ["PLACE", "PLATFORM", "READ BY", "HERE", "MESSAGES", "FILES"],
        rows.collect(),
        "no places are in it",
    )?;
    more(plan.places.len(), "places")
}

fn more(count: usize, what: &str) -> anyhow::Result<()> {
    match count.checked_sub(SHOWN) {
        None | Some(0) => Ok(()),
        Some(more) => output::print(&format!("… and {more} more {what}; --json lists all")),
    }
}

fn left_out(plan: &Plan) -> anyhow::Result<()> {
    for one in &plan.skipped {
        output::print(&format!("left out: {}: {}", one.counted(), one.why))?;
    }
    Ok(())
}
