//! Properties of every run, for any behavior of a model, its tools and its subagents.

use clifford_action::WakeOn;
use clifford_text::{Lang, Outcome};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    decide::Next,
    decision::Decision,
    effects::{After, effects},
    rehearsal::Rehearsal,
    rules::Rules,
    sentences,
    state::{Pending, RunState},
    step::{Event, StepKind, ToolOutcome},
};
use crate::{
    id::RunId,
    runs::{Run, RunKind, RunStatus},
    settings::{Engine, PlanningGate},
};

/// Something that happens to a run.
#[derive(Clone, Debug)]
enum Happening {
    /// The model replies.
    Reply(String),
    /// The tool answers, if one was called; so the next one that is needed decides.
    Tool(ToolOutcome),
    /// One of its subagents ends.
    ChildEnds(RunStatus),
    /// The person writes while it is at work.
    Says(String),
}

/// Few words, so that repeats are common.
fn words() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "b",
        "Is it so?",
        "please say",
        "On it.",
        "ON IT",
        "",
        " ",
        "x\0y",
        "ünï\n",
    ])
    .prop_map(str::to_owned)
}

fn optional(text: impl Strategy<Value = String>) -> impl Strategy<Value = Option<String>> {
    prop::option::of(text)
}

fn action() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => (prop::sample::select(vec!["compute.eval", "memory.get", "/etc/passwd", "{\"type\":1}"]), words())
            .prop_map(|(name, arg)| json!({"type": "tool_call", "name": name, "args": {"x": arg}})),
        3 => words().prop_map(|text| json!({"type": "send_message", "message": text})),
        2 => (words(), prop::sample::select(vec!["replace", "append"]))
            .prop_map(|(text, mode)| json!({"type": "set_output", "output": text, "mode": mode})),
        1 => optional(words()).prop_map(|text| json!({"type": "finish", "output": text})),
        1 => words().prop_map(|text| json!({"type": "decision", "content": text})),
        2 => (prop::sample::select(vec!["requirements", "plan", "artifact"]), words())
            .prop_map(|(category, text)| json!({"type": "note", "category": category, "content": text})),
        2 => (prop::collection::vec(words(), 1..4), prop::sample::select(vec!["all", "first"]))
            .prop_map(|(tasks, wake_on)| {
                let specs: Vec<_> = tasks.iter().map(|task| json!({"task": task})).collect();
                json!({"type": "spawn_subagents", "subagents": specs, "wake_on": wake_on})
            }),
        1 => (prop::option::of(0..100_u64), optional(words()), prop::option::of(Just("0 8 * * *")))
            .prop_map(|(delay, at, cron)| json!({"type": "sleep", "delay_seconds": delay, "wake_at": at, "cron": cron})),
        1 => (0..400_u32).prop_map(|limit| json!({"type": "set_run_limits", "max_iterations": limit})),
        1 => (prop::sample::select(vec!["retry", "finish", "ask_user"]), optional(words()))
            .prop_map(|(action, message)| json!({"type": "recover", "reason": "r", "action": action, "message": message})),
    ]
}

fn reply() -> impl Strategy<Value = String> {
    let with_notes = (action(), any::<bool>()).prop_map(|(mut action, notes)| {
        if notes {
            action["notes"] = json!([
                {"category": "requirements", "content": "r"},
                {"category": "plan", "content": "p"},
            ]);
        }
        action.to_string()
    });
    prop_oneof![
        9 => with_notes,
        1 => prop::sample::select(vec!["", "Secret thoughts.", "{", "{\"type\":\"fly\"}", "<think>x</think>", "[]"])
            .prop_map(str::to_owned),
    ]
}

fn happening() -> impl Strategy<Value = Happening> {
    let outcome = prop_oneof![
        Just(ToolOutcome::Success {
            result: json!({"secret": "in a result"})
        }),
        (0..2_u32).prop_map(|retries| ToolOutcome::Failure {
            error: "secret: in an error".into(),
            retries,
            expose: false,
            refused: None
        }),
    ];
    let ended = prop::sample::select(vec![RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled]);
    prop_oneof![
        6 => reply().prop_map(Happening::Reply),
        2 => outcome.prop_map(Happening::Tool),
        2 => ended.prop_map(Happening::ChildEnds),
        2 => words().prop_map(Happening::Says),
    ]
}

