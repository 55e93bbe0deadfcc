//! `clifford pair`: access to the bot where `access = "pairing"`.

use std::process::ExitCode;

use anyhow::bail;
use clifford_ingress::{self as ingress, Decision};
use clifford_store::people::{
    claim,
    pairing_codes::{self, PairingRequest},
    pairings,
};
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    setup::{self, Globals},
};

/// The name by which people read who decided here.
const OPERATOR: &str = "the operator";

/// Arguments of `pair`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford pair claim              a code that makes you the owner: send it to the bot",
    "clifford pair list               who asked, and their codes",
    "clifford pair approve K7WPM3QX   let in who got this code",
    "clifford pair refuse telegram:9  tell this account no; it may ask again",
    "clifford pair block telegram:9   ignore this account from now on",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List people who asked for access, each with the code that they got.
    List {
        /// List the blocked accounts instead.
        #[arg(long)]
        blocked: bool,
        #[command(flatten)]
        format: Format,
    },
    /// Approve the person who got this code from the bot, or who has this account.
    Approve {
        /// The code, or an account as `clifford pair list` shows it, such as `telegram:9`.
        code: String,
        #[command(flatten)]
        format: Format,
    },
    /// Refuse an account: its person gets a message, and may ask again.
    Refuse {
        /// The account, such as `telegram:9`.
        account: String,
        #[command(flatten)]
        format: Format,
    },
    /// Block an account: the bot ignores it until it is approved.
    Block {
        /// The account, such as `telegram:9`.
        account: String,
        #[command(flatten)]
        format: Format,
    },
    /// Print a new code for the first owner, in place of an older one: the person who sends it to the bot becomes its
    /// owner.
    Claim(Format),
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::List { blocked, format } => list(globals, blocked, format).await,
        Command::Approve { code, format } if ingress::account(&code).is_some() => {
            decide(globals, &code, Decision::Approve, format).await
        }
        Command::Approve { code, format } => approve(globals, code, format).await,
        Command::Refuse { account, format } => decide(globals, &account, Decision::Refuse, format).await,
        Command::Block { account, format } => decide(globals, &account, Decision::Block, format).await,
        Command::Claim(format) => claim(globals, format).await,
    }
}

async fn list(globals: &Globals, blocked: bool, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let mut conn = db.read().await?;
    let waiting = match blocked {
        true => {
            let blocked = pairings::blocked(&mut conn).await?;
            blocked.into_iter().map(PairingRequest::from).collect()
        }
        false => pairing_codes::list(&mut conn, setup::now()).await?,
    };
    drop(conn);
    db.close().await;
    if format.json {
        output::json(&waiting)?;
        return Ok(ExitCode::SUCCESS);
    }
    let account = |one: &PairingRequest| format!("{}:{}", one.platform, one.platform_user_id);
    if blocked {
        let rows = waiting.iter().map(|one| [one.name.clone(), account(one)]).collect();
        output::table(["NAME", "ACCOUNT"], rows, "nobody is blocked")?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows = waiting.iter().map(|one| {
        let approve = format!("clifford pair approve {}", account(one));
        let code = one.code.clone().unwrap_or_else(|| "-".to_owned());
        [one.name.clone(), code, output::when(one.expires_at), approve]
    });
    output::table(
        ["NAME", "CODE", "GOOD UNTIL", "LET THEM IN BY"],
        rows.collect(),
        "no pending requests found",
    )?;
    Ok(ExitCode::SUCCESS)
}

async fn approve(globals: &Globals, code: String, format: Format) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let now = setup::now();
    let asked = code.clone();
    let name = db
        .write(move |tx| Box::pin(async move { ingress::approve(tx, &asked, OPERATOR, now).await }))
        .await?;
    db.close().await;
    let Some(name) = name else {
        bail!(
            "no open request has the code {code}: codes are good once and for an hour; the person gets a new one by writing to the bot again"
        );
    };
    print_decision(&name, Decision::Approve, format)
}

async fn decide(globals: &Globals, named: &str, decision: Decision, format: Format) -> anyhow::Result<ExitCode> {
    let Some((platform, account)) = ingress::account(named) else {
        bail!("`{named}` is no account: name it as `clifford pair list` does, such as telegram:9");
    };
    let db = globals.database().await?;
    let (platform, account, now) = (platform.to_owned(), account.to_owned(), setup::now());
    let name = db
        .write(move |tx| {
            Box::pin(async move { ingress::decide(tx, &platform, &account, decision, OPERATOR, now).await })
        })
        .await?;
    db.close().await;
    let Some(name) = name else {
        bail!("nobody asks to be let in by the account {named}; `clifford pair list` shows who waits");
    };
    print_decision(&name, decision, format)
}

fn print_decision(name: &str, decision: Decision, format: Format) -> anyhow::Result<ExitCode> {
    let (key, becomes) = match decision {
        Decision::Approve => ("approved", "may talk to the bot now"),
        Decision::Refuse => ("refused", "is not let in, and may ask again"),
        Decision::Block => ("blocked", "is not heard any more"),
    };
    if format.json {
        output::json(&json!({ key: name }))?;
    } else {
        output::print(&format!("{} {becomes}", output::cell(name)))?;
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
