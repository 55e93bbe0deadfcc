//! Validates an item that a person enters: a fault is reported, and nothing is cut.

use super::{
    levels::{self, LONGEST_KEY, Level, MODULES},
    secrets,
};
use crate::fault::Fault;

/// An item's content, as somebody gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// One of [`MODULES`].
    pub module: String,
    /// Short snake_case.
    pub key: String,
    /// The remembered value.
    pub value: String,
    /// 0 to 5.
    pub level: i64,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
}

impl Content {
    /// The same with its white space folded, if it may be stored. Input of people is refused instead of being cut.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn checked(self) -> Result<Self, Fault> {
        if !MODULES.contains(&self.module.as_str()) {
            let known = MODULES.join(", ");
            return Err(Fault::new("module", format!("`{}` is none of {known}", self.module)));
        }
        if levels::check_key(&self.key).is_err() {
            let why = format!(
                "`{}` is no key: write at most {LONGEST_KEY} of a-z, 0-9 and _, such as cat_name",
                self.key
            );
            return Err(Fault::new("key", why));
        }
        let level = level_of(self.level)?;
        let value = self.value.split_whitespace().collect::<Vec<_>>().join(" ");
        if value.is_empty() {
            return Err(Fault::new("value", "it is empty"));
        }
        if let Some(why) = secrets::why_secret(&self.key, &value) {
            return Err(Fault::new("value", format!("{why}, and secrets are not kept")));
        }
        if value.contains('\0') {
            return Err(Fault::new("value", "it holds a NUL character"));
        }
        let length = value.chars().count();
        if length > level.characters {
            let why = format!(
                "it has {length} characters, and level {} takes at most {}: shorten it, or choose a level that takes more",
                self.level, level.characters
            );
            return Err(Fault::new("value", why));
        }
        if !(0.0..=1.0).contains(&self.confidence) {
            return Err(Fault::new("confidence", "it must be from 0 to 1"));
        }
        Ok(Self { value, ..self })
    }
}

/// The limits of a level.
///
/// # Errors
/// There is no such level.
pub fn level_of(number: i64) -> Result<Level, Fault> {
    levels::of(number).ok_or_else(|| Fault::new("level", "it must be from 0 (durable) to 5 (detailed and recent)"))
}

/// A level that can take no more: all that it holds is pinned.
pub fn full(number: i64, level: Level) -> Fault {
    let why = format!(
        "level {number} holds at most {} items, and that many are pinned: unpin or delete one, or choose another level",
        level.items
    );
    Fault::new("level", why)
}

#[cfg(test)]
mod tests {
    use super::{super::levels::LEVELS, *};

    fn content() -> Content {
        Content {
            module: "identity".into(),
            key: "cat_name".into(),
            value: "Miez".into(),
            level: 0,
            confidence: 1.0,
        }
    }

    #[test]
    fn what_is_wrong_with_an_item_is_named_by_its_field() {
        let cases = [
            (
                Content {
                    module: "pets".into(),
                    ..content()
                },
                "module",
            ),
            (
                Content {
                    key: String::new(),
                    ..content()
                },
                "key",
            ),
            (
                Content {
                    key: "Cat name".into(),
                    ..content()
                },
                "key",
            ),
            (
                Content {
                    key: "k".repeat(65),
                    ..content()
                },
                "key",
            ),
            (Content { level: 6, ..content() }, "level"),
            (Content { level: -1, ..content() }, "level"),
            (
                Content {
                    value: " \n".into(),
                    ..content()
                },
                "value",
            ),
            (
                Content {
                    value: "a\0b".into(),
                    ..content()
                },
                "value",
            ),
            (
                Content {
                    value: "é".repeat(51),
                    ..content()
                },
                "value",
            ),
            (
                Content {
                    confidence: 1.1,
                    ..content()
                },
                "confidence",
            ),
            (
                Content {
                    confidence: f64::NAN,
                    ..content()
                },
                "confidence",
            ),
        ];
        for (content, field) in cases {
            let got = content.clone().checked().map_err(|fault| fault.field);
            assert_eq!(got, Err(field), "{content:?}");
        }
    }

    #[test]
    fn each_level_takes_as_many_characters_as_it_says_and_white_space_is_folded() {
        for (number, level) in (0_i64..).zip(LEVELS) {
            let value = "é".repeat(level.characters);
            let given = Content {
                value: format!(" {value}\n"),
                level: number,
                ..content()
            };
            assert_eq!(given.clone().checked(), Ok(Content { value, ..given }));
        }
        let given = Content {
            value: "a \n\t b".into(),
            ..content()
        };
        assert_eq!(
            given.clone().checked(),
            Ok(Content {
                value: "a b".into(),
                ..given
            })
        );
    }
}
