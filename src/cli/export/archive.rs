//! The archive of an export, written as it is read.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::BufWriter,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use anyhow::bail;
use clifford_config::Loaded;
use clifford_content::files::{Location, Storage};
use clifford_core::{clock::SystemClock, settings::FileStore};
use clifford_portable::{Head, Writer};
use clifford_store::{
    Conn, Db, files,
    places::channels,
    portable::{self, Cursor, Kind, Record, Scope},
};
use serde_json::json;

use super::{Args, unwritable};
use crate::{
    app,
    cli::{
        bar::{Bar, Unit},
        output,
        parts::{EXPORT_PARTS, Parts},
        people,
        setup::{self, Globals},
    },
};

/// The contents of an export, by kind, and how many contents of files.
#[derive(Default)]
struct Counts {
    records: BTreeMap<&'static str, u64>,
    contents: u64,
    lost: u64,
}

pub(super) async fn write(globals: &Globals, db: &Db, args: &Args, out: &Path) -> anyhow::Result<()> {
    let loaded = globals.load()?;
    let storage = storage(globals, &loaded)?;
    let mut conn = db.read().await?;
    let (scope, name) = scope(&mut conn, args).await?;
    let parts = Parts::for_new(out, EXPORT_PARTS)?;
    let part = parts.path().join("archive");
    let head = Head::new(env!("CARGO_PKG_VERSION"), setup::now(), name);
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part);
    let file = file.map_err(unwritable)?;
    let counts = records(&mut conn, &storage, scope, file, &head, !args.format.json).await?;
    // Only a whole archive has its name, and it takes no other file's.
    Parts::put(&part, out)?;
    let bytes = fs::metadata(out)?.len();
    if args.format.json {
        return output::json(&json!({
            "path": out, "bytes": bytes, "scope": head.scope, "records": counts.records, "files": counts.contents,
            "lostFiles": counts.lost,
        }));
    }
    let of = |kind: &Kind| Some(kind.count(*counts.records.get(kind.plural())?));
    let held: Vec<_> = Kind::ALL.iter().filter_map(of).collect();
    let held = if held.is_empty() {
        "nothing".to_owned()
    } else {
        held.join(", ")
    };
    output::print(&format!(
        "{}: {held}; {}",
        out.display(),
        output::count(bytes, "byte", None)
    ))?;
    if counts.lost > 0 {
        output::print(&format!(
            "{} without contents, which are lost; only the names are in it",
            output::count(counts.lost, "file", None)
        ))?;
    }
    Ok(())
}

/// Where the contents of files are.
pub(in crate::cli) fn storage(globals: &Globals, loaded: &Loaded) -> anyhow::Result<Storage> {
    if loaded.config.files.store != FileStore::S3 {
        return Ok(Storage::new(&loaded.data_dir, None));
    }
    let (loaded, secrets) = globals.load_with_secrets()?;
    app::storage(&loaded, &secrets, std::sync::Arc::new(SystemClock)).map_err(anyhow::Error::msg)
}

/// The scope of an export, and its name in the head.
async fn scope(conn: &mut Conn, args: &Args) -> anyhow::Result<(Scope, String)> {
    if let Some(space) = &args.space {
        let id = space.find(conn).await?;
        return Ok((Scope::Space(id), format!("space:{id}")));
    }
    if let Some(place) = &args.place {
        let id = place.find(conn).await?;
        let channel = channels::get(conn, id).await?;
        if channel.is_some_and(|channel| channel.is_private()) {
            bail!("{id} is a private chat: export its person");
        }
        return Ok((Scope::Channel(id), format!("channel:{id}")));
    }
    Ok(match &args.user {
        Some(text) => {
            let id = people::find(conn, text).await?.id;
            (Scope::Person(id), format!("user:{id}"))
        }
        None => (Scope::Everything, "everything".to_owned()),
    })
}

async fn records(
    conn: &mut Conn,
    storage: &Storage,
    scope: Scope,
    file: File,
    head: &Head,
    is_shown: bool,
) -> anyhow::Result<Counts> {
    let mut counts = Counts::default();
    let bar = Bar::new(is_shown, "exporting", Unit::Things("records"), None);
    let mut writer = Writer::new(BufWriter::new(file), head).map_err(unwritable)?;
    portable::begin(conn).await?;
    let mut cursor = Cursor::default();
    let mut done = 0;
    loop {
        let mut page = portable::page(conn, scope, &mut cursor).await?;
        if page.is_empty() {
            break;
        }
        contents(conn, storage, &mut page, &mut writer, &mut counts).await?;
        for record in &page {
            writer.record(record).map_err(unwritable)?;
            *counts.records.entry(record.kind().plural()).or_insert(0) += 1;
            done += 1;
        }
        let kind = page.last().map_or("", |record| record.kind().plural());
        bar.show(&format!("exporting {kind}"), done, None);
    }
    portable::end(conn).await?;
    drop(bar);
    let out = writer.finish().map_err(unwritable)?;
    let out = out.into_inner().map_err(|error| unwritable(error.into_error()))?;
    out.sync_all().map_err(unwritable)?;
    Ok(counts)
}

/// Writes the contents of files, before their records.
async fn contents(
    conn: &mut Conn,
    storage: &Storage,
    page: &mut [Record],
    writer: &mut Writer<BufWriter<File>>,
    counts: &mut Counts,
) -> anyhow::Result<()> {
    for record in page {
        let Record::File(row) = record else { return Ok(()) };
        if row.sha256.is_none() {
            continue;
        }
        let stored = files::get(conn, row.id).await?;
        let Ok(location) = stored.map(|file| file.location).unwrap_or_default().parse::<Location>();
        match storage.get(&location).await {
            Ok(bytes) => {
                // The sum is that of what is there.
                row.sha256 = Some(clifford_vault::hex(&<sha2::Sha256 as sha2::Digest>::digest(&bytes)));
                writer.content(row.id, &bytes).map_err(unwritable)?;
                counts.contents += 1;
            }
            Err(clifford_content::files::StorageError::Missing) => {
                row.sha256 = None;
                counts.lost += 1;
            }
            Err(error) => bail!("the content of {} cannot be read: {error}", row.name),
        }
    }
    Ok(())
}
