//! How many tokens a text has at most, about. Four letters of the Latin alphabet share a token; a letter of another
//! script has half of one or one of its own, as most tokenisers have it.
//!
//! Weights are counted in quarters of a token, so that the weights of parts add up to the weight of the whole.

use std::io;

use serde::Serialize;

/// Quarters of a token.
pub type Quarters = u64;

/// How a text will stand in the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    Plain,
    /// As a string in JSON, where quotes, line breaks and the like take more.
    Json,
}

impl Form {
    /// The weight of a text in this form, without the quotes around it.
    pub fn weigh(self, text: &str) -> Quarters {
        let plain = text.bytes().map(of_byte).sum::<u64>();
        match self {
            Self::Plain => plain,
            Self::Json => plain + text.bytes().map(escape).sum::<u64>(),
        }
    }
}

/// The weight of a text as it is.
pub fn weigh(text: &str) -> Quarters {
    Form::Plain.weigh(text)
}

/// The weight of a value as JSON.
pub fn weigh_json(value: &impl Serialize) -> Quarters {
    let mut scale = Scale(0);
    // Weighing cannot fail, and everything that is weighed is JSON.
    match serde_json::to_writer(&mut scale, value) {
        Ok(()) => scale.0,
        Err(_) => u64::MAX / 8,
    }
}

/// Whole tokens.
pub const fn tokens(quarters: Quarters) -> u64 {
    quarters.div_ceil(4)
}

/// The weight of a byte of UTF-8: its character's stands with the first of them.
const fn of_byte(byte: u8) -> Quarters {
    match byte {
        0x00..=0x7F => 1,
        0x80..=0xBF => 0,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 4,
        0xF0..=0xFF => 8,
    }
}

/// What JSON needs for a byte beyond itself.
const fn escape(byte: u8) -> Quarters {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0C => 1,
        0x00..=0x1F => 5,
        _ => 0,
    }
}

struct Scale(Quarters);

impl io::Write for Scale {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.iter().map(|byte| of_byte(*byte)).sum::<u64>();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_of_other_scripts_weigh_more() {
        let tokens = |text: &str| super::tokens(weigh(text));
        assert_eq!(
            ["", "a", "abcd", "abcde", "äöüß", "Привет", "你好", "🙂"].map(tokens),
            [0, 1, 1, 2, 2, 3, 2, 2]
        );
    }

    proptest! {
        #[test]
        fn a_string_weighs_in_json_what_its_json_weighs(text in ".*") {
            prop_assert_eq!(Form::Json.weigh(&text) + 2, weigh_json(&text));
            prop_assert_eq!(weigh_json(&text), weigh(&serde_json::to_string(&text).unwrap()));
        }
    }
}
