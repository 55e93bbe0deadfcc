//! Reads the secrets that the settings refer to.

use std::{collections::BTreeMap, sync::Arc};

use clifford_channel::Platform;
use clifford_tools::AudioServer;
use clifford_vault::{Masker, Secret, SecretError, SecretSource, Url};

use super::{
    Config, FileStore, Provider, ProviderKind,
    environment::variable,
    error::{ConfigErrors, Problem},
    http,
    tree::Node,
};

/// The error for a provider that requires a key and has none.
fn no_key(provider: &Provider) -> String {
    let variable = provider.key_variable();
    format!(
        "missing, and {} answers nobody without one; set key = {{ env = \"{variable}\" }}, or base_url for another \
         server",
        provider.host()
    )
}

/// OpenAI writes nothing down for nobody.
const NO_AUDIO_KEY: &str = "missing, and api.openai.com answers nobody without one; set key = { env = \"OPENAI_API_KEY\" }, or \
                            base_url for another server";

/// The secrets that the settings refer to, of what is turned on.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// The owner token given from outside.
    pub http_token: Option<Secret>,
    /// The bot's token on each platform that is on.
    pub tokens: Vec<(Platform, Secret)>,
    /// Keys by their providers' names.
    pub provider_keys: BTreeMap<String, Secret>,
    /// The key of the server that writes down what is said.
    pub transcription_key: Option<Secret>,
    /// The key of the server that speaks answers.
    pub speech_key: Option<Secret>,
    /// The access key and the secret key of the bucket that files are kept in.
    pub bucket_keys: Option<(Secret, Secret)>,
    /// Secrets of tools, by `tool.key`.
    pub tools: BTreeMap<String, Secret>,
    /// The key that encrypts stored secrets, if it is given.
    pub encryption_key: Option<Secret>,
    /// Passwords in the URLs of the settings.
    pub url_passwords: Vec<Secret>,
    /// Knows all of them, and those that are opened later.
    pub masker: Arc<Masker>,
}

impl Secrets {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Secret> {
        (self.http_token.iter())
            .chain(self.tokens.iter().map(|(_, token)| token))
            .chain(&self.encryption_key)
            .chain(self.provider_keys.values())
            .chain(&self.transcription_key)
            .chain(&self.speech_key)
            .chain(self.bucket_keys.iter().flat_map(|(access, secret)| [access, secret]))
            .chain(self.tools.values())
            .chain(&self.url_passwords)
    }

    /// The bot's token on a platform.
    pub fn token(&self, platform: Platform) -> Option<&Secret> {
        let found = self.tokens.iter().find(|(of, _)| *of == platform);
        found.map(|(_, token)| token)
    }

    /// The masker that was at work before these were read, and is known to the log, goes on: it knows these as well now.
    pub fn go_on_masking(&mut self, before: &Self) {
        self.all().for_each(|secret| before.masker.learn(secret));
        self.masker = Arc::clone(&before.masker);
    }

    /// Reads every secret that is needed, and reports all that are missing together.
    pub(super) fn resolve(config: &Config, env: &BTreeMap<String, String>, tree: &Node) -> Result<Self, ConfigErrors> {
        let (secrets, problems) = Self::known(config, env, tree);
        ConfigErrors::unless_empty(problems)?;
        Ok(secrets)
    }

