//! The composition root: the only place that names every adapter and provider.

mod adapters;
mod announcement;
pub(crate) mod known;
mod models;
mod opening;
pub(crate) mod owned;
pub mod permissions;
mod platforms;
pub(crate) mod restoring;
mod settings;
pub(crate) mod shutdown;
mod work;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use clifford_channel::{Actor, Channel};
use clifford_chat::platform::Platform;
use clifford_config::{Config, Loaded, Secrets};
use clifford_content::files::Files;
use clifford_core::{
    clock::{SharedClock, SystemClock},
    id::WorkerId,
};
use clifford_delivery::Delivery;
use clifford_engine::{Context, Runs, models::encryption::Encryption};
use clifford_http::{self as http, Api, Server, channel::WebChannel, terminal::Relay};
use clifford_ingress::IngressService;
use clifford_store::{Db, DbOptions, StoreError, leases::clock_guard::ClockGuard};
use clifford_telemetry::{quarantine::Careful, runtime};
use clifford_tools::{About, Registry, Services, Toolbox, mcp};
use clifford_vault::{Masker, Token};
use clifford_worker::Workers;
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    adapters::Adapters,
    announcement::Place,
    settings::{delivery_settings, ingress_settings},
};
pub use self::{
    announcement::{Announced, Announcement, Stays},
    platforms::PLATFORMS,
};
pub(crate) use self::{
    models::{provider, sees_images, speech, transcription},
    settings::{audiences, engine_settings, policy, rules, storage},
};
use crate::app::permissions::{LocalData, Restricted};

/// Why Clifford could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A model's settings.
    #[error("the model provider cannot be used: {0}")]
    Model(clifford_llm::SetupError),
    /// The settings of where files are kept.
    #[error("files cannot be kept: {0}")]
    Files(String),
    /// A platform's settings.
    #[error(transparent)]
    Channel(#[from] clifford_chat::error::ChannelError),
}

// Not by `#[from]`: whoever shows an error with its causes would show this one twice.
impl From<clifford_llm::SetupError> for StartError {
    fn from(error: clifford_llm::SetupError) -> Self {
        Self::Model(error)
    }
}

impl StartError {
    /// The section of the settings that it is about.
    pub const fn section(&self) -> &'static str {
        match self {
            Self::Store(_) => "database",
            Self::Model(_) => "llm",
            Self::Files(_) => "files",
            Self::Channel(_) => "channels",
        }
    }
}

/// Options of a process.
#[derive(Clone, Default)]
pub struct Options {
    /// Connects to the platforms of the configuration.
    pub channels: bool,
    /// Works on runs that nobody holds.
    pub workers: bool,
    /// Works alongside a server that holds the database: on its own runs only, and it prepares nothing. Only for a
    /// process that takes no part in the server's work.
    pub beside: bool,
    /// Waits for a database server that does not answer, for `database.wait_seconds`: nobody sits before it.
    pub waits_for_database: bool,
    /// One more channel: the terminal.
    pub terminal: Option<Arc<dyn Channel>>,
    /// Takes what is typed at the terminals of this machine over the API, and shows answers there.
    pub relays_terminal: bool,
    /// The way to have the configuration read again, where somebody does.
    pub reload: Option<http::Reload>,
    /// Does what may take any time and memory: `clifford` has it done by its own binary.
    pub worker_processes: Workers,
}

/// A running Clifford.
pub struct App {
    /// The settings that it runs by.
    pub config: Config,
    /// The database.
    pub db: Db,
    /// The clock.
    pub clock: SharedClock,
    /// The context that runs work in.
    pub context: Arc<Context>,
    /// The runs of this process.
    pub runs: Arc<Runs>,
    /// Whether events are stored one by one.
    careful: Arc<Careful>,
    /// Where events come in.
    pub ingress: Arc<IngressService>,
    /// Hides secrets.
    pub masker: Arc<Masker>,
    /// Told to stop.
    pub stop: CancellationToken,
    /// Keeps the MCP servers at work.
    pub mcp: mcp::Supervisor,
    /// The platforms that this process is to be connected to.
    platforms: Vec<Platform>,
    /// The platforms that bring their events by HTTP.
    webhooks: Vec<Arc<dyn Channel>>,
    /// The terminals of this machine, if they are served.
    relay: Option<Arc<Relay>>,
    reload: Option<http::Reload>,
    announcement: Box<Announcing>,
    /// The platforms that a metric may name.
    labels: Vec<Platform>,
    receivers: TaskTracker,
    /// Begins failed connections anew.
    connect_again: Arc<Notify>,
    background: TaskTracker,
    background_stop: CancellationToken,
    /// Told when nothing is in flight any more: until then leases are renewed.
    empty_handed: CancellationToken,
}

