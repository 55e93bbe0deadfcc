//! Every tool, by name; arguments are checked here before a handler sees them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, PoisonError, RwLock},
};

use super::{
    Command, Common, Needs, Options, Services, Tool, ToolContext, compute, files, image, mcp, memory, platforms,
    reminders, retrieval, system, tools, weather, web,
};
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
        platforms::discord(),
        platforms::telegram(),
        web::tool(),
        weather::tool(),
        reminders::tool(),
        files::tool(),
        retrieval::tool(),
        image::tool(),
        mcp::tool(),
    ]
}

/// Every tool.
#[derive(Debug)]
pub struct Registry {
    tools: Vec<Arc<Tool>>,
    /// The others too.
    all: Vec<Arc<Tool>>,
    /// By full name of a command: what it lacks, and how to mend that.
    lacking: BTreeMap<String, String>,
    /// Tools that come and go with who offers them, by name.
    offered: RwLock<BTreeMap<String, Offered>>,
    max_retries: u32,
}

/// A tool that comes and goes.
#[derive(Clone, Debug)]
struct Offered {
    tool: Arc<Tool>,
    /// Why it cannot be called now, if it cannot.
    withdrawn: Option<String>,
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
    /// Whether it has a command of this full name.
    pub fn has(&self, name: &str) -> bool {
        let command = (name.strip_prefix(&*self.tool.name)).and_then(|rest| rest.strip_prefix('.'));
        command.is_some_and(|command| self.commands.iter().any(|known| known.name == command))
    }

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
    /// It is for its person alone.
    pub private: bool,
}

impl Registry {
    /// The tools that every install has.
    pub fn built_in(max_retries: u32) -> Self {
        Self::new(max_retries, &Services::default())
    }

    /// The tools that can do their work as things are set.
    pub fn new(max_retries: u32, services: &Services) -> Self {
        Self::of(built_in(), max_retries, services)
    }

    /// Those of some tools that can do their work as things are set.
    pub fn of(given: Vec<Tool>, max_retries: u32, services: &Services) -> Self {
        let lacks = |needs: Option<Needs>| needs.and_then(|missing| missing(services));
        let (mut tools, mut all, mut lacking) = (Vec::new(), Vec::new(), BTreeMap::new());
        for mut tool in given {
            all.push(Arc::new(tool.clone()));
            for command in std::mem::take(&mut tool.commands) {
                match lacks(tool.needs).or_else(|| lacks(command.needs)) {
                    None => tool.commands.push(command),
                    Some(why) => drop(lacking.insert(format!("{}.{}", tool.name, command.name), why)),
                }
            }
            if !tool.commands.is_empty() {
                tools.push(Arc::new(tool));
            }
        }
        Self {
            tools,
            all,
            lacking,
            offered: RwLock::default(),
            max_retries,
        }
    }

    /// Every tool, those too that cannot do their work.
    pub fn all(&self) -> &[Arc<Tool>] {
        &self.all
    }

    /// Why a command cannot do its work as things are set, and how to mend that.
    pub fn lacks(&self, command: &str) -> Option<&str> {
        self.lacking.get(command).map(String::as_str)
    }

    /// A tool can be called from now on, in place of what was offered under its name.
    pub fn offer(&self, tool: Tool) {
        let (name, tool) = (tool.name.to_string(), Arc::new(tool));
        let mut offered = self.offered.write().unwrap_or_else(PoisonError::into_inner);
        offered.insert(name, Offered { tool, withdrawn: None });
    }

    /// An offered tool cannot be called for now: models do not see it, and a run that calls it is told why.
    pub fn withdraw(&self, name: &str, why: impl Into<String>) {
        let mut offered = self.offered.write().unwrap_or_else(PoisonError::into_inner);
        let entry = offered.entry(name.to_owned()).or_insert_with(|| Offered {
            tool: Arc::new(Tool::new(name.to_owned(), "🔌", "mcp").foreign()),
            withdrawn: None,
        });
        entry.withdrawn = Some(why.into());
    }

    /// The servers whose tools are offered, each with whether they can be called now.
    pub fn servers(&self) -> BTreeMap<String, bool> {
        let servers = self.offered().into_iter();
        servers
            .map(|offered| (offered.tool.name.to_string(), offered.withdrawn.is_none()))
            .collect()
    }

    fn offered(&self) -> Vec<Offered> {
        let offered = self.offered.read().unwrap_or_else(PoisonError::into_inner);
        offered.values().cloned().collect()
    }

    /// Why a command of an offered tool cannot be called now, if it cannot.
    fn withdrawn(&self, name: &str) -> Option<String> {
        let (tool, _) = name.split_once('.')?;
        let offered = self.offered().into_iter().find(|offered| offered.tool.name == tool)?;
        offered.withdrawn
    }

