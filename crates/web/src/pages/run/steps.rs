//! The steps of a run as a timeline: what happened, how long it took of the whole, and what went in and came out.

use maud::{Markup, html};
use serde_json::Value;

use super::{Whole, course::Course, step::Step};
use crate::view::{
    format::{cost, count, duration, title},
    parts::{Tone, badge, data},
    prose, words,
};

/// The timeline of these steps. With the run, it leads from each question to the model to its prompt, and to a rerun from
/// there on; and it shows the wait before and the delivery behind them.
pub(crate) fn timeline(steps: &[Step], course: Course, whole: Option<&Whole>) -> Markup {
    let run = whole.map(|whole| whole.run.id.as_str());
    html! {
        @if steps.is_empty() {
            p.quiet { "Nothing yet: its first step shows here at once." }
        } @else {
            ol.timeline {
                (course.waiting(steps))
                @for (place, step) in steps.iter().enumerate() { (item(step, steps.get(place + 1..).unwrap_or_default(), course, run)) }
                @if let Some(whole) = whole { (course.deliveries(whole.run.context_id.as_deref(), &whole.deliveries)) }
            }
        }
    }
}

/// Words as they are, with their lines.
fn words_of(text: &str) -> Markup {
    html! { span.lines { (words(text)) } }
}

/// How a step is shown.
struct Shown {
    class: &'static str,
    name: Markup,
    words: Option<Markup>,
    more: Markup,
}

impl Shown {
    fn new(class: &'static str, name: impl maud::Render) -> Self {
        Self {
            class,
            name: html! { strong { (name) } },
            words: None,
            more: html! {},
        }
    }

    fn saying(mut self, words: Option<&str>) -> Self {
        self.words = words.filter(|words| !words.is_empty()).map(words_of);
        self
    }

    /// A sentence of the page's own.
    fn noting(mut self, sentence: Markup) -> Self {
        self.words = Some(sentence);
        self
    }

    /// A text for people, as they read it.
    fn telling(mut self, markdown: Option<&str>) -> Self {
        self.words = markdown.filter(|text| !text.is_empty()).map(prose);
        self
    }

    fn with(mut self, more: Markup) -> Self {
        self.more = more;
        self
    }
}

fn item(step: &Step, following: &[Step], course: Course, run: Option<&str>) -> Markup {
    let shown = shown(step);
    let at = course.offset(step.created_at);
    let kind = if step.tool_name.is_some() { "tool" } else { "" };
    let tokens = step.prompt_tokens.zip(step.completion_tokens);
    html! {
        li class=(shown.class) id={ "step-" (step.seq) } {
            div.what {
                (shown.name)
                span.small.quiet {
                    @if let Some((sent, received)) = tokens {
                        (count(sent)) " → " (count(received)) " tokens"
                        @if let Some(cached @ 1..) = step.cached_tokens { " (" (count(cached)) " cached)" }
                        " · "
                    }
                    @if let Some(price) = step.result_json.as_ref().and_then(|result| result["cost"].as_f64()).filter(|price| *price > 0.0) {
                        (cost(price)) " · "
                    }
                    @if let Some(long) = step.duration_ms { (duration(long)) " · " }
                    "+" (duration(at))
                }
            }
            @if let Some(text) = &shown.words { div.words { (text) } }
            @if let Some(long) = step.duration_ms { (course.bar(at.saturating_sub(long), long, kind)) }
            (course.pause(step, following))
            (shown.more)
            @if let Some(run) = run.filter(|_| step.asks_model()) {
                p.small.row {
                    @if step.has_prompt() {
                        a href={ "/runs/" (run) "/prompt?step=" (step.seq) } { "The prompt, and what is new in it" }
                    }
                    a href={ "/runs/" (run) "/rerun?from=" (step.seq) } { "Run once more from here" }
                }
            }
        }
    }
}

/// The deed of a step, without its place in time.
pub(crate) fn brief(step: &Step) -> Markup {
    let shown = shown(step);
    html! {
        div.small.quiet { "Step " (step.seq) }
        div { (shown.name) }
        @if let Some(text) = &shown.words { div { (text) } }
        (shown.more)
    }
}

fn shown(step: &Step) -> Shown {
    match step.r#type.as_str() {
        "tool_call" => {
            let args = step.args_json.clone().unwrap_or_default();
            let name = html! { "Calls " code { (words(step.tool_name.as_deref().unwrap_or_default())) } };
            Shown::new("tool", name).with(data("Arguments", &args))
        }
        "tool_result" => result(step),
        "assistant_message" => {
            let name = if step.status.as_deref() == Some("sent") {
                "Says"
            } else {
                "Says, unsent"
            };
            Shown::new("good", name).telling(step.given("message"))
        }
        "output_update" => Shown::new("", "Writes its output").saying(step.given("output")),
        "decision" => Shown::new("", "Decides").saying(step.given("content")),
        "note" => {
            let kind = title(step.given("category").unwrap_or("note"));
            Shown::new("", format!("Notes: {kind}")).saying(step.given("content"))
        }
        "finish" => finish(step),
        _ => event(step),
    }
}

