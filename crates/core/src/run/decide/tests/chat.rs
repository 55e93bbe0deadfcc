//! Direct chat: one reply, one answer.

use clifford_text::Lang;
use serde_json::json;

use crate::{
    places::Mode,
    run::{
        decide::Next,
        decision::{Decision, Failure, Then},
        rehearsal::Rehearsal,
        rules::Rules,
        sentences,
        step::{EndingKind, Finish, StepKind},
    },
    runs::{Run, RunStatus},
    settings::Engine,
};

fn chat() -> Rehearsal {
    let run = Run {
        mode: Mode::Chat,
        ..Run::sample()
    };
    // The last iteration is announced to runs only.
    let rules = Rules::from(Engine {
        max_iterations: 1,
        ..Engine::default()
    });
    Rehearsal::of(run, rules)
}

#[test]
fn the_reply_is_the_answer_whatever_it_says() {
    for (reply, expected) in [
        ("Shall we?", "Shall we?"),
        ("<think>hm</think>391", "391"),
        (r#"{"type":"finish","output":"391"}"#, "391"),
    ] {
        let mut run = chat();
        assert_eq!(run.turn(), Next::Think(vec![]));
        let said = Decision::Say {
            before: vec![],
            text: expected.to_owned(),
            then: Then::Complete,
        };
        assert_eq!(run.reply_text(reply), said, "{reply}");
        assert_eq!(
            (run.status, run.says),
            (RunStatus::Completed, vec![expected.to_owned()])
        );
        let finish = Finish {
            status: RunStatus::Completed,
            ending: EndingKind::Message,
            output: expected.to_owned(),
            message: Some(expected.to_owned()),
            error: None,
        };
        assert_eq!(run.steps.last().map(|step| &step.kind), Some(&StepKind::Finish(finish)));
    }
}

#[test]
fn an_empty_reply_is_an_error_that_is_told_in_plain_words() {
    let mut run = chat();
    let failed = Decision::Fail {
        before: vec![],
        failure: Failure {
            kind: EndingKind::BadReply,
            message: sentences::BAD_REPLY.text(Lang::English),
            error: "the reply is empty".to_owned(),
        },
    };
    assert_eq!(run.reply_text("<think>hm</think>\n"), failed);
    assert_eq!(
        (run.status, run.says),
        (RunStatus::Failed, vec![sentences::BAD_REPLY.text(Lang::English)])
    );
}

#[test]
fn an_action_that_needs_a_tool_is_no_answer_and_never_shown() {
    let mut run = chat();
    let call = json!({"type": "tool_call", "name": "compute.eval", "args": {"expression": "1"}});
    run.reply(&call);
    assert_eq!(run.says, [sentences::BAD_REPLY.text(Lang::English)]);
}

#[test]
fn an_answer_that_is_cut_says_so() {
    let mut run = chat();
    run.state.is_cut = true;
    let reply = Ok(clifford_action::Reply::from(clifford_action::Action::SendMessage {
        message: "It begins well and".to_owned(),
        file_ids: Vec::new(),
    }));
    let decision = crate::run::decide::decide(&run.state, &run.rules, &reply, run.now);
    let Decision::Say { text, .. } = decision else {
        panic!("{decision:?}");
    };
    assert_eq!(
        text,
        "It begins well and…\n\n(The answer breaks off here, since it reached the most that one reply may have. Ask me to \
         go on.)"
    );
}
