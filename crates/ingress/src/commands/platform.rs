//! The names of platforms in messages to people.

/// A platform as people call it.
pub(super) fn called(name: &str) -> String {
    match name {
        "terminal" | "web" => format!("the {name}"),
        other => {
            let mut letters = other.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect()
        }
    }
}
