//! `/usage`: the cost of a person's requests.

mod left;

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
use clifford_text::{Lang, Usage};
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
    /// The limits of the settings, for a person with these roles of the platform.
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
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let mut lines = vec![lang.say(Usage::Head)];
    for period in [Period::Day, Period::Month] {
        let window = period.window(now, &purse.zone);
        let filter = Filter {
            since: window.from,
            until: Some(window.until),
            user: Some(user.id),
            space: None,
        };
        lines.push(format!(
            "- {}",
            lang.labelled(
                &period_name(period, lang),
                &used(&usage::total(tx, filter).await?, lang)
            )
        ));
    }
    let own = purse.budgets.iter().filter(|budget| budget.scope == Scope::User);
    for budget in own {
        let window = budget.period.window(now, &purse.zone);
        let spent = budgets::spent(tx, Scope::User, &user.id.to_string(), &window).await?;
        lines.push(format!("- {}", remaining_line(BudgetOwner::Own, budget, spent, lang)));
    }
    lines.extend(left::of_place(tx, user, channel, purse, lang, now).await?);
    lines.extend(left::messages(tx, user, channel, purse, lang, now).await?);
    Ok(Done::say(lines.join("\n")))
}

fn period_name(period: Period, lang: Lang) -> String {
    lang.say(match period {
        Period::Day => Usage::Today,
        Period::Month => Usage::ThisMonth,
    })
}

/// A sum in words.
fn used(sum: &Group, lang: Lang) -> String {
    let calls = lang.say(Usage::ModelCalls {
        count: sum.calls.into(),
    });
    let tokens = lang.say(Usage::Tokens {
        tokens: lang.number(sum.prompt_tokens + sum.completion_tokens),
    });
    let cost = |cost: f64| lang.decimal(cost, 4);
    let mut text = format!("{calls}, {tokens}");
    if sum.cost > 0.0 {
        let cost = lang.say(Usage::Cost { cost: cost(sum.cost) });
        text.push_str(&format!(", {cost}"));
    }
    match sum.own_key_calls {
        0 => {}
        calls if calls == sum.calls => text.push_str(&format!(", {}", lang.say(Usage::AllByOwnKey))),
        calls => {
            let some = lang.say(Usage::SomeByOwnKey {
                count: calls.into(),
                cost: cost(sum.own_key_cost),
            });
            text.push_str(&format!("; {some}"));
        }
    }
    if sum.estimated_calls > 0 {
        text.push_str(&format!(" {}", lang.say(Usage::Estimated)));
    }
    text
}

/// The owner of a budget.
#[derive(Clone, Copy, Debug)]
enum BudgetOwner {
    /// The person's, anywhere.
    Own,
    /// Everybody's here.
    Everybody,
    /// The person's here.
    OwnHere,
}

/// The rest of a budget.
fn remaining_line(whose: BudgetOwner, budget: &Budget, spent: Amount, lang: Lang) -> String {
    let cost = budget.cost.map(|cost| {
        lang.say(Usage::CostLeft {
            left: lang.decimal((cost - spent.cost).max(0.0), 4),
            all: lang.amount(cost),
        })
    });
    let tokens = budget.tokens.map(|tokens| {
        lang.say(Usage::TokensLeft {
            left: lang.number(tokens.saturating_sub(spent.tokens)),
            all: lang.number(tokens),
        })
    });
    let what = cost.into_iter().chain(tokens).collect::<Vec<_>>().join(", ");
    let period = period_name(budget.period, lang);
    lang.say(match whose {
        BudgetOwner::Own => Usage::Left { period, what },
        BudgetOwner::Everybody => Usage::LeftForEverybody { period, what },
        BudgetOwner::OwnHere => Usage::LeftForYouHere { period, what },
    })
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
            remaining_line(BudgetOwner::Own, &budget, spent(0.125, 40), Lang::English),
            "left for today: 0.3750 of 0.5 in cost, 60 of 100 tokens"
        );
        assert_eq!(
            remaining_line(BudgetOwner::Own, &budget, spent(0.7, 140), Lang::English),
            "left for today: 0.0000 of 0.5 in cost, 0 of 100 tokens"
        );
        assert!(remaining_line(BudgetOwner::Own, &budget, spent(0.125, 40), Lang::German).contains("0,3750"));
    }
}
