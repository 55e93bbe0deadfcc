//! The budgets that a call is charged to, and whether one lets it through. Pure.

use clifford_chat::role::{PlatformRole, any_named};
use jiff::tz::TimeZone;

use super::{Account, Amount, BOT, Budget, Scope};
use crate::{
    clock::Timestamp,
    id::{SpaceId, UserId},
};

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may.
    Free,
    /// Calls under way may use up what is left: once they are settled, it is known.
    Busy,
    /// Nothing is left.
    Spent,
}

/// The remainder decides, as long as there is one: so at most the last call goes over the limit, and that one alone.
pub fn verdict(budget: &Budget, settled: Amount, reserved: Amount) -> Verdict {
    let is_reached = |amount: Amount| {
        budget.cost.is_some_and(|limit| amount.cost >= limit)
            || budget.tokens.is_some_and(|limit| amount.tokens >= limit)
    };
    let together = Amount {
        cost: settled.cost + reserved.cost,
        tokens: settled.tokens.saturating_add(reserved.tokens),
    };
    if is_reached(settled) {
        Verdict::Spent
    } else if is_reached(together) {
        Verdict::Busy
    } else {
        Verdict::Free
    }
}

/// The budgets that hold for a person with these roles of the platform: for each period of people's budgets the first
/// that is for one of their roles, else those for everybody.
pub fn for_roles<'a>(budgets: &'a [Budget], roles: &[PlatformRole]) -> Vec<&'a Budget> {
    let by_role = |period| {
        let mut fitting = budgets.iter().filter(|budget| {
            budget.scope == Scope::User && budget.period == period && any_named(roles, &budget.platform_roles)
        });
        fitting.next()
    };
    let holds = |budget: &&Budget| match budget.scope {
        Scope::User => match by_role(budget.period) {
            Some(own) => std::ptr::eq(own, *budget),
            None => budget.platform_roles.is_empty(),
        },
        Scope::Space | Scope::Member | Scope::Bot => true,
    };
    budgets.iter().filter(holds).collect()
}

/// The subject of a person's budget in a space.
pub fn member(user: UserId, space: SpaceId) -> String {
    format!("{user}@{space}")
}

/// The budgets that a call is charged to, in the order in which their rows are locked.
pub fn accounts(
    budgets: &[Budget],
    user: Option<UserId>,
    roles: &[PlatformRole],
    space: Option<SpaceId>,
    now: Timestamp,
    zone: &TimeZone,
) -> Vec<Account> {
    let account = |budget: &Budget| {
        let subject = match budget.scope {
            Scope::User => user?.to_string(),
            Scope::Space => space?.to_string(),
            Scope::Member => member(user?, space?),
            Scope::Bot => BOT.to_owned(),
        };
        Some(Account {
            budget: budget.clone(),
            subject,
            window: budget.period.window(now, zone),
        })
    };
    let mut accounts: Vec<_> = for_roles(budgets, roles).into_iter().filter_map(account).collect();
    accounts.sort_by(|a, b| (&a.subject, &a.window.key).cmp(&(&b.subject, &b.window.key)));
    accounts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Period;

    fn budget(scope: Scope, period: Period) -> Budget {
        Budget {
            scope,
            period,
            platform_roles: Vec::new(),
            cost: Some(1.0),
            tokens: Some(100),
        }
    }

    #[test]
    fn a_call_goes_through_while_something_is_left_that_nobody_else_may_use_up() {
        let amount = |cost, tokens| Amount { cost, tokens };
        let nothing = Amount::default();
        let cases = [
            (nothing, nothing, Verdict::Free),
            (amount(0.99, 99), nothing, Verdict::Free),
            (amount(1.0, 0), nothing, Verdict::Spent),
            (amount(0.0, 100), nothing, Verdict::Spent),
            (amount(0.5, 0), amount(0.5, 0), Verdict::Busy),
            (amount(0.0, 60), amount(0.0, 40), Verdict::Busy),
            (amount(0.5, 0), amount(0.4, 0), Verdict::Free),
            (amount(1.5, 0), amount(0.4, 0), Verdict::Spent),
        ];
        for (settled, reserved, expected) in cases {
            let found = verdict(&budget(Scope::Bot, Period::Day), settled, reserved);
            assert_eq!(found, expected, "{settled:?} {reserved:?}");
        }
        let unlimited = Budget {
            cost: None,
            tokens: None,
            ..budget(Scope::Bot, Period::Day)
        };
        assert_eq!(
            verdict(&unlimited, amount(1e9, u64::MAX), amount(1.0, 1)),
            Verdict::Free
        );
    }

    #[test]
    fn a_budget_for_a_role_takes_the_place_of_those_for_everybody() {
        let of = |roles: &[&str], cost, period| Budget {
            platform_roles: roles.iter().map(|role| (*role).to_owned()).collect(),
            cost: Some(cost),
            ..budget(Scope::User, period)
        };
        let budgets = [
            of(&[], 1.0, Period::Day),
            of(&["Moderator", "9"], 5.0, Period::Day),
            of(&["Member"], 2.0, Period::Day),
            of(&[], 20.0, Period::Month),
            budget(Scope::Bot, Period::Day),
        ];
        let costs = |roles: &[&str]| {
            let roles: Vec<_> = roles.iter().map(|role| PlatformRole::word(role)).collect();
            let found = for_roles(&budgets, &roles)
                .into_iter()
                .map(|budget| budget.cost.unwrap_or_default());
            found.collect::<Vec<_>>()
        };
        assert_eq!(costs(&[]), [1.0, 20.0, 1.0]);
        assert_eq!(costs(&["member"]), [2.0, 20.0, 1.0]);
        assert_eq!(costs(&["member", "moderator"]), [5.0, 20.0, 1.0]);
        assert_eq!(costs(&["9"]), [5.0, 20.0, 1.0]);
    }

    #[test]
    fn a_call_is_charged_to_its_person_its_space_and_the_bot_always_in_the_same_order() {
        let (user, space) = (UserId::new(), SpaceId::new());
        let budgets = [
            budget(Scope::User, Period::Month),
            budget(Scope::Space, Period::Day),
            budget(Scope::Bot, Period::Month),
            budget(Scope::User, Period::Day),
        ];
        let subjects = |user, space| {
            let accounts = accounts(&budgets, user, &[], space, Timestamp(1_767_225_600_000), &TimeZone::UTC);
            accounts
                .into_iter()
                .map(|account| (account.subject, account.window.key))
                .collect::<Vec<_>>()
        };
        let pair = |subject: &str, key: &str| (subject.to_owned(), key.to_owned());
        assert_eq!(subjects(None, None), [pair(BOT, "2026-01")]);
        let mut expected = vec![
            pair(&user.to_string(), "2026-01"),
            pair(&user.to_string(), "2026-01-01"),
            pair(&space.to_string(), "2026-01-01"),
            pair(BOT, "2026-01"),
        ];
        expected.sort();
        assert_eq!(subjects(Some(user), Some(space)), expected);
    }
}
