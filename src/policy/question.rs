//! What a person reads who is asked to approve a call: exactly what it is, in a form that no argument can break out of.

use clifford_channel::Button;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{clock::Timestamp, engine::step::ToolCall, id::RunId};

/// The most characters of arguments that are shown.
const MOST: usize = 1200;
/// How much of the end is shown of longer ones.
const TAIL: usize = 300;
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

/// What is asked.
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
    /// What it returns is asked for, not whether it is made.
    pub is_result: bool,
    /// Until when it can be answered.
    pub until: Timestamp,
    /// A rule may take its place.
    pub may_be_rule: bool,
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
        format!(
            "**{head}** `{}`\n\n```json\n{}\n```\n\n{}.\n\n`/approve` or `/deny`, until {until}. Check: `{}`",
            self.call.name,
            arguments(&self.call.args),
            sentence(self.why),
            self.code
        )
    }

    /// What stands below it.
    pub fn buttons(&self) -> Vec<Button> {
        let id = id(self.run, self.code);
        let mut buttons = vec![
            Button::new("Approve", format!("approve {id}")),
            Button::new("Deny", format!("deny {id}")),
        ];
        if self.may_be_rule {
            buttons.push(Button::new("Always here", format!("approve {id} always")));
        }
        buttons
    }
}

/// Arguments as they are, in one block: what could end the block or be read as something else is written by its
/// number. Long ones lose their middle, and say so.
pub fn arguments(args: &Map<String, Value>) -> String {
    let text = escaped(&serde_json::to_string_pretty(args).unwrap_or_default());
    let count = text.chars().count();
    if count <= MOST {
        return text;
    }
    let head: String = text.chars().take(MOST - TAIL).collect();
    let tail: String = text.chars().skip(count - TAIL).collect();
    let digest = clifford_vault::hash(&clifford_action::canonical(&Value::Object(args.clone())));
    let missing = count - MOST;
    format!("{head}\n[… {missing} characters are not shown; SHA-256 of all: {digest} …]\n{tail}")
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

/// A foreign text as it may stand within a sentence.
pub fn shown(text: &str, most: usize) -> String {
    let plain = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !is_deceiving(*c) && !"`*_[]<>|~\\#".contains(*c));
    clifford_markup::shortened(&plain.collect::<String>(), most)
}

/// Shows nothing, or shows others in another order: control characters, marks of direction, joiners, tags, variation
/// selectors, line separators.
fn is_deceiving(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
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
    fn long_arguments_are_cut_where_it_can_be_seen() {
        let args = json!({ "x": "a".repeat(5000) });
        let text = arguments(args.as_object().unwrap());
        assert!(text.chars().count() < 1500);
        assert!(text.contains("characters are not shown; SHA-256 of all: "), "{text}");
    }
}
