//! The form of a golden task.

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A person's messages, and the result that is expected.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    /// Its name, unique in its file.
    pub name: String,
    /// The bot's memory of the person before the task.
    #[serde(default)]
    pub memory: Vec<KnownFact>,
    /// The person's messages, one after the other in one conversation.
    pub turns: Vec<String>,
    /// The expected result.
    pub expect: Expected,
}

/// Something that is known of the person.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownFact {
    pub module: String,
    pub key: String,
    pub value: String,
    #[serde(default = "lasting")]
    pub level: i64,
}

const fn lasting() -> i64 {
    1
}

/// The expected result of a task; anything goes for a field that is left out. Texts are compared without regard to
/// case.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Expected {
    /// The last answer holds each of these.
    pub answer_contains: Vec<String>,
    /// It holds at least one of these.
    pub answer_contains_any: Vec<String>,
    /// It holds none of these.
    pub answer_lacks: Vec<String>,
    /// It matches this regular expression.
    pub answer_matches: Option<String>,
    /// Each of these was called, in any order.
    pub calls: Vec<Call>,
    /// Afterwards each of these, which only read, returns what it must.
    pub afterwards: Vec<Reading>,
    /// The most model calls of all turns.
    pub max_model_calls: Option<i64>,
}

/// A call that must have been made and have worked.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// `tool.command`.
    pub name: String,
    /// A part of its arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// A command that is called after the last turn.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reading {
    /// `tool.command`.
    pub name: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// Texts that its result holds.
    pub contains: Vec<String>,
}

/// Reads a file of tasks, one a line; empty lines and those that begin with `#` are left out.
///
/// # Errors
/// The line that is wrong, and why.
pub(super) fn read(text: &str) -> anyhow::Result<Vec<Task>> {
    let mut tasks: Vec<Task> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let value: Value = serde_json::from_str(line)
            .map_err(|error| anyhow!("line {number} is not JSON from column {} on", error.column()))?;
        let task: Task = serde_json::from_value(value).with_context(|| format!("line {number}"))?;
        if tasks.iter().any(|other| other.name == task.name) {
            bail!("line {number}: a task is called {} already", task.name);
        }
        if task.turns.is_empty() {
            bail!("line {number}: {} has no turns", task.name);
        }
        tasks.push(task);
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_the_repository_can_be_read() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/eval");
        let mut counts = Vec::new();
        for entry in std::fs::read_dir(dir).expect("the folder") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a file");
            let tasks = read(&text).unwrap_or_else(|error| panic!("{}: {error:#}", path.display()));
            counts.push((path.file_name().expect("a name").to_owned(), tasks.len()));
        }
        assert_eq!(counts, [("simple.jsonl".into(), 16)]);
    }

    #[test]
    fn a_line_that_is_wrong_is_named() {
        let good = r#"{"name":"a","turns":["hi"],"expect":{}}"#;
        let cases = [
            (
                format!("# tasks\n{good}\n\n{good}"),
                "line 4: a task is called a already",
            ),
            (
                r#"{"name":"a","turns":[],"expect":{}}"#.to_owned(),
                "line 1: a has no turns",
            ),
            (
                r#"{"name":"a","turns":["hi"],"expect":{"answer":1}}"#.to_owned(),
                "line 1",
            ),
        ];
        for (text, why) in cases {
            assert_eq!(read(&text).expect_err(why).to_string(), why);
        }
    }
}
