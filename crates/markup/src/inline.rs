//! Names within a line of Markdown.

/// A name as it may stand within a line of Markdown.
pub fn inline(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_control())
        .flat_map(|c| {
            if "*_`[]<>|~\\".contains(c) {
                vec!['\\', c]
            } else {
                vec![c]
            }
        })
        .collect()
}
