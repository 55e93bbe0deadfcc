//! Every tool, by name; arguments are checked here before a handler sees them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use clifford_channel::Platforms;
use clifford_core::{
    run::{
        gates::covers,
        step::{ToolCall, ToolOutcome},
        undo::Undo,
    },
    search::near,
};

use super::{
    Command, Common, Options, Tool, ToolContext, audio, compute, files, image, mcp, memory,
    offers::{Offers, Server, Standing},
    platforms, reminders, retrieval, system, tools, weather, web,
};

/// The longest that a call waits for the one who offers its tool: a server may take a minute to be ready, and a
/// quarter more to tell what it offers.
const PATIENCE: Duration = Duration::from_secs(75);

/// The tools that every install has: one line a tool.
pub fn built_in() -> Vec<Tool> {
    vec![
        tools::tool(),
        memory::tool(),
        compute::tool(),
        system::tool(),
        web::tool(),
        weather::tool(),
        reminders::tool(),
        files::tool(),
        retrieval::tool(),
        image::tool(),
        audio::tool(),
        mcp::tool(),
    ]
}

/// The tools of a binary: those that every install has, and one for each platform whose adapter lists acts.
pub fn all(platforms: Platforms) -> Vec<Tool> {
    let of_platforms = platforms.rows().filter_map(|row| platforms::tool(&row.about));
    built_in().into_iter().chain(of_platforms).collect()
}

/// Every tool.
#[derive(Debug)]
pub struct Registry {
    tools: Vec<Arc<Tool>>,
    /// Tools that come and go with their server.
    offers: Offers,
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

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The outcome, for the model.
    pub outcome: ToolOutcome,
    /// The outside sources of its content: it is data, whatever it says.
    pub origins: BTreeSet<String>,
    /// It is for its person alone.
    pub private: bool,
    /// How it is taken back.
    pub undo: Option<Box<Undo>>,
}

impl Registry {
    /// The tools that every install has.
    pub fn built_in(max_retries: u32) -> Self {
        Self::of(built_in(), max_retries)
    }

    /// The tools of a binary that can be on these platforms.
    pub fn new(platforms: Platforms, max_retries: u32) -> Self {
        Self::of(all(platforms), max_retries)
    }

    /// These tools.
    pub fn of(tools: Vec<Tool>, max_retries: u32) -> Self {
        Self {
            tools: tools.into_iter().map(Arc::new).collect(),
            offers: Offers::default(),
            max_retries,
        }
    }

    /// Every tool, those too that cannot do their work.
    pub fn all(&self) -> Vec<Arc<Tool>> {
        let offered = self.offers.all().into_iter().map(|offered| offered.tool);
        self.tools.iter().cloned().chain(offered).collect()
    }

    /// Whether an entry of a list of tools (`tool` or `tool.command`) covers any command.
    pub fn knows(&self, entry: &str) -> bool {
        self.all().iter().any(|tool| {
            let mut commands = tool.commands.iter();
            commands.any(|command| covers(entry, &format!("{}.{}", tool.name, command.name)))
        })
    }

    /// Why a command cannot do its work as things are set, and how to mend that.
    pub fn lacks(&self, options: &Options, name: &str) -> Option<String> {
        let (tool, command) = self.find(name)?;
        lacks(&tool, &command, options)
    }

    /// A tool can be called from now on, in place of what was offered under its name.
    pub fn offer(&self, tool: Tool) {
        self.offers.offer(tool);
    }

    /// A tool that will be offered soon, or will not: models do not see it, and what has to call it waits until that
    /// is known.
    pub fn expect(&self, name: &str, why: impl Into<String>) {
        self.offers.stands(name, Standing::Expected(why.into()));
    }

    /// Takes an offered tool away for now: models do not see it, and a run that calls it gets the reason.
    pub fn withdraw(&self, name: &str, why: impl Into<String>) {
        self.offers.stands(name, Standing::Away(why.into()));
    }

    /// A tool is known by its name where nobody connects to its server.
    pub fn announce(&self, tool: Tool) {
        self.offers.announce(tool);
    }

