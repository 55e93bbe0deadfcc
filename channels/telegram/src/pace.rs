//! Rate limits: Telegram's rates as averages that allow bursts, and its `retry_after`, obeyed as a ban.
//!
//! Telegram lets a bot go over its rates for a moment, and answers 429 when that lasts. So nothing waits before it has
//! complained: a burst goes out at once. After a complaint the flow of that chat, or of all, is held to the rate
//! without bursts, and to less at each further one. It becomes faster again step by step while there is none.

mod flow;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use self::flow::Flow;
use crate::TelegramSettings;

/// Chats with nothing to remember are dropped after this many messages.
const TIDY_EVERY: u32 = 1024;
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// The rate to all chats is an average over so many seconds, and that to a person.
const OVERALL_SECONDS: u32 = 10;
const PRIVATE_SECONDS: u32 = 5;

/// How many messages go out on average; 0 is unlimited.
#[derive(Clone, Copy, Debug)]
struct Rates {
    per_second: u32,
    private_per_second: u32,
    group_per_minute: u32,
}

/// The bot's flows and bans.
#[derive(Debug)]
pub(crate) struct Pace {
    rates: Rates,
    state: Mutex<State>,
    /// Messages wait here for their turn among all, the first first.
    queue: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State {
    overall: Option<Flow>,
    /// Typing has a flow of its own: it must never take a message's turn.
    signals: Option<Flow>,
    chats: HashMap<i64, Flow>,
    bans: Bans,
    turns: u32,
}

/// Until when nothing may be sent.
#[derive(Debug, Default)]
struct Bans {
    everywhere: Option<Instant>,
    chats: HashMap<i64, Instant>,
}

impl Bans {
    /// The remaining ban of a chat.
    fn of(&self, chat: i64, now: Instant) -> Option<Duration> {
        let until = self.chats.get(&chat).copied().max(self.everywhere)?;
        (until > now).then(|| until - now)
    }
}

impl Pace {
    pub(crate) fn new(settings: &TelegramSettings) -> Self {
        let rates = Rates {
            per_second: settings.rate_overall_per_second,
            private_per_second: settings.rate_private_per_second,
            group_per_minute: settings.rate_group_per_minute,
        };
        let per_second = |seconds: u32| {
            let most = rates.per_second;
            (most > 0).then(|| Flow::new(most * seconds, SECOND * seconds, (most / 10).max(1), tenth(most)))
        };
        let state = State {
            overall: per_second(OVERALL_SECONDS),
            signals: per_second(1),
            chats: HashMap::new(),
            bans: Bans::default(),
            turns: 0,
        };
        Self {
            rates,
            state: Mutex::new(state),
            queue: tokio::sync::Mutex::default(),
        }
    }

    /// Waits until a message may go to this chat, and counts it.
    pub(crate) async fn turn(&self, chat: i64, private: bool) {
        loop {
            while let Some(wait) = self.look(|state| state.wait_of_chat(chat, private, &self.rates)) {
                tokio::time::sleep(wait).await;
            }
            // Where it would wait for its own chat, others go first.
            let _turn = self.queue.lock().await;
            while let Some(wait) = self.look(State::wait_overall) {
                tokio::time::sleep(wait).await;
            }
            // A ban may have begun while this message waited for its turn.
            if self.look(|state| state.take(chat, private, &self.rates)) {
                return;
            }
        }
    }

    /// Whether a signal, which may be dropped, may go to this chat now.
    pub(crate) fn spare(&self, chat: i64) -> bool {
        let now = Instant::now();
        let mut state = self.lock();
        state.bans.of(chat, now).is_none() && state.signals.as_mut().is_none_or(|flow| flow.take(now))
    }

    /// Whether a message that may be dropped may go to this chat now: where messages that must arrive leave half of the
    /// rates free, and Telegram has not complained lately. It is counted.
    pub(crate) fn leisure(&self, chat: i64, private: bool) -> bool {
        let now = Instant::now();
        let mut state = self.lock();
        let rates = &self.rates;
        if state.bans.of(chat, now).is_some() || !state.overall.as_mut().is_none_or(|flow| flow.is_half_free(now)) {
            return false;
        }
        let has_room = state
            .chat(chat, private, rates, now)
            .is_none_or(|flow| flow.is_half_free(now));
        has_room && state.take(chat, private, rates)
    }

