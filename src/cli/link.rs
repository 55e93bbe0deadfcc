//! `clifford link`: makes two people that are one into one, by the same codes as in chats.

use std::process::ExitCode;

use clifford_ingress::identity;
use clifford_store::people::users;
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    people,
    setup::{self, Globals},
};

/// Arguments of `link`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford link code telegram:4711         a code that this person's other account can enter: /link CODE",
    "clifford link use K7WPM3QX discord:815   enter a code for the other account",
    "clifford link use K7WPM3QX Ada           the same, by a name that only one person has",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print a new code of a person, in place of an older one. The account that enters it is linked to that person.
    Code {
        /// The person: an id, platform:account, or a name that only one has.
        user: String,
        #[command(flatten)]
        format: Format,
    },
    /// Link an account to the person with this code.
    Use {
        /// The code.
        code: String,
        /// The person: an id, platform:account, or a name that only one has.
        user: String,
        #[command(flatten)]
        format: Format,
    },
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::Code { user, format } => make(globals, &user, format).await,
        Command::Use { code, user, format } => enter(globals, code, &user, format).await,
    }
}

async fn make(globals: &Globals, user: &str, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let user = people::find(&mut db.read().await?, user).await?;
    let (id, now) = (user.id, setup::now());
    let made = db
        .write(move |tx| {
            Box::pin(async move {
                let account = identity::account_of(tx, id).await?;
                identity::make_code(tx, &account, now).await
            })
        })
        .await?;
    db.close().await;
    if format.json {
        output::json(&json!({ "userId": user.id, "code": made.code, "expiresAt": made.expires_at }))?;
    } else {
        output::print(&format!(
            "{}\n\nGood once, until {}. Enter it on the account that is to become part of {}: /link {}",
            made.code,
            output::when(made.expires_at),
            output::cell(&user.name),
            made.code
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn enter(globals: &Globals, code: String, user: &str, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let entering = people::find(&mut db.read().await?, user).await?;
    let (id, now) = (entering.id, setup::now());
    let entered = db
        .write(move |tx| {
            Box::pin(async move {
                let account = identity::account_of(tx, id).await?;
                Ok(match identity::enter_code(tx, &account, &code, now).await? {
                    Ok(user) => {
                        let identities = users::identities(tx, user.id).await?;
                        Ok((user, identities))
                    }
                    Err(refusal) => Err(refusal),
                })
            })
        })
        .await?;
    db.close().await;
    let (user, identities) = entered?;
    let accounts: Vec<_> = identities
        .iter()
        .map(|identity| format!("{}:{}", identity.platform, identity.platform_user_id))
        .collect();
    if format.json {
        output::json(&json!({ "userId": user.id, "name": user.name, "accounts": accounts }))?;
    } else {
        output::print(&format!(
            "{} is one person now on {} ({})",
            output::cell(&user.name),
            output::cell(&accounts.join(", ")),
            user.id
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
