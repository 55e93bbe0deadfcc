//! `[[tools.mcp]]` in `bot.toml`: sections are added and taken out, and everything else stays as it was written.
//!
//! A changed file is written next to the old one and loaded from there. It takes the old one's place only if it is in
//! order, so a mistake leaves the settings as they were.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow, bail};
use clifford_config::{self as config, Loaded, Origin, Sources};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value};

use crate::cli::setup::Globals;

/// A settings file in somebody's hands.
pub(super) struct SettingsFile {
    path: PathBuf,
    document: DocumentMut,
}

impl SettingsFile {
    /// The file that is in force here; a new one, if there is none.
    ///
    /// # Errors
    /// The settings are wrong, or the file cannot be read.
    pub fn open(globals: &Globals) -> anyhow::Result<Self> {
        let path = match globals.load()?.origin {
            Origin::File(path) => path,
            Origin::Defaults => globals.config.clone().unwrap_or_else(|| PathBuf::from("bot.toml")),
        };
        let text = match path.exists() {
            true => fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?,
            false => String::new(),
        };
        let document = text.parse::<DocumentMut>();
        Ok(Self {
            document: document.with_context(|| format!("{} is no TOML", path.display()))?,
            path,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of its servers.
    pub fn names(&self) -> Vec<String> {
        let named = |table: &dyn toml_edit::TableLike| table.get("name")?.as_str().map(str::to_owned);
        match self.document.get("tools").and_then(|tools| tools.get("mcp")) {
            Some(Item::ArrayOfTables(servers)) => servers.iter().filter_map(|server| named(server)).collect(),
            Some(Item::Value(Value::Array(servers))) => (servers.iter())
                .filter_map(|server| named(server.as_inline_table()?))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Adds a server at the end, or puts it in the place of the one that was added under its name.
    ///
    /// # Errors
    /// `tools` or `tools.mcp` is something else.
    pub fn put(&mut self, mut server: Table) -> anyhow::Result<()> {
        let name = server.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
        self.remove(&name);
        // A comment at the end of the file is about the section before it.
        let end = self
            .document
            .trailing()
            .as_str()
            .unwrap_or_default()
            .trim_end()
            .to_owned();
        self.document.set_trailing("");
        let mut implicit = Table::new();
        implicit.set_implicit(true);
        let tools = self.document.entry("tools").or_insert(Item::Table(implicit));
        let tools = tools
            .as_table_like_mut()
            .ok_or_else(|| anyhow!("`tools` is no table"))?;
        let servers = tools.entry("mcp").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        match servers {
            Item::ArrayOfTables(servers) => {
                if !end.is_empty() {
                    server.decor_mut().set_prefix(format!("{end}\n\n"));
                }
                server.set_position(Some(isize::MAX));
                servers.push(server);
            }
            Item::Value(Value::Array(servers)) => {
                servers.push(server.into_inline_table());
                self.document.set_trailing(end + "\n");
            }
            _ => bail!("`tools.mcp` is no list; see `clifford config schema`"),
        }
        Ok(())
    }

    /// Takes a server out, and tells whether it was there. Comments above it stay, but for those right above it.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.names().len();
        let is_it = |server: Option<&str>| server == Some(name);
        let mut kept = String::new();
        // `Item::get_mut` would put an empty item under a name that is not there.
        let tools = self.document.get_mut("tools").and_then(Item::as_table_like_mut);
        match tools.and_then(|tools| tools.get_mut("mcp")) {
            Some(Item::ArrayOfTables(servers)) => servers.retain(|server| {
                let goes = is_it(server.get("name").and_then(Item::as_str));
                let above = server
                    .decor()
                    .prefix()
                    .and_then(|prefix| prefix.as_str())
                    .unwrap_or_default();
                if let Some((above, _)) = above.rsplit_once("\n\n").filter(|_| goes) {
                    kept.push_str(above);
                    kept.push('\n');
                }
                !goes
            }),
            Some(Item::Value(Value::Array(servers))) => servers.retain(|server| {
                let server = server.as_inline_table().and_then(|server| server.get("name"));
                !is_it(server.and_then(Value::as_str))
            }),
            _ => {}
        }
        if !kept.trim().is_empty() {
            let end = self.document.trailing().as_str().unwrap_or_default().to_owned();
            self.document.set_trailing(kept + &end);
        }
        self.names().len() < before
    }

    /// The settings as they would be.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn preview(&self, globals: &Globals) -> anyhow::Result<Loaded> {
        let beside = self.beside();
        self.write(&beside)?;
        let loaded = Self::loaded(globals, &beside);
        fs::remove_file(&beside).ok();
        loaded
    }

    /// Puts the file in its place, if it is in order.
    ///
    /// # Errors
    /// Everything that is wrong with it; then the old one stays.
    pub fn save(&self, globals: &Globals) -> anyhow::Result<()> {
        let beside = self.beside();
        self.write(&beside)?;
        let saved = Self::loaded(globals, &beside).and_then(|_| {
            // Where it is a link, what that leads to is changed.
            let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
            fs::rename(&beside, path).with_context(|| format!("{} cannot be written", self.path.display()))
        });
        if saved.is_err() {
            fs::remove_file(&beside).ok();
        }
        saved
    }

    fn loaded(globals: &Globals, path: &Path) -> anyhow::Result<Loaded> {
        let sources = Sources {
            file: Some(path.to_owned()),
            ..globals.sources()?
        };
        Ok(config::load(&sources)?)
    }

    fn beside(&self) -> PathBuf {
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let mut beside = path.into_os_string();
        beside.push(".new");
        beside.into()
    }

    /// Writes it with the permissions of the old file.
    fn write(&self, path: &Path) -> anyhow::Result<()> {
        let explain = || format!("{} cannot be written", path.display());
        fs::remove_file(path).ok();
        match fs::metadata(&self.path) {
            // A copy has them before anything stands in it.
            Ok(_) => fs::copy(&self.path, path).map(|_| ()).with_context(explain)?,
            Err(_) => fs::write(path, "").with_context(explain)?,
        }
        fs::write(path, self.document.to_string()).with_context(explain)
    }
}
