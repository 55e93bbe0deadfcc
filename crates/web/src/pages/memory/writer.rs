//! The last jobs of the memory writer: the conversation that each read, its changes, its refusals and its cost.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    backend::Asker,
    pages::names::Names,
    view::{
        format::{At, cost, count, title, when},
        parts::{Tone, badge, short},
        words,
    },
};

/// A write of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Write {
    mode: Option<String>,
    context_id: Option<String>,
    status: String,
    attempts: u32,
    due_at: At,
    #[serde(default)]
    result: Option<Done>,
    error: Option<String>,
    created_at: At,
    ended_at: Option<At>,
}

/// The progress of a job.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Done {
    messages: u64,
    summarised: u64,
    people: BTreeMap<String, Person>,
    model: String,
    calls: u64,
    cost: f64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Person {
    applied: Vec<Applied>,
    skipped: Vec<Skipped>,
    archived: Vec<Archived>,
}

#[derive(Deserialize)]
struct Applied {
    op: String,
    module: String,
    key: String,
}

#[derive(Deserialize)]
struct Skipped {
    reason: String,
}

#[derive(Deserialize)]
struct Archived {
    module: String,
    key: String,
    reason: String,
}

impl Write {
    /// Why it was made.
    fn why(&self) -> &'static str {
        match self.mode.as_deref() {
            Some("compact") => "A long conversation was to be summarised",
            _ => "A conversation was closed",
        }
    }

    fn state(&self) -> Markup {
        match self.status.as_str() {
            "done" => badge(Tone::Good, "done"),
            "failed" => badge(Tone::Bad, "failed"),
            _ => badge(Tone::Calm, "waits"),
        }
    }
}

/// The writes, as a part of the page of memory.
pub(super) fn draw(asker: &Asker, writes: &[Write], people: &Names) -> Markup {
    html! {
        section.card id="writer" data-live aria-labelledby="writer-title" {
            h2 id="writer-title" { "What the writer did last" }
            ul.list { @for write in writes { (line(asker, write, people)) } }
        }
    }
}

fn line(asker: &Asker, write: &Write, people: &Names) -> Markup {
    let done = write.result.as_ref();
    html! {
        li {
            div.about {
                @match &write.context_id {
                    Some(context) => a href={ "/conversations/" (context) } { (write.why()) },
                    None => span { (write.why()) },
                }
                div.small.quiet.row {
                    @match write.ended_at {
                        Some(at) => span { (when(at, asker.now())) },
                        None if write.due_at > write.created_at => span { "tries " (when(write.due_at, asker.now())) },
                        None => span { "since " (when(write.created_at, asker.now())) },
                    }
                    @if write.attempts > 1 { span { (write.attempts) " attempts" } }
                    @if let Some(done) = done { (figures(done)) }
                }
                @if let Some(error) = &write.error { div.small { (words(&short(error, 300))) } }
                @if let Some(done) = done { (changes(done, people)) }
            }
            (write.state())
        }
    }
}

fn figures(done: &Done) -> Markup {
    html! {
        span { (count(done.messages)) @if done.messages == 1 { " message read" } @else { " messages read" } }
        @if done.summarised > 0 { span { (count(done.summarised)) " summarised" } }
        @if done.calls > 0 { span { (count(done.calls)) @if done.calls == 1 { " call of " } @else { " calls of " } (words(&done.model)) } }
        @if done.cost > 0.0 { span { "cost " (cost(done.cost)) } }
    }
}

fn changes(done: &Done, people: &Names) -> Markup {
    let is_empty =
        |person: &Person| person.applied.is_empty() && person.skipped.is_empty() && person.archived.is_empty();
    html! {
        @if done.people.values().all(is_empty) {
            div.small.quiet { "Nothing was worth remembering." }
        } @else {
            details {
                summary { "What it changed" }
                ul {
                    @for (id, person) in &done.people {
                        @for one in &person.applied {
                            li { (title(&one.op)) ": " (words(&title(&one.module))) " · " (words(&one.key)) " of " (people.show(Some(id))) }
                        }
                        @for one in &person.archived {
                            li { "Archived: " (words(&title(&one.module))) " · " (words(&one.key)) ", because " (words(&one.reason)) }
                        }
                        @for one in &person.skipped { li { "Left out: " (words(&one.reason)) } }
                    }
                }
            }
        }
    }
}
