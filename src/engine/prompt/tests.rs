//! The prompt, golden: a small model answers a plain question in one call with it, and calculates by tool.

use clifford_llm::estimate_tokens;

use super::*;
use crate::{
    clock::Timestamp,
    engine::step::{Event, LlmResponse, Step, StepKind, ToolOutcome, ToolResult},
    id::{AgentId, RunId, WorkerId},
    store::{
        agents::{Agent, Mode},
        runs::{Lease, Run},
        users::{User, UserRole},
    },
};

fn work() -> Work {
    let run = Run {
        id: RunId(uuid::Uuid::nil()),
        input_text: "what is 17 * 23?".to_owned(),
        created_at: Timestamp(1_767_225_600_000),
        ..Run::sample()
    };
    let agent = Agent {
        id: AgentId::new(),
        name: "Clifford".to_owned(),
        prompt: crate::config::Config::default().agent.prompt,
        mode: Mode::Run,
        enabled: true,
        is_default: true,
    };
    let user = User {
        id: crate::id::UserId::new(),
        name: "Ada".to_owned(),
        role: UserRole::Member,
        language: None,
        time_zone: Some("Europe/Berlin".to_owned()),
    };
    let lease = Lease {
        run: run.id,
        owner: WorkerId::new(),
        epoch: 1,
    };
    Work {
        run,
        lease,
        steps: vec![],
        agent,
        channel: None,
        user: Some(user),
        recollection: None,
    }
}

fn frame() -> Frame {
    let memories = [MemoryItem {
        module: "preferences".into(),
        key: "tone".into(),
        value: "short answers".into(),
        level: 0,
    }];
    let turns = [
        Turn {
            direction: Direction::Inbound,
            content: "hi".to_owned(),
        },
        Turn {
            direction: Direction::Outbound,
            content: "Hello Ada!".to_owned(),
        },
    ];
    Frame::new(&work(), &Rules::default(), &Registry::built_in(1), &memories, &turns)
}

fn step(seq: u32, kind: StepKind) -> Step {
    Step {
        seq,
        at: Timestamp(1_767_225_601_000),
        kind,
    }
}

fn calculation() -> Vec<Step> {
    let reply = r#"{"type":"tool_call","notes":[{"category":"requirements","content":"17 * 23"},{"category":"plan","content":"compute"}],"name":"compute.eval","args":{"expression":"17 * 23"}}"#;
    let call = crate::engine::step::ToolCall {
        name: "compute.eval".to_owned(),
        args: serde_json::from_str(r#"{"expression":"17 * 23"}"#).expect("an object"),
        idempotency_key: String::new(),
    };
    let result = ToolResult {
        name: "compute.eval".to_owned(),
        outcome: ToolOutcome::Success {
            result: json!({ "value": "391" }),
        },
        duration_ms: 1,
    };
    vec![
        step(
            1,
            StepKind::Event(Event::LlmResponse(LlmResponse {
                text: reply.to_owned(),
                ..LlmResponse::default()
            })),
        ),
        step(2, StepKind::ToolCall(call)),
        step(3, StepKind::ToolResult(result)),
    ]
}

#[test]
fn the_fixed_part_is_as_it_was_tried_on_a_real_model() {
    insta::assert_snapshot!("system_prompt", frame().system);
}

#[test]
fn a_subagents_fixed_part_is_as_it_was_written() {
    let tools = ["compute".to_owned()];
    let text = system_prompt(
        "You are Clifford.",
        RunKind::Subagent,
        &Rules::default(),
        &Registry::built_in(1),
        Some(&tools),
    );
    insta::assert_snapshot!("subagent_prompt", text);
}

#[test]
fn the_facts_and_the_transcript_follow_in_a_fixed_order() {
    let work = work();
    let state = RunState::replay(&work.run, &Rules::default(), &calculation());
    let request = frame().request(&state);
    let shown: Vec<_> = request
        .messages
        .iter()
        .skip(1)
        .map(|message| format!("{:?}: {}", message.role, message.content))
        .collect();
    insta::assert_snapshot!("facts_and_transcript", shown.join("\n"));
}

#[test]
fn the_fixed_part_has_at_most_1500_tokens() {
    let tokens = estimate_tokens(&frame().system);
    assert!(tokens <= 1500, "{tokens} tokens");
}

#[test]
fn each_prompt_is_a_prefix_of_the_next() {
    let (work, frame, steps) = (work(), frame(), calculation());
    let prompts: Vec<_> = (0..=steps.len())
        .map(|n| {
            frame
                .request(&RunState::replay(&work.run, &Rules::default(), &steps[..n]))
                .messages
        })
        .collect();
    for pair in prompts.windows(2) {
        assert!(pair[1].starts_with(&pair[0]));
    }
}

#[test]
fn the_examples_are_actions() {
    let examples: Vec<_> = EXAMPLES.lines().filter(|line| line.starts_with('{')).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let action = clifford_action::read(example).expect(example);
        assert_eq!(
            action.to_value()["type"],
            serde_json::from_str::<Value>(example).expect("JSON")["type"]
        );
    }
}
