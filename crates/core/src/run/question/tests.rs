//! Tests of a question's text and of the data that it holds.

use clifford_text::Lang;
use serde_json::json;

use super::*;
use crate::policy::trace::{Origin, Source};

fn call(args: Value) -> ToolCall {
    ToolCall {
        name: "files.delete".into(),
        args: args.as_object().unwrap().clone(),
        idempotency_key: "k".into(),
    }
}

fn request(call: ToolCall) -> ConfirmRequest {
    ConfirmRequest {
        call,
        about: ConfirmAbout::Call,
        why: "it destroys something".into(),
        reason: Some(Reason::Destroys),
        expires_at: Timestamp(0),
        may_be_rule: false,
        traced: Vec::new(),
        is_unasked: false,
        was_announced: false,
        also: Vec::new(),
    }
}

fn question<'a>(request: &'a ConfirmRequest, code: &'a str) -> Question<'a> {
    Question {
        run: RunId::new(),
        request,
        code,
        is_stored: false,
        is_typed: false,
        asked: None,
        now: Timestamp(0),
        lang: Lang::English,
    }
}

/// The origin of text that somebody else wrote into a file.
fn in_a_bill() -> Origin {
    Origin::Text {
        source: Source {
            command: "banking.read_file".into(),
            read: Some("bill-december.txt".into()),
            is_foreign: true,
        },
    }
}

fn traced(origins: [(&str, Origin); 2]) -> Vec<Traced> {
    let traced = origins.map(|(argument, origin)| Traced {
        argument: argument.into(),
        origin,
    });
    traced.into()
}

fn sends(recipient: &str, amount: f64) -> ToolCall {
    ToolCall {
        name: "banking.send_money".into(),
        args: json!({ "recipient": recipient, "amount": amount })
            .as_object()
            .cloned()
            .unwrap(),
        idempotency_key: "k".into(),
    }
}

fn may_have() -> Reason {
    Reason::MayBeOthers {
        read: vec!["banking".to_owned()],
        fault: None,
    }
}

#[test]
fn a_code_names_one_call_at_one_place() {
    let one = call(json!({ "a": 1, "b": 2 }));
    assert_eq!(code(3, &one), code(3, &call(json!({ "b": 2, "a": 1 }))));
    assert_ne!(code(3, &one), code(4, &one));
    assert_ne!(code(3, &one), code(3, &call(json!({ "a": 1, "b": 3 }))));
    let run = RunId::new();
    assert_eq!(parse(&id(run, "abc")), Some((run, "abc".to_owned())));
    assert_eq!(parse("abc"), None);
}

#[test]
fn every_button_fits_all_platforms() {
    let request = ConfirmRequest {
        may_be_rule: true,
        ..request(call(json!({})))
    };
    let code = code_of(7, &request);
    let question = question(&request, &code);
    let fitting: Vec<_> = question.buttons().into_iter().filter_map(Button::fitting).collect();
    assert_eq!(fitting, question.buttons());
    assert_eq!(fitting.len(), 3);
    assert_eq!(
        question.text(),
        "**May I do this?** `files.delete`\n\n```\nno arguments\n```\n\nIt destroys something.\n\n`/approve` or \
         `/deny`, within 0 minutes."
    );
}

#[test]
fn a_question_says_what_nobody_asked_for_and_where_it_stands() {
    let request = ConfirmRequest {
        reason: Some(may_have()),
        expires_at: Timestamp(24 * 3_600_000),
        traced: traced([("recipient", in_a_bill()), ("amount", Origin::Person)]),
        is_unasked: true,
        ..request(sends("US133000000121212121212", 98.7))
    };
    let told = |was_announced| {
        let request = ConfirmRequest {
            was_announced,
            ..request.clone()
        };
        question(&request, "c0de").text()
    };
    let expected = |told: &str| {
        format!(
            "**May I do this?** `banking.send_money`\n\n{told} only in bill-december.txt \
             (banking.read_file).\n\n```\n\
             recipient: \"US133000000121212121212\"\n  ← only in bill-december.txt (banking.read_file)\n\
             amount: 98.7\n  ← your message\n```\n\n\
             `/approve` or `/deny`, within 24 hours."
        )
    };
    assert_eq!(
        told(false),
        expected("**You did not ask for this.** `recipient` appears")
    );
    assert_eq!(
        told(true),
        expected("**You did not ask for this `recipient`.** It appears")
    );
    let request = ConfirmRequest {
        is_unasked: false,
        expires_at: Timestamp(600_000),
        ..request
    };
    let typed = Question {
        is_typed: true,
        ..question(&request, "c0de")
    };
    let text = typed.text();
    assert!(
        text.ends_with("`/approve c0de` or `/deny c0de`, within 10 minutes."),
        "{text}"
    );
    assert!(
        text.contains("I have read words from outside") && !text.contains("You did not ask"),
        "{text}"
    );
}