    /// Reads every secret that is needed and there, and tells what is wrong with the others.
    pub(super) fn known(config: &Config, env: &BTreeMap<String, String>, tree: &Node) -> (Self, Vec<Problem>) {
        let mut reader = Reader {
            env,
            tree,
            problems: Vec::new(),
        };
        let default_token = config.http.token == http::Http::default().token;
        let is_asked_for = config.http.enabled || config.telemetry.metrics_bind.is_some();
        let wanted = is_asked_for && (!default_token || variable(env, http::TOKEN_VARIABLE).is_some());
        let http_token = reader.read("http", "token", wanted.then_some(&config.http.token));
        let mut tokens = Vec::new();
        for section in config.channels.enabled() {
            if let Some(token) = reader.read(&section.about().path(), "token", Some(&section.common().token)) {
                tokens.push((section.platform(), token));
            }
        }
        let mut provider_keys = BTreeMap::new();
        for (index, provider) in config.llm.providers.iter().enumerate() {
            let section = format!("llm.providers[{index}]");
            let source = provider.key.as_ref().filter(|_| provider.kind != ProviderKind::Offline);
            if let Some(key) = reader.read(&section, "key", source) {
                provider_keys.insert(provider.name.clone(), key);
            }
            if provider.key.is_none() && provider.needs_key() {
                reader.report(&section, "key", &no_key(provider));
            }
        }
        let roles = &config.llm.roles;
        let transcription = roles.transcription.as_ref().map(|role| &role.server);
        let speech = roles.speech.as_ref().map(|role| &role.server);
        let mut audio_key = |section, server: Option<&AudioServer>| {
            let server = server?;
            if server.key.is_none() && server.needs_key() {
                reader.report(section, "key", NO_AUDIO_KEY);
            }
            reader.read(section, "key", server.key.as_ref())
        };
        let transcription_key = audio_key("llm.roles.transcription", transcription);
        let speech_key = audio_key("llm.roles.speech", speech);
        let has_bucket = config.files.store == FileStore::S3;
        let mut bucket_key =
            |key, source: &Option<_>| reader.read("files", key, source.as_ref().filter(|_| has_bucket));
        let access_key = bucket_key("access_key", &config.files.access_key);
        let bucket_keys = access_key.zip(bucket_key("secret_key", &config.files.secret_key));
        let mut tools = BTreeMap::new();
        for (path, source) in config.tools.secrets() {
            let (section, key) = path.rsplit_once('.').unwrap_or(("", &path));
            if let Some(secret) = reader.read(&format!("tools.{section}"), key, Some(&source)) {
                tools.insert(path, secret);
            }
        }
        let encryption_key = reader.read("secrets", "key", config.secrets.key.as_ref());
        let urls = config.llm.providers.iter().map(|provider| &provider.base_url);
        let urls = urls.chain(config.channels.enabled().map(|section| &section.common().api_url));
        let url_passwords = urls
            .chain(transcription.into_iter().chain(speech).map(|server| &server.base_url))
            .chain(&config.database.url)
            .chain(&config.files.endpoint)
            .chain(&config.telemetry.otlp_endpoint)
            .filter_map(Url::password)
            .collect();
        let mut secrets = Self {
            http_token,
            tokens,
            provider_keys,
            transcription_key,
            speech_key,
            bucket_keys,
            tools,
            encryption_key,
            url_passwords,
            masker: Arc::default(),
        };
        secrets.masker = Arc::new(Masker::new(secrets.all()));
        (secrets, reader.problems)
    }
}

struct Reader<'a> {
    env: &'a BTreeMap<String, String>,
    tree: &'a Node,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn read(&mut self, section: &str, key: &str, source: Option<&SecretSource>) -> Option<Secret> {
        match source?.resolve(self.env) {
            Ok(secret) => Some(secret),
            Err(error) => {
                self.report(section, key, &fault(&error, section, key));
                None
            }
        }
    }

    fn report(&mut self, section: &str, key: &str, fault: &str) {
        let path = format!("{section}.{key}");
        let place = self
            .tree
            .find(&path)
            .or_else(|| self.tree.find(section))
            .map(|node| node.place.clone());
        self.problems.push(Problem::new(place, path, fault));
    }
}

/// The fault of a secret, and its remedy.
fn fault(error: &SecretError, section: &str, key: &str) -> String {
    let remedy = match error {
        SecretError::Missing(_) => format!("set it, or {key} = {{ file = \"PATH\" }}"),
        _ => format!("mend that, or set {key} = {{ env = \"NAME\" }}"),
    };
    let off = if section.starts_with("channels.") {
        format!(", or {section}.enabled = false")
    } else {
        String::new()
    };
    format!("{error}; {remedy}{off}")
}
