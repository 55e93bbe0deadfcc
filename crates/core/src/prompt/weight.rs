//! How much a text takes of a prompt, by the scale of `clifford_llm`: as it is, or as JSON.

use std::io;

use clifford_llm_api::tokens::{Quarters, weigh};
use serde::Serialize;

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
        let plain = weigh(text);
        match self {
            Self::Plain => plain,
            Self::Json => plain + text.bytes().map(escape).sum::<u64>(),
        }
    }
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

/// The extra bytes that JSON needs for a byte.
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
        self.0 += clifford_llm_api::tokens::weigh_bytes(bytes);
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

    proptest! {
        #[test]
        fn a_string_weighs_in_json_what_its_json_weighs(text in ".*") {
            prop_assert_eq!(Form::Json.weigh(&text) + 2, weigh_json(&text));
            prop_assert_eq!(weigh_json(&text), weigh(&serde_json::to_string(&text).unwrap()));
        }
    }
}
