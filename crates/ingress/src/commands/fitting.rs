//! Narrows what there is to choose of by what is typed.

use clifford_chat::completion::{Choice, Completion};

/// The choices whose labels contain the typed text, prefixes first.
pub(super) fn fitting(all: Vec<Choice>, typed: &str) -> Vec<Choice> {
    narrowed(
        all.into_iter().map(|choice| (choice.label.clone(), choice)).collect(),
        typed,
    )
}

/// The same by other words than the labels.
pub(super) fn narrowed(all: Vec<(String, Choice)>, typed: &str) -> Vec<Choice> {
    let typed = typed.trim().to_lowercase();
    let (begin, rest): (Vec<_>, Vec<_>) = all
        .into_iter()
        .map(|(words, choice)| (words.to_lowercase(), choice))
        .filter(|(label, _)| label.contains(&typed))
        .partition(|(label, _)| label.starts_with(&typed));
    begin
        .into_iter()
        .chain(rest)
        .map(|(_, choice)| choice)
        .take(Completion::MOST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_as_typed_comes_first_and_what_lacks_it_not_at_all() {
        let all = ["Trip to Rome", "Rome", "Paris", "rome again"].map(|label| Choice {
            label: label.to_owned(),
            value: label.to_owned(),
        });
        let labels = |typed: &str| -> Vec<String> {
            let shown = fitting(all.to_vec(), typed);
            shown.into_iter().map(|choice| choice.label).collect()
        };
        assert_eq!(labels(" ROME"), ["Rome", "rome again", "Trip to Rome"]);
        assert_eq!(labels(""), ["Trip to Rome", "Rome", "Paris", "rome again"]);
        assert_eq!(labels("London"), Vec::<String>::new());
    }
}
