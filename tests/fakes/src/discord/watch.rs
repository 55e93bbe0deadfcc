//! The bot's acts, and waiting for them.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use tokio::sync::broadcast;

use super::{
    DiscordFake, Sent,
    state::{Interaction, State},
};

/// How long a test waits for what should happen at once. Slow machines are patient machines.
const PATIENCE: Duration = Duration::from_secs(30);

impl DiscordFake {
    /// The bot's messages to a channel, in order; answers to interactions are not among them.
    pub fn sent(&self, channel: u64) -> Vec<Sent> {
        self.shared
            .state()
            .channels
            .get(&channel)
            .map(|room| room.sent.clone())
            .unwrap_or_default()
    }

    /// Waits until the bot has sent `count` messages to a channel, and returns all that it sent there.
    pub async fn wait_for_sent(&self, channel: u64, count: usize) -> Vec<Sent> {
        self.wait_for(&format!("{count} messages in {channel}"), |fake| {
            Some(fake.sent(channel)).filter(|sent| sent.len() >= count)
        })
        .await
    }

    /// The bot's messages to any channel, each with the channel; answers to interactions are not among them.
    pub fn all_sent(&self) -> Vec<(u64, Sent)> {
        let state = self.shared.state();
        let of_room = |(id, room): (&u64, &super::state::Room)| -> Vec<_> {
            room.sent.iter().map(|sent| (*id, sent.clone())).collect()
        };
        state.channels.iter().flat_map(of_room).collect()
    }

    /// Every message that the bot sends to a channel from now on, each with the channel.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<(u64, Sent)>> {
        self.shared.0.outgoing.subscribe()
    }

    /// How many messages the bot sent anywhere; answers to interactions are not among them.
    pub fn sent_anywhere(&self) -> usize {
        self.shared.state().channels.values().map(|room| room.sent.len()).sum()
    }

    /// How often the bot showed that it is typing.
    pub fn typings(&self, channel: u64) -> usize {
        self.shared
            .state()
            .channels
            .get(&channel)
            .map_or(0, |room| room.typings)
    }

    /// The answers to an interaction: the original response, if it was filled, and what followed.
    pub fn interaction_replies(&self, id: u64) -> Vec<Sent> {
        self.asked(id, |asked| asked.replies.clone()).unwrap_or_default()
    }

    /// Waits until an interaction has `count` answers.
    pub async fn wait_for_replies(&self, id: u64, count: usize) -> Vec<Sent> {
        self.wait_for(&format!("{count} answers to {id}"), |fake| {
            Some(fake.interaction_replies(id)).filter(|replies| replies.len() >= count)
        })
        .await
    }

    /// Whether only one person sees a message.
    pub fn is_ephemeral(&self, channel: u64, message: u64) -> bool {
        let flags = self.look(|state| state.channels.get(&channel)?.messages.get(&message)?["flags"].as_u64());
        flags.is_some_and(|flags| flags & 1 << 6 != 0)
    }

    /// Whether a message is a voice message.
    pub fn is_voice(&self, channel: u64, message: u64) -> bool {
        let flags = self.look(|state| state.channels.get(&channel)?.messages.get(&message)?["flags"].as_u64());
        flags.is_some_and(|flags| flags & 1 << 13 != 0)
    }

    /// The flags of an interaction's original response.
    pub fn flags(&self, id: u64) -> u64 {
        let original = self.asked(id, |asked| Some((asked.channel, asked.original?))).flatten();
        let state = self.shared.state();
        let message = original.and_then(|(channel, id)| state.channels.get(&channel)?.messages.get(&id));
        message
            .and_then(|message| message["flags"].as_u64())
            .unwrap_or_default()
    }

    /// How long it took until an interaction was acknowledged.
    pub fn acknowledged_after(&self, id: u64) -> Option<Duration> {
        self.asked(id, |asked| asked.acknowledged).flatten()
    }

    /// Waits until an interaction was acknowledged.
    pub async fn wait_for_acknowledgement(&self, id: u64) -> Duration {
        self.wait_for(&format!("the acknowledgement of {id}"), |fake| {
            fake.acknowledged_after(id)
        })
        .await
    }

    /// Whether an interaction shows "is thinking…".
    pub fn is_thinking(&self, id: u64) -> bool {
        self.asked(id, |asked| asked.original.is_some() && !asked.answered)
            .unwrap_or(false)
    }

    /// The commands that are registered, globally or for a guild.
    pub fn commands(&self, guild: Option<u64>) -> Vec<Value> {
        self.shared.state().commands.get(&guild).cloned().unwrap_or_default()
    }

    /// How many identifies there were.
    pub fn identifies(&self) -> usize {
        self.look(|state| state.gateway.identifies)
    }

    /// How many resumes were tried.
    pub fn resumes(&self) -> usize {
        self.look(|state| state.gateway.resumes)
    }

    /// How many heartbeats came.
    pub fn heartbeats(&self) -> usize {
        self.look(|state| state.gateway.heartbeats)
    }

    /// How many gateway connections are open and have a session.
    pub fn connections(&self) -> usize {
        self.look(|state| state.sessions.values().filter(|session| session.wire.is_some()).count())
    }

    /// Which shards are connected, each as often as it is.
    pub fn shards(&self) -> Vec<u64> {
        let mut shards: Vec<_> = self.look(|state| {
            let connected = state.sessions.values().filter(|session| session.wire.is_some());
            connected.map(|session| session.shard.0).collect()
        });
        shards.sort_unstable();
        shards
    }

    /// Waits until the bot is connected.
    pub async fn wait_for_connection(&self) {
        self.wait_for("a gateway connection", |fake| (fake.connections() > 0).then_some(()))
            .await;
    }

    /// Waits until `look` finds something. It is called again whenever the bot did something.
    ///
    /// # Panics
    /// After 30 seconds, with `what` was waited for and the violations so far.
    #[expect(clippy::panic, reason = "what a test waits for in vain is its failure")]
    pub async fn wait_for<T>(&self, what: &str, look: impl Fn(&Self) -> Option<T>) -> T {
        let mut changes = self.shared.0.changes.subscribe();
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Some(found) = look(self) {
                    return Some(found);
                }
                if changes.changed().await.is_err() {
                    return None;
                }
            }
        });
        match found.await {
            Ok(Some(found)) => found,
            _ => panic!("waited in vain for {what}; violations: {:?}", self.violations()),
        }
    }

    fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.shared.state())
    }

    fn asked<T>(&self, id: u64, look: impl FnOnce(&Interaction) -> T) -> Option<T> {
        self.look(|state| state.interactions.get(&id).map(look))
    }
}
