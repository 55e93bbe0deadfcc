//! The state of a run after each of its steps, and the engine's decision on each reply: the fold that the engine itself
//! goes by.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use super::{step::Step, steps::brief};
use crate::{
    address::part,
    backend::Asker,
    extract::Path,
    failure::Failure,
    handler,
    view::{
        format::title,
        layout,
        parts::{data, empty, head, short},
        words,
    },
};

/// The most characters of a value that changed.
const LONGEST: usize = 200;

#[derive(Deserialize)]
struct Replay {
    iterations: Vec<Iteration>,
}

#[derive(Deserialize)]
struct Iteration {
    iteration: u32,
    steps: Vec<Told>,
}

#[derive(Deserialize)]
struct Told {
    #[serde(flatten)]
    step: Step,
    state: Value,
    decision: Option<Value>,
}

/// The page.
#[handler]
pub(crate) async fn show(asker: Asker, Path(id): Path<String>) -> Result<Markup, Failure> {
    let replay: Replay = asker.get(&format!("/api/runs/{}/replay", part(&id))).await?;
    let mut before = Value::Null;
    let mut sections = Vec::new();
    for iteration in &replay.iterations {
        let mut rows = Vec::new();
        for told in &iteration.steps {
            rows.push(row(told, &before));
            before = told.state.clone();
        }
        sections.push(section(iteration.iteration, &rows));
    }
    let content = html! {
        (head("What it knew", "The state of the run after each step, and the engine's decision on each reply.", &html! {
            a.button href={ "/runs/" (id) } { "The run" }
        }))
        @if sections.is_empty() { (empty("No steps yet", &html! { "They show here as soon as the run has begun." })) }
        @for section in &sections { (section) }
    };
    Ok(layout::page(&asker, "What it knew", &content))
}

fn section(number: u32, rows: &[Markup]) -> Markup {
    let id = format!("iteration-{number}");
    html! {
        section.card aria-labelledby=(id) {
            h2 id=(id) { "Iteration " (number) }
            table.table.cards {
                caption.hidden { "Steps of iteration " (number) }
                thead { tr { th scope="col" { "Step" } th scope="col" { "What changed" } th scope="col" { "Decision" } } }
                tbody { @for row in rows { (row) } }
            }
        }
    }
}

fn row(told: &Told, before: &Value) -> Markup {
    let changes = changes(before, &told.state);
    html! {
        tr {
            td.lead { (brief(&told.step)) }
            td data-label="What changed" {
                div {
                    @for (name, value) in &changes { div.small { strong { (title(name)) } ": " (words(value)) } }
                    (data("The whole state", &told.state))
                }
            }
            td data-label="Decision" {
                @if let Some(decision) = &told.decision {
                    div {
                        div { (title(decision["decision"].as_str().unwrap_or_default())) }
                        (data("Details", decision))
                    }
                }
            }
        }
    }
}

/// The fields of the state that are others than before, in short.
fn changes(before: &Value, after: &Value) -> Vec<(String, String)> {
    let fields = after.as_object().into_iter().flatten();
    let is_news = |value: &Value| match value {
        Value::Null => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(_) => true,
    };
    fields
        .filter(|(name, value)| before.get(name.as_str()).unwrap_or(&Value::Null) != *value)
        .filter(|(_, value)| !before.is_null() || is_news(value))
        .map(|(name, value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            (name.clone(), short(&text, LONGEST))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_changed_is_told() {
        let before = json!({ "pending": "think", "tokens": 0, "output": "" });
        let after = json!({ "pending": "think", "tokens": 12, "output": "hi" });
        let told = |before: &Value, after: &Value| {
            let changes = changes(before, after).into_iter();
            changes
                .map(|(name, value)| format!("{name} {value}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(told(&before, &after), ["tokens 12", "output hi"]);
        assert_eq!(told(&Value::Null, &before), ["pending think"]);
    }
}
