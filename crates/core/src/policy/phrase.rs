//! Whether a text holds a value: as a phrase, a number, a date or an address, exactly as it would be called. Pure.

use jiff::civil;

use super::{addresses, words::Known};

/// Texts in which values are looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    texts: Vec<Tokens>,
    known: Known,
}

/// A text in pieces.
#[derive(Clone, Debug)]
struct Tokens {
    /// The text, lower case.
    plain: String,
    /// Its words and numbers, in order.
    pieces: Vec<String>,
}

/// The months, by their first three letters.
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

impl Said {
    /// Texts of somebody.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut said = Self::default();
        texts.into_iter().for_each(|text| said.learn(text));
        said
    }

    /// Takes in a text.
    pub fn learn(&mut self, text: &str) {
        self.known.learn(text);
        self.texts.push(Tokens {
            plain: addresses::plain(text).to_lowercase(),
            pieces: pieces(text).collect(),
        });
    }

    /// The addresses and words of the texts.
    pub const fn known(&self) -> &Known {
        &self.known
    }

    /// Whether a value stands in a text: an address letter by letter, a number by what it is worth, anything else as
    /// whole words in a row.
    pub fn holds(&self, value: &str) -> bool {
        let value = value.trim();
        // What only looks like what was said is something else.
        if addresses::plain(value) != value {
            return false;
        }
        if let Some(number) = number(value) {
            return self.holds_number(number);
        }
        if is_address(value) {
            let value = value.to_lowercase();
            return self.texts.iter().any(|text| stands_alone(&text.plain, &value));
        }
        let wanted: String = pieces(value).collect();
        !wanted.is_empty() && self.texts.iter().any(|text| holds_in_a_row(&text.pieces, &wanted))
    }

    /// Whether a number stands in a text.
    pub fn holds_number(&self, wanted: f64) -> bool {
        let is_it = |token: &str| number(token).is_some_and(|found| (found - wanted).abs() < 1e-9);
        (self.texts.iter()).any(|text| text.plain.split_whitespace().map(bare_number).any(is_it))
    }

    /// Whether a word stands in a text.
    pub fn has_word(&self, word: &str) -> bool {
        (self.texts.iter()).any(|text| text.pieces.iter().any(|piece| piece == word))
    }

    /// Whether another form of a word stands in a text: one begins as the other does.
    pub fn has_form_of(&self, word: &str) -> bool {
        let is_form = |piece: &String| {
            let (short, long) = if piece.len() < word.len() {
                (piece.as_str(), word)
            } else {
                (word, piece.as_str())
            };
            short.chars().count() >= 4 && long.starts_with(short)
        };
        self.texts.iter().any(|text| text.pieces.iter().any(is_form))
    }

    /// Whether the day and the time of a date or time were said, in digits or by the name of the month.
    pub fn tells(&self, written: &str) -> bool {
        let Some(when) = When::read(written) else { return false };
        let has = |word: &str| self.has_word(word);
        let has_day = when.day.is_none_or(|(month, day)| {
            let day = [
                day.to_string(),
                format!("{day:02}"),
                format!("{day}st"),
                format!("{day}nd"),
                format!("{day}rd"),
                format!("{day}th"),
            ];
            let name = usize::try_from(month - 1).ok().and_then(|month| MONTHS.get(month));
            let is_name = |piece: &String| name.is_some_and(|name| piece.starts_with(name));
            let has_month = has(&month.to_string())
                || has(&format!("{month:02}"))
                || self.texts.iter().any(|text| text.pieces.iter().any(is_name));
            has_month && day.iter().any(|day| has(day))
        });
        let has_time = when.time.is_none_or(|(hour, minute)| {
            let said = |hour: i8| {
                let hours = [
                    hour.to_string(),
                    format!("{hour:02}"),
                    format!("{hour}am"),
                    format!("{hour}pm"),
                ];
                hours.iter().any(|hour| has(hour))
            };
            (said(hour) || said(if hour > 12 { hour - 12 } else { hour }))
                && (minute == 0
                    || self.texts.iter().any(|text| {
                        text.pieces
                            .iter()
                            .any(|piece| piece.starts_with(&format!("{minute:02}")))
                    }))
        });
        has_day && has_time
    }
}

