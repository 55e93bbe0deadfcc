//! A rule and a trial as flags of a command.

use std::str::FromStr;

use clifford_core::{
    id::{ContextId, SpaceId, UserId},
    people::UserRole,
    policy::{Action, By, Day, Per, Place, Rule, class::Class},
    runs::RunKind,
};
use clifford_tools::trial::Trial;
use serde::de::DeserializeOwned;

use crate::cli::output::Format;

/// A word as JSON and the configuration write it.
fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|error| error.to_string())
}

fn class(text: &str) -> Result<Class, String> {
    word(&text.to_uppercase())
}

/// Arguments of `policy add`.
#[derive(Debug, clap::Args)]
pub(super) struct RuleFlags {
    /// allow, allow_tainted (even what a run asks for that has read words from outside), confirm, deny or limit.
    #[arg(value_parser = word::<Action>)]
    action: Action,
    /// What you call it.
    #[arg(long, default_value = "")]
    name: String,
    /// The rule with the highest goes first.
    #[arg(long, default_value_t = 0, allow_hyphen_values = true)]
    priority: i32,
    /// A command, such as `web.fetch`, `web.*`, `*.delete` or `web`; can be repeated.
    #[arg(long = "tool")]
    tools: Vec<String>,
    /// read, write, destruct or sensitive; can be repeated.
    #[arg(long = "class", value_parser = class)]
    classes: Vec<Class>,
    /// A condition on an argument, such as `amount > 100` or `path = /etc/*`; can be repeated.
    #[arg(long = "arg")]
    args: Vec<String>,
    /// coordinator or subagent; can be repeated.
    #[arg(long = "kind", value_parser = RunKind::from_str)]
    kinds: Vec<RunKind>,
    /// A platform, such as discord; can be repeated.
    #[arg(long = "platform")]
    platforms: Vec<String>,
    /// private or shared.
    #[arg(long = "place", value_parser = word::<Place>)]
    places: Vec<Place>,
    /// A group or server, by its id.
    #[arg(long)]
    space: Option<SpaceId>,
    /// A conversation, by its id.
    #[arg(long)]
    context: Option<ContextId>,
    /// A person, by their id.
    #[arg(long)]
    user: Option<UserId>,
    /// owner, member or stranger; can be repeated.
    #[arg(long = "role", value_parser = UserRole::from_str)]
    roles: Vec<UserRole>,
    /// The time of day, such as 22:00-06:00.
    #[arg(long)]
    hours: Option<String>,
    /// A day of the week, mon to sun; can be repeated.
    #[arg(long = "day", value_parser = word::<Day>)]
    days: Vec<Day>,
    /// The time zone of the hours and days.
    #[arg(long)]
    zone: Option<String>,
    /// Of limit: the most calls.
    #[arg(long, default_value_t = 0)]
    calls: u32,
    /// Of limit: in a minute, hour, day or month.
    #[arg(long, default_value = "day", value_parser = word::<Per>)]
    per: Per,
    /// Of limit: who is counted: user, space or bot.
    #[arg(long, default_value = "user", value_parser = word::<By>)]
    by: By,
    /// Why, in words for whoever is refused or asked.
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    pub(super) format: Format,
}

impl RuleFlags {
    pub(super) fn rule(self) -> Rule {
        Rule {
            name: self.name,
            priority: self.priority,
            action: self.action,
            tools: self.tools,
            classes: self.classes,
            args: self.args,
            kinds: self.kinds,
            platforms: self.platforms,
            places: self.places,
            space: self.space,
            context: self.context,
            user: self.user,
            roles: self.roles,
            hours: self.hours,
            days: self.days,
            zone: self.zone,
            calls: self.calls,
            per: self.per,
            by: self.by,
            reason: self.reason,
        }
    }
}

/// Arguments of `policy test`.
#[derive(Debug, clap::Args)]
pub(super) struct TrialFlags {
    /// The command, such as memory.put.
    pub(super) call: String,
    /// Its arguments, a JSON object.
    #[arg(default_value = "{}")]
    pub(super) args: String,
    /// Others read along.
    #[arg(long)]
    shared: bool,
    /// The run has read words from outside.
    #[arg(long)]
    tainted: bool,
    /// coordinator or subagent.
    #[arg(long, value_parser = RunKind::from_str)]
    kind: Option<RunKind>,
    /// The platform.
    #[arg(long)]
    platform: Option<String>,
    /// The group or server, by its id.
    #[arg(long)]
    space: Option<SpaceId>,
    /// The conversation, by its id.
    #[arg(long)]
    context: Option<ContextId>,
    /// The person, by their id.
    #[arg(long)]
    user: Option<UserId>,
    /// owner, member or stranger.
    #[arg(long, value_parser = UserRole::from_str)]
    role: Option<UserRole>,
    #[command(flatten)]
    pub(super) format: Format,
}

impl TrialFlags {
    pub(super) fn trial(&self) -> Trial {
        Trial {
            kind: self.kind,
            platform: self.platform.clone(),
            place: if self.shared { Place::Shared } else { Place::Private },
            space: self.space,
            context: self.context,
            user: self.user,
            role: self.role,
            tainted: self.tainted,
        }
    }
}
