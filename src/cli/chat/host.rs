//! The bot of this machine in the process of a terminal. It serves the API and the dashboard as `clifford serve` does, for
//! as long as the terminal is open: other terminals and commands of this machine go to it meanwhile.

use anyhow::Context;
use clifford_config::{Loaded, Secrets};
use clifford_http::{self as http, Metrics, Socket};
use clifford_worker::Workers;

use super::Platforms;
use crate::{
    app::{App, Options, Stays},
    cli::{local, serve, server::Server, setup},
};

/// The bot, and the way to it.
pub(super) struct Host {
    app: App,
    /// Its settings, with the address where it listens.
    loaded: Loaded,
    server: Server,
}

impl Host {
    /// Starts it. Where its address is taken, it listens at another one, and says so.
    ///
    /// # Errors
    /// The database cannot be used, or no port can be listened on.
    pub(super) async fn start(loaded: &Loaded, secrets: &Secrets, platforms: Platforms) -> anyhow::Result<Self> {
        let mut loaded = loaded.clone();
        let (socket, elsewhere) = Socket::bind_or_any(&loaded.config.http).await?;
        if let Some(fault) = elsewhere {
            let wanted = loaded.config.http.bind;
            let why = if fault.is_in_use() {
                format!("{wanted} is in use by another program")
            } else {
                fault.to_string()
            };
            loaded.hints.push(format!(
                "The dashboard and the API are at another port, as long as this terminal is open: {why}."
            ));
            loaded.config.http.public_url = None;
        }
        // Before anything is done that is counted.
        Metrics::install(&loaded.platforms.names());
        let server = http::Server::on(&socket, &loaded.config.http);
        let server = server.context("http.bind: nobody can be answered there")?;
        socket.record_in(&mut loaded.config.http);
        let options = Options {
            channels: platforms == Platforms::Connected,
            workers: true,
            relays_terminal: true,
            worker_processes: Workers::of_this_program(),
            ..Options::default()
        };
        let app = setup::start(&loaded, secrets, options).await?;
        let announced = app.serve_while(server, secrets, Stays::WithTerminal);
        local::meet(&app.db, setup::now()).await?;
        let server = Server::at(announced)?;
        Ok(Self { app, loaded, server })
    }

    /// The way to it.
    pub(super) const fn server(&self) -> &Server {
        &self.server
    }

    /// Says what runs, and what to do next.
    ///
    /// # Errors
    /// The database does not answer.
    pub(super) async fn greet(&self) -> anyhow::Result<()> {
        serve::greet(&self.app, &self.loaded).await
    }

    /// Ends it in order.
    pub(super) async fn end(self) {
        // Its connections end with it: the API waits a moment for what the open ones may still ask.
        drop(self.server);
        self.app.shutdown().await;
    }
}
