//! The notices that a budget is spent. Pure.

use clifford_core::{
    budget::{Account, Period, Scope},
    run::sentences::{Sentence, Spent},
    schedule::told,
};
use clifford_text::{Lang, Notice};
use jiff::{Zoned, tz::TimeZone};

/// For the person whose request is refused: the budget that is spent, and when its next period begins.
pub fn sentence(account: &Account, zone: &TimeZone) -> Sentence {
    let at = again(account, zone);
    Sentence::spent(Spent {
        scope: account.budget.scope,
        period: account.budget.period,
        date: at.date(),
        time: time(&at),
    })
}

/// For the owner, once. `whose`: a name, unless it is everybody's.
pub(super) fn to_owner(account: &Account, whose: String, zone: &TimeZone, lang: Lang) -> String {
    let limits = [
        account.budget.cost.map(|cost| format!("cost = {cost}")),
        account.budget.tokens.map(|tokens| format!("tokens = {tokens}")),
    ];
    let limits: Vec<_> = limits.into_iter().flatten().collect();
    let limits = limits.join(", ");
    let at = again(account, zone);
    let (date, time) = (told::day(at.date(), lang), time(&at));
    lang.say(match account.budget.period {
        Period::Day => Notice::DaySpent {
            whose,
            limits,
            date,
            time,
        },
        Period::Month => Notice::MonthSpent {
            whose,
            limits,
            date,
            time,
        },
    })
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

/// When its next period begins.
fn again(account: &Account, zone: &TimeZone) -> Zoned {
    account.window.until.to_jiff().to_zoned(zone.clone())
}

fn time(at: &Zoned) -> String {
    at.strftime("%H:%M (%Z)").to_string()
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
            sentence(&day, &zone).text(Lang::English),
            "Sorry, what you may spend on me for today is used up. It starts again on 2026-01-02 at 00:00 (CET)."
        );
        assert_eq!(error(&day), format!("the budget of this person for {key} is spent"));
        assert_eq!(
            sentence(&day, &zone).text(Lang::German),
            "Tut mir leid, was du heute für mich ausgeben darfst, ist aufgebraucht. Weiter geht es am 02.01.2026 um \
             00:00 (CET)."
        );
        assert_eq!(
            to_owner(
                &account(Scope::Bot, Period::Month),
                Lang::English.say(Notice::TheBot),
                &zone,
                Lang::English
            ),
            "The budget of the bot for this month (cost = 1.5) is used up: requests are refused. It starts again on \
             2026-02-01 at 00:00 (CET). `clifford usage` shows what it went for, and [[budgets]] in bot.toml sets it."
        );
    }
}