/// The announcement of the server to this machine's commands.
struct Announcing {
    file: Announcement,
    /// The token that they use, once it is announced.
    token: OnceLock<Token>,
}

/// The files and directories of a configuration on this machine.
pub fn local_data(loaded: &Loaded) -> LocalData {
    let database = loaded.database_url.as_str().strip_prefix("sqlite:");
    LocalData {
        data_dir: loaded.data_dir.clone(),
        is_usual: loaded.config.data.dir.is_none(),
        database: database.map(|path| PathBuf::from(path.trim_start_matches("//"))),
    }
}

/// Makes what is kept on this machine private, unless the configuration says otherwise.
pub fn restrict(loaded: &Loaded) -> Restricted {
    if !loaded.config.data.private {
        return Restricted::default();
    }
    local_data(loaded).restrict()
}

/// The same, told in the log.
fn restrict_and_log(loaded: &Loaded) {
    let Restricted { changed, failed } = restrict(loaded);
    for (path, error) in failed {
        tracing::warn!(path = %path.display(), %error, "failed to restrict permissions: other users may read it");
    }
    if changed > 0 {
        tracing::warn!(
            count = changed,
            directory = %loaded.data_dir.display(),
            "restricted permissions of files and directories that other users could read"
        );
    }
}

/// How the database of a configuration is opened.
pub fn db_options(loaded: &Loaded, exclusive: bool) -> DbOptions {
    DbOptions {
        url: loaded.database_url.as_str().to_owned(),
        section: loaded.config.database.clone(),
        exclusive,
        migrate: true,
    }
}

impl App {
    /// Opens the database, puts everything together and begins to work. Nothing is received before
    /// the database is open.
    ///
    /// # Errors
    /// A setting is wrong, or the database cannot be used.
    pub async fn start(loaded: &Loaded, secrets: &Secrets, options: Options) -> Result<Self, StartError> {
        restoring::check(&loaded.data_dir)?;
        restrict_and_log(loaded);
        let config = loaded.config.clone();
        let clock: SharedClock = Arc::new(SystemClock);
        let worker = WorkerId::new();
        let (db, follows_a_death) = opening::open(loaded, &clock, &options).await?;

        let masker = Arc::clone(&secrets.masker);
        let stop = CancellationToken::new();
        let Adapters {
            channels: connected,
            actors,
        } = adapters::build(&config, secrets)?;
        let platforms = connected.keys().copied().filter(|_| options.channels).collect();
        let webhooks = adapters::webhooks(&connected, &config, options.channels)?;
        // A terminal within the process stands in place of a server.
        let serves = options.terminal.is_none() || options.beside;
        let relay = options.relays_terminal.then(|| Relay::new(stop.clone()));
        let channels = with_own(connected, &options, relay.as_ref());
        let storage = storage(loaded, secrets, Arc::clone(&clock)).map_err(StartError::Files)?;
        let files = Arc::new(Files::new(storage, config.files.clone(), channels.clone()));
        let delivery = Delivery::new(
            db.clone(),
            Arc::clone(&clock),
            worker,
            delivery_settings(&config),
            channels.clone(),
            Arc::clone(&files),
            Arc::clone(&masker),
        );
        let roles = Arc::new(models::roles(&config, secrets)?);
        let tools = toolbox(loaded, secrets, &clock, actors, files, options.worker_processes);
        let mcp = mcp::Supervisor::start(&tools.registry, &tools.services);
        let rules = rules(&config, &tools.registry, &tools.options(&[]));
        let context = Context::new(
            db.clone(),
            ClockGuard::new(Arc::clone(&clock), worker, config.engine.lease),
            engine_settings(&config, rules),
            roles,
            tools,
            delivery,
            Encryption::new(
                secrets.encryption_key.clone(),
                &loaded.data_dir,
                Arc::clone(&secrets.masker),
            ),
        );
        let careful = careful(follows_a_death);
        let runs = Runs::new(Arc::clone(&context));
        let ingress = IngressService::new(
            db.clone(),
            Arc::clone(&clock),
            Arc::clone(&runs),
            Arc::clone(&careful),
            ingress_settings(&config, serves),
        );
        let app = Self {
            config,
            db,
            clock,
            context,
            runs,
            careful,
            ingress,
            masker,
            stop,
            mcp,
            platforms,
            webhooks,
            relay,
            reload: options.reload,
            announcement: Box::new(Announcing {
                file: Announcement::of(loaded),
                token: OnceLock::new(),
            }),
            labels: loaded.platforms.names(),
            receivers: TaskTracker::new(),
            connect_again: Arc::default(),
            background: TaskTracker::new(),
            background_stop: CancellationToken::new(),
            empty_handed: CancellationToken::new(),
        };
        app.begin(options.workers);
        if options.channels {
            app.receive(channels.into_values().filter(|channel| !channel.platform().is_own()));
        }
        Ok(app)
    }

