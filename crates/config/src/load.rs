//! Finds the configuration and puts it together: file, environment, flags.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use clifford_channel::Platforms;
use clifford_vault::Url;

use super::{
    Config, Provider, data, environment,
    error::{ConfigErrors, Location, Problem},
    hints::hints,
    overlay,
    secret::Secrets,
    shape::{Shape, schema},
    tree::{self, Node},
    understand::understand,
};

/// The file's name.
const FILE: &str = "bot.toml";
/// The longest file, in bytes.
const LONGEST: u64 = 4 << 20;

/// Where a configuration may come from.
#[derive(Clone, Default)]
pub struct Sources {
    /// The file that was asked for; else `bot.toml` is looked for.
    pub file: Option<PathBuf>,
    /// The working directory: relative to it `file` is read, and in it `bot.toml` is looked for first.
    pub cwd: PathBuf,
    /// Where `bot.toml` is looked for next; see [`super::config_dir`].
    pub config_dir: Option<PathBuf>,
    /// The process's environment.
    pub env: BTreeMap<String, String>,
    /// Keys and values from the command line, such as `http.bind` and `127.0.0.1:0`.
    pub overrides: Vec<(String, String)>,
    /// The platforms that have a section.
    pub platforms: Platforms,
}

/// A configuration that is in order.
#[derive(Clone)]
pub struct Loaded {
    /// The settings. There is at least one provider.
    pub config: Config,
    /// Where the settings were found.
    pub origin: Origin,
    /// The data directory; it may not exist yet.
    pub data_dir: PathBuf,
    /// The database that is set, else the one in the data directory.
    pub database_url: Url,
    /// Hints for the owner, one sentence each.
    pub hints: Vec<String>,
    /// The platforms that may have a section.
    pub platforms: Platforms,
    /// Where each setting stands.
    tree: Node,
}

impl Loaded {
    /// Reads the secrets that the settings refer to, of what is turned on.
    ///
    /// # Errors
    /// Every secret that is missing, with what to set.
    pub fn secrets(&self, env: &BTreeMap<String, String>) -> Result<Secrets, ConfigErrors> {
        Secrets::resolve(&self.config, env, &self.tree)
    }

    /// The secrets of a command that connects to no platform: a token of theirs may be missing.
    ///
    /// # Errors
    /// Every other secret that is missing, with what to set.
    pub fn secrets_without_platforms(&self, env: &BTreeMap<String, String>) -> Result<Secrets, ConfigErrors> {
        let (secrets, mut problems) = self.known_secrets(env);
        problems.retain(|problem| !problem.key.starts_with("channels."));
        ConfigErrors::unless_empty(problems)?;
        Ok(secrets)
    }

    /// The secrets that can be read, and what is wrong with the others.
    pub(super) fn known_secrets(&self, env: &BTreeMap<String, String>) -> (Secrets, Vec<Problem>) {
        Secrets::known(&self.config, env, &self.tree)
    }

    /// Settings that are in order, with the defaults of what they leave open.
    pub(super) fn new(
        mut config: Config,
        origin: Origin,
        tree: Node,
        sources: &Sources,
        root: Shape<'_>,
    ) -> Result<Self, Problem> {
        let (env, platforms) = (&sources.env, sources.platforms);
        if config.llm.providers.is_empty() {
            config.llm.providers.push(Provider::offline());
        }
        let data_dir = config.data.resolve(env).ok_or_else(|| {
            Problem::new(
                None,
                "data.dir",
                "neither XDG_DATA_HOME nor HOME tells where; set data.dir or CLIFFORD_DATA__DIR",
            )
        })?;
        let database_url = config.database.url.clone();
        let database_url = database_url.unwrap_or_else(|| data::database_url(&data_dir));
        let hints = [hints(&config, &origin, env, platforms), overlay::hints(root, env)].concat();
        Ok(Self {
            config,
            origin,
            data_dir,
            database_url,
            hints,
            platforms,
            tree,
        })
    }

