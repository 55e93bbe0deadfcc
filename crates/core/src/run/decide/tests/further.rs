//! Several calls of one reply: made in order, judged by the same gates, asked for together.

use super::*;
use crate::{
    clock::Timestamp,
    run::{
        question,
        state::Pending,
        step::{Answerer, ConfirmAbout, ConfirmRequest, Proposal, ToolCall},
    },
};

fn several(expressions: [&str; 3]) -> Value {
    let [first, second, third] = expressions;
    let further = |expression: &str| json!({"name": "compute.eval", "args": {"expression": expression}});
    let mut reply = call(first);
    reply["then"] = json!([further(second), further(third)]);
    reply
}

fn expression(call: &ToolCall) -> &str {
    call.args["expression"].as_str().unwrap_or_default()
}

fn queued(run: &Rehearsal) -> Option<&ToolCall> {
    match &run.state.pending {
        Pending::Queued(call) => Some(call),
        _ => None,
    }
}

fn last_told(run: &Rehearsal) -> String {
    let entries = run.state.transcript.clone();
    format!("{entries:?}")
}

#[test]
fn they_are_made_in_order_without_asking_the_model_between() {
    let mut run = planned();
    run.reply(&several(["1", "2", "3"]));
    let mut keys = Vec::new();
    for expected in ["1", "2", "3"] {
        let Pending::Call(call) = run.state.pending.clone() else {
            panic!("called: {:?}", run.state.pending)
        };
        assert_eq!(expression(&call), expected);
        keys.push(call.idempotency_key);
        run.tool_works();
        if queued(&run).is_some() {
            run.queued();
        }
    }
    assert_eq!(run.state.pending, Pending::Think);
    assert_eq!(run.state.iterations, 1);
    keys.dedup();
    assert_eq!(keys.len(), 3);
}

#[test]
fn what_comes_behind_a_call_that_failed_is_not_made_and_the_model_is_told() {
    let mut run = planned();
    run.reply(&several(["1", "2", "3"]));
    run.tool_fails(1, true);
    assert_eq!(run.state.pending, Pending::Think);
    assert!(run.state.queue.is_empty());
    assert!(last_told(&run).contains("not_made"), "{}", last_told(&run));
}

#[test]
fn what_comes_behind_a_call_that_is_refused_is_not_made_and_the_model_is_told() {
    let refusals = [
        // Nothing was noted yet.
        Rehearsal::new(Rules::default()),
        {
            let mut run = planned();
            run.state.allowed_tools = Some(vec!["memory".to_owned()]);
            run
        },
    ];
    for mut run in refusals {
        run.reply(&several(["1", "2", "3"]));
        assert_eq!(run.state.pending, Pending::Think);
        assert!(run.state.queue.is_empty());
        let told = last_told(&run);
        assert!(told.contains("not_made") && told.contains("Refused"), "{told}");
    }
    // Its person denied the very call before.
    let mut run = planned();
    let reply = several(["1", "2", "3"]);
    run.push(StepKind::Event(Event::LlmResponse(crate::run::step::LlmResponse {
        text: reply.to_string(),
        ..crate::run::step::LlmResponse::default()
    })));
    let call = ToolCall {
        name: "compute.eval".to_owned(),
        args: serde_json::Map::new(),
        idempotency_key: String::new(),
    };
    run.carry_out(crate::run::approval::denied_before(Vec::new(), &call));
    assert_eq!(run.state.pending, Pending::Think);
    assert!(last_told(&run).contains("not_made"), "{}", last_told(&run));
}

#[test]
fn the_model_is_told_of_calls_that_are_too_many_for_one_reply() {
    let more = |number: usize| {
        let mut reply = call("0");
        let further = |at| json!({"name": "compute.eval", "args": {"expression": format!("{at}")}});
        reply["then"] = (1..number).map(further).collect();
        reply
    };
    for (number, is_told, beyond) in [(10, false, None), (12, true, None), (200, true, Some("[170 more]"))] {
        let mut run = planned();
        run.reply(&more(number));
        let mut made = 0;
        while let Pending::Call(_) = &run.state.pending {
            made += 1;
            run.tool_works();
            if queued(&run).is_some() {
                run.queued();
            }
        }
        let told = last_told(&run);
        assert_eq!((made, run.state.pending.clone()), (10, Pending::Think), "{told}");
        assert_eq!(told.contains("not_made"), is_told, "{told}");
        assert_eq!(told.contains("at most 10 calls of one reply"), is_told, "{told}");
        assert_eq!(told.contains("more]"), beyond.is_some(), "{told}");
        assert!(beyond.is_none_or(|beyond| told.contains(beyond)), "{told}");
    }
}

