//! `[[budgets]]`: how much may be spent on language models, by whom, in a day or a month.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A budget: what one person, one space (a group or server) or the whole bot may spend on language models in a day or
/// a month. Any of several that is spent refuses further work until it begins anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// The owner of the budget: `user` (each person's), `space` (each space's), `member` (each person's in each space) or
    /// `bot` (everybody's together).
    pub scope: BudgetScope,
    /// When it begins anew: each `day` or each `month`, in `engine.time_zone`.
    pub period: BudgetPeriod,
    /// Roles of the platform, by id or name, for `user`: only people with one of them. For them it takes the place of
    /// the budgets of the same period without roles; of several such, the first does.
    #[schemars(inner(length(min = 1, max = 100)))]
    pub platform_roles: Vec<String>,
    /// The most money, in the currency of the providers' prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000_000), example = 1.0)]
    pub cost: Option<f64>,
    /// The most tokens, of requests and replies together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1_000_000_000_000_u64), example = 1_000_000)]
    pub tokens: Option<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            scope: BudgetScope::Bot,
            period: BudgetPeriod::Month,
            platform_roles: Vec::new(),
            cost: None,
            tokens: None,
        }
    }
}

/// The owner of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetScope {
    /// Each person's.
    User,
    /// Each space's.
    Space,
    /// Each person's in each space.
    Member,
    /// Everybody's together.
    Bot,
}

/// When a budget begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BudgetPeriod {
    /// At midnight.
    Day,
    /// On the first of the month.
    Month,
}
