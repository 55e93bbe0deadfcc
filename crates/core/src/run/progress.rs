//! The progress of a run's steps, for a channel that shows it.

use clifford_action::Category;
use clifford_chat::{
    outbound::{ProgressKind, Signal},
    platform::Platform,
};
use clifford_text::{Doing, Lang};

use super::step::{Event, Step, StepKind, ToolCall, ToolOutcome};

/// The provider that is no language model.
const OFFLINE: &str = "offline";
/// The most characters of a name in a status message.
const LONGEST_NAME: usize = 60;

/// A line for each step that says something to who watches.
pub fn signals(steps: &[Step], lang: Lang) -> Vec<Signal> {
    steps.iter().filter_map(|step| line(&step.kind, lang)).collect()
}

fn line(step: &StepKind, lang: Lang) -> Option<Signal> {
    let (kind, text) = match step {
        StepKind::Note { category, content, .. } => (ProgressKind::Note, lang.say(noted(*category, content.clone()))),
        StepKind::Decision { content, .. } => {
            let content = content.clone();
            (ProgressKind::Note, lang.say(Doing::Decision { content }))
        }
        StepKind::ToolCall(call) => {
            let args = serde_json::to_string(&call.args).unwrap_or_default();
            (ProgressKind::ToolCall, format!("{} {args}", call.name))
        }
        StepKind::ToolResult(result) => {
            let text = match &result.outcome {
                ToolOutcome::Success { result } => result.to_string(),
                ToolOutcome::Failure { error, .. } => error.clone(),
            };
            (ProgressKind::ToolResult, text)
        }
        // Rules cost nothing, so their tokens mean nothing.
        StepKind::Event(Event::LlmResponse(response)) if response.provider == OFFLINE => return None,
        StepKind::Event(Event::LlmResponse(response)) => {
            let usage = response.usage;
            let text = lang.say(Doing::Tokens {
                model: format!("{} {}", response.provider, response.model),
                read: lang.number(usage.prompt_tokens),
                written: lang.number(usage.completion_tokens),
            });
            (ProgressKind::Cost, text)
        }
        _ => return None,
    };
    Some(Signal::Progress { kind, text })
}

fn noted(category: Category, content: String) -> Doing {
    match category {
        Category::Requirements => Doing::Requirements { content },
        Category::Plan => Doing::Plan { content },
        Category::Artifact => Doing::Artifact { content },
        Category::Validation => Doing::Validation { content },
    }
}

/// The work of a run once these steps are recorded, in plain words, as Markdown; `step`: its last model call,
/// `shown_on`: the platform that shows it. `None`: they begin nothing. It quotes nobody: others may read along, so of a
/// call's arguments only the name of a site is shown.
pub fn doing(steps: &[Step], step: u32, shown_on: Platform, lang: Lang) -> Option<String> {
    let words = steps.iter().rev().find_map(|step| words(&step.kind, shown_on))?;
    let step = match words {
        Doing::Thinking => step + 1,
        _ => step.max(1),
    };
    Some(lang.say(Doing::Step {
        doing: lang.say(words),
        step: step.to_string(),
    }))
}

/// The work right after a step.
fn words(step: &StepKind, shown_on: Platform) -> Option<Doing> {
    Some(match step {
        StepKind::ToolCall(call) => calling(call, shown_on),
        StepKind::ToolResult(_) | StepKind::Event(Event::Wake { .. } | Event::Confirm { .. }) => Doing::Thinking,
        StepKind::Event(Event::SpawnSubagents { children, .. }) => match children.len() {
            1 => Doing::OwnTask,
            several => Doing::Tasks { count: several.into() },
        },
        _ => return None,
    })
}

