//! Messages that a person writes while their run is at work: taken in between two iterations, where that is set.

use clifford_chat::outbound::{Mark, Signal};
use clifford_core::{
    places::{Mode, WhenBusy},
    run::effects::Effects,
};
use clifford_delivery::outbound::To;
use clifford_store::messages;
use clifford_telemetry::failpoint::{self as crash, Point};

use super::{Gone, Session};
use crate::run::commit::TakesIn;

impl Session<'_> {
    /// Messages written while this run worked were answered with it. An interaction keeps the word that it waited.
    pub(super) fn settle_taken_in(&mut self, to: &To, mark: Option<Mark>) {
        for address in self.taken_in.drain(..).filter(|address| address.via.is_none()) {
            let to = To { address, ..to.clone() };
            self.cx.delivery.signal(&to, Signal::Done);
            if let Some(mark) = mark {
                self.cx.delivery.mark(&to, mark);
            }
        }
    }

    /// Takes in its person's messages since it began, where that is set for the place. They are this run's from that
    /// commit on, and never another's.
    pub async fn take_in(&mut self) -> Result<(), Gone> {
        let run = &self.work.run;
        let (Some(context), Some(user), Some(channel)) = (run.context_id, run.user_id, &self.work.channel) else {
            return Ok(());
        };
        if run.mode == Mode::Chat || !self.state.takes_in() {
            return Ok(());
        }
        let takes_in = TakesIn {
            context,
            user,
            channel: channel.id,
            next_seq: self.state.next_seq,
        };
        let when_busy = match self.when_busy {
            Some(when_busy) => when_busy,
            None => {
                let defaults = self.cx.settings.defaults();
                let mut conn = self.cx.db.read_local().await?;
                defaults.of(&mut conn, channel.space_id, channel.id).await?.when_busy
            }
        };
        self.when_busy = Some(when_busy);
        if when_busy != WhenBusy::Steer {
            return Ok(());
        }
        let queued = messages::queued(&mut self.cx.db.read_local().await?, context).await?;
        if queued.iter().any(|message| takes_in.takes(message)) {
            self.commit_with(Effects::default(), Some(takes_in)).await?;
            crash::reach(Point::TakenIn);
        }
        Ok(())
    }
}
