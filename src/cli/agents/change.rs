//! `clifford agents add`, `set` and `remove`.

use std::{io::Read, path::PathBuf};

use anyhow::{Context as _, bail};
use clifford_core::places::Mode;
use clifford_store::{
    Db, StoreError,
    places::agents::{
        self,
        managing::{self, NewAgent},
        prompts,
    },
};
use serde_json::json;

use super::{Which, find, print_agent};
use crate::cli::{
    output::{self, Format},
    setup,
};

/// The longest name and prompt, as in bot.toml.
const LONGEST: (usize, usize) = (100, 20_000);

#[derive(Debug, clap::Args)]
pub(super) struct Add {
    /// Its name, which no other agent has.
    name: String,
    #[command(flatten)]
    prompt: PromptFlags,
    /// How it answers: run or chat.
    #[arg(long, default_value_t = Mode::Run, value_name = "MODE")]
    mode: Mode,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Args)]
pub(super) struct Set {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    prompt: PromptFlags,
    /// How it answers: run or chat.
    #[arg(long, value_name = "MODE")]
    mode: Option<Mode>,
    /// Have it take runs.
    #[arg(long, conflicts_with = "disable")]
    enable: bool,
    /// Have it take no runs.
    #[arg(long)]
    disable: bool,
}

/// Where a prompt comes from.
#[derive(Debug, clap::Args)]
struct PromptFlags {
    /// Its prompt.
    #[arg(long, value_name = "TEXT", conflicts_with = "prompt_file")]
    prompt: Option<String>,
    /// A file with its prompt; `-`: standard input.
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<PathBuf>,
}

impl PromptFlags {
    fn read(self) -> anyhow::Result<Option<String>> {
        let text = match (self.prompt, self.prompt_file) {
            (Some(text), _) => text,
            (None, Some(path)) if path.as_os_str() == "-" => {
                let mut text = String::new();
                std::io::stdin()
                    .read_to_string(&mut text)
                    .context("failed to read the prompt from standard input")?;
                text
            }
            (None, Some(path)) => std::fs::read_to_string(&path)
                .with_context(|| format!("failed to read the prompt from {}", path.display()))?,
            (None, None) => return Ok(None),
        };
        let text = text.trim_start_matches('\u{feff}').trim().to_owned();
        check("the prompt", &text, LONGEST.1)?;
        Ok(Some(text))
    }
}

fn check(what: &str, text: &str, longest: usize) -> anyhow::Result<()> {
    if text.trim().is_empty() {
        bail!("{what} is empty");
    }
    if text.contains('\0') {
        bail!("{what} holds a NUL character");
    }
    if text.chars().count() > longest {
        bail!("{what} is longer than {longest} characters");
    }
    Ok(())
}

pub(super) async fn add(db: &Db, add: Add) -> anyhow::Result<()> {
    check("the name", &add.name, LONGEST.0)?;
    let Some(prompt) = add.prompt.read()? else {
        bail!("an agent needs a prompt: give it by --prompt or --prompt-file");
    };
    let new = NewAgent {
        name: add.name,
        prompt,
        mode: add.mode,
        enabled: true,
    };
    let (now, name) = (setup::now(), new.name.clone());
    let made = db.write(move |tx| Box::pin(async move { managing::create(tx, &new, now).await }));
    let id = match made.await {
        Ok(id) => id,
        Err(StoreError::Conflict(_)) => bail!("there is an agent `{name}`; `clifford agents set` changes it"),
        Err(other) => return Err(other.into()),
    };
    let agent = find(&mut db.read().await?, &id.to_string()).await?;
    print_agent(&agent, add.format, "made")
}

pub(super) async fn set(db: &Db, set: Set) -> anyhow::Result<()> {
    let prompt = set.prompt.read()?;
    let enabled = match (set.enable, set.disable) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    if prompt.is_none() && set.mode.is_none() && enabled.is_none() {
        bail!("nothing to change: give --prompt, --prompt-file, --mode, --enable or --disable");
    }
    let id = find(&mut db.read().await?, &set.which.agent).await?.id;
    let (now, mode) = (setup::now(), set.mode);
    db.write(move |tx| {
        Box::pin(async move {
            if let Some(enabled) = enabled {
                agents::set_enabled(tx, id, enabled, now).await?;
            }
            if let Some(mode) = mode {
                agents::set_mode(tx, id, mode, now).await?;
            }
            match &prompt {
                Some(prompt) => prompts::set(tx, id, prompt, None, now).await,
                None => Ok(()),
            }
        })
    })
    .await?;
    let agent = find(&mut db.read().await?, &id.to_string()).await?;
    print_agent(&agent, set.which.format, "changed")
}

pub(super) async fn remove(db: &Db, which: &Which) -> anyhow::Result<()> {
    let agent = find(&mut db.read().await?, &which.agent).await?;
    let (id, now) = (agent.id, setup::now());
    db.write(move |tx| Box::pin(async move { managing::delete(tx, id, now).await }))
        .await?;
    if which.format.json {
        return output::json(&json!({ "id": id, "removed": true }));
    }
    output::print(&format!("{} ({id}): removed", agent.name))
}