    /// The HTTP API for a caller in this process, who holds the token of this hash.
    pub fn local_api(&self, owner_token: String) -> axum::Router {
        let api = self.api(Some(owner_token), None);
        self.spawn_upkeep(api.metrics.clone());
        http::router(api)
    }

    fn api(&self, owner_token: Option<String>, local_token: Option<String>) -> Api {
        Api {
            db: self.db.clone(),
            clock: Arc::clone(&self.clock),
            runs: Arc::clone(&self.runs),
            context: Arc::clone(&self.context),
            ingress: Arc::clone(&self.ingress),
            settings: self.config.http.clone(),
            owner_token,
            local_token,
            reload: self.reload.clone(),
            terminal: self.relay.clone(),
            platforms: self.platforms.clone(),
            webhooks: self.webhooks.clone(),
            metrics: http::Metrics::install(&self.labels),
            stop: self.stop.clone(),
            state: http::ApiState::default(),
        }
    }

    /// Answers the HTTP API on a bound address.
    pub fn serve(&self, server: Server, secrets: &Secrets) {
        self.serve_while(server, secrets, Stays::UntilStopped);
    }

    /// Answers the HTTP API on a bound address, and tells how long. Returns how this machine's commands find it.
    pub fn serve_while(&self, server: Server, secrets: &Secrets, stays: Stays) -> Announced {
        tracing::info!(address = %server.address(), "serving the API");
        let announced = self.announce(&server, stays);
        let hosts = self.webhooks.iter().filter_map(|channel| channel.webhook());
        let server = hosts.fold(server, |server, webhook| server.also_for(webhook.host()));
        let clock = Arc::clone(&self.clock);
        self.answer(server, secrets, |api| clifford_web::router(http::router(api), clock));
        announced
    }

    /// Whether this machine's commands find it: it serves the API.
    pub fn is_announced(&self) -> bool {
        self.announcement.token.get().is_some()
    }

    /// Serves health and metrics only, on a bound address.
    pub fn serve_health(&self, server: Server, secrets: &Secrets) {
        tracing::info!(address = %server.address(), "serving metrics");
        self.answer(server, secrets, http::watching);
    }

    /// Lets this machine's commands find the server. Without that they work by themselves.
    fn announce(&self, server: &Server, stays: Stays) -> Announced {
        let Announcing { file, token } = &*self.announcement;
        let token = token.get_or_init(|| Token::new(&mut rand::rng()));
        let place = Place {
            address: server.address(),
            dashboard: self.config.http.address(),
        };
        // A process that does a part of the work has no terminal: commands do theirs themselves.
        if self.relay.is_some()
            && let Err(error) = file.write(&place, token, stays)
        {
            tracing::warn!(%error, "failed to announce the server to the commands of this machine");
        }
        file.own(&place, token, stays)
    }

