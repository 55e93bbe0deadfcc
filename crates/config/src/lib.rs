//! `bot.toml`: the keys, their sources, and the errors of wrong values.
//!
//! A section is a type that holds its keys, with their explanations, defaults and bounds. It stands where its room can
//! take it as it is: in `core/settings`, with the models, the tools or an adapter, else here. [`Config`] composes them;
//! the schema, the checks and `bot.toml.example` are made of it. [`load`] reads the file, lays the environment
//! and the flags over it and reports all faults together. Nothing here reads the process's own environment: it is handed
//! in.

mod changes;
mod channels;
mod check;
mod data;
mod environment;
mod error;
mod examine;
mod format;
mod hints;
mod http;
mod llm;
mod load;
mod nearest;
mod overlay;
mod rules;
mod secret;
mod secrets;
mod shape;
mod telemetry;
#[cfg(test)]
mod tests;
mod tree;
mod understand;

pub use changes::{Changes, changes};
pub use channels::Channels;
use clifford_core::policy::Rule;
pub use clifford_core::{
    places::Mode,
    settings::{
        Agent, Budget, Database, Delivery, Engine, FileStore, Files, Ingress, Memory, PlanningGate, Policy, Profile,
        Retention, Synchronous, Triggers,
    },
};
pub use clifford_llm::{Provider, ProviderKind, RoleModel, Structured, TokenPrices};
pub use clifford_telemetry::{Log, LogFormat};
use clifford_tools::ToolSettings;
pub use data::{DATABASE_FILE, Data, config_dir};
pub use error::{ConfigErrors, Location, Problem};
pub use examine::{Examined, examine};
pub use http::Http;
pub use llm::{Llm, Roles};
pub use load::{Loaded, Origin, Sources, load};
use schemars::JsonSchema;
pub use secret::Secrets;
pub use secrets::StoredSecrets;
use serde::{Deserialize, Serialize};
pub use shape::schema;
pub use telemetry::Telemetry;

/// The settings of a whole Clifford. Writing it out (`Serialize`) shows no secret.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Where everything is kept.
    pub database: Database,
    /// The data directory.
    pub data: Data,
    /// Storage of files: those that people send and those that the bot makes.
    pub files: Files,
    /// The API and the dashboard.
    pub http: Http,
    /// The default agent.
    pub agent: Agent,
    /// More agents, each with a name of its own.
    pub agents: Vec<Agent>,
    /// Profiles of subagents, each with a name of its own.
    pub profiles: Vec<Profile>,
    /// The limits and rules of a run.
    pub engine: Engine,
    /// The language models.
    pub llm: Llm,
    /// Limits of what language models may cost.
    pub budgets: Vec<Budget>,
    /// The platforms.
    pub channels: Channels,
    /// How messages come in.
    pub ingress: Ingress,
    /// The memory of people and conversations.
    pub memory: Memory,
    /// Retention of finished work and old messages.
    pub retention: Retention,
    /// Reminders, scheduled runs and other triggers.
    pub triggers: Triggers,
    /// How answers go out.
    pub delivery: Delivery,
    /// Encryption of stored secrets.
    pub secrets: StoredSecrets,
    /// The tool calls that people are asked to approve.
    pub policy: Policy,
    /// Rules about tool calls. Rules of the database apply as well.
    pub policies: Vec<Rule>,
    /// The tools, a section each.
    pub tools: ToolSettings,
    /// The log of the process.
    pub log: Log,
    /// Traces, and the monitoring of processes without the API.
    pub telemetry: Telemetry,
}

impl Config {
    /// The settings in force as TOML, secrets as the references they are given by, or hidden.
    pub fn show(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| format!("# cannot be shown: {error}\n"))
    }

    /// Every agent, the default one first.
    pub fn all_agents(&self) -> impl Iterator<Item = &Agent> {
        std::iter::once(&self.agent).chain(&self.agents)
    }
}
