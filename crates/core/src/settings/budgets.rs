//! `[[budgets]]`: how much may be spent on language models, by whom, in a day or a month.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Period, Scope};

/// A budget: what one person, one space (a group or server) or the whole bot may spend on language models in a day or
/// a month. Any of several that is spent refuses further work until it begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Whose it is: `user` (each person's), `space` (each space's) or `bot` (everybody's together).
    pub scope: Scope,
    /// When it begins anew: each `day` or each `month`, in `engine.time_zone`.
    pub period: Period,
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
            scope: Scope::Bot,
            period: Period::Month,
            cost: None,
            tokens: None,
        }
    }
}
