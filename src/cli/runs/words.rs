//! Steps and runs in words, and as JSON.

use clifford_core::{
    policy::trace::Traced,
    run::step::{Answerer, ConfirmAbout, EndingKind, Event, Step, StepKind, ToolOutcome},
    runs::{Run, RunStatus},
};
use serde_json::{Value, json};

use crate::cli::output::{self, Paint, paint};

/// The most characters of one step.
const LONGEST: usize = 2000;

/// A step for programs: as it stands in the database.
pub(super) fn json(step: &Step) -> Value {
    let (given, result, status) = clifford_core::run::columns::parts(&step.kind);
    let tool = match &step.kind {
        StepKind::ToolCall(call) => Some(&call.name),
        StepKind::ToolResult(result) => Some(&result.name),
        _ => None,
    };
    json!({
        "seq": step.seq, "at": step.at, "type": step.kind.type_name(), "tool": tool, "args": given,
        "result": result, "status": status,
    })
}

/// Prints a step: its number, its time and its kind, and behind them its text.
///
/// # Errors
/// As [`output::print`].
pub(super) fn print(step: &Step) -> anyhow::Result<()> {
    let (what, text) = words(&step.kind);
    let seq = paint(Paint::Dim, &format!("{:>4}", step.seq));
    let at = paint(Paint::Dim, &step.at.to_jiff().strftime("%H:%M:%S").to_string());
    let what = paint(Paint::Bold, &format!("{what:<9}"));
    output::item(&format!("{seq}  {at}  {what}  "), &clip(text.trim()))
}

/// A model's reply: that of a run is told by the steps that it leads to, so its form is enough.
fn reply(text: &str) -> String {
    let action: Option<Value> = serde_json::from_str(text).ok();
    let field = |name: &str| action.as_ref().and_then(|action| action[name].as_str());
    match (field("type"), field("name")) {
        (Some(form), Some(name)) => format!("{form} {name}"),
        (Some(form), None) => form.to_owned(),
        (None, _) => text.to_owned(),
    }
}

/// A time at work.
fn took(milliseconds: u64) -> String {
    match milliseconds {
        ..1_000 => format!("{milliseconds} ms"),
        1_000.. => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
    }
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… (--json shows all)", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn words(kind: &StepKind) -> (&'static str, String) {
    match kind {
        StepKind::ToolCall(call) => {
            let args = serde_json::to_string(&call.args).unwrap_or_default();
            ("call", format!("{} {args}", call.name))
        }
        StepKind::ToolResult(result) => {
            let said = match &result.outcome {
                ToolOutcome::Success { result } => result.to_string(),
                ToolOutcome::Failure { error, .. } => format!("failed: {error}"),
            };
            (
                "result",
                format!("{} {said} ({})", result.name, took(result.duration_ms)),
            )
        }
        StepKind::AssistantMessage { text, sent: true } => ("message", text.clone()),
        StepKind::AssistantMessage { text, sent: false } => ("message", format!("(not sent) {text}")),
        StepKind::OutputUpdate { output, .. } => ("output", output.clone()),
        StepKind::Decision { content, .. } => ("decision", content.clone()),
        StepKind::Note {
            category,
            content,
            plan,
        } => {
            let plan: Vec<_> = (plan.iter())
                .map(|call| format!("{} × {}", call.command, call.at_most))
                .collect();
            let plan = match plan.is_empty() {
                true => String::new(),
                false => format!(" [{}]", plan.join(", ")),
            };
            ("note", format!("{}: {content}{plan}", name(category)))
        }
        StepKind::Finish(finish) => {
            let why = finish
                .error
                .as_ref()
                .map(|error| format!(" ({error})"))
                .unwrap_or_default();
            // A message that ends a run is a step of its own.
            let message = finish.message.as_ref().filter(|_| finish.ending != EndingKind::Message);
            let said = message.map(|text| format!(": {text}")).unwrap_or_default();
            let how = name(&finish.ending);
            ("finish", format!("{} by {how}{why}{said}", finish.status))
        }
        StepKind::Event(event) => happened(event),
    }
}