#[test]
fn calls_of_one_reply_are_asked_for_together_and_what_nobody_asked_for_stands_apart() {
    let further = |recipient: &str, origin: Origin, is_unasked: bool| Proposal {
        call: sends(recipient, 5.0),
        why: "it costs money".into(),
        reason: is_unasked.then(may_have),
        traced: traced([("recipient", origin), ("amount", Origin::Person)]),
        is_unasked,
        was_announced: false,
    };
    let request = ConfirmRequest {
        why: "it costs money".into(),
        reason: None,
        also: vec![
            further("US13", in_a_bill(), true),
            further("GB29", Origin::Person, false),
        ],
        expires_at: Timestamp(3_600_000),
        ..request(sends("DE89", 5.0))
    };
    let code = code_of(3, &request);
    let asked = question(&request, &code);
    let expected = "**May I do these 3 things?** One answer holds for all.\n\n\
                    **1.** `banking.send_money`\n\n```\nrecipient: \"DE89\"\namount: 5.0\n```\n\n\
                    **2.** `banking.send_money`\n\n```\nrecipient: \"GB29\"\n  ← your message\namount: 5.0\n  ← your \
                    message\n```\n\n**You did not ask for what follows.**\n\n\
                    **3.** `banking.send_money`\n\n**You did not ask for this.** `recipient` appears only in \
                    bill-december.txt (banking.read_file).\n\n```\nrecipient: \"US13\"\n  ← only in bill-december.txt \
                    (banking.read_file)\namount: 5.0\n  ← your message\n```\n\nIt costs money.\n\n\
                    `/approve` or `/deny`, within 60 minutes.";
    assert_eq!(asked.text(), expected);
    assert_eq!(names(&request), "banking.send_money");
    // The answer is to exactly these calls.
    let mut other = request.clone();
    other.also[0].call = sends("US14", 5.0);
    assert_ne!(code_of(3, &other), code);
    let mut fewer = request.clone();
    fewer.also.pop();
    assert_ne!(code_of(3, &fewer), code);
    assert_eq!(
        code_of(
            3,
            &ConfirmRequest {
                also: Vec::new(),
                ..request
            }
        ),
        super::code(3, &sends("DE89", 5.0))
    );
}

#[test]
fn calls_that_are_too_long_together_stand_in_a_file_and_have_no_button_that_approves() {
    let further = Proposal {
        call: call(json!({ "x": "b".repeat(2_500) })),
        why: "it destroys something".into(),
        reason: Some(Reason::Destroys),
        traced: Vec::new(),
        is_unasked: false,
        was_announced: true,
    };
    let request = ConfirmRequest {
        also: vec![further],
        ..request(call(json!({ "x": "a".repeat(2_500) })))
    };
    let asked = question(&request, "c0de");
    let labels: Vec<_> = asked.buttons().into_iter().map(|button| button.label).collect();
    assert_eq!(labels, ["Deny"]);
    assert!(!is_shown_whole(&request));
    let (_, content) = asked.file().unwrap();
    let read: Value = serde_json::from_str(&content).unwrap();
    let args = |place: usize| read[place]["args"]["x"].as_str().map(str::len);
    assert_eq!((args(0), args(1)), (Some(2_500), Some(2_500)));
}

#[test]
fn no_argument_breaks_out_of_its_block_or_hides() {
    let cases = [
        ("a\n```\n**Approved.**", r"a\n\u0060\u0060\u0060\n**Approved.**"),
        ("\u{202e}txt.exe", r"\u202etxt.exe"),
        ("pay\u{200b}pal\u{e0041}", r"pay\u200bpal\udb40\udc41"),
        ("line\u{2028}break", r"line\u2028break"),
    ];
    for (given, expected) in cases {
        let args = json!({ "x": given });
        let text = arguments(args.as_object().unwrap());
        assert_eq!(text, format!("{{\n  \"x\": \"{expected}\"\n}}"));
        // It still says exactly what is given.
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), args);
    }
}

#[test]
fn what_does_not_stand_there_whole_goes_along_as_a_file_and_is_not_approved_by_a_press() {
    let end = "rm -rf /";
    let (short, long) = (
        format!("{}{end}", "a".repeat(3900)),
        format!("{}{end}", "a".repeat(4000)),
    );
    let cases = [
        (&short, false, true, &["Approve", "Deny"][..]),
        (&long, false, false, &["Deny"]),
        (&long, true, true, &["Approve", "Deny"]),
    ];
    for (text, is_stored, whole, labels) in cases {
        let call = call(json!({ "x": text }));
        let request = request(call.clone());
        let question = Question {
            is_stored,
            ..question(&request, "c0de")
        };
        let shown: Vec<_> = question.buttons().into_iter().map(|button| button.label).collect();
        assert_eq!(shown, labels);
        assert_eq!(question.text().contains(end), whole);
        let file = question.file();
        assert_eq!(file.is_none(), whole);
        if let Some((_, content)) = file {
            let read: Value = serde_json::from_str(&content).unwrap();
            assert_eq!(read, Value::Object(call.args.clone()));
            let all = format!("the first 800 of {} characters", content.chars().count());
            assert!(question.text().contains(&all), "{}", question.text());
        }
    }
}
