//! Gates: the refusals, and their order. It is long because the order of the gates shows only side by side.

use super::*;
use crate::{
    json_text::JsonText,
    run::{decide::Next, sentences, state::Pending},
    runs::Run,
    settings::{Engine, PlanningGate},
};
use clifford_text::Lang;

fn spawn(task: &str) -> Value {
    json!({"type": "spawn_subagent", "subagent": {"task": task}})
}

fn limit(max_iterations: u32) -> Rules {
    Rules::from(Engine {
        max_iterations,
        ..Engine::default()
    })
}

/// A run whose tool has failed for good.
fn limited(expose: bool) -> Rehearsal {
    let mut run = planned();
    run.reply(&call("1"));
    run.tool_fails(0, expose);
    run
}

#[test]
fn tools_output_and_finish_need_requirements_and_a_plan() {
    let gated = [call("1"), output("x"), json!({"type": "finish", "output": "x"})];
    for action in &gated {
        let mut run = Rehearsal::new(Rules::default());
        assert_eq!(about(&run.reply(action)), Some(NoteAbout::PlanningGate), "{action}");
    }
    let free = [
        say("hello"),
        note("a"),
        json!({"type": "decision", "content": "a"}),
        json!({"type": "sleep", "delay_seconds": 1}),
        json!({"type": "set_run_limits", "max_iterations": 3}),
        spawn("a"),
    ];
    for action in &free {
        let mut run = Rehearsal::new(Rules::default());
        assert_eq!(about(&run.reply(action)), None, "{action}");
    }
}

#[test]
fn the_planning_gate_names_what_is_missing() {
    let mut run = Rehearsal::new(Rules::default());
    run.reply(&json!({"type": "note", "category": "plan", "content": "a"}));
    let Decision::Record(steps) = run.reply(&call("1")) else {
        panic!("refused")
    };
    let StepKind::Event(Event::SystemNote { text, .. }) = &steps[0] else {
        panic!("a note")
    };
    assert!(text.starts_with("Refused: note requirements first."), "{text}");
}

#[test]
fn notes_that_ride_along_satisfy_the_planning_gate_and_are_recorded_first() {
    let mut run = Rehearsal::new(Rules::default());
    let decision = run.reply(&json!({
        "type": "finish", "output": "done",
        "notes": [{"category": "requirements", "content": "r"}, {"category": "plan", "content": "p"}],
    }));
    let noted = |category, content: &str| StepKind::Note {
        category,
        content: content.into(),
        plan: vec![],
    };
    assert_eq!(
        decision,
        Decision::Complete {
            before: vec![
                noted(clifford_action::Category::Requirements, "r"),
                noted(clifford_action::Category::Plan, "p")
            ],
            ending: completed(EndingKind::Finish, "done", Some("done")),
        }
    );
}

#[test]
fn notes_that_ride_along_are_recorded_with_a_refusal_too() {
    let mut run = Rehearsal::new(Rules::default());
    run.reply(&json!({
        "type": "tool_call", "name": "a.b", "notes": [{"category": "plan", "content": "p"}],
    }));
    assert!(run.state.notes.contains(&clifford_action::Category::Plan));
}

#[test]
fn the_planning_gate_can_be_off() {
    let mut run = Rehearsal::new(Rules::from(Engine {
        planning_gate: PlanningGate::Off,
        ..Engine::default()
    }));
    assert!(matches!(run.reply(&call("1")), Decision::CallTool { .. }));
}

#[test]
fn a_refused_action_costs_its_iteration_and_its_note_is_said_once() {
    let mut run = Rehearsal::new(Rules::default());
    run.reply(&call("1"));
    let shown = run.state.transcript.texts().len();
    run.reply(&call("2"));
    assert_eq!(run.state.iterations, 2);
    // Only the second reply joins the transcript.
    assert_eq!(run.state.transcript.texts().len(), shown + 1);
}

#[test]
fn the_last_iteration_is_announced_once() {
    let mut run = Rehearsal::planned(limit(2));
    assert_eq!(run.turn(), Next::Think(vec![]));
    run.reply(&call("1"));
    run.tool_works();
    let Next::Think(before) = run.turn() else {
        panic!("it thinks")
    };
    assert_eq!(about(&Decision::Record(before)), Some(NoteAbout::LastIteration));
    assert_eq!(run.turn(), Next::Think(vec![]));
}

