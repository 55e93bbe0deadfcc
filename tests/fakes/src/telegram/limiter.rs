//! Telegram's rate limits, for tests that want them enforced:
//! <https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this>

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use tokio::time::Instant;

/// Counts messages in sliding windows.
#[derive(Debug, Default)]
pub(super) struct Limiter {
    overall: VecDeque<Instant>,
    chats: HashMap<i64, VecDeque<Instant>>,
    /// Until when a chat that was told to wait is to wait.
    told: HashMap<i64, Instant>,
    /// How many messages were refused.
    pub(super) refused: u64,
    /// How many came before the time that their chat was told.
    pub(super) early: u64,
}

/// A little less than a second: requests that were a second apart may arrive closer than that.
const SECOND: Duration = Duration::from_millis(900);
const MINUTE: Duration = Duration::from_secs(60);
/// How much earlier a request may come by the inaccuracy of clocks.
const SLACK: Duration = Duration::from_millis(20);

impl Limiter {
    /// Counts a message, or says for how many seconds none may come.
    pub(super) fn check(&mut self, chat: i64, private: bool) -> Result<(), u64> {
        let now = Instant::now();
        if let Some(until) = self.told.get(&chat).filter(|until| **until > now + SLACK) {
            self.early += 1;
            self.refused += 1;
            return Err((*until - now).as_secs() + 1);
        }
        let (window, most) = if private { (SECOND, 1) } else { (MINUTE, 20) };
        let of_chat = self.chats.entry(chat).or_default();
        let wait = wait(of_chat, now, window, most).or_else(|| wait_overall(&mut self.overall, now));
        if let Some(wait) = wait {
            self.refused += 1;
            let seconds = wait.as_secs() + 1;
            self.told.insert(chat, now + Duration::from_secs(seconds));
            return Err(seconds);
        }
        of_chat.push_back(now);
        self.overall.push_back(now);
        Ok(())
    }
}

fn wait_overall(times: &mut VecDeque<Instant>, now: Instant) -> Option<Duration> {
    wait(times, now, SECOND, 30)
}

/// How long until the window has room again; `None` if it has now.
fn wait(times: &mut VecDeque<Instant>, now: Instant, window: Duration, most: usize) -> Option<Duration> {
    while times.front().is_some_and(|time| now.duration_since(*time) >= window) {
        times.pop_front();
    }
    let oldest = *times.front()?;
    (times.len() >= most).then(|| window.saturating_sub(now.duration_since(oldest)))
}
