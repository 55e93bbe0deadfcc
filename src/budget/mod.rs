//! Left here until its children go, too.

pub mod charge;
pub mod notice;
pub mod reserve;

pub use self::{
    charge::{broken_off, charge, spent},
    notice::sentence,
    reserve::{Claim, Outcome, Refusal, Telling, release, reserve},
};
