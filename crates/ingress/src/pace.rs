//! How fast a person may write: told once when they write faster, not heard until they slow down.

use std::{collections::VecDeque, time::Duration};

use clifford_chat::{
    inbound::{Place, Speaker},
    platform::Platform,
};
use clifford_core::{clock::Timestamp, rate::Counted, settings::RateScope};
use dashmap::DashMap;

const MINUTE: Duration = Duration::from_secs(60);
/// How many people are remembered before those who have been silent for a minute are forgotten.
const CROWD: usize = 10_000;

/// Whether a message is over its author's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limited {
    /// It is not.
    No,
    /// The first message over the limit: the author learns how long to wait.
    Tell(Over),
    /// Over the limit, and the author knows.
    Silently(Over),
}

/// A limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Over {
    /// How long until it has room.
    pub(super) wait: Duration,
    /// The author whose messages it counts.
    pub(super) of: RateScope,
}

impl Over {
    /// A limit of one's own messages.
    const fn own(wait: Duration) -> Self {
        Self {
            wait,
            of: RateScope::User,
        }
    }
}

#[derive(Default)]
struct Writer {
    times: VecDeque<Timestamp>,
    told: bool,
    /// When something of theirs last came.
    came: Timestamp,
}

/// An account, and whether what comes late of it is meant, which counts by itself.
type WriterKey = (Platform, String, bool);

/// The times of each author's messages, in the last minute: who floods is turned away here without a look at the database.
/// A count that is lost with the process, or hidden from it by another, is in the row that all processes share
/// (`store/rates.rs`).
pub(super) struct Pace {
    per_minute: usize,
    writers: DashMap<WriterKey, Writer>,
    /// When each account last heard that it may not answer a question.
    refused: DashMap<(Platform, String), Timestamp>,
}

impl Pace {
    pub(super) fn new(per_minute: u32) -> Self {
        Self {
            per_minute: usize::try_from(per_minute).unwrap_or(usize::MAX),
            writers: DashMap::new(),
            refused: DashMap::new(),
        }
    }

    pub(super) fn over_limit(&self, place: &Place, speaker: &Speaker, counted: impl Into<Counted>) -> Limited {
        if self.per_minute == 0 {
            return Limited::No;
        }
        let counted = counted.into();
        let now = counted.at;
        if self.writers.len() > CROWD {
            self.writers
                .retain(|_, writer| writer.came.was_within(MINUTE, counted.came));
        }
        let key = (place.platform, speaker.id.clone(), counted.is_late());
        let mut writer = self.writers.entry(key).or_default();
        writer.came = counted.came;
        while writer.times.front().is_some_and(|first| !first.was_within(MINUTE, now)) {
            writer.times.pop_front();
        }
        match writer.times.front() {
            Some(first) if writer.times.len() >= self.per_minute => {
                let over = Over::own(MINUTE.saturating_sub(now.since(*first)));
                if std::mem::replace(&mut writer.told, true) {
                    Limited::Silently(over)
                } else {
                    Limited::Tell(over)
                }
            }
            _ => {
                writer.told = false;
                writer.times.push_back(now);
                Limited::No
            }
        }
    }
}

impl Pace {
    /// How long an API caller who is over the limit must wait: each response repeats it.
    pub(super) fn wait(&self, place: &Place, speaker: &Speaker, now: Timestamp) -> Option<Duration> {
        match self.over_limit(place, speaker, now) {
            Limited::No => None,
            Limited::Tell(over) | Limited::Silently(over) => Some(over.wait),
        }
    }

    /// Whether a person hears again, in a shared place, that they may not answer: once a minute.
    pub(super) fn may_refuse(&self, place: &Place, speaker: &Speaker, now: Timestamp) -> bool {
        let lately = |at: &Timestamp| at.was_within(MINUTE, now);
        if self.refused.len() > CROWD {
            self.refused.retain(|_, at| lately(at));
        }
        let person = (place.platform, speaker.id.clone());
        place.kind.is_private() || !self.refused.get(&person).is_some_and(|at| lately(&at))
    }

    /// A person has heard so.
    pub(super) fn refused(&self, platform: Platform, account: String, now: Timestamp) {
        self.refused.insert((platform, account), now);
    }