#[test]
fn a_raised_limit_has_a_last_iteration_of_its_own() {
    let mut run = Rehearsal::planned(limit(1));
    run.reply(&json!({"type": "set_run_limits", "max_iterations": 2}));
    let Next::Think(before) = run.turn() else {
        panic!("it thinks")
    };
    assert_eq!(about(&Decision::Record(before)), Some(NoteAbout::LastIteration));
}

#[test]
fn only_endings_and_a_new_limit_are_accepted_in_the_last_iteration() {
    let accepted = [
        say("hello"),
        json!({"type": "finish", "output": "x"}),
        json!({"type": "set_run_limits", "max_iterations": 9}),
    ];
    for action in &accepted {
        let mut run = Rehearsal::planned(limit(1));
        let decision = run.reply(action);
        assert_ne!(
            ending(&decision).map(|ending| ending.kind),
            Some(EndingKind::Iterations),
            "{action}"
        );
    }
    let refused = [
        call("1"),
        output("x"),
        note("a"),
        json!({"type": "decision", "content": "a"}),
        json!({"type": "sleep", "delay_seconds": 1}),
        json!({"type": "recover", "reason": "a"}),
        spawn("a"),
    ];
    for action in &refused {
        let mut run = Rehearsal::planned(limit(1));
        let decision = run.reply(action);
        assert_eq!(
            ending(&decision).map(|ending| ending.kind),
            Some(EndingKind::Iterations),
            "{action}"
        );
    }
}

#[test]
fn the_iteration_limit_is_judged_before_the_limitation() {
    let mut run = Rehearsal::planned(limit(2));
    run.reply(&call("1"));
    run.tool_fails(0, false);
    let decision = run.reply(&call("2"));
    assert_eq!(
        ending(&decision).map(|ending| ending.kind),
        Some(EndingKind::Iterations)
    );
}

#[test]
fn the_limitation_is_judged_before_the_planning_gate() {
    let mut run = limited(false);
    run.state.notes.clear();
    assert_eq!(about(&run.reply(&call("2"))), Some(NoteAbout::Limitation));
}

#[test]
fn the_planning_gate_is_judged_before_the_repeat_guard() {
    let mut run = planned();
    for _ in 0..2 {
        run.reply(&call("1"));
        run.tool_works();
    }
    run.state.notes.clear();
    assert_eq!(about(&run.reply(&call("1"))), Some(NoteAbout::PlanningGate));
}

#[test]
fn after_a_limitation_the_first_refusal_is_noted_and_the_second_fails_the_run() {
    let refused = [call("2"), output("x"), note("a"), spawn("a")];
    for action in &refused {
        let mut run = limited(false);
        assert_eq!(about(&run.reply(action)), Some(NoteAbout::Limitation), "{action}");
        let decision = run.reply(action);
        assert_eq!(
            failure(&decision),
            Some(&Failure {
                kind: EndingKind::Limitation,
                message: "Sorry, I could not finish this: the tool compute.eval failed.".into(),
                error: "the tool compute.eval failed for good, and the model would not finish".into(),
            }),
            "{action}"
        );
    }
}

#[test]
fn after_a_limitation_endings_and_recovery_are_accepted() {
    let accepted = [
        say("I could not do it."),
        json!({"type": "finish", "output": "x"}),
        json!({"type": "recover", "reason": "a"}),
    ];
    for action in &accepted {
        assert_eq!(about(&limited(false).reply(action)), None, "{action}");
    }
}

#[test]
fn the_user_reads_the_error_of_a_tool_only_where_it_may_be_exposed() {
    for (expose, expected) in [
        (
            true,
            "Sorry, I could not finish this: the tool compute.eval failed (no such file).",
        ),
        (false, "Sorry, I could not finish this: the tool compute.eval failed."),
    ] {
        let mut run = limited(expose);
        run.reply(&note("a"));
        run.reply(&note("b"));
        assert_eq!(run.says, [expected]);
    }
}

#[test]
fn a_tool_may_be_tried_again_as_often_as_its_retries_say() {
    for retries in 0..3 {
        let mut run = planned();
        for attempt in 0..=retries {
            assert_eq!(run.state.limitation, None, "{retries} retries, attempt {attempt}");
            run.reply(&call(&attempt.to_string()));
            run.tool_fails(retries, false);
        }
        assert!(run.state.limitation.is_some(), "{retries} retries");
    }
}

