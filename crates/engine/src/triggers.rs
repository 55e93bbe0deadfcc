//! Triggers: reminders, runs that begin by the clock or by a webhook, and when each comes due.
//!
//! `schedule` and `when` are pure: the one says what becomes of a due time, the other reads how people say one.
//! `fire` does it, in one transaction with the claim of the due time; `editing` makes and changes triggers.
//!
//! **Due work.** The scheduler sleeps until the earliest wake or trigger, and is notified, in every process, when an
//! earlier one is made. `core/schedule/due.rs` is pure and plans a due time; `triggers/fire.rs` claims it (`next_at`
//! moves on, the firing is a row) and stores the message or the run that it causes, in one commit. Where a reminder
//! goes is decided then, not when it is set. `triggers/when` reads how people say a time. The content of a webhook's
//! request is data: its run begins tainted (`origins` in `input_json`).

pub mod fire;
pub mod rollback;
pub mod webhook;
