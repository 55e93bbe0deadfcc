//! Work that processes died of is done alone: a run takes its turns in isolation, and its row says so before each.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use clifford_core::{id::FileId, quarantine::Mark, run::sentences, work::Kind};
use clifford_delivery::outbound::To;
use clifford_store::{
    StoreError, files,
    messages::{
        self,
        outbox::{self, Outgoing},
    },
    people::reading,
    runs::{Lease, queue as run_queue},
};
use clifford_telemetry::{measures, quarantine::isolation::Key};
use clifford_tools::Isolates;

use crate::Context;

/// How long to wait when the database is away.
const RETRY: Duration = Duration::from_secs(1);

impl Context {
    /// Quarantines a message that processes died of; its chat gets a notice in its place.
    pub(crate) async fn quarantine_message(&self, message: Outgoing) -> Result<(), StoreError> {
        let (id, deaths, worker, now) = (message.id, message.deaths, self.process.worker(), self.clock.now());
        let lang = reading::by_id(&mut self.db.read().await?, None, Some(message.channel_id)).await?;
        let told = message.platform.parse().ok().map(|platform| {
            let to = To {
                platform,
                channel: message.channel_id,
                context: None,
                user: None,
                run: None,
                address: message.address.0.clone(),
            };
            self.delivery
                .outbound()
                .message(to, &sentences::MESSAGE_QUARANTINED.text(lang), now)
        });
        let (told, pending) = told.unzip();
        let reason = format!(
            "quarantined: {deaths} processes died that held it, the last one while it sent nothing else; \
             `clifford quarantine retry {id}` tries again"
        );
        let written = self.db.write(move |tx| {
            let (told, reason) = (told.clone(), reason.clone());
            Box::pin(async move {
                if !outbox::quarantine(tx, id, worker, &reason, now).await? {
                    return Ok(false);
                }
                if let Some(told) = &told {
                    messages::insert_outbound(tx, told, now).await?;
                }
                Ok(true)
            })
        });
        if !written.await? {
            return Ok(());
        }
        tracing::error!(message_id = %id, deaths, "message quarantined: the process died each time that it sent it");
        measures::quarantined(Kind::Message);
        if let Some(pending) = pending.flatten() {
            self.delivery.deliver(pending);
        }
        Ok(())
    }

    /// Each turn of a suspect that others wait for ends after a while: its row says so before they begin.
    pub(crate) async fn keep_turns_short(self: Arc<Self>, lease: Lease) {
        let key = key(lease);
        while !self.process.stop.is_cancelled() {
            let turn = self.isolation.overdue(&key).await;
            self.mark(lease, Mark::Waiting).await;
            drop(turn);
            self.notify.runs.notify_one();
        }
    }

    /// Waits for a suspect that is worked on, for a bounded time; if this is one, for its own turn.
    pub(crate) async fn wait_for_suspects(&self, lease: Lease) {
        if self.is_suspect(lease) {
            self.enter_isolation(lease).await;
        } else {
            self.isolation.pass().await;
        }
    }

    /// Whether a run is worked on alone.
    pub(crate) fn is_suspect(&self, lease: Lease) -> bool {
        self.isolation.is_suspect(|| key(lease))
    }

    /// A suspect is about to be worked on: its row says so before. Nothing happens to any other run.
    pub(crate) async fn enter_isolation(&self, lease: Lease) {
        if self.is_suspect(lease)
            && let Some((mark, turn)) = self.isolation.enter(&key(lease)).await
        {
            self.mark(lease, mark).await;
            self.isolation.begin(&key(lease), turn);
        }
    }

    /// A suspect is about to wait for its model: everything else goes on. Nothing happens to any other run.
    pub(crate) async fn leave_isolation(&self, lease: Lease) {
        if self.is_suspect(lease) {
            self.mark(lease, Mark::Waiting).await;
            self.isolation.leave(&key(lease));
            self.notify.runs.notify_one();
        }
    }

    /// Writes a mark, however long that takes. That a run is somebody else's by now its next write tells.
    async fn mark(&self, lease: Lease, mark: Mark) {
        loop {
            let written = self
                .db
                .write(move |tx| Box::pin(async move { run_queue::mark(tx, &lease, mark).await }))
                .await;
            match written {
                Ok(_) => return,
                Err(error) => tracing::warn!(run_id = %lease.run, %error, "failed to mark a suspected run, retrying"),
            }
            tokio::select! {
                () = self.process.stop.cancelled() => return,
                () = tokio::time::sleep(RETRY) => {}
            }
        }
    }

    /// Writes that a run is set aside. `false`: it is not this process's any more.
    pub(crate) async fn quarantine(&self, lease: Lease) -> bool {
        loop {
            let now = self.clock.now();
            let written = self
                .db
                .write(move |tx| Box::pin(async move { run_queue::quarantine(tx, &lease, now).await }))
                .await;
            match written {
                Ok(is_ours) => return is_ours,
                Err(error) => tracing::warn!(run_id = %lease.run, %error, "failed to quarantine a run, retrying"),
            }
            tokio::select! {
                () = self.process.stop.cancelled() => return false,
                () = tokio::time::sleep(RETRY) => {}
            }
        }
    }
}

/// The isolation of a suspected run, for its tool calls.
pub(crate) struct RunInIsolation {
    cx: Arc<Context>,
    lease: Lease,
}

impl RunInIsolation {
    /// `None`: the run is no suspect.
    pub(crate) fn of(cx: &Arc<Context>, lease: Lease) -> Option<Arc<dyn Isolates>> {
        let cx = cx.is_suspect(lease).then(|| Arc::clone(cx))?;
        Some(Arc::new(Self { cx, lease }))
    }
}

impl fmt::Debug for RunInIsolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunInIsolation")
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Isolates for RunInIsolation {
    async fn enter(&self) {
        self.cx.enter_isolation(self.lease).await;
    }

    fn retract(&self, file: FileId) {
        let cx = Arc::clone(&self.cx);
        self.cx.process.tasks.spawn(async move {
            loop {
                let retracted = cx
                    .db
                    .write(move |tx| Box::pin(async move { files::was_read(tx, file).await }));
                match retracted.await {
                    Ok(()) => return,
                    Err(error) => {
                        tracing::warn!(file_id = %file, %error, "failed to retract the announcement of a file")
                    }
                }
                tokio::select! {
                    () = cx.process.stop.cancelled() => return,
                    () = tokio::time::sleep(RETRY) => {}
                }
            }
        });
    }
}

pub(crate) fn key(lease: Lease) -> Key {
    (lease.run.to_string(), lease.epoch)
}
