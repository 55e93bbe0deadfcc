//! The composition root: the only file that names every adapter and provider.

mod models;
mod opening;
pub mod permissions;
mod settings;
pub(crate) mod shutdown;
mod work;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use clifford_channel::{Actor, Channel};
use clifford_chat::platform::Platform;
use clifford_config::{self as config, Config, Loaded, Secrets};
use clifford_content::files::Files;
use clifford_core::{
    clock::{SharedClock, SystemClock},
    id::WorkerId,
};
use clifford_delivery::{Delivery, outbound::Outbound};
use clifford_discord::{Argument, Discord, DiscordConfig, SlashCommand};
use clifford_engine::{Engine, Parts, models::sealed::Sealed};
use clifford_http::{self as http, Api, Server, channel::WebChannel};
use clifford_ingress::{Gatekeeper, commands};
use clifford_store::{Db, DbOptions, StoreError};
use clifford_telegram::{Rates, Telegram, TelegramConfig};
use clifford_telemetry::runtime;
use clifford_tools::{self as tools, About, Registry, Services, mcp};
use clifford_vault::Masker;
use clifford_worker::Workers;
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::settings::{count, delivery_settings, engine_settings, file_limits, ingress_settings};
pub(crate) use self::{
    models::{provider, sees_images},
    settings::{place_defaults, policy, rules, storage, trigger_settings},
};
use crate::app::permissions::Kept;

