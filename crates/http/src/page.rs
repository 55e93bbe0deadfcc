//! Lists in pages, by cursor.

use serde::Serialize;

use super::problem::{Code, Problem};

const DEFAULT: u32 = 50;
const MOST: u32 = 200;

/// A page of a list, newest first.
#[derive(Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub(super) struct Page<T> {
    /// The items of this page.
    items: Vec<T>,
    /// The value of `before` for the next page; `null`: this is the last one.
    next: Option<String>,
}

impl<T> Page<T> {
    /// A page of at most `limit`, out of what was found when one more than that was asked for.
    pub(super) fn of(mut items: Vec<T>, limit: u32, id: impl Fn(&T) -> String) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(id);
        Self { items, next }
    }

    /// A page whose cursor is not an item's id.
    pub(super) fn with_next(items: Vec<T>, next: Option<String>) -> Self {
        Self { items, next }
    }

    /// All there is.
    pub(super) fn whole(items: Vec<T>) -> Self {
        Self { items, next: None }
    }
}

/// How many are on a page.
pub(super) fn limit(asked: Option<u32>) -> Result<u32, Problem> {
    match asked.unwrap_or(DEFAULT) {
        limit @ 1..=MOST => Ok(limit),
        _ => Err(Problem::new(Code::InvalidQuery, format!("it must be from 1 to {MOST}")).of_field("limit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_the_next_one_only_if_there_is_more() {
        let page = |found: Vec<u32>| Page::of(found, 2, u32::to_string);
        let expected = |items: Vec<u32>, next: Option<&str>| Page {
            items,
            next: next.map(str::to_owned),
        };
        assert_eq!(page(vec![3, 2, 1]), expected(vec![3, 2], Some("2")));
        assert_eq!(page(vec![3, 2]), expected(vec![3, 2], None));
        assert_eq!(page(vec![]), expected(vec![], None));
    }
}
