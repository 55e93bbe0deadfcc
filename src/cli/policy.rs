//! `clifford policy`: rules about tool calls. A server on the same database goes by them at once.

mod flags;

use std::{collections::BTreeSet, process::ExitCode, sync::Arc, time::Duration};

use anyhow::{anyhow, bail};
use clifford_config::Loaded;
use clifford_core::{
    id::PolicyId,
    policy::{NamedRule, Rule},
};
use clifford_store::{Db, StoreError, places::policies};
use clifford_tools::{
    Registry, Services, mcp,
    named::{self, NameFault},
    trial::{self, Labels},
};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use self::flags::{RuleFlags, TrialFlags};
use super::{
    examples,
    ids::IdArg,
    output::{self, Format},
    setup::{self, Globals},
};
use crate::app;

/// How long a server may take to end that was asked what it offers.
const ENDING: Duration = Duration::from_secs(5);

/// Arguments of `policy`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford policy list",
    "clifford policy add deny --tool '*.delete' --hours 22:00-06:00 --reason 'backups run at night'",
    "clifford policy add limit --tool image.make --calls 5 --per day",
    "clifford policy remove 0198f2c4",
    "clifford policy test memory.put '{\"module\":\"preferences\"}' --shared --tainted",
    "clifford policy test bank.send '{\"to\":\"DE89\"}' --said 'Pay the bill' --plan bank.send=1 --result bank.read='DE89'",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List every rule: the database's, those of bot.toml, and the built-in ones.
    List(Format),
    /// Add a rule to the database.
    Add(Box<RuleFlags>),
    /// Delete a rule of the database.
    Remove {
        /// Its id, as `clifford policy list` shows it.
        #[arg(value_parser = removable)]
        id: IdArg<PolicyId>,
        #[command(flatten)]
        format: Format,
    },
    /// Show whether a call would be allowed, and why, without making it.
    Test(Box<TrialFlags>),
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(format) => list(&db, &loaded, format).await,
        Command::Add(flags) => add(&db, &loaded, *flags).await,
        Command::Remove { id, format } => remove(&db, &id, format).await,
        Command::Test(flags) => test(globals, &db, *flags).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn rules(db: &Db, loaded: &Loaded) -> anyhow::Result<Vec<NamedRule>> {
    let made = policies::list(&mut db.read().await?).await?;
    Ok(trial::rules(&app::policy(&loaded.config), made))
}

async fn list(db: &Db, loaded: &Loaded, format: Format) -> anyhow::Result<()> {
    let mut rules = rules(db, loaded).await?;
    rules.sort_by_key(|named| std::cmp::Reverse(named.rule.priority));
    if format.json {
        let rules: Vec<_> = rules
            .into_iter()
            .map(|named| json!({ "id": named.key, "rule": named.rule }))
            .collect();
        return output::json(&rules);
    }
    let rows = rules
        .into_iter()
        .map(|NamedRule { key, rule }| {
            let action = word(&rule.action);
            [key, rule.priority.to_string(), action, conditions(&rule), rule.name]
        })
        .collect();
    output::table(["ID", "PRIORITY", "ACTION", "CALLS", "NAME"], rows, "no rules found")
}

