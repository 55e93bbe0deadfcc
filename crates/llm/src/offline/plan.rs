//! From what a message asks for to the next action: call a tool, wait, or answer.

use serde_json::{Value, json};

use super::{
    intent::{Intent, slug, understand},
    module,
    transcript::{Memory, Outcome, Transcript, memories},
};

const WHAT_I_AM: &str = "I am the offline responder: a small set of rules, not a language model.";
const WHAT_I_CAN: &str = "I can calculate (\"what is 17 * 23?\"), remember (\"remember that my cat is called Miro\"), \
    recall (\"what is my cat called?\", \"what do you know about me?\"), remind (\"remind me in 10 minutes to stretch\") \
    and list my tools (\"what tools do you have?\").";
const HOW_TO_CONNECT: &str = "To connect a language model, set OPENAI_API_KEY (and OPENAI_BASE_URL and OPENAI_MODEL for \
    a server other than OpenAI's) and start me again.";

/// One thing to do for a message.
enum Part {
    /// Nothing but a sentence.
    Say(String),
    Call(Call),
    Wait(u64),
}

/// A tool call, and what is said of it.
struct Call {
    name: &'static str,
    args: Value,
    /// Its purpose, as a note.
    purpose: String,
    /// The sentence for its result.
    told: Box<dyn Fn(&Value) -> String>,
    /// The sentence if it could not be done.
    failed: String,
}

/// Answers in a plain chat, where there are no tools.
pub(super) fn chat(message: &str) -> String {
    match understand(message).as_slice() {
        [Intent::Greet] => greeting(),
        [Intent::Thanks] => "You are welcome.".to_owned(),
        _ => format!("{WHAT_I_AM} In a plain chat I have no tools and can only greet you. {HOW_TO_CONNECT}"),
    }
}

/// The next action of a run.
pub(super) fn next_action(transcript: &Transcript) -> Value {
    let parts: Vec<Part> = {
        let intents = understand(&transcript.input);
        let alone = intents.len() == 1;
        intents
            .into_iter()
            .map(|intent| part(intent, alone, &transcript.memories))
            .collect()
    };
    let mut action = choose(transcript, &parts);
    if transcript.replies == 0 || transcript.objected {
        action["notes"] = notes(&parts);
    }
    action
}

fn choose(transcript: &Transcript, parts: &[Part]) -> Value {
    let mut outcomes = transcript.outcomes.iter();
    let (mut said, mut undone) = (Vec::new(), Vec::new());
    let (mut pending, mut waiting, mut failed) = (None, None, false);
    for part in parts {
        match part {
            Part::Say(text) => said.push(text.clone()),
            Part::Call(call) => match outcomes.next() {
                Some(Outcome::Done(result)) => said.push((call.told)(result)),
                Some(Outcome::Failed) => {
                    failed = true;
                    undone.push(call.failed.clone());
                }
                None => {
                    pending = pending.or(Some(call));
                    undone.push(call.failed.clone());
                }
            },
            Part::Wait(_) if transcript.woke => {
                if transcript.spoke {
                    said.clear();
                }
                said.push("I have waited.".to_owned());
            }
            Part::Wait(seconds) => {
                waiting = Some(seconds);
                undone.push("I could not wait.".to_owned());
            }
        }
    }
    if failed || transcript.objected {
        said.extend(undone);
        return end(transcript, &said);
    }
    if let Some(call) = pending {
        return json!({"type": "tool_call", "name": call.name, "args": call.args});
    }
    match waiting {
        // Known facts are not held back. A run that has used no tool would end here.
        Some(_) if !transcript.outcomes.is_empty() && !transcript.spoke => message(&said),
        Some(seconds) => json!({"type": "sleep", "delay_seconds": seconds, "reason": "to wait"}),
        None => end(transcript, &said),
    }
}

/// Ends the run. Where the engine objected to an end before, a message is the way that is always open.
fn end(transcript: &Transcript, said: &[String]) -> Value {
    if transcript.objections > 1 || transcript.outcomes.is_empty() && !transcript.objected && !transcript.woke {
        return message(said);
    }
    json!({"type": "finish", "output": said.join("\n")})
}

fn message(said: &[String]) -> Value {
    json!({"type": "send_message", "message": said.join("\n")})
}

fn greeting() -> String {
    format!("Hello! {WHAT_I_AM} Say \"help\" to see what I can do.")
}

