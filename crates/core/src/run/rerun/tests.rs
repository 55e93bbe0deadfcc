use serde_json::{Value, json};

use super::*;
use crate::{
    id::MessageId,
    run::{
        comparison::side_by_side,
        rehearsal::Rehearsal,
        step::{Answerer, ConfirmAbout, ConfirmRequest, LlmResponse, Sections, ToolOutcome, Used},
    },
    runs::RunStatus,
    settings::{Engine, PlanningGate},
};

/// The events of a run, in order.
#[derive(Clone, Debug)]
enum Act {
    /// The model is asked, and replies.
    Reply(Value),
    /// The call succeeds.
    Works(i64),
    /// The call fails.
    Fails,
    /// Its person writes meanwhile.
    Writes(&'static str),
    /// It is woken.
    Wakes,
    /// Its subagents return.
    Returns(&'static str),
}
use Act::{Fails, Reply, Returns, Wakes, Works, Writes};

fn rules() -> Rules {
    Rules::from(Engine {
        planning_gate: PlanningGate::Off,
        ..Engine::default()
    })
}

fn request() -> StepKind {
    StepKind::Event(Event::LlmRequest {
        messages: 2,
        estimated_tokens: 9,
        sections: Sections::default(),
        prompt_hash: "hash".to_owned(),
        prompt: None,
        prompt_deleted_at: None,
        holds: Vec::new(),
    })
}

fn response(reply: &Value) -> StepKind {
    StepKind::Event(Event::LlmResponse(LlmResponse {
        text: reply.to_string(),
        ..LlmResponse::default()
    }))
}

fn call(expression: &str) -> Value {
    json!({ "type": "tool_call", "name": "compute.eval", "args": { "expression": expression } })
}

fn keep(value: &str) -> Value {
    json!({ "type": "tool_call", "name": "memory.put", "args": { "value": value } })
}

fn message(text: &str) -> Value {
    json!({ "type": "send_message", "message": text })
}

fn finish(output: &str) -> Value {
    json!({ "type": "finish", "output": output })
}

/// A recorded run that did this.
fn recorded(acts: &[Act]) -> Rehearsal {
    let mut run = Rehearsal::new(rules());
    for act in acts {
        match act {
            Reply(reply) => {
                run.push(request());
                run.reply(reply);
            }
            Works(value) => {
                run.tool(ToolOutcome::Success { result: json!(value) });
                if matches!(run.state.pending, Pending::Queued(_)) {
                    run.queued();
                }
            }
            Fails => run.tool_fails(5, false),
            Writes(text) => run.push(StepKind::Event(Event::UserMessage {
                message_id: MessageId::new(),
                text: (*text).to_owned(),
            })),
            Wakes => run.wake(),
            Returns(output) => {
                for run_id in run.state.children.clone() {
                    run.push(StepKind::Event(Event::SubagentEnded {
                        run_id,
                        task: "read".to_owned(),
                        status: RunStatus::Completed,
                        output: Some((*output).to_owned()),
                        error: None,
                        origins: std::collections::BTreeSet::new(),
                        used: Used::default(),
                        readers: crate::policy::labels::Readers::unknown(),
                        may_be_undone: false,
                    }));
                }
                run.wake();
            }
        }
    }
    run
}

/// The replies of a recorded run, from a step on.
fn replies(run: &Rehearsal, from: u32) -> Vec<Value> {
    let later = run.steps.iter().filter(|step| step.seq >= from);
    later
        .filter_map(|step| match &step.kind {
            StepKind::Event(Event::LlmResponse(reply)) => serde_json::from_str(&reply.text).ok(),
            _ => None,
        })
        .collect()
}

/// The run once more from a step on, where the model replies with this.
fn rerun(run: &Rehearsal, from: u32, replies: Vec<Value>) -> (Vec<RerunStep>, RerunEnd) {
    let mut replies = replies.into_iter();
    let mut again = Rerun::new(&run.run, rules(), &run.steps, from);
    let reads = |name: &str| name == "compute.eval";
    loop {
        match again.turn(reads, run.now) {
            Turn::Ask => {
                let Some(reply) = replies.next() else {
                    again.stop(RerunEnd::Stopped {
                        why: "no more replies".to_owned(),
                    });
                    continue;
                };
                again.push(request(), run.now);
                again.push(response(&reply), run.now);
            }
            Turn::Apply(reply) => {
                let decision = decide::decide(&again.state, &rules(), &reply, run.now);
                again.carry_out(decision, run.now);
            }
            Turn::Queued(call) => {
                let decision = decide::queued(&again.state, &rules(), &call);
                again.carry_out(decision, run.now);
            }
            Turn::Approved(call) => again.carry_out(Decision::CallTool { before: vec![], call }, run.now),
            Turn::Ended => break,
        }
    }
    let end = again.end().cloned().unwrap();
    (again.steps, end)
}

/// The effects of a rerun, with what has them.
fn effects_of(steps: &[RerunStep]) -> Vec<(&'static str, Effect)> {
    let with = steps.iter().filter_map(|step| Some((&step.step.kind, step.effect?)));
    with.map(|(kind, effect)| (kind.type_name(), effect)).collect()
}

fn runs() -> Vec<Vec<Act>> {
    let both = json!({ "type": "tool_call", "name": "compute.eval", "args": { "expression": "1" },
        "then": [{ "name": "memory.put", "args": { "value": "b" } }] });
    let spawn = json!({ "type": "spawn_subagent", "subagent": { "task": "read" } });
    let sleep = json!({ "type": "sleep", "delay_seconds": 60, "reason": "later" });
    vec![
        vec![Reply(message("hello"))],
        vec![Reply(call("1+1")), Works(2), Reply(finish("2"))],
        vec![
            Reply(keep("a")),
            Fails,
            Reply(keep("a")),
            Works(1),
            Reply(finish("kept")),
        ],
        vec![
            Reply(call("1")),
            Works(1),
            Writes("and 2?"),
            Reply(call("2")),
            Works(2),
            Reply(finish("1, 2")),
        ],
        vec![Reply(both), Works(1), Works(2), Reply(finish("done"))],
        vec![Reply(json!("no action")), Reply(message("hello"))],
        vec![Reply(sleep), Wakes, Reply(message("good morning"))],
        vec![Reply(spawn), Returns("found"), Reply(finish("found"))],
    ]
}

#[test]
fn a_model_that_says_the_same_leads_to_the_same() {
    for acts in runs() {
        let run = recorded(&acts);
        let last = run.steps.last().unwrap().seq;
        for from in 1..=last {
            let from = begins_at(&run.steps, Some(from)).unwrap();
            let (steps, end) = rerun(&run, from, replies(&run, from));
            for step in &steps {
                assert_ne!(step.effect, Some(Effect::WouldHave), "{acts:?} from {from}: {step:?}");
            }
            let steps: Vec<_> = steps.into_iter().map(|step| step.step).collect();
            let before = run.steps.iter().take_while(|step| step.seq < from).count();
            let pairs = side_by_side(&run.steps[before..], &steps);
            // A request that stands before the first step is asked once more.
            let different: Vec<_> = pairs
                .iter()
                .filter(|pair| pair.left.is_some() && !pair.is_same)
                .collect();
            assert!(different.is_empty(), "{acts:?} from {from}: {different:#?}");
            assert_eq!(end, RerunEnd::Finished, "{acts:?} from {from}");
        }
    }
}

#[test]
fn the_journal_answers_what_the_recorded_run_did_and_nothing_else() {
    let run = recorded(&[
        Reply(keep("a")),
        Works(1),
        Reply(call("1+1")),
        Works(2),
        Reply(finish("done")),
    ]);
    let seq = |place: usize, name: &str| {
        let named = run.steps.iter().filter(|step| step.kind.type_name() == name);
        named.map(|step| step.seq).nth(place).unwrap()
    };
    let from = begins_at(&run.steps, None).unwrap();
    let recorded = |name: &'static str, seq: u32| (name, Effect::Recorded { seq });
    let kept = [
        recorded("tool_call", seq(0, "tool_call")),
        recorded("tool_result", seq(0, "tool_result")),
    ];
    let computed = [
        recorded("tool_call", seq(1, "tool_call")),
        recorded("tool_result", seq(1, "tool_result")),
    ];
    let would = |name: &'static str| (name, Effect::WouldHave);
    let cases = [
        // Another order.
        (
            vec![call("1+1"), keep("a"), finish("done")],
            [&computed[..], &kept, &[recorded("finish", seq(0, "finish"))]].concat(),
            RerunEnd::Finished,
        ),
        // Other words at the end.
        (
            vec![keep("a"), finish("kept")],
            [&kept[..], &[would("finish")]].concat(),
            RerunEnd::Finished,
        ),
        // The same write a second time would be a second write.
        (
            vec![keep("a"), keep("a")],
            [&kept[..], &[would("tool_call")]].concat(),
            RerunEnd::WouldHave,
        ),
        // The same read a second time reads the same.
        (
            vec![call("1+1"), call("1+1"), finish("done")],
            [&computed[..], &computed, &[recorded("finish", seq(0, "finish"))]].concat(),
            RerunEnd::Finished,
        ),
        // Other arguments.
        (
            vec![keep("b"), finish("done")],
            vec![would("tool_call")],
            RerunEnd::WouldHave,
        ),
        // A message goes on, and is only shown.
        (
            vec![call("1+1"), message("It is 2."), finish("done")],
            [
                &computed[..],
                &[would("assistant_message"), recorded("finish", seq(0, "finish"))],
            ]
            .concat(),
            RerunEnd::Finished,
        ),
    ];
    for (replies, expected, ended) in cases {
        let (steps, end) = rerun(&run, from, replies.clone());
        assert_eq!(effects_of(&steps), expected, "{replies:?}");
        assert_eq!(end, ended, "{replies:?}");
    }
}

#[test]
fn subagents_and_sleeps_that_are_new_are_not_begun() {
    let run = recorded(&[Reply(message("hello"))]);
    let spawn = json!({ "type": "spawn_subagent", "subagent": { "task": "read" } });
    let sleep = json!({ "type": "sleep", "delay_seconds": 60 });
    for reply in [spawn, sleep] {
        let (steps, end) = rerun(&run, 1, vec![reply.clone()]);
        assert_eq!(effects_of(&steps), [("message", Effect::WouldHave)], "{reply}");
        assert_eq!(end, RerunEnd::WouldHave, "{reply}");
    }
}

#[test]
fn a_run_that_was_never_woken_leaves_its_rerun_waiting() {
    let sleep = json!({ "type": "sleep", "delay_seconds": 60 });
    let run = recorded(&[Reply(sleep.clone())]);
    let (_, end) = rerun(&run, 1, vec![sleep]);
    assert_eq!(end, RerunEnd::Unanswered);
}

/// A run whose call of `memory.put` was asked for, and the answer.
fn asked(approved: Option<bool>) -> Rehearsal {
    let mut run = Rehearsal::new(rules());
    run.push(request());
    run.push(response(&keep("a")));
    let Decision::CallTool { before, call } = decide::decide(&run.state, &run.rules, &reading(&keep("a")), run.now)
    else {
        panic!("no call");
    };
    run.carry_out(confirm(before, call));
    if let Some(approved) = approved {
        let Pending::Confirm(asked) = run.state.pending.clone() else {
            panic!("nothing is asked")
        };
        run.push(StepKind::Event(Event::Confirm {
            approved,
            code: asked.code,
            by: Answerer::Operator,
            words: None,
        }));
    }
    if approved == Some(true) {
        let Pending::Approved(call) = run.state.pending.clone() else {
            panic!("not approved")
        };
        run.carry_out(Decision::CallTool { before: vec![], call });
        run.tool_works();
        run.push(request());
        run.reply(&finish("kept"));
    }
    run
}

fn reading(reply: &Value) -> Result<clifford_action::Reply, clifford_action::Unreadable> {
    clifford_action::read(&reply.to_string())
}

fn confirm(before: Vec<StepKind>, call: ToolCall) -> Decision {
    Decision::Confirm {
        before,
        request: ConfirmRequest {
            call,
            about: ConfirmAbout::Call,
            why: "it writes".to_owned(),
            reason: None,
            expires_at: Timestamp(i64::MAX),
            may_be_rule: false,
            traced: Vec::new(),
            is_unasked: false,
            was_announced: false,
            also: Vec::new(),
        },
    }
}

#[test]
fn an_approval_is_answered_as_it_was_and_asked_of_nobody() {
    let cases = [
        (Some(true), "a", RerunEnd::Finished),
        (None, "a", RerunEnd::Unanswered),
        (Some(true), "b", RerunEnd::WouldHave),
    ];
    for (answer, value, expected) in cases {
        let run = asked(answer);
        let mut again = Rerun::new(&run.run, rules(), &run.steps, 1);
        let mut replies = vec![keep(value), finish("kept")].into_iter();
        loop {
            match again.turn(|_| false, run.now) {
                Turn::Ask => {
                    again.push(request(), run.now);
                    again.push(response(&replies.next().unwrap()), run.now);
                }
                Turn::Apply(reply) => {
                    let decision = match decide::decide(&again.state, &rules(), &reply, run.now) {
                        Decision::CallTool { before, call } => confirm(before, call),
                        other => other,
                    };
                    again.carry_out(decision, run.now);
                }
                Turn::Approved(call) => again.carry_out(Decision::CallTool { before: vec![], call }, run.now),
                Turn::Queued(call) => panic!("{call:?}"),
                Turn::Ended => break,
            }
        }
        assert_eq!(again.end(), Some(&expected), "{answer:?} {value}");
    }
}

#[test]
fn a_rerun_begins_where_the_model_is_asked() {
    // 1 request, 2 reply, 3 call, 4 result, 5 request, 6 reply, 7 finish
    let run = recorded(&[Reply(call("1")), Works(1), Reply(finish("1"))]);
    let cases = [
        (None, 1),
        (Some(1), 1),
        (Some(2), 1),
        (Some(3), 5),
        (Some(5), 5),
        (Some(6), 5),
        (Some(7), 5),
        (Some(99), 5),
    ];
    for (wanted, expected) in cases {
        assert_eq!(begins_at(&run.steps, wanted), Some(expected), "{wanted:?}");
    }
    assert_eq!(begins_at(&run.steps[2..4], None), None);
}
