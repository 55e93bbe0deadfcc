//! `clifford init`: connects platforms and a model, writes `bot.toml`, and waits for the first message.

mod answers;
mod first_message;
mod invitation;
mod merge;
mod questions;
mod write;

use std::{
    collections::BTreeMap,
    fs,
    io::IsTerminal,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail};
use clifford_channel::{Platforms, Row, Section};
use clifford_config::{self as config, Config, Sources};
use clifford_store::people::claim;
use clifford_vault::{Secret, irregular};
use serde_json::json;

use self::{
    answers::{Answers, Connection, Provider, Token},
    questions::Asking,
};
use super::{
    config::origin,
    examples, output, probe,
    probe::Fault,
    setup::{self, Globals},
};

/// Arguments of `init`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford init                                      asks, and waits until the bot has answered a message",
    "TELEGRAM_BOT_TOKEN=… OPENAI_API_KEY=… clifford init --yes",
    "clifford init --config /etc/clifford/bot.toml --force",
    "",
    "An existing file is changed where you want it to be, and stays as it is otherwise, comments included.",
    "--yes takes what is in the environment: TELEGRAM_BOT_TOKEN and the like of other platforms, OPENAI_API_KEY,",
    "OPENAI_BASE_URL, OPENAI_MODEL. The file refers to these variables and holds no secret.",
))]
pub(super) struct Args {
    /// Ask nothing: take the defaults and the environment.
    #[arg(long, short)]
    yes: bool,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
    /// Print JSON, for programs: with --yes.
    #[arg(long, requires = "yes")]
    json: bool,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let path = globals.config.clone().unwrap_or_else(|| PathBuf::from("bot.toml"));
    if let Some(kind) = irregular(&path) {
        bail!(
            "{} is {kind}, and stays as it is: name a file by --config",
            path.display()
        );
    }
    let is_present = path.exists() && !args.force;
    if is_present && args.yes {
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
    let globals = Globals {
        config: Some(path.clone()),
        ..globals.clone()
    };
    let mut checks = Vec::new();
    let answers = if args.yes {
        let answers = from_environment(&defaults, &env, globals.platforms, &mut checks).await?;
        if !args.json {
            checks.iter().try_for_each(|line| output::print(line))?;
        }
        answers
    } else {
        let present = if is_present {
            let loaded = globals.load()?;
            // A variable that is not set here is no reason to ask nothing.
            let secrets = loaded.secrets(&env).unwrap_or_default();
            Some((loaded, secrets))
        } else {
            None
        };
        let asking = Asking {
            defaults: &defaults,
            env: &env,
            platforms: globals.platforms,
            present: present.as_ref().map(|(loaded, secrets)| (&loaded.config, secrets)),
        };
        Box::pin(asking.all()).await?
    };
    let is_written = store(&path, is_present, &answers, globals.platforms)?;
    if !args.json {
        let what = if is_written { "is written" } else { "stays as it is" };
        output::print(&format!("\n{} {what}.", path.display()))?;
    }
    let waits = !args.yes && Box::pin(first_message::wait(&globals, &answers)).await?;
    if !waits {
        let next = next(&globals, &path, &answers).await?;
        if args.json {
            output::json(&json!({
                "path": path, "checks": checks, "claimCode": next.code, "missing": next.missing,
                "serverRuns": next.server_runs, "next": next.command("serve"),
            }))?;
        } else {
            output::text(&next.lines().join("\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the answers: a new file, or into the one that is there. `false`: there is nothing to write.
fn store(path: &Path, is_there: bool, answers: &Answers, platforms: Platforms) -> anyhow::Result<bool> {
    if is_there && answers.connections.is_empty() && answers.provider.is_none() {
        return Ok(false);
    }
    let (text, was_secret) = if is_there {
        let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        (merge::merged(&text, path, answers)?, write::is_private(path))
    } else {
        (answers.render(), false)
    };
    Config::parse(&text, path, platforms)?;
    write::write(path, &text, answers.holds_secrets() || was_secret)?;
    Ok(true)
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
    checks: &mut Vec<String>,
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
        let bot = outcome.as_ref().ok().cloned();
        checks.push(settled(variable, outcome.map(|bot| bot.name))?);
        if let Some(link) = bot.as_ref().and_then(|bot| bot.invite.as_ref()) {
            checks.push(format!("invite: {link}"));
        }
        let common = section.common();
        answers.connections.push(Connection {
            row,
            token: Token::Environment(variable.to_owned()),
            access: common.audience.access,
            api_url: common.api_url.clone(),
            bot,
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
        checks.push(settled(
            "the model",
            outcome.map(|()| format!("{} at {} answers", provider.model, provider.base_url)),
        )?);
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
    output::text(text)
}

/// The next steps.
struct Next {
    /// The person who sends it to the bot is its owner.
    code: Option<String>,
    /// The variables that the bot's environment lacks.
    missing: Vec<String>,
    /// A server runs, which has to read the file.
    server_runs: bool,
    /// The flag that names the file, if it is not found without.
    flag: String,
}

impl Next {
    fn command(&self, command: &str) -> String {
        format!("clifford {}{command}", self.flag)
    }

    fn lines(&self) -> Vec<String> {
        let code = self.code.as_ref();
        let mut lines: Vec<_> = code
            .map(|code| format!("Your code is {code}: send it to the bot, and you are its owner."))
            .into_iter()
            .collect();
        if !self.missing.is_empty() {
            lines.push(format!(
                "Set {} in the environment of the bot.",
                self.missing.join(" and ")
            ));
        }
        lines.push(if self.server_runs {
            "A server runs: `kill -HUP` or `systemctl reload clifford` has it read the file again.".to_owned()
        } else {
            format!(
                "Now run `{}`; or talk to it here with `{}`.",
                self.command("serve"),
                self.command("chat")
            )
        });
        lines
    }
}

/// How to become the owner, what must be set, what to run.
async fn next(globals: &Globals, path: &Path, answers: &Answers) -> anyhow::Result<Next> {
    let loaded = globals.load()?;
    let mut code = None;
    if answers.pairs() {
        let db = setup::database_or_new(&loaded).await?;
        let now = setup::now();
        code = db.write(move |tx| Box::pin(claim::make(tx, now))).await?;
        db.close().await;
    }
    let env = setup::environment();
    let missing = answers.variables().filter(|name| !env.contains_key(*name));
    let missing = missing.map(str::to_owned).collect();
    let plain = Globals {
        platforms: globals.platforms,
        ..Globals::default()
    };
    let found = origin(&plain.load().unwrap_or_else(|_| loaded.clone()));
    let flag = if Path::new(&found) == path {
        String::new()
    } else {
        format!("--config {} ", path.display())
    };
    Ok(Next {
        code,
        missing,
        server_runs: setup::is_held(&loaded),
        flag,
    })
}
