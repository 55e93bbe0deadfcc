//! Every tool, by name; arguments are checked here before a handler sees them.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::{Command, Tool, ToolContext, compute, memory, system, tools};
use crate::engine::{
    gates::covers,
    step::{ToolCall, ToolOutcome},
};

/// The most characters of a tool's result.
const MOST_RESULT: usize = 64 * 1024;

/// Every tool.
#[derive(Debug)]
pub struct Registry {
    tools: Vec<Tool>,
    validators: BTreeMap<String, Validator>,
    max_retries: u32,
}

impl Registry {
    /// The tools that every install has.
    pub fn built_in(max_retries: u32) -> Self {
        Self::new(
            vec![tools::tool(), memory::tool(), compute::tool(), system::tool()],
            max_retries,
        )
    }

    fn new(tools: Vec<Tool>, max_retries: u32) -> Self {
        let commands = tools
            .iter()
            .flat_map(|tool| tool.commands.iter().map(move |command| (tool, command)));
        let validators = commands
            .filter_map(|(tool, command)| {
                let validator = jsonschema::validator_for(&command.schema).ok()?;
                Some((format!("{}.{}", tool.name, command.name), validator))
            })
            .collect();
        Self {
            tools,
            validators,
            max_retries,
        }
    }

    /// The tools that a run may call, each with its commands.
    pub fn visible<'a>(&'a self, allowed: Option<&'a [String]>) -> impl Iterator<Item = (&'a Tool, Vec<&'a Command>)> {
        self.tools.iter().filter_map(move |tool| {
            let commands: Vec<_> = tool
                .commands
                .iter()
                .filter(|command| {
                    let name = format!("{}.{}", tool.name, command.name);
                    allowed.is_none_or(|entries| entries.iter().any(|entry| covers(entry, &name)))
                })
                .collect();
            (!commands.is_empty()).then_some((tool, commands))
        })
    }

    /// The command of a full name (`tool.command`).
    pub fn command(&self, name: &str) -> Option<&Command> {
        let (tool, command) = name.split_once('.')?;
        let tool = self.tools.iter().find(|known| known.name == tool)?;
        tool.commands.iter().find(|known| known.name == command)
    }

    /// Tools with exactly one command, and that command's full name.
    pub fn single_commands(&self) -> BTreeMap<String, String> {
        self.tools
            .iter()
            .filter_map(|tool| match tool.commands.as_slice() {
                [only] => Some((tool.name.to_owned(), format!("{}.{}", tool.name, only.name))),
                _ => None,
            })
            .collect()
    }

    /// Whether a call whose result was not recorded may simply be made again.
    pub fn may_repeat(&self, name: &str) -> bool {
        self.command(name).is_none_or(|command| command.idempotent)
    }

    /// Makes a call. Whatever goes wrong is an outcome for the model.
    pub async fn call(&self, cx: ToolContext, call: &ToolCall) -> ToolOutcome {
        let Some(command) = self.command(&call.name) else {
            return self.failure(
                None,
                format!("there is no tool {}; tools.list names those there are", call.name),
            );
        };
        if let Some(fault) = self.fault(&call.name, &call.args) {
            return self.failure(Some(command), fault);
        }
        match command.call(cx, call.args.clone()).await {
            Ok(result) => ToolOutcome::Success {
                result: bounded(result),
            },
            Err(error) => self.failure(Some(command), error.to_string()),
        }
    }

    fn fault(&self, name: &str, args: &Map<String, Value>) -> Option<String> {
        let faults: Vec<_> = self
            .validators
            .get(name)?
            .iter_errors(&Value::Object(args.clone()))
            .map(|error| {
                let place = error.instance_path().to_string();
                let field = place.trim_start_matches('/').replace('/', ".");
                if field.is_empty() {
                    error.to_string()
                } else {
                    format!("{field}: {error}")
                }
            })
            .collect();
        (!faults.is_empty()).then(|| format!("the arguments are wrong: {}", faults.join("; ")))
    }

    fn failure(&self, command: Option<&Command>, error: String) -> ToolOutcome {
        let retries = command
            .and_then(|command| command.max_retries)
            .unwrap_or(self.max_retries);
        ToolOutcome::Failure {
            error,
            retries,
            expose: command.is_some_and(|command| command.expose_errors),
        }
    }
}

/// A result over the limit is cut, and says so.
fn bounded(result: Value) -> Value {
    let text = result.to_string();
    if text.len() <= MOST_RESULT {
        return result;
    }
    let head: String = text.chars().take(MOST_RESULT).collect();
    let missing = text.chars().count() - head.chars().count();
    Value::String(format!("{head}… ({missing} more characters)"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn wrong_arguments_name_the_field_and_what_was_expected() {
        let registry = Registry::built_in(1);
        let fault = |name: &str, args: Value| registry.fault(name, args.as_object().expect("an object"));
        assert_eq!(fault("compute.eval", json!({ "expression": "1+1" })), None);
        assert_eq!(
            fault("compute.eval", json!({ "expression": 3 })).as_deref(),
            Some("the arguments are wrong: expression: 3 is not of type \"string\"")
        );
        assert_eq!(
            fault("compute.eval", json!({})).as_deref(),
            Some("the arguments are wrong: \"expression\" is a required property")
        );
    }

    #[test]
    fn a_tool_with_one_command_may_be_called_by_its_own_name() {
        let single = Registry::built_in(1).single_commands();
        assert_eq!(single.get("compute").map(String::as_str), Some("compute.eval"));
        assert_eq!(single.get("memory"), None);
    }

    #[test]
    fn only_what_reads_or_is_idempotent_may_be_repeated() {
        let registry = Registry::built_in(1);
        assert!(registry.may_repeat("compute.eval"));
        assert!(registry.may_repeat("memory.put"));
    }
}
