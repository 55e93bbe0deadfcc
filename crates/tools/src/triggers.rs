//! Reminders and triggers, as a model sets them.

pub mod editing;
pub mod reminders;
