//! The question whether a call may be made: exactly the call, in a form that no argument can break out of.

use clifford_chat::outbound::Button;
use clifford_markup::is_deceiving;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::step::ToolCall;
use crate::{clock::Timestamp, id::RunId};

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
}

impl Question<'_> {
    /// The text, Markdown.
    pub fn text(&self) -> String {
        let head = if self.is_result {
            "May I use here what this call returned?"
        } else {
            "May I make this call?"
        };
        let until = self.until.to_jiff().strftime("%Y-%m-%d %H:%M UTC");
        let arguments = arguments(&self.call.args);
        let (shown, more) = match self.is_short(&arguments) {
            true => (arguments, String::new()),
            false => (
                arguments.chars().take(HEAD).collect(),
                format!(
                    "**These are the first {HEAD} of {} characters. All of them are in the file `{FILE}`: please read it \
                     before you approve.**\n\n",
                    arguments.chars().count()
                ),
            ),
        };
        format!(
            "**{head}** `{}`\n\n```json\n{shown}\n```\n\n{more}{}.\n\n`/approve` or `/deny`, until {until}. Check: `{}`",
            self.call.name,
            sentence(self.why),
            self.code
        )
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

/// Arguments as they are, in one block: what could end the block or be read as something else is written by its
/// number.
pub fn arguments(args: &Map<String, Value>) -> String {
    escaped(&serde_json::to_string_pretty(args).unwrap_or_default())
}

/// Within JSON `\u` stands for the same; only text in strings holds such characters.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || !(c == '`' || is_deceiving(c)) {
            safe.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    safe
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
        };
        let fitting: Vec<_> = question.buttons().into_iter().filter_map(Button::fitting).collect();
        assert_eq!(fitting, question.buttons());
        assert_eq!(fitting.len(), 3);
        assert_eq!(
            question.text(),
            format!(
                "**May I make this call?** `files.delete`\n\n```json\n{{}}\n```\n\nIt destroys something.\n\n`/approve` or \
                 `/deny`, until 1970-01-01 00:00 UTC. Check: `{code}`"
            )
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
