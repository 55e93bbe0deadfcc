//! The examples at the end of the system prompt: a message, and the action that answers it.
//!
//! They look like what comes after them, since small models follow the likeness more than the rules; and tools that the
//! run lacks are no examples either, since they copy them. Answers in words come first, and the reply to a tool's
//! result holds no result: a copy of it is no answer to anything. Notes come right after the required fields of an
//! action: a server that holds a model to the schema may take fields in that order only.

use std::fmt::Write as _;

use clifford_core::runs::RunKind;

/// The heading of the examples.
pub(super) const HEAD: &str = "\nExamples, the end of what you get and your reply:\n";

/// Something that is asked, and the action for it.
struct Example {
    input: &'static str,
    /// The command that must be there.
    command: &'static str,
    action: &'static str,
}

const GREETING: &str = "Good evening!";

/// Questions to a model's own knowledge, and the answers.
const ANSWERS: [(&str, &str); 3] = [
    ("What is the capital of France?", "Paris is the capital of France."),
    (GREETING, "Good evening! What can I do for you?"),
    ("Translate 'the cat' to Spanish.", "'The cat' is 'el gato' in Spanish."),
];

const EXAMPLES: [Example; 4] = [
    Example {
        input: "How much is 6 * 7?",
        command: "compute.eval",
        action: r#"{"type":"tool_call","name":"compute.eval","notes":[{"category":"requirements","content":"the product of 6 and 7"},{"category":"plan","content":"compute, then answer"}],"args":{"expression":"6 * 7"}}
after its result: {"type":"finish","output":"6 * 7 is <the result>."}"#,
    },
    Example {
        input: "Remember that I like mint tea.",
        command: "memory.put",
        action: r#"{"type":"tool_call","name":"memory.put","notes":[{"category":"requirements","content":"keep it"},{"category":"plan","content":"put, then say so"}],"args":{"module":"preferences","key":"tea","value":"likes mint tea"}}"#,
    },
    Example {
        input: "Remind me on Friday at 9:00 to call Ada.",
        command: "reminders.set",
        action: r#"{"type":"tool_call","name":"reminders.set","notes":[{"category":"requirements","content":"be reminded"},{"category":"plan","content":"set it, then say so"}],"args":{"text":"call Ada","when":"Friday at 9:00"}}"#,
    },
    Example {
        input: "List my reminders.",
        command: "reminders.list",
        action: r#"{"type":"tool_call","name":"reminders.list","notes":[{"category":"requirements","content":"the reminders"},{"category":"plan","content":"list them, then say them"}],"args":{}}"#,
    },
];

/// The answer of a coordinator, and of a subagent, which has nobody to send a message to.
fn answer(kind: RunKind, text: &str) -> String {
    match kind {
        RunKind::Coordinator => format!(r#"{{"type":"send_message","message":"{text}"}}"#),
        RunKind::Subagent => format!(
            r#"{{"type":"finish","notes":[{{"category":"requirements","content":"answer it"}},{{"category":"plan","content":"say it"}}],"output":"{text}"}}"#
        ),
    }
}

/// The examples for a run of this kind, as far as its tools have the commands that they call.
pub(super) fn of(kind: RunKind, has: impl Fn(&str) -> bool) -> String {
    let (before, after) = match kind {
        RunKind::Coordinator => (r#"…"input":""#, r#"","task":null}"#),
        RunKind::Subagent => (r#"…"input":null,"task":""#, r#""}"#),
    };
    // Nobody greets a subagent.
    let answered = ANSWERS
        .iter()
        .filter(|(input, _)| kind == RunKind::Coordinator || *input != GREETING);
    let answered = answered.map(|(input, text)| (*input, answer(kind, text)));
    let called = EXAMPLES.iter().filter(|example| has(example.command));
    let called = called.map(|example| (example.input, example.action.to_owned()));
    let mut text = HEAD.to_owned();
    for (input, action) in answered.chain(called) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{before}{input}{after}\n{action}");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn each_reply_of_an_example_is_an_action() {
        for (kind, count) in [(RunKind::Coordinator, 8), (RunKind::Subagent, 7)] {
            let text = of(kind, |_| true);
            let replies: Vec<_> = text
                .lines()
                .filter_map(|line| line.find(r#"{"type""#).map(|start| &line[start..]))
                .collect();
            assert_eq!(replies.len(), count);
            for reply in replies {
                let action = clifford_action::read(reply).expect(reply);
                let json: Value = serde_json::from_str(reply).expect("JSON");
                assert_eq!(action.to_value()["type"], json["type"]);
            }
        }
    }

    #[test]
    fn what_is_no_tool_of_the_runs_is_no_example() {
        let text = of(RunKind::Coordinator, |command| command == "memory.put");
        assert!(text.contains("memory.put"), "{text}");
        assert!(!text.contains("compute.eval") && !text.contains("reminders"), "{text}");
    }

    #[test]
    fn what_follows_a_result_holds_none() {
        for example in EXAMPLES {
            let after = example.action.lines().skip(1);
            assert!(
                after.clone().all(|line| line.contains("<the result>")),
                "{}",
                example.action
            );
        }
    }
}