/// The day of the year and the time of the day that a text names.
struct When {
    day: Option<(i8, i8)>,
    time: Option<(i8, i8)>,
}

impl When {
    fn read(written: &str) -> Option<Self> {
        let written = written.trim();
        let of = |date: civil::Date| (date.month(), date.day());
        let at = |time: civil::Time| (time.hour(), time.minute());
        if written.len() >= 16
            && let Ok(moment) = written.parse::<civil::DateTime>()
        {
            return Some(Self {
                day: Some(of(moment.date())),
                time: Some(at(moment.time())),
            });
        }
        if written.len() >= 16
            && let Ok(moment) = written.parse::<jiff::Timestamp>()
        {
            let moment = moment.to_zoned(jiff::tz::TimeZone::UTC);
            return Some(Self {
                day: Some(of(moment.date())),
                time: Some(at(moment.time())),
            });
        }
        if let Some(date) = (written.len() == 10)
            .then(|| written.parse::<civil::Date>().ok())
            .flatten()
        {
            return Some(Self {
                day: Some(of(date)),
                time: None,
            });
        }
        let is_time = written.contains(':') && written.len() <= 8;
        let time = is_time.then(|| written.parse::<civil::Time>().ok()).flatten()?;
        Some(Self {
            day: None,
            time: Some(at(time)),
        })
    }
}

/// Whether a text is a date, a time, or both, as calendars write them.
pub(super) fn is_date(text: &str) -> bool {
    When::read(text).is_some()
}

/// Whether a text is an address that something is sent to or fetched from: of mail, of a page, of a host.
pub(super) fn is_address(text: &str) -> bool {
    let text = text.trim();
    text.contains('@')
        || text.contains("://")
        || (!text.contains(char::is_whitespace) && addresses::whole(text) != Ok(None))
        || (!text.contains(char::is_whitespace) && !addresses::all(text).is_empty())
}

/// Whether a text names somebody or something by a code that nobody would write by chance: an account, a telephone
/// number, a key.
pub(super) fn is_code(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits >= 6 || (digits > 0 && text.chars().filter(|c| c.is_alphanumeric()).count() >= 10)
}

/// The words and numbers of a text, lower case.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = String> {
    let plain = addresses::plain(text).to_lowercase();
    let pieces: Vec<_> = plain
        .split(|c: char| !c.is_alphanumeric())
        .filter(|piece| !piece.is_empty())
        .map(str::to_owned)
        .collect();
    pieces.into_iter()
}

/// The number that a text is: `1,100.50`, `50`.
pub(super) fn number(text: &str) -> Option<f64> {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-'));
    is_number.then(|| text.replace(',', "").parse().ok()).flatten()
}

/// A word without the signs around a number.
fn bare_number(word: &str) -> &str {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '-');
    word.trim_end_matches(|c: char| !c.is_alphanumeric())
}

/// Whether words in a row make a value, without what stands between them.
fn holds_in_a_row(pieces: &[String], wanted: &str) -> bool {
    (0..pieces.len()).any(|start| {
        let mut rest = wanted;
        for piece in &pieces[start..] {
            match rest.strip_prefix(piece.as_str()) {
                Some("") => return true,
                Some(more) => rest = more,
                None => return false,
            }
        }
        false
    })
}

/// Whether an address stands in a text and does not go on before or behind it.
fn stands_alone(text: &str, address: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || "@_-+%/=&?#~:".contains(c);
    text.match_indices(address).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut behind = text[at + address.len()..].chars();
        let next = behind.next();
        // A full stop ends a sentence, or goes on.
        let ends = match next {
            Some('.') => !behind.next().is_some_and(goes_on),
            next => !next.is_some_and(|c| goes_on(c) && c != ':'),
        };
        ends && !before.is_some_and(|c| goes_on(c) && c != ':' || c == '.')
    })
}
