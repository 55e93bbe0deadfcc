//! Rate limits: Telegram's rates, kept before it complains, and its `retry_after`, obeyed as a ban.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use governor::{
    NotUntil, Quota, RateLimiter,
    clock::Clock,
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed, keyed::DefaultKeyedStateStore},
};
use tokio::time::Instant;

use crate::Rates;

type Middleware = NoOpMiddleware<Duration>;
type Overall = RateLimiter<NotKeyed, InMemoryState, TokioClock, Middleware>;
type PerChat = RateLimiter<i64, DefaultKeyedStateStore<i64>, TokioClock, Middleware>;

/// Full buckets are dropped after this many messages.
const TIDY_EVERY: u32 = 1024;

/// Tokio's clock for governor, so that waiting and counting are one time.
#[derive(Clone, Debug)]
struct TokioClock(Instant);

impl Clock for TokioClock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The bot's buckets and bans.
#[derive(Debug)]
pub(crate) struct Pace {
    clock: TokioClock,
    overall: Option<Overall>,
    /// Typing has a bucket of its own: it must never take a message's turn.
    signals: Option<Overall>,
    private: Option<PerChat>,
    groups: Option<PerChat>,
    bans: Mutex<Bans>,
    turns: AtomicU32,
}

/// Until when nothing may be sent.
#[derive(Debug, Default)]
struct Bans {
    everywhere: Option<Instant>,
    chats: HashMap<i64, Instant>,
}

impl Pace {
    pub(crate) fn new(rates: Rates) -> Self {
        let clock = TokioClock(Instant::now());
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        let overall = |quota| RateLimiter::direct_with_clock(quota, clock.clone());
        let per_chat = |quota| RateLimiter::dashmap_with_clock(quota, clock.clone());
        Self {
            overall: quota(rates.per_second, second).map(overall),
            signals: quota(rates.per_second, second).map(overall),
            private: quota(rates.private_per_second, second).map(per_chat),
            groups: quota(rates.group_per_minute, minute).map(per_chat),
            bans: Mutex::default(),
            turns: AtomicU32::new(0),
            clock,
        }
    }

    /// Waits until a message may go to this chat, and counts it.
    pub(crate) async fn turn(&self, chat: i64, private: bool) {
        self.tidy();
        let per_chat = if private { &self.private } else { &self.groups };
        while let Some(ban) = self.ban(chat) {
            tokio::time::sleep(ban).await;
        }
        if let Some(limiter) = per_chat {
            while let Err(not_yet) = limiter.check_key(&chat) {
                self.wait(not_yet).await;
            }
        }
        if let Some(limiter) = &self.overall {
            while let Err(not_yet) = limiter.check() {
                self.wait(not_yet).await;
            }
        }
        // A ban may have begun while this message waited for its turn.
        while let Some(ban) = self.ban(chat) {
            tokio::time::sleep(ban).await;
        }
    }

    /// Whether a signal, which may be dropped, may go to this chat now.
    pub(crate) fn spare(&self, chat: i64) -> bool {
        self.ban(chat).is_none() && self.signals.as_ref().is_none_or(|limiter| limiter.check().is_ok())
    }

    /// Obeys a `retry_after`. Telegram does not say whether it means the chat or the bot: when a second
    /// chat is banned while the first still is, it is taken to mean the bot.
    pub(crate) fn obey(&self, chat: i64, retry_after: Duration) {
        let now = Instant::now();
        let until = now + retry_after;
        let mut bans = self.bans.lock().unwrap_or_else(PoisonError::into_inner);
        bans.chats.retain(|_, until| *until > now);
        let others = bans.chats.keys().any(|banned| *banned != chat);
        bans.chats.insert(chat, until);
        if others {
            bans.everywhere = bans.everywhere.max(Some(until));
        }
    }

