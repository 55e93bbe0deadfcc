//! `clifford users key`: people's own keys for model providers. A key is read from standard input: what stands in a
//! command line, others on the machine see, and the shell remembers.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::{Context, bail};
use clifford_config::{ProviderKind, Secrets};
use clifford_engine::models::{byok, encryption::Encryption};
use clifford_store::{Db, people::keys as user_secrets};
use serde_json::json;

use super::{
    output::{self, Format},
    people,
    setup::{self, Globals},
};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List the providers for which a person has a key.
    List(List),
    /// Read a person's key for a provider from standard input; their runs use it.
    Set(Set),
    /// Remove a person's key for a provider.
    Remove(Set),
}

#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// The person: their id, `platform:account`, or a name that nobody else has.
    user: String,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Args)]
pub(super) struct Set {
    /// The person: their id, `platform:account`, or a name that nobody else has.
    user: String,
    /// The provider, as [[llm.providers]] names it.
    provider: String,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, db: &Db, command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(args) => list(db, &args).await,
        Command::Set(args) => set(globals, db, &args).await,
        Command::Remove(args) => remove(db, args).await,
    }
}

async fn list(db: &Db, args: &List) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let user = people::find(&mut conn, &args.user).await?;
    let keys = user_secrets::list(&mut conn, user.id).await?;
    if args.format.json {
        return output::json(&keys);
    }
    let rows = keys
        .into_iter()
        .map(|key| [key.provider, key.created_at.to_string()])
        .collect();
    output::table(["PROVIDER", "SINCE"], rows, "no keys found")
}

async fn set(globals: &Globals, db: &Db, args: &Set) -> anyhow::Result<()> {
    let (loaded, secrets) = globals.load_with_secrets()?;
    let Secrets {
        encryption_key, masker, ..
    } = secrets;
    let providers = loaded.config.llm.providers.iter();
    let takes_keys = providers.filter(|provider| provider.kind != ProviderKind::Offline);
    let names: Vec<_> = takes_keys.map(|provider| provider.name.clone()).collect();
    let user = people::find(&mut db.read().await?, &args.user).await?;
    let encryption = Encryption::new(encryption_key, &loaded.data_dir, masker);
    let key = byok::encrypt(&names, &encryption, &args.provider, &read_key()?)?;
    let (id, stored) = (user.id, key.clone());
    db.write(move |tx| Box::pin(async move { user_secrets::put(tx, id, &stored, setup::now()).await }))
        .await?;
    if args.format.json {
        return output::json(&json!({ "userId": id, "provider": key.provider, "set": true }));
    }
    output::print(&format!(
        "{} is answered by their own key for {}",
        output::cell(&user.name),
        key.provider
    ))
}

fn read_key() -> anyhow::Result<String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        // Only the person who types reads this.
        let mut err = io::stderr().lock();
        let _ = write!(err, "the key: ").and_then(|()| err.flush());
    }
    let mut line = String::new();
    stdin
        .lock()
        .read_line(&mut line)
        .context("the key cannot be read from standard input")?;
    if line.trim().is_empty() {
        bail!("no key stands on standard input: pipe it in, such as `clifford users key set Ada main < key.txt`");
    }
    Ok(line)
}

async fn remove(db: &Db, args: Set) -> anyhow::Result<()> {
    let user = people::find(&mut db.read().await?, &args.user).await?;
    let (id, provider) = (user.id, args.provider.clone());
    let removed = db
        .write(move |tx| Box::pin(async move { user_secrets::remove(tx, id, &provider).await }))
        .await?;
    if !removed {
        bail!(
            "there is no key of {} for {}; `clifford users key list` shows which there are",
            output::cell(&user.name),
            args.provider
        );
    }
    if args.format.json {
        return output::json(&json!({ "userId": id, "provider": args.provider, "set": false }));
    }
    output::print(&format!(
        "the key of {} for {} is forgotten",
        output::cell(&user.name),
        args.provider
    ))
}