    /// The server of an offered tool cannot be used, and why: for the owner, not for models.
    pub fn fails(&self, name: &str, why: impl Into<String>) {
        self.offers.fails(name, why.into());
    }

    /// The server behind a tool; nothing: it is built in.
    pub fn server(&self, tool: &str) -> Option<Server> {
        self.offers.server(tool)
    }

    /// Why a tool that comes and goes cannot be called now, if it cannot.
    pub fn away(&self, tool: &str) -> Option<String> {
        self.offers.away(tool)
    }

    /// Waits until it is known whether the tool of a call can be called, for as long as its start may take: at once,
    /// if it is no tool that comes and goes.
    pub async fn settled(&self, name: &str) {
        let tool = name.split('.').next().unwrap_or_default();
        tokio::time::timeout(PATIENCE, self.offers.settled(tool)).await.ok();
    }

    /// The servers whose tools are offered, each with whether they can be called now.
    pub fn servers(&self) -> BTreeMap<String, bool> {
        let servers = self.offers.all().into_iter();
        servers
            .map(|offered| (offered.tool.name.to_string(), offered.standing == Standing::Here))
            .collect()
    }

    /// The tools that a run may call, each with its commands.
    pub fn visible(&self, allowed: Option<&[String]>, options: &Options) -> Vec<Visible> {
        let may = |name: &str| allowed.is_none_or(|entries| entries.iter().any(|entry| covers(entry, name)));
        let offered = (self.offers.all().into_iter()).filter(|offered| offered.standing == Standing::Here);
        let tools = self.tools.iter().cloned().chain(offered.map(|offered| offered.tool));
        let enabled = tools.filter(|tool| options.common(&tool.name).enabled);
        let tools = enabled.map(|tool| Visible {
            commands: (tool.commands.iter())
                .filter(|command| allowed.is_none() || may(&format!("{}.{}", tool.name, command.name)))
                .filter(|command| lacks(&tool, command, options).is_none())
                .cloned()
                .collect(),
            tool,
        });
        tools.filter(|visible| !visible.commands.is_empty()).collect()
    }

    /// The command of a full name (`tool.command`), whether or not it can be called as things are.
    pub fn command(&self, name: &str) -> Option<Arc<Command>> {
        self.find(name).map(|(_, command)| command)
    }

    fn find(&self, name: &str) -> Option<(Arc<Tool>, Arc<Command>)> {
        let (tool, command) = name.split_once('.')?;
        let tool = self.all().into_iter().find(|known| known.name == tool)?;
        let command = tool.commands.iter().find(|known| known.name == command).cloned()?;
        Some((tool, command))
    }

    /// Whether a call names the place where it acts: then others may read along there, wherever the run is.
    pub fn names_a_place(&self, call: &ToolCall) -> bool {
        let tool = call.name.split('.').next().unwrap_or_default();
        let is_of_platform = (self.tools.iter()).any(|known| known.name == tool && known.platform.is_some());
        is_of_platform && call.args.get("channel").is_some_and(|channel| !channel.is_null())
    }

    /// Tools with exactly one command that can be called, and that command's full name.
    pub fn single_commands(&self, options: &Options) -> BTreeMap<String, String> {
        let visible = self.visible(None, options).into_iter();
        let single = visible.filter(|visible| visible.commands.len() == 1);
        single
            .filter_map(|visible| Some((visible.tool.name.to_string(), visible.names().next()?)))
            .collect()
    }

    /// Whether a call whose result was not recorded may simply be made again. Of a tool that is not offered yet nobody
    /// can tell.
    pub fn may_repeat(&self, name: &str) -> bool {
        self.command(name).is_some_and(|command| command.idempotent)
    }

    /// The outcome of a call that cannot be made as things are; `None`: it can be made.
    pub fn fault(&self, options: &Options, call: &ToolCall) -> Option<ToolOutcome> {
        self.ready(options, call).err()
    }

