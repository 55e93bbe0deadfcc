//! The words of a text from a place on, the numbers and the times of day that stand among them.

/// The years that a number of four digits may be.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=2199;
/// The most words of a time of day behind its hour.
const CLOCK: usize = 6;

/// The words of a text from a place on, and what stands before each.
pub(super) struct Rest<'a> {
    pub words: &'a [&'a str],
    pub gaps: &'a [&'a str],
}

impl<'a> Rest<'a> {
    pub(super) fn word(&self, at: usize) -> Option<&'a str> {
        self.words.get(at).copied()
    }

    pub(super) fn gap(&self, at: usize) -> &'a str {
        self.gaps.get(at).copied().unwrap_or_default()
    }

    /// "yesterday's"
    pub(super) fn is_genitive(&self, at: usize) -> bool {
        self.word(at) == Some("s") && matches!(self.gap(at), "'" | "’" | "ʼ")
    }

    /// How many words belong to a time of day that was begun: "00", "00z", "02" of `:00:00Z` or `:00+02`.
    pub(super) fn clock_goes_on(&self, at: usize) -> usize {
        let is_part = |place: &usize| {
            let begins = self
                .word(*place)
                .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
            begins && matches!(self.gap(*place), ":" | "." | "+" | "-")
        };
        (at..self.words.len()).take(CLOCK).take_while(is_part).count()
    }

    /// How many words a time of day takes that stands by itself: `14:00`.
    pub(super) fn clock(&self, at: usize) -> usize {
        let hour = self.word(at).and_then(|word| number(word, 0, 24));
        let is_clock = hour.is_some() && self.gap(at + 1) == ":" && !self.gap(at).contains('.');
        match self.clock_goes_on(at + 1) {
            more if is_clock && more > 0 => 1 + more,
            _ => 0,
        }
    }
}

/// A year.
pub(super) fn year(word: &str) -> Option<i16> {
    let year = word.parse().ok().filter(|_| word.len() == 4)?;
    YEARS.contains(&year).then_some(year)
}

/// A number of at most two digits, within bounds.
pub(super) fn number(word: &str, least: i8, most: i8) -> Option<i8> {
    let is_number = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.parse().ok().filter(|_| is_number)?;
    (least..=most).contains(&number).then_some(number)
}

/// A day of a month: "8", "8th", "1st", "1er".
pub(super) fn ordinal(word: &str) -> Option<i8> {
    let bare = ["st", "nd", "rd", "th", "er"]
        .iter()
        .find_map(|end| word.strip_suffix(end));
    number(bare.unwrap_or(word), 1, 31)
}