fn calling(call: &ToolCall, shown_on: Platform) -> Doing {
    let (tool, command) = call.name.split_once('.').unwrap_or((&call.name, ""));
    match (tool, command) {
        ("web", "search") => Doing::SearchingWeb,
        ("web", _) => match call.args.get("url").and_then(|url| host(url.as_str()?)) {
            Some(site) => Doing::ReadingSite { site },
            None => Doing::ReadingPage,
        },
        ("files", "create") => Doing::WritingFile,
        ("files", "read") => Doing::ReadingFile,
        ("files", _) => Doing::LookingThroughFiles,
        ("image", "make") => Doing::MakingImage,
        ("image", _) => Doing::LookingAtImage,
        ("audio", _) => Doing::ListeningToRecording,
        ("memory", _) => Doing::LookingThroughMemory,
        ("retrieval", "index") => Doing::ReadingDocument,
        ("retrieval", _) => Doing::SearchingDocuments,
        ("compute", _) => Doing::Calculating,
        ("weather", _) => Doing::CheckingWeather,
        ("reminders" | "triggers", _) => Doing::SeeingToReminders,
        ("dice", _) => Doing::RollingDice,
        ("tools" | "system" | "settings", _) => Doing::LookingAround,
        (platform, _) if platform == shown_on.as_str() => Doing::LookingAround,
        (other, _) => {
            let named = other.chars().filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c));
            Doing::Using {
                tool: named.take(LONGEST_NAME).collect(),
            }
        }
    }
}

/// The name of the site of an address.
fn host(url: &str) -> Option<String> {
    let rest = url.trim().split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority
        .rsplit('@')
        .next()?
        .split(':')
        .next()?
        .trim_start_matches("www.");
    let is_name = host.contains('.') && host.chars().all(|c| c.is_alphanumeric() || "-.".contains(c));
    (is_name && host.chars().count() <= LONGEST_NAME).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clock::Timestamp;

    fn step(kind: StepKind) -> Step {
        Step {
            seq: 1,
            at: Timestamp(0),
            kind,
        }
    }

    fn called(name: &str, args: serde_json::Value) -> Step {
        step(StepKind::ToolCall(ToolCall {
            name: name.to_owned(),
            args: args.as_object().cloned().unwrap_or_default(),
            idempotency_key: String::new(),
        }))
    }

    #[test]
    fn what_is_done_is_told_in_plain_words_that_quote_nobody() {
        let cases = [
            (
                "web.fetch",
                json!({"url": "https://www.example.org/a?b=secret#c"}),
                "Reading `example.org`",
            ),
            (
                "web.extract",
                json!({"url": "http://ada:pass@news.example.org:8080"}),
                "Reading `news.example.org`",
            ),
            ("web.fetch", json!({"url": "https://`@everyone`/x"}), "Reading a page"),
            (
                "web.fetch",
                json!({"url": format!("https://{}.org", "a".repeat(80))}),
                "Reading a page",
            ),
            ("web.fetch", json!({"url": 7}), "Reading a page"),
            ("web.search", json!({"query": "my illness"}), "Searching the web"),
            ("files.read", json!({"id": "x"}), "Reading a file"),
            ("image.make", json!({"prompt": "a cat"}), "Making an image"),
            ("compute.eval", json!({"expression": "1"}), "Calculating"),
            ("bank`.pay", json!({"to": "Ben"}), "Using `bank`"),
            ("sms.history", json!({}), "Looking around here"),
            ("mail.history", json!({"channel": 7}), "Using `mail`"),
        ];
        for (name, args, expected) in cases {
            let told = doing(&[called(name, args)], 3, Platform::new("sms"), Lang::English);
            assert_eq!(told, Some(format!("{expected} · step 3")), "{name}");
        }
    }

    #[test]
    fn the_last_step_that_begins_something_is_told() {
        let result = step(StepKind::ToolResult(super::super::step::ToolResult {
            name: "compute.eval".to_owned(),
            outcome: ToolOutcome::Success { result: json!(42) },
            origins: Default::default(),
            duration_ms: 0,
            spent: Default::default(),
            undo: None,
            readers: None,
        }));
        let said = step(StepKind::AssistantMessage {
            text: "It is 42.".to_owned(),
            sent: true,
        });
        let call = called("compute.eval", json!({}));
        let told = |steps: &[Step], step, lang| doing(steps, step, Platform::WEB, lang).unwrap_or_default();
        let thought = [call.clone(), result];
        assert_eq!(told(&thought, 0, Lang::English), "Thinking · step 1");
        assert_eq!(told(&thought, 0, Lang::German), "Ich denke nach · Schritt 1");
        assert_eq!(told(&[call, said.clone()], 2, Lang::English), "Calculating · step 2");
        assert_eq!(told(&[said], 2, Lang::English), "");
    }
}
