//! `clifford token`: tokens for the HTTP API.

use std::process::ExitCode;

use anyhow::bail;
use clap::builder::NonEmptyStringValueParser;
use clifford_core::id::TokenId;
use clifford_store::{
    Conn,
    people::{
        tokens::{self, ApiToken, NewToken},
        users,
    },
};
use serde_json::json;

use super::{
    examples,
    ids::IdArg,
    output::{self, Format},
    people,
    setup::{self, Globals},
};

/// The owner of a token that belongs to no person.
const OPERATOR: &str = "the operator";

/// Arguments of `token`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford token create --name laptop",
    "clifford token create --name monitoring --scope read",
    "clifford token create --user telegram:7 --name phone",
    "clifford token list",
    "clifford token revoke 0198f2c4",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Create a token and print it, this once; only its hash is stored.
    Create {
        /// A name of your choice.
        #[arg(long, default_value = "command line", value_parser = NonEmptyStringValueParser::new())]
        name: String,
        /// The token's person: an id, `platform:account`, or a name that nobody else has. The token has that person's
        /// rights. Left out: the operator's token, which sees everything.
        #[arg(long)]
        user: Option<String>,
        /// Scope of the token; can be repeated [default: read, write].
        #[arg(long, value_enum)]
        scope: Vec<Scope>,
        #[command(flatten)]
        format: Format,
    },
    /// List the tokens, without the tokens themselves.
    List(Format),
    /// Revoke a token.
    Revoke {
        /// Its id, as `clifford token list` shows it.
        id: IdArg<TokenId>,
        #[command(flatten)]
        format: Format,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Scope {
    /// Read what is its person's; with an operator's token everything but files.
    Read,
    /// Send messages and change what is its own.
    Write,
    /// Act as any person and change settings, if it is the operator's or an owner's.
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
        Command::Create {
            name,
            user,
            scope,
            format,
        } => create(globals, name, user.as_deref(), &scope, format).await,
        Command::List(format) => list(globals, format).await,
        Command::Revoke { id, format } => revoke(globals, &id, format).await,
    }
}

async fn create(
    globals: &Globals,
    name: String,
    user: Option<&str>,
    scopes: &[Scope],
    format: Format,
) -> anyhow::Result<ExitCode> {
    let wanted = match scopes {
        [] => &[Scope::Read, Scope::Write][..],
        some => some,
    };
    let scopes: Vec<_> = wanted.iter().map(|scope| scope.as_str().to_owned()).collect();
    let loaded = globals.load()?;
    let db = setup::database_or_new(&loaded).await?;
    let user = match user {
        Some(named) => Some(people::find(&mut db.read().await?, named).await?),
        None => None,
    };
    let refusal = match &user {
        Some(user) => people::refusal(&mut db.read().await?, &loaded.config, user).await?,
        None => None,
    };
    let person = user.as_ref().map(|user| user.id);
    let (new, now) = (
        NewToken {
            name: name.clone(),
            scopes: scopes.clone(),
            user: person,
        },
        setup::now(),
    );
    let made = db.write(move |tx| Box::pin(async move { tokens::create(tx, &new, now).await }));
    let (id, token) = made.await?;
    db.close().await;
    if format.json {
        output::json(&json!({
            "id": id, "name": name, "userId": person, "scopes": scopes, "token": token.expose(),
        }))?;
    } else {
        output::print(&format!(
            "{}\n\nThis is the only time that it is shown. Id: {id}, of {}, scopes: {}.\nUse: Authorization: Bearer TOKEN",
            token.expose(),
            user.map_or_else(|| OPERATOR.to_owned(), |user| output::cell(&user.name)),
            scopes.join(", ")
        ))?;
    }
    if let Some(refusal) = refusal {
        output::warn(&refusal);
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(globals: &Globals, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let mut conn = db.read().await?;
    let tokens = tokens::list(&mut conn, None).await?;
    let mut whose = Vec::new();
    for token in &tokens {
        whose.push(owner(&mut conn, token).await?);
    }
    drop(conn);
    db.close().await;
    if format.json {
        output::json(&tokens)?;
    } else {
        let rows = tokens
            .into_iter()
            .zip(whose)
            .map(|(token, whose)| {
                let state = token
                    .revoked_at
                    .map_or_else(|| output::state("in use"), |at| format!("revoked {}", output::ago(at)));
                [
                    token.id.to_string(),
                    token.name,
                    whose,
                    token.scopes.0.join(","),
                    output::ago(token.created_at),
                    state,
                ]
            })
            .collect();
        output::table(
            ["ID", "NAME", "WHOSE", "SCOPES", "MADE", "STATE"],
            rows,
            "no tokens found; `clifford token create` makes one",
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The owner of a token, in words.
async fn owner(conn: &mut Conn, token: &ApiToken) -> anyhow::Result<String> {
    let Some(id) = token.user_id else {
        return Ok(OPERATOR.to_owned());
    };
    let user = users::get(conn, id).await?;
    Ok(user.map_or_else(|| id.to_string(), |user| user.name))
}

async fn revoke(globals: &Globals, wanted: &IdArg<TokenId>, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let id = wanted.find(&mut db.read().await?).await?;
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
