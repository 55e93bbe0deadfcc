//! Does the work of the lanes: events of the gateway are handed in, missed ones are read from the history.

use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::{
    backfill,
    handover::{Handover, Work},
    lanes::Worker,
    map::Me,
    wait::Stopped,
};

/// How many channels' histories are read at a time.
const READERS: usize = 8;

/// The worker of all lanes.
pub(crate) struct LaneWorker {
    handover: Handover,
    readers: Semaphore,
}

impl LaneWorker {
    pub(crate) fn new(handover: Handover) -> Self {
        Self {
            handover,
            readers: Semaphore::new(READERS),
        }
    }
}

#[async_trait]
impl Worker for LaneWorker {
    type Work = (Me, Work);

    async fn work(&self, (me, work): (Me, Work)) -> Result<(), Stopped> {
        let handover = &self.handover;
        match work {
            Work::Message(message) => handover.new_message(me, *message).await,
            Work::Edit(update) => handover.edit(me, &update).await,
            Work::Command {
                command,
                acknowledged,
                alone,
            } => handover.command(me, &command, acknowledged, alone).await,
            Work::Press { pressed, acknowledged } => handover.press(&pressed, acknowledged).await,
            Work::Event(event) => handover.hand_in(*event).await.map(drop),
            Work::Missed(served) => {
                handover.introduced(&served).await?;
                let Ok(_reader) = self.readers.acquire().await else {
                    return Err(Stopped);
                };
                backfill::read(handover, me, &served).await
            }
        }
    }
}
