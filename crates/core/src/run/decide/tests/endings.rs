//! How runs end: by the model, by the rules, by a budget, by a failure.

use super::*;
use crate::{
    id::RunId,
    run::{decide::Next, endings::give_up, sentences},
    runs::{Run, RunStatus},
    settings::{Engine, PlanningGate},
};
use clifford_text::Lang;

const GREETING: &str = "Hey! How can I help?";
const REPEATING: &str = "I stopped here because I was repeating myself.";
const STUCK: &str = "Sorry, I got stuck while planning. Could you rephrase or be more specific?";
const UNFINISHED: &str = "Sorry, I worked on this, but came to no answer. Could you ask for a smaller part of it?";
const HOW_TO_GO_ON: &str = "I could not go on with this. How would you like me to proceed?";
const REST: &str = "I could not finish the rest.";
const BUDGET: &str =
    "Sorry, this took more work than I may spend on one request. Could you ask for a smaller part of it?";
const TIME: &str = "Sorry, this took longer than I may work on one request. Could you ask for a smaller part of it?";
const ERROR: &str = "Sorry, something went wrong on my side. Please try again in a moment.";

/// A run of somebody who wants something.
fn asked(text: &str, limits: Engine) -> Rehearsal {
    let run = Run {
        input_text: text.to_owned(),
        ..Run::sample()
    };
    Rehearsal::of(
        run,
        Rules::from(Engine {
            planning_gate: PlanningGate::Off,
            ..limits
        }),
    )
}

fn child_ended(run: &mut Rehearsal, task: &str, status: RunStatus) {
    run.push(StepKind::Event(Event::SubagentEnded {
        run_id: RunId::new(),
        task: task.into(),
        status,
        output: None,
        error: None,
        origins: std::collections::BTreeSet::new(),
        used: crate::run::step::Used::default(),
        readers: crate::policy::labels::Readers::Person,
        may_be_undone: false,
    }));
}

#[test]
fn finish_sends_the_buffer() {
    let mut run = planned();
    run.reply(&output("a"));
    run.reply(&json!({"type": "finish", "output": "b", "mode": "append"}));
    assert_eq!(
        (run.says, run.state.output),
        (vec!["a\nb".to_owned()], "a\nb".to_owned())
    );
}

#[test]
fn append_joins_with_one_newline() {
    for (first, expected) in [("a", "a\nb"), ("a\n", "a\nb"), ("", "b")] {
        let mut run = planned();
        run.reply(&output(first));
        run.reply(&json!({"type": "set_output", "output": "b", "mode": "append"}));
        assert_eq!(run.state.output, expected, "{first:?}");
    }
}

#[test]
fn finish_does_not_say_again_what_a_message_said() {
    let mut run = after_a_tool();
    run.reply(&say("The answer is 4."));
    let decision = run.reply(&json!({"type": "finish", "output": "The answer is 4."}));
    assert_eq!(
        ending(&decision),
        Some(&completed(EndingKind::Finish, "The answer is 4.", None))
    );
}

#[test]
fn finish_with_an_empty_buffer_ends_after_a_message() {
    let mut run = after_a_tool();
    run.reply(&say("The answer is 4."));
    let decision = run.reply(&finish());
    assert_eq!(
        ending(&decision),
        Some(&completed(EndingKind::Finish, "The answer is 4.", None))
    );
}

#[test]
fn finish_with_nothing_to_say_is_refused_once_then_falls_back() {
    let finished = |output: &str| json!({"type": "finish", "output": output});
    for empty in [
        finish(),
        finished("  "),
        finished("\u{200b}"),
        finished("```\n```"),
        finished("[]()"),
    ] {
        let mut run = asked("What is it", Engine::default());
        assert_eq!(about(&run.reply(&empty)), Some(NoteAbout::EmptyFinish));
        let decision = run.reply(&empty);
        assert_eq!(
            ending(&decision),
            Some(&completed(EndingKind::EmptyFinish, STUCK, Some(STUCK)))
        );
    }
}

