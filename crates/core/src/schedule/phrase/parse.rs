//! From words to the parts of a time: day, hour, delay, repetition. Nothing is reckoned here.

use jiff::civil::{Date, Time, Weekday};

use super::{
    languages::in_english,
    length::{Length, length},
    words::{self, Part, Unit},
};

/// The parts of a phrase for a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TimePhrase {
    /// How long from now: numbers and units.
    pub wait: Length,
    /// How often.
    pub repeat: Option<Repeat>,
    /// The day.
    pub day: Option<Day>,
    /// The days of the week; several are of a repeat.
    pub weekdays: Vec<Weekday>,
    /// The day of the week is not today.
    pub is_after_today: bool,
    /// The times of the day; several are of a repeat.
    pub times: Vec<Time>,
    /// The part of the day.
    pub part: Option<Part>,
}

/// How often something is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Repeat {
    /// Each so many of a unit.
    Each(i64, Unit),
    /// After each such length.
    Every(Length),
    /// On these days of the week.
    On(Vec<Weekday>),
    /// On a day of each month.
    Monthly(i8),
}

/// The day that is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Day {
    /// So many days from today.
    FromToday(i64),
    /// In the week after this one.
    NextWeek,
    /// A date; without a year or a month the next that comes.
    Date {
        day: i8,
        month: Option<i8>,
        year: Option<i16>,
    },
}

const WORKDAYS: [Weekday; 5] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
];
const WEEKEND: [Weekday; 2] = [Weekday::Saturday, Weekday::Sunday];

/// The time that a text names; `None`: it has other words, too, or no time.
pub(super) fn phrase(text: &str) -> Option<TimePhrase> {
    read(text).or_else(|| in_english(text).iter().find_map(|text| read(text)))
}

/// Reads English and German.
fn read(text: &str) -> Option<TimePhrase> {
    let words: Vec<String> = with_points(&text.to_lowercase())
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '!' | '?' | '(' | ')'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let mut reader = Reader {
        words: words.iter().map(String::as_str).collect(),
        at: 0,
        said: TimePhrase::default(),
    };
    while reader.at < reader.words.len() {
        reader.item()?;
    }
    Some(reader.said).filter(|said| *said != TimePhrase::default())
}

/// The text with a point where a number has a comma: `1,5 Stunden`.
fn with_points(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let is_digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
    let point = |(at, c): (usize, &char)| match c {
        ',' if is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1)) => '.',
        c => *c,
    };
    chars.iter().enumerate().map(point).collect()
}

struct Reader<'a> {
    words: Vec<&'a str>,
    at: usize,
    said: TimePhrase,
}

