//! `clifford tools`: the tools, their settings, and a call by hand.

mod set_up;

use std::{process::ExitCode, sync::Arc};

use anyhow::{anyhow, bail};
use clifford_config::Loaded;
use clifford_core::run::step::ToolOutcome;
use clifford_engine::by_hand;
use clifford_store::Db;
use clifford_telemetry as telemetry;
use clifford_tools::{
    Registry, Services, mcp,
    settings::tool_options::{self, ShownTool},
};
use clifford_vault::Secret;
use clifford_worker::Workers;
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    examples,
    output::{self, Format},
    people, scopes,
    server::Server,
    setup::{self, Globals},
};
use crate::app::{self, Options};

/// Arguments of `tools`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford tools list",
    "clifford tools show compute --scope channel:0198f2c4",
    "clifford tools set system enabled false --scope space:0198f2c4",
    "clifford tools set compute max_seconds 5",
    "clifford tools unset compute max_seconds",
    "clifford tools call compute.eval '{\"expression\": \"17 * 23\"}'",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

/// Where something is set.
#[derive(Clone, Debug, clap::Args)]
struct In {
    /// `bot`, `space:ID`, `channel:ID`, `agent:ID` or `user:USER`.
    #[arg(long, default_value = "bot")]
    scope: String,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the tools, and whether they work.
    List {
        #[command(flatten)]
        within: In,
    },
    /// Show a tool: its commands and settings.
    Show {
        /// Its name.
        tool: String,
        #[command(flatten)]
        within: In,
    },
    /// Set a field of a tool; a running server uses it from the next run on.
    Set {
        /// Its name.
        tool: String,
        /// The field, as `clifford tools show` names it.
        field: String,
        /// Its value, as JSON or as it is.
        value: String,
        #[command(flatten)]
        within: In,
    },
    /// Remove a field's setting; the inherited value applies again.
    Unset {
        /// Its name.
        tool: String,
        /// The field, as `clifford tools show` names it.
        field: String,
        #[command(flatten)]
        within: In,
    },
    /// Call a command that only reads, to try it.
    Call {
        /// `tool.command`.
        command: String,
        /// Its arguments as JSON.
        #[arg(default_value = "{}")]
        args: String,
        /// The person to act for: an id, `platform:account` or a name.
        #[arg(long)]
        user: Option<String>,
        #[command(flatten)]
        format: Format,
    },
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    if let Command::Call {
        command,
        args,
        user,
        format,
    } = args.command
    {
        return call(globals, &command, &args, user.as_deref(), format).await;
    }
    let loaded = globals.load()?;
    let db = globals.database().await?;
    let outcome = perform(&db, &loaded, args.command).await;
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn perform(db: &Db, loaded: &Loaded, command: Command) -> anyhow::Result<()> {
    let services = Arc::new(Services {
        sees_images: app::sees_images(&loaded.config),
        transcription: app::transcription(&loaded.config, &clifford_config::Secrets::default()),
        config: loaded.config.tools.clone(),
        data_dir: loaded.data_dir.clone(),
        // A secret that is named is there, as far as this shows; whether it can be read `clifford doctor` tells.
        actors: set_up::actors(&loaded.config.channels),
        secrets: (loaded.config.tools.secrets().into_iter())
            .map(|(path, _)| (path, Secret::new("")))
            .collect(),
        ..Services::default()
    });
    let registry = Registry::new(loaded.platforms, loaded.config.engine.max_tool_retries);
    mcp::announce(&registry, &services);
    let (tool, within, change) = match command {
        Command::List { within } => (None, within, None),
        Command::Show { tool, within } => (Some(tool), within, None),
        Command::Set {
            tool,
            field,
            value,
            within,
        } => {
            let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
            (Some(tool), within, Some((field, value)))
        }
        Command::Unset { tool, field, within } => (Some(tool), within, Some((field, Value::Null))),
        Command::Call { .. } => bail!("a call is made by an engine"),
    };
    let scope = scopes::find(&mut db.read().await?, &within.scope).await?;
    if let Some(name) = &tool {
        let known = tool_options::find(&registry, name).map_err(|what| anyhow!("there is no {what}"))?;
        if let Some(change) = change {
            let given: Map<_, _> = [change].into_iter().collect();
            let changes = tool_options::checked(&known, scope, &services.config, &given)
                .map_err(|(field, why)| anyhow!("{field}: {why}"))?;
            let now = setup::now();
            db.write(move |tx| Box::pin(async move { tool_options::apply(tx, scope, &changes, now).await }))
                .await?;
        }
    }
    let mut shown = tool_options::list(&mut db.read().await?, scope, &registry, &services).await?;
    shown.retain(|shown| tool.as_ref().is_none_or(|tool| *tool == shown.name));
    match (tool, shown.as_slice()) {
        (Some(_), [one]) => show(one, within.format),
        _ => list(&shown, within.format),
    }
}

fn list(shown: &[ShownTool], format: Format) -> anyhow::Result<()> {
    if format.json {
        return output::json(&shown);
    }
    let rows = shown.iter().map(|tool| {
        let commands = tool.commands.iter().map(|command| command.name.as_str());
        [
            tool.name.clone(),
            tool.why
                .clone()
                .map_or_else(|| "on".to_owned(), |why| format!("off: {why}")),
            tool.summary.clone(),
            commands.collect::<Vec<_>>().join(", "),
        ]
    });
    output::table(["TOOL", "STATE", "FOR", "COMMANDS"], rows.collect(), "no tools found")
}

fn show(tool: &ShownTool, format: Format) -> anyhow::Result<()> {
    if format.json {
        return output::json(tool);
    }
    let state = tool
        .why
        .as_ref()
        .map_or_else(String::new, |why| format!(" (off: {why})"));
    output::print(&format!("{} {}{state}\n{}\n", tool.icon, tool.name, tool.description))?;
    let commands = tool.commands.iter().map(|command| {
        let class = serde_json::to_value(command.class).unwrap_or_default();
        [
            command.name.clone(),
            class.as_str().unwrap_or_default().to_owned(),
            command.why.clone().unwrap_or_else(|| command.description.clone()),
        ]
    });
    output::table(
        ["COMMAND", "CLASS", "WHAT IT DOES"],
        commands.collect(),
        "it has no commands",
    )?;
    let fields = tool.fields.iter().map(|field| {
        [
            field.name.clone(),
            field.value.as_ref().map_or_else(|| "-".to_owned(), Value::to_string),
            field.set_by.to_owned(),
            field.schema["description"].as_str().unwrap_or_default().to_owned(),
        ]
    });
    output::print("")?;
    output::table(
        ["FIELD", "VALUE", "SET BY", "WHAT IT DOES"],
        fields.collect(),
        "nothing can be set",
    )
}

/// Makes one call as a run would, without a run. Only a run may change anything. Where a server runs, that one calls.
async fn call(
    globals: &Globals,
    command: &str,
    args: &str,
    user: Option<&str>,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let args = arguments(args)?;
    let loaded = globals.load()?;
    let result = match Server::find(&loaded).await {
        Some(server) => Box::pin(call_there(&loaded, &server, (command, args), user)).await?,
        None => Box::pin(call_here(&loaded, (command, args), user)).await?,
    };
    if format.json {
        output::json(&result)?;
    } else {
        output::print(&plain(&result))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn call_there(
    loaded: &Loaded,
    server: &Server,
    (command, args): (&str, Map<String, Value>),
    user: Option<&str>,
) -> anyhow::Result<Value> {
    let user = match user {
        Some(user) => {
            let db = setup::database_or_new(loaded).await?;
            let user = people::find(&mut db.read().await?, user).await;
            db.close().await;
            Some(user?.id)
        }
        None => None,
    };
    let asked = json!({ "args": args, "userId": user });
    let path = format!("/api/tools/{}/call", escaped(command));
    match server.ask_for(Method::POST, &path, Some(asked)).await? {
        Called::Failed { error } => bail!("{command}: {error}"),
        Called::Done { result } => Ok(result),
    }
}

/// The outcome of a call at the server.
#[derive(Deserialize)]
#[serde(untagged)]
enum Called {
    Failed { error: String },
    Done { result: Value },
}

/// A name as a part of a path.
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let bytes = name.bytes();
    bytes
        .map(|byte| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

async fn call_here(
    loaded: &Loaded,
    (command, args): (&str, Map<String, Value>),
    user: Option<&str>,
) -> anyhow::Result<Value> {
    let secrets = loaded.secrets_without_platforms(&setup::environment())?;
    telemetry::init_quiet(&loaded.config.log, &secrets.masker)?;
    let options = Options {
        worker_processes: Workers::of_this_program(),
        ..Options::default()
    };
    let app = setup::start_or_beside(loaded, &secrets, options).await?;
    let outcome = async {
        let user = match user {
            Some(user) => Some(people::find(&mut app.db.read().await?, user).await?.id),
            None => None,
        };
        anyhow::Ok(by_hand::call(&app.runs, command, args, user).await?)
    };
    let outcome = outcome.await;
    app.shutdown().await;
    match outcome? {
        ToolOutcome::Success { result } => Ok(result),
        ToolOutcome::Failure { error, .. } => bail!("{command}: {error}"),
    }
}

/// The arguments of a call.
///
/// # Errors
/// They are not a JSON object, with an example of one.
pub(super) fn arguments(text: &str) -> anyhow::Result<Map<String, Value>> {
    serde_json::from_str(text).map_err(|_| {
        anyhow!("the arguments are not a JSON object: write them in quotes, such as '{{\"expression\": \"17 * 23\"}}'")
    })
}

/// A result as people read it: one value alone as it is, anything else as JSON.
fn plain(result: &Value) -> String {
    match result {
        Value::Object(fields) if fields.len() == 1 => {
            let only = fields.values().next().cloned().unwrap_or_default();
            only.as_str().map_or_else(|| format!("{only:#}"), str::to_owned)
        }
        other => format!("{other:#}"),
    }
}
