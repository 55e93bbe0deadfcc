//! The real binary over real sockets: a child process, with fakes of the platforms and of the model around it.

mod processes;

use std::{
    env,
    ffi::OsString,
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use clifford_fakes::{
    discord::DiscordFake,
    openai::OpenAiFake,
    postgres::Cluster,
    telegram::{Chat, TelegramFake},
};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::{db_probe::DbProbe, scripted_model};

/// How long anything may take before a journey gives up.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// Which platform a journey is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    Telegram,
    Discord,
}

impl Site {
    pub const BOTH: [Self; 2] = [Self::Telegram, Self::Discord];

    pub fn name(self) -> &'static str {
        match self {
            Self::Telegram => "telegram",
            Self::Discord => "discord",
        }
    }
}

/// A private chat between a person and the bot.
#[derive(Clone, Copy, Debug)]
pub enum Room {
    Telegram(Chat),
    Discord { channel: u64, user: u64 },
}

/// The setup of a bot.
pub struct Setup {
    sites: Vec<Site>,
    database: Option<String>,
    settings: toml::Table,
    provider: toml::Table,
    environment: Vec<(&'static str, String)>,
}

impl Setup {
    /// A bot on one platform, on SQLite.
    pub fn on(site: Site) -> Self {
        Self {
            sites: vec![site],
            database: None,
            settings: toml::Table::new(),
            provider: toml::Table::new(),
            environment: Vec::new(),
        }
    }

    /// On another platform too.
    pub fn and(mut self, site: Site) -> Self {
        self.sites.push(site);
        self
    }

    /// On PostgreSQL. `None`: there is none here, and the test is skipped.
    pub fn postgres(mut self) -> Option<Self> {
        self.database = Some(migrated()?);
        Some(self)
    }

    /// With this database.
    pub fn database(mut self, url: &str) -> Self {
        self.database = Some(url.to_owned());
        self
    }

    /// Sets a key of `bot.toml`, such as `ingress.debounce_ms`.
    pub fn set(mut self, path: &str, value: impl Into<toml::Value>) -> Self {
        put(&mut self.settings, path, value.into());
        self
    }

    /// Sets a key of the model's provider.
    pub fn provider(mut self, key: &str, value: impl Into<toml::Value>) -> Self {
        put(&mut self.provider, key, value.into());
        self
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    /// The fakes and the files; nothing runs yet.
    pub async fn prepare(self) -> Bot {
        let telegram = TelegramFake::start().await.unwrap();
        let discord = DiscordFake::start().await;
        let model = OpenAiFake::start().await;
        model.respond_with(scripted_model::reply);
        let dir = tempfile::tempdir().unwrap();
        let database = self
            .database
            .unwrap_or_else(|| format!("sqlite:{}", dir.path().join("clifford.db").display()));

        let mut settings = toml::Table::new();
        for (path, value) in [
            ("http.enabled", false.into()),
            ("log.level", "info,clifford=debug".into()),
            ("database.max_connections", 4.into()),
            ("engine.lease_seconds", 3.into()),
            ("ingress.user_messages_per_minute", 0.into()),
            ("delivery.progress_after_seconds", 0.into()),
        ] as [(&str, toml::Value); 6]
        {
            put(&mut settings, path, value);
        }
        put(&mut settings, "database.url", database.clone().into());
        put(&mut settings, "data.dir", dir.path().display().to_string().into());
        for site in &self.sites {
            let (url, token) = match site {
                Site::Telegram => (telegram.api_url().to_owned(), TelegramFake::TOKEN),
                Site::Discord => (discord.api_url(), DiscordFake::TOKEN),
            };
            let name = site.name();
            put(&mut settings, &format!("channels.{name}.api_url"), url.into());
            put(&mut settings, &format!("channels.{name}.token"), token.into());
            put(&mut settings, &format!("channels.{name}.access"), "open".into());
        }
        if self.sites.contains(&Site::Telegram) {
            for key in [
                "rate_overall_per_second",
                "rate_private_per_second",
                "rate_group_per_minute",
            ] {
                put(&mut settings, &format!("channels.telegram.{key}"), 0.into());
            }
        }
        let mut provider = toml::Table::new();
        put(&mut provider, "name", "fake".into());
        put(&mut provider, "model", "fake-1".into());
        put(&mut provider, "base_url", model.base_url().into());
        // Conversations of journeys are not to be compacted for their size, unless they are about that.
        provider.insert("context_tokens".to_owned(), 128_000.into());
        provider.extend(self.provider);
        if provider["context_tokens"].is_bool() {
            provider.remove("context_tokens");
        }
        put(
            &mut settings,
            "llm.providers",
            toml::Value::Array(vec![provider.into()]),
        );
        merge(&mut settings, self.settings);
        fs::write(dir.path().join("bot.toml"), settings.to_string()).unwrap();

        Bot {
            telegram,
            discord,
            model,
            dir,
            database,
            sites: self.sites,
            environment: self.environment,
            binary: binary(),
            processes: Vec::new(),
        }
    }

    /// A bot that runs and is connected.
    pub async fn start(self) -> Bot {
        let mut bot = self.prepare().await;
        bot.start().await;
        bot
    }
}

/// A bot and the world around it.
pub struct Bot {
    pub telegram: TelegramFake,
    pub discord: DiscordFake,
    pub model: OpenAiFake,
    dir: TempDir,
    database: String,
    sites: Vec<Site>,
    environment: Vec<(&'static str, String)>,
    /// The binary of its processes.
    binary: OsString,
    processes: Vec<Child>,
}

impl Bot {
    /// Sets a key of `bot.toml` that is known only now: an address of a fake.
    pub fn configure(&self, path: &str, value: impl Into<toml::Value>) {
        let file = self.dir.path().join("bot.toml");
        let mut settings: toml::Table = fs::read_to_string(&file).unwrap().parse().unwrap();
        put(&mut settings, path, value.into());
        fs::write(file, settings.to_string()).unwrap();
    }

