//! Budgets: what a run may spend, what it has spent, and who is told.

pub mod charge;
pub mod notice;
pub mod reserve;
