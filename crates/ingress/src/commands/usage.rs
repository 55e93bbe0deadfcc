//! `/usage`: the cost of a person's requests.

mod left;

use std::fmt::Write as _;

use clifford_chat::role::PlatformRole;
use clifford_core::{
    budget::{self, Amount, Budget, Period, Scope},
    clock::Timestamp,
    people::User,
    places::Channel,
    rate,
    settings::{Ingress, RateLimit},
};
use clifford_store::{
    StoreError, Tx, budgets,
    usage::{self, Filter, Group},
};
use jiff::tz::TimeZone;

use super::Done;

/// The budgets, and the time zone of their periods.
#[derive(Clone, Debug)]
pub struct Purse {
    /// The budgets.
    pub budgets: Vec<Budget>,
    /// The limits of messages.
    pub limits: Vec<RateLimit>,
    /// The bot's time zone.
    pub zone: TimeZone,
}

impl Purse {
    /// Of an engine's settings, for a person with these roles of the platform.
    pub fn new(budgets: &[Budget], section: &Ingress, roles: &[PlatformRole], time_zone: &str) -> Self {
        Self {
            limits: rate::limits(section, roles),
            budgets: budget::for_roles(budgets, roles).into_iter().cloned().collect(),
            zone: budget::zone(time_zone),
        }
    }
}

pub(super) async fn own(
    tx: &mut Tx,
    user: &User,
    channel: &Channel,
    purse: &Purse,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let mut lines = vec!["Usage of your requests:".to_owned()];
    for (name, period) in [("today", Period::Day), ("this month", Period::Month)] {
        let window = period.window(now, &purse.zone);
        let filter = Filter {
            since: window.from,
            until: Some(window.until),
            user: Some(user.id),
        };
        lines.push(format!("- {name}: {}", used(&usage::total(tx, filter).await?)));
    }
    let own = purse.budgets.iter().filter(|budget| budget.scope == Scope::User);
    for budget in own {
        let window = budget.period.window(now, &purse.zone);
        let spent = budgets::spent(tx, Scope::User, &user.id.to_string(), &window).await?;
        lines.push(format!("- {}", rest("", budget, spent)));
    }
    lines.extend(left::of_place(tx, user, channel, purse, now).await?);
    lines.extend(left::messages(tx, user, channel, purse, now).await?);
    Ok(Done::say(lines.join("\n")))
}

/// A sum in words.
fn used(sum: &Group) -> String {
    let calls = match sum.calls {
        1 => "1 model call".to_owned(),
        calls => format!("{calls} model calls"),
    };
    let mut text = format!("{calls}, {} tokens", sum.prompt_tokens + sum.completion_tokens);
    // Writing to a string cannot fail.
    if sum.cost > 0.0 {
        let _ = write!(text, ", {:.4} in cost", sum.cost);
    }
    if sum.own_key_calls > 0 {
        let _ = match sum.own_key_calls {
            calls if calls == sum.calls => write!(text, ", all by your own key"),
            calls => write!(
                text,
                "; {calls} of them by your own key, {:.4} in cost",
                sum.own_key_cost
            ),
        };
    }
    if sum.estimated_calls > 0 {
        let _ = write!(text, " (partly estimated)");
    }
    text
}

/// The rest of a budget; `whose`: nothing, where it is the person's anywhere.
fn rest(whose: &str, budget: &Budget, spent: Amount) -> String {
    let period = match budget.period {
        Period::Day => "today",
        Period::Month => "this month",
    };
    let cost = budget
        .cost
        .map(|cost| format!("{:.4} of {cost} in cost", (cost - spent.cost).max(0.0)));
    let tokens = budget
        .tokens
        .map(|tokens| format!("{} of {tokens} tokens", tokens.saturating_sub(spent.tokens)));
    let parts: Vec<_> = [cost, tokens].into_iter().flatten().collect();
    format!("left for {whose}{period}: {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_budget_is_never_less_than_nothing() {
        let budget = Budget {
            scope: Scope::User,
            period: Period::Day,
            platform_roles: Vec::new(),
            cost: Some(0.5),
            tokens: Some(100),
        };
        let spent = |cost, tokens| Amount { cost, tokens };
        assert_eq!(
            rest("", &budget, spent(0.125, 40)),
            "left for today: 0.3750 of 0.5 in cost, 60 of 100 tokens"
        );
        assert_eq!(
            rest("", &budget, spent(0.7, 140)),
            "left for today: 0.0000 of 0.5 in cost, 0 of 100 tokens"
        );
    }
}
