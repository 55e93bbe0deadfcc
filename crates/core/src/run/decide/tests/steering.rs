//! Messages of a person while their run is at work: the run reads them, and earlier text does not answer them.

use super::*;
use crate::{
    run::{decision::Then, state::RunState},
    runs::RunStatus,
    settings::Engine,
};

/// A run that has said that it is on it.
fn after_a_message() -> Rehearsal {
    let mut run = after_a_tool();
    run.reply(&say("I am on it."));
    run
}

fn heard(mut run: Rehearsal) -> Rehearsal {
    assert!(run.hears("Make it two."));
    run
}

fn last_entry(state: &RunState) -> Option<String> {
    state.transcript.texts().pop()
}

#[test]
fn the_model_sees_it_behind_what_stands() {
    let run = heard(after_a_tool());
    assert_eq!(
        last_entry(&run.state).as_deref(),
        Some(r#"{"user_message":"Make it two."}"#)
    );
    assert_eq!(RunState::replay(&run.run, &run.rules, &run.steps), run.state);
}

#[test]
fn it_is_taken_in_only_where_something_can_still_be_done_about_it() {
    let mut new = planned();
    assert!(!new.hears("x"), "it has not begun");
    let mut calling = planned();
    calling.reply(&call("1"));
    assert!(!calling.hears("x"), "a tool is at work");
    let mut waiting = planned();
    waiting.reply(&json!({"type": "sleep", "delay_seconds": 5}));
    assert!(!waiting.hears("x"), "it waits");
    let mut last = Rehearsal::planned(Rules::from(Engine {
        max_iterations: 2,
        ..Engine::default()
    }));
    last.reply(&note("a"));
    assert!(!last.hears("x"), "its next reply is its last");
    let mut limited = planned();
    limited.reply(&call("1"));
    limited.tool_fails(0, false);
    assert!(!limited.hears("x"), "a tool failed for good");
    let mut subagent = Rehearsal::subagent(1);
    subagent.reply(&note("a"));
    assert!(!subagent.hears("x"), "it speaks to nobody");
    assert!(after_a_tool().hears("x"));
}

#[test]
fn finishing_with_nothing_new_to_say_is_refused_once() {
    let mut run = after_a_message();
    assert_eq!(
        ending(&after_a_message().reply(&finish())),
        Some(&completed(EndingKind::Finish, "I am on it.", None))
    );
    assert!(run.hears("Make it two."));
    assert_eq!(about(&run.reply(&finish())), Some(NoteAbout::EmptyFinish));
    run.reply(&finish());
    assert_eq!(run.status, RunStatus::Completed);
    assert_eq!(run.says.len(), 2, "the person hears something: {:?}", run.says);
}

#[test]
fn an_output_that_was_said_before_is_no_answer_to_it() {
    let said = || {
        let mut run = planned();
        run.reply(&output("One."));
        run.reply(&say("One."));
        run
    };
    assert_eq!(
        ending(&said().reply(&finish())),
        Some(&completed(EndingKind::Finish, "One.", None))
    );
    assert_eq!(about(&heard(said()).reply(&finish())), Some(NoteAbout::EmptyFinish));
    // New text is the answer that it wants to send.
    assert_eq!(
        ending(&heard(said()).reply(&json!({"type": "finish", "output": "One."}))),
        Some(&completed(EndingKind::Finish, "One.", Some("One.")))
    );
}

#[test]
fn what_was_said_before_may_be_said_again() {
    let again = |run: &mut Rehearsal| run.reply(&say("I am on it."));
    assert!(!matches!(again(&mut after_a_message()), Decision::Say { .. }));
    assert!(matches!(
        again(&mut heard(after_a_message())),
        Decision::Say {
            then: Then::Continue,
            ..
        }
    ));
}

#[test]
fn a_run_that_led_nowhere_has_something_new_to_go_by() {
    let mut run = planned();
    let nowhere = |run: &mut Rehearsal| {
        run.reply(&note("the same"));
        run.reply(&note("the same"));
        run.status
    };
    assert_eq!(nowhere(&mut run), RunStatus::Running);
    assert!(run.hears("Try something else."));
    assert_eq!(nowhere(&mut run), RunStatus::Running);
    assert_eq!(nowhere(&mut run), RunStatus::Completed);
}
