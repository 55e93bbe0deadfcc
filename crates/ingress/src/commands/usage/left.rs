//! The rest here: of the budgets of a group or server, and of the limits of messages.

use clifford_core::{
    budget::{self, Scope},
    clock::Timestamp,
    people::User,
    places::Channel,
    settings::{RatePeriod, RateScope},
};
use clifford_store::{
    StoreError, Tx, budgets,
    places::{place_settings::PlaceWords, settings},
    rates,
};
use clifford_text::{Lang, Usage};

use super::{BudgetOwner, Purse, remaining_line};

/// The rest of the budgets of a group or server, and of this member's there.
pub(super) async fn of_place(
    tx: &mut Tx,
    user: &User,
    channel: &Channel,
    purse: &Purse,
    lang: Lang,
    now: Timestamp,
) -> Result<Vec<String>, StoreError> {
    let Some(space) = channel.space_id else {
        return Ok(Vec::new());
    };
    let set = PlaceWords::of(&settings::of_place(tx, channel.space_id, channel.id).await?).budgets;
    let all = purse.budgets.iter().chain(&set);
    let here: Vec<_> = all
        .filter(|budget| matches!(budget.scope, Scope::Space | Scope::Member))
        .collect();
    let mut lines = Vec::new();
    for budget in here {
        let (subject, whose) = match budget.scope {
            Scope::Space => (space.to_string(), BudgetOwner::Everybody),
            _ => (budget::member(user.id, space), BudgetOwner::OwnHere),
        };
        let window = budget.period.window(now, &purse.zone);
        let spent = budgets::spent(tx, budget.scope, &subject, &window).await?;
        lines.push(format!("- {}", remaining_line(whose, budget, spent, lang)));
    }
    Ok(lines)
}

/// How many messages are left of each limit.
pub(super) async fn messages(
    tx: &mut Tx,
    user: &User,
    channel: &Channel,
    purse: &Purse,
    lang: Lang,
    now: Timestamp,
) -> Result<Vec<String>, StoreError> {
    let mut lines = Vec::new();
    for limit in &purse.limits {
        let subject = match limit.scope {
            RateScope::User => Some(user.id.to_string()),
            RateScope::Space => channel.space_id.map(|space| space.to_string()),
            RateScope::Channel => Some(channel.parent_id.unwrap_or(channel.id).to_string()),
        };
        let Some(subject) = subject else {
            continue;
        };
        let held = rates::of(tx, &subject).await?;
        let left = limit
            .left(rates::find(&held, &subject, limit, now), now)
            .max(0.0)
            .floor();
        let (left, all) = (left.to_string(), limit.messages.to_string());
        let unit = lang.say(match limit.per {
            RatePeriod::Minute => Usage::Minute,
            RatePeriod::Hour => Usage::Hour,
            RatePeriod::Day => Usage::Day,
        });
        let told = lang.say(match limit.scope {
            RateScope::User => Usage::MessagesForYou { left, all, unit },
            RateScope::Space => Usage::MessagesForEverybody { left, all, unit },
            RateScope::Channel => Usage::MessagesForChannel { left, all, unit },
        });
        lines.push(format!("- {told}"));
    }
    Ok(lines)
}
