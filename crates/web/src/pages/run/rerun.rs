//! A run once more from one of its steps on: the form, and what came of it. Nothing is kept, so the answer to the form is
//! the page.

use axum::{
    extract::{Path, Query},
    http::Method,
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Whole,
    sides::{self, Pair},
};
use crate::{
    backend::{Asker, part},
    failure::Failure,
    form::Form,
    view::{
        clean,
        format::{cost, count},
        layout,
        parts::{head, text_field},
        words,
    },
};

/// Where a rerun begins.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    from: String,
}

/// A rerun of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rerun {
    from: u32,
    end: End,
    same_prompt: bool,
    spent: Spent,
    steps: Vec<Pair>,
}

#[derive(Deserialize)]
struct End {
    is: String,
    why: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spent {
    models: Vec<String>,
    calls: u64,
    prompt_tokens: u64,
    completion_tokens: u64,
    cost: f64,
}

/// The form.
pub(crate) async fn form(
    asker: Asker,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Markup, Failure> {
    let whole: Whole = asker.get(&format!("/api/runs/{}", part(&id))).await?;
    let content = html! {
        (title(&id))
        p { strong { (words(&whole.run.title())) } }
        (fields(&asker, &id, &[("from", &wanted.from)]))
    };
    Ok(layout::page(&asker, "Run once more", &content))
}

fn title(id: &str) -> Markup {
    head(
        "Run once more",
        "The model is really asked. Effects are answered from the recorded run, and nothing is sent or stored.",
        &html! { a.button href={ "/runs/" (id) } { "The recorded run" } },
    )
}

/// The fields of the form, with what stands in them.
fn fields(asker: &Asker, id: &str, given: &[(&str, &str)]) -> Markup {
    let value = |name: &str| {
        let field = given.iter().find(|(field, _)| *field == name);
        field.map_or("", |(_, value)| *value)
    };
    let may_prompt = asker.me().is_none_or(|me| me.role != "person");
    html! {
        section.card aria-labelledby="rerun-title" {
            h2 id="rerun-title" { "What is different" }
            form.stack method="post" action={ "/runs/" (id) "/rerun" } {
                (layout::token(asker))
                div.fields {
                    (text_field("from", "From step", value("from"), "Left empty: from the first question to the model"))
                    (text_field("model", "Model", value("model"), "Left empty: the same. A choice, or provider/model"))
                    @if may_prompt {
                        (text_field("promptVersion", "Version of the prompt", value("promptVersion"), "Left empty: the one in use"))
                        (area("prompt", "Another prompt of the agent", value("prompt")))
                    }
                    (area("reply", "The model's first reply, in place of its own", value("reply")))
                }
                div.row {
                    button.main type="submit" { "Run once more" }
                    span.small.quiet { "It takes as long as the model does, and what that costs is yours." }
                }
            }
        }
    }
}

fn area(name: &str, label: &str, value: &str) -> Markup {
    html! {
        div.field.wide { label for=(name) { (label) } textarea id=(name) name=(name) { (clean(value)) } }
    }
}

/// What came of it.
pub(crate) async fn again(Path(id): Path<String>, form: Form) -> Result<Markup, Failure> {
    let mut asked = json!({});
    for name in ["from", "promptVersion"] {
        if let Some(text) = form.field(name) {
            let number: u32 =
                (text.parse()).map_err(|_| Failure::Wrong(format!("“{name}” is a number, such as 3.")))?;
            asked[name] = json!(number);
        }
    }
    for name in ["model", "prompt", "reply"] {
        if let Some(text) = form.field(name) {
            asked[name] = json!(text);
        }
    }
    let path = format!("/api/runs/{}/rerun", part(&id));
    let told: Value = form.send(Method::POST, &path, Some(&asked)).await?;
    let rerun: Rerun = serde_json::from_value(told).map_err(|_| Failure::Unreadable)?;
    let names = ["from", "model", "prompt", "promptVersion", "reply"];
    let given: Vec<_> = names
        .iter()
        .filter_map(|name| Some((*name, form.field(name)?)))
        .collect();
    let content = html! {
        (title(&id))
        (summary(&rerun))
        section aria-label="Steps" { (sides::table(&rerun.steps, ["Recorded", "Rerun"])) }
        (fields(&form.asker, &id, &given))
    };
    Ok(layout::page(&form.asker, "Run once more", &content))
}

fn summary(rerun: &Rerun) -> Markup {
    let spent = &rerun.spent;
    let different = sides::differences(&rerun.steps);
    let tone = match (rerun.end.is.as_str(), different) {
        ("finished", 0) => "good",
        ("stopped", _) => "bad",
        _ => "warn",
    };
    html! {
        section.card aria-label="Summary" {
            div class={ "note " (tone) } {
                p { strong { (end(&rerun.end, different)) } }
                @if let Some(why) = &rerun.end.why { p { (words(why)) } }
            }
            @if !rerun.same_prompt {
                p.small { "Its prompt is another than the recorded one: memories, settings and tools are those of now." }
            }
            dl.figures {
                div { dt { "from step" } dd { (rerun.from) } }
                div { dt { "steps that differ" } dd { (different) } }
                div { dt { "model" } dd { (words(&spent.models.join(", "))) } }
                div { dt { "model calls" } dd { (count(spent.calls)) } }
                div { dt { "tokens sent" } dd { (count(spent.prompt_tokens)) } }
                div { dt { "received" } dd { (count(spent.completion_tokens)) } }
                div { dt { "cost" } dd { (cost(spent.cost)) } }
            }
        }
    }
}

fn end(end: &End, different: usize) -> &'static str {
    match (end.is.as_str(), different) {
        ("finished", 0) => "It did the same.",
        ("finished", _) => "It ended, and did not do the same.",
        ("would_have", _) => {
            "It would have done something new. That was not carried out, so nobody knows what comes next."
        }
        ("unanswered", _) => "It waits for what the recorded run did not live to see.",
        _ => "It could not go on.",
    }
}
