//! Triggers: reminders, runs that begin by the clock or by a webhook, and when each comes due.
//!
//! `schedule` and `when` are pure: the one says what becomes of a due time, the other reads how people say one.
//! `fire` does it, in one transaction with the claim of the due time; `editing` makes and changes triggers.
//!
//! **What comes due.** The scheduler sleeps until the earliest wake or trigger, and is rung, in every process, when an
//! earlier one is made. `core/schedule/due.rs` is pure and plans a due time; `triggers/fire.rs` claims it (`next_at`
//! moves on, the firing is a row) and stores the message or the run that it causes, in one commit. Where a reminder
//! goes is decided then, not when it is set. `triggers/when` reads how people say a time. The content of a webhook's
//! request is data: its run begins tainted (`origins` in `input_json`).

pub mod fire;
pub mod webhook;

use std::time::Duration;

use clifford_core::schedule::trigger::CatchUp;

/// How triggers come due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The handling of missed due times, where a trigger sets none.
    pub catch_up: CatchUp,
    /// How late a firing may be before it counts as missed.
    pub grace: Duration,
}