    /// The remaining ban of this chat.
    fn ban(&self, chat: i64) -> Option<Duration> {
        let now = Instant::now();
        let bans = self.bans.lock().unwrap_or_else(PoisonError::into_inner);
        let until = bans.chats.get(&chat).copied().max(bans.everywhere)?;
        (until > now).then(|| until - now)
    }

    async fn wait(&self, not_yet: NotUntil<Duration>) {
        tokio::time::sleep(not_yet.wait_time_from(self.clock.now())).await;
    }

    fn tidy(&self) {
        if self.turns.fetch_add(1, Ordering::Relaxed) % TIDY_EVERY != TIDY_EVERY - 1 {
            return;
        }
        for limiter in [&self.private, &self.groups].into_iter().flatten() {
            limiter.retain_recent();
        }
    }
}

/// A bucket that lets at most `most` through in any window of this length: what may come at once and what
/// flows in afterwards add up to it.
fn quota(most: u32, window: Duration) -> Option<Quota> {
    let burst = NonZeroU32::new((most / 4).max(1))?;
    let refill = most.saturating_sub(burst.get()).max(1);
    (most > 0)
        .then(|| Quota::with_period(window / refill))?
        .map(|quota| quota.allow_burst(burst))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: Rates = Rates {
        per_second: 30,
        private_per_second: 1,
        group_per_minute: 20,
    };

    /// Sends as fast as it may, and returns the second in which each message went.
    async fn send(pace: &Pace, chat: i64, private: bool, count: usize) -> Vec<u64> {
        let start = Instant::now();
        let mut times = Vec::new();
        for _ in 0..count {
            pace.turn(chat, private).await;
            times.push(start.elapsed().as_secs());
        }
        times
    }

    #[tokio::test(start_paused = true)]
    async fn a_person_gets_one_message_a_second() {
        assert_eq!(send(&Pace::new(STRICT), 7, true, 4).await, [0, 1, 2, 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_gets_no_more_than_twenty_in_any_minute() {
        let times = send(&Pace::new(STRICT), -7, false, 60).await;
        assert_eq!(times[..6], [0, 0, 0, 0, 0, 4]);
        for window in times.windows(21) {
            assert!(window[20] - window[0] >= 60, "21 messages within a minute: {times:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn all_chats_together_get_no_more_than_thirty_in_any_second() {
        let pace = Pace::new(STRICT);
        let start = Instant::now();
        let mut times = Vec::new();
        for chat in 0..100 {
            pace.turn(chat, true).await;
            times.push(start.elapsed());
        }
        for window in times.windows(31) {
            assert!(window[30] - window[0] >= Duration::from_millis(999), "{window:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn without_rates_nothing_waits() {
        assert_eq!(send(&Pace::new(Rates::UNLIMITED), 7, true, 100).await, [0; 100]);
    }

    #[tokio::test(start_paused = true)]
    async fn one_chats_ban_holds_that_chat_only() {
        let pace = Pace::new(Rates::UNLIMITED);
        pace.obey(7, Duration::from_secs(30));
        assert!(!pace.spare(7));
        assert!(pace.spare(8));
        assert_eq!(send(&pace, 8, true, 1).await, [0]);
        assert_eq!(send(&pace, 7, true, 1).await, [30]);
    }

    #[tokio::test(start_paused = true)]
    async fn when_a_second_chat_is_banned_nobody_gets_anything() {
        let pace = Pace::new(Rates::UNLIMITED);
        pace.obey(7, Duration::from_secs(30));
        pace.obey(8, Duration::from_secs(20));
        assert!(!pace.spare(9));
        assert_eq!(send(&pace, 9, true, 1).await, [20]);
    }

    #[tokio::test(start_paused = true)]
    async fn typing_takes_no_messages_turn() {
        let pace = Pace::new(STRICT);
        let shown = (0..100).filter(|_| pace.spare(7)).count();
        assert_eq!(shown, 7);
        assert_eq!(send(&pace, 7, true, 1).await, [0]);
    }
}