    /// The tools that a run may call, each with its commands.
    pub fn visible(&self, allowed: Option<&[String]>, options: &Options) -> Vec<Visible> {
        let may = |name: &str| allowed.is_none_or(|entries| entries.iter().any(|entry| covers(entry, name)));
        let offered = self.offered().into_iter().filter(|offered| offered.withdrawn.is_none());
        let tools = self.tools.iter().cloned().chain(offered.map(|offered| offered.tool));
        let enabled = tools.filter(|tool| options.common(&tool.name).enabled);
        let tools = enabled.map(|tool| Visible {
            commands: (tool.commands.iter())
                .filter(|command| allowed.is_none() || may(&format!("{}.{}", tool.name, command.name)))
                .cloned()
                .collect(),
            tool,
        });
        tools.filter(|visible| !visible.commands.is_empty()).collect()
    }

    /// The command of a full name (`tool.command`).
    pub fn command(&self, name: &str) -> Option<Arc<Command>> {
        let (tool, command) = name.split_once('.')?;
        let offered = || self.offered().into_iter().map(|offered| offered.tool);
        let tool = self
            .tools
            .iter()
            .cloned()
            .chain(offered())
            .find(|known| known.name == tool)?;
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

    /// Whether a call whose result was not recorded may simply be made again. Of a tool that is not offered yet nobody
    /// can tell.
    pub fn may_repeat(&self, name: &str) -> bool {
        self.command(name).is_some_and(|command| command.idempotent)
    }

    /// What a call comes to that cannot be made as things are; `None`: it can.
    pub fn fault(&self, options: &Options, call: &ToolCall) -> Option<ToolOutcome> {
        self.ready(options, call).err()
    }

    fn ready(&self, options: &Options, call: &ToolCall) -> Result<(Arc<Command>, Common), ToolOutcome> {
        let tool = call.name.split('.').next().unwrap_or_default();
        let common = options.common(tool);
        if let Some(why) = self.withdrawn(&call.name) {
            return Err(self.failure(None, &common, why));
        }
        let Some(command) = self.command(&call.name) else {
            return Err(self.failure(None, &common, self.unknown(&call.name)));
        };
        if !common.enabled {
            let fault = format!("the tool {tool} is turned off here; do without it");
            return Err(self.failure(Some(&command), &common, fault));
        }
        match command.fault(&call.args) {
            Some(fault) => Err(self.failure(Some(&command), &common, fault)),
            None => Ok((command, common)),
        }
    }

    /// Makes a call. Whatever goes wrong is an outcome for the model.
    pub async fn call(&self, cx: ToolContext, call: &ToolCall) -> Called {
        let (command, common) = match self.ready(&cx.options, call) {
            Ok(ready) => ready,
            Err(outcome) => return outcome.into(),
        };
        let told = Arc::clone(&cx.origins);
        let outcome = match command.call(cx, call.args.clone(), common.time_limit()).await {
            Ok(result) => ToolOutcome::Success { result },
            Err(error) => self.failure(Some(&command), &common, error.to_string()),
        };
        let mut origins = told.all();
        if command.untrusted && origins.is_empty() {
            origins.insert(call.name.clone());
        }
        Called {
            outcome,
            origins,
            private: told.is_private(),
        }
    }

    /// What is said of a name that no command has.
    pub fn unknown(&self, name: &str) -> String {
        if let Some(why) = self.lacks(name) {
            return format!("{name} cannot be used: {why}");
        }
        let offered = self.offered().into_iter().map(|offered| offered.tool);
        let known = self.tools.iter().cloned().chain(offered).flat_map(|tool| {
            let names = tool
                .commands
                .iter()
                .map(|command| format!("{}.{}", tool.name, command.name));
            names.collect::<Vec<_>>()
        });
        let distance = |known: &String| strsim::osa_distance(known, name);
        match known.min_by_key(distance).filter(|known| distance(known) <= 3) {
            Some(near) => format!("there is no tool {name}; did you mean {near}?"),
            None => format!("there is no tool {name}; tools.list names those there are"),
        }
    }

    fn failure(&self, command: Option<&Command>, common: &Common, error: String) -> ToolOutcome {
        let own = command.and_then(|command| command.max_retries);
        ToolOutcome::Failure {
            error,
            retries: common.max_retries.or(own).unwrap_or(self.max_retries),
            expose: (common.expose_errors).unwrap_or_else(|| command.is_some_and(|command| command.expose_errors)),
        }
    }
}

impl From<ToolOutcome> for Called {
    /// What came from nowhere but here.
    fn from(outcome: ToolOutcome) -> Self {
        Self {
            outcome,
            origins: BTreeSet::new(),
            private: false,
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
        let expected = built_in().into_iter().filter(|tool| tool.commands.len() == 1);
        let expected: Vec<_> = expected.map(|tool| tool.name.to_string()).collect();
        assert_eq!(single.keys().cloned().collect::<Vec<_>>(), expected);
        assert_eq!(single.get("memory"), None);
    }

    #[test]
    fn a_name_that_is_nearly_right_names_the_right_one() {
        let registry = Registry::built_in(1);
        assert_eq!(
            registry.unknown("compute.evaluate"),
            "there is no tool compute.evaluate; tools.list names those there are"
        );
        assert_eq!(
            registry.unknown("compute.evl"),
            "there is no tool compute.evl; did you mean compute.eval?"
        );
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
