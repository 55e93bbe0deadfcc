//! Receiving: the gateway on one side, the lanes on the other, and the work of a new session.

use std::sync::Arc;

use clifford_channel::{ChannelError, Ingress, IngressError, Served};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    answer,
    backfill::SERVED_WITHIN,
    commands,
    gateway::{Event, Gateway},
    handover::{Handover, Work},
    intake::Intake,
    lanes::{Lanes, Turn},
    map::Me,
    shard::Shard,
    shared::Shared,
    wait::{Backoff, Stopped, pause},
    worker::LaneWorker,
};

/// How many events may wait between the gateway and the lanes.
const WAITING: usize = 256;

/// Receives until `stop`, or until connecting again cannot help.
pub(crate) async fn receive(
    shared: Arc<Shared>,
    shard: Shard,
    ingress: Arc<dyn Ingress>,
    stop: CancellationToken,
) -> Result<(), ChannelError> {
    // The tasks end with receiving, for any reason.
    let ending = stop.child_token();
    let tasks = TaskTracker::new();
    let (sender, events) = mpsc::channel(WAITING);
    let intake = Intake::new(Arc::clone(&shared), Arc::clone(&ingress), tasks.clone());
    let dispatch = Dispatch {
        lanes: Lanes::new(
            LaneWorker::new(Handover::new(
                Arc::clone(&shared),
                Arc::clone(&ingress),
                tasks.clone(),
                ending.clone(),
            )),
            shared.config.timing.reorder,
            tasks.clone(),
        ),
        shared: Arc::clone(&shared),
        shard,
        ingress: Arc::clone(&ingress),
        tasks: tasks.clone(),
        stop: ending.clone(),
    };
    tasks.spawn(dispatch.run(events));
    let (late, until) = (Arc::clone(&shared), ending.clone());
    tasks.spawn(async move { answer::announce_late(&late, &until).await });
    let ended = Gateway::new(&shared, shard, ingress.as_ref(), intake, sender, stop)
        .run()
        .await;
    ending.cancel();
    tasks.close();
    tasks.wait().await;
    ended
}

/// Takes events from the gateway and gives them to the lanes.
struct Dispatch {
    lanes: Lanes<LaneWorker>,
    shared: Arc<Shared>,
    shard: Shard,
    ingress: Arc<dyn Ingress>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Dispatch {
    async fn run(self, mut events: mpsc::Receiver<Event>) {
        let mut me = None;
        while let Some(event) = events.recv().await {
            match (event, me) {
                (Event::Ready(now), _) => {
                    me = Some(now);
                    // They are the same for all servers.
                    if self.shard.place == 0 {
                        self.register_commands(now);
                    }
                    if self.look_back(now).await.is_err() {
                        // Events that still wait were never stored; they are in the history.
                        return;
                    }
                }
                (Event::Job(job), Some(me)) => {
                    if self.push(job.lane, job.turn, (me, job.work)).await.is_err() {
                        return;
                    }
                }
                // Discord says who the bot is before anything else.
                (Event::Job(_), None) => tracing::warn!("dropped an event that came before READY"),
            }
        }
    }

    /// Hands on one event. A full lane ends the wait once receiving stops.
    async fn push(&self, lane: u64, turn: Turn, work: (Me, Work)) -> Result<(), Stopped> {
        tokio::select! {
            biased;
            () = self.lanes.push(lane, turn, work) => Ok(()),
            () = self.stop.cancelled() => Err(Stopped),
        }
    }

    fn register_commands(&self, me: Me) {
        let (shared, stop) = (Arc::clone(&self.shared), self.stop.clone());
        self.tasks
            .spawn(async move { commands::register(&shared, me.application, &stop).await });
    }

    /// Every channel that was served lately first reads what it missed.
    async fn look_back(&self, me: Me) -> Result<(), Stopped> {
        let all = self.served().await?;
        for served in all.into_iter().filter(|served| self.shard.missed(served)) {
            if let Ok(lane) = served.external_id.parse() {
                self.push(lane, Turn::First, (me, Work::Missed(served))).await?;
            }
        }
        Ok(())
    }

    async fn served(&self) -> Result<Vec<Served>, Stopped> {
        let mut backoff = Backoff::new(&self.shared.config.timing);
        loop {
            match self.ingress.served(crate::PLATFORM, SERVED_WITHIN).await {
                Ok(served) => return Ok(served),
                Err(IngressError::Unavailable(error)) => {
                    tracing::warn!(error, "failed to read the served channels, retrying");
                    pause(backoff.next(), &self.stop).await?;
                }
            }
        }
    }
}
