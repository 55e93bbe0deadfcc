//! The rest of a list: told behind it, on standard error, so that no list ends in silence at its limit.

use std::io::{self, Write};

/// How a list goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Way {
    /// By `--before`, or a greater `--limit`.
    Before,
    /// By a greater `--limit`.
    Limit,
}

/// Whether there is more than a list shows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub(in crate::cli) struct More(Option<String>);

/// One more than a list shows, to be looked for.
pub(in crate::cli) fn one_more(limit: u32) -> u32 {
    limit.saturating_add(1)
}

/// The first `limit` of what was found when [one more](one_more) than that was looked for.
pub(in crate::cli) fn page<T>(mut found: Vec<T>, limit: u32, way: Way) -> (Vec<T>, More) {
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let is_more = found.len() > most;
    found.truncate(most);
    let more = match way {
        Way::Before => format!(
            "there are more than these {limit}: --before goes on behind the last one, a greater --limit lists more at once"
        ),
        Way::Limit => format!("there are more than these {limit}: a greater --limit lists them"),
    };
    (found, More(is_more.then_some(more)))
}

impl More {
    /// Says that there is more, if there is.
    pub(in crate::cli) fn tell(self) {
        if let Some(more) = self.0 {
            // The list has been printed, whoever reads what is said about it.
            let _ = writeln!(io::stderr().lock(), "{more}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_ends_at_its_limit_says_how_to_go_on() {
        for (found, left, expected) in [
            (vec![], vec![], None),
            (vec![1, 2], vec![1, 2], None),
            (vec![1, 2, 3], vec![1, 2], Some("a greater --limit")),
        ] {
            for way in [Way::Before, Way::Limit] {
                let (shown, more) = page(found.clone(), 2, way);
                let told = more.0;
                assert_eq!((shown, told.is_some()), (left.clone(), expected.is_some()));
                assert!(expected.is_none_or(|expected| told.is_some_and(|told| told.contains(expected))));
            }
        }
        assert_eq!(one_more(50), 51);
    }
}
