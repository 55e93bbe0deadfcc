//! `clifford db copy`: moves a database from one engine to the other.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{anyhow, bail};
use clifford_config::Loaded;
use clifford_store::{
    Db, DbOptions, StoreError,
    copy::{self, Verified},
};
use clifford_vault::Url;
use serde_json::json;

use crate::{
    app,
    cli::{
        bar::{Bar, Unit},
        output::{self, Format},
        setup::{self, Globals},
    },
};

/// Arguments of `db copy`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The database to copy: `sqlite:PATH` or `postgres://…` [default: the one that is configured].
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// The database to fill, of the other engine: a new file, or an empty database of PostgreSQL.
    #[arg(long, value_name = "URL")]
    to: String,
    #[command(flatten)]
    format: Format,
}

pub(super) async fn run(globals: &Globals, args: Args) -> anyhow::Result<ExitCode> {
    let loaded = globals.load()?;
    for (flag, given) in [("--from", args.from.as_ref()), ("--to", Some(&args.to))] {
        let known = ["sqlite:", "postgres://", "postgresql://"];
        // It may hold a password, and is not repeated.
        if given.is_some_and(|url| {
            known
                .iter()
                .all(|begin| url.strip_prefix(begin).is_none_or(str::is_empty))
        }) {
            bail!("{flag}: write sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME");
        }
    }
    let from = args.from.map_or_else(|| loaded.database_url.clone(), Url::from);
    let to = Url::from(args.to);
    if let Some(path) = sqlite_path(&from).filter(|path| !path.exists()) {
        bail!("there is no database at {}: name another with --from", path.display());
    }
    setup::restrict(&loaded);
    // The copy reads in one snapshot, so over one connection.
    let source = Db::open(&options(&loaded, &from, false, 1)).await;
    let source = source.map_err(|error| named(&from, error))?;
    let opened = Db::open(&options(&loaded, &to, true, loaded.config.database.max_connections)).await;
    let target = match opened {
        Ok(target) => target,
        Err(error) => {
            source.close().await;
            return Err(named(&to, error));
        }
    };
    let bar = Bar::new(!args.format.json, "copying", Unit::Things("rows"), Some(0));
    let outcome = copy::copy(&name(&from), &source, &target, &mut |progress| bar.copied(progress)).await;
    drop(bar);
    source.close().await;
    target.close().await;
    let tables = outcome.map_err(|error| named(&from, error))?;
    print(&from, &to, &tables, args.format)?;
    Ok(ExitCode::SUCCESS)
}

/// An error of one of the two databases; of a damaged one it says which that is.
fn named(url: &Url, error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Damaged(why) => anyhow!("{url} is damaged: {why}"),
        error => error.into(),
    }
}

fn options(loaded: &Loaded, url: &Url, migrate: bool, connections: u32) -> DbOptions {
    let mut options = app::db_options(loaded, true);
    options.url = url.as_str().to_owned();
    options.migrate = migrate;
    options.section.max_connections = connections;
    options
}

fn sqlite_path(url: &Url) -> Option<PathBuf> {
    let path = url.as_str().strip_prefix("sqlite:")?;
    Some(Path::new(path.trim_start_matches("//")).to_owned())
}

/// The source's name, the same from whatever directory it is named.
fn name(url: &Url) -> String {
    let whole = sqlite_path(url).and_then(|path| path.canonicalize().ok());
    whole.map_or_else(|| url.to_string(), |path| format!("sqlite:{}", path.display()))
}

fn print(from: &Url, to: &Url, tables: &[Verified], format: Format) -> anyhow::Result<()> {
    if format.json {
        let tables: Vec<_> = (tables.iter())
            .map(|one| json!({ "table": one.table, "rows": one.rows, "checksum": one.checksum }))
            .collect();
        return output::json(&json!({ "from": from, "to": to, "tables": tables }));
    }
    let rows = (tables.iter().filter(|one| one.rows > 0))
        .map(|one| [one.table.clone(), one.rows.to_string(), one.checksum.clone()])
        .collect();
    output::table(["TABLE", "ROWS", "CHECKSUM"], rows, "the source has no rows")?;
    output::print(&format!(
        "{} tables are the same in both databases; set database.url to {to}, and keep secret.key and files/ of the data directory",
        tables.len()
    ))
}
