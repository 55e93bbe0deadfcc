//! The question whether a call may be made: exactly the call, in a form that no argument can break out of.
//!
//! It is made to be read on a phone. The head names the command. If its person did not ask for the call and others may
//! have, that is said next, with the argument that only they wrote. Then the arguments follow, one below the other,
//! each exactly as it will be sent, with a line that begins with `←` and says where it comes from ([`Traced`]): no
//! argument can hold that sign, so none can claim an origin. Last comes why it is asked, and how long it can be
//! answered. A code is shown only where nothing can be pressed.

mod in_words;
mod shown;

use std::time::Duration;

use clifford_chat::outbound::Button;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub use self::in_words::in_words;
use super::step::{ConfirmRequest, ToolCall};
use crate::{
    clock::Timestamp,
    id::RunId,
    policy::{judge::MAY_BE_OTHERS, trace::Traced},
};

/// The most characters of arguments that stand in the question, where it is sent: a few messages.
const MOST: usize = 4000;
/// How much of the beginning of longer ones stands there: all of them are in a file.
const HEAD: usize = 800;
/// The name of that file.
const FILE: &str = "arguments.json";
/// How many characters of the digest name a question.
const CODE: usize = 12;

/// Names one question: the same only for the same call at the same place of its run. Answering it approves this call
/// and no other.
pub fn code(seq: u32, call: &ToolCall) -> String {
    let args = clifford_action::canonical(&Value::Object(call.args.clone()));
    let digest = Sha256::digest(format!("{seq} {} {args}", call.name));
    clifford_vault::hex(&digest).chars().take(CODE).collect()
}

/// A question as people answer it: the run and the code, short enough for a button.
pub fn id(run: RunId, code: &str) -> String {
    format!("{}:{code}", run.0.simple())
}

/// The run and the code of a question.
pub fn parse(id: &str) -> Option<(RunId, String)> {
    let (run, code) = id.split_once(':')?;
    Some((run.parse().ok()?, code.to_owned()))
}

/// A question to a person.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The run that asks.
    pub run: RunId,
    /// The call.
    pub call: &'a ToolCall,
    /// Its code.
    pub code: &'a str,
    /// Why it is asked.
    pub why: &'a str,
    /// Whether the question is about using the result, not about making the call.
    pub is_result: bool,
    /// Until when it can be answered.
    pub until: Timestamp,
    /// A rule may take its place.
    pub may_be_rule: bool,
    /// It is only stored, and read where it is: it may be as long as it is.
    pub is_stored: bool,
    /// It is read where nothing can be pressed: it is answered by its code.
    pub is_typed: bool,
    /// Where the arguments come from.
    pub traced: &'a [Traced],
    /// Nobody who may asked for the call, and others may have.
    pub is_unasked: bool,
    /// The time at which it is asked.
    pub now: Timestamp,
}

impl Question<'_> {
    /// The text, Markdown.
    pub fn text(&self) -> String {
        let head = if self.is_result {
            "May I use here what this call returned?"
        } else {
            "May I make this call?"
        };
        let name = &self.call.name;
        let mut parts = vec![format!("**{head}** `{name}`")];
        parts.extend(self.unasked());
        let whole = arguments(&self.call.args);
        let shown = if self.call.args.is_empty() {
            "no arguments".to_owned()
        } else if self.is_short(&whole) {
            shown::arguments(&self.call.args, self.traced)
        } else {
            parts.push(fenced(&whole.chars().take(HEAD).collect::<String>()));
            parts.push(format!(
                "**These are the first {HEAD} of {} characters. All of them are in the file `{FILE}`: please read it \
                 before you approve.**",
                whole.chars().count()
            ));
            shown::origins(self.traced)
        };
        if !shown.is_empty() {
            parts.push(fenced(&shown));
        }
        // That others may be behind it is told already, and of what.
        if !(self.is_unasked && self.why.contains(MAY_BE_OTHERS)) {
            parts.push(format!("{}.", sentence(self.why)));
        }
        let code = match self.is_typed {
            true => format!(" {}", self.code),
            false => String::new(),
        };
        let left = left(self.until.since(self.now));
        parts.push(format!("`/approve{code}` or `/deny{code}`, within {left}."));
        parts.join("\n\n")
    }

    /// Says that its person did not ask for the call, and what stands in words of others alone.
    fn unasked(&self) -> Option<String> {
        let of_others = of_others(self.traced).filter(|_| self.is_unasked)?;
        Some(format!("**You did not ask for this.** {of_others}."))
    }

    /// The file that goes along, its name and content: the whole arguments, where they are too long for a message.
    pub fn file(&self) -> Option<(String, String)> {
        let arguments = arguments(&self.call.args);
        (!self.is_short(&arguments)).then(|| (FILE.to_owned(), arguments))
    }

    fn is_short(&self, arguments: &str) -> bool {
        self.is_stored || arguments.chars().count() <= MOST
    }

    /// The buttons below it. A question that is not shown whole has no button that approves it.
    pub fn buttons(&self) -> Vec<Button> {
        let id = id(self.run, self.code);
        let deny = Button::new("Deny", format!("deny {id}"));
        if !self.is_short(&arguments(&self.call.args)) {
            return vec![deny];
        }
        let mut buttons = vec![Button::new("Approve", format!("approve {id}")), deny];
        if self.may_be_rule {
            buttons.push(Button::new("Always here", format!("approve {id} always")));
        }
        buttons
    }
}

