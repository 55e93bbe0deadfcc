//! A bot at work by one configuration: all of it runs in a runtime of its own, and is gone with that. So work that hung
//! when its time was over ends as surely as with the end of a process, and the next bot runs alone.

use std::sync::Arc;

use anyhow::{Context, anyhow};
use clifford_http::Server;
use tokio::{
    runtime::{Builder, Runtime},
    sync::{Notify, oneshot},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use super::{greeting, plan::Plan};
use crate::{
    app::App,
    cli::{LINGER, setup},
};

/// A bot at work.
pub(super) struct AtWork {
    runtime: Own,
    stop: CancellationToken,
    /// Connects failed connections again.
    again: Arc<Notify>,
    life: JoinHandle<()>,
}

impl AtWork {
    /// Begins to work; the first time it says what runs.
    ///
    /// # Errors
    /// Why it cannot; nothing of it is left.
    pub(super) async fn begin(plan: Plan, greets: bool) -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime = Own(Some(runtime.context("the runtime could not be started")?));
        let stop = CancellationToken::new();
        let again = Arc::new(Notify::new());
        let (begun, told) = oneshot::channel();
        let life = live(plan, stop.clone(), Arc::clone(&again), begun, greets);
        let life = runtime.spawn(Box::pin(life))?;
        match told.await {
            Ok(Ok(())) => Ok(Self {
                runtime,
                stop,
                again,
                life,
            }),
            Ok(Err(error)) => {
                runtime.end().await;
                Err(error)
            }
            Err(_) => Err(anyhow!("the bot could not begin: a bug, which the log tells")),
        }
    }

    /// Connects failed connections again, without their wait.
    pub(super) fn connect_again(&self) {
        self.again.notify_one();
    }

    /// Ends within `shutdown_seconds`, and takes everything along that hangs.
    pub(super) async fn end(self) {
        self.stop.cancel();
        if self.life.await.is_err() {
            tracing::error!("shutdown panicked, work in flight resumes at the next start");
        }
        self.runtime.end().await;
    }
}

async fn live(
    plan: Plan,
    stop: CancellationToken,
    again: Arc<Notify>,
    begun: oneshot::Sender<anyhow::Result<()>>,
    greets: bool,
) {
    let app = match start(&plan, greets).await {
        Ok(app) => app,
        Err(error) => return drop(begun.send(Err(error))),
    };
    // The waiting caller may have stopped.
    begun.send(Ok(())).ok();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = again.notified() => app.connect_again(),
        }
    }
    app.shutdown().await;
}

async fn start(plan: &Plan, greets: bool) -> anyhow::Result<App> {
    // Before anything is received, as what else may be wrong with the start.
    let server = plan.socket.as_deref();
    let server = server.map(|socket| Server::on(socket, &plan.loaded.config.http));
    let server = server.transpose().context("http.bind: nobody can be answered there")?;
    let mut loaded = plan.loaded.clone();
    if let Some(socket) = plan.socket.as_deref().filter(|_| plan.serves_api()) {
        socket.record_in(&mut loaded.config.http);
    }
    let app = setup::start(&loaded, &plan.secrets, plan.options()).await?;
    match server {
        Some(server) if plan.serves_api() => app.serve(server, &plan.secrets),
        Some(server) => app.serve_health(server, &plan.secrets),
        None => {}
    }
    // The page that the greeting links to is there by now.
    if greets {
        greeting::say(&app, &loaded, &plan.args).await?;
    }
    Ok(app)
}

/// A runtime that may be dropped anywhere.
struct Own(Option<Runtime>);

impl Own {
    fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> anyhow::Result<JoinHandle<()>> {
        let runtime = self.0.as_ref().context("the runtime has ended")?;
        Ok(runtime.spawn(future))
    }

    /// Ends every task, and waits a little for what blocks its thread.
    async fn end(mut self) {
        let Some(runtime) = self.0.take() else { return };
        let ended = tokio::task::spawn_blocking(move || runtime.shutdown_timeout(LINGER));
        if ended.await.is_err() {
            tracing::error!("failed to end work in flight");
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