#[test]
fn a_run_that_leads_nowhere_stalls_with_a_fallback_that_fits_its_input() {
    for (input, expected) in [("Hello!", GREETING), ("What is it", STUCK)] {
        let mut run = asked(input, Engine::default());
        for index in 0..4 {
            assert_eq!(ending(&run.reply(&note(&index.to_string()))), None);
        }
        let decision = run.reply(&note("4"));
        assert_eq!(
            ending(&decision),
            Some(&completed(EndingKind::Stall, expected, Some(expected))),
            "{input}"
        );
    }
}

#[test]
fn a_short_run_stalls_one_iteration_before_its_limit() {
    for (max_iterations, stalls_after) in [(2, 1), (4, 3), (6, 5), (20, 5)] {
        let mut run = asked(
            "What is it",
            Engine {
                max_iterations,
                ..Engine::default()
            },
        );
        let mut made = 0;
        while run.status == RunStatus::Running {
            run.reply(&note(&made.to_string()));
            made += 1;
        }
        assert_eq!(made, stalls_after, "{max_iterations}");
    }
}

#[test]
fn a_tool_an_output_or_a_message_begins_the_count_anew() {
    let actives: [fn(&mut Rehearsal); 3] = [
        |run| {
            run.reply(&call("1"));
            run.tool_works();
        },
        |run| {
            run.reply(&output("x"));
        },
        |run| {
            run.reply(&say("On it."));
        },
    ];
    for active in actives {
        let mut run = asked("What is it", Engine::default());
        run.state.had_output = true;
        for index in 0..4 {
            run.reply(&note(&index.to_string()));
        }
        active(&mut run);
        for index in 4..8 {
            run.reply(&note(&index.to_string()));
        }
        assert_eq!(run.status, RunStatus::Running);
    }
}

#[test]
fn three_iterations_of_the_same_that_change_nothing_end_the_run_with_the_best_output() {
    let mut run = planned();
    run.reply(&output("The best."));
    run.reply(&note("same"));
    run.reply(&note("same"));
    let decision = run.reply(&note("same"));
    let message = format!("The best.\n\n{REPEATING}");
    assert_eq!(
        ending(&decision),
        Some(&completed(EndingKind::NoProgress, "The best.", Some(&message)))
    );
}

#[test]
fn a_run_that_repeats_itself_says_so_also_without_output() {
    let mut run = asked("What is it", Engine::default());
    for _ in 0..3 {
        run.reply(&note("same"));
    }
    assert_eq!(run.says, [sentences::REPEATED.text(Lang::English)]);
    let mut greeted = asked("Hello!", Engine::default());
    for _ in 0..3 {
        greeted.reply(&note("same"));
    }
    assert_eq!(greeted.says, [GREETING]);
}

#[test]
fn output_that_does_not_change_is_no_progress() {
    let mut run = planned();
    for _ in 0..3 {
        assert_eq!(ending(&run.reply(&output("x"))), None);
    }
    let decision = run.reply(&output("x"));
    assert_eq!(
        ending(&decision).map(|ending| ending.kind),
        Some(EndingKind::NoProgress)
    );
}

#[test]
fn different_actions_between_are_progress() {
    let mut run = planned();
    for content in ["a", "a", "b", "a"] {
        assert_eq!(ending(&run.reply(&note(content))), None, "{content}");
    }
}

