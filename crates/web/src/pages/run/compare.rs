//! Two runs side by side.

use maud::{Markup, html};
use serde::Deserialize;

use super::sides::{self, Pair};
use crate::{
    address::{part, with_query},
    backend::{Asker, Page},
    extract::Query,
    failure::Failure,
    handler,
    pages::runs::Run,
    view::{
        format::{cost, count, duration, when},
        layout,
        parts::{head, text_field},
        prose, words,
    },
};

/// The two runs.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct ComparisonQuery {
    a: String,
    b: String,
}

#[derive(Deserialize)]
struct Comparison {
    left: Run,
    right: Run,
    steps: Vec<Pair>,
}

/// The page: both runs, or the way to choose them.
#[handler]
pub(crate) async fn show(asker: Asker, Query(query): Query<ComparisonQuery>) -> Result<Markup, Failure> {
    let content = html! {
        (head("Compare two runs", "What both did, and where they differ.", &html! { a.button href="/runs" { "All runs" } }))
        form.card method="get" action="/runs/compare" {
            div.fields {
                (text_field("a", "One run", &query.a, "Its id, as its address has it"))
                (text_field("b", "The other", &query.b, ""))
                button type="submit" { "Compare" }
            }
        }
        @if query.a.is_empty() || query.b.is_empty() {
            (choices(&asker, &query).await?)
        } @else {
            (both(&asker, &query).await?)
        }
    };
    Ok(layout::page(&asker, "Compare two runs", &content))
}

/// The newest runs, to choose the missing one from.
async fn choices(asker: &Asker, query: &ComparisonQuery) -> Result<Markup, Failure> {
    let page: Page<Run> = asker.get("/api/runs?limit=20").await?;
    let others = page.items.iter().filter(|run| run.id != query.a);
    let address = |run: &Run| match query.a.is_empty() {
        true => with_query("/runs/compare", &[("a", &run.id)]),
        false => with_query("/runs/compare", &[("a", &query.a), ("b", &run.id)]),
    };
    Ok(html! {
        section.card aria-labelledby="choices-title" {
            h2 id="choices-title" { "The newest runs" }
            ul.list {
                @for run in others {
                    li {
                        div.about {
                            a href=(address(run)) { (words(&run.title())) }
                            div.small.quiet { (when(run.created_at, asker.now())) }
                        }
                        (run.badge())
                    }
                }
            }
        }
    })
}

async fn both(asker: &Asker, query: &ComparisonQuery) -> Result<Markup, Failure> {
    let path = format!("/api/runs/{}/compare", part(&query.a));
    let told: Comparison = asker.get(&with_query(&path, &[("with", &query.b)])).await?;
    let different = sides::differences(&told.steps);
    Ok(html! {
        div.grid { (card(asker, "One run", &told.left)) (card(asker, "The other", &told.right)) }
        p.quiet { (different) " of " (told.steps.len()) " steps differ." }
        section aria-label="Steps" { (sides::table(&told.steps, ["One run", "The other"])) }
    })
}

fn card(asker: &Asker, name: &str, run: &Run) -> Markup {
    let took = run.updated_at.0.since(run.created_at.0).as_millis();
    html! {
        section.card aria-label=(name) {
            div.row.apart {
                a href={ "/runs/" (run.id) } { (words(&run.title())) }
                (run.badge())
            }
            span.small.quiet { "begun " (when(run.created_at, asker.now())) }
            @if let Some(output) = &run.output_text { (prose(output)) }
            dl.figures {
                div { dt { "took" } dd { (duration(u64::try_from(took).unwrap_or(u64::MAX))) } }
                div { dt { "model calls" } dd { (count(run.llm_calls)) } }
                div { dt { "tokens sent" } dd { (count(run.prompt_tokens)) } }
                div { dt { "received" } dd { (count(run.completion_tokens)) } }
                div { dt { "cost" } dd { (cost(run.cost)) } }
            }
        }
    }
}
