//! `clifford pair`: who may talk to the bot where `access = "pairing"`.

use std::process::ExitCode;

use anyhow::bail;
use clifford_ingress as ingress;
use clifford_store::people::{claim, pairings};
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    setup::{self, Globals},
};

/// Arguments of `pair`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford pair claim              a code that makes you the owner: send it to the bot",
    "clifford pair list               who asked",
    "clifford pair approve K7WPM3QX   let in who got this code",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Lists those who asked to be let in.
    List(Format),
    /// Lets the person in who got this code from the bot.
    Approve {
        /// The code.
        code: String,
        #[command(flatten)]
        format: Format,
    },
    /// Prints a new code for the first owner, in place of an older one: whoever sends it to the bot owns it.
    Claim(Format),
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::List(format) => list(globals, format).await,
        Command::Approve { code, format } => approve(globals, code, format).await,
        Command::Claim(format) => claim(globals, format).await,
    }
}

async fn list(globals: &Globals, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let waiting = pairings::list(&mut db.read().await?, setup::now()).await?;
    db.close().await;
    if format.json {
        output::json(&waiting)?;
    } else {
        let rows = waiting
            .into_iter()
            .map(|one| {
                let until = output::when(one.expires_at);
                [one.platform, one.name, one.platform_user_id, until]
            })
            .collect();
        output::table(
            ["PLATFORM", "NAME", "ACCOUNT", "CODE GOOD UNTIL"],
            rows,
            "nobody has asked",
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn approve(globals: &Globals, code: String, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let now = setup::now();
    let asked = code.clone();
    let name = db
        .write(move |tx| Box::pin(async move { ingress::approve(tx, &asked, now).await }))
        .await?;
    db.close().await;
    let Some(name) = name else {
        bail!(
            "no open request has the code {code}: codes are good once and for an hour; the person gets a new one by writing to the bot again"
        );
    };
    if format.json {
        output::json(&json!({ "approved": name }))?;
    } else {
        output::print(&format!("{} may talk to the bot now", output::cell(&name)))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn claim(globals: &Globals, format: Format) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    let db = setup::database_or_new(&loaded).await?;
    let now = setup::now();
    let code = db.write(move |tx| Box::pin(claim::make(tx, now))).await?;
    db.close().await;
    let Some(code) = code else {
        bail!("the bot has an owner already; they let others in with `clifford pair approve CODE`");
    };
    if format.json {
        output::json(&json!({ "code": code }))?;
    } else {
        output::print(&format!(
            "{code}\n\nSend this code to the bot in a private chat, and you are its owner."
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