    /// Starts a process that dies when it comes to a crash point, if one is given. Several may run at once.
    pub fn spawn(&mut self, crash_at: Option<&str>) {
        self.spawn_doing(&[], crash_at);
    }

    /// Starts a process that does only a part of the work: `workers`, `channels` or `api`.
    pub fn spawn_only(&mut self, part: &str) {
        self.spawn_doing(&["--only", part], None);
    }

    fn spawn_doing(&mut self, args: &[&str], crash_at: Option<&str>) {
        let log = OpenOptions::new().create(true).append(true).open(self.log()).unwrap();
        let mut command = Command::new(&self.binary);
        command
            .args(["serve", "--config"])
            .arg(self.dir.path().join("bot.toml"))
            .args(args)
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", self.dir.path())
            .envs(self.environment.clone())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true);
        if let Some(point) = crash_at {
            command.env("CLIFFORD_CRASH_AT", point);
        }
        self.processes.push(command.spawn().unwrap());
    }

    /// Writes this as `bot.toml`.
    pub fn write_settings(&self, text: &str) {
        fs::write(self.dir.path().join("bot.toml"), text).unwrap();
    }

    /// The directory of its data and of `bot.toml`.
    pub fn home(&self) -> &Path {
        self.dir.path()
    }

    /// The text of `bot.toml`.
    pub fn settings(&self) -> String {
        fs::read_to_string(self.dir.path().join("bot.toml")).unwrap()
    }

    /// Starts another command of the binary with the same settings and pipes to it.
    pub fn beside(&self, args: &[&str]) -> Child {
        Command::new(binary())
            .args(args)
            .arg("--config")
            .arg(self.dir.path().join("bot.toml"))
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// Runs another command of the binary with the same settings, and returns its standard output.
    pub async fn command(&self, args: &[&str]) -> String {
        let output = self.run(args).await;
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    async fn run(&self, args: &[&str]) -> Output {
        Command::new(binary())
            .args(args)
            .arg("--config")
            .arg(self.dir.path().join("bot.toml"))
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", self.dir.path())
            .output()
            .await
            .unwrap()
    }

    /// Ends every process cleanly, and asserts that the platforms and the model were treated as they must be.
    pub async fn finish(&mut self) {
        while !self.processes.is_empty() {
            self.stop().await;
        }
        self.assert_no_violations();
    }

    pub fn assert_no_violations(&self) {
        let none = Vec::<String>::new();
        assert_eq!(self.telegram.violations(), none, "Telegram");
        assert_eq!(self.discord.violations(), none, "Discord");
        assert_eq!(self.model.violations(), none, "the model");
    }

    /// Every byte of the database's files, if it is SQLite's.
    pub fn database_bytes(&self) -> Vec<u8> {
        let entries = fs::read_dir(self.dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let of_database = |path: &PathBuf| path.display().to_string().contains("clifford.db");
        entries
            .filter(of_database)
            .flat_map(|path| fs::read(path).unwrap())
            .collect()
    }

    /// A look into the database.
    pub async fn look(&self) -> DbProbe {
        DbProbe::open(&self.database).await
    }

    /// Waits until a look into the database finds what it looks for.
    pub async fn until<T>(&self, what: &str, mut find: impl AsyncFnMut(&DbProbe) -> Option<T>) -> T {
        let look = self.look().await;
        let mut often = tokio::time::interval(Duration::from_millis(25));
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                often.tick().await;
                if let Some(found) = find(&look).await {
                    return found;
                }
            }
        });
        match found.await {
            Ok(found) => found,
            Err(_) => panic!("waited in vain for {what}\n{}", look.dump().await),
        }
    }