/// Why Clifford could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A model's settings.
    #[error("the model provider cannot be used: {0}")]
    Model(#[from] clifford_llm::SetupError),
    /// The settings of where files are kept.
    #[error("files cannot be kept: {0}")]
    Files(String),
    /// A platform's settings.
    #[error(transparent)]
    Channel(#[from] clifford_chat::error::ChannelError),
}

/// What a process does.
#[derive(Clone, Default)]
pub struct Options {
    /// Connects to the platforms of the configuration.
    pub channels: bool,
    /// Works on runs that nobody holds.
    pub workers: bool,
    /// Waits for a database server that does not answer, for `database.wait_seconds`: nobody sits before it.
    pub waits_for_database: bool,
    /// One more channel: the terminal.
    pub terminal: Option<Arc<dyn Channel>>,
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
    /// The engine.
    pub engine: Arc<Engine>,
    /// Where events come in.
    pub gatekeeper: Arc<Gatekeeper>,
    /// Hides secrets.
    pub masker: Arc<Masker>,
    /// Told to stop.
    pub stop: CancellationToken,
    /// Keeps the MCP servers at work.
    pub mcp: mcp::Supervisor,
    /// The platforms that this process is to be connected to.
    platforms: Vec<Platform>,
    receivers: TaskTracker,
    /// Begins failed connections anew.
    connect_again: Arc<Notify>,
    background: TaskTracker,
    background_stop: CancellationToken,
    /// Told when nothing is in hand any more: until then leases are renewed.
    empty_handed: CancellationToken,
}

/// What a configuration keeps on this machine.
pub fn kept(loaded: &Loaded) -> Kept {
    let database = loaded.database_url.as_str().strip_prefix("sqlite:");
    Kept {
        data_dir: loaded.data_dir.clone(),
        database: database.map(|path| PathBuf::from(path.trim_start_matches("//"))),
    }
}

/// Makes what is kept on this machine private, unless the configuration says otherwise.
pub fn restrict(loaded: &Loaded) {
    if loaded.config.data.private {
        kept(loaded).restrict();
    }
}

/// How the database of a configuration is opened.
pub fn db_options(loaded: &Loaded, exclusive: bool) -> DbOptions {
    DbOptions {
        url: loaded.database_url.as_str().to_owned(),
        synchronous_full: loaded.config.database.synchronous == config::Synchronous::Full,
        max_connections: loaded.config.database.max_connections,
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
        let config = loaded.config.clone();
        let clock: SharedClock = Arc::new(SystemClock);
        restrict(loaded);
        let worker = WorkerId::new();
        let patience = if options.waits_for_database {
            Duration::from_secs(config.database.wait_seconds)
        } else {
            Duration::ZERO
        };
        let (db, follows_a_death) = opening::open(loaded, &clock, patience).await?;

        let masker = Arc::clone(&secrets.masker);
        let Adapters { mut channels, actors } = adapters(&config, secrets)?;
        let platforms = channels.keys().copied().filter(|_| options.channels).collect();
        channels.insert(Platform::Web, Arc::new(WebChannel));
        if let Some(terminal) = &options.terminal {
            channels.insert(Platform::Terminal, Arc::clone(terminal));
        }
        let lease = Duration::from_secs(config.engine.lease_seconds);
        let limits = channels
            .iter()
            .map(|(platform, channel)| (*platform, channel.limits()))
            .collect();
        let max_parts = count(config.delivery.max_parts);
        let outbound = Outbound::new(limits, max_parts, worker, lease, Arc::clone(&masker));
        let storage = storage(loaded, secrets, Arc::clone(&clock)).map_err(StartError::Files)?;
        let files = Arc::new(Files::new(storage, file_limits(&config), channels.clone()));
        let delivery = Delivery::new(
            db.clone(),
            Arc::clone(&clock),
            worker,
            delivery_settings(&config),
            channels.clone(),
            Arc::clone(&files),
        );
        let roles = Arc::new(models::roles(&config, secrets)?);
        let services = Arc::new(Services {
            sees_images: sees_images(&config),
            config: config.tools.clone(),
            secrets: secrets.tools.clone(),
            actors,
            data_dir: loaded.data_dir.clone(),
            bell: Arc::default(),
            files,
            about: about(&config, &clock),
            workers: options.worker_processes,
        });
        let tools = Arc::new(Registry::built_in(config.engine.max_tool_retries));
        let mcp = mcp::Supervisor::start(&tools, &services);
        let engine = Engine::new(Parts {
            db: db.clone(),
            clock: Arc::clone(&clock),
            worker,
            rules: rules(&config, &tools, &tools::Options::new(Arc::clone(&services), &[])),
            settings: engine_settings(&config),
            roles,
            tools,
            services,
            outbound,
            delivery,
            masker: Arc::clone(&masker),
            sealed: Arc::new(Sealed::new(
                secrets.sealing_key.clone(),
                &loaded.data_dir,
                Arc::clone(&masker),
            )),
        });
        if follows_a_death {
            tracing::warn!("the last process did not end in order; events are stored one by one for a while");
            engine.careful.follow_a_death();
        }
        let gatekeeper = Gatekeeper::new(Arc::clone(&engine), ingress_settings(&config));
        let app = Self {
            config,
            db,
            clock,
            engine,
            gatekeeper,
            masker,
            stop: CancellationToken::new(),
            mcp,
            platforms,
            receivers: TaskTracker::new(),
            connect_again: Arc::default(),
            background: TaskTracker::new(),
            background_stop: CancellationToken::new(),
            empty_handed: CancellationToken::new(),
        };
        app.begin(options.workers);
        if options.channels {
            app.receive(
                channels
                    .into_values()
                    .filter(|channel| !matches!(channel.platform(), Platform::Terminal | Platform::Web)),
            );
        }
        Ok(app)
    }

    /// The HTTP API for a caller in this process, who holds the token of this hash.
    pub fn local_api(&self, owner_token: String) -> axum::Router {
        let api = self.api(Some(owner_token));
        self.keep(api.metrics.clone());
        http::router(api)
    }

    fn api(&self, owner_token: Option<String>) -> Api {
        Api {
            engine: Arc::clone(&self.engine),
            gatekeeper: Arc::clone(&self.gatekeeper),
            settings: self.config.http.clone(),
            owner_token,
            platforms: self.platforms.clone(),
            metrics: http::Metrics::install(),
            stop: self.stop.clone(),
            state: http::ApiState::default(),
        }
    }

    /// Answers the HTTP API on a bound address.
    pub fn serve(&self, server: Server, secrets: &Secrets) {
        tracing::info!(address = %server.address(), "the API is served");
        self.answer(server, secrets, http::router);
    }

    /// Tells on a bound address how this process is, which does not serve the API.
    pub fn tell(&self, server: Server, secrets: &Secrets) {
        tracing::info!(address = %server.address(), "metrics are served");
        self.answer(server, secrets, http::watching);
    }

    fn answer(&self, server: Server, secrets: &Secrets, router: fn(Api) -> axum::Router) {
        let owner_token = secrets.http_token.as_ref();
        let api = self.api(owner_token.map(|token| clifford_vault::hash(token.expose())));
        let metrics = api.metrics.clone();
        self.receivers.spawn(server.run(router(api), self.stop.clone()));
        self.keep(metrics);
    }

    fn keep(&self, metrics: Option<http::Metrics>) {
        if let Some(metrics) = metrics {
            self.receivers.spawn(metrics.keep(self.stop.clone()));
            self.receivers.spawn(runtime::watch(self.stop.clone()));
        }
    }
}

/// What the bot can tell of itself.
fn about(config: &Config, clock: &SharedClock) -> About {
    let channels = &config.channels;
    let on = [
        (
            Platform::Telegram,
            channels.telegram.as_ref().is_some_and(|section| section.enabled),
        ),
        (
            Platform::Discord,
            channels.discord.as_ref().is_some_and(|section| section.enabled),
        ),
    ];
    let platforms = on
        .into_iter()
        .filter(|(_, on)| *on)
        .map(|(platform, _)| platform.to_string());
    let providers = config.llm.providers.iter();
    About {
        started_at: Some(clock.now()),
        platforms: platforms.collect(),
        providers: providers
            .map(|provider| format!("{} ({})", provider.name, provider.model))
            .collect(),
    }
}

/// The platforms of the configuration.
#[derive(Default)]
struct Adapters {
    /// Where it speaks.
    channels: BTreeMap<Platform, Arc<dyn Channel>>,
    /// Where more can be done than that.
    actors: BTreeMap<Platform, Arc<dyn Actor>>,
}

fn adapters(config: &Config, secrets: &Secrets) -> Result<Adapters, StartError> {
    let mut adapters = Adapters::default();
    if let (Some(settings), Some(token)) = (&config.channels.telegram, &secrets.telegram_token)
        && settings.enabled
    {
        let telegram = Telegram::new(TelegramConfig {
            token: token.expose().to_owned(),
            api_url: url(settings.api_url.as_str())?,
            poll_timeout: Duration::from_secs(settings.poll_seconds),
            rates: Rates {
                per_second: settings.rate_overall_per_second,
                private_per_second: settings.rate_private_per_second,
                group_per_minute: settings.rate_group_per_minute,
            },
            commands: clifford_core::commands::COMMANDS
                .iter()
                .map(|command| (command.name.to_owned(), command.description.to_owned()))
                .collect(),
            drafts: settings.feedback == config::Feedback::Draft,
        })?;
        let telegram = Arc::new(telegram);
        adapters.actors.insert(Platform::Telegram, Arc::clone(&telegram) as _);
        adapters.channels.insert(Platform::Telegram, telegram);
    }
    if let (Some(settings), Some(token)) = (&config.channels.discord, &secrets.discord_token)
        && settings.enabled
    {
        let mut discord = DiscordConfig::new(token.expose());
        discord.api_url = settings.api_url.as_str().trim_end_matches('/').to_owned();
        discord.dev_guild = settings
            .dev_guild
            .as_ref()
            .and_then(|guild| guild.as_str().parse().ok());
        discord.commands = slash_commands();
        discord.drafts = settings.feedback == config::Feedback::Draft;
        discord.shards = settings.shards;
        let discord = Arc::new(Discord::new(discord)?);
        adapters.actors.insert(Platform::Discord, Arc::clone(&discord) as _);
        adapters.channels.insert(Platform::Discord, discord);
    }
    Ok(adapters)
}

fn url(text: &str) -> Result<url::Url, StartError> {
    text.parse().map_err(|_| {
        let why = format!("channels.telegram.api_url: `{text}` is no address");
        StartError::Channel(clifford_chat::error::ChannelError::Misconfigured(why))
    })
}

/// `/ask` speaks to the bot as a mention does; the others are the commands of every platform.
fn slash_commands() -> Vec<SlashCommand> {
    let ask = SlashCommand {
        name: "ask".to_owned(),
        description: "Ask me something".to_owned(),
        arguments: vec![Argument {
            name: "text".to_owned(),
            description: "What to ask".to_owned(),
            required: true,
            completes: false,
            choices: Vec::new(),
        }],
        private: false,
    };
    let others = clifford_core::commands::COMMANDS.iter().map(|command| SlashCommand {
        name: command.name.to_owned(),
        description: command.description.to_owned(),
        arguments: if command.name == "key" {
            key_arguments()
        } else {
            let argument = command.argument.map(|(name, required)| Argument {
                name: name.to_owned(),
                description: command.description.to_owned(),
                required,
                completes: commands::completes(command.name),
                choices: Vec::new(),
            });
            argument.into_iter().collect()
        },
        private: command.is_private(),
    });
    std::iter::once(ask).chain(others).collect()
}

/// What `/key` takes, each by itself.
fn key_arguments() -> Vec<Argument> {
    let argument = |name: &str, description: &str, choices: &[&str]| Argument {
        name: name.to_owned(),
        description: description.to_owned(),
        required: false,
        completes: false,
        choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
    };
    vec![
        argument(
            "action",
            "What to do; without it, your keys are listed",
            &["set", "list", "remove"],
        ),
        argument("provider", "The provider that the key is for", &[]),
        argument("key", "The key, to set it", &[]),
    ]
}
