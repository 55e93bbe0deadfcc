//! Runs that were quarantined though nothing in them ends a process: whether kills explain it. Pure.

use std::time::Instant;

/// How many deaths set a run aside.
pub const DEATHS: usize = 3;

/// A run that was quarantined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// The messages that it was to answer.
    pub questions: Vec<usize>,
    /// How many processes died that held it, as the bot counted.
    pub deaths: usize,
    /// When it was made.
    pub from: Instant,
    /// When it was set aside.
    pub until: Instant,
}

impl SetAside {
    /// Whether as many processes died while it was at work as the bot counted on it, and enough to set it aside. `died` are
    /// the moments at which one did. Which process held the run is not known, so this is the least that must be true.
    pub fn is_explained_by(&self, died: &[Instant]) -> bool {
        let within = died.iter().filter(|at| (self.from..=self.until).contains(*at));
        within.count() >= self.deaths.max(DEATHS)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_deaths_within_its_life_explain_why_a_run_was_set_aside() {
        let start = Instant::now();
        let at = |second: &u64| start + Duration::from_secs(*second);
        let cases: [(usize, &[u64], bool); 8] = [
            // The bot's count, when processes died, and whether that explains it.
            (3, &[10, 15, 20], true),
            (3, &[1, 2, 12, 15, 18, 30, 31], true),
            (3, &[], false),
            (3, &[12, 15], false),
            // However many died before and after.
            (3, &[1, 2, 3, 4, 9, 12, 15, 21, 22, 23], false),
            (4, &[12, 15, 18], false),
            (4, &[12, 15, 18, 19], true),
            // A message that nobody counted is set aside for nothing.
            (0, &[12, 15], false),
        ];
        for (deaths, died, expected) in cases {
            let run = SetAside {
                questions: vec![1],
                deaths,
                from: at(&10),
                until: at(&20),
            };
            let times: Vec<_> = died.iter().map(at).collect();
            assert_eq!(run.is_explained_by(&times), expected, "{deaths} deaths, {died:?}");
        }
    }
}