    /// Settings of the process stay as they were at its start.
    pub fn keep_of_process(&mut self, old: &Self) {
        self.config.log.clone_from(&old.config.log);
        self.config.telemetry.clone_from(&old.config.telemetry);
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded")
            .field("config", &self.config)
            .field("origin", &self.origin)
            .field("data_dir", &self.data_dir)
            .field("database_url", &self.database_url)
            .field("hints", &self.hints)
            .finish_non_exhaustive()
    }
}

/// Where the settings were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In this file.
    File(PathBuf),
    /// Nowhere: they are the defaults and what the environment says.
    Defaults,
}

/// Loads the configuration.
///
/// # Errors
/// Everything that is wrong, each fault with its key, place and remedy; nothing is in force then.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigErrors> {
    let schema = schema(sources.platforms);
    let root = Shape::new(&schema);
    let Read { tree, origin } = read_tree(sources, root)?;
    let config = understand(&tree, root, sources.platforms).in_order()?;
    Ok(Loaded::new(config, origin, tree, sources, root)?)
}

/// The settings before they are understood.
pub(super) struct Read {
    pub tree: Node,
    pub origin: Origin,
}

/// Reads the file, and lays the environment and the flags over it, as a configuration of this shape takes them.
///
/// # Errors
/// The file cannot be read, or is not TOML.
pub(super) fn read_tree(sources: &Sources, root: Shape<'_>) -> Result<Read, ConfigErrors> {
    let env = &sources.env;
    let (mut tree, origin) = match find(sources)? {
        Some((shown, text)) => (tree::read(&text, &Arc::from(shown.as_path()))?, Origin::File(shown)),
        None => (Node::empty(Location::CommandLine), Origin::Defaults),
    };
    let platforms = sources.platforms;
    if origin == Origin::Defaults {
        environment::fill_without_file(&mut tree, env, platforms);
    }
    environment::fill_provider(&mut tree, env);
    overlay::environment(&mut tree, root, env);
    overlay::flags(&mut tree, root, &sources.overrides);
    Ok(Read { tree, origin })
}

impl Config {
    /// Reads the text of a `bot.toml`, and nothing else: no environment, no flags. `path` is what errors call it;
    /// `platforms` may have sections.
    ///
    /// # Errors
    /// As [`load`], missing secrets apart.
    pub fn parse(text: &str, path: &Path, platforms: Platforms) -> Result<Self, ConfigErrors> {
        let tree = tree::read(text, &Arc::from(path))?;
        understand(&tree, Shape::new(&schema(platforms)), platforms).in_order()
    }
}

/// The file that counts, as it is to be shown, and its text.
fn find(sources: &Sources) -> Result<Option<(PathBuf, String)>, ConfigErrors> {
    if let Some(file) = &sources.file {
        let text = read(&sources.cwd.join(file), file)?.ok_or_else(|| {
            Problem::new(
                None,
                "",
                format!("{}: there is no such file; `clifford init` writes one", file.display()),
            )
        })?;
        return Ok(Some((file.clone(), text)));
    }
    if let Some(text) = read(&sources.cwd.join(FILE), Path::new(FILE))? {
        return Ok(Some((PathBuf::from(FILE), text)));
    }
    let Some(path) = sources.config_dir.as_ref().map(|dir| dir.join(FILE)) else {
        return Ok(None);
    };
    Ok(read(&path, &path)?.map(|text| (path, text)))
}

fn read(path: &Path, shown: &Path) -> Result<Option<String>, ConfigErrors> {
    let read = || -> io::Result<String> {
        let mut text = String::new();
        // One byte more shows that there is more.
        std::fs::File::open(path)?.take(LONGEST + 1).read_to_string(&mut text)?;
        Ok(text)
    };
    let too_long = |text: &String| u64::try_from(text.len()).is_ok_and(|length| length > LONGEST);
    match read() {
        Ok(text) if too_long(&text) => Err(Problem::new(
            None,
            "",
            format!(
                "{}: is longer than {LONGEST} bytes: is this the right file?",
                shown.display()
            ),
        )
        .into()),
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::new(None, "", format!("{}: cannot be read: {error}", shown.display())).into()),
    }
}