#[test]
fn when_the_iterations_are_spent_the_buffer_is_sent_else_the_last_message_counts_else_the_fallback() {
    let spent = |replies: &[Value]| {
        let mut run = asked(
            "What is it",
            Engine {
                max_iterations: 3,
                ..Engine::default()
            },
        );
        for reply in replies {
            if matches!(run.reply(reply), Decision::CallTool { .. }) {
                run.tool_works();
            }
        }
        let Next::End(decision) = run.turn() else {
            panic!("spent")
        };
        (ending(&decision).cloned().expect("completed"), run.status)
    };
    let cases = [
        (
            [call("1"), call("2"), output("x")],
            completed(EndingKind::Iterations, "x", Some("x")),
        ),
        (
            [call("1"), call("2"), say("Half way.")],
            completed(EndingKind::Iterations, "Half way.", None),
        ),
    ];
    for (replies, expected) in cases {
        let mut run = asked(
            "What is it",
            Engine {
                max_iterations: 3,
                ..Engine::default()
            },
        );
        for reply in &replies[..2] {
            run.reply(reply);
            run.tool_works();
        }
        // The last reply is judged as one of a longer run, so that only the count ends it.
        run.state.max_iterations = 4;
        run.reply(&replies[2]);
        run.state.max_iterations = 3;
        let Next::End(decision) = run.turn() else {
            panic!("spent")
        };
        assert_eq!(ending(&decision), Some(&expected));
    }
    let (ending, status) = spent(&[
        call("1"),
        call("2"),
        json!({"type": "set_run_limits", "max_iterations": 3}),
    ]);
    assert_eq!(ending, completed(EndingKind::Iterations, UNFINISHED, Some(UNFINISHED)));
    assert_eq!(status, RunStatus::Completed);
}

#[test]
fn spent_iterations_of_a_greeting_end_with_a_greeting() {
    let mut run = asked(
        "hi",
        Engine {
            max_iterations: 1,
            ..Engine::default()
        },
    );
    let decision = run.reply(&call("1"));
    assert_eq!(
        ending(&decision),
        Some(&completed(EndingKind::Iterations, GREETING, Some(GREETING)))
    );
}

#[test]
fn a_spent_budget_fails_a_run_with_nothing_to_show_and_completes_another() {
    type Spends = fn(&mut Rehearsal);
    let spent: [(Spends, &str); 3] = [
        (|run| run.state.tokens = run.rules.most_tokens(), BUDGET),
        (|run| run.state.worked_ms = 120_000, TIME),
        (
            |run| {
                run.rules.engine.max_run_cost = Some(0.5);
                run.state.cost = 0.5;
            },
            BUDGET,
        ),
    ];
    for (spend, sentence) in spent {
        let mut empty = planned();
        spend(&mut empty);
        empty.turn();
        assert_eq!(empty.status, RunStatus::Failed);
        assert_eq!(empty.says, [sentence]);

        let mut some = planned();
        some.reply(&output("Half of it."));
        spend(&mut some);
        some.turn();
        assert_eq!(some.status, RunStatus::Completed);
        assert_eq!(some.says, ["Half of it."]);
    }
}

#[test]
fn a_failure_is_told_once_in_a_fixed_sentence_with_its_details_in_the_trace() {
    let mut run = planned();
    let decision = give_up(&run.state, EndingKind::Model, &sentences::ERROR, "HTTP 500 at /v1/chat");
    let effects = run.carry_out(decision);
    assert_eq!(run.says, [ERROR]);
    let Some(StepKind::Finish(finish)) = effects.steps.last() else {
        panic!("finished")
    };
    assert_eq!(finish.error.as_deref(), Some("HTTP 500 at /v1/chat"));
}

#[test]
fn a_failing_parent_names_what_its_subagents_could_not_do_if_none_did_anything() {
    let mut run = planned();
    child_ended(&mut run, "find it", RunStatus::Failed);
    child_ended(&mut run, "read it", RunStatus::Cancelled);
    let decision = give_up(&run.state, EndingKind::Model, &sentences::ERROR, "down");
    assert_eq!(
        failure(&decision).map(|failure| failure.message.as_str()),
        Some(&*format!("{ERROR}\n\nNot done:\n- find it\n- read it"))
    );
    child_ended(&mut run, "write it", RunStatus::Completed);
    let decision = give_up(&run.state, EndingKind::Model, &sentences::ERROR, "down");
    assert_eq!(failure(&decision).map(|failure| failure.message.as_str()), Some(ERROR));
}