impl Reader<'_> {
    fn word(&self, ahead: usize) -> &str {
        self.words.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn before(&self) -> &str {
        self.at
            .checked_sub(1)
            .and_then(|at| self.words.get(at))
            .copied()
            .unwrap_or_default()
    }

    fn rest(&self, ahead: usize) -> &[&str] {
        self.words.get(self.at + ahead..).unwrap_or_default()
    }

    /// Reads one thing that is said. `None`: it cannot be read.
    fn item(&mut self) -> Option<()> {
        let taken = self
            .every()
            .or_else(|| self.adverb())
            .or_else(|| self.wait())
            .or_else(|| self.day())
            .or_else(|| self.date())
            .or_else(|| self.clock())
            .or_else(|| self.part())
            .or_else(|| words::is_filler(self.word(0)).then_some(1))?;
        self.at += taken;
        Some(())
    }

    /// `every …`; each of these returns how many words it took.
    fn every(&mut self) -> Option<usize> {
        if !matches!(
            self.word(0),
            "every" | "each" | "jeden" | "jede" | "jedes" | "jeder" | "alle" | "any"
        ) {
            return None;
        }
        let (word, more) = (self.word(1).to_owned(), self.word(2).to_owned());
        let workday = matches!(
            &*word,
            "weekday" | "weekdays" | "workday" | "workdays" | "werktag" | "werktage" | "wochentag"
        );
        if workday {
            self.repeat(Repeat::On(WORKDAYS.into()), 2)
        } else if matches!(&*word, "weekend" | "weekends" | "wochenende") {
            self.repeat(Repeat::On(WEEKEND.into()), 2)
        } else if let Some(part) = words::part(&word).or((word == "morgen").then_some(Part::Morning)) {
            self.set_part(part)?;
            self.repeat(Repeat::Each(1, Unit::Day), 2)
        } else if let (Some(number), Some(unit)) = (words::nth(&word), words::unit(&more)) {
            self.repeat(Repeat::Each(number, unit), 3)
        } else if let (true, Some(day)) = (words::is_other(&word), words::weekday(&more)) {
            self.said.weekdays.push(day);
            self.repeat(Repeat::Each(2, Unit::Week), 3)
        } else if let Some((length, taken)) = self.length_of_each() {
            self.repeat(repeat_each(length), 1 + taken)
        } else if words::weekday(&word).or(words::weekdays(&word)).is_some() {
            self.list_of_weekdays(1)
        } else if let Some((day, month, taken)) = self.day_and_month(1) {
            self.set_day(Day::Date {
                day,
                month: Some(month),
                year: None,
            })?;
            self.repeat(Repeat::Each(1, Unit::Year), 1 + taken)
        } else {
            self.repeat(Repeat::Monthly(words::ordinal(&word)?), 2)
        }
    }

    /// The length behind `every`: of one unit where no number is said.
    fn length_of_each(&self) -> Option<(Length, usize)> {
        if words::unit(self.word(1)).is_none() && self.word(1) != "fortnight" {
            return length(self.rest(1));
        }
        let words: Vec<_> = std::iter::once("1").chain(self.rest(1).iter().copied()).collect();
        length(&words).map(|(length, taken)| (length, taken - 1))
    }

    /// Notes how often. `None`: that was said before, and otherwise.
    fn repeat(&mut self, repeat: Repeat, taken: usize) -> Option<usize> {
        let repeat = match (self.said.repeat.take(), repeat) {
            (None, repeat) => repeat,
            // `mondays and thursdays every 2 weeks`, `every week on weekdays`.
            (Some(Repeat::On(days)), weeks @ Repeat::Each(_, Unit::Week))
            | (Some(weeks @ Repeat::Each(_, Unit::Week)), Repeat::On(days)) => {
                self.said.weekdays.extend(days);
                weeks
            }
            (Some(before), repeat) => (before == repeat).then_some(repeat)?,
        };
        self.said.repeat = Some(repeat);
        Some(taken)
    }

    /// Notes the day. `None`: another one was said before.
    fn set_day(&mut self, day: Day) -> Option<()> {
        let before = self.said.day.replace(day);
        before.is_none_or(|before| before == day).then_some(())
    }

    /// Notes the part of the day. `None`: another one was said before.
    fn set_part(&mut self, part: Part) -> Option<()> {
        let before = self.said.part.replace(part);
        let is_same = before.is_none_or(|before| before == part || (before, part) == (Part::Evening, Part::Night));
        is_same.then_some(())
    }

    /// `every monday, wednesday and friday`.
    fn list_of_weekdays(&mut self, from: usize) -> Option<usize> {
        let mut days = Vec::new();
        let mut taken = from;
        loop {
            let joint = usize::from(words::is_and(self.word(taken)));
            let word = self.word(taken + joint);
            let Some(day) = words::weekday(word).or_else(|| words::weekdays(word)) else {
                break;
            };
            days.push(day);
            taken += joint + 1;
        }
        self.repeat(Repeat::On(days), taken)
    }

    /// `daily`, `werktags`, `mondays`.
    fn adverb(&mut self) -> Option<usize> {
        let word = self.word(0);
        let repeat = match word {
            "daily" | "täglich" | "everyday" => Repeat::Each(1, Unit::Day),
            "hourly" | "stündlich" => Repeat::Each(1, Unit::Hour),
            "weekly" | "wöchentlich" => Repeat::Each(1, Unit::Week),
            "biweekly" | "fortnightly" | "zweiwöchentlich" => Repeat::Each(2, Unit::Week),
            "monthly" | "monatlich" => Repeat::Each(1, Unit::Month),
            "yearly" | "annually" | "jährlich" => Repeat::Each(1, Unit::Year),
            "weekdays" | "workdays" | "werktags" | "wochentags" => Repeat::On(WORKDAYS.into()),
            "weekends" => Repeat::On(WEEKEND.into()),
            _ => {
                words::weekdays(word)?;
                return self.list_of_weekdays(0);
            }
        };
        self.repeat(repeat, 1)
    }

    /// `tomorrow`, `next monday`, `übermorgen`.
    fn day(&mut self) -> Option<usize> {
        let words = [self.word(0), self.word(1), self.word(2)];
        let (days, taken) = match words {
            ["day", "after", "tomorrow"] => (2, 3),
            ["tomorrow", ..] => (1, 1),
            // `heute morgen` and `am morgen` are mornings.
            ["morgen", ..] if matches!(self.before(), "heute" | "am" | "morgen") || self.names_day() => {
                self.set_part(Part::Morning)?;
                return Some(1);
            }
            ["morgen", ..] => (1, 1),
            ["today" | "heute", ..] => (0, 1),
            ["übermorgen", ..] => (2, 1),
            ["tonight", ..] => {
                self.set_part(Part::Evening)?;
                (0, 1)
            }
            [
                "next" | "nächste" | "nächster" | "kommende" | "kommender",
                "week" | "woche",
                ..,
            ] => {
                self.set_day(Day::NextWeek)?;
                return Some(2);
            }
            ["next" | "nächsten" | "nächster" | "kommenden" | "coming", name, ..] => {
                self.said.weekdays.push(words::weekday(name)?);
                self.said.is_after_today = true;
                return Some(2);
            }
            [name, ..] => {
                self.said.weekdays.push(words::weekday(name)?);
                return Some(1);
            }
        };
        self.set_day(Day::FromToday(days))?;
        Some(taken)
    }

    fn names_day(&self) -> bool {
        self.said.day.is_some() || !self.said.weekdays.is_empty()
    }

    /// `2026-12-24`, `24.12.2026`, `24 dec`, `dec 24th 2026`, `the 24th`.
    fn date(&mut self) -> Option<usize> {
        let word = self.word(0);
        if let Ok(date) = word.parse::<Date>() {
            let (day, month, year) = (date.day(), Some(date.month()), Some(date.year()));
            self.set_day(Day::Date { day, month, year })?;
            return Some(1);
        }
        // `um 8.10` is a time, `ab 8.10.` a date.
        let is_date = self.word(1) != "uhr" && (word.ends_with('.') || !words::is_at(self.before()));
        if let Some((day, month, year)) = dotted(word).filter(|_| is_date) {
            let month = Some(month);
            self.set_day(Day::Date { day, month, year })?;
            return Some(1);
        }
        if let Some((day, month, taken)) = self.day_and_month(0) {
            let year = self
                .word(taken)
                .parse()
                .ok()
                .filter(|year| (2000..10_000).contains(year));
            let month = Some(month);
            self.set_day(Day::Date { day, month, year })?;
            return Some(taken + usize::from(year.is_some()));
        }
        let day = words::ordinal(word)?;
        let (month, year) = (None, None);
        self.set_day(Day::Date { day, month, year })?;
        Some(1)
    }

    /// `24 dec`, `24th of december`, `dec 24`: the day, the month, and how many words that took.
    fn day_and_month(&self, from: usize) -> Option<(i8, i8, usize)> {
        let day = |word: &str| words::ordinal(word).or_else(|| words::day_of_month(word));
        if let Some(month) = words::month(self.word(from)) {
            return Some((day(self.word(from + 1))?, month, 2));
        }
        let number = day(self.word(from))?;
        let joint = usize::from(self.word(from + 1) == "of");
        Some((number, words::month(self.word(from + 1 + joint))?, 2 + joint))
    }

    /// `20 minutes`, `half an hour`, `2 days 3 hours`, `next month`.
    fn wait(&mut self) -> Option<usize> {
        let (wait, taken) = match [self.word(0), self.word(1)] {
            ["next" | "nächsten", "month" | "monat"] => (vec![(1, Unit::Month)], 2),
            ["next" | "nächstes", "year" | "jahr"] => (vec![(1, Unit::Year)], 2),
            // `at 8h` is a time.
            _ if words::is_at(self.before()) => return None,
            [word, _] => match hours_and_minutes(word).filter(|_| self.before() == "in") {
                Some((hours, minutes)) => (vec![(hours, Unit::Hour), (minutes, Unit::Minute)], 1),
                None => length(self.rest(0))?,
            },
        };
        self.said.wait.extend(wait);
        Some(taken)
    }

    /// `18:30`, `8 pm`, `8 uhr 30`, `half past 8`, `noon`.
    fn clock(&mut self) -> Option<usize> {
        let (time, taken) = self.spelled_clock().or_else(|| self.digital_clock())?;
        if !self.said.times.contains(&time) {
            self.said.times.push(time);
        }
        Some(taken)
    }

    fn spelled_clock(&self) -> Option<(Time, usize)> {
        let hour = |ahead: usize| words::number(self.word(ahead)).filter(|hour| (0..=24).contains(hour));
        // Minutes from the hour that is named.
        let (hour, minutes, taken) = match [self.word(0), self.word(1)] {
            ["noon" | "midday" | "mittag" | "mittags", _] => (12, 0, 1),
            ["midnight" | "mitternacht" | "mitternachts", _] => (0, 0, 1),
            ["half", "past"] => (hour(2)?, 30, 3),
            ["quarter" | "viertel", "past" | "nach"] => (hour(2)?, 15, 3),
            ["quarter" | "viertel", "to" | "vor"] => (hour(2)?, -15, 3),
            ["halb", _] => (hour(1)?, -30, 2),
            _ => return None,
        };
        let minutes = (hour * 60 + minutes).rem_euclid(24 * 60);
        Some((time(minutes / 60, minutes % 60, 0)?, taken))
    }

    fn digital_clock(&self) -> Option<(Time, usize)> {
        let word = self.word(0);
        if let Some((hour, minute)) = hours_and_minutes(word) {
            return Some((time(hour, minute, 0)?, 1));
        }
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let mut glued = word.get(digits.len()..).unwrap_or_default();
        // `8.30 uhr` is a time, `8.3.` is a date.
        let point = if self.word(1) == "uhr" || words::is_at(self.before()) {
            '.'
        } else {
            ':'
        };
        let pieces: Vec<i64> = digits
            .split([':', point])
            .map(|piece| piece.parse().ok())
            .collect::<Option<_>>()?;
        let (mut hour, mut minute, second) = match pieces[..] {
            [hour] => (hour, 0, 0),
            [hour, minute] => (hour, minute, 0),
            [hour, minute, second] => (hour, minute, second),
            _ => return None,
        };
        let mut taken = 1;
        if glued.is_empty() && matches!(self.word(1), "am" | "pm" | "a.m." | "p.m.") && !self.is_german_am() {
            glued = self.word(1);
            taken = 2;
        }
        match glued {
            "am" | "a.m." if hour <= 12 => hour %= 12,
            "pm" | "p.m." if hour <= 12 => hour = hour % 12 + 12,
            "" if self.word(1) == "uhr" => {
                taken = 2;
                let minutes = self
                    .word(2)
                    .parse()
                    .ok()
                    .filter(|minutes| pieces.len() == 1 && (0..60).contains(minutes));
                if let Some(minutes) = minutes {
                    (minute, taken) = (minutes, 3);
                }
            }
            "" if pieces.len() > 1 || self.is_hour() => {}
            _ => return None,
        }
        // Midnight, as the end of a day is written.
        if (hour, minute, second) == (24, 0, 0) {
            hour = 0;
        }
        Some((time(hour, minute, second)?, taken))
    }

    /// The `am` behind a number belongs to the day that follows: `um 8 am Montag`.
    fn is_german_am(&self) -> bool {
        let next = self.word(2);
        self.word(1) == "am"
            && (words::weekday(next).is_some() || words::ordinal(next).is_some() || dotted(next).is_some())
    }

    /// A bare number is an hour where an hour is expected.
    fn is_hour(&self) -> bool {
        let is_by_clock = matches!(
            self.said.repeat,
            Some(Repeat::Each(_, Unit::Second | Unit::Minute | Unit::Hour) | Repeat::Every(_))
        );
        let goes_on = words::is_and(self.before()) && !self.said.times.is_empty();
        words::is_at(self.before()) || self.names_day() || goes_on || (self.said.repeat.is_some() && !is_by_clock)
    }

    /// `in the morning`, `abends`.
    fn part(&mut self) -> Option<usize> {
        self.set_part(words::part(self.word(0))?)?;
        Some(1)
    }
}