#[test]
fn a_tool_that_works_again_has_all_of_its_retries() {
    let mut run = planned();
    for works in [false, true, false] {
        run.reply(&call(if works { "1" } else { "2" }));
        if works {
            run.tool_works();
        } else {
            run.tool_fails(1, false);
        }
    }
    assert_eq!(run.state.limitation, None);
}

#[test]
fn each_command_counts_its_own_failures() {
    let mut run = planned();
    for name in ["a.b", "a.c"] {
        run.reply(&json!({"type": "tool_call", "name": name}));
        run.tool_fails(1, false);
    }
    assert_eq!(run.state.limitation, None);
}

#[test]
fn the_same_call_a_third_time_fails_the_run_whatever_the_order_of_its_arguments() {
    let mut run = planned();
    for args in [json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1})] {
        let decision = run.reply(&json!({"type": "tool_call", "name": "x.y", "args": args}));
        assert!(matches!(decision, Decision::CallTool { .. }));
        run.tool_works();
    }
    let decision = run.reply(&json!({"type": "tool_call", "name": "x.y", "args": {"a": 1, "b": 2}}));
    assert_eq!(
        failure(&decision),
        Some(&Failure {
            kind: EndingKind::ToolRepeated,
            message: sentences::tool_repeated("x.y").text(Lang::English),
            error: "the tool x.y was called a third time with the same arguments".into(),
        })
    );
}

#[test]
fn the_same_call_may_be_made_after_every_wake() {
    let mut run = planned();
    for _ in 0..4 {
        for _ in 0..2 {
            let decision = run.reply(&call("1"));
            assert!(matches!(decision, Decision::CallTool { .. }), "{decision:?}");
            run.tool_works();
        }
        run.reply(&json!({"type": "sleep", "delay_seconds": 1}));
        run.wake();
        assert_eq!(run.state.pending, Pending::Think);
    }
    for _ in 0..2 {
        run.reply(&call("1"));
        run.tool_works();
    }
    let ending = run.reply(&call("1"));
    assert_eq!(
        failure(&ending).map(|failure| failure.kind),
        Some(EndingKind::ToolRepeated)
    );
}

#[test]
fn a_tool_with_one_command_is_the_same_call_by_either_name() {
    let mut run = Rehearsal::planned(Rules {
        single_commands: [("compute".to_owned(), "compute.eval".to_owned())].into(),
        ..Rules::default()
    });
    for name in ["compute", "compute.eval"] {
        run.reply(&json!({"type": "tool_call", "name": name}));
        let Pending::Call(call) = &run.state.pending else {
            panic!("called")
        };
        assert_eq!(call.name, "compute.eval");
        run.tool_works();
    }
    let decision = run.reply(&json!({"type": "tool_call", "name": "compute"}));
    assert_eq!(
        failure(&decision).map(|failure| failure.kind),
        Some(EndingKind::ToolRepeated)
    );
}

#[test]
fn subagents_asked_for_before_are_refused_once_then_the_run_completes() {
    let mut run = planned();
    assert!(matches!(run.reply(&spawn("a")), Decision::Spawn { .. }));
    run.wake();
    assert_eq!(about(&run.reply(&spawn("a"))), Some(NoteAbout::SpawnRepeated));
    let decision = run.reply(&spawn("a"));
    assert_eq!(
        ending(&decision),
        Some(&completed(
            EndingKind::SpawnRepeated,
            "Hey! How can I help?",
            Some("Hey! How can I help?")
        ))
    );
}

#[test]
fn what_a_subagent_found_is_the_answer_of_a_run_that_only_asks_again() {
    let mut run = planned();
    let Decision::Spawn { .. } = run.reply(&spawn("a")) else {
        panic!("no subagent");
    };
    let child = *run.state.children.first().expect("a subagent");
    run.push(StepKind::Event(Event::SubagentEnded {
        run_id: child,
        task: "a".into(),
        status: crate::runs::RunStatus::Completed,
        output: Some(" Kilimanjaro. ".into()),
        error: None,
        origins: std::collections::BTreeSet::new(),
        used: crate::run::step::Used::default(),
        readers: crate::policy::labels::Readers::Person,
        may_be_undone: false,
    }));
    run.wake();
    assert_eq!(about(&run.reply(&spawn("a"))), Some(NoteAbout::SpawnRepeated));
    let decision = run.reply(&spawn("a"));
    assert_eq!(
        ending(&decision),
        Some(&completed(
            EndingKind::SpawnRepeated,
            "Kilimanjaro.",
            Some("Kilimanjaro.")
        ))
    );
}

