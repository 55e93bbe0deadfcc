//! A run once more from one of its steps on: the form, and what came of it. Nothing is kept, so the answer to the form is
//! the page.

use axum::http::Method;
use futures::try_join;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Whole,
    sides::{self, Pair},
    step::Step,
};
use crate::{
    address::part,
    backend::{Asker, Page},
    extract::{Path, Query},
    failure::Failure,
    form::Form,
    handler,
    view::{
        clean,
        format::{cost, count},
        layout,
        parts::{head, text_field},
        words,
    },
};

/// The step at which a rerun begins.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct RerunQuery {
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
#[handler]
pub(crate) async fn ask(
    asker: Asker,
    Path(id): Path<String>,
    Query(query): Query<RerunQuery>,
) -> Result<Markup, Failure> {
    let choices = Choices::of(&asker, &id).await?;
    let content = html! {
        (title(&id))
        p { strong { (words(&choices.whole.run.title())) } }
        (fields(&asker, &choices, &[("from", &query.from)]))
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

/// A model of the API.
#[derive(Deserialize)]
struct Model {
    name: Option<String>,
    provider: String,
    model: String,
}

/// The choices of a rerun: the question to begin at, and the model.
struct Choices {
    whole: Whole,
    models: Vec<Model>,
}

impl Choices {
    async fn of(asker: &Asker, id: &str) -> Result<Self, Failure> {
        let path = format!("/api/runs/{}", part(id));
        let (whole, models) = try_join!(asker.get::<Whole>(&path), asker.get::<Page<Model>>("/api/models"))?;
        Ok(Self {
            whole,
            models: models.items,
        })
    }

    /// The questions to the model, each with what came of it.
    fn questions(&self) -> Vec<(String, String)> {
        let steps = &self.whole.run_steps;
        let asks = (0..steps.len()).filter(|at| steps[*at].asks_model());
        asks.map(|at| {
            let next = steps[at + 1..].iter().take_while(|step| !step.asks_model());
            let came: Vec<_> = next.filter_map(Step::in_brief).collect();
            let seq = steps[at].seq;
            let label = match came.is_empty() {
                true => format!("Step {seq}"),
                false => format!("Step {seq}: the model {}", came.join(", ")),
            };
            (seq.to_string(), label)
        })
        .collect()
    }

    /// The models by the names that the API takes.
    fn models(&self) -> Vec<(String, String)> {
        let named = self.models.iter().map(|model| {
            let whole = format!("{}/{}", model.provider, model.model);
            match &model.name {
                Some(name) => (name.clone(), format!("{name} ({whole})")),
                None => (whole.clone(), format!("the usual one ({whole})")),
            }
        });
        named.collect()
    }
}

/// The question that a step belongs to: it, or the next one.
fn begins<'a>(questions: &'a [(String, String)], from: &str) -> &'a str {
    let from: u32 = from.parse().unwrap_or(0);
    let at = |seq: &str| seq.parse::<u32>().unwrap_or(0);
    let found = questions.iter().find(|(seq, _)| at(seq) >= from);
    found.map_or("", |(seq, _)| seq)
}

/// A field with a choice of any length; `usual`: what an empty one means.
fn select(id: &str, label: &str, value: &str, usual: Option<&str>, choices: &[(String, String)]) -> Markup {
    html! {
        div.field {
            label for=(id) { (label) }
            select id=(id) name=(id) {
                @if let Some(usual) = usual { option value="" { (usual) } }
                @for (choice, name) in choices {
                    option value=(clean(choice)) selected[choice == value] { (clean(name)) }
                }
            }
        }
    }
}

/// The fields of the form, with what stands in them.
fn fields(asker: &Asker, choices: &Choices, given: &[(&str, &str)]) -> Markup {
    let id = &choices.whole.run.id;
    let value = |name: &str| {
        let field = given.iter().find(|(field, _)| *field == name);
        field.map_or("", |(_, value)| *value)
    };
    let questions = choices.questions();
    let from = begins(&questions, value("from"));
    let may_prompt = asker.me().is_none_or(|me| !me.is_person());
    html! {
        section.card aria-labelledby="rerun-title" {
            h2 id="rerun-title" { "What is different" }
            form.stack method="post" action={ "/runs/" (id) "/rerun" } {
                (layout::token(asker))
                div.fields {
                    @if choices.whole.steps_are_deleted() {
                        p.quiet { "The steps of this run were deleted by retention, so there is nothing to do once more." }
                    } @else if questions.is_empty() {
                        p.quiet { "This run never asked a model, so there is nothing to do once more." }
                    } @else {
                        (select("from", "From step", from, None, &questions))
                    }
                    (select("model", "Model", value("model"), Some("the same as recorded"), &choices.models()))
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

/// Its outcome.
#[handler]
pub(crate) async fn again(Path(id): Path<String>, form: Form) -> Result<Markup, Failure> {
    let mut asked = json!({});
    for (name, called) in [("from", "The question"), ("promptVersion", "The version of the prompt")] {
        if let Some(text) = form.field(name) {
            let number: u32 =
                (text.parse()).map_err(|_| Failure::Wrong(format!("{called} is a whole number, such as 3.")))?;
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
    let choices = Choices::of(&form.asker, &id).await?;
    let content = html! {
        (title(&id))
        p { strong { (words(&choices.whole.run.title())) } }
        (summary(&rerun))
        section aria-label="Steps" { (sides::table(&rerun.steps, ["Recorded", "Rerun"])) }
        (fields(&form.asker, &choices, &given))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_between_two_questions_means_the_later_one() {
        let questions = [("2", "a"), ("7", "b")].map(|(seq, label)| (seq.to_owned(), label.to_owned()));
        for (from, expected) in [("", "2"), ("2", "2"), ("3", "7"), ("7", "7"), ("8", ""), ("x", "2")] {
            assert_eq!(begins(&questions, from), expected, "{from}");
        }
    }
}
