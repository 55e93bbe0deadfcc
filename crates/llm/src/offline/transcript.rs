//! The conversation that the engine sends, as far as the responder needs it.

use clifford_llm_api::model::{Message, Role};
use clifford_text::Lang;
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::Value;

use super::{
    dates,
    language::{Language, reader},
    understand::without_speakers,
};

/// Something the person asked to remember.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Memory {
    pub(super) key: String,
    pub(super) value: Value,
}

/// How a tool call ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CallOutcome {
    Done(Value),
    /// Why, if it is one that people understand.
    Failed(Option<String>),
}

/// A run so far.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// The bot's name.
    pub(super) name: String,
    /// The language that the prompt asks for.
    told: Option<Lang>,
    /// The person's message.
    pub(super) input: String,
    /// The day on which the run began, by the person's calendar.
    pub(super) today: Option<Date>,
    /// The memories of them.
    pub(super) memories: Vec<Memory>,
    /// How the tool calls ended, in order.
    pub(super) outcomes: Vec<CallOutcome>,
    /// Replies that were given before.
    pub(super) replies: usize,
    /// Whether one of them went to the person.
    pub(super) spoke: bool,
    /// Whether the time that was waited for has come.
    pub(super) woke: bool,
    /// How often the engine objected.
    pub(super) objections: usize,
    /// Whether it did so just now.
    pub(super) objected: bool,
}

/// The words before the reason in the error of `compute`.
const UNCOMPUTED: &str = "cannot be computed: ";
/// The name of a bot whose prompt does not tell it.
const NAME: &str = "Clifford";
/// The words before the tag of the language that a prompt asks for.
const TOLD: &str = "in the language with the tag ";
/// The longest name.
const LONGEST_NAME: usize = 40;

/// The bot's name, as the head of its prompt tells it: "You are Ada, …".
pub(super) fn name(messages: &[Message]) -> String {
    let prompt = messages.iter().find(|message| message.role == Role::System);
    let told = prompt.and_then(|prompt| {
        let rest = prompt.content.trim_start().strip_prefix("You are ")?;
        let name = rest.split([',', '.', '!', ';', '\n']).next()?.trim();
        let is_name = name.starts_with(char::is_uppercase) && name.chars().count() <= LONGEST_NAME;
        (is_name && name.split(' ').count() <= 3).then(|| name.to_owned())
    });
    told.unwrap_or_else(|| NAME.to_owned())
}

/// The language that somebody chose for the answers, as the prompt tells it.
pub(super) fn reply_language(messages: &[Message]) -> Option<Lang> {
    let prompts = messages.iter().filter(|message| message.role == Role::System);
    let tag = |prompt: &Message| {
        let (_, rest) = prompt.content.split_once(TOLD)?;
        Lang::of(rest.split([',', '.', ' ', '\n']).next()?)
    };
    prompts.filter_map(tag).next()
}

/// The reason in an error that is about what the person wrote.
fn reason(error: &Value) -> Option<String> {
    let (_, why) = error.as_str()?.split_once(UNCOMPUTED)?;
    Some(why.trim_end_matches('.').to_owned())
}

impl Transcript {
    /// Reads the messages of a run; `None` if they are those of a plain chat.
    pub(super) fn read(messages: &[Message]) -> Option<Self> {
        let (name, told) = (name(messages), reply_language(messages));
        let mut messages = messages.iter().skip_while(|message| message.role == Role::System);
        let payload: Value = serde_json::from_str(&messages.next()?.content).ok()?;
        payload.get("run")?;
        let mut transcript = Self {
            name,
            told,
            input: input(&payload),
            today: today(&payload),
            memories: [&payload["memories"], &payload["relevant_memories"]]
                .map(memories)
                .concat(),
            ..Self::default()
        };
        for message in messages {
            transcript.objected = false;
            let entry: Value = serde_json::from_str(&message.content).unwrap_or_default();
            match message.role {
                Role::Assistant => {
                    transcript.replies += 1;
                    transcript.spoke |= entry["type"] == "send_message";
                }
                Role::User | Role::System => transcript.add(&entry),
            }
        }
        Some(transcript)
    }

    /// The language of what tools tell: the one that was chosen, else that of the person's message.
    pub(super) fn language(&self) -> Language {
        match self.told {
            Some(Lang::English) => Language::English,
            Some(Lang::German) => Language::German,
            _ => Language::of(&self.input),
        }
    }

    /// The language of what the responder says of itself.
    pub(super) fn reader(&self) -> Lang {
        reader(&without_speakers(&self.input), self.told)
    }

    fn add(&mut self, entry: &Value) {
        if let Some(result) = entry.get("tool_result") {
            self.outcomes.push(match &result["success"] {
                Value::Bool(true) => CallOutcome::Done(result["result"].clone()),
                _ => CallOutcome::Failed(reason(&result["error"])),
            });
        } else if entry.get("woke").is_some() {
            self.woke = true;
        } else if entry.get("system_note").is_some() {
            self.objections += 1;
            self.objected = true;
        }
    }
}

/// The last message of a plain chat's person.
pub(super) fn last_words(messages: &[Message]) -> &str {
    messages
        .iter()
        .rfind(|message| message.role == Role::User)
        .map_or("", |message| &message.content)
}

/// Memory items, in the payload or in a tool's result.
pub(super) fn memories(items: &Value) -> Vec<Memory> {
    let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| Memory::deserialize(item).ok()).collect()
}

fn today(payload: &Value) -> Option<Date> {
    dates::today(payload["now"].as_str()?, payload["run"]["time_zone"].as_str()?)
}

/// The person's words; a subagent's are in its task.
fn input(payload: &Value) -> String {
    let task = &payload["task"];
    [&payload["input"], task, &task["task"]]
        .into_iter()
        .filter_map(Value::as_str)
        .find(|text| !text.trim().is_empty())
        .unwrap_or_default()
        .to_owned()
}
