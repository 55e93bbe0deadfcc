//! Names within a line of Markdown.

use crate::hidden::is_turning;

/// A name as it may stand within a line of Markdown: it turns nothing around that stands next to it.
pub fn inline(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_control() && !is_turning(*c))
        .flat_map(|c| {
            if "*_`[]<>|~\\".contains(c) {
                vec!['\\', c]
            } else {
                vec![c]
            }
        })
        .collect()
}
