//! When a message ends the run, and when it is not sent.

use super::*;
use crate::{
    run::{decide::Next, decision::Then},
    runs::RunStatus,
};

fn then(decision: &Decision) -> Option<Then> {
    match decision {
        Decision::Say { then, .. } => Some(*then),
        _ => None,
    }
}

#[test]
fn a_message_after_a_tool_is_progress() {
    let mut run = after_a_tool();
    assert_eq!(then(&run.reply(&say("I am on it."))), Some(Then::Continue));
    assert_eq!(run.status, RunStatus::Running);
    assert_eq!(run.says, ["I am on it."]);
}

#[test]
fn a_message_after_output_is_progress() {
    let mut run = planned();
    run.reply(&output("x"));
    assert_eq!(then(&run.reply(&say("I am on it."))), Some(Then::Continue));
}

#[test]
fn a_message_ends_a_run_that_did_nothing_else() {
    let mut run = planned();
    assert_eq!(then(&run.reply(&say("4"))), Some(Then::Complete));
    assert_eq!((run.status, run.state.output.as_str()), (RunStatus::Completed, "4"));
    assert_eq!(run.says, ["4"]);
}

#[test]
fn a_question_ends_the_run() {
    let questions = [
        "Which one?",
        "Which one?  ",
        "Sag mir bitte mehr",
        "BITTE",
        "Please tell me more.",
        "Could you say more",
        "can you say more",
    ];
    for question in questions {
        assert_eq!(
            then(&after_a_tool().reply(&say(question))),
            Some(Then::Complete),
            "{question}"
        );
    }
    for progress in ["Why? Because.", "Looking it up."] {
        assert_eq!(
            then(&after_a_tool().reply(&say(progress))),
            Some(Then::Continue),
            "{progress}"
        );
    }
}

#[test]
fn a_message_after_a_tool_failed_ends_the_run() {
    let mut run = planned();
    run.reply(&call("1"));
    run.tool_fails(5, false);
    assert_eq!(then(&run.reply(&say("It did not work."))), Some(Then::Complete));
}

#[test]
fn a_message_equal_to_the_one_before_ends_the_run_and_is_not_sent_again() {
    let mut run = after_a_tool();
    run.reply(&say("On it."));
    let decision = run.reply(&say("On it."));
    assert_eq!(ending(&decision), Some(&completed(EndingKind::Message, "On it.", None)));
    assert_eq!(run.says, ["On it."]);
}

#[test]
fn a_message_nearly_the_same_as_an_earlier_one_is_recorded_but_not_sent() {
    let mut run = after_a_tool();
    run.reply(&say("I am looking it up."));
    run.reply(&say("Half way there."));
    let decision = run.reply(&say("I am LOOKING it up!"));
    assert_eq!(about(&decision), Some(NoteAbout::MessageRepeated));
    let Decision::Record(steps) = decision else {
        panic!("recorded")
    };
    assert_eq!(
        steps[0],
        StepKind::AssistantMessage {
            text: "I am LOOKING it up!".into(),
            sent: false
        }
    );
    assert_eq!(run.says, ["I am looking it up.", "Half way there."]);
}

#[test]
fn a_subagents_message_becomes_its_output_and_is_never_sent() {
    let mut run = Rehearsal::subagent(1);
    run.reply(&call("1"));
    run.tool_works();
    let decision = run.reply(&say("The answer is 4."));
    assert_eq!(
        ending(&decision),
        Some(&completed(EndingKind::Message, "The answer is 4.", None))
    );
    assert_eq!(run.says, Vec::<String>::new());
}

#[test]
fn nothing_a_subagent_does_reaches_a_chat() {
    let endings = [
        vec![json!({"type": "finish", "output": "done"})],
        vec![finish(), finish()],
        vec![json!({"type": "recover", "reason": "a", "action": "ask_user", "message": "How?"})],
        vec![json!({"type": "recover", "reason": "a", "action": "finish", "message": "Partly."})],
        vec![json!("hm"), json!("hm")],
        vec![call("1"), note("a"), note("b")],
    ];
    for replies in endings {
        let mut run = Rehearsal::subagent(1);
        for reply in &replies {
            if matches!(run.reply(reply), Decision::CallTool { .. }) {
                run.tool_fails(0, true);
            }
        }
        assert!(run.status.is_ended(), "{replies:?}");
        assert_eq!(run.says, Vec::<String>::new(), "{replies:?}");
    }
}

#[test]
fn files_may_end_a_run_by_themselves() {
    let decision = planned().reply(&json!({"type": "finish", "file_ids": ["f"]}));
    let message = match decision {
        Decision::Complete { ending, .. } => Ok(ending.message),
        other => Err(other),
    };
    assert_eq!(message, Ok(None));
}

#[test]
fn files_go_by_themselves_behind_the_words_that_are_repeated_with_them() {
    let mut run = after_a_tool();
    run.reply(&say("Here it is."));
    let again = json!({"type": "send_message", "message": "Here it is.", "fileIds": ["f"]});
    let expected = completed(EndingKind::Message, "Here it is.", None);
    assert_eq!(ending(&run.reply(&again)), Some(&expected));
    assert_eq!(run.says, ["Here it is."]);
}