fn rehearsal() -> impl Strategy<Value = Rehearsal> {
    (
        1..30_u32,
        prop_oneof![Just(PlanningGate::Required), Just(PlanningGate::Off)],
        0..3_u32,
        0..3_u32,
    )
        .prop_map(|(max_iterations, planning_gate, level, max_json_retries)| {
            let kind = if level == 0 {
                RunKind::Coordinator
            } else {
                RunKind::Subagent
            };
            let run = Run {
                kind,
                level,
                ..Run::sample()
            };
            let rules = Rules::from(Engine {
                max_iterations,
                planning_gate,
                max_json_retries,
                max_iterations_hard_cap: 40,
                ..Engine::default()
            });
            Rehearsal::of(run, rules)
        })
}

/// The result of each subagent.
const FOUND: &str = "found";

/// Whether a person may read a text: the model's messages, its output, the fixed sentences, the tasks of failed
/// subagents, and the result of one.
fn may_be_said(text: &str, run: &Rehearsal) -> bool {
    let lang = Lang::English;
    let plain = [Outcome::Greeting, Outcome::Repeating, Outcome::HowToGoOn].map(|plain| lang.say(plain));
    let said: Vec<String> = run
        .steps
        .iter()
        .filter_map(|step| match &step.kind {
            StepKind::Event(Event::LlmResponse(response)) => serde_json::from_str::<Value>(&response.text).ok(),
            _ => None,
        })
        .flat_map(|reply| [reply["message"].clone(), reply["output"].clone()])
        .filter_map(|text| text.as_str().map(|text| text.trim().to_owned()))
        .collect();
    let of_tools = ["compute.eval", "memory.get", "/"]
        .iter()
        .flat_map(|tool| [sentences::tool_failed(tool, None), sentences::tool_repeated(tool)]);
    let apologies = [
        sentences::BAD_REPLY,
        sentences::STUCK,
        sentences::BUDGET,
        sentences::TIME,
        sentences::REPEATED,
        sentences::UNFINISHED,
    ];
    let apologies = apologies.into_iter().chain(of_tools);
    let apologies = apologies.flat_map(|sentence| [sentence.text(lang), sentence.rest_text(lang)]);
    let fixed: Vec<String> = plain.into_iter().chain(apologies).collect();
    let is_fixed = |part: &str| fixed.iter().any(|sentence| part == sentence);
    // The rest, after the fixed sentences, messages, outputs and tasks are taken out.
    let mut pieces: Vec<&str> = said
        .iter()
        .map(String::as_str)
        .filter(|text| !text.is_empty())
        .collect();
    pieces.extend(
        run.state
            .failed_tasks
            .iter()
            .map(|task| task.trim())
            .filter(|task| !task.is_empty()),
    );
    pieces.extend(run.state.found.as_deref());
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    text.split("\n\n").map(str::trim).all(|part| {
        if is_fixed(part) {
            return true;
        }
        let mut left = part.replace("Not done:", "");
        for piece in &pieces {
            left = left.replace(*piece, "");
        }
        left.chars().all(|c| c.is_whitespace() || c == '-')
    })
}

/// Checks what holds at every moment.
fn check(run: &Rehearsal) -> Result<(), TestCaseError> {
    let replayed = RunState::replay(&run.run, &run.rules, &run.steps);
    prop_assert_eq!(&replayed, &run.state);
    let stored: Vec<_> = run
        .steps
        .iter()
        .map(|step| crate::run::columns::stored(step).expect("readable"))
        .collect();
    prop_assert_eq!(&stored, &run.steps);
    prop_assert!(run.state.iterations <= run.rules.engine.max_iterations_hard_cap);
    for text in &run.says {
        prop_assert!(may_be_said(text, run), "leaked: {text:?}");
        prop_assert!(!text.trim().is_empty(), "an empty message");
    }
    Ok(())
}

