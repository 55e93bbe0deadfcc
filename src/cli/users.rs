//! `clifford users`: the people whom the bot knows. Works alongside a server on the same database.

use std::process::ExitCode;

use anyhow::bail;
use clifford_chat::{names, platform::Platform};
use clifford_core::{
    id::UserId,
    people::{User, UserRole},
};
use clifford_store::{
    Db,
    people::users::{self, Change, Filter, Identity},
};
use clifford_tools::settings::catalogue::Kind;
use serde_json::json;

use super::{
    examples,
    ids::{self, IdArg},
    keys, local,
    output::{self, Format},
    people,
    setup::{self, Globals},
    words,
};

/// Arguments of `users`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford users list --role owner",
    "clifford users show telegram:7",
    "clifford users set Ada --role member --time-zone Europe/Berlin",
    "clifford users set Ada --language \"\"",
    "clifford users key set Ada main < key.txt",
    "clifford users key list Ada",
    "clifford users key remove Ada main",
))]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List people, the newest first.
    List(List),
    /// Show a person with their accounts.
    Show(Show),
    /// Change a person.
    Set(Set),
    /// List, set and remove people's own keys for model providers.
    #[command(subcommand)]
    Key(keys::Command),
}

#[derive(Debug, clap::Args)]
struct List {
    /// Only people of this role: owner, member or stranger.
    #[arg(long)]
    role: Option<UserRole>,
    /// Only people who came before this one (their id).
    #[arg(long, value_name = "USER")]
    before: Option<IdArg<UserId>>,
    /// The most to list.
    #[arg(long, default_value_t = 50, value_parser = words::up_to::<1000>)]
    limit: u32,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct Show {
    /// The person: their id, `platform:account`, or a name that nobody else has.
    user: String,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Args)]
struct Set {
    /// The person: their id, `platform:account`, or a name that nobody else has.
    user: String,
    /// The name that others see.
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    name: Option<String>,
    /// New role: owner, member or stranger. The last owner stays one.
    #[arg(long)]
    role: Option<UserRole>,
    /// Their language, such as en or pt-BR; empty: unknown.
    #[arg(long, value_parser = |text: &str| parse_setting(Kind::Language, text))]
    language: Option<String>,
    /// Their time zone, such as Europe/Berlin; empty: unknown.
    #[arg(long, value_parser = |text: &str| parse_setting(Kind::TimeZone, text))]
    time_zone: Option<String>,
    #[command(flatten)]
    format: Format,
}

fn parse_setting(kind: Kind, text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Ok(String::new());
    }
    kind.checked(text)
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let db = globals.database().await?;
    let outcome = match args.command {
        Command::List(args) => list(&db, &args).await,
        Command::Show(args) => show(&db, &args).await,
        Command::Set(args) => set(&db, args).await,
        Command::Key(command) => keys::run(globals, &db, command).await,
    };
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn list(db: &Db, args: &List) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let filter = Filter {
        role: args.role,
        like: None,
        only: None,
        before: ids::optional(&mut conn, args.before.as_ref()).await?,
    };
    let found = users::page(&mut conn, filter, output::one_more(args.limit)).await?;
    let (found, more) = output::page(found, args.limit, output::Way::Before);
    let here = users::by_identity(&mut conn, Platform::TERMINAL, local::SPEAKER).await?;
    drop(conn);
    if args.format.json {
        output::json(&found)?;
        more.tell();
        return Ok(());
    }
    let rows = found
        .into_iter()
        .map(|user| {
            [
                user.id.to_string(),
                display_name(&user, here.as_ref().is_some_and(|here| here.id == user.id)),
                user.role.to_string(),
                user.language.unwrap_or_default(),
                user.time_zone.unwrap_or_default(),
            ]
        })
        .collect();
    output::table(
        ["USER", "NAME", "ROLE", "LANGUAGE", "TIME ZONE"],
        rows,
        "no people found",
    )?;
    more.tell();
    Ok(())
}

/// A person's name in lists. Whoever sits at this machine has the rights of its user, whatever their role in chats.
fn display_name(user: &User, is_here: bool) -> String {
    let name = output::head(&user.name, 40);
    if is_here {
        format!("{name} ({})", people::HERE)
    } else {
        name
    }
}

async fn show(db: &Db, args: &Show) -> anyhow::Result<()> {
    let mut conn = db.read().await?;
    let user = people::find(&mut conn, &args.user).await?;
    let identities = users::identities(&mut conn, user.id).await?;
    drop(conn);
    if args.format.json {
        return output::json(&json!({ "user": user, "identities": identities }));
    }
    output::fields(&lines(&user, &identities))
}

fn lines(user: &User, identities: &[Identity]) -> Vec<String> {
    let unknown = || "not known".to_owned();
    let is_here =
        |own: &Identity| own.platform == Platform::TERMINAL.as_str() && own.platform_user_id == local::SPEAKER;
    let mut lines = vec![
        format!("user       {}", user.id),
        format!("name       {}", user.name),
        format!("role       {}", user.role),
        format!("language   {}", user.language.clone().unwrap_or_else(unknown)),
        format!("time zone  {}", user.time_zone.clone().unwrap_or_else(unknown)),
    ];
    lines.extend(identities.iter().map(|own| {
        let name = if is_here(own) { people::HERE } else { &own.name };
        format!("account    {}:{} ({name})", own.platform, own.platform_user_id)
    }));
    lines
}

async fn set(db: &Db, args: Set) -> anyhow::Result<()> {
    let cleared = |text: String| (!text.is_empty()).then_some(text);
    let change = Change {
        name: args.name,
        role: args.role,
        language: args.language.map(cleared),
        time_zone: args.time_zone.map(cleared),
    };
    if change == Change::default() {
        bail!("nothing to change: give --name, --role, --language or --time-zone");
    }
    if change.name.as_deref().is_some_and(names::deceives) {
        bail!("--name holds a character that nobody sees, or that turns text around; write it anew without");
    }
    let mut conn = db.read().await?;
    let id = people::find(&mut conn, &args.user).await?.id;
    let identities = users::identities(&mut conn, id).await?;
    drop(conn);
    let now = setup::now();
    let user = db
        .write(move |tx| Box::pin(async move { users::change(tx, id, &change, now).await }))
        .await?;
    if args.format.json {
        return output::json(&user);
    }
    output::fields(&lines(&user, &identities))
}
