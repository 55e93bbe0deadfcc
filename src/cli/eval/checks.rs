//! The expectations that a task missed. Pure.

use clifford_core::run::step::{Step, StepKind, ToolOutcome};
use serde_json::{Map, Value, json};

use super::task::{Call, Expected};

/// The outcome of a task.
#[derive(Debug, Default)]
pub(super) struct Played {
    /// The answer to the last turn.
    pub answer: String,
    /// The calls that worked, with their arguments.
    pub calls: Vec<(String, Map<String, Value>)>,
    /// The model calls of all turns.
    pub model_calls: i64,
    /// The results of the readings afterwards, or their errors.
    pub readings: Vec<Result<String, String>>,
}

impl Played {
    /// Takes the calls of a run that worked.
    pub fn take_calls(&mut self, steps: &[Step]) {
        let mut last = None;
        for step in steps {
            match &step.kind {
                StepKind::ToolCall(call) => last = Some(call),
                StepKind::ToolResult(result) if matches!(result.outcome, ToolOutcome::Success { .. }) => {
                    let worked = last.take().map(|call| (call.name.clone(), call.args.clone()));
                    self.calls.extend(worked);
                }
                _ => {}
            }
        }
    }
}

/// Everything that is not as it was expected.
pub(super) fn faults(expected: &Expected, played: &Played) -> Vec<String> {
    let mut faults = Vec::new();
    let answer = played.answer.to_lowercase();
    let holds = |text: &String| answer.contains(&text.to_lowercase());
    for text in expected.answer_contains.iter().filter(|text| !holds(text)) {
        faults.push(format!("the answer does not hold `{text}`"));
    }
    let any = &expected.answer_contains_any;
    if !any.is_empty() && !any.iter().any(holds) {
        faults.push(format!("the answer holds none of `{}`", any.join("`, `")));
    }
    for text in expected.answer_lacks.iter().filter(|text| holds(text)) {
        faults.push(format!("the answer holds `{text}`"));
    }
    if let Some(pattern) = &expected.answer_matches {
        faults.extend(mismatch(pattern, &played.answer));
    }
    for wanted in expected.calls.iter().filter(|wanted| !was_made(wanted, played)) {
        let with = Value::Object(wanted.args.clone());
        faults.push(format!("{} was not called with {with}", wanted.name));
    }
    for (reading, found) in expected.afterwards.iter().zip(&played.readings) {
        match found {
            Ok(found) => {
                let found = found.to_lowercase();
                for text in reading
                    .contains
                    .iter()
                    .filter(|text| !found.contains(&text.to_lowercase()))
                {
                    faults.push(format!("{} does not return `{text}`", reading.name));
                }
            }
            Err(why) => faults.push(format!("{} failed: {why}", reading.name)),
        }
    }
    if let Some(most) = expected.max_model_calls.filter(|most| played.model_calls > *most) {
        faults.push(format!("model calls: {}, at most {most}", played.model_calls));
    }
    faults
}

fn mismatch(pattern: &str, answer: &str) -> Option<String> {
    let schema = json!({ "type": "string", "pattern": pattern });
    match jsonschema::validator_for(&schema) {
        Ok(validator) if validator.is_valid(&json!(answer)) => None,
        Ok(_) => Some(format!("the answer does not match `{pattern}`")),
        Err(error) => Some(format!("answer_matches: {error}")),
    }
}

fn was_made(wanted: &Call, played: &Played) -> bool {
    let among = |args: &Map<String, Value>| wanted.args.iter().all(|(key, value)| args.get(key) == Some(value));
    played
        .calls
        .iter()
        .any(|(name, args)| *name == wanted.name && among(args))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(expected: Value, played: &Played) -> Vec<String> {
        faults(&serde_json::from_value(expected).expect("expectations"), played)
    }

    #[test]
    fn each_expectation_holds_or_is_named() {
        let args = json!({ "expression": "17 * 23" });
        let played = Played {
            answer: "That is 391.".to_owned(),
            calls: vec![("compute.eval".to_owned(), args.as_object().expect("an object").clone())],
            model_calls: 2,
            readings: vec![Ok("Green Tea".to_owned())],
        };
        let good = json!({
            "answer_contains": ["THAT", "391"], "answer_contains_any": ["x", "391"], "answer_lacks": ["390"],
            "answer_matches": "[0-9]{3}\\.$", "calls": [{ "name": "compute.eval", "args": args }],
            "afterwards": [{ "name": "memory.get", "contains": ["green tea"] }], "max_model_calls": 2,
        });
        assert_eq!(judged(good, &played), Vec::<String>::new());
        let bad = json!({
            "answer_contains": ["390"], "answer_contains_any": ["x", "y"], "answer_lacks": ["391"],
            "answer_matches": "^[0-9]+$",
            "calls": [{ "name": "compute.eval", "args": { "expression": "1" } }, { "name": "memory.put" }],
            "afterwards": [{ "name": "memory.get", "contains": ["coffee"] }], "max_model_calls": 1,
        });
        assert_eq!(
            judged(bad, &played),
            [
                "the answer does not hold `390`",
                "the answer holds none of `x`, `y`",
                "the answer holds `391`",
                "the answer does not match `^[0-9]+$`",
                "compute.eval was not called with {\"expression\":\"1\"}",
                "memory.put was not called with {}",
                "memory.get does not return `coffee`",
                "model calls: 2, at most 1",
            ]
        );
        let failed = Played {
            readings: vec![Err("no such tool".to_owned())],
            ..played
        };
        let reading = json!({ "afterwards": [{ "name": "memory.get", "contains": [] }] });
        assert_eq!(judged(reading, &failed), ["memory.get failed: no such tool"]);
    }
}