#[test]
fn only_the_new_ones_of_several_subagents_are_created() {
    let mut run = planned();
    run.reply(&spawn("a"));
    run.wake();
    let decision = run.reply(&json!({
        "type": "spawn_subagents", "subagents": [{"task": "a"}, {"task": "b"}, {"task": "b"}],
    }));
    let Decision::Spawn { children, .. } = decision else {
        panic!("spawned")
    };
    let tasks: Vec<_> = children.iter().map(|child| child.task.as_str()).collect();
    assert_eq!(tasks, ["b"]);
}

#[test]
fn a_subagents_result_comes_back_by_the_name_that_the_run_gave_it() {
    let mut run = planned();
    run.reply(&json!({
        "type": "spawn_subagents", "subagents": [{"id": "news", "task": "a"}, {"task": "b"}],
    }));
    let mut children: Vec<_> = run.state.children.iter().copied().collect();
    children.sort_by_key(|child| !run.state.child_names.contains_key(child));
    for (child, task) in children.iter().zip(["a", "b"]) {
        run.push(StepKind::Event(Event::SubagentEnded {
            run_id: *child,
            task: task.into(),
            status: crate::runs::RunStatus::Completed,
            output: Some("done".into()),
            error: None,
            origins: std::collections::BTreeSet::new(),
            used: crate::run::step::Used::default(),
            readers: crate::policy::labels::Readers::Person,
            may_be_undone: false,
        }));
    }
    let told = format!("{:?}", run.state.transcript);
    assert!(
        told.contains("news") && told.contains(&children[1].to_string()),
        "{told}"
    );
    assert!(!told.contains(&children[0].to_string()), "{told}");
    run.wake();
    // Another name makes no other task of it.
    let again = json!({"type": "spawn_subagent", "subagent": {"id": "other", "task": "a"}});
    assert_eq!(about(&run.reply(&again)), Some(NoteAbout::SpawnRepeated));
}

#[test]
fn a_run_at_level_two_spawns_nothing() {
    assert!(matches!(
        Rehearsal::subagent(1).reply(&spawn("a")),
        Decision::Spawn { .. }
    ));
    assert_eq!(
        about(&Rehearsal::subagent(2).reply(&spawn("a"))),
        Some(NoteAbout::Depth)
    );
}

#[test]
fn a_run_with_allowed_tools_calls_nothing_else() {
    let cases = [
        ("memory.get", "memory.get", true),
        ("memory", "memory.get", true),
        ("memory.get", "memory.put", false),
        ("mem", "memory.get", false),
    ];
    for (allowed, name, accepted) in cases {
        let run = Run {
            allowed_tools: Some(JsonText(vec![allowed.to_owned()])),
            ..Run::sample()
        };
        let rules = Rules::from(Engine {
            planning_gate: PlanningGate::Off,
            ..Engine::default()
        });
        let decision = Rehearsal::of(run, rules).reply(&json!({"type": "tool_call", "name": name}));
        let expected = (!accepted).then_some(NoteAbout::ToolsAllowed);
        assert_eq!(about(&decision), expected, "{allowed} / {name}");
    }
}

#[test]
fn a_bad_reply_is_asked_for_again_without_costing_an_iteration_then_the_run_fails() {
    let mut run = planned();
    assert_eq!(about(&run.reply_text("hm")), Some(NoteAbout::BadReply));
    assert_eq!(run.state.iterations, 0);
    let decision = run.reply_text("hm");
    let failure = failure(&decision).expect("a failure");
    assert_eq!(failure.kind, EndingKind::BadReply);
    assert_eq!(run.says, [sentences::BAD_REPLY.text(Lang::English)]);
}

#[test]
fn a_good_reply_gives_bad_ones_their_retries_back() {
    for good in [note("a"), json!({"type": "sleep", "delay_seconds": 1}), spawn("a")] {
        let mut run = planned();
        run.reply_text("hm");
        run.reply(&good);
        run.wake();
        assert_eq!(about(&run.reply_text("hm")), Some(NoteAbout::BadReply), "{good}");
    }
}
