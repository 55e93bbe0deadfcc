//! The chat platforms, by name.

use std::{
    collections::BTreeSet,
    fmt,
    str::FromStr,
    sync::{Mutex, PoisonError},
};

use serde::{Serialize, Serializer};

/// The most characters of a platform's name.
const LONGEST: usize = 32;
/// The names that were read and not written in the code.
static READ: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

/// A chat platform: its name, as it stands in the database, in `bot.toml`, in JSON and in metrics. The platforms that a
/// binary can be on are its list of adapters; the database may know more, of a binary that had others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Platform(&'static str);

impl Platform {
    /// The terminal that `clifford chat` runs in.
    pub const TERMINAL: Self = Self::new("terminal");
    /// The HTTP API and the dashboard's chat.
    pub const WEB: Self = Self::new("web");

    /// The platform of this name: a lower-case letter, then lower-case letters, digits, `_` and `-`.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The platform's name.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether it is the terminal or the API, and no platform that one connects to. Its people were let in by sitting
    /// at this machine or holding a token, and what they write stands in nobody else's chat.
    pub fn is_own(self) -> bool {
        [Self::TERMINAL, Self::WEB].contains(&self)
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for Platform {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

/// For names out of the database and the command line, which are few: each stays in memory.
impl FromStr for Platform {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
        let is_name = text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(is_inner);
        if !is_name || text.len() > LONGEST {
            return Err(format!("`{text}` is no platform's name"));
        }
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let name = read.get(text).copied().unwrap_or_else(|| {
            let name: &'static str = Box::leak(text.into());
            read.insert(name);
            name
        });
        Ok(Self(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_read_is_the_one_that_is_written_in_the_code() {
        assert_eq!("web".parse(), Ok(Platform::WEB));
        let (first, again): (Platform, Platform) = ("some-chat_2".parse().unwrap(), "some-chat_2".parse().unwrap());
        assert_eq!(first, Platform::new("some-chat_2"));
        assert!(std::ptr::eq(first.as_str(), again.as_str()), "it is kept once");
    }

    #[test]
    fn what_cannot_be_a_name_is_none() {
        for text in ["", "Telegram", "2chat", "a b", "files/a", "é", &"x".repeat(33)] {
            assert!(text.parse::<Platform>().is_err(), "{text}");
        }
    }
}
