//! Invariants of a prompt, for any parts: for the tests of this crate and for the fuzzer.

use clifford_content::memory::recall::Placed;
use clifford_core::{
    messages::{Direction, Gap},
    places::Mode,
    prompt::{can::Can, room::Window},
    run::transcript::{Transcript, WindowLimits},
};
use clifford_llm_api::{
    model::{Message, Role, Schema},
    tokens::weigh,
};
use clifford_store::{memory::prompt_context::Elsewhere, messages::Turn};
use serde_json::{Map, Value, json};

use super::{
    Frame, Prompt,
    assemble::{InputData, Parts, Question, Talk, Unseen},
};

/// A prompt of any parts fits any window, takes roles by turns, shows the question or says how much of it is missing,
/// and is the same each time. The bytes hold the window, then texts with a zero between them.
///
/// # Panics
/// It does not hold.
pub fn check_prompt(bytes: &[u8]) {
    let (head, texts) = bytes.split_at(bytes.len().min(6));
    let number = |at: usize| u64::from(head.get(at).copied().unwrap_or_default());
    let window = Window {
        tokens: number(0) * 1_000 + number(1) * 10,
        reply: (number(2) > 127).then(|| u32::try_from(number(2) * 100).unwrap_or_default()),
    };
    // A text may be long though its bytes are few.
    let times = usize::try_from(number(3) * number(3)).unwrap_or_default() / 8 + 1;
    let texts: Vec<String> = (texts.split(|byte| *byte == 0).enumerate())
        .map(|(place, text)| {
            String::from_utf8_lossy(text).repeat(if place % 3 == 0 {
                times.min(200_000 / (text.len() + 1))
            } else {
                1
            })
        })
        .collect();
    let mode = if number(4) % 4 == 3 { Mode::Chat } else { Mode::Run };
    let parts = parts(&texts, number(5));
    let transcript = transcript(&texts);
    let prompt = frame(parts.clone(), mode).prompt(&transcript, window);
    assert_eq!(frame(parts.clone(), mode).prompt(&transcript, window), prompt);
    check(&prompt, &parts, mode);
}

/// Checks the invariants of a prompt.
///
/// # Panics
/// It does not hold.
pub(super) fn check(prompt: &Prompt, parts: &Parts, mode: Mode) {
    let budget = prompt.room.window - prompt.room.reply;
    assert!(sent(prompt) <= budget, "{} of {budget} tokens", sent(prompt));
    assert!(alternates(&prompt.request.messages), "{:#?}", prompt.request.messages);
    let said = &parts.question.text;
    let last = || prompt.request.messages.last().map(|last| last.content.clone());
    let shown = match (mode, prompt.request.messages.get(1)) {
        (Mode::Run, Some(asked)) => {
            let payload: Value = serde_json::from_str(&asked.content).unwrap_or_default();
            payload["input"].as_str().map(str::to_owned)
        }
        _ => last(),
    };
    let shown = shown.unwrap_or_default();
    let mark = format!("of {} characters are left out here", said.chars().count());
    assert!(
        !prompt.has_room || shown.ends_with(said.as_str()) || shown.contains(&mark),
        "{shown}"
    );
}

fn sent(prompt: &Prompt) -> u64 {
    let messages = &prompt.request.messages;
    let text: u64 = messages.iter().map(|message| weigh(&message.content)).sum();
    let schema = prompt
        .request
        .schema
        .as_ref()
        .map_or(0, |schema| weigh(schema.text().get()));
    clifford_llm_api::tokens::whole_tokens(text)
        + clifford_llm_api::tokens::whole_tokens(schema)
        + messages.len() as u64 * 4
}

fn alternates(messages: &[Message]) -> bool {
    let expected = [Role::User, Role::Assistant].into_iter().cycle();
    let roles = messages.iter().skip(1).map(|message| message.role);
    messages.first().is_some_and(|first| first.role == Role::System)
        && roles.eq(expected.take(messages.len() - 1))
        && messages.last().is_some_and(|last| last.role == Role::User)
}

/// A frame of these parts.
pub(super) fn frame(parts: Parts, mode: Mode) -> Frame {
    Frame {
        images: Vec::new(),
        shown: Vec::new(),
        parts,
        mode,
        schema: (mode == Mode::Run).then(|| Schema::new("action", clifford_action::schema())),
        limits: WindowLimits::default(),
        made: None,
    }
}

fn parts(texts: &[String], number: u64) -> Parts {
    let at = |place: usize| texts.get(place).cloned().unwrap_or_default();
    let turns = |from: usize| {
        let texts = texts.iter().skip(from).enumerate();
        let turn = |(place, content): (usize, &String)| Turn {
            id: None,
            direction: if (place + from).is_multiple_of(3) {
                Direction::Outbound
            } else {
                Direction::Inbound
            },
            content: content.clone(),
            gap: (place % 5 == 4).then_some(Gap {
                at: content.len() / 2,
                missing: 100_000,
            }),
            foreign: clifford_store::messages::Foreign::None,
            readers: None,
        };
        texts.map(turn).collect::<Vec<_>>()
    };
    let place = |name: usize, turns: Vec<Turn>| Elsewhere {
        platform: "web".to_owned(),
        name: Some(at(name)),
        turns,
        messages: Vec::new(),
    };
    Parts {
        who: at(1),
        instructions: "\n\nAnswer with one action.\n".to_owned(),
        tools: (
            "\nTools:\n".to_owned(),
            texts
                .iter()
                .take(60)
                .map(|text| format!("- {}\n", text.replace('\n', " ")))
                .collect(),
        ),
        examples: "\nExamples: none\n".to_owned(),
        facts: Map::from_iter([("user".to_owned(), json!(at(2)))]),
        memories: Placed {
            front: texts.iter().skip(3).take(12).map(|text| json!(text)).collect(),
            back: texts.iter().skip(5).take(3).map(|text| json!(text)).collect(),
        },
        elsewhere: Placed {
            front: vec![place(4, turns(5))],
            back: vec![place(5, turns(6))],
        },
        summary: texts.get(6).cloned(),
        conversation: Talk::Said {
            turns: turns(7),
            before: number,
        },
        given: texts.get(8).map(|text| InputData {
            value: serde_json::from_str(text).unwrap_or_else(|_| json!({ "text": text })),
            from: None,
        }),
        files: texts
            .iter()
            .skip(9)
            .take(4)
            .map(|text| json!({ "name": text }))
            .collect(),
        unseen: (texts.iter().skip(9).take(2).enumerate())
            .map(|(place, name)| Unseen {
                place,
                name: name.clone(),
                why: "has no room".to_owned(),
            })
            .collect(),
        ambient: Vec::new(),
        now: "2026-01-01T00:00:00Z".to_owned(),
        question: Question {
            text: at(0),
            is_task: false,
        },
        can: Can {
            read: number.is_multiple_of(2),
            search: number.is_multiple_of(3),
        },
        entry_tokens: 4_000,
        transcript_tokens: None,
    }
}

fn transcript(texts: &[String]) -> Transcript {
    let mut transcript = Transcript::default();
    for (seq, text) in (1..).zip(texts) {
        match seq % 4 {
            1 => transcript.reply(text, seq),
            2 => transcript.note(clifford_action::Category::Plan, text),
            3 => transcript.tell("tool_result", json!({ "name": "a.b", "result": text }), seq),
            _ => transcript.tell("user_message", json!(text), seq),
        }
    }
    transcript
}
