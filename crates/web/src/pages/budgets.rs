//! Budgets: how much of each is spent, and how much is left.

use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    address::with_query,
    backend::{Asker, Page},
    failure::Failure,
    view::{
        chart::share,
        format::{cost, count},
    },
};

/// A budget of the API, with what is spent of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Budget {
    scope: String,
    period: String,
    cost: Option<f64>,
    tokens: Option<u64>,
    spent_cost: f64,
    spent_tokens: u64,
}

/// The budgets that hold for the reader, or those of a space.
pub(crate) async fn all(asker: &Asker, space: &str) -> Result<Vec<Budget>, Failure> {
    let page: Page<Budget> = asker.get(&with_query("/api/budgets", &[("spaceId", space)])).await?;
    Ok(page.items)
}

/// They as a part of a page.
pub(crate) fn draw(budgets: &[Budget]) -> Markup {
    html! {
        @if !budgets.is_empty() {
            section.card aria-labelledby="budgets-title" {
                h2 id="budgets-title" { "Budgets, and what is left" }
                @for budget in budgets { (left(budget)) }
            }
        }
    }
}

/// The spent part of a budget, as a bar with its numbers.
pub(crate) fn left(budget: &Budget) -> Markup {
    let whose = match budget.scope.as_str() {
        "bot" => "Everybody",
        "space" => "Everybody there",
        "member" => "You there",
        _ => "You",
    };
    let float = |tokens: u64| f64::from(u32::try_from(tokens).unwrap_or(u32::MAX));
    html! {
        @if let Some(most) = budget.cost {
            div.small {
                (whose) ", this " (budget.period) ": " (cost(budget.spent_cost)) " of " (cost(most)) ", "
                (cost((most - budget.spent_cost).max(0.0))) " left"
                (share(budget.spent_cost, most))
            }
        }
        @if let Some(most) = budget.tokens {
            div.small {
                (whose) ", this " (budget.period) ": " (count(budget.spent_tokens)) " of " (count(most)) " tokens, "
                (count(most.saturating_sub(budget.spent_tokens))) " left"
                (share(float(budget.spent_tokens), float(most)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_budget_is_never_less_than_nothing() {
        let budget = |spent_cost, spent_tokens| Budget {
            scope: "bot".to_owned(),
            period: "day".to_owned(),
            cost: Some(2.0),
            tokens: Some(1000),
            spent_cost,
            spent_tokens,
        };
        let numbers = |budget: Budget| {
            let drawn = left(&budget).into_string();
            let pieces = drawn.split("<data data-number>").skip(1);
            let numbers = pieces.filter_map(|piece| piece.split('<').next().map(str::to_owned));
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(
            numbers(budget(0.5, 250)),
            ["0.5000", "2.00", "1.50", "250", "1,000", "750"]
        );
        assert_eq!(numbers(budget(3.0, 1250)), ["3.00", "2.00", "0", "1,250", "1,000", "0"]);
    }
}
