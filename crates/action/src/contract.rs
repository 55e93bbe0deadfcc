//! The action contract: the description of the actions in the system prompt, generated from the types.

use std::{fmt::Write, sync::LazyLock};

use serde_json::Value;

use crate::schema::ACTIONS;

/// The contract in a few lines: how to answer, and each action with its fields and what it does.
pub fn contract() -> &'static str {
    static CONTRACT: LazyLock<String> = LazyLock::new(write);
    &CONTRACT
}

fn write() -> String {
    let mut text = String::from(
        "Answer with exactly one JSON object: one action. Fields with ? are optional. Any action may carry notes: \
         [{category, content, plan?: [{command, at_most?}]}].\nActions by type:\n",
    );
    let mut shown = Vec::new();
    for (kind, action) in ACTIONS.iter() {
        let description = action["description"].as_str().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{kind} {}: {description}", fields(action, &mut shown));
    }
    text
}

/// The fields of an action; an object that was shown before is not shown again.
fn fields(action: &Value, shown: &mut Vec<String>) -> String {
    let mut text = shape(action);
    for field in action["properties"]
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.values())
    {
        let object = if field["type"] == "array" {
            &field["items"]
        } else {
            field
        };
        if object.get("properties").is_some() {
            let object = shape(object);
            if shown.contains(&object) {
                text = text.replace(&object, "{…}");
            } else {
                shown.push(object);
            }
        }
    }
    text
}

/// A field's value in brief; nothing for a plain one.
fn shape(schema: &Value) -> String {
    if let Some(choices) = schema["enum"].as_array() {
        return choices.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|");
    }
    if schema["type"] == "array" {
        return format!("[{}]", shape(&schema["items"]));
    }
    let Some(properties) = schema["properties"].as_object() else {
        return String::new();
    };
    let required = |name: &String| {
        schema["required"]
            .as_array()
            .is_some_and(|names| names.iter().any(|n| n == name))
    };
    let fields = properties
        .iter()
        .filter(|(name, _)| *name != "type")
        .map(|(name, field)| {
            let optional = if required(name) { "" } else { "?" };
            match shape(field) {
                shape if shape.is_empty() => format!("{name}{optional}"),
                shape => format!("{name}{optional}: {shape}"),
            }
        });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::contract;

    #[test]
    fn every_action_has_its_line() {
        let expected = r#"Answer with exactly one JSON object: one action. Fields with ? are optional. Any action may carry notes: [{category, content, plan?: [{command, at_most?}]}].
Actions by type:
tool_call {name, args?, then?: [{name, args?}]}: call a tool; you then see its result. name is "tool.command"; then: more calls, for which the user is asked at once
send_message {message, file_ids?: []}: say something to the user now; a question ends your turn
set_output {output, mode?: replace|append}: write the answer that finish will send
finish {output?, mode?: replace|append, file_ids?: []}: end and send the output to the user
decision {content, importance?: low|normal|high}: record a decision
note {category: requirements|plan|artifact|validation, content, plan?: [{command, at_most?}]}: record a note and go on
spawn_subagent {subagent: {id?, profile?, task, tools?: [], context?: [{role: system|user|assistant, content}]}, wake_on?: all|first}: hand a task to a helper and wait for it
spawn_subagents {subagents: [{…}], wake_on?: all|first}: the same for several, at the same time
sleep {wake_at?, delay_seconds?, cron?, reason?}: pause; give one of wake_at (RFC 3339), delay_seconds, cron
set_run_limits {max_iterations, reason?}: ask for more or fewer steps
recover {reason, action?: retry|finish|ask_user, message?}: after a tool has failed for good
"#;
        assert_eq!(contract(), expected);
        assert!(contract().chars().count() <= 1_520);
    }
}