    /// Obeys a `retry_after`. Telegram does not say whether it means the chat or the bot: when a second
    /// chat is banned while the first still is, it is taken to mean the bot.
    pub(crate) fn obey(&self, chat: i64, private: bool, retry_after: Duration) {
        let now = Instant::now();
        let until = now + retry_after;
        let mut state = self.lock();
        state.bans.chats.retain(|_, until| *until > now);
        let others = state.bans.chats.keys().any(|banned| *banned != chat);
        // A complaint about a call that was under way is the same complaint.
        if state.bans.chats.insert(chat, until).is_none()
            && let Some(flow) = state.chat(chat, private, &self.rates, now)
        {
            flow.slow_down(now, until);
        }
        if others {
            let is_new = state.bans.everywhere.is_none_or(|until| until <= now);
            state.bans.everywhere = state.bans.everywhere.max(Some(until));
            if let Some(flow) = state.overall.as_mut().filter(|_| is_new) {
                flow.slow_down(now, until);
            }
        }
    }

    /// Looks at the state; nothing waits meanwhile.
    fn look<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The flow of a chat; `None`: it has no limit.
    fn chat(&mut self, chat: i64, private: bool, rates: &Rates, now: Instant) -> Option<&mut Flow> {
        let most = if private {
            rates.private_per_second
        } else {
            rates.group_per_minute
        };
        if most == 0 {
            return None;
        }
        self.turns = self.turns.wrapping_add(1);
        if self.turns.is_multiple_of(TIDY_EVERY) {
            self.chats.retain(|_, flow| !flow.is_idle(now));
        }
        Some(self.chats.entry(chat).or_insert_with(|| match private {
            true => Flow::new(most * PRIVATE_SECONDS, SECOND * PRIVATE_SECONDS, 1, SECOND / most),
            false => Flow::new(most, MINUTE, 1, MINUTE / most),
        }))
    }

    /// How long a message to this chat waits for the chat itself.
    fn wait_of_chat(&mut self, chat: i64, private: bool, rates: &Rates) -> Option<Duration> {
        let now = Instant::now();
        let flow = self.chat(chat, private, rates, now).and_then(|flow| flow.wait(now));
        self.bans.of(chat, now).max(flow)
    }

    /// How long any message waits for all others.
    fn wait_overall(&mut self) -> Option<Duration> {
        let now = Instant::now();
        let ban = self
            .bans
            .everywhere
            .filter(|until| *until > now)
            .map(|until| until - now);
        ban.max(self.overall.as_mut().and_then(|flow| flow.wait(now)))
    }