fn result(step: &Step) -> Shown {
    let failed = step.status.as_deref() == Some("failure");
    let name = html! {
        code { (words(step.tool_name.as_deref().unwrap_or_default())) } " "
        @if failed { (badge(Tone::Bad, "failed")) } @else { (badge(Tone::Good, "returned")) }
    };
    let told = step.result_json.as_ref();
    let value = told.and_then(|told| told.get("result")).cloned().unwrap_or_default();
    let origins = told.and_then(|told| told["origins"].as_array()).map(|origins| {
        let names: Vec<_> = origins.iter().filter_map(Value::as_str).collect();
        names.join(", ")
    });
    let more = html! {
        @if !failed { (data("Result", &value)) }
        @if let Some(left) = told.filter(|_| failed).and_then(|told| told["retries"].as_u64()) {
            p.small.quiet { (again(left)) }
        }
        @if let Some(origins) = origins { p.small.quiet { "From outside: " (words(&origins)) } }
    };
    let class = if failed { "bad" } else { "tool" };
    Shown::new(class, name).saying(step.got("error")).with(more)
}

/// How often a call that failed may be tried again.
fn again(left: u64) -> String {
    match left {
        0 => "It may not be tried again.".to_owned(),
        1 => "It may be tried once more.".to_owned(),
        more => format!("It may be tried {more} times more."),
    }
}

fn finish(step: &Step) -> Shown {
    let failed = step.got("status") == Some("failed");
    let ending = step.got("ending").map(title).unwrap_or_default();
    let name = if failed {
        format!("Fails: {ending}")
    } else {
        format!("Ends: {ending}")
    };
    let text = step.got("message").or(step.got("error")).or(step.got("output"));
    let shown = Shown::new(if failed { "bad" } else { "good" }, name);
    if failed {
        shown.saying(text)
    } else {
        shown.telling(text)
    }
}

fn event(step: &Step) -> Shown {
    let event = step.result_json.clone().unwrap_or_default();
    let whole = data("Details", &event);
    match step.event().unwrap_or_default() {
        "llm_request" => {
            let size = event["estimatedTokens"].as_u64().unwrap_or_default();
            let prompt = event.get("prompt").filter(|prompt| !prompt.is_null());
            let more = html! {
                @if let Some(prompt) = prompt { (data("The exact prompt", prompt)) }
                @if step.lost_prompt() { p.small.quiet { "The exact prompt was deleted by retention." } }
                (data("Its sections, in tokens", &event["sections"]))
            };
            Shown::new("model", "Asks the model")
                .noting(html! { span { "about " (count(size)) " tokens" } })
                .with(more)
        }
        "llm_response" => {
            let by = format!(
                "{} ({})",
                event["model"].as_str().unwrap_or("a model"),
                event["provider"].as_str().unwrap_or("a provider")
            );
            let reply = event["text"].as_str().unwrap_or_default();
            let reply = serde_json::from_str(reply).unwrap_or_else(|_| Value::String(reply.to_owned()));
            Shown::new("model", html! { "Reply of " (words(&by)) }).with(data("The reply", &reply))
        }
        "system_note" => Shown::new("", "The engine says").saying(step.got("text")),
        "user_message" => Shown::new("good", "A person adds").saying(step.got("text")),
        "spawn_subagents" => Shown::new("tool", "Asks subagents").with(whole),
        "subagent_ended" => {
            let text = step.got("output").or(step.got("error"));
            Shown::new("tool", "A subagent ended").saying(text).with(whole)
        }
        "confirm_request" => {
            let call = event["call"]["name"].as_str().unwrap_or_default();
            Shown::new("tool", html! { "Asks whether to call " code { (words(call)) } })
                .saying(step.got("why"))
                .with(whole)
        }
        "confirm" => {
            let approved = event["approved"].as_bool().unwrap_or_default();
            let name = if approved { "Approved" } else { "Denied" };
            Shown::new(if approved { "good" } else { "bad" }, name).saying(step.got("words"))
        }
        "sleep" => Shown::new("", "Sleeps").saying(step.got("reason")).with(whole),
        "wake" => Shown::new("", "Wakes").saying(step.got("reason")),
        "steps_deleted" => {
            let many = count(event["steps"].as_u64().unwrap_or_default());
            Shown::new("", "Deleted by retention").noting(html! { span { (many) " steps" } })
        }
        "error" => Shown::new("bad", "Something went wrong").saying(step.got("message")),
        other => Shown::new("", title(other)).with(whole),
    }
}