fn part(intent: Intent, alone: bool, known: &[Memory]) -> Part {
    match intent {
        Intent::Greet if alone => Part::Say(greeting()),
        Intent::Greet => Part::Say("Hello!".to_owned()),
        Intent::Thanks => Part::Say("You are welcome.".to_owned()),
        Intent::Help => Part::Say(format!("{WHAT_I_AM} {WHAT_I_CAN} {HOW_TO_CONNECT}")),
        Intent::Unknown if alone => Part::Say(format!(
            "I cannot answer that: {WHAT_I_AM} {WHAT_I_CAN} {HOW_TO_CONNECT}"
        )),
        Intent::Unknown => Part::Say(format!("For the rest you need a language model. {HOW_TO_CONNECT}")),
        Intent::RemindWhen => Part::Say(
            "I only understand reminders such as \"remind me in 10 minutes to stretch\" or \"remind me every weekday at 8 \
             to stretch\"."
                .to_owned(),
        ),
        Intent::Remind { when, what } => Part::Call(remind(&when, what)),
        Intent::Wait(seconds) => Part::Wait(seconds),
        Intent::Calculate(expression) => Part::Call(calculate(expression)),
        Intent::Remember { key, value } => Part::Call(remember(&key, &value)),
        Intent::Recall(None) => Part::Call(recall_all()),
        Intent::Recall(Some(about)) => match describe(known, &about) {
            Some(text) => Part::Say(text),
            None => Part::Call(recall(about)),
        },
        Intent::Ping => Part::Call(Call {
            name: "system.ping",
            args: json!({}),
            purpose: "see whether the system answers".to_owned(),
            told: Box::new(|_| "Pong: the system answers.".to_owned()),
            failed: "The system does not answer.".to_owned(),
        }),
        Intent::ListTools => Part::Call(Call {
            name: "tools.list",
            args: json!({}),
            purpose: "look up the tools".to_owned(),
            told: Box::new(tools),
            failed: "I could not list the tools.".to_owned(),
        }),
    }
}

fn calculate(expression: String) -> Call {
    Call {
        name: "compute.eval",
        args: json!({"expression": expression}),
        purpose: format!("work out {expression}"),
        failed: format!("I could not work out {expression}."),
        told: Box::new(move |result| format!("{expression} = {}", words(&result["value"]))),
    }
}

fn remember(key: &str, value: &str) -> Call {
    let told = format!("I will remember that ({}: {value}).", key.replace('_', " "));
    Call {
        name: "memory.put",
        args: json!({"module": module::of(key), "key": key, "value": value}),
        purpose: format!("remember {}", key.replace('_', " ")),
        told: Box::new(move |_| told.clone()),
        failed: "I could not store that.".to_owned(),
    }
}

fn remind(when: &str, what: String) -> Call {
    Call {
        name: "reminders.set",
        args: json!({"text": what, "when": when}),
        purpose: format!("remind of: {what}"),
        failed: format!(
            "I could not set the reminder: \"{when}\" is no time that I understand, it has passed, or there is no chat here in which I could say it."
        ),
        told: Box::new(move |result| {
            let (next, zone) = (words(&result["next"]), words(&result["time_zone"]));
            match result["repeats"].as_str() {
                Some(repeats) => format!("I will remind you {repeats}, next on {next} ({zone}): {what}"),
                None => format!("I will remind you on {next} ({zone}): {what}"),
            }
        }),
    }
}

fn recall(about: String) -> Call {
    let name = about.replace('_', " ");
    Call {
        name: "memory.get",
        args: json!({"key": about}),
        purpose: format!("look up the person's {name}"),
        told: Box::new(move |result| {
            describe(&memories(&result["items"]), &about)
                .unwrap_or_else(|| format!("I know nothing about your {name}."))
        }),
        failed: "I could not look that up.".to_owned(),
    }
}

fn recall_all() -> Call {
    Call {
        name: "memory.get",
        args: json!({}),
        purpose: "look up all that is known of the person".to_owned(),
        told: Box::new(|result| {
            let items = memories(&result["items"]);
            let lines = items
                .iter()
                .map(|item| format!("\n- {}: {}", item.key.replace('_', " "), words(&item.value)));
            match lines.collect::<String>() {
                lines if lines.is_empty() => "I know nothing about you yet.".to_owned(),
                lines => format!("This is what I know about you:{lines}"),
            }
        }),
        failed: "I could not look that up.".to_owned(),
    }
}

/// The items about one thing, the closest key first.
fn describe(items: &[Memory], about: &str) -> Option<String> {
    let exact = items.iter().find(|item| slug(&item.key) == about);
    let near = || {
        items
            .iter()
            .find(|item| slug(&item.key).split('_').any(|word| word == about))
    };
    let item = exact.or_else(near)?;
    Some(format!("Your {}: {}", item.key.replace('_', " "), words(&item.value)))
}

/// The names of the tools, each with what it is for.
fn tools(result: &Value) -> String {
    let list = result["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |tool: &Value| {
        let name = tool["name"].as_str()?;
        Some(match tool["summary"].as_str() {
            Some(summary) => format!("\n- {name}: {summary}"),
            None => format!("\n- {name}"),
        })
    };
    match list.iter().filter_map(line).collect::<String>() {
        lines if lines.is_empty() => "I have no tools.".to_owned(),
        lines => format!("These are my tools:{lines}"),
    }
}

/// A value as a person reads it.
fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The wish and the plan, for the engine's record.
fn notes(parts: &[Part]) -> Value {
    let (mut wanted, mut steps) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Part::Say(_) => {}
            Part::Call(call) => {
                wanted.push(call.purpose.clone());
                steps.push(call.name.to_owned());
            }
            Part::Wait(seconds) => {
                wanted.push("wait".to_owned());
                steps.push(format!("sleep for {seconds} s"));
            }
        }
    }
    if wanted.is_empty() {
        wanted.push("answer the message".to_owned());
    }
    steps.push("answer".to_owned());
    let plan: Vec<String> = steps
        .iter()
        .enumerate()
        .map(|(index, step)| format!("{}. {step}", index + 1))
        .collect();
    json!([
        {"category": "requirements", "content": wanted.join("; ")},
        {"category": "plan", "content": plan.join(" ")},
    ])
}
