//! Triggers: reminders, runs that begin by the clock or by a webhook, and when each comes due.
//!
//! `schedule` and `when` are pure: the one says what becomes of a due time, the other reads how people say one.
//! `fire` does it, in one transaction with the claim of the due time; `editing` makes and changes triggers.

pub mod fire;
pub mod webhook;

use std::time::Duration;

use clifford_core::schedule::trigger::CatchUp;

/// How triggers come due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What becomes of due times that passed while nobody was there, where a trigger does not say.
    pub catch_up: CatchUp,
    /// How late a firing may be before it counts as missed.
    pub grace: Duration,
}
