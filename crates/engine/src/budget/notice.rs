//! The notices that a budget is spent. Pure.

use clifford_core::{
    budget::{Account, Period, Scope},
    run::sentences::{Sentence, Spent},
};
use jiff::tz::TimeZone;

/// For the person whose request is refused: the budget that is spent, and when its next period begins.
pub fn sentence(account: &Account, zone: &TimeZone) -> Sentence {
    let at = account.window.until.to_jiff().to_zoned(zone.clone());
    Sentence::spent(Spent {
        scope: account.budget.scope,
        period: account.budget.period,
        date: at.strftime("%Y-%m-%d").to_string(),
        time: at.strftime("%H:%M (%Z)").to_string(),
    })
}

/// For the owner, once.
pub(super) fn to_owner(account: &Account, whose: &str, zone: &TimeZone) -> String {
    let limits = [
        account.budget.cost.map(|cost| format!("cost = {cost}")),
        account.budget.tokens.map(|tokens| format!("tokens = {tokens}")),
    ];
    let limits: Vec<_> = limits.into_iter().flatten().collect();
    format!(
        "The budget of {whose} for {} ({}) is spent: requests are refused. {} `clifford usage` shows what it went \
         for, and [[budgets]] in bot.toml sets it.",
        period(account).trim_start_matches("for "),
        limits.join(", "),
        again(account, zone)
    )
}

/// For the trace.
pub(super) fn error(account: &Account) -> String {
    let scope = match account.budget.scope {
        Scope::User => "person",
        Scope::Space => "space",
        Scope::Member => "member",
        Scope::Bot => "bot",
    };
    format!("the budget of this {scope} for {} is spent", account.window.key)
}

const fn period(account: &Account) -> &'static str {
    match account.budget.period {
        Period::Day => "for today",
        Period::Month => "for this month",
    }
}

fn again(account: &Account, zone: &TimeZone) -> String {
    let at = account.window.until.to_jiff().to_zoned(zone.clone());
    format!("It begins anew on {}.", at.strftime("%Y-%m-%d at %H:%M (%Z)"))
}

#[cfg(test)]
mod tests {
    use clifford_core::{
        budget::{Budget, Window},
        clock::Timestamp,
    };

    use super::*;

    #[test]
    fn a_person_reads_what_is_spent_and_when_it_begins_anew() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let account = |scope, period: Period| Account {
            budget: Budget {
                scope,
                period,
                platform_roles: Vec::new(),
                cost: Some(1.5),
                tokens: None,
            },
            subject: "x".to_owned(),
            window: period.window(Timestamp(1_767_225_600_000), &zone),
        };
        let day = account(Scope::User, Period::Day);
        let Window { key, .. } = day.window.clone();
        assert_eq!(
            sentence(&day, &zone).text(clifford_text::Lang::English),
            "Sorry, what you may spend on me for today is used up. It begins anew on 2026-01-02 at 00:00 (CET)."
        );
        assert_eq!(error(&day), format!("the budget of this person for {key} is spent"));
        assert_eq!(
            to_owner(&account(Scope::Bot, Period::Month), "the bot", &zone),
            "The budget of the bot for this month (cost = 1.5) is spent: requests are refused. It begins anew on \
             2026-02-01 at 00:00 (CET). `clifford usage` shows what it went for, and [[budgets]] in bot.toml sets it."
        );
    }
}
