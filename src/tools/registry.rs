//! Every tool, by name; arguments are checked here before a handler sees them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Command, Needs, Services, Tool, ToolContext, compute, files, image, memory, retrieval, system, tools};
use crate::engine::{
    gates::covers,
    step::{ToolCall, ToolOutcome},
};

/// The tools that every install has: one line a tool.
pub fn built_in() -> Vec<Tool> {
    vec![
        tools::tool(),
        memory::tool(),
        compute::tool(),
        system::tool(),
        files::tool(),
        retrieval::tool(),
        image::tool(),
    ]
}

/// Every tool.
#[derive(Debug)]
pub struct Registry {
    tools: Vec<Arc<Tool>>,
    max_retries: u32,
}

/// A tool with those of its commands that a run may call.
#[derive(Clone, Debug)]
pub struct Visible {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Its commands.
    pub commands: Vec<Arc<Command>>,
}

impl Visible {
    /// The full names of its commands.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let tool = &self.tool.name;
        self.commands
            .iter()
            .map(move |command| format!("{tool}.{}", command.name))
    }
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The outcome, for the model.
    pub outcome: ToolOutcome,
    /// Where what it holds came from, as far as that is outside: it is data, whatever it says.
    pub origins: BTreeSet<String>,
}

impl Registry {
    /// The tools that every install has.
    pub fn built_in(max_retries: u32) -> Self {
        Self::new(max_retries, &Services::default())
    }

    /// The tools that can do their work as things are set.
    pub fn new(max_retries: u32, services: &Services) -> Self {
        let can = |needs: Option<Needs>| needs.is_none_or(|missing| missing(services).is_none());
        let tools = built_in().into_iter().filter(|tool| can(tool.needs)).map(|mut tool| {
            tool.commands.retain(|command| can(command.needs));
            Arc::new(tool)
        });
        Self {
            tools: tools.filter(|tool| !tool.commands.is_empty()).collect(),
            max_retries,
        }
    }

    /// The tools that a run may call, each with its commands.
    pub fn visible(&self, allowed: Option<&[String]>) -> Vec<Visible> {
        let may = |name: &str| allowed.is_none_or(|entries| entries.iter().any(|entry| covers(entry, name)));
        let tools = self.tools.iter().map(|tool| Visible {
            tool: Arc::clone(tool),
            commands: (tool.commands.iter())
                .filter(|command| may(&format!("{}.{}", tool.name, command.name)))
                .cloned()
                .collect(),
        });
        tools.filter(|visible| !visible.commands.is_empty()).collect()
    }

    /// The command of a full name (`tool.command`).
    pub fn command(&self, name: &str) -> Option<Arc<Command>> {
        let (tool, command) = name.split_once('.')?;
        let tool = self.tools.iter().find(|known| known.name == tool)?;
        tool.commands.iter().find(|known| known.name == command).cloned()
    }

    /// Tools with exactly one command, and that command's full name.
    pub fn single_commands(&self) -> BTreeMap<String, String> {
        self.tools
            .iter()
            .filter_map(|tool| match tool.commands.as_slice() {
                [only] => Some((tool.name.to_string(), format!("{}.{}", tool.name, only.name))),
                _ => None,
            })
            .collect()
    }

    /// Whether a call whose result was not recorded may simply be made again.
    pub fn may_repeat(&self, name: &str) -> bool {
        self.command(name).is_none_or(|command| command.idempotent)
    }

    /// Makes a call. Whatever goes wrong is an outcome for the model.
    pub async fn call(&self, cx: ToolContext, call: &ToolCall) -> Called {
        let Some(command) = self.command(&call.name) else {
            let fault = format!("there is no tool {}; tools.list names those there are", call.name);
            return self.failure(None, fault).into();
        };
        if let Some(fault) = command.fault(&call.args) {
            return self.failure(Some(&command), fault).into();
        }
        let told = Arc::clone(&cx.origins);
        let outcome = match command.call(cx, call.args.clone()).await {
            Ok(result) => ToolOutcome::Success { result },
            Err(error) => self.failure(Some(&command), error.to_string()),
        };
        let mut origins = told.all();
        if command.untrusted && origins.is_empty() {
            origins.insert(call.name.clone());
        }
        Called { outcome, origins }
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

impl From<ToolOutcome> for Called {
    /// What came from nowhere but here.
    fn from(outcome: ToolOutcome) -> Self {
        Self {
            outcome,
            origins: BTreeSet::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn wrong_arguments_name_the_field_and_what_was_expected() {
        let registry = Registry::built_in(1);
        let fault = |name: &str, args: Value| {
            let command = registry.command(name).expect("a command");
            command.fault(args.as_object().expect("an object"))
        };
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
        assert_eq!(single.get("system").map(String::as_str), Some("system.ping"));
        assert_eq!(single.get("memory"), None);
    }

    #[test]
    fn only_what_reads_or_is_idempotent_may_be_repeated() {
        let registry = Registry::built_in(1);
        assert!(registry.may_repeat("compute.eval"));
        assert!(registry.may_repeat("memory.put"));
    }

    #[test]
    fn every_arguments_schema_can_be_checked() {
        for tool in built_in() {
            for command in &tool.commands {
                assert!(command.fault(&serde_json::Map::new()).is_some() || command.schema["required"].is_null());
            }
        }
    }
}