/// Lets one thing happen, as the loop around the rules would.
fn happen(run: &mut Rehearsal, happening: &Happening) -> Result<(), TestCaseError> {
    let before = run.status;
    match (&run.state.pending.clone(), happening) {
        (Pending::Call(_), Happening::Tool(outcome)) => run.tool(outcome.clone()),
        (Pending::Call(_), _) => run.tool_works(),
        (Pending::Wait, happening) => {
            if let (Some(child), Happening::ChildEnds(status)) = (run.state.children.first().copied(), happening) {
                run.push(StepKind::Event(Event::SubagentEnded {
                    run_id: child,
                    task: "a".into(),
                    status: *status,
                    output: Some(FOUND.into()),
                    error: Some("secret".into()),
                    origins: std::collections::BTreeSet::new(),
                    used: crate::run::step::Used::default(),
                    readers: crate::policy::labels::Readers::Person,
                    may_be_undone: false,
                }));
            }
            prop_assert!(before.may_become(RunStatus::Pending) && RunStatus::Pending.may_become(RunStatus::Running));
            run.wake();
            return check(run);
        }
        (Pending::Think, Happening::Reply(text)) => {
            let decision = run.reply_text(text);
            let written = effects(&run.state, &run.rules, decision, RunId::new);
            prop_assert!(run.run.kind == RunKind::Coordinator || written.says.is_empty());
        }
        (Pending::Think, Happening::Says(text)) => {
            run.hears(text);
            return check(run);
        }
        (Pending::Think, _) => {
            if matches!(run.turn(), Next::Think(_)) {
                return check(run);
            }
        }
        (Pending::Apply(_), _) => {
            run.apply();
        }
        (Pending::Queued(_), _) => {
            run.queued();
        }
        // A person is asked outside of the rules.
        (Pending::Nothing | Pending::Confirm(_) | Pending::Approved(_) | Pending::Denied(_), _) => return Ok(()),
    }
    prop_assert!(
        run.status == before || before.may_become(run.status),
        "{before} became {}",
        run.status
    );
    check(run)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn every_run_keeps_its_rules_and_ends(
        mut run in rehearsal(),
        happenings in prop::collection::vec(happening(), 1..60),
        then in prop::collection::vec(reply(), 1..4),
    ) {
        for happening in &happenings {
            happen(&mut run, happening)?;
        }
        // From here on the model goes on as it likes: it cannot go on for ever.
        let mut turns = 0;
        while !run.status.is_ended() {
            let happening = Happening::Reply(then[turns % then.len()].clone());
            happen(&mut run, &happening)?;
            turns += 1;
            prop_assert!(turns < 1_000, "it never ends: {:?}", run.state);
        }
        prop_assert_eq!(&run.state.pending, &Pending::Nothing);
        let finishes = run.steps.iter().filter(|step| matches!(step.kind, StepKind::Finish(_))).count();
        prop_assert_eq!(finishes, 1);
    }

    #[test]
    fn a_run_taken_up_in_the_middle_decides_as_one_that_never_stopped(
        mut run in rehearsal(),
        happenings in prop::collection::vec(happening(), 1..30),
        text in reply(),
    ) {
        for happening in &happenings {
            happen(&mut run, happening)?;
        }
        if run.state.pending != Pending::Think {
            return Ok(());
        }
        let mut resumed = Rehearsal::of(run.run.clone(), run.rules.clone());
        for step in &run.steps {
            resumed.push(crate::run::columns::stored(step).expect("readable").kind);
        }
        let (live, again) = (run.reply_text(&text), resumed.reply_text(&text));
        match (&live, &again) {
            (Decision::CallTool { call: a, .. }, Decision::CallTool { call: b, .. }) => prop_assert_eq!(a, b),
            _ => prop_assert_eq!(&live, &again),
        }
    }

    #[test]
    fn what_a_decision_writes_agrees_with_what_follows(mut run in rehearsal(), replies in prop::collection::vec(reply(), 1..20)) {
        for text in &replies {
            if run.state.pending != Pending::Think {
                break;
            }
            let before = run.state.clone();
            let decision = run.reply_text(text);
            let written = effects(&before, &run.rules, decision, RunId::new);
            let agrees = match &written.then {
                After::Continue => matches!(run.state.pending, Pending::Think),
                After::Call(call) => run.state.pending == Pending::Call(call.clone()),
                After::Confirm(_) => matches!(run.state.pending, Pending::Confirm(_)),
                After::Sleep(_) | After::AwaitChildren(WakeOn::All | WakeOn::First) => run.state.pending == Pending::Wait,
                After::End { output, .. } => run.state.pending == Pending::Nothing && run.state.output == *output,
            };
            prop_assert!(agrees, "{written:?} / {:?}", run.state.pending);
        }
    }
}
