//! `clifford login`: a link that lets a person into the dashboard.

use std::process::ExitCode;

use clifford_store::people::{
    sessions::{self, LINK_FOR, login_link},
    users,
};
use serde_json::json;

use super::{
    examples,
    output::{self, Format},
    people, server,
    setup::{self, Globals},
};

/// Arguments of `login`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford login                          a link for you, who runs this Clifford",
    "clifford login --user telegram:4711     a link for a person, who sees what is theirs",
    "clifford login --user Ada --json        the same, by a name that only one person has",
))]
pub(super) struct Args {
    /// The person: an id, `platform:account`, or a name that nobody else has. Left out: the owner, or the operator if
    /// there is not exactly one.
    #[arg(long)]
    user: Option<String>,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    let db = setup::database_or_new(&loaded).await?;
    let mut conn = db.read().await?;
    let user = match &args.user {
        Some(named) => Some(people::find(&mut conn, named).await?),
        None => match sessions::only_owner(&mut conn).await? {
            Some(owner) => users::get(&mut conn, owner).await?,
            None => None,
        },
    };
    let refusal = match &user {
        Some(user) => people::refusal(&mut conn, &loaded.config, user).await?,
        None => None,
    };
    drop(conn);
    let (person, now) = (user.as_ref().map(|user| user.id), setup::now());
    let link = db
        .write(move |tx| Box::pin(sessions::create_link(tx, person, now)))
        .await?;
    db.close().await;
    let url = login_link(&server::dashboard(&loaded), link.expose());
    let expires_at = now.after(LINK_FOR);
    if args.format.json {
        output::json(&json!({ "url": url, "userId": person, "expiresAt": expires_at }))?;
    } else {
        let whose = user.map_or_else(|| "the operator".to_owned(), |user| output::cell(&user.name));
        output::print(&format!(
            "{url}\n\nGood once, until {}: it lets {whose} into the dashboard.",
            output::when(expires_at)
        ))?;
        if setup::is_idle(&loaded) {
            output::print("The bot does not run: start it first, with `clifford serve`.")?;
        }
    }
    if let Some(refusal) = refusal {
        output::warn(&refusal);
    }
    Ok(ExitCode::SUCCESS)
}