    fn ready(&self, options: &Options, call: &ToolCall) -> Result<(Arc<Command>, Common), ToolOutcome> {
        let tool = call.name.split('.').next().unwrap_or_default();
        let common = options.common(tool);
        if let Some(why) = self.away(tool) {
            return Err(self.failure(None, &common, why));
        }
        let Some((known, command)) = self.find(&call.name) else {
            return Err(self.failure(None, &common, self.unknown(options, &call.name)));
        };
        if !common.enabled {
            let fault = format!("the tool {tool} is turned off here; do without it");
            return Err(self.failure(Some(&command), &common, fault));
        }
        if lacks(&known, &command, options).is_some() {
            return Err(self.failure(None, &common, self.unknown(options, &call.name)));
        }
        match command.fault(&call.args) {
            Some(fault) => Err(self.failure(Some(&command), &common, fault)),
            None => Ok((command, common)),
        }
    }

    /// Makes a call. Every failure is an outcome for the model.
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
        let is_made = matches!(outcome, ToolOutcome::Success { .. });
        let mut origins = told.all();
        if command.untrusted && origins.is_empty() {
            origins.insert(call.name.clone());
        }
        Called {
            outcome,
            origins,
            private: told.is_private(),
            undo: told.undo().filter(|_| is_made),
        }
    }

    /// The error for a name that no available command has.
    pub fn unknown(&self, options: &Options, name: &str) -> String {
        if let Some(why) = self.lacks(options, name) {
            return format!("{name} cannot be used: {why}");
        }
        let visible = self.visible(None, options).into_iter();
        let known = visible.flat_map(|visible| visible.names().collect::<Vec<_>>());
        let distance = |known: &String| near::slips(known, name);
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
            refused: None,
        }
    }
}

/// The requirement of a command that is missing under these settings, and its remedy.
fn lacks(tool: &Tool, command: &Command, options: &Options) -> Option<String> {
    if let Some(platform) = tool.platform
        && !options.services().actors.contains_key(&platform)
    {
        return Some(format!("[channels.{platform}] is not set up"));
    }
    let mut needs = tool.needs.into_iter().chain(command.needs);
    needs.find_map(|missing| missing(options))
}

impl From<ToolOutcome> for Called {
    /// An outcome without sources outside.
    fn from(outcome: ToolOutcome) -> Self {
        Self {
            outcome,
            origins: BTreeSet::new(),
            private: false,
            undo: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::policy::class::Class;
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
        let registry = Registry::built_in(1);
        let options = Options::default();
        let visible = registry.visible(None, &options).into_iter();
        let expected: BTreeMap<_, _> = (visible.filter(|visible| visible.commands.len() == 1))
            .map(|visible| (visible.tool.name.to_string(), visible.names().collect::<String>()))
            .collect();
        assert_eq!(registry.single_commands(&options), expected);
        assert_eq!(expected.get("memory"), None);
        // A tool of somebody else's is no exception.
        let command = || Command::with_schema("say", "", Class::Read, json!({}), |_, _| async { Ok(Value::Null) });
        registry.offer(Tool::new("parrot", "🔌", "mcp").foreign().command(command()));
        let single = |registry: &Registry| registry.single_commands(&options).get("parrot").cloned();
        assert_eq!(single(&registry).as_deref(), Some("parrot.say"));
        registry.withdraw("parrot", "it flew away");
        assert_eq!(single(&registry), None);
    }

    #[tokio::test]
    async fn what_has_to_call_a_tool_waits_until_it_is_known_whether_that_is_there() {
        let registry = Registry::built_in(1);
        registry.settled("compute.eval").await;
        registry.settled("nothing.there").await;
        registry.expect("parrot", "it is on its way");
        let mut waits = Box::pin(registry.settled("parrot.say"));
        assert_eq!(futures::poll!(&mut waits), std::task::Poll::Pending);
        registry.withdraw("macaw", "it flew away");
        assert_eq!(futures::poll!(&mut waits), std::task::Poll::Pending);
        registry.withdraw("parrot", "it does not come");
        waits.await;
        assert_eq!(registry.away("parrot").as_deref(), Some("it does not come"));
    }

    #[test]
    fn a_name_that_is_nearly_right_names_the_right_one() {
        let registry = Registry::built_in(1);
        assert_eq!(
            registry.unknown(&Options::default(), "compute.evaluate"),
            "there is no tool compute.evaluate; tools.list names those there are"
        );
        assert_eq!(
            registry.unknown(&Options::default(), "compute.evl"),
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