    /// Counts a message that goes now; `false`: it may not.
    fn take(&mut self, chat: i64, private: bool, rates: &Rates) -> bool {
        if self.wait_of_chat(chat, private, rates).is_some() || self.wait_overall().is_some() {
            return false;
        }
        let now = Instant::now();
        self.chat(chat, private, rates, now).is_none_or(|flow| flow.take(now))
            && self.overall.as_mut().is_none_or(|flow| flow.take(now))
    }
}

/// The time in which a tenth of so many a second goes out.
fn tenth(most: u32) -> Duration {
    SECOND * (most / 10).max(1) / most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strict() -> Pace {
        Pace::new(&TelegramSettings::default())
    }

    fn unlimited() -> Pace {
        Pace::new(&TelegramSettings::unlimited())
    }

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
    async fn a_person_gets_several_messages_at_once_and_one_a_second_on_average() {
        let times = send(&strict(), 7, true, 12).await;
        assert_eq!(times, [0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 10, 10]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_gets_no_more_than_twenty_in_any_minute() {
        let times = send(&strict(), -7, false, 60).await;
        assert_eq!(times[..21].iter().filter(|time| **time == 0).count(), 20);
        for window in times.windows(21) {
            assert!(window[20] - window[0] >= 60, "21 messages within a minute: {times:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn two_hundred_first_answers_go_out_at_once() {
        let pace = strict();
        let start = Instant::now();
        for chat in 0..200 {
            pace.turn(chat, true).await;
        }
        assert_eq!(start.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn all_chats_together_get_thirty_a_second_on_average() {
        let pace = strict();
        let start = Instant::now();
        let mut times = Vec::new();
        for chat in 0..1_000 {
            pace.turn(chat, true).await;
            times.push(start.elapsed());
        }
        for window in times.windows(301) {
            assert!(window[300] - window[0] >= Duration::from_secs(10), "{window:?}");
        }
        assert!(times[999] <= Duration::from_secs(34), "{:?}", times[999]);
    }

    /// Sends one message to each of so many chats by a Bot API that takes 30 in any second, answers all else with 429 and
    /// keeps to its word. Returns how long that took, and how many came in vain or before their time.
    async fn against_strict_api(pace: &Pace, chats: i64) -> (Duration, u32, u32) {
        let (start, wait) = (Instant::now(), SECOND);
        let (mut taken, mut refused, mut early) = (Vec::<Instant>::new(), 0, 0);
        let mut waiting: Vec<i64> = (0..chats).collect();
        let mut banned = HashMap::<i64, Instant>::new();
        while !waiting.is_empty() {
            let mut again = Vec::new();
            for chat in waiting {
                pace.turn(chat, true).await;
                let now = Instant::now();
                early += u32::from(banned.get(&chat).is_some_and(|until| *until > now));
                if taken.iter().filter(|time| now - **time < SECOND).count() < 30 {
                    taken.push(now);
                } else {
                    refused += 1;
                    banned.insert(chat, now + wait);
                    pace.obey(chat, true, wait);
                    again.push(chat);
                }
            }
            waiting = again;
        }
        (start.elapsed(), refused, early)
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_complaint_all_go_out_as_fast_as_the_platform_lets_them_and_none_before_its_time() {
        let pace = strict();
        let (took, refused, early) = against_strict_api(&pace, 200).await;
        assert_eq!(early, 0);
        // Two complaints tell that the bot is meant.
        assert_eq!(refused, 2);
        // 30 at once, and 170 at 30 a second after the ban.
        let allowed = SECOND + Duration::from_secs_f64(170.0 / 30.0);
        assert!(took <= allowed.mul_f64(1.2), "{took:?} of {allowed:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_flow_that_was_slowed_down_becomes_faster_step_by_step() {
        let pace = strict();
        pace.obey(7, true, Duration::from_secs(3));
        // A second apart after the ban, and together again when there was no complaint for a while.
        assert_eq!(send(&pace, 7, true, 3).await, [3, 4, 5]);
        tokio::time::sleep(MINUTE).await;
        assert_eq!(send(&pace, 7, true, 5).await, [0; 5]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_rates_nothing_waits() {
        assert_eq!(send(&unlimited(), 7, true, 100).await, [0; 100]);
    }

    #[tokio::test(start_paused = true)]
    async fn one_chats_ban_holds_that_chat_only() {
        let pace = unlimited();
        pace.obey(7, true, Duration::from_secs(30));
        assert!(!pace.spare(7));
        assert!(pace.spare(8));
        assert_eq!(send(&pace, 8, true, 1).await, [0]);
        assert_eq!(send(&pace, 7, true, 1).await, [30]);
    }

    #[tokio::test(start_paused = true)]
    async fn when_a_second_chat_is_banned_nobody_gets_anything() {
        let pace = unlimited();
        pace.obey(7, true, Duration::from_secs(30));
        pace.obey(8, true, Duration::from_secs(20));
        assert!(!pace.spare(9));
        assert_eq!(send(&pace, 9, true, 1).await, [20]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_that_waits_for_its_chat_holds_up_no_other() {
        let pace = strict();
        pace.obey(7, true, Duration::from_secs(30));
        let (waited, others) = tokio::join!(send(&pace, 7, true, 1), send(&pace, 8, true, 2));
        assert_eq!((waited, others), (vec![30], vec![0, 0]));
    }

    #[tokio::test(start_paused = true)]
    async fn what_may_be_dropped_leaves_half_of_the_rates_to_messages() {
        let pace = strict();
        let shown = (0..100).filter(|_| pace.leisure(-7, false)).count();
        assert_eq!(shown, 10);
        assert_eq!(send(&pace, -7, false, 10).await, [0; 10]);
        assert!(pace.leisure(-8, false));
        pace.obey(-8, false, SECOND);
        tokio::time::sleep(SECOND * 2).await;
        assert!(!pace.leisure(-8, false), "it has complained lately");
    }

    #[tokio::test(start_paused = true)]
    async fn typing_takes_no_messages_turn() {
        let pace = strict();
        let shown = (0..100).filter(|_| pace.spare(7)).count();
        assert_eq!(shown, 30);
        assert_eq!(send(&pace, 7, true, 1).await, [0]);
    }
}