fn time(hour: i64, minute: i64, second: i64) -> Option<Time> {
    let small = |number: i64| i8::try_from(number).ok();
    Time::new(small(hour)?, small(minute)?, small(second)?, 0).ok()
}

/// `24.12.`, `24.12.2026`, `24.12.26`.
fn dotted(word: &str) -> Option<(i8, i8, Option<i16>)> {
    let pieces: Vec<_> = word.trim_end_matches('.').split('.').collect();
    let (day, month, year) = match pieces[..] {
        [day, month] => (day, month, None),
        [day, month, year] => (day, month, Some(year.parse::<i16>().ok()?)),
        _ => return None,
    };
    let month = month.parse().ok().filter(|month| (1..=12).contains(month))?;
    let year = year.map(|year| if year < 100 { year + 2000 } else { year });
    Some((words::day_of_month(day)?, month, year))
}

/// `8h30`, `8h`: hours, and minutes if they are said.
fn hours_and_minutes(word: &str) -> Option<(i64, i64)> {
    let (hours, minutes) = word.split_once('h')?;
    let number = |digits: &str| -> Option<i64> {
        let is_plain = digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| digits.parse().ok())?
    };
    let minutes = if minutes.is_empty() { 0 } else { number(minutes)? };
    Some((number(hours)?, minutes))
}

/// How often something is that comes after each such length.
fn repeat_each(length: Length) -> Repeat {
    let minutes = length.iter().map(|(number, unit)| match unit {
        Unit::Minute => Some(*number),
        Unit::Hour => number.checked_mul(60),
        _ => None,
    });
    match (&length[..], minutes.sum::<Option<i64>>()) {
        ([(number, unit)], _) => Repeat::Each(*number, *unit),
        (_, Some(minutes)) => Repeat::Each(minutes, Unit::Minute),
        _ => Repeat::Every(length),
    }
}
