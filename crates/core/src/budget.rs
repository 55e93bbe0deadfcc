//! Budgets: limits on the spending of one person, one space or the whole bot in a day or a month.
//!
//! The highest cost of a call is reserved before it, and settled with the commit that records its reply. Without
//! budgets nothing of this is asked or written.

pub mod period;
mod rules;

pub use self::{
    period::{Window, zone},
    rules::{Verdict, accounts, for_roles, member, verdict},
};
pub use crate::settings::{Budget, BudgetPeriod as Period, BudgetScope as Scope};

/// Money and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    /// In the currency of the providers' prices.
    pub cost: f64,
    /// Of requests and replies.
    pub tokens: u64,
}

/// The subject of everybody's budget.
pub const BOT: &str = "bot";

/// A budget of somebody at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The budget.
    pub budget: Budget,
    /// The subject: a person's id, a space's, or [`BOT`].
    pub subject: String,
    /// When.
    pub window: Window,
}

/// The settlement of a call that has ended, one way or another.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// The run or job whose call it is.
    pub holder: String,
    /// The claim that it was reserved under: whoever has it since reserves anew.
    pub epoch: i64,
    /// The accounts that it is charged to, in the order in which rows are locked: of several budgets of one subject and
    /// period one.
    pub charged: Vec<Account>,
}