fn happened(event: &Event) -> (&'static str, String) {
    match event {
        Event::LlmRequest {
            messages,
            estimated_tokens,
            prompt_deleted_at,
            ..
        } => (
            "ask",
            format!(
                "{}, about {}{}",
                output::count(*messages, "message", None),
                output::count(*estimated_tokens, "token", None),
                match prompt_deleted_at {
                    Some(at) => format!(" (prompt deleted by retention, {})", output::when(*at)),
                    None => String::new(),
                }
            ),
        ),
        Event::LlmResponse(reply) => {
            let native: Vec<_> = reply
                .tool_calls
                .iter()
                .map(|call| format!("{}({})", call.name, call.arguments))
                .collect();
            let usage = reply.usage;
            let text = format!(
                "{}{} ({}, {} + {} tokens, {})",
                self::reply(reply.text.trim()),
                native.join(" "),
                reply.model,
                output::grouped(usage.prompt_tokens),
                output::grouped(usage.completion_tokens),
                took(reply.duration_ms)
            );
            ("reply", text)
        }
        Event::SystemNote { text, .. } => ("system", text.clone()),
        Event::UserMessage { text, .. } => ("user", text.clone()),
        Event::SpawnSubagents { children, .. } => {
            let ids: Vec<_> = children.iter().map(ToString::to_string).collect();
            ("spawn", ids.join(", "))
        }
        Event::SubagentEnded {
            run_id,
            status,
            output,
            error,
            ..
        } => {
            let said = output
                .as_ref()
                .or(error.as_ref())
                .map(String::as_str)
                .unwrap_or_default();
            ("subagent", format!("{run_id} {status}: {said}"))
        }
        Event::SetRunLimits { max_iterations, .. } => ("limits", format!("{max_iterations} iterations")),
        Event::Sleep { wake_at, cron, .. } => {
            let cron = cron.as_ref().map(|cron| format!(" ({cron})")).unwrap_or_default();
            ("sleep", format!("until {}{cron}", output::when(*wake_at)))
        }
        Event::Wake { reason, .. } => ("wake", reason.clone()),
        Event::ConfirmRequest(request) => {
            let args = serde_json::to_string(&request.call.args).unwrap_or_default();
            let about = match request.about {
                ConfirmAbout::Call => "",
                ConfirmAbout::Result => "the result of ",
            };
            let until = output::when(request.expires_at);
            let also: String = (request.also.iter())
                .map(|also| {
                    let args = serde_json::to_string(&also.call.args).unwrap_or_default();
                    format!("; {} {args}: {}{}", also.call.name, also.why, traced(&also.traced))
                })
                .collect();
            let text = format!(
                "{about}{} {args}: {}{}{also} (until {until})",
                request.call.name,
                request.why,
                traced(&request.traced)
            );
            ("confirm?", text)
        }
        Event::Tainted { origins } => {
            let origins: Vec<_> = origins.iter().map(String::as_str).collect();
            (
                "outside",
                format!("begins with words from outside: {}", origins.join(", ")),
            )
        }
        Event::Confirm { approved, by, .. } => {
            let what = if *approved { "approved" } else { "denied" };
            let by = match by {
                Answerer::User(user) => format!("by {user}"),
                Answerer::Operator => "by the operator".to_owned(),
                Answerer::Nobody => "since nobody answered in time".to_owned(),
            };
            ("confirm", format!("{what} {by}"))
        }
        Event::Recover { reason, action } => ("recover", format!("{}: {reason}", name(action))),
        Event::Error { message } => ("error", message.clone()),
        Event::StepsDeleted { steps, deleted_at, .. } => (
            "deleted",
            format!(
                "{} by retention ({})",
                output::count(*steps, "step", None),
                output::when(*deleted_at)
            ),
        ),
    }
}

/// Where the arguments of a call come from, a line each.
fn traced(traced: &[Traced]) -> String {
    let lines = traced.iter();
    lines
        .map(|traced| format!("\n{} ← {}", traced.argument, traced.origin))
        .collect()
}

/// A unit variant as it stands in JSON.
pub(super) fn name(variant: &impl serde::Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(Value::String(name)) => name,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// Where a run stands, in its colour.
pub(super) fn status(status: RunStatus) -> String {
    let colour = match status {
        RunStatus::Completed => Paint::Green,
        RunStatus::Failed | RunStatus::Cancelled => Paint::Red,
        RunStatus::Pending | RunStatus::Running | RunStatus::Waiting => Paint::Yellow,
    };
    paint(colour, status.as_str())
}

fn used(run: &Run) -> String {
    let calls = output::count(run.llm_calls, "model call", None);
    let (prompt, reply) = (
        output::grouped(run.prompt_tokens),
        output::grouped(run.completion_tokens),
    );
    let cost = if run.cost > 0.0 {
        format!(", cost {:.4}", run.cost)
    } else {
        String::new()
    };
    format!("used     {calls}, {prompt} + {reply} tokens{cost}")
}

/// A run's row in words.
pub(super) fn head(run: &Run) -> Vec<String> {
    let mut lines = vec![
        format!("run      {}", run.id),
        format!("status   {}", status(run.status)),
        format!("began    {}", output::when(run.created_at)),
        format!("changed  {}", output::when(run.updated_at)),
        used(run),
        format!("input    {}", output::head(&run.input_text, 500)),
    ];
    let more = [
        (
            "output ",
            run.output_text.as_deref().map(|text| output::head(text, 500)),
        ),
        ("error  ", run.error.as_deref().map(output::cell)),
        ("wakes  ", run.wake_at.map(output::when)),
        ("parent ", run.parent_run_id.map(|id| id.to_string())),
    ];
    lines.extend(
        more.into_iter()
            .filter_map(|(name, value)| Some(format!("{name}  {}", value.filter(|text| !text.is_empty())?))),
    );
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_told_by_its_form_unless_it_has_none() {
        for (text, expected) in [
            (r#"{"type":"send_message","message":"hi"}"#, "send_message"),
            (
                r#"{"type":"tool_call","name":"compute.eval","args":{}}"#,
                "tool_call compute.eval",
            ),
            ("Hello!", "Hello!"),
            (r#"{"half":"#, r#"{"half":"#),
            ("[1]", "[1]"),
        ] {
            assert_eq!(reply(text), expected);
        }
    }

    #[test]
    fn a_time_at_work_is_told_in_milliseconds_or_seconds() {
        assert_eq!([0, 999, 1_000, 61_950].map(took), ["0 ms", "999 ms", "1.0 s", "61.9 s"]);
    }
}
