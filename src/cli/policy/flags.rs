//! A rule and a trial as flags of a command.

use std::str::FromStr;

use clifford_core::{
    id::{ContextId, SpaceId, UserId},
    people::UserRole,
    policy::{Action, By, Day, Per, Place, Rule, class::Class},
    runs::RunKind,
};
use clifford_store::Conn;
use clifford_tools::trial::{Trial, TrialResult};
use serde_json::{Map, Value};

use crate::cli::{
    ids::{self, IdArg},
    output::Format,
    people,
    words::{self, word},
};

fn class(text: &str) -> Result<Class, String> {
    word(&text.to_uppercase()).map_err(|fault| fault.to_lowercase())
}

/// Arguments of `policy add`.
#[derive(Debug, clap::Args)]
pub(super) struct RuleFlags {
    /// allow, allow_tainted (even for a run that has read words from outside), confirm, deny or limit.
    #[arg(value_parser = word::<Action>)]
    action: Action,
    /// A name of your choice.
    #[arg(long, default_value = "", hide_default_value = true)]
    name: String,
    /// The rule with the highest priority decides.
    #[arg(long, default_value_t = 0, allow_hyphen_values = true, value_parser = words::whole::<i32>)]
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
    /// A group or server: its id, as `clifford spaces list` shows it, or its beginning.
    #[arg(long)]
    space: Option<IdArg<SpaceId>>,
    /// A conversation: its id, as `clifford contexts list` shows it, or its beginning.
    #[arg(long)]
    context: Option<IdArg<ContextId>>,
    /// A person: their id, `platform:account`, or a name that nobody else has.
    #[arg(long)]
    user: Option<String>,
    /// owner, member or stranger; can be repeated.
    #[arg(long = "role", value_parser = UserRole::from_str)]
    roles: Vec<UserRole>,
    /// A role on the platform, by id or name, such as Moderator; can be repeated.
    #[arg(long = "platform-role")]
    platform_roles: Vec<String>,
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
    #[arg(long, default_value_t = 0, value_parser = words::whole::<u32>)]
    calls: u32,
    /// Of limit: the time: minute, hour, day or month.
    #[arg(long, default_value = "day", value_parser = word::<Per>)]
    per: Per,
    /// Of limit: the subject of the count: user, space or bot.
    #[arg(long, default_value = "user", value_parser = word::<By>)]
    by: By,
    /// The reason, for the person who is refused or asked.
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    pub(super) format: Format,
}

impl RuleFlags {
    /// The rule, with the things that it names found.
    ///
    /// # Errors
    /// One of them is not there; the store's.
    pub(super) async fn rule(self, conn: &mut Conn) -> anyhow::Result<Rule> {
        Ok(Rule {
            name: self.name,
            priority: self.priority,
            action: self.action,
            tools: self.tools,
            classes: self.classes,
            args: self.args,
            kinds: self.kinds,
            platforms: self.platforms,
            places: self.places,
            space: ids::optional(conn, self.space.as_ref()).await?,
            context: ids::optional(conn, self.context.as_ref()).await?,
            user: person(conn, self.user.as_deref()).await?,
            roles: self.roles,
            platform_roles: self.platform_roles,
            hours: self.hours,
            days: self.days,
            zone: self.zone,
            calls: self.calls,
            per: self.per,
            by: self.by,
            reason: self.reason,
        })
    }
}

/// The person of a flag that may be left out.
async fn person(conn: &mut Conn, named: Option<&str>) -> anyhow::Result<Option<UserId>> {
    match named {
        Some(text) => Ok(Some(people::find(conn, text).await?.id)),
        None => Ok(None),
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
    /// The person's own words of this turn; can be repeated.
    #[arg(long, value_name = "TEXT")]
    said: Vec<String>,
    /// A call that was announced before anything of others was read, and how often at most; can be repeated.
    #[arg(long, value_name = "COMMAND=N", value_parser = planned)]
    plan: Vec<(String, u32)>,
    /// The result of a command before, as JSON or text; can be repeated.
    #[arg(long, value_name = "COMMAND=JSON", value_parser = heard)]
    result: Vec<TrialResult>,
    /// coordinator or subagent.
    #[arg(long, value_parser = RunKind::from_str)]
    kind: Option<RunKind>,
    /// The platform.
    #[arg(long)]
    platform: Option<String>,
    /// The group or server: its id, as `clifford spaces list` shows it, or its beginning.
    #[arg(long)]
    space: Option<IdArg<SpaceId>>,
    /// The conversation: its id, as `clifford contexts list` shows it, or its beginning.
    #[arg(long)]
    context: Option<IdArg<ContextId>>,
    /// The person: their id, `platform:account`, or a name that nobody else has.
    #[arg(long)]
    user: Option<String>,
    /// owner, member or stranger.
    #[arg(long, value_parser = UserRole::from_str)]
    role: Option<UserRole>,
    /// A role of the person on the platform, by id or name; can be repeated.
    #[arg(long = "platform-role")]
    platform_roles: Vec<String>,
    #[command(flatten)]
    pub(super) format: Format,
}

fn planned(text: &str) -> Result<(String, u32), String> {
    let (command, at_most) = text.split_once('=').unwrap_or((text, "1"));
    match at_most.parse() {
        Ok(at_most) if !command.is_empty() => Ok((command.to_owned(), at_most)),
        _ => Err("write COMMAND=N, such as bank.send_money=1".to_owned()),
    }
}

fn heard(text: &str) -> Result<TrialResult, String> {
    match text.split_once('=') {
        Some((command, result)) if !command.is_empty() => Ok(TrialResult {
            command: command.to_owned(),
            args: Map::new(),
            result: serde_json::from_str(result).unwrap_or_else(|_| Value::from(result)),
        }),
        _ => Err("write COMMAND=JSON, such as bank.balance='{\"balance\":12}'".to_owned()),
    }
}

impl TrialFlags {
    /// The trial, with the things that it names found.
    ///
    /// # Errors
    /// One of them is not there; the store's.
    pub(super) async fn trial(&self, conn: &mut Conn) -> anyhow::Result<Trial> {
        Ok(Trial {
            kind: self.kind,
            platform: self.platform.clone(),
            place: if self.shared { Place::Shared } else { Place::Private },
            space: ids::optional(conn, self.space.as_ref()).await?,
            context: ids::optional(conn, self.context.as_ref()).await?,
            user: person(conn, self.user.as_deref()).await?,
            role: self.role,
            platform_roles: self.platform_roles.clone(),
            tainted: self.tainted,
            said: self.said.clone(),
            plan: self.plan.iter().cloned().collect(),
            results: self.result.clone(),
        })
    }
}
