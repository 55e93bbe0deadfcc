//! One run: what it was asked, its state, its subagents, and its steps as a timeline.

mod asked;
pub(super) mod compare;
mod course;
pub(super) mod prompts;
pub(super) mod replay;
pub(super) mod rerun;
mod sides;
mod step;
mod steps;
pub(super) mod why;

use axum::{http::Method, response::Redirect};
use futures::future::try_join_all;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use self::{
    asked::Asked,
    course::{Course, Delivery},
    step::Step,
};
use super::{
    approval::{self, Approval, Question},
    runs::Run,
};
use crate::{
    address::part,
    backend::Asker,
    extract::Path,
    failure::Failure,
    form::Form,
    handler,
    view::{
        format::{At, cost, count, duration, when},
        layout,
        parts::{Button, empty, head, short},
        prose, words,
    },
};

/// Deeper trees than the engine makes are not followed.
const DEEPEST: usize = 3;

/// A run with its steps.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Whole {
    #[serde(flatten)]
    pub(crate) run: Run,
    pub(crate) run_steps: Vec<Step>,
    #[serde(default)]
    feedback: Vec<Value>,
    asked_at: Option<At>,
    #[serde(default)]
    deliveries: Vec<Delivery>,
    pub(super) question: Option<Question>,
}

impl Whole {
    /// Its open question, if it has one.
    pub(crate) fn approval(&self) -> Option<Approval<'_>> {
        Approval::of(&self.run, self.question.as_ref())
    }

    /// Retention deleted its steps.
    fn steps_are_deleted(&self) -> bool {
        self.run_steps.iter().any(Step::tells_deleted)
    }
}

/// These runs, with the questions that they ask.
pub(crate) async fn asking(asker: &Asker, runs: impl Iterator<Item = &Run>) -> Result<Vec<Whole>, Failure> {
    let paths: Vec<_> = runs.map(|run| format!("/api/runs/{}", part(&run.id))).collect();
    let found = try_join_all(paths.iter().map(|path| asker.find::<Whole>(path))).await?;
    Ok(found.into_iter().flatten().collect())
}

/// Whether the reader sees all of a person's runs. Who manages a server sees those there alone.
fn sees_runs_of(asker: &Asker, user: &str) -> bool {
    !asker.is_person() || asker.me().is_some_and(|me| me.user_id.as_deref() == Some(user))
}

/// The page.
#[handler]
pub(crate) async fn show(asker: Asker, Path(id): Path<String>) -> Result<Markup, Failure> {
    let whole: Whole = asker.get(&format!("/api/runs/{}", part(&id))).await?;
    let tree = tree(&asker, &whole, 0).await?;
    let asked = Asked::of(&asker, &whole.run).await?;
    let run = &whole.run;
    let took = run.updated_at.0.since(run.created_at.0).as_millis();
    let took = u64::try_from(took).unwrap_or(u64::MAX);
    let content = html! {
        (head("Run", "", &buttons(&asker, &whole)))
        section.card id="run" data-live aria-label="Summary" {
            div.row.apart {
                (run.badge())
                span.small.quiet {
                    "begun " (when(run.created_at, asker.now()))
                    @if let Some(at) = run.wake_at { " · wakes " (when(at, asker.now())) }
                }
            }
            (asked.draw())
            div.prose { p { strong { (words(&short(&run.input_text, 2000))) } } }
            @if let Some(output) = &run.output_text { (prose(output)) }
            @if let Some(error) = &run.error { div.note.bad { p { (words(error)) } } }
            @if let Some(approval) = whole.approval() { div.note.warn.stack { (approval.draw(&asker)) } }
            dl.figures {
                div { dt { "took" } dd { (duration(took)) } }
                div { dt { "model calls" } dd { (count(run.llm_calls)) } }
                div { dt { "tokens sent" } dd { (count(run.prompt_tokens)) } }
                div { dt { "of them cached" } dd { (count(run.cached_tokens)) } }
                div { dt { "received" } dd { (count(run.completion_tokens)) } }
                div { dt { "cost" } dd { (cost(run.cost)) } }
                @if !whole.feedback.is_empty() { div { dt { "verdicts" } dd { (whole.feedback.len()) } } }
            }
            p.small.row {
                @if let Some(context) = &run.context_id { a href={ "/conversations/" (context) } { "Conversation" } }
                @if let Some(user) = run.user_id.as_ref().filter(|user| sees_runs_of(&asker, user)) {
                    a href={ "/runs?user=" (user) } { "Runs of this person" }
                }
                @if let Some(channel) = &run.channel_id { a href={ "/runs?channel=" (channel) } { "Runs of this channel" } }
            }
            nav.small.row aria-label="More about this run" {
                a.button href={ "/runs/" (run.id) "/why" } { "Why the rules decided so" }
                a.button href={ "/runs/" (run.id) "/replay" } { "What it knew after each step" }
                a.button href={ "/runs/compare?a=" (run.id) } { "Compare with another run" }
            }
        }
        @if let Some(tree) = tree {
            section.card aria-labelledby="tree-title" { h2 id="tree-title" { "Subagents" } (tree) }
        }
        section.card id="steps" data-live aria-labelledby="steps-title" {
            header {
                h2 id="steps-title" { "What it did" }
                @if !whole.steps_are_deleted() { span.small.quiet { (whole.run_steps.len()) " steps" } }
            }
            @if whole.steps_are_deleted() { (deleted_notice(&asker)) }
            (legend())
            (steps::timeline(&whole.run_steps, Course::of(&whole), Some(&whole)))
            @if matches!(run.status.as_str(), "pending" | "running" | "waiting") {
                div.draft.quiet data-stream=(run.id) aria-label="What the model is writing" role="group" {}
            }
        }
    };
    Ok(layout::page(&asker, &format!("Run: {}", run.title()), &content))
}

