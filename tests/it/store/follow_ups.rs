//! Messages that wait for the end of a run: who answers them, and which a run takes in before.

use clifford_chat::outbound::Address;
use clifford_core::{
    id::{AgentId, ChannelId, WorkerId},
    messages::MessageStatus,
    places::Mode,
    runs::{CancelReason, Run, RunStatus},
};
use clifford_engine::run::{
    cancel,
    commit::TakesIn,
    follow_up::{Begins, follow_up_in},
};
use clifford_store::{
    messages::{self, NewInbound},
    places::{
        agents::{self, Agent},
        channels::{self, Change},
    },
};

use super::world::{LEASE, NOW, World, an_agent, place};

fn here() -> Address {
    Address {
        place: "1".into(),
        reply_to: None,
        private: false,
        via: None,
    }
}

impl World {
    /// A run that has ended, and another chat that goes on with its conversation.
    async fn an_ended_run_and_another_chat(&self) -> (Run, ChannelId) {
        let (run, lease) = self.held(self.run()).await;
        self.advance(lease, RunStatus::Completed).await.expect("ends");
        let person = self.user.id;
        let other = self
            .db
            .write(move |tx| {
                Box::pin(async move { channels::find_or_create(tx, &place("2"), Some((person, "1")), NOW).await })
            })
            .await
            .expect("a channel");
        (run, other.id)
    }

    async fn brings_in(&self, agent: Agent) {
        let put = self
            .db
            .write(move |tx| Box::pin(async move { agents::put(tx, &agent, NOW).await }));
        put.await.expect("puts");
    }

    async fn changes(&self, channel: ChannelId, change: Change) {
        let changed = self
            .db
            .write(move |tx| Box::pin(async move { channels::change(tx, channel, &change, NOW).await }));
        changed.await.expect("changes");
    }

    /// A message waits in a channel, and is to be answered in this way.
    async fn waits(&self, channel: ChannelId, id: &str, mode: Option<Mode>) {
        let message = NewInbound {
            channel_id: channel,
            ..self.message(id, MessageStatus::Received)
        };
        let queued = self.db.write(move |tx| {
            Box::pin(async move {
                messages::insert_inbound(tx, &message, NOW).await?;
                messages::queue(tx, message.id, &here(), mode, None).await
            })
        });
        queued.await.expect("queues");
    }

    async fn follow_up(&self, ended: &Run) -> Run {
        let (context, ended) = (self.context, ended.clone());
        let begins = Begins {
            worker: WorkerId::new(),
            lease_for: LEASE,
            parallel: 3,
        };
        let begun = self
            .db
            .write(move |tx| Box::pin(async move { follow_up_in(tx, context, ended.agent_id, begins, NOW).await }));
        begun.await.expect("begins").expect("a run").0
    }
}

pub async fn what_waits_in_another_chat_is_answered_by_the_agent_of_that_chat(world: World) {
    let (ended, other) = world.an_ended_run_and_another_chat().await;
    let writer = Agent {
        mode: Mode::Chat,
        is_default: false,
        ..an_agent(AgentId::new(), "writer")
    };
    let id = writer.id;
    world.brings_in(writer).await;
    let own = Change {
        agent: Some(Some(id)),
        ..Change::default()
    };
    world.changes(other, own).await;
    world.waits(other, "1", None).await;
    let run = world.follow_up(&ended).await;
    assert_eq!((run.agent_id, run.mode, run.channel_id), (id, Mode::Chat, Some(other)));
}

pub async fn what_waits_is_answered_by_the_default_agent_if_the_one_before_is_off(world: World) {
    let (ended, _) = world.an_ended_run_and_another_chat().await;
    let off = Agent {
        enabled: false,
        is_default: false,
        ..an_agent(world.agent, "clifford")
    };
    world.brings_in(off).await;
    world.waits(world.channel.id, "1", None).await;
    let run = world.follow_up(&ended).await;
    // Nobody else is there.
    assert_eq!((run.agent_id, run.mode), (world.agent, Mode::Run));
    let default = an_agent(AgentId::new(), "new");
    let id = default.id;
    world.brings_in(default).await;
    world
        .db
        .write(move |tx| Box::pin(async move { cancel::tree(tx, run.id, CancelReason::Cancelled, NOW).await }))
        .await
        .expect("cancels");
    world.waits(world.channel.id, "2", Some(Mode::Chat)).await;
    let run = world.follow_up(&ended).await;
    assert_eq!((run.agent_id, run.mode), (id, Mode::Chat));
}

pub async fn a_run_takes_in_what_its_person_wrote_here_unless_that_is_to_be_answered_by_chat(world: World) {
    let (_, other) = world.an_ended_run_and_another_chat().await;
    for (channel, id, mode) in [
        (world.channel.id, "1", None),
        (world.channel.id, "2", Some(Mode::Chat)),
        (world.channel.id, "3", Some(Mode::Run)),
        (other, "4", None),
    ] {
        world.waits(channel, id, mode).await;
    }
    let takes_in = TakesIn {
        context: world.context,
        user: world.user.id,
        channel: world.channel.id,
        next_seq: 1,
    };
    let mut conn = world.db.read().await.expect("reads");
    let queued = messages::queued(&mut conn, world.context).await.expect("reads");
    let taken: Vec<_> = queued.iter().filter(|message| takes_in.takes(message)).collect();
    let texts: Vec<_> = taken.iter().map(|message| message.content.as_str()).collect();
    assert_eq!(texts, ["message 1", "message 3"]);
}
