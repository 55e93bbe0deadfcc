//! The context of a tool call: its person, its place and its services.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use clifford_channel::Actor;
use clifford_chat::{outbound::Address, platform::Platform};
use clifford_content::files::Files;
use clifford_core::{
    clock::{SharedClock, Timestamp},
    id::{AgentId, ChannelId, ContextId, RunId, SpaceId, UserId},
    run::undo::Undo,
    schedule::trigger::CatchUp,
    search::Scope,
};
use clifford_store::{
    Db, StoreError,
    memory::items::Viewer,
    places::{
        place_settings::{PlaceSettings, PlaceWords},
        settings::{self, Around},
    },
};
use clifford_vault::Secret;
use clifford_worker::Workers;
use serde::de::DeserializeOwned;
use tokio::sync::Notify;

use super::{Isolates, Options, Pays, Registry, Speech, ToolError, ToolSettings, Transcription, WithKey};

/// On whose behalf and where a tool works.
#[derive(Clone, Debug)]
pub struct ToolContext {
    /// The database.
    pub db: Db,
    /// The clock.
    pub clock: SharedClock,
    /// Every tool.
    pub registry: Arc<Registry>,
    /// The services that tools use.
    pub services: Arc<Services>,
    /// The settings of tools at the run's place.
    pub options: Arc<Options>,
    /// The time zone of people who have not set theirs (IANA).
    pub time_zone: String,
    /// The handling of due times that were missed, for triggers that do not set it.
    pub catch_up: CatchUp,
    /// The agent that does the run.
    pub agent: AgentId,
    /// The run's user.
    pub user: Option<UserId>,
    /// The run's conversation.
    pub context: Option<ContextId>,
    /// Its channel, with the space of that.
    pub place: Option<(ChannelId, Option<SpaceId>)>,
    /// Where the run's replies go.
    pub address: Option<Address>,
    /// The defaults of a place.
    pub defaults: PlaceSettings,
    /// The part of its user's memory that the run's channel may see.
    pub viewer: Viewer,
    /// The only tools that the run may call, if it is limited.
    pub allowed: Option<Vec<String>>,
    /// The run.
    pub run: RunId,
    /// The run at the root of its tree: what people asked belongs to it.
    pub root_run: RunId,
    /// Where it may search.
    pub scope: Scope,
    /// Processes died that held the run: it is worked on in isolation.
    pub isolation: Option<Arc<dyn Isolates>>,
    /// The same for every attempt at this very call.
    pub idempotency_key: String,
    /// The run has read words from outside.
    pub is_tainted: bool,
    /// Where what this call returns came from.
    pub origins: Arc<Origins>,
    /// How many characters of a text its run's model can be shown at once.
    pub readable: usize,
    /// Pays for what models are asked.
    pub payer: Arc<dyn Pays>,
}

impl ToolContext {
    /// Whether anything is remembered where the run is.
    pub async fn remembers(&self) -> Result<bool, StoreError> {
        let around = Around {
            place: self.place,
            user: self.user,
            ..Around::default()
        };
        let rows = settings::around(&mut self.db.read().await?, around).await?;
        let forgets = PlaceWords::of(&rows).forgets_person;
        Ok(!forgets && self.defaults.with(rows).memory)
    }

    /// Marks the result of this call, or its error, as words from outside: a web address, a file's name.
    pub fn came_from(&self, origin: impl Into<String>) {
        self.origins.add(origin.into());
    }

    /// Marks the result of this call as its person's alone. Where others read along, the person is asked before it is
    /// used there.
    pub fn private(&self) {
        self.origins.private.store(true, Ordering::Relaxed);
    }

    /// Tells how this call is taken back. It concerns its person alone.
    pub fn undoable(&self, undo: Undo) {
        let mut kept = self.origins.undo.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(Box::new(undo));
    }

    /// For whom worker processes work: a person, or a run that belongs to none.
    pub fn on_behalf_of(&self) -> String {
        self.user
            .map_or_else(|| self.root_run.to_string(), |user| user.to_string())
    }

    /// The settings of a tool at the run's place.
    ///
    /// # Errors
    /// The settings cannot be used.
    pub fn config<C: DeserializeOwned>(&self, tool: &str) -> Result<C, ToolError> {
        C::deserialize(self.options.section(tool)).map_err(|error| {
            ToolError::Unavailable(format!(
                "what is set for {tool} cannot be used: {error}; `clifford tools show {tool}` tells where it is set"
            ))
        })
    }
}

/// The services that tools use besides the database.
#[derive(Debug, Default)]
pub struct Services {
    /// Their settings.
    pub config: ToolSettings,
    /// The secrets that their settings refer to, by `tool.key`.
    pub secrets: BTreeMap<String, Secret>,
    /// The platforms where more can be done than to speak.
    pub actors: BTreeMap<Platform, Arc<dyn Actor>>,
    /// Whether a model looks at images.
    pub sees_images: bool,
    /// The server that writes down what is said, if there is one.
    pub transcription: Option<WithKey<Transcription>>,
    /// The server that speaks answers, if there is one.
    pub speech: Option<WithKey<Speech>>,
    /// Where what is not in the database is.
    pub data_dir: PathBuf,
    /// Notified when there is something to come due, so that nobody sleeps past it.
    pub notify: Arc<Notify>,
    /// Files.
    pub files: Arc<Files>,
    /// The bot's facts about itself.
    pub about: About,
    /// Does what may take any time and memory.
    pub workers: Workers,
}

/// The bot's facts about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// When this process started.
    pub started_at: Option<Timestamp>,
    /// The platforms of the configuration.
    pub platforms: Vec<String>,
    /// The models of the configuration, in order of preference.
    pub providers: Vec<String>,
}

/// Where what a call returns came from, as far as that is outside, whom it is for, and how the call is taken back.
#[derive(Debug, Default)]
pub struct Origins {
    outside: Mutex<BTreeSet<String>>,
    private: AtomicBool,
    undo: Mutex<Option<Box<Undo>>>,
}

impl Origins {
    fn add(&self, origin: String) {
        self.outside
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(origin);
    }

    /// All origins so far.
    pub fn all(&self) -> BTreeSet<String> {
        self.outside.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How the call is taken back.
    pub fn undo(&self) -> Option<Box<Undo>> {
        self.undo.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it is for its person alone.
    pub fn is_private(&self) -> bool {
        self.private.load(Ordering::Relaxed)
    }
}
