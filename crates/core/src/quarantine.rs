//! Judges work by the deaths of the processes that held it: the one table. Pure.

/// Deaths of work that waited, as a multiple of `quarantine_after`, before they count as proof.
///
/// A call to a model or a tool takes seconds in which everything else goes on, and a process that is killed for any
/// other reason is most likely killed in one. Little of the work itself happens in them: bytes are received, and worker
/// processes wait. Work that ends the process even so is set aside after many deaths.
const WAITING_FACTOR: i64 = 40;

/// How many deaths make work suspected, and how many set it aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From this many deaths on it is worked on in isolation.
    pub suspect_after: i64,
    /// From this many deaths on a death in isolation is proof.
    pub quarantine_after: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            suspect_after: 2,
            quarantine_after: 3,
        }
    }
}

crate::column::text_enum! {
    /// How work stands to isolation, as its row tells.
    Mark {
        /// It is being worked on in isolation.
        Working = "working",
        /// The same, and its last process died so.
        WorkingAgain = "working_again",
        /// It is a suspect, and everything else goes on: it waits for its model, or its turn was long enough.
        Waiting = "waiting",
        /// Its last process died while it was worked on in isolation.
        Died = "died",
        /// The same twice in a row.
        DiedAgain = "died_again",
        /// Its last process died while it waited as a suspect.
        Waited = "waited",
    }
}

/// The evidence against one piece of work: deaths of the processes that held it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// How often the process that held it died.
    pub deaths: i64,
    /// How it stood to isolation at the last death.
    pub mark: Option<Mark>,
}

impl Evidence {
    /// The mark under which it is worked on in isolation now.
    pub const fn mark_at_work(self) -> Mark {
        match self.mark {
            Some(Mark::Died | Mark::DiedAgain) => Mark::WorkingAgain,
            _ => Mark::Working,
        }
    }
}

/// How work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As any other.
    Innocent,
    /// In isolation.
    Suspect,
    /// Not at all: it is set aside.
    Guilty,
}

impl Limits {
    /// The verdict on the evidence.
    ///
    /// Being in flight when a process dies makes work a suspect and nothing more, however often it happens: with many
    /// in flight the cause is unknown. A death in isolation is proof if it is the one that reaches `quarantine_after`.
    /// Work that has outlived that may be the victim of another cause of deaths: then it takes two in a row.
    pub const fn verdict(self, evidence: Evidence) -> Verdict {
        let Evidence { deaths, mark } = evidence;
        match mark {
            Some(Mark::Died) if deaths == self.quarantine_after => Verdict::Guilty,
            Some(Mark::DiedAgain) if deaths >= self.quarantine_after => Verdict::Guilty,
            Some(Mark::Waited) if deaths >= self.quarantine_after.saturating_mul(WAITING_FACTOR) => Verdict::Guilty,
            _ if deaths >= self.suspect_after => Verdict::Suspect,
            _ => Verdict::Innocent,
        }
    }

    /// The verdict on marks that are written before the work and removed after it, one piece of work at a time. The
    /// death that led to this careful mode left no mark.
    pub const fn verdict_of_marks(self, marks: i64) -> Verdict {
        if marks + 1 >= self.quarantine_after {
            Verdict::Guilty
        } else {
            Verdict::Suspect
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DEFAULT: Limits = Limits {
        suspect_after: 2,
        quarantine_after: 3,
    };

    const fn evidence(deaths: i64, mark: Option<Mark>) -> Evidence {
        Evidence { deaths, mark }
    }

    #[test]
    fn only_a_death_in_isolation_is_proof() {
        use Verdict::{Guilty, Innocent, Suspect};
        let table = [
            (0, None, Innocent),
            (1, None, Innocent),
            (2, None, Suspect),
            // In flight with others at a thousand kills.
            (1000, None, Suspect),
            // Marks of now say nothing of the last death.
            (1000, Some(Mark::Working), Suspect),
            (1000, Some(Mark::Waiting), Suspect),
            (1, Some(Mark::Died), Innocent),
            (2, Some(Mark::Died), Suspect),
            (3, Some(Mark::Died), Guilty),
            // It went on without harm at the third, or stood in line: something else kills.
            (4, Some(Mark::Died), Suspect),
            (5, Some(Mark::DiedAgain), Guilty),
            (2, Some(Mark::DiedAgain), Suspect),
            (3, Some(Mark::Waited), Suspect),
            (119, Some(Mark::Waited), Suspect),
            (120, Some(Mark::Waited), Guilty),
        ];
        for (deaths, mark, expected) in table {
            assert_eq!(
                DEFAULT.verdict(evidence(deaths, mark)),
                expected,
                "{deaths} deaths, {mark:?}"
            );
        }
    }

    #[test]
    fn a_killer_is_set_aside_after_three_deaths() {
        let mut known = Evidence::default();
        let mut deaths = 0;
        while DEFAULT.verdict(known) != Verdict::Guilty {
            let mark = (DEFAULT.verdict(known) == Verdict::Suspect).then_some(Mark::Died);
            known = evidence(known.deaths + 1, mark);
            deaths += 1;
        }
        assert_eq!(deaths, 3);
    }

    #[test]
    fn who_stood_in_line_at_the_third_death_is_set_aside_after_two_in_isolation() {
        let mut known = evidence(3, None);
        for (mark, died) in [(Mark::Working, Mark::Died), (Mark::WorkingAgain, Mark::DiedAgain)] {
            assert_eq!(DEFAULT.verdict(known), Verdict::Suspect);
            assert_eq!(known.mark_at_work(), mark);
            known = evidence(known.deaths + 1, Some(died));
        }
        assert_eq!((DEFAULT.verdict(known), known.deaths), (Verdict::Guilty, 5));
    }

    #[test]
    fn what_is_marked_before_each_try_has_two_tries_after_the_death_that_nobody_saw() {
        let verdicts = [0, 1, 2, 3].map(|marks| DEFAULT.verdict_of_marks(marks));
        use Verdict::{Guilty, Suspect};
        assert_eq!(verdicts, [Suspect, Suspect, Guilty, Guilty]);
    }

    proptest! {
        #[test]
        fn company_never_sets_anything_aside(deaths in 0..i64::MAX, suspect in 1_i64..100, more in 1_i64..100) {
            let limits = Limits { suspect_after: suspect, quarantine_after: suspect + more };
            prop_assert_ne!(limits.verdict(evidence(deaths, None)), Verdict::Guilty);
        }

        #[test]
        fn nothing_is_set_aside_that_was_no_suspect(deaths in 0_i64..1000, suspect in 1_i64..100, more in 1_i64..100) {
            let limits = Limits { suspect_after: suspect, quarantine_after: suspect + more };
            for mark in Mark::ALL.iter().copied().map(Some).chain([None]) {
                if limits.verdict(evidence(deaths, mark)) == Verdict::Guilty {
                    prop_assert!(deaths >= suspect);
                }
            }
        }
    }
}
