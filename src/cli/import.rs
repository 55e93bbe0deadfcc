//! `clifford import`: takes in an archive of `clifford export`, and what other bots and platforms export.

mod told;

use std::{path::PathBuf, process::ExitCode, sync::Arc};

use anyhow::bail;
use clifford_config::Loaded;
use clifford_core::id::{AgentId, UserId};
use clifford_portable::{self as portable, Format as SourceFormat, Options, Phase, Source, Step};
use clifford_store::{
    Db,
    places::agents::{self, Agent},
    portable::people as known_people,
};

use super::{
    bar::{Bar, Unit},
    examples, export,
    output::Format,
    people,
    setup::{self, Globals},
};

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
#[command(after_help = examples!(
    "clifford import everything.tar --trusted --dry-run     what an archive of your own bot would bring",
    "clifford import everything.tar --trusted               take it in",
    "clifford import ada.tar                                what Ada brings along, into private places of hers",
    "clifford import DataExport_2026-11-26 --for Ada        Telegram's export, in its directory",
    "clifford import package --for Ada                      Discord's data package, unpacked",
    "clifford import ~/.openclaw --for Ada --dry-run",
))]
pub(super) struct Args {
    /// The archive, file or directory.
    path: PathBuf,
    /// Its format [default: as it looks].
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    from: Option<SourceFormat>,
    /// The person whose data it is, of data from elsewhere: an id, platform:account, or a name that only they have
    /// [default: whose account the data name].
    #[arg(long, value_name = "PERSON")]
    r#for: Option<String>,
    /// The archive is of a bot of yours: take accounts, rights, groups, settings and reminders as they are.
    #[arg(long)]
    trusted: bool,
    /// Only tell who would know what, where.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    format: Format,
}

fn format(text: &str) -> Result<SourceFormat, String> {
    let found = SourceFormat::ALL.into_iter().find(|format| format.as_str() == text);
    found.ok_or_else(|| {
        format!(
            "it is one of {}",
            SourceFormat::ALL.map(SourceFormat::as_str).join(", ")
        )
    })
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    let from = match args.from {
        Some(from) => from,
        None => portable::detect(&args.path)?,
    };
    if args.trusted && from != SourceFormat::Clifford {
        bail!("--trusted is for archives of Clifford: what other programs export is data of one person");
    }
    if args.r#for.is_some() && from == SourceFormat::Clifford {
        bail!("an archive of Clifford names its people itself: leave --for out");
    }
    let storage = export::storage(globals, &loaded)?;
    let source = from.open(&args.path, loaded.config.files.max_file_bytes)?;
    let db = setup::database_or_new(&loaded).await?;
    let outcome = import(&loaded, &db, &storage, source, &args).await;
    db.close().await;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn import(
    loaded: &Loaded,
    db: &Db,
    storage: &clifford_content::files::Storage,
    mut source: Box<dyn Source>,
    args: &Args,
) -> anyhow::Result<()> {
    let mut options = Options {
        is_trusted: args.trusted,
        owner: None,
    };
    if source.format() != SourceFormat::Clifford {
        let owner = owner(db, &*source, args).await?;
        let known = known_people(&mut db.read().await?, &[owner], &[]).await?;
        let accounts = known.into_iter().flat_map(|person| person.accounts).collect::<Vec<_>>();
        source.set_owner(owner, &accounts);
        options.owner = Some(owner);
    }
    let source: Arc<dyn Source> = source.into();
    let bar = Bar::new(!args.format.json, "importing", Unit::Things("records"), None);
    let mut progress = |step: Step| {
        let what = match step.phase {
            Phase::Checking => "checking",
            Phase::Writing => "importing",
        };
        bar.show(what, step.done, step.total);
    };
    let now = setup::now();
    if args.dry_run {
        let plan = portable::plan(db, &source, options, now, &mut progress).await;
        drop(bar);
        return told::plan(&plan?, args.format);
    }
    let agent = agent(loaded, db).await?;
    let outcome = portable::import(db, storage, &source, options, agent, now, &mut progress).await;
    drop(bar);
    told::outcome(&outcome?, args.format)
}

/// The person whose data it is.
async fn owner(db: &Db, source: &dyn Source, args: &Args) -> anyhow::Result<UserId> {
    let mut conn = db.read().await?;
    if let Some(text) = &args.r#for {
        return Ok(people::find(&mut conn, text).await?.id);
    }
    let name = source.format().name();
    let Some((platform, account)) = source.account()? else {
        bail!("these data of {name} do not tell whose they are: name the person with --for");
    };
    let account = (platform, account);
    let known = known_people(&mut conn, &[], std::slice::from_ref(&account)).await?;
    match &known[..] {
        [person] => Ok(person.id),
        _ => bail!(
            "nobody here has the account {}:{}: name the person with --for",
            account.0,
            account.1
        ),
    }
}

/// The agent of imported runs: the one that answers where no other is set. A database that no bot has worked on yet gets
/// it from the configuration.
async fn agent(loaded: &Loaded, db: &Db) -> anyhow::Result<AgentId> {
    if let Some(agent) = agents::for_channel(&mut db.read().await?, None).await? {
        return Ok(agent.id);
    }
    let Some(section) = loaded.config.all_agents().next() else {
        bail!("the configuration has no agent");
    };
    let agent = Agent::configured(section, true);
    let now = setup::now();
    db.write(move |tx| Box::pin(async move { agents::put(tx, &agent, now).await }))
        .await?;
    let made = agents::for_channel(&mut db.read().await?, None).await?;
    made.map(|agent| agent.id)
        .ok_or_else(|| anyhow::anyhow!("the agent of the configuration is disabled: enable it"))
}
