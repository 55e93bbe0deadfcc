//! From the intents of a message to the next action: call a tool, wait, or answer.

use clifford_text::{Lang, Rules};
use serde_json::{Value, json};

use super::{
    intent::Intent,
    language::{Language, reader},
    parts::{Part, part},
    questions::Question,
    transcript::{CallOutcome, Transcript},
    understand::understand,
};

/// Answers in a plain chat, where there are no tools. `told`: the language that its prompt asks for.
pub(super) fn chat(message: &str, name: &str, told: Option<Lang>) -> String {
    let (language, reader, name) = (Language::of(message), reader(message, told), name.to_owned());
    match understand(message, None).as_slice() {
        [Intent::Greet] => reader.say(Rules::Greeting { name }),
        [Intent::Thanks] => reader.say(Rules::Welcome),
        [Intent::Emoji] => "🙂".to_owned(),
        [Intent::Ask(Question::Name)] => reader.say(Rules::Name { name }),
        [Intent::Ask(Question::Being)] => reader.say(Rules::Being { name }),
        [Intent::Ask(Question::HowAreYou)] => reader.say(Rules::Fine),
        [Intent::Ask(Question::Joke)] => language.joke(),
        [Intent::Ask(Question::Bye)] => reader.say(Rules::Bye),
        _ => reader.say(Rules::NeedsModel),
    }
}

/// The next action of a run.
pub(super) fn next_action(transcript: &Transcript) -> Value {
    let parts: Vec<Part> = {
        let intents = understand(&transcript.input, transcript.today);
        let alone = intents.len() == 1;
        intents
            .into_iter()
            .map(|intent| part(intent, alone, transcript))
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
                Some(CallOutcome::Done(result)) => said.push((call.told)(result)),
                Some(CallOutcome::Failed(why)) => {
                    failed = true;
                    undone.push(transcript.language().failed(&call.failed, why.as_deref()));
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
                said.push(transcript.language().waited());
            }
            Part::Wait(seconds) => {
                waiting = Some(seconds);
                undone.push(transcript.language().could_not_wait());
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