#[test]
fn a_parent_sees_the_error_of_a_failed_subagent() {
    let mut run = planned();
    run.push(StepKind::Event(Event::SubagentEnded {
        run_id: RunId::new(),
        task: "find it".into(),
        status: RunStatus::Failed,
        output: None,
        error: Some("not found".into()),
        origins: std::collections::BTreeSet::new(),
        used: crate::run::step::Used::default(),
        readers: crate::policy::labels::Readers::Person,
        may_be_undone: false,
    }));
    let last = run.state.transcript.texts().pop().expect("an entry");
    let entry: Value = serde_json::from_str(&last).expect("JSON");
    assert_eq!(entry["subagents"][0]["error"], "not found");
}

#[test]
fn recover_retries_finishes_or_asks() {
    let recover = |action: Option<&str>, message: Option<&str>| {
        let mut run = planned();
        run.reply(&output("Half."));
        run.reply(&call("1"));
        run.tool_fails(0, false);
        let decision = run.reply(&json!({
            "type": "recover", "reason": "r", "action": action, "message": message,
        }));
        (ending(&decision).cloned(), run)
    };
    for action in [None, Some("retry")] {
        let (ending, run) = recover(action, None);
        assert_eq!((ending, run.state.limitation), (None, None));
    }
    let in_the_end = format!("Half.\n\n{HOW_TO_GO_ON}");
    let cases = [
        ("finish", None, completed(EndingKind::Recover, "Half.", Some("Half."))),
        (
            "finish",
            Some("No more."),
            completed(EndingKind::Recover, "Half.", Some("Half.\n\nNo more.")),
        ),
        (
            "ask_user",
            Some("How?"),
            completed(EndingKind::Recover, "Half.\n\nHow?", Some("Half.\n\nHow?")),
        ),
        (
            "ask_user",
            Some(" "),
            completed(EndingKind::Recover, &in_the_end, Some(&in_the_end)),
        ),
    ];
    for (action, message, expected) in cases {
        assert_eq!(recover(Some(action), message).0, Some(expected), "{action} {message:?}");
    }
}

#[test]
fn recover_finish_with_nothing_at_all_falls_back() {
    let mut run = asked("What is it", Engine::default());
    let decision = run.reply(&json!({"type": "recover", "reason": "r", "action": "finish"}));
    assert_eq!(
        ending(&decision),
        Some(&completed(EndingKind::Recover, STUCK, Some(STUCK)))
    );
}

#[test]
fn whoever_was_answered_hears_no_apology_for_what_fails_afterwards() {
    let message = |decision: Decision| match decision {
        Decision::Fail { failure, .. } => failure.message,
        other => panic!("{other:?}"),
    };
    let no_model = |run: &Rehearsal| message(give_up(&run.state, EndingKind::Model, &sentences::ERROR, "no model"));
    let mut run = after_a_tool();
    assert_eq!(no_model(&run), ERROR);
    run.reply(&say("Let me check the weather now."));
    assert_eq!(no_model(&run), REST);
    // The answer; then more work.
    run.reply(&say("It is 42."));
    assert_eq!(no_model(&run), "");
    run.reply(&call("2"));
    run.tool_works();
    assert_eq!(no_model(&run), REST);
    // Replies that stay unreadable are told alike.
    assert!(matches!(run.reply_text("no JSON"), Decision::Record(_)));
    assert_eq!(message(run.reply_text("no JSON")), REST);
}

#[test]
fn a_spent_budget_is_told_after_a_message_that_was_not_all() {
    let mut run = after_a_tool();
    run.reply(&say("Let me check the weather now."));
    run.state.worked_ms = 120_000;
    run.turn();
    assert_eq!(run.status, RunStatus::Completed);
    assert_eq!(
        run.says,
        [
            "Let me check the weather now.".to_owned(),
            sentences::TIME.rest_text(Lang::English)
        ]
    );
}
