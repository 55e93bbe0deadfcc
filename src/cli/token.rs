//! `clifford token`: tokens for the HTTP API.

use std::process::ExitCode;

use anyhow::bail;
use clifford_vault::Token;
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    setup::{self, Globals},
};
use crate::{id::TokenId, store::tokens};

/// Arguments of `token`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford token create --name laptop",
    "clifford token create --name monitoring --scope read",
    "clifford token revoke 0198f2c4-…",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Makes a token and prints it, this once; only its hash is kept.
    Create {
        /// What you call it.
        #[arg(long, default_value = "command line")]
        name: String,
        /// What it may do; can be repeated [default: read, write].
        #[arg(long, value_enum)]
        scope: Vec<Scope>,
        #[command(flatten)]
        format: Format,
    },
    /// Lists the tokens, without the tokens themselves.
    List(Format),
    /// Takes a token out of use.
    Revoke {
        /// Its id, as `clifford token list` shows it.
        id: TokenId,
        #[command(flatten)]
        format: Format,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Scope {
    /// Reads everything.
    Read,
    /// Sends messages and works on runs as well.
    Write,
    /// Changes settings and tokens as well.
    Admin,
}

impl Scope {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::Create { name, scope, format } => create(globals, name, &scope, format).await,
        Command::List(format) => list(globals, format).await,
        Command::Revoke { id, format } => revoke(globals, id, format).await,
    }
}

async fn create(globals: &Globals, name: String, scopes: &[Scope], format: Format) -> anyhow::Result<ExitCode> {
    let wanted = match scopes {
        [] => &[Scope::Read, Scope::Write][..],
        some => some,
    };
    let scopes: Vec<_> = wanted.iter().map(|scope| scope.as_str().to_owned()).collect();
    let loaded = globals.load()?;
    let db = setup::database_or_new(&loaded).await?;
    let token = Token::new(&mut rand::rng());
    let (id, hash, now) = (TokenId::new(), token.hash(), setup::now());
    let (stored, called) = (scopes.clone(), name.clone());
    db.write(move |tx| Box::pin(async move { tokens::insert(tx, id, &called, &hash, &stored, now).await }))
        .await?;
    db.close().await;
    if format.json {
        output::json(&json!({ "id": id, "name": name, "scopes": scopes, "token": token.expose() }))?;
    } else {
        output::print(&format!(
            "{}\n\nThis is the only time that it is shown. Id: {id}, scopes: {}.\nUse: Authorization: Bearer TOKEN",
            token.expose(),
            scopes.join(", ")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(globals: &Globals, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let tokens = tokens::list(&mut db.read().await?).await?;
    db.close().await;
    if format.json {
        output::json(&tokens)?;
    } else {
        let rows = tokens
            .into_iter()
            .map(|token| {
                let state = token
                    .revoked_at
                    .map_or_else(|| "in use".to_owned(), |at| format!("revoked {}", output::when(at)));
                [
                    token.id.to_string(),
                    token.name,
                    token.scopes.0.join(","),
                    output::when(token.created_at),
                    state,
                ]
            })
            .collect();
        output::table(
            ["ID", "NAME", "SCOPES", "MADE", "STATE"],
            rows,
            "there are no tokens; `clifford token create` makes one",
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn revoke(globals: &Globals, id: TokenId, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let now = setup::now();
    let revoked = db.write(move |tx| Box::pin(tokens::revoke(tx, id, now))).await?;
    db.close().await;
    if !revoked {
        bail!("there is no token {id} in use; `clifford token list` shows them");
    }
    if format.json {
        output::json(&json!({ "id": id, "revoked": true }))?;
    } else {
        output::print(&format!("{id}: revoked"))?;
    }
    Ok(ExitCode::SUCCESS)
}