#[test]
fn they_are_made_behind_a_call_that_comes_with_notes() {
    let mut run = Rehearsal::new(Rules::default());
    let mut reply = several(["1", "2", "3"]);
    reply["notes"] = json!([
        {"category": "requirements", "content": "r"},
        {"category": "plan", "content": "p"},
    ]);
    run.reply(&reply);
    run.tool_works();
    assert_eq!(queued(&run).map(expression), Some("2"));
}

#[test]
fn the_gates_hold_for_each_of_them() {
    let mut run = planned();
    run.reply(&several(["1", "1", "1"]));
    run.tool_works();
    run.queued();
    run.tool_works();
    let decision = run.queued();
    assert_eq!(
        failure(&decision).map(|failure| failure.kind),
        Some(EndingKind::ToolRepeated)
    );
}

/// Asks for the first call and for those behind it.
fn asked(run: &mut Rehearsal) -> ConfirmRequest {
    let reply = several(["1", "2", "3"]);
    run.push(StepKind::Event(Event::LlmResponse(crate::run::step::LlmResponse {
        text: reply.to_string(),
        ..crate::run::step::LlmResponse::default()
    })));
    let following = run.state.following();
    let Pending::Apply(reply) = run.state.pending.clone() else {
        panic!("replied")
    };
    let Decision::CallTool { before, call } = super::super::decide(&run.state, &run.rules, &reply, run.now) else {
        panic!("called")
    };
    let also = following.into_iter().map(|call| Proposal {
        call,
        why: "w".to_owned(),
        reason: None,
        traced: Vec::new(),
        is_unasked: false,
        was_announced: false,
    });
    let request = ConfirmRequest {
        call,
        about: ConfirmAbout::Call,
        why: "w".to_owned(),
        reason: None,
        expires_at: Timestamp(i64::MAX),
        may_be_rule: false,
        traced: Vec::new(),
        is_unasked: false,
        was_announced: false,
        also: also.collect(),
    };
    run.carry_out(Decision::Confirm {
        before,
        request: request.clone(),
    });
    request
}

fn answer(run: &mut Rehearsal, approved: bool, code: String) {
    run.push(StepKind::Event(Event::Confirm {
        approved,
        code,
        by: Answerer::Operator,
        words: None,
    }));
}

#[test]
fn one_answer_approves_exactly_what_was_shown() {
    let mut run = planned();
    let request = asked(&mut run);
    let code = question::code_of(run.state.next_seq - 1, &request);
    // The code of the first call alone answers nothing.
    let of_first = question::code(run.state.next_seq - 1, &request.call);
    answer(&mut run, true, of_first);
    assert!(matches!(run.state.pending, Pending::Confirm(_)));
    answer(&mut run, true, code);
    assert_eq!(run.state.pending, Pending::Approved(request.call.clone()));
    for shown in request.calls() {
        assert!(run.state.is_approved(shown));
        let other = ToolCall {
            args: serde_json::Map::new(),
            ..shown.clone()
        };
        assert!(!run.state.is_approved(&other), "its key alone approves nothing");
        run.carry_out(Decision::CallTool {
            before: vec![],
            call: shown.clone(),
        });
        run.tool_works();
        if let Some(next) = queued(&run) {
            assert!(run.state.is_approved(next));
        }
        assert_eq!(run.state.times_called(shown), 1);
    }
    assert_eq!(run.state.pending, Pending::Think);
}

#[test]
fn what_was_not_shown_is_not_approved() {
    let mut run = planned();
    let mut request = asked(&mut run);
    let dropped = request.also.pop().unwrap();
    let mut run = planned();
    run.push(StepKind::Event(Event::LlmResponse(crate::run::step::LlmResponse {
        text: several(["1", "2", "3"]).to_string(),
        ..crate::run::step::LlmResponse::default()
    })));
    run.carry_out(Decision::Confirm {
        before: vec![],
        request: request.clone(),
    });
    let code = question::code_of(run.state.next_seq - 1, &request);
    answer(&mut run, true, code);
    assert!(!run.state.is_approved(&dropped.call));
}

#[test]
fn a_denial_holds_for_all_of_them() {
    let mut run = planned();
    let request = asked(&mut run);
    let code = question::code_of(run.state.next_seq - 1, &request);
    answer(&mut run, false, code);
    let Pending::Denied(asked) = run.state.pending.clone() else {
        panic!("denied")
    };
    let decision = crate::run::approval::denied(&run.state, &run.rules, &asked);
    run.carry_out(decision);
    assert_eq!(run.state.pending, Pending::Think);
    assert!(run.state.queue.is_empty());
    for call in request.calls() {
        let denied = crate::run::denials::last(&run.steps, call);
        assert!(denied.is_some(), "{call:?}");
    }
}
