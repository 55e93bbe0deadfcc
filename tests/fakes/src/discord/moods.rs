//! The moods of Discord itself: its gateway, what is granted in its portal, and its token.

use std::time::Duration;

use serde_json::{Value, json};

use super::{DiscordFake, state::Wire};

impl DiscordFake {
    /// The next event waits until the one after it was sent: two events in swapped order.
    pub fn swap_next_two(&self) {
        self.shared.state().gateway.swap = true;
    }

    /// Sends an event of any kind.
    pub fn dispatch(&self, name: &str, data: &Value) {
        self.shared.state().dispatch(name, data);
    }

    /// Sends a text frame of any kind to every connection.
    pub fn raw_frame(&self, text: &str) {
        self.wire(|| Wire::Text(text.to_owned()));
    }

    /// Breaks every gateway connection without a word. Sessions can be resumed.
    pub fn disconnect(&self) {
        self.wire(|| Wire::Drop);
    }

    /// Closes every gateway connection with this code. Sessions can be resumed.
    pub fn close(&self, code: u16) {
        self.wire(|| Wire::Close(code));
    }

    /// Asks every connection to reconnect and resume (op 7).
    pub fn request_reconnect(&self) {
        self.wire(|| Wire::Text(json!({"op": 7, "d": null, "s": null, "t": null}).to_string()));
    }

    /// Ends every session (op 9): it cannot be resumed, unless `resumable`.
    pub fn invalidate_session(&self, resumable: bool) {
        let frame = json!({"op": 9, "d": resumable, "s": null, "t": null}).to_string();
        self.wire(|| Wire::Text(frame.clone()));
        if !resumable {
            self.shared.state().sessions.clear();
        }
    }

    /// Forgets every session without telling: the next resume fails.
    pub fn forget_sessions(&self) {
        self.shared.state().sessions.clear();
    }

    /// Sessions that nobody is connected to are over, as they are some minutes after a bot died.
    pub fn expire_sessions(&self) {
        self.shared.state().sessions.retain(|_, session| session.wire.is_some());
    }

    /// Whether new gateway connections are let in.
    pub fn gateway_open(&self, open: bool) {
        self.shared.state().gateway.open = open;
    }

    /// Whether heartbeats are acknowledged.
    pub fn acknowledge_heartbeats(&self, acknowledges: bool) {
        self.shared.state().gateway.acknowledges = acknowledges;
    }

    /// How often a connection must send a heartbeat; for new connections.
    pub fn heartbeat_every(&self, interval: Duration) {
        self.shared.state().gateway.heartbeat = interval;
    }

    /// The message content intent is switched off in the developer portal: identifying with it closes with 4014,
    /// and the application's flags lack it.
    pub fn without_message_content(&self) {
        self.shared.state().gateway.message_content = false;
    }

    /// It is switched on again.
    pub fn with_message_content(&self) {
        self.shared.state().gateway.message_content = true;
    }

    /// Only so many identifies are left, until `reset_after`.
    pub fn identifies_left(&self, left: u32, reset_after: Duration) {
        let mut state = self.shared.state();
        state.gateway.identifies_left = left;
        state.gateway.reset_after = reset_after;
    }

    /// The bot is in so many servers that it needs so many shards.
    pub fn needs_shards(&self, shards: u64) {
        self.shared.state().gateway.shards = shards;
    }

    /// It needs so many shards, of which so many may identify at a time: others of their bucket only 5 s later.
    pub fn advises(&self, shards: u64, concurrency: u64) {
        let mut state = self.shared.state();
        state.gateway.shards = shards;
        state.gateway.concurrency = concurrency;
        state.gateway.buckets = Some(std::collections::HashMap::new());
    }

    /// Takes another token from now on: the bot's own is wrong.
    pub fn revoke_token(&self) {
        self.shared.state().token = "another-token".to_owned();
    }

    fn wire(&self, what: impl Fn() -> Wire) {
        for session in self.shared.state().sessions.values() {
            session.send(what());
        }
    }
}
