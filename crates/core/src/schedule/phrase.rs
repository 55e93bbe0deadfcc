//! Reads when something is to be: "in 20 minutes", "tomorrow at 8", "jeden Werktag um 8", "dans une heure", RFC 3339 and
//! cron; by the calendar of a time zone. Pure.

mod again;
mod languages;
mod length;
mod parse;
mod reckon;
mod repeat;
mod words;

use std::time::Duration;

use jiff::{Zoned, civil::DateTime, tz::TimeZone};

pub use self::again::again;
use self::{
    parse::{TimePhrase, phrase},
    reckon::Reckoner,
};
use crate::clock::Timestamp;

/// The farthest that anything may be away.
const FARTHEST: Duration = Duration::from_secs(20 * 366 * 86_400);
/// How a time can be said.
pub const FORMS: &str = "Say it like \"in 20 minutes\", \"tomorrow at 8\", \"next monday 14:00\", \"on 24 Dec at \
                         18:00\", \"every weekday at 8\", \"every 2 hours\", 2030-01-02T15:04:05, or as a cron \
                         expression.";

/// When something is to be: at a time, and perhaps again and again from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The first time.
    pub at: Timestamp,
    /// The cron expression or repeating interval of all that follow.
    pub cron: Option<String>,
}

/// Reads when something is to be, and how often; `repeat`: how often, if `when` does not say it.
///
/// # Errors
/// Says what is wrong, and how a time can be said.
pub fn read(when: &str, repeat: Option<&str>, zone: &TimeZone, now: Timestamp) -> Result<Schedule, String> {
    let clock = Reckoner { zone, now };
    let repeat = repeat.map(str::trim).filter(|repeat| !is_never(repeat));
    let when = when.trim();
    let schedule = if is_cron(when) {
        clock.by_cron(when.to_owned(), None)?
    } else {
        let start = match moment(when, zone) {
            Some(at) => (Some(at), TimePhrase::default()),
            None => (None, phrase(when).ok_or_else(|| unreadable(when))?),
        };
        clock.schedule(start, repeat)?
    };
    within_reach(schedule, &clock)
}

/// The schedule, if its first time is yet to come and not too far away.
fn within_reach(schedule: Schedule, clock: &Reckoner<'_>) -> Result<Schedule, String> {
    let now = clock.now;
    if schedule.at <= now {
        return Err(format!(
            "{} has passed: it is {} now.",
            clock.shown(schedule.at),
            clock.shown(now)
        ));
    }
    if schedule.at.since(now) > FARTHEST {
        return Err(format!(
            "{} is too far away: 20 years at most.",
            clock.shown(schedule.at)
        ));
    }
    Ok(schedule)
}

fn unreadable(when: &str) -> String {
    format!("`{when}` is no time that I understand. {FORMS}")
}

/// A model that has nothing to repeat may say so.
fn is_never(repeat: &str) -> bool {
    let lower = repeat.to_lowercase();
    matches!(
        &*lower,
        "" | "none" | "never" | "no" | "once" | "null" | "false" | "nie" | "einmal"
    )
}

/// A cron expression: five or six fields.
fn is_cron(text: &str) -> bool {
    let fields: Vec<_> = text.split_whitespace().collect();
    let is_field = |field: &&str| field.chars().all(|c| c.is_ascii_alphanumeric() || "*/,-?#".contains(c));
    let begins = fields
        .first()
        .is_some_and(|first| first.starts_with(|c: char| c.is_ascii_digit() || c == '*'));
    (5..=6).contains(&fields.len()) && begins && fields.iter().all(is_field) && text.contains(['*', '?'])
}

/// A moment as RFC 3339 has it; without an offset it is by the zone's calendar.
fn moment(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(at.into());
    }
    if let Ok(at) = text.parse::<Zoned>() {
        return Some(at.timestamp().into());
    }
    // A date alone says nothing of its time.
    let at = text.parse::<DateTime>().ok().filter(|_| text.contains(':'))?;
    Some(at.to_zoned(zone.clone()).ok()?.timestamp().into())
}

#[cfg(test)]
mod tests;