/// Why a question was asked, within a sentence.
pub fn reason(request: &ConfirmRequest) -> String {
    let of_others = of_others(&request.traced).filter(|_| request.is_unasked);
    of_others.unwrap_or_else(|| request.why.trim().trim_end_matches('.').to_owned())
}

/// Which argument stands in words of others alone, and in whose.
fn of_others(traced: &[Traced]) -> Option<String> {
    let mut of_others = (traced.iter()).filter_map(|traced| Some((&traced.argument, traced.origin.others()?)));
    let (argument, source) = of_others.next()?;
    let more = match of_others.count() {
        0 => String::new(),
        1 => ", and so does another".to_owned(),
        more => format!(", and so do {more} others"),
    };
    let argument = clifford_markup::within_sentence(argument, 60);
    let source = clifford_markup::within_sentence(&source.to_string(), 160);
    Some(format!("`{argument}` stands {source}{more}"))
}

/// Whether a call is so short that its question shows it whole, and a person who has read that has read all of it.
pub fn is_shown_whole(call: &ToolCall) -> bool {
    arguments(&call.args).chars().count() <= MOST
}

/// Arguments as they are, in JSON: what could end a block or be read as something else is written by its number.
pub fn arguments(args: &Map<String, Value>) -> String {
    shown::escaped(&serde_json::to_string_pretty(args).unwrap_or_default())
}

fn fenced(text: &str) -> String {
    format!("```\n{text}\n```")
}

/// A time in words, rounded.
fn left(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60);
    let (count, unit) = match minutes {
        0..100 => (minutes, "minute"),
        100..2880 => ((minutes + 30) / 60, "hour"),
        _ => ((minutes + 720) / 1440, "day"),
    };
    match count {
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    }
}

fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
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
        let call = call(json!({}));
        let code = code(7, &call);
        let question = Question {
            run: RunId::new(),
            call: &call,
            code: &code,
            why: "it destroys something",
            is_result: false,
            until: Timestamp(0),
            may_be_rule: true,
            is_stored: false,
            is_typed: false,
            traced: &[],
            is_unasked: false,
            now: Timestamp(0),
        };
        let fitting: Vec<_> = question.buttons().into_iter().filter_map(Button::fitting).collect();
        assert_eq!(fitting, question.buttons());
        assert_eq!(fitting.len(), 3);
        assert_eq!(
            question.text(),
            "**May I make this call?** `files.delete`\n\n```\nno arguments\n```\n\nIt destroys something.\n\n`/approve` or \
             `/deny`, within 0 minutes."
        );
    }

    #[test]
    fn a_question_says_what_nobody_asked_for_and_where_it_stands() {
        let call = ToolCall {
            name: "banking.send_money".into(),
            args: json!({ "recipient": "US133000000121212121212", "amount": 98.7 })
                .as_object()
                .cloned()
                .unwrap(),
            idempotency_key: "k".into(),
        };
        let source = Source {
            command: "banking.read_file".into(),
            read: Some("bill-december.txt".into()),
            is_foreign: true,
        };
        let traced = [("recipient", Origin::Text { source }), ("amount", Origin::Person)];
        let traced = traced.map(|(argument, origin)| Traced {
            argument: argument.into(),
            origin,
        });
        let question = Question {
            run: RunId::new(),
            call: &call,
            code: "c0de",
            why: "I have read words from outside (banking), which may have asked for this: it was not announced",
            is_result: false,
            until: Timestamp(24 * 3_600_000),
            may_be_rule: false,
            is_stored: false,
            is_typed: false,
            traced: &traced,
            is_unasked: true,
            now: Timestamp(0),
        };
        let expected = "**May I make this call?** `banking.send_money`\n\n\
                        **You did not ask for this.** `recipient` stands only in bill-december.txt \
                        (banking.read_file).\n\n```\n\
                        recipient: \"US133000000121212121212\"\n  ← only in bill-december.txt (banking.read_file)\n\
                        amount: 98.7\n  ← your message\n```\n\n\
                        `/approve` or `/deny`, within 24 hours.";
        assert_eq!(question.text(), expected);
        let typed = Question {
            is_typed: true,
            until: Timestamp(600_000),
            is_unasked: false,
            ..question
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
            let question = Question {
                run: RunId::new(),
                call: &call,
                code: "c0de",
                why: "it destroys something",
                is_result: false,
                until: Timestamp(0),
                may_be_rule: false,
                is_stored,
                is_typed: false,
                traced: &[],
                is_unasked: false,
                now: Timestamp(0),
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
}