/// The conditions of a rule, on one line.
fn conditions(rule: &Rule) -> String {
    const ASIDE: [&str; 6] = ["name", "priority", "action", "reason", "calls", "by"];
    let fields = serde_json::to_value(rule).unwrap_or_default();
    let set: Vec<_> = (fields.as_object().into_iter().flatten())
        .filter(|(name, value)| !ASIDE.contains(&name.as_str()) && name.as_str() != "per" && **value != json!([]))
        .map(|(name, value)| match value {
            Value::Array(items) => format!("{name} {}", items.iter().map(bare).collect::<Vec<_>>().join(", ")),
            other => format!("{name} {}", bare(other)),
        })
        .collect();
    let limit = (rule.calls > 0).then(|| format!("{} per {} and {}", rule.calls, rule.per.word(), word(&rule.by)));
    let all: Vec<_> = set.into_iter().chain(limit).collect();
    if all.is_empty() {
        "all".to_owned()
    } else {
        all.join("; ")
    }
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn word(value: &impl serde::Serialize) -> String {
    bare(&serde_json::to_value(value).unwrap_or_default())
}

async fn add(db: &Db, loaded: &Loaded, flags: RuleFlags) -> anyhow::Result<()> {
    let format = flags.format;
    let rule = flags.rule(&mut db.read().await?).await?;
    if let Some((field, fault)) = rule.fault() {
        bail!("{field}: {fault}");
    }
    let (registry, services) = offered(loaded);
    mcp::announce(&registry, &services);
    let warning = match named::fault(&registry, &rule) {
        Some(fault @ NameFault::Unknown(_)) => bail!("tools: {fault}"),
        Some(fault @ NameFault::Later(_)) => format!("; note: {fault}"),
        None => String::new(),
    };
    let now = setup::now();
    let made = db
        .write(move |tx| Box::pin(async move { policies::insert(tx, &rule, now).await }))
        .await
        .map_err(|error| match error {
            StoreError::Conflict(_) => anyhow!(
                "there is no such user, space or context; `clifford users list` and `clifford contexts list` show them"
            ),
            other => other.into(),
        })?;
    if format.json {
        return output::json(&made);
    }
    output::print(&format!("Added rule {}; it is in effect now{warning}", made.id))
}

/// The id of a rule of the database: others are not there to be removed.
fn removable(text: &str) -> Result<IdArg<PolicyId>, String> {
    if text.starts_with("built-in:") {
        return Err("it is built in; `clifford policy add` with a higher --priority overrules it".to_owned());
    }
    if text.starts_with("bot.toml:") {
        return Err("it stands in bot.toml: take it out there".to_owned());
    }
    text.parse()
}

async fn remove(db: &Db, wanted: &IdArg<PolicyId>, format: Format) -> anyhow::Result<()> {
    let id = wanted.find(&mut db.read().await?).await?;
    if !db.write(move |tx| Box::pin(policies::remove(tx, id))).await? {
        bail!("there is no rule {id} in the database; `clifford policy list` shows them");
    }
    if format.json {
        return output::json(&json!({ "id": id, "removed": true }));
    }
    output::print(&format!("{id}: removed"))
}

async fn test(globals: &Globals, db: &Db, flags: TrialFlags) -> anyhow::Result<()> {
    let args: Map<String, Value> = serde_json::from_str(&flags.args).map_err(|_| {
        anyhow!("the arguments are not a JSON object: write one, such as '{{\"url\":\"https://example.com\"}}'")
    })?;
    let loaded = globals.load()?;
    let trial = flags.trial(&mut db.read().await?).await?;
    let heard = trial.results.iter().map(|heard| &*heard.command);
    let tools = tools(globals, &loaded, heard.chain([&*flags.call])).await?;
    let rules = rules(db, &loaded).await?;
    let zone = &loaded.config.engine.time_zone;
    let tried =
        trial::run(&tools, &rules, &flags.call, &args, &trial, setup::now(), zone).map_err(|fault| anyhow!(fault))?;
    if flags.format.json {
        return output::json(&tried);
    }
    let by = tried.rule.as_deref().unwrap_or("the default profile");
    let mut lines = vec![
        format!("{} ({}): {}", tried.call, word(&tried.class), word(&tried.outcome)),
        format!("because {}", tried.why),
        format!("decided by {by}"),
    ];
    lines.extend(tried.limits.iter().map(|limit| format!("counts: {limit}")));
    lines.extend(labels(&tried.labels));
    lines.extend((tried.arguments.iter()).map(|argument| format!("  {} ← {}", argument.argument, argument.origin)));
    output::print(&lines.join("\n"))
}

/// The labels of the run, one a line.
fn labels(labels: &Labels) -> [String; 2] {
    let named = |names: &BTreeSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let integrity = match labels.others.is_empty() {
        true => "its person's and the owner's words alone".to_owned(),
        false => format!("has read words of others ({})", named(&labels.others)),
    };
    let private = match labels.private.is_empty() {
        true => "nothing private".to_owned(),
        false => format!("private, but to their own tool: results of {}", named(&labels.private)),
    };
    let carried = if labels.carries_out {
        "; the call carries private words out"
    } else {
        ""
    };
    [
        format!("integrity: {integrity}"),
        format!("confidentiality: {private}{carried}"),
    ]
}

/// The tools that are built in, and the settings of all.
fn offered(loaded: &Loaded) -> (Registry, Services) {
    let registry = Registry::new(loaded.platforms, loaded.config.engine.max_tool_retries);
    let services = Services {
        config: loaded.config.tools.clone(),
        ..Services::default()
    };
    (registry, services)
}

/// Every tool, with what the MCP servers offer that calls are for: only that tells what their commands may do.
async fn tools(globals: &Globals, loaded: &Loaded, calls: impl Iterator<Item = &str>) -> anyhow::Result<Arc<Registry>> {
    let (registry, mut services) = offered(loaded);
    let registry = Arc::new(registry);
    let known: BTreeSet<_> = mcp::endpoints(&services)
        .into_iter()
        .map(|endpoint| endpoint.name)
        .collect();
    let servers: BTreeSet<_> = calls
        .filter_map(|call| call.split('.').next())
        .filter(|server| known.contains(*server))
        .collect();
    if servers.is_empty() {
        return Ok(registry);
    }
    services.secrets = globals.load_with_secrets()?.1.tools;
    for server in servers {
        let supervisor = mcp::Supervisor::start_one(server, &registry, &services);
        registry.settled(&format!("{server}.")).await;
        let away = registry.away(server);
        supervisor.end(Instant::now() + ENDING).await;
        if away.is_some() {
            bail!("the MCP server `{server}` cannot be used; `clifford doctor` tells why");
        }
    }
    Ok(registry)
}
