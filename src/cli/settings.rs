//! `clifford settings`: settings at run time, of the bot, a space, a channel or a person. A server on the same database
//! goes by it at once.

use std::{collections::BTreeSet, process::ExitCode};

use anyhow::{anyhow, bail};
use clifford_store::{Db, places::place_settings::PlaceSettings};
use clifford_text::Lang;
use clifford_tools::settings::catalogue::{self, Scope, SettingView, switch};
use serde_json::Value;

use super::{
    examples,
    output::{self, Format},
    scopes,
    setup::{self, Globals},
};

/// Arguments of `settings`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford settings list",
    "clifford settings list channel:0198f2c4",
    "clifford settings set bot when_busy steer",
    "clifford settings set space:0198f2c4 memory off",
    "clifford settings set user:Ada time_zone Europe/Berlin",
    "clifford settings unset bot when_busy",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the settings of a scope, and their values.
    List {
        /// `bot`, `space:ID`, `channel:ID` or `user:USER`.
        #[arg(default_value = "bot")]
        scope: String,
        #[command(flatten)]
        format: Format,
    },
    /// Set a setting.
    Set {
        /// `bot`, `space:ID`, `channel:ID` or `user:USER`.
        scope: String,
        /// Its name, as `clifford settings list` shows it.
        name: String,
        /// Its value.
        value: String,
        #[command(flatten)]
        format: Format,
    },
    /// Remove an override; the inherited value applies again.
    Unset {
        /// `bot`, `space:ID`, `channel:ID` or `user:USER`.
        scope: String,
        /// Its name, as `clifford settings list` shows it.
        name: String,
        #[command(flatten)]
        format: Format,
    },
}

/// The names of the configuration.
struct Configured {
    /// Those of the models that may be chosen.
    models: Vec<String>,
    agents: Vec<String>,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let config = globals.load()?.config;
    let defaults = PlaceSettings::configured(&config.ingress, &config.memory);
    let configured = Configured {
        models: config.llm.choices.iter().map(|choice| choice.name.clone()).collect(),
        agents: config.all_agents().map(|agent| agent.name.clone()).collect(),
    };
    let db = globals.database().await?;
    let outcome = perform(&db, args.command, defaults, &configured).await;
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn perform(db: &Db, command: Command, defaults: PlaceSettings, configured: &Configured) -> anyhow::Result<()> {
    let (scope, name, format) = match command {
        Command::List { scope, format } => (scopes::find(&mut db.read().await?, &scope).await?, None, format),
        Command::Set {
            scope,
            name,
            value,
            format,
        } => (
            set(db, &scope, &name, Some((&value, configured))).await?,
            Some(name),
            format,
        ),
        Command::Unset { scope, name, format } => (set(db, &scope, &name, None).await?, Some(name), format),
    };
    let mut shown = catalogue::list(&mut db.read().await?, scope, defaults).await?;
    shown.retain(|setting| name.as_deref().is_none_or(|name| setting.name == name));
    print(&shown, format)
}

/// Sets a setting, or with no value takes it back. With a value comes what may be named.
async fn set(db: &Db, scope: &str, name: &str, value: Option<(&str, &Configured)>) -> anyhow::Result<Scope> {
    let scope = scopes::find(&mut db.read().await?, scope).await?;
    let known = catalogue::known(scope, name).map_err(|what| anyhow!("there is no {what}"))?;
    let value = match value {
        Some((text, configured)) => {
            let value = known.kind.checked(text).map_err(|why| anyhow!("{name}: {why}"))?;
            let names = match known.name {
                "agent" => {
                    // Those of the configuration may not have been brought in yet.
                    let there = catalogue::agent_names(&mut db.read().await?).await?;
                    let names: BTreeSet<_> = there.into_iter().chain(configured.agents.clone()).collect();
                    names.into_iter().collect()
                }
                _ => configured.models.clone(),
            };
            catalogue::named(known, &value, &names).map_err(|why| anyhow!(why))?;
            Some(value)
        }
        None => None,
    };
    let now = setup::now();
    let was_set = db
        .write(move |tx| {
            Box::pin(async move {
                match value {
                    Some(value) => catalogue::set(tx, scope, known, &value, now).await.map(|()| true),
                    None => catalogue::unset(tx, scope, known, now).await,
                }
            })
        })
        .await?;
    if !was_set {
        bail!("{name} is not set for {scope}");
    }
    Ok(scope)
}

fn print(shown: &[SettingView], format: Format) -> anyhow::Result<()> {
    if format.json {
        return output::json(&shown);
    }
    let text = |value: &Option<Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(on)) => switch(*on, Lang::English),
        Some(other) => other.to_string(),
        None => "-".to_owned(),
    };
    let takes = |setting: &SettingView| {
        let words = setting.values.iter().map(|word| match word.parse() {
            Ok(on) => switch(on, Lang::English),
            Err(_) => (*word).to_owned(),
        });
        words.collect::<Vec<_>>().join(", ")
    };
    let rows = shown
        .iter()
        .map(|setting| {
            [
                setting.name.to_owned(),
                text(&setting.value),
                text(&setting.inherited),
                takes(setting),
                setting.description.to_owned(),
            ]
        })
        .collect();
    output::table(
        ["SETTING", "SET TO", "ELSE", "TAKES", "WHAT IT DOES"],
        rows,
        "no settings found",
    )
}
