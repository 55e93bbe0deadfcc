//! The limits of an item: its module, its key, its level, and how long its value may be there.

use unicode_segmentation::UnicodeSegmentation;

/// How much a level holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The most active items of one person.
    pub items: usize,
    /// The most characters of a value.
    pub characters: usize,
}

const fn level(items: usize, characters: usize) -> Level {
    Level { items, characters }
}

/// The levels: from the few durable facts to what is detailed and recent.
pub const LEVELS: [Level; 6] = [
    level(4, 50),
    level(8, 120),
    level(10, 180),
    level(12, 200),
    level(12, 240),
    level(6, 300),
];

/// The most active items of each level, from level 0 on.
pub fn caps() -> [i64; 6] {
    LEVELS.map(|level| i64::try_from(level.items).unwrap_or(i64::MAX))
}

/// The modules that items belong to.
pub const MODULES: [&str; 7] = [
    "identity",
    "preferences",
    "constraints",
    "projects",
    "relationships",
    "environment",
    "recent_context",
];

/// The most characters of a key.
pub const LONGEST_KEY: usize = 64;

/// The limits of a level. `None`: there is no such level.
pub fn of(level: i64) -> Option<Level> {
    LEVELS.get(usize::try_from(level).ok()?).copied()
}

/// A value as a level keeps it: white space folded, cut to its characters, never within what is read as one.
pub fn fit(level: i64, value: &str) -> String {
    let folded = value.split_whitespace().collect::<Vec<_>>().join(" ");
    let most = of(level).or(LEVELS.last().copied()).map_or(0, |level| level.characters);
    cut(&folded, most).trim_end().to_owned()
}

/// The beginning of a text with at most so many characters, cut between graphemes.
pub fn cut(text: &str, most: usize) -> &str {
    if text.chars().count() <= most {
        return text;
    }
    let (mut end, mut count) = (0, 0);
    for grapheme in text.graphemes(true) {
        count += grapheme.chars().count();
        if count > most {
            break;
        }
        end += grapheme.len();
    }
    if end == 0 {
        // One grapheme that is longer than all that is allowed.
        end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    }
    text.get(..end).unwrap_or_default()
}

/// Whether this is a key: short snake_case, such as `cat_name`.
///
/// # Errors
/// Describes the fault of a key.
pub(crate) fn check_key(key: &str) -> Result<(), String> {
    let snake = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let words = key.chars().any(|c| c.is_ascii_alphanumeric());
    if words && key.len() <= LONGEST_KEY && key.chars().all(snake) {
        Ok(())
    } else {
        Err(format!(
            "key: `{}` is not short snake_case, such as cat_name",
            cut(key, LONGEST_KEY)
        ))
    }
}

/// Whether this is a module.
///
/// # Errors
/// Those that there are.
pub(crate) fn check_module(module: &str) -> Result<(), String> {
    if MODULES.contains(&module) {
        Ok(())
    } else {
        Err(format!(
            "module: `{}` is none of {}",
            cut(module, LONGEST_KEY),
            MODULES.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_folded_and_cut_to_its_level_between_graphemes() {
        for (level, value, expected) in [
            (0, "  tea \n and\tcake ", "tea and cake".to_owned()),
            (0, &"x".repeat(60), "x".repeat(50)),
            (1, &"x".repeat(121), "x".repeat(120)),
            (5, &"ü".repeat(301), "ü".repeat(300)),
            // A family is one grapheme of five characters: it does not fit behind 48.
            (0, &format!("{}👨‍👩‍👦", "x".repeat(48)), "x".repeat(48)),
            (0, &format!("{} y", "x".repeat(49)), "x".repeat(49)),
            (
                0,
                &format!("a{}", "\u{301}".repeat(80)),
                format!("a{}", "\u{301}".repeat(49)),
            ),
            (9, &"x".repeat(400), "x".repeat(300)),
            (0, "   ", String::new()),
        ] {
            assert_eq!(fit(level, value), expected, "{level} {value:?}");
        }
    }

    #[test]
    fn keys_are_short_snake_case() {
        for key in ["name", "cat_name", "room_7", "_x"] {
            assert_eq!(check_key(key), Ok(()), "{key}");
        }
        for key in ["", "_", "Cat", "cat name", "cat-name", "größe", &"k".repeat(65)] {
            assert!(check_key(key).is_err(), "{key}");
        }
    }

    #[test]
    fn what_is_no_module_is_told_with_those_there_are() {
        assert_eq!(check_module("projects"), Ok(()));
        assert_eq!(
            check_module("hobbies"),
            Err(
                "module: `hobbies` is none of identity, preferences, constraints, projects, relationships, environment, \
                 recent_context"
                    .to_owned()
            )
        );
    }
}