/// Says where the steps of a run went.
fn deleted_notice(asker: &Asker) -> Markup {
    empty(
        "The steps of this run were deleted",
        &html! {
            "Steps are deleted after a while"
            @if !asker.is_person() { ": " code { "[retention] steps_days" } " in " code { "bot.toml" } }
            ". The question, the answer and the costs stay."
        },
    )
}

/// The legend of the timeline.
pub(crate) fn legend() -> Markup {
    let kinds = [
        ("wait", "waiting"),
        ("", "model"),
        ("tool", "tool"),
        ("delivery", "delivery"),
    ];
    html! {
        p.legend.small.quiet { @for (class, name) in kinds { span class=(class) { (name) } } }
    }
}

fn buttons(asker: &Asker, whole: &Whole) -> Markup {
    let run = &whole.run;
    let undo = format!("/runs/{}/undo", run.id);
    let can_undo = whole.run_steps.iter().any(Step::can_be_undone);
    let action = |name| format!("/runs/{}/{name}", run.id);
    let (cancel, wake, retry) = (action("cancel"), action("wake"), action("retry"));
    html! {
        div.row id="buttons" data-live {
            @match run.status.as_str() {
                "pending" | "running" => { (Button::new(&cancel, "Stop").danger("Stop this run?").draw(asker)) }
                "waiting" => {
                    @if !run.asks() { (Button::new(&wake, "Wake now").draw(asker)) }
                    (Button::new(&cancel, "Stop").danger("Stop this run?").draw(asker))
                }
                "failed" | "cancelled" => { (Button::new(&retry, "Try again").main().draw(asker)) }
                "completed" if can_undo => { (Button::new(&undo, "Undo").draw(asker)) }
                _ => {}
            }
        }
    }
}

/// The subagents below a run, as a list of lists.
async fn tree(asker: &Asker, whole: &Whole, depth: usize) -> Result<Option<Markup>, Failure> {
    let children: Vec<String> = whole.run_steps.iter().flat_map(Step::children).collect();
    if children.is_empty() || depth >= DEEPEST {
        return Ok(None);
    }
    let paths: Vec<_> = children.iter().map(|id| format!("/api/runs/{}", part(id))).collect();
    let found = try_join_all(paths.iter().map(|path| asker.find::<Whole>(path))).await?;
    let mut items = Vec::new();
    for child in found.iter().flatten() {
        let below = Box::pin(tree(asker, child, depth + 1)).await?;
        items.push(html! {
            li {
                div.row { (child.run.badge()) a href={ "/runs/" (child.run.id) } { (words(&child.run.title())) } }
                @if let Some(below) = below { (below) }
            }
        });
    }
    Ok(Some(html! { ul.tree { @for item in items { (item) } } }))
}

/// The steps of a run, for the side of a chat.
pub(crate) fn timeline_of(whole: &Whole) -> Markup {
    steps::timeline(&whole.run_steps, Course::plain(whole.run.created_at), None)
}

/// A button of the page.
#[handler]
pub(crate) async fn act(Path((id, action)): Path<(String, String)>, form: Form) -> Result<Redirect, Failure> {
    let path = format!("/api/runs/{}/{}", part(&id), part(&action));
    let own = format!("/runs/{}", part(&id));
    let next = match action.as_str() {
        "cancel" | "wake" | "undo" => {
            form.send(Method::POST, &path, None).await?;
            form.back(&own).to_owned()
        }
        "retry" => {
            let new = form.send(Method::POST, &path, None).await?;
            let new = format!("/runs/{}", part(new["id"].as_str().unwrap_or(&id)));
            // It shows where the old one was shown, or on its own page.
            let back = form.back(&new);
            let shows = back == "/" || back.starts_with("/chat");
            if shows { back.to_owned() } else { new }
        }
        "confirm" => {
            approval::answer(&form, &id).await?;
            form.back(&own).to_owned()
        }
        "rate" => {
            let path = format!("/api/runs/{}/feedback", part(&id));
            match form.field("verdict") {
                Some(verdict) => {
                    form.send(Method::PUT, &path, Some(&json!({ "verdict": verdict })))
                        .await?
                }
                None => form.send(Method::DELETE, &path, None).await?,
            };
            form.back(&own).to_owned()
        }
        _ => return Err(Failure::Wrong(format!("A run knows no “{action}”."))),
    };
    Ok(Redirect::to(&next))
}
