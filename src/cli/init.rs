//! `clifford init`: writes `bot.toml`.

mod answers;
mod questions;
mod write;

use std::{
    collections::BTreeMap,
    io::IsTerminal,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::bail;
use clifford_channel::{Access, Platforms, Row, Section};
use clifford_config::{self as config, Config, Sources};
use clifford_store::people::claim;
use clifford_vault::Secret;

use self::answers::{Answers, Connection, Provider, Token};
use super::{
    config::origin,
    examples, output, probe,
    probe::Fault,
    setup::{self, Globals},
};

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford init",
    "TELEGRAM_BOT_TOKEN=… OPENAI_API_KEY=… clifford init --yes",
    "clifford init --config /etc/clifford/bot.toml --force",
    "",
    "--yes takes what is in the environment: TELEGRAM_BOT_TOKEN and the like of other platforms, OPENAI_API_KEY,",
    "OPENAI_BASE_URL, OPENAI_MODEL. The file refers to these variables and holds no secret.",
))]
pub(super) struct Args {
    /// Asks nothing: takes the defaults and what is in the environment.
    #[arg(long, short)]
    yes: bool,
    /// Writes over a file that is there.
    #[arg(long)]
    force: bool,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let path = globals.config.clone().unwrap_or_else(|| PathBuf::from("bot.toml"));
    if path.exists() && !args.force {
        bail!(
            "{} is there already: --force writes over it, or name another by --config",
            path.display()
        );
    }
    if !args.yes && !std::io::stdin().is_terminal() {
        bail!("init asks questions, and this is no terminal: use --yes to take what is in the environment");
    }
    let defaults = without_file(globals)?;
    let env = setup::environment();
    let answers = if args.yes {
        from_environment(&defaults, &env, globals.platforms).await?
    } else {
        questions::ask(&defaults, &env, globals.platforms).await?
    };
    let text = answers.render();
    Config::parse(&text, &path, globals.platforms)?;
    write::write(&path, &text, answers.holds_secrets())?;
    let globals = Globals {
        config: Some(path.clone()),
        ..globals.clone()
    };
    output::print(&format!("\n{} is written.", path.display()))?;
    next(&globals, &path, &answers).await?;
    Ok(ExitCode::SUCCESS)
}

/// The settings as they are without any file: what flags and environment say of addresses.
fn without_file(globals: &Globals) -> anyhow::Result<Config> {
    let sources = Sources {
        file: None,
        cwd: PathBuf::from("/nonexistent"),
        config_dir: None,
        ..globals.sources()?
    };
    Ok(config::load(&sources)?.config)
}

/// A platform's section as it is without any file.
fn section(defaults: &Config, row: &Row) -> Section {
    let given = defaults.channels.get(row.about.platform.as_str());
    given.cloned().unwrap_or_else(|| row.default_section())
}

/// The answers out of the environment, checked where possible.
async fn from_environment(
    defaults: &Config,
    env: &BTreeMap<String, String>,
    platforms: Platforms,
) -> anyhow::Result<Answers> {
    let set = |name: &str| {
        env.get(name)
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
    };
    let mut answers = Answers::default();
    for row in platforms.rows() {
        let variable = row.about.token_variable;
        let Some(token) = set(variable).map(Secret::new) else {
            continue;
        };
        let section = section(defaults, row);
        let outcome = section.probe(&token).await;
        say(&settled(variable, outcome.map(|bot| bot.name))?)?;
        let common = section.common();
        answers.connections.push(Connection {
            row,
            token: Token::Environment(variable.to_owned()),
            access: common.access,
            api_url: common.api_url.clone(),
        });
    }
    if let Some(provider) = defaults
        .llm
        .providers
        .first()
        .filter(|provider| provider.kind != config::ProviderKind::Offline)
    {
        let variable = provider.key_variable();
        let key = set(variable).map(Secret::new);
        let outcome = probe::model(provider, key.as_ref()).await;
        say(&settled(
            "the model",
            outcome.map(|()| format!("{} at {} answers", provider.model, provider.base_url)),
        )?)?;
        answers.provider = Some(Provider {
            kind: provider.kind,
            base_url: provider.base_url.clone(),
            model: provider.model.clone(),
            key: key.map(|_| Token::Environment(variable.to_owned())),
        });
    }
    Ok(answers)
}

/// The message about a check: only a refusal stops.
fn settled(what: &str, outcome: Result<String, Fault>) -> anyhow::Result<String> {
    match outcome {
        Ok(found) => Ok(format!("{what}: {found}")),
        Err(Fault::Refused(why)) => bail!("{what} is not accepted: {why}; mend it, or unset it"),
        Err(Fault::Unreachable(why)) => Ok(format!(
            "{what} could not be checked, {why}; `clifford doctor` tries again"
        )),
    }
}

fn say(text: &str) -> anyhow::Result<()> {
    output::print(text)
}

/// The next steps: how to become the owner, what must be set, what to run.
async fn next(globals: &Globals, path: &Path, answers: &Answers) -> anyhow::Result<()> {
    let loaded = globals.load()?;
    let pairs = (answers.connections.iter()).any(|connection| connection.access == Access::Pairing);
    let mut lines = Vec::new();
    if pairs {
        let db = setup::database_or_new(&loaded).await?;
        let now = setup::now();
        let code = db.write(move |tx| Box::pin(claim::make(tx, now))).await?;
        db.close().await;
        lines.extend(code.map(|code| format!("Your code is {code}: send it to the bot, and you are its owner.")));
    }
    let env = setup::environment();
    let missing: Vec<_> = answers.variables().filter(|name| !env.contains_key(*name)).collect();
    if !missing.is_empty() {
        lines.push(format!("Set {} in the environment of the bot.", missing.join(" and ")));
    }
    let plain = Globals {
        platforms: globals.platforms,
        ..Globals::default()
    };
    let found = origin(&plain.load().unwrap_or(loaded));
    let flag = if Path::new(&found) == path {
        String::new()
    } else {
        format!("--config {} ", path.display())
    };
    lines.push(format!(
        "Now run `clifford {flag}serve`; or talk to it here with `clifford {flag}chat`."
    ));
    output::print(&lines.join("\n"))
}