#[test]
fn the_words_of_a_reply_with_an_unknown_file_are_sent_once_whatever_the_model_does_next() {
    const FAULT: &str = "there is no file x to send.";
    let with_file = |mut reply: Value, file: &str| {
        reply["file_ids"] = json!([file]);
        reply
    };
    let words = "Here it is.";
    let finished = json!({"type": "finish", "output": words});
    for first in [say(words), finished.clone()] {
        let nexts = [
            finish(),
            with_file(finish(), "f"),
            with_file(finished.clone(), "f"),
            with_file(say(words), "f"),
            say(words),
        ];
        for next in nexts {
            for mut run in [planned(), after_a_tool()] {
                let decision = run.reply_without_files(&with_file(first.clone(), "x"), FAULT);
                assert_eq!(then(&decision), Some(Then::Continue), "{decision:?}");
                assert_eq!(
                    (run.status, run.says.as_slice()),
                    (RunStatus::Running, &[words.to_owned()][..])
                );
                run.reply(&next);
                assert_eq!(
                    (run.status, run.says.as_slice()),
                    (RunStatus::Completed, &[words.to_owned()][..]),
                    "{first} {next}"
                );
            }
        }
    }
}

#[test]
fn an_unknown_file_costs_no_words_where_they_are_the_last_that_a_run_may_say() {
    let mut run = planned();
    run.state.max_iterations = 1;
    let reply = json!({"type": "finish", "output": "Here it is.", "file_ids": ["x"]});
    run.reply_without_files(&reply, "there is no file x to send.");
    assert!(matches!(run.turn(), Next::End(Decision::Complete { .. })));
    assert_eq!(
        (run.status, run.says),
        (RunStatus::Completed, vec!["Here it is.".to_owned()])
    );
}

#[test]
fn a_subagent_that_names_an_unknown_file_keeps_its_words_for_its_parent() {
    for reply in [json!({"type": "finish", "output": "found"}), say("found")] {
        let mut run = Rehearsal::subagent(1);
        let mut with_file = reply.clone();
        with_file["file_ids"] = json!(["x"]);
        let decision = run.reply_without_files(&with_file, "there is no file x to send.");
        assert_eq!(about(&decision), Some(NoteAbout::InvalidAction));
        let expected = completed(EndingKind::Finish, "found", Some("found"));
        assert_eq!(ending(&run.reply(&finish())), Some(&expected));
        assert_eq!(run.says, [""; 0]);
    }
}

#[test]
fn a_flood_of_notes_costs_none_of_the_action() {
    let mut run = Rehearsal::new(Rules::default());
    let notes: Vec<_> = (0..10_000)
        .map(
            |n| json!({ "category": if n % 2 == 0 { "requirements" } else { "plan" }, "content": format!("note {n}") }),
        )
        .collect();
    let decision = run.reply(&json!({ "type": "send_message", "message": "Here you are.", "notes": notes }));
    let Decision::Say { before, text, .. } = decision else {
        panic!("{decision:?}")
    };
    assert_eq!((before.len(), text.as_str()), (21, "Here you are."));
    let told: Vec<_> = (before.iter())
        .filter_map(|step| match step {
            StepKind::Note { content, .. } => Some(content.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        (told[0], told[19], told[20]),
        ("note 0", "note 19", "[9980 more notes of this reply were left out]")
    );
}

const REPORT: &str = "The report of the day.";

/// What a person reads of a run that put a report together, and then replied this.
fn after_the_report(replies: &[serde_json::Value]) -> Vec<String> {
    let mut run = after_a_tool();
    run.reply(&output(REPORT));
    for reply in replies {
        run.reply(reply);
    }
    assert!(run.status.is_ended(), "{replies:?}");
    run.says
}

#[test]
fn what_was_put_together_is_sent_with_the_message_that_ends_the_run() {
    let ask_user = json!({"type": "recover", "reason": "a", "action": "ask_user", "message": "How now?"});
    let both = |message: &str| vec![format!("{REPORT}\n\n{message}")];
    let same = say("On it.");
    for (replies, expected) in [
        (vec![say("Anything else?")], both("Anything else?")),
        (vec![say("Please have a look.")], both("Please have a look.")),
        (vec![ask_user], both("How now?")),
        (vec![same.clone(), same], vec!["On it.".to_owned(), REPORT.to_owned()]),
        (vec![json!("hm"), json!("hm")], both("I could not finish the rest.")),
    ] {
        assert_eq!(after_the_report(&replies), expected, "{replies:?}");
    }
}

#[test]
fn what_was_put_together_is_not_sent_twice() {
    let question = format!("{REPORT} Anything else?");
    assert_eq!(after_the_report(&[say(&question)]), [question]);
    assert_eq!(
        after_the_report(&[say(REPORT), say("Anything else?")]),
        [REPORT, "Anything else?"]
    );
}
