//! The plan of a server: its settings, its secrets and its bound address; and how they are read again.

use std::{sync::Arc, time::Duration};

use clifford_config::{self as config, Loaded, Secrets};
use clifford_http::{ChangedSettings, Reload, Socket};
use clifford_store::Db;
use clifford_worker::Workers;

use super::{Args, Part};
use crate::{
    app::{self, Options},
    cli::setup::Globals,
};

/// The plan of a server.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) loaded: Loaded,
    pub(super) secrets: Secrets,
    pub(super) args: Args,
    /// Where it answers. The same for as long as the same address is set: callers wait there while settings change.
    pub(super) socket: Option<Arc<Socket>>,
    /// The way on which its API has the settings read again.
    reload: Reload,
}

/// The result of reading the settings again.
pub(super) struct Again {
    /// The settings that differ.
    pub(super) changed: ChangedSettings,
    /// The plan to be put in force; `None`: nothing of the one in force changes.
    pub(super) next: Option<Box<Plan>>,
}

impl Plan {
    /// Binds the address of the settings.
    ///
    /// # Errors
    /// It cannot be listened on.
    pub(super) async fn new(loaded: Loaded, secrets: Secrets, args: Args, reload: Reload) -> anyhow::Result<Self> {
        let config = &loaded.config;
        let api = args.does(Part::Api);
        let socket = match config.telemetry.metrics_bind {
            _ if api && config.http.enabled => Some(Socket::bind(&config.http).await?),
            Some(address) if !api => Some(Socket::bind_for_watching(address).await?),
            _ => None,
        };
        let socket = socket.map(Arc::new);
        Ok(Self {
            loaded,
            secrets,
            args,
            socket,
            reload,
        })
    }

    /// Whether anybody is answered.
    pub(super) const fn listens(&self) -> bool {
        self.socket.is_some()
    }

    /// Whether the API is served, and not only told how the process is.
    pub(super) fn serves_api(&self) -> bool {
        self.args.does(Part::Api)
    }

    /// The parts that this process runs.
    pub(super) fn options(&self) -> Options {
        Options {
            channels: self.args.does(Part::Channels),
            relays_terminal: self.args.only.is_none(),
            workers: self.args.does(Part::Workers),
            waits_for_database: true,
            reload: Some(self.reload.clone()),
            worker_processes: Workers::of_this_program(),
            ..Options::default()
        }
    }

    /// How long it may take to end.
    pub(super) const fn shutdown_time(&self) -> Duration {
        self.loaded.config.engine.shutdown
    }

    /// Reads the settings again; the log says what is wrong with them, what changes, and what would need a restart.
    ///
    /// # Errors
    /// They are wrong, or the database of the new ones cannot be used: the old ones stay in force.
    pub(super) async fn again(&self, globals: &Globals) -> anyhow::Result<Again> {
        let read = self.read_again(globals).await;
        if let Err(error) = &read {
            for line in format!("{error:#}").lines() {
                tracing::error!(problem = line, "found a problem in the new settings");
            }
            tracing::error!("rejected new settings, the old ones stay in force");
        }
        read
    }

    async fn read_again(&self, globals: &Globals) -> anyhow::Result<Again> {
        let (loaded, secrets) = globals.load_with_secrets()?;
        let changes = config::changes((&self.loaded.config, &self.secrets), (&loaded.config, &secrets));
        if !changes.of_process.is_empty() {
            let keys = changes.of_process.join(", ");
            tracing::warn!(keys, "settings changed that apply after a restart");
        }
        let changed = ChangedSettings {
            applied: changes.in_force,
            needs_restart: changes.of_process,
        };
        if changed.applied.is_empty() {
            tracing::info!("reloaded settings, nothing else differs");
            return Ok(Again { changed, next: None });
        }
        let next = Some(Box::new(self.next(loaded, secrets).await?));
        let keys = changed.applied.join(", ");
        tracing::info!(keys, "settings changed, draining work in flight to apply them");
        Ok(Again { changed, next })
    }

    /// The plan for other settings, as far as they can be tried alongside what is at work.
    async fn next(&self, mut loaded: Loaded, mut secrets: Secrets) -> anyhow::Result<Self> {
        loaded.keep_of_process(&self.loaded);
        secrets.go_on_masking(&self.secrets);
        let reachable = app::db_options(&loaded, false);
        Db::open(&reachable).await?.close().await;
        let (old, new) = (&self.loaded.config.http, &loaded.config.http);
        if old.enabled == new.enabled && old.bind == new.bind {
            return Ok(Self {
                loaded,
                secrets,
                socket: self.socket.clone(),
                ..self.clone()
            });
        }
        Self::new(loaded, secrets, self.args.clone(), self.reload.clone()).await
    }
}