    /// A message that was counted (`None`: it was not), and so limited, could not be stored, and comes again.
    pub(super) fn release(&self, platform: Platform, account: &str, counted: Option<Counted>, limited: Limited) {
        let key = counted.map(|counted| (platform, account.to_owned(), counted.is_late()));
        let Some(mut writer) = key.and_then(|key| self.writers.get_mut(&key)) else {
            return;
        };
        match limited {
            Limited::No => {
                writer.times.pop_back();
            }
            Limited::Tell(_) => writer.told = false,
            Limited::Silently(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use clifford_chat::inbound::PlaceKind;

    use super::*;

    fn private() -> Place {
        Place {
            platform: Platform::new("telegram"),
            external_id: "1".into(),
            parent: None,
            kind: PlaceKind::Private,
            name: None,
            space: None,
        }
    }

    fn ada() -> Speaker {
        Speaker {
            id: "1".into(),
            name: "Ada".into(),
            handle: None,
            is_bot: false,
            language: None,
            roles: None,
        }
    }

    #[test]
    fn who_writes_too_fast_is_told_once_and_heard_again_after_a_while() {
        let (place, speaker) = (private(), ada());
        let pace = Pace::new(2);
        let at = |seconds: i64| pace.over_limit(&place, &speaker, Timestamp(seconds * 1000));
        assert_eq!(at(0), Limited::No);
        assert_eq!(at(10), Limited::No);
        let over = |seconds| Over::own(Duration::from_secs(seconds));
        assert_eq!(at(20), Limited::Tell(over(40)));
        assert_eq!(at(21), Limited::Silently(over(39)));
        assert_eq!(at(60), Limited::No);
        assert_eq!(at(61), Limited::Tell(over(9)));
        let wait = |seconds: i64| pace.wait(&place, &speaker, Timestamp(seconds * 1000));
        assert_eq!(wait(62), Some(Duration::from_secs(8)));
        assert_eq!(wait(63), Some(Duration::from_secs(7)));
        assert_eq!(wait(70), None);
        // The clock ran ahead for a moment.
        assert_eq!((at(90_000), at(90_001)), (Limited::No, Limited::No));
        assert_eq!(
            (at(100), at(101), at(102)),
            (Limited::No, Limited::No, Limited::Tell(over(58)))
        );
    }

    #[test]
    fn what_comes_late_is_counted_beside_what_comes_as_it_is_said() {
        let (place, speaker) = (private(), ada());
        let pace = Pace::new(2);
        let (live, late) = (
            |came: i64| Counted::from(Timestamp(came * 1_000)),
            |at: i64| Counted {
                at: Timestamp(at * 1_000),
                came: Timestamp(1_000_000),
            },
        );
        let over = |counted: Counted| pace.over_limit(&place, &speaker, counted) != Limited::No;
        assert!(!over(live(1_000)) && !over(live(1_000)));
        assert!(!over(late(700)) && !over(late(701)) && over(late(702)) && !over(late(760)));
        assert!(over(live(1_001)) && !over(live(1_060)));
    }

    #[test]
    fn what_could_not_be_stored_gives_back_only_what_it_took() {
        let (place, speaker) = (private(), ada());
        let pace = Pace::new(1);
        let at = Timestamp(0);
        let over = || pace.over_limit(&place, &speaker, at);
        let release = |counted, limited| pace.release(place.platform, &speaker.id, counted, limited);
        assert_eq!(over(), Limited::No);
        release(None, Limited::No);
        let told = over();
        assert!(matches!(told, Limited::Tell(_)));
        release(Some(at.into()), told);
        assert_eq!(over(), told);
        let silently = over();
        assert!(matches!(silently, Limited::Silently(_)));
        release(Some(at.into()), silently);
        assert_eq!(over(), silently);
        release(Some(at.into()), Limited::No);
        assert_eq!(over(), Limited::No);
    }

    #[test]
    fn who_presses_what_is_not_theirs_is_told_once_a_minute_where_others_read_along() {
        let place = |kind| Place {
            platform: Platform::new("telegram"),
            external_id: "1".into(),
            parent: None,
            kind,
            name: None,
            space: None,
        };
        let speaker = Speaker {
            id: "1".into(),
            name: "Eve".into(),
            handle: None,
            is_bot: false,
            language: None,
            roles: None,
        };
        let pace = Pace::new(60);
        let at = |kind, seconds: i64| pace.may_refuse(&place(kind), &speaker, Timestamp(seconds * 1000));
        assert!(at(PlaceKind::Group, 0));
        pace.refused(Platform::new("telegram"), "1".into(), Timestamp(0));
        assert!(!at(PlaceKind::Group, 59) && at(PlaceKind::Private, 59) && at(PlaceKind::Group, 60));
        pace.refused(Platform::new("telegram"), "1".into(), Timestamp(90_000_000));
        assert!(at(PlaceKind::Group, 100), "the clock ran ahead for a moment");
    }
}
