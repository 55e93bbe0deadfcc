//! How full each level of a person's memory is. A full level archives what has not come up for longest.

use clifford_core::memory::levels::LEVELS;
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    address::with_query,
    backend::{Asker, Page},
    failure::Failure,
    view::chart::share,
};

/// The levels in words, from level 0 on.
const NAMES: [&str; LEVELS.len()] = [
    "Who they are",
    "What lasts: home, family, work",
    "Habits, tastes and rules",
    "Projects, plans and people",
    "Details of those",
    "What goes on these days",
];

#[derive(Deserialize)]
struct Held {
    level: i64,
}

/// The choices of a filter by level.
pub(super) fn choices() -> Vec<(String, String)> {
    let all = NAMES.iter().enumerate();
    let named = all.map(|(level, name)| (level.to_string(), (*name).to_owned()));
    [(String::new(), "Every level".to_owned())]
        .into_iter()
        .chain(named)
        .collect()
}

/// How many items each level of a person holds.
pub(super) async fn of(asker: &Asker, person: &str) -> Result<[usize; LEVELS.len()], Failure> {
    let wanted = [("userId", person), ("archived", "false"), ("limit", "200")];
    let page: Page<Held> = asker.get(&with_query("/api/memories", &wanted)).await?;
    let mut counts = [0; LEVELS.len()];
    for item in page.items {
        if let Some(count) = usize::try_from(item.level).ok().and_then(|level| counts.get_mut(level)) {
            *count += 1;
        }
    }
    Ok(counts)
}

/// They as a part of the page.
pub(super) fn draw(counts: [usize; LEVELS.len()]) -> Markup {
    let float = |items: usize| f64::from(u32::try_from(items).unwrap_or(u32::MAX));
    html! {
        details.card id="levels" {
            summary { "How full the memory is" }
            table.table.cards {
                caption.hidden { "Levels of memory" }
                thead {
                    tr {
                        th scope="col" { "Level" } th scope="col" { "Items" } th.number scope="col" { "Longest text" }
                    }
                }
                tbody {
                    @for ((name, level), count) in NAMES.iter().zip(LEVELS).zip(counts) {
                        tr {
                            td.lead { (name) }
                            td data-label="Items" {
                                div { (count) " of " (level.items) (share(float(count), float(level.items))) }
                            }
                            td.number data-label="Longest text" { (level.characters) " characters" }
                        }
                    }
                }
            }
            p.small.quiet { "A full level archives the item that has not come up for longest. Pinned items stay." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_is_shown_with_what_it_holds_and_may_hold() {
        let drawn = draw([4, 0, 1, 2, 3, 6]).into_string();
        for part in [
            "4 of 4",
            "0 of 8",
            "1 of 10",
            "6 of 6",
            "300 characters",
            "Who they are",
        ] {
            assert!(drawn.contains(part), "{part}: {drawn}");
        }
        assert_eq!(choices().len(), LEVELS.len() + 1);
    }
}
