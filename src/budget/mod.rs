//! Budgets as far as they read and write: what is reserved before a call, charged after it, and told. Their rules are in
//! `clifford_core::budget`.

pub use clifford_engine::budget::{
    charge::{broken_off, charge, spent},
    notice::sentence,
    reserve::{Claim, Outcome, Refusal, Telling, release, reserve},
};
