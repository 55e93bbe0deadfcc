//! How often addresses tried to log in.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clifford_core::clock::Timestamp;

use super::super::problem::{Code, Problem};

/// How long wrong links count.
const WINDOW: Duration = Duration::from_secs(60);
/// The most wrong links of an address in that time.
const TRIES: u32 = 20;
/// The same for addresses of this machine: a proxy's, with everybody behind it.
const TRIES_OF_A_PROXY: u32 = 600;
/// The most addresses whose tries are counted.
const ADDRESSES: usize = 10_000;

/// How often addresses tried something lately: to log in by what is not good, or to begin a login by a passkey.
#[derive(Debug, Default)]
pub(in super::super) struct Tries(Mutex<HashMap<IpAddr, (Timestamp, u32)>>);

impl Tries {
    /// Refuses an address that tried too many.
    pub(in super::super) fn check(&self, address: IpAddr, now: Timestamp) -> Result<(), Problem> {
        let most = if address.is_loopback() { TRIES_OF_A_PROXY } else { TRIES };
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get(&address) {
            Some((since, count)) if *count >= most && since.was_within(WINDOW, now) => {
                let detail = "too many tries to log in; try again in a minute";
                Err(Problem::new(Code::TooManyTries, detail).with_retry(WINDOW.as_secs()))
            }
            _ => Ok(()),
        }
    }

    /// Counts a wrong one, and says how it is refused.
    pub(in super::super) fn count_wrong(&self, address: IpAddr, now: Timestamp, wrong: Problem) -> Problem {
        match self.check(address, now) {
            Ok(()) => {
                self.count(address, now);
                wrong
            }
            Err(too_many) => too_many,
        }
    }

    pub(in super::super) fn count(&self, address: IpAddr, now: Timestamp) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= ADDRESSES {
            kept.retain(|_, (since, _)| since.was_within(WINDOW, now));
        }
        if kept.len() >= ADDRESSES && !kept.contains_key(&address) {
            return;
        }
        let (since, count) = kept.entry(address).or_insert((now, 0));
        if !since.was_within(WINDOW, now) {
            (*since, *count) = (now, 0);
        }
        *count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_tries_too_many_links_has_to_wait() {
        let tries = Tries::default();
        let [far, near] = ["192.0.2.7", "127.0.0.1"].map(|address| address.parse().unwrap());
        let at = |seconds: i64| Timestamp(seconds * 1000);
        for _ in 0..TRIES {
            assert_eq!(tries.check(far, at(0)), Ok(()));
            tries.count(far, at(0));
            tries.count(near, at(0));
        }
        assert!(tries.check(far, at(59)).is_err());
        assert_eq!(tries.check(near, at(59)), Ok(()));
        assert_eq!(tries.check(far, at(60)), Ok(()));
        tries.count(far, at(60));
        assert_eq!(tries.check(far, at(61)), Ok(()));
        // The clock ran ahead for a moment.
        for _ in 0..TRIES {
            tries.count(far, at(9_000));
        }
        assert!(tries.check(far, at(9_001)).is_err());
        assert_eq!(tries.check(far, at(100)), Ok(()));
    }
}
