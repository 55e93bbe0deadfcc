//! Sleeps, subagents and limits that a run asks for itself.

use clifford_action::WakeOn;

use super::*;
use crate::{
    clock::Timestamp,
    run::{decision::Wake, effects::After},
    settings::{Engine, Profile},
};

fn at(text: &str) -> Timestamp {
    text.parse::<jiff::Timestamp>().expect("a time").into()
}

/// The wake time of a sleep at midnight of 2026-01-01 UTC.
fn sleep(fields: Value, time_zone: &str) -> Result<Wake, String> {
    let mut run = Rehearsal::planned(Rules::from(Engine {
        time_zone: time_zone.to_owned(),
        ..Engine::default()
    }));
    let mut action = json!({"type": "sleep"});
    for (name, value) in fields.as_object().cloned().unwrap_or_default() {
        action[name] = value;
    }
    match run.reply(&action) {
        Decision::Wait { until, .. } => Ok(until),
        Decision::Record(steps) => match &steps[..] {
            [
                StepKind::Event(Event::SystemNote {
                    text,
                    about: NoteAbout::InvalidAction,
                }),
            ] => Err(text.clone()),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_sleep_takes_one_of_three_times() {
    let cases = [
        (json!({"delay_seconds": 90}), "2026-01-01T00:01:30Z", None),
        (json!({"delaySeconds": 0}), "2026-01-01T00:00:00Z", None),
        (
            json!({"wake_at": "2026-02-03T04:05:06+01:00"}),
            "2026-02-03T03:05:06Z",
            None,
        ),
        // Without an offset it is the user's time.
        (json!({"wake_at": "2026-02-03T04:05:06"}), "2026-02-03T03:05:06Z", None),
        // A time that has passed wakes at once.
        (json!({"wakeAt": "2025-01-01T00:00:00Z"}), "2026-01-01T00:00:00Z", None),
        (json!({"cron": "0 8 * * *"}), "2026-01-01T07:00:00Z", Some("0 8 * * *")),
        (
            json!({"cron": "30 0 8 * * *"}),
            "2026-01-01T07:00:30Z",
            Some("30 0 8 * * *"),
        ),
    ];
    for (fields, expected, cron) in cases {
        let expected = Wake {
            at: at(expected),
            cron: cron.map(str::to_owned),
            reason: None,
        };
        assert_eq!(sleep(fields.clone(), "Europe/Berlin"), Ok(expected), "{fields}");
    }
}

#[test]
fn a_sleep_with_none_several_or_an_invalid_time_is_refused() {
    let exactly_one = "Refused: sleep takes exactly one of wake_at, delay_seconds and cron.";
    let cases = [
        (json!({}), exactly_one),
        (json!({"delay_seconds": 1, "cron": "* * * * *"}), exactly_one),
        (
            json!({"delay_seconds": 1, "wake_at": "2030-01-01T00:00:00Z"}),
            exactly_one,
        ),
        (
            json!({"wake_at": "tomorrow"}),
            "Refused: wake_at `tomorrow` is no RFC 3339 time",
        ),
        (json!({"cron": "every day"}), "Refused: cron `every day` cannot be read"),
        (
            json!({"cron": "0 0 31 2 *"}),
            "Refused: cron `0 0 31 2 *` never comes due",
        ),
    ];
    for (fields, expected) in cases {
        let fault = sleep(fields.clone(), "UTC").expect_err("refused");
        assert!(fault.starts_with(expected), "{fields}: {fault}");
    }
}

#[test]
fn a_delay_beyond_all_time_is_no_overflow() {
    let fault = sleep(json!({"delay_seconds": u64::MAX}), "UTC").expect_err("refused");
    assert!(
        fault.starts_with("Refused: a run sleeps for at most 366 days"),
        "{fault}"
    );
}

#[test]
fn a_limit_is_raised_or_lowered_within_the_hard_cap() {
    for (asked, expected) in [(1, 1), (50, 50), (200, 200), (201, 200), (u32::MAX, 200)] {
        let mut run = planned();
        run.reply(&json!({"type": "set_run_limits", "max_iterations": asked}));
        assert_eq!(run.state.max_iterations, expected, "{asked}");
    }
}

#[test]
fn a_configured_limit_over_the_hard_cap_is_the_hard_cap() {
    let run = planned_with(500);
    assert_eq!(run.state.max_iterations, 200);
}

fn planned_with(max_iterations: u32) -> Rehearsal {
    Rehearsal::planned(Rules::from(Engine {
        max_iterations,
        ..Engine::default()
    }))
}

#[test]
fn a_spawn_waits_for_all_of_its_subagents_or_the_first() {
    for (wake_on, expected) in [
        (Value::Null, WakeOn::All),
        (json!("all"), WakeOn::All),
        (json!("first"), WakeOn::First),
    ] {
        let mut run = planned();
        let decision = run.reply(&json!({
            "type": "spawn_subagents", "subagents": [{"task": "a"}, {"task": "b"}], "wake_on": wake_on,
        }));
        assert_eq!(run.state.children.len(), 2);
        let effects = crate::run::effects::effects(&run.state, &run.rules, decision, crate::id::RunId::new);
        assert_eq!(effects.then, After::AwaitChildren(expected));
    }
}

#[test]
fn more_subagents_may_be_asked_for_than_run_at_once_but_not_any_number() {
    let specs = |count: u32| {
        (0..count)
            .map(|index| json!({"task": index.to_string()}))
            .collect::<Vec<_>>()
    };
    for (count, refusal) in [(5, None), (32, None), (33, Some(NoteAbout::InvalidAction))] {
        let decision = planned().reply(&json!({"type": "spawn_subagents", "subagents": specs(count)}));
        assert_eq!(about(&decision), refusal, "{count}");
    }
}

#[test]
fn decisions_and_notes_are_recorded_and_the_run_goes_on() {
    let mut run = planned();
    assert_eq!(
        run.reply(&json!({"type": "decision", "content": "d", "importance": "high"})),
        Decision::Record(vec![StepKind::Decision {
            content: "d".into(),
            importance: clifford_action::Importance::High
        }])
    );
    assert_eq!(
        run.reply(&note("n")),
        Decision::Record(vec![StepKind::Note {
            category: clifford_action::Category::Artifact,
            content: "n".into(),
            plan: vec![],
        }])
    );
}

#[test]
fn a_subagent_is_of_a_profile_that_there_is_with_its_tools_and_the_newest_of_its_context() {
    let reader = Profile {
        tools: Some(vec!["web".to_owned(), "compute".to_owned()]),
        ..Profile::default()
    };
    let rules = Rules {
        profiles: [("reader".to_owned(), reader)].into(),
        ..Rules::from(Engine {
            subagent_conversation_limit: 2,
            ..Engine::default()
        })
    };
    let mut run = Rehearsal::planned(rules);
    let decision = run.reply(&json!({"type": "spawn_subagent", "subagent": {"task": "a", "profile": "painter"}}));
    let expected = r#"Refused: there is no profile \"painter\"; there are reader. Or leave it out."#;
    let shown = format!("{decision:?}");
    assert!(shown.contains(expected), "{shown}");
    let said = |text: &str| json!({"role": "user", "content": text});
    let decision = run.reply(&json!({"type": "spawn_subagent", "subagent": {
        "task": "a", "profile": "reader", "tools": ["compute.eval", "memory"],
        "context": [said("one"), said("two"), said("three")],
    }}));
    let effects = crate::run::effects::effects(&run.state, &run.rules, decision, crate::id::RunId::new);
    let child = &effects.children[0];
    assert_eq!(child.tools, Some(vec!["compute.eval".to_owned()]));
    let told: Vec<_> = child.spec.context.iter().map(|said| said.content.as_str()).collect();
    assert_eq!(told, ["two", "three"]);
    assert_eq!(child.share, run.rules.share(&run.state, 1));
}
