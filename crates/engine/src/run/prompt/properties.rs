//! Invariants of every prompt, for any parts and any size of its model's window.

use clifford_content::memory::recall::Placed;
use clifford_core::{
    id::MessageId,
    messages::Direction,
    places::Mode,
    prompt::{
        can::Can,
        room::{Room, SMALLEST, Window},
    },
    run::{
        rehearsal::Rehearsal,
        rules::Rules,
        step::{StepKind, ToolOutcome},
        transcript::Transcript,
    },
};
use clifford_llm_api::model::Message;
use clifford_store::{memory::prompt_context::Elsewhere, messages::Turn};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    assemble::{Head, InputData, Parts, Question, Talk},
    fuzzing::{check, check_prompt, frame},
};

fn words(most: usize) -> impl Strategy<Value = String> {
    let texts = prop::sample::select(vec!["word ", "Ein Satz. ", "你好。", "\"q\"\n", "👩‍👩‍👧‍👦", "x", "\u{0}"]);
    (texts, 0..most).prop_map(|(text, times)| text.repeat(times))
}

fn turns(most: usize) -> impl Strategy<Value = Vec<Turn>> {
    let turn = (any::<bool>(), words(300)).prop_map(|(inbound, content)| Turn {
        id: Some(MessageId::new()),
        direction: if inbound {
            Direction::Inbound
        } else {
            Direction::Outbound
        },
        content,
        gap: None,
        foreign: clifford_store::messages::Foreign::None,
        readers: None,
    });
    prop::collection::vec(turn, 0..most)
}

fn place(platform: &str, turns: Vec<Turn>) -> Elsewhere {
    Elsewhere {
        platform: platform.to_owned(),
        name: None,
        turns,
        messages: Vec::new(),
    }
}

fn parts() -> impl Strategy<Value = Parts> {
    let known = (
        words(2_000),
        prop::collection::vec(words(60), 0..12),
        turns(20),
        prop::option::of(words(300)),
    );
    let asked = (
        turns(40),
        0_u64..500,
        words(20_000),
        prop::option::of(words(4_000)),
        any::<bool>(),
        0_usize..200,
    );
    (known, asked).prop_map(|((who, memories, elsewhere, summary), asked)| {
        let (turns, before, text, given, is_able, tools) = asked;
        Parts {
            who,
            instructions: "\n\nAnswer with one action.\n".repeat(60),
            tools: (
                "\nTools:\n".to_owned(),
                (0..tools)
                    .map(|n| format!("- tool{n} (does {n}): run {{x}}\n"))
                    .collect(),
            ),
            examples: "\nExamples:\n…\"task\":null}\n".repeat(20),
            facts: serde_json::Map::from_iter([("kind".to_owned(), json!("coordinator"))]),
            memories: Placed {
                front: memories.iter().cloned().map(Value::from).collect(),
                back: memories.into_iter().rev().take(4).map(Value::from).collect(),
            },
            elsewhere: Placed {
                front: vec![place("web", elsewhere.clone())],
                back: vec![place("discord", elsewhere)],
            },
            summary,
            conversation: Talk::Said { turns, before },
            given: given.map(|value| InputData {
                value: json!({ "text": value }),
                from: None,
            }),
            files: Vec::new(),
            unseen: Vec::new(),
            ambient: vec![json!("a moment")],
            now: "2026-01-01T00:00:00Z".to_owned(),
            question: Question { text, is_task: false },
            can: Can {
                read: is_able,
                search: is_able,
            },
            entry_tokens: 4_000,
            transcript_tokens: None,
        }
    })
}

