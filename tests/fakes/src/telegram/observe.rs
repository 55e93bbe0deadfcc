//! Observations of a test, and the levers that it pulls.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::sync::broadcast;

use super::{
    Action, Chat, Drafted, Fault, Method, Request, Sent, TelegramFake, limiter::Limiter, messages, state::State,
};

/// How long a wait lasts before it is given up.
const PATIENCE: Duration = Duration::from_secs(30);

impl TelegramFake {
    /// The bot's messages to a chat (or one topic of it), in order.
    pub fn sent(&self, chat: Chat) -> Vec<Sent> {
        let state = self.shared.lock();
        state.sent.iter().filter(|sent| sent.chat == chat).cloned().collect()
    }

    /// The bot's messages anywhere, in order.
    pub fn all_sent(&self) -> Vec<Sent> {
        self.shared.lock().sent.clone()
    }

    /// Waits until the bot has sent `count` messages to a chat, and returns all that it sent there.
    ///
    /// # Panics
    /// They did not come within 30 s. The text tells what came.
    pub async fn wait_for_sent(&self, chat: Chat, count: usize) -> Vec<Sent> {
        let what = format!("{count} messages to {chat:?}");
        self.wait_until(&what, |fake| Some(fake.sent(chat)).filter(|sent| sent.len() >= count))
            .await
    }

    /// Waits until every update is confirmed.
    ///
    /// # Panics
    /// The condition did not hold within 30 s.
    pub async fn wait_for_confirmed(&self) {
        self.wait_until("all updates to be confirmed", |fake| {
            (fake.pending() == 0).then_some(())
        })
        .await;
    }

    /// Waits until `find` finds something. It is asked whenever something happens.
    ///
    /// # Panics
    /// It found nothing within 30 s. The text names `what`, and tells what the bot did.
    pub async fn wait_until<T>(&self, what: &str, find: impl Fn(&Self) -> Option<T>) -> T {
        let mut changed = self.shared.changed.subscribe();
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Some(found) = find(self) {
                    return found;
                }
                // The sender lives as long as `self`, so this cannot fail.
                drop(changed.changed().await);
            }
        });
        match found.await {
            Ok(found) => found,
            Err(_) => panic!("waited in vain for {what}\n{}", self.dump()),
        }
    }

    /// Every message that the bot sends from now on, recorded or not.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Sent>> {
        self.shared.outgoing.subscribe()
    }

    /// The chat actions (typing) that were shown in a chat.
    pub fn actions(&self, chat: Chat) -> Vec<Action> {
        let state = self.shared.lock();
        state
            .actions
            .iter()
            .filter(|action| action.chat == chat)
            .cloned()
            .collect()
    }

    /// How far answers had come whenever that was shown in a chat, in order.
    pub fn drafts(&self, chat: Chat) -> Vec<Drafted> {
        let state = self.shared.lock();
        let drafts = state.drafts.iter().filter(|draft| draft.chat == chat);
        drafts.cloned().collect()
    }

    /// Somebody taps the button below the newest draft of a chat: <https://core.telegram.org/bots/api#messagegenerationstopped>
    ///
    /// # Panics
    /// There is no draft, or the bot showed it without that button.
    pub fn stop_draft(&self, chat: Chat) {
        let mut state = self.shared.lock();
        let draft = state.drafts.iter().rev().find(|draft| draft.chat == chat).cloned();
        let Some(draft) = draft.filter(|draft| draft.can_stop) else {
            panic!("there is no draft in {chat:?} that can be stopped");
        };
        let room = state.rooms.get(&chat.id);
        let of = room.map(|room| messages::chat(chat.id, room, state.people.get(&chat.id)));
        let mut stopped = json!({"chat": of, "draft_id": draft.draft_id});
        if let Some(thread) = draft.thread {
            stopped["message_thread_id"] = thread.into();
        }
        state.push_update("stopped_message_generation", stopped);
        drop(state);
        self.shared.changed.send_replace(());
    }

    /// Every request that had a known method and parameters, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// Acts of the bot that a careful bot does not do. A test ends by asserting that it is empty.
    pub fn violations(&self) -> Vec<String> {
        self.shared.lock().violations.clone()
    }

    /// How many updates are not confirmed yet.
    pub fn pending(&self) -> usize {
        self.shared.lock().updates.len()
    }

    /// The updates that are not confirmed yet, in order.
    pub fn waiting(&self) -> Vec<serde_json::Value> {
        let state = self.shared.lock();
        state.updates.iter().map(|(_, update)| update.clone()).collect()
    }

    /// How often `getUpdates` was called.
    pub fn polls(&self) -> u64 {
        self.shared.lock().polls
    }

    /// The next request of this method meets a fault. Calls add up: each fault is used once.
    pub fn fail_next(&self, method: Method, fault: Fault) {
        self.shared.lock().faults.push(method, fault, None);
    }

    /// The same, if a request comes within this time: later ones meet no fault.
    pub fn fail_within(&self, time: Duration, method: Method, fault: Fault) {
        let until = Instant::now() + time;
        self.shared.lock().faults.push(method, fault, Some(until));
    }

    /// Every request to this chat meets a fault, until `None` is set.
    pub fn fail_chat(&self, chat: Chat, fault: Option<Fault>) {
        self.shared.lock().faults.set_chat(chat.id, fault);
    }

    /// Every request whose text holds these words meets a fault, until `None` is set.
    pub fn fail_text(&self, words: &str, fault: Option<Fault>) {
        self.shared.lock().faults.set_text(words, fault);
    }

    /// Enforces Telegram's rates: 1 message a second to a person, 20 a minute to a group, 30 a second in
    /// all; what is more gets 429.
    pub fn enforce_rates(&self) {
        self.shared.lock().limiter = Some(Limiter::default());
    }

    /// How many messages came faster than [`TelegramFake::enforce_rates`] lets them.
    pub fn refused_by_rate(&self) -> u64 {
        self.shared.lock().limiter.as_ref().map_or(0, |limiter| limiter.refused)
    }

    /// How many messages came before the `retry_after` that their chat was told was over.
    pub fn early_by_rate(&self) -> u64 {
        self.shared.lock().limiter.as_ref().map_or(0, |limiter| limiter.early)
    }

    /// Whether messages, actions and requests are kept. Without, the fake's memory stays flat under load,
    /// and only [`TelegramFake::subscribe`] tells what was sent.
    pub fn record(&self, recording: bool) {
        self.shared.lock().recording = recording;
    }

    fn dump(&self) -> String {
        let state = self.shared.lock();
        dump(&state)
    }
}

fn dump(state: &State) -> String {
    let mut text = String::new();
    let mut line = |entry: String| {
        text.push_str(&entry);
        text.push('\n');
    };
    line(format!(
        "polls: {}, unconfirmed updates: {}",
        state.polls,
        state.updates.len()
    ));
    for (id, update) in &state.updates {
        line(format!("  update {id}: {update}"));
    }
    line(format!("sent: {}", state.sent.len()));
    for sent in &state.sent {
        line(format!(
            "  to {:?}, message {}: {:?}",
            sent.chat, sent.message_id, sent.text
        ));
    }
    line(format!("actions: {:?}", state.actions));
    line(format!("violations: {:?}", state.violations));
    text
}
