//! `bot.toml`: what can be set, where it is read from, and what is said when it is wrong.
//!
//! One file per section holds its keys, with their explanations, defaults and bounds; those of a platform stand with its
//! adapter. The schema, the checks and `bot.toml.example` are made of them. [`load`] reads the file, lays the environment
//! and the flags over it and reports all faults together. Nothing here reads the process's own environment: it is handed
//! in.

mod agent;
mod changes;
mod channels;
mod check;
mod data;
mod database;
mod environment;
mod error;
mod files;
mod format;
mod hints;
mod http;
mod llm;
mod load;
mod nearest;
mod overlay;
mod retention;
mod rules;
mod secret;
mod secrets;
mod shape;
mod telemetry;
#[cfg(test)]
mod tests;
mod tree;

pub use agent::{Agent, Mode};
pub use changes::{Changes, changes};
pub use channels::Channels;
use clifford_core::policy::Rule;
pub use clifford_core::settings::{Budget, Delivery, Engine, Ingress, Memory, PlanningGate, Policy, Profile, Triggers};
pub use clifford_telemetry::{Log, LogFormat};
use clifford_tools::ToolSettings;
pub use data::{Data, config_dir};
pub use database::{Database, Synchronous};
pub use error::{ConfigErrors, Place, Problem};
pub use files::{FileStore, Files};
pub use http::Http;
pub use llm::{Llm, Provider, ProviderKind, RoleModel, Roles, Structured};
pub use load::{Loaded, Origin, Sources, load};
pub use retention::Retention;
use schemars::JsonSchema;
pub use secret::Secrets;
pub use secrets::Sealing;
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
    /// Where files are kept: those that people send and those that the bot makes.
    pub files: Files,
    /// The API and the dashboard.
    pub http: Http,
    /// The default agent.
    pub agent: Agent,
    /// More agents, each with a name of its own.
    pub agents: Vec<Agent>,
    /// The kinds of helpers that a run can ask for, each with a name of its own.
    pub profiles: Vec<Profile>,
    /// The limits and rules of a run.
    pub engine: Engine,
    /// The language models.
    pub llm: Llm,
    /// How much may be spent on language models.
    pub budgets: Vec<Budget>,
    /// The platforms.
    pub channels: Channels,
    /// How messages come in.
    pub ingress: Ingress,
    /// What is remembered of people and conversations.
    pub memory: Memory,
    /// How long is kept what nobody needs for its work any more.
    pub retention: Retention,
    /// Reminders and whatever else comes due by the clock.
    pub triggers: Triggers,
    /// How answers go out.
    pub delivery: Delivery,
    /// How secrets that are stored are sealed.
    pub secrets: Sealing,
    /// What people are asked to approve.
    pub policy: Policy,
    /// Rules about tool calls. Those of the database hold beside them.
    pub policies: Vec<Rule>,
    /// The tools, a section each.
    pub tools: ToolSettings,
    /// What the process tells of itself.
    pub log: Log,
    /// Where traces go, and where a process is watched that serves no API.
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