    /// A person and their private chat with the bot.
    pub fn room(&self, site: Site, id: i64, name: &str) -> Room {
        match site {
            Site::Telegram => Room::Telegram(self.telegram.user(id, name)),
            Site::Discord => {
                let user = self.discord.user(name);
                Room::Discord {
                    channel: self.discord.dm(user),
                    user,
                }
            }
        }
    }

    /// The person of a private chat writes.
    pub fn says(&self, room: Room, text: &str) {
        match room {
            Room::Telegram(chat) => drop(self.telegram.user_says(chat, chat.id, text)),
            Room::Discord { channel, user } => drop(self.discord.user_says(channel, user, text)),
        }
    }

    /// The bot's messages in a private chat.
    pub fn texts(&self, room: Room) -> Vec<String> {
        match room {
            Room::Telegram(chat) => self.telegram.sent(chat).into_iter().map(|sent| sent.text).collect(),
            Room::Discord { channel, .. } => self
                .discord
                .sent(channel)
                .into_iter()
                .map(|sent| sent.content)
                .collect(),
        }
    }

    /// Waits until the bot has said so much in a private chat.
    pub async fn answers(&self, room: Room, count: usize) -> Vec<String> {
        match room {
            Room::Telegram(chat) => drop(self.telegram.wait_for_sent(chat, count).await),
            Room::Discord { channel, .. } => drop(self.discord.wait_for_sent(channel, count).await),
        }
        self.texts(room)
    }

    /// How often the indicator was shown in a private chat.
    pub fn typings(&self, room: Room) -> usize {
        match room {
            Room::Telegram(chat) => self.telegram.actions(chat).len(),
            Room::Discord { channel, .. } => self.discord.typings(channel),
        }
    }

    /// How often its processes have logged this.
    pub fn logged(&self, text: &str) -> usize {
        self.log_text().matches(text).count()
    }

    /// The log of its processes.
    pub fn log_text(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    /// The output of `doctor`, good or bad.
    pub async fn doctor(&self) -> String {
        let output = self.run(&["doctor"]).await;
        [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8(bytes).unwrap())
            .concat()
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = fs::read_to_string(self.log()).unwrap_or_default();
            let lines: Vec<_> = log.lines().collect();
            let from = lines.len().saturating_sub(120);
            println!(
                "--- the end of the log of {}\n{}\n---",
                self.database,
                lines[from..].join("\n")
            );
        }
    }
}

/// The URL of a database of PostgreSQL whose schema is there. Nothing where PostgreSQL is not to be tested.
pub fn migrated() -> Option<String> {
    Cluster::shared().migrated(|url| {
        let dir = tempfile::tempdir().unwrap();
        let migrated = std::process::Command::new(env!("CARGO_BIN_EXE_clifford"))
            .args(["db", "migrate", "--set", &format!("database.url={url}"), "--set"])
            .arg(format!("data.dir={}", dir.path().display()))
            .env_clear()
            .env("HOME", dir.path())
            .output()
            .unwrap();
        assert!(migrated.status.success(), "{migrated:?}");
    })
}

/// The binary under test: this build's, or another one of one's choice.
pub fn binary() -> OsString {
    env::var_os("CLIFFORD_TEST_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_clifford").into())
}

fn put(table: &mut toml::Table, path: &str, value: toml::Value) {
    match path.split_once('.') {
        None => drop(table.insert(path.to_owned(), value)),
        Some((section, rest)) => {
            let section = table
                .entry(section)
                .or_insert_with(|| toml::Value::Table(toml::Table::new()));
            put(section.as_table_mut().expect("a section"), rest, value);
        }
    }
}

fn merge(into: &mut toml::Table, from: toml::Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => merge(old, new),
            (_, value) => drop(into.insert(key, value)),
        }
    }
}
