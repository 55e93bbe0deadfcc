//! Numbers and ends of sentences, as a language writes them.

use crate::Lang;

/// Shorter numbers are read as they are.
const GROUPED_FROM: usize = 5;

impl Lang {
    /// A whole number, its thousands apart once it is long. Fewer than nothing are none.
    pub fn number(self, number: impl TryInto<u64>) -> String {
        let digits = number.try_into().unwrap_or_default().to_string();
        if digits.len() < GROUPED_FROM {
            return digits;
        }
        let mut text = String::with_capacity(digits.len() + digits.len() / 3);
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                text.push(self.thousands());
            }
            text.push(digit);
        }
        text
    }

    /// A number with so many decimals.
    pub fn decimal(self, number: f64, places: usize) -> String {
        self.pointed(format!("{number:.places$}"))
    }

    /// A number as short as it is: `0.5`, `20`.
    pub fn amount(self, number: f64) -> String {
        self.pointed(number.to_string())
    }

    /// A part of a sentence as a sentence of its own.
    pub fn sentence(self, part: &str) -> String {
        let part = part.trim().trim_end_matches(['.', '。']);
        let mut rest = part.chars();
        let first = rest.next().into_iter().flat_map(char::to_uppercase);
        let text: String = first.chain(rest).collect();
        match self {
            Self::Chinese | Self::Japanese => format!("{text}。"),
            _ => format!("{text}."),
        }
    }

    /// A name with its description behind it.
    pub fn labelled(self, name: &str, what: &str) -> String {
        let colon = match self {
            Self::French => "\u{a0}: ",
            Self::Chinese | Self::Japanese => "：",
            _ => ": ",
        };
        format!("{name}{colon}{what}")
    }

    fn pointed(self, number: String) -> String {
        match self {
            Self::English | Self::Chinese | Self::Japanese => number,
            _ => number.replace('.', ","),
        }
    }

    const fn thousands(self) -> char {
        match self {
            Self::English | Self::Chinese | Self::Japanese => ',',
            Self::German | Self::Portuguese => '.',
            Self::Spanish | Self::Russian => '\u{a0}',
            Self::French => '\u{202f}',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_language_has_them() {
        for (lang, whole, decimal) in [
            (Lang::English, "1,234,567", "0.1250"),
            (Lang::German, "1.234.567", "0,1250"),
            (Lang::Spanish, "1\u{a0}234\u{a0}567", "0,1250"),
            (Lang::French, "1\u{202f}234\u{202f}567", "0,1250"),
            (Lang::Portuguese, "1.234.567", "0,1250"),
            (Lang::Russian, "1\u{a0}234\u{a0}567", "0,1250"),
            (Lang::Chinese, "1,234,567", "0.1250"),
            (Lang::Japanese, "1,234,567", "0.1250"),
        ] {
            assert_eq!(lang.number(1_234_567_i64), whole, "{lang:?}");
            assert_eq!(lang.number(9_999_u64), "9999", "{lang:?}");
            assert_eq!(lang.decimal(0.125, 4), decimal, "{lang:?}");
        }
        assert_eq!(Lang::English.number(12_345_u32), "12,345");
        assert_eq!(Lang::English.number(-1_i64), "0");
        assert_eq!(Lang::German.amount(0.5), "0,5");
        assert_eq!(Lang::German.amount(20.0), "20");
    }

    #[test]
    fn a_label_stands_before_a_colon_as_the_language_writes_it() {
        assert_eq!(Lang::English.labelled("today", "2"), "today: 2");
        assert_eq!(Lang::French.labelled("aujourd’hui", "2"), "aujourd’hui\u{a0}: 2");
        assert_eq!(Lang::Japanese.labelled("今日", "2"), "今日：2");
    }

    #[test]
    fn a_part_becomes_a_sentence() {
        assert_eq!(Lang::English.sentence("it only reads"), "It only reads.");
        assert_eq!(Lang::Russian.sentence("это только чтение."), "Это только чтение.");
        assert_eq!(Lang::Japanese.sentence("読み取りのみです"), "読み取りのみです。");
        assert_eq!(Lang::English.sentence(""), ".");
    }
}
