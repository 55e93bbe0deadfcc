//! Budgets: what one person, one space or the whole bot may spend on models in a day or a month.
//!
//! What a call may cost at most is reserved before it, and settled with the commit that records its reply. Without
//! budgets nothing of this is asked or written.

pub mod period;
mod rules;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    period::{Period, Window, zone},
    rules::{Verdict, accounts, verdict},
};
pub use crate::settings::Budget;

/// Money and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    /// In the currency of the providers' prices.
    pub cost: f64,
    /// Of requests and replies.
    pub tokens: u64,
}

/// Whose a budget is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BudgetScope")]
pub enum Scope {
    /// Each person's.
    User,
    /// Each space's.
    Space,
    /// Everybody's together.
    Bot,
}

/// What everybody's budget is kept under.
pub const BOT: &str = "bot";

/// A budget of somebody at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The budget.
    pub budget: Budget,
    /// Whose: a person's id, a space's, or [`BOT`].
    pub subject: String,
    /// When.
    pub window: Window,
}

/// What is to be settled once a call has ended, one way or another.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// The run or job whose call it is.
    pub holder: String,
    /// The claim that it was reserved under: whoever has it since reserves anew.
    pub epoch: i64,
    /// What it is charged to, in the order in which rows are locked: of several budgets of one subject and period one.
    pub charged: Vec<Account>,
}
