//! Why the rules allowed, asked about or denied each call of a run.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    address::part,
    backend::Asker,
    extract::Path,
    failure::Failure,
    handler,
    view::{
        format::{sentence, title},
        layout,
        parts::{Tone, badge, data, empty, head},
        words,
    },
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Why {
    calls: Vec<Call>,
    #[serde(default)]
    steps_deleted_at: Option<Value>,
}

#[derive(Deserialize)]
struct Call {
    seq: u32,
    call: String,
    args: Value,
    outcome: Option<String>,
    why: Option<String>,
    rule: Option<String>,
    limits: Vec<String>,
    origins: Vec<String>,
    arguments: Vec<Argument>,
}

#[derive(Deserialize)]
struct Argument {
    argument: String,
    origin: String,
}

/// The page.
#[handler]
pub(crate) async fn show(asker: Asker, Path(id): Path<String>) -> Result<Markup, Failure> {
    let why: Why = asker.get(&format!("/api/runs/{}/why", part(&id))).await?;
    let content = html! {
        (head("Why the rules decided so", "Each call, judged by the rules of now in the state that the run was in then.", &html! {
            a.button href={ "/runs/" (id) } { "The run" }
        }))
        @if why.steps_deleted_at.is_some() {
            (super::deleted_notice(&asker))
        } @else if why.calls.is_empty() {
            (empty("This run made no calls", &html! { "The rules decide on calls of tools alone." }))
        }
        @for call in &why.calls { (card(&id, call)) }
    };
    Ok(layout::page(&asker, "Why the rules decided so", &content))
}

fn card(run: &str, call: &Call) -> Markup {
    let (tone, verdict) = match call.outcome.as_deref() {
        Some("allow") => (Tone::Good, "allowed".to_owned()),
        Some("confirm") => (Tone::Warn, "a person is asked".to_owned()),
        Some("deny") => (Tone::Bad, "denied".to_owned()),
        Some(other) => (Tone::Plain, title(other)),
        None => (Tone::Plain, "cannot be called any more".to_owned()),
    };
    html! {
        section.card aria-label={ "Step " (call.seq) } {
            div.row.apart {
                div { a href={ "/runs/" (run) "#step-" (call.seq) } { "Step " (call.seq) } " " code { (words(&call.call)) } }
                (badge(tone, &verdict))
            }
            @if let Some(why) = &call.why { p { (words(&sentence(why))) } }
            p.small.quiet {
                @match &call.rule {
                    Some(rule) => { "Decided by the rule " (words(rule)) "." },
                    None => "No rule was made for it: the built-in ones decided.",
                }
                @if !call.limits.is_empty() { " It counts against " (words(&call.limits.join(", "))) "." }
            }
            @if !call.origins.is_empty() {
                p.small { "By then the run had read words from outside: " (words(&call.origins.join(", "))) }
            }
            @if !call.arguments.is_empty() {
                table.table.cards {
                    caption.hidden { "Where the arguments come from" }
                    thead { tr { th scope="col" { "Argument" } th scope="col" { "Comes from" } } }
                    tbody {
                        @for argument in &call.arguments {
                            tr {
                                td.lead { code { (words(&argument.argument)) } }
                                td data-label="Comes from" { (words(&argument.origin)) }
                            }
                        }
                    }
                }
            }
            (data("Arguments", &call.args))
        }
    }
}