/// A run that calls tools with results of such sizes, and says something now and then.
fn run(results: &[usize]) -> Rehearsal {
    let mut run = Rehearsal::new(Rules::default());
    for (place, size) in results.iter().enumerate() {
        let notes = json!([{"category": "requirements", "content": "a"}, {"category": "plan", "content": format!("plan {place}")}]);
        let call = json!({"type": "tool_call", "name": "web.fetch", "args": {"n": place}, "notes": notes});
        run.reply(&call);
        let text = format!("{place}. ").repeat(*size / 3);
        run.tool(ToolOutcome::Success {
            result: json!({ "title": "page", "text": text }),
        });
        if place % 3 == 2 {
            run.push(StepKind::OutputUpdate {
                output: format!("part {place}"),
                mode: clifford_action::OutputMode::Append,
            });
        }
    }
    run
}

fn text(messages: &[Message]) -> String {
    messages
        .iter()
        .map(|message| message.content.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_prompt_fits_alternates_and_holds_the_question(
        parts in parts(),
        tokens in prop_oneof![SMALLEST..10_000, 10_000_u64..300_000],
        results in prop::collection::vec(0_usize..12_000, 0..12),
        is_chat in any::<bool>(),
    ) {
        let mode = if is_chat { Mode::Chat } else { Mode::Run };
        let mut run = run(&results);
        if is_chat {
            run = Rehearsal::new(Rules::default());
        }
        let window = Window { tokens, reply: None };
        let mut made = frame(parts.clone(), mode);
        let prompt = made.prompt(&run.state.transcript, window);
        prop_assert_eq!(&frame(parts.clone(), mode).prompt(&run.state.transcript, window), &prompt);
        prop_assert!(prompt.has_room);
        check(&prompt, &parts, mode);
    }

    #[test]
    fn whatever_a_prompt_is_made_of_it_fits(bytes in prop::collection::vec(prop_oneof![Just(0_u8), any::<u8>(), Just(b'.'), Just(b'"')], 0..300)) {
        check_prompt(&bytes);
    }

    #[test]
    fn a_mark_stands_where_something_is_missing_and_nowhere_else(parts in parts(), tokens in SMALLEST..400_000) {
        let room = Room::new(Window { tokens, reply: None }, None, 0);
        let head = Head::new(&parts, &room);
        let payload: Value = serde_json::from_str(&format!("{}}}", head.payload)).expect("JSON");
        let Talk::Said { turns, before } = &parts.conversation else { unreachable!() };
        let shown = payload["conversation"].as_array().expect("a list");
        let marks = shown.iter().filter(|turn| turn["role"] == "system").count();
        let missing = turns.len() as u64 + before - (shown.len() - marks) as u64;
        prop_assert_eq!(marks == 1, missing > 0);
        if missing > 0 {
            let begins = format!("[{missing} earlier message");
            prop_assert!(shown[0]["content"].as_str().is_some_and(|mark| mark.starts_with(&begins)), "{}", shown[0]);
        }
        // The visible turns are the end of the conversation, whole or with marks of their own.
        for (turn, shown) in turns.iter().rev().zip(shown.iter().rev()).take(shown.len() - marks) {
            let content = shown["content"].as_str().expect("a text");
            prop_assert!(content == turn.content || content.contains("characters are left out here"));
        }
        for (name, there) in [("memories", &parts.memories.front), ("relevant_memories", &parts.memories.back)] {
            let items = payload[name].as_array().cloned().unwrap_or_default();
            let left_out = items.last().and_then(|last| last["left_out"].as_str()).is_some();
            prop_assert_eq!(left_out, items.len() - usize::from(left_out) < there.len());
        }
    }

    #[test]
    fn between_two_cuts_each_prompt_is_a_prefix_of_the_next(
        tokens in prop::sample::select(vec![4_096_u64, 8_192, 32_000, 128_000]),
        results in prop::collection::vec(0_usize..12_000, 1..16),
    ) {
        let parts = Parts {
            instructions: "Answer with one action. ".repeat(100),
            question: Question { text: "Compare them.".to_owned(), is_task: false },
            entry_tokens: 4_000,
            can: Can { read: true, search: true },
            ..Parts::default()
        };
        let window = Window { tokens, reply: None };
        let mut made = frame(parts, Mode::Run);
        let prompts: Vec<_> = (0..=results.len()).map(|count| made.prompt(&run(&results[..count]).state.transcript, window).request.messages).collect();
        let mut cuts = 0;
        for pair in prompts.windows(2) {
            if !pair[1].starts_with(&pair[0]) {
                cuts += 1;
                prop_assert!(pair[1][1].content.contains("left out"), "{}", pair[1][1].content);
            }
        }
        // A cut leaves half of the room, which holds one step at least; in the smallest windows not always two.
        let most = if tokens == 4_096 { results.len() * 3 / 4 } else { results.len() / 2 };
        prop_assert!(cuts <= most + 1, "{cuts} cuts in {} prompts", prompts.len());
        // The newest plan is shown, wherever it stands.
        let newest = format!("plan {}", results.len() - 1);
        let last = text(prompts.last().expect("a prompt"));
        prop_assert!(last.contains(&newest), "{last}");
    }

    #[test]
    fn messages_of_a_conversation_share_what_stands_before_the_question(
        sizes in prop::collection::vec(10_usize..400, 4..120),
        long in prop::collection::vec(any::<bool>(), 61),
        tokens in prop::sample::select(vec![8_192_u64, 32_000, 128_000]),
    ) {
        let said = |place: usize, size: usize| Turn {
            id: None,
            direction: if place.is_multiple_of(2) { Direction::Inbound } else { Direction::Outbound },
            content: format!("{place} ").repeat(size / 3),
            gap: None,
            foreign: clifford_store::messages::Foreign::None,
            readers: None,
        };
        let all: Vec<_> = sizes.iter().enumerate().map(|(place, size)| said(place, *size)).collect();
        let prompt = |count: usize| {
            // The matches for the question and the messages from elsewhere differ each time.
            let relevant = (0..4).map(|n| json!({ "key": format!("{count} {n}"), "value": "of it ".repeat(10) }));
            let since = (0..6).map(|n| said(count + n, 200)).collect();
            let filler = if long[count / 2] { usize::try_from(tokens / 8).expect("a few") } else { 0 };
            let parts = Parts {
                instructions: "Answer with one action. ".repeat(360),
                memories: Placed { front: vec![json!({ "key": "name", "value": "Ada" })], back: relevant.collect() },
                elsewhere: Placed { front: vec![place("web", all[..2].to_vec())], back: vec![place("discord", since)] },
                conversation: Talk::Said { turns: all[..count].to_vec(), before: 0 },
                question: Question { text: format!("And {count}? {}", "x".repeat(filler)), is_task: false },
                now: format!("2026-01-01T00:00:{:02}Z", count % 60),
                entry_tokens: 4_000,
                ..Parts::default()
            };
            let mut made = frame(parts, Mode::Run);
            let messages = made.prompt(&Transcript::default(), Window { tokens, reply: None }).request.messages;
            let payload: Value = serde_json::from_str(&messages[1].content).expect("JSON");
            let said = payload["conversation"].as_array().expect("a list").clone();
            (text(&messages), said, filler)
        };
        let prompts: Vec<_> = (0..=all.len() / 2).map(|pair| prompt(pair * 2)).collect();
        let mut cuts = 0;
        for pair in prompts.windows(2) {
            let [(one, said, asked), (other, said_next, asked_next)] = pair else { unreachable!() };
            if said.first() != said_next.first() {
                cuts += 1;
                continue;
            }
            let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
            // The turns in between are new in any case, and so is the question.
            let new: usize = said_next[said.len()..].iter().map(|turn| turn.to_string().len() + 1).sum();
            let shorter = (one.len() - asked).min(other.len() - new - asked_next);
            prop_assert!(same * 10 >= shorter * 9, "{same} of {shorter}");
        }
        prop_assert!(cuts <= prompts.len() / 4 + 2, "{cuts} of {} prompts are cut anew", prompts.len());
    }
}