    fn answer(&self, server: Server, secrets: &Secrets, router: impl FnOnce(Api) -> axum::Router) {
        let owner_token = secrets.http_token.as_ref();
        let local_token = self.announcement.token.get().map(Token::hash);
        let api = self.api(
            owner_token.map(|token| clifford_vault::hash(token.expose())),
            local_token,
        );
        let metrics = api.metrics.clone();
        self.receivers.spawn(server.run(router(api), self.stop.clone()));
        self.spawn_upkeep(metrics);
    }

    fn spawn_upkeep(&self, metrics: Option<http::Metrics>) {
        if let Some(metrics) = metrics {
            self.receivers.spawn(metrics.run_upkeep(self.stop.clone()));
            self.receivers.spawn(runtime::watch(self.stop.clone()));
        }
    }
}

/// All that would keep a server from starting with these settings, but for the database, the address and the network.
pub fn refusals(loaded: &Loaded, secrets: &Secrets) -> Vec<StartError> {
    let config = &loaded.config;
    let clock: SharedClock = Arc::new(SystemClock);
    let platforms = adapters::build(config, secrets)
        .and_then(|adapters| adapters::webhooks(&adapters.channels, config, true))
        .map(drop)
        .map_err(StartError::from);
    let files = storage(loaded, secrets, clock).map(drop).map_err(StartError::Files);
    let models = models::roles(config, secrets).map(drop).map_err(StartError::from);
    [platforms, files, models].into_iter().filter_map(Result::err).collect()
}

/// The channels of platforms, and those that are Clifford's own: the dashboard's, and the terminal's where there is
/// one.
fn with_own(
    mut channels: BTreeMap<Platform, Arc<dyn Channel>>,
    options: &Options,
    relay: Option<&Arc<Relay>>,
) -> BTreeMap<Platform, Arc<dyn Channel>> {
    channels.insert(Platform::WEB, Arc::new(WebChannel));
    let relay = relay.map(|relay| Arc::clone(relay) as Arc<dyn Channel>);
    if let Some(terminal) = relay.or_else(|| options.terminal.clone()) {
        channels.insert(Platform::TERMINAL, terminal);
    }
    channels
}

/// The tools, and what they work with.
fn toolbox(
    loaded: &Loaded,
    secrets: &Secrets,
    clock: &SharedClock,
    actors: BTreeMap<Platform, Arc<dyn Actor>>,
    files: Arc<Files>,
    workers: Workers,
) -> Toolbox {
    let config = &loaded.config;
    Toolbox {
        registry: Arc::new(Registry::new(loaded.platforms, config.engine.max_tool_retries)),
        services: Arc::new(Services {
            sees_images: sees_images(config),
            transcription: transcription(config, secrets),
            speech: speech(config, secrets),
            config: config.tools.clone(),
            secrets: secrets.tools.clone(),
            actors,
            data_dir: loaded.data_dir.clone(),
            notify: Arc::default(),
            files,
            about: about(config, clock),
            workers,
        }),
    }
}

/// Whether events are stored one by one: for a while after a process that died.
fn careful(follows_a_death: bool) -> Arc<Careful> {
    let careful = Arc::<Careful>::default();
    if follows_a_death {
        tracing::warn!("last process crashed, storing events one by one for a while");
        careful.follow_a_death();
    }
    careful
}

/// The facts that the bot can tell of itself.
fn about(config: &Config, clock: &SharedClock) -> About {
    let platforms = config.channels.enabled().map(|section| section.platform().to_string());
    let providers = config.llm.providers.iter();
    About {
        started_at: Some(clock.now()),
        platforms: platforms.collect(),
        providers: providers
            .map(|provider| format!("{} ({})", provider.name, provider.model))
            .collect(),
    }
}
