//! The changes of a step in a run's labels and its plan, in words.

use std::collections::BTreeSet;

use clifford_core::run::state::RunState;
use clifford_text::Lang;

use crate::cli::output::{self, Paint, paint};

/// The lines below a step that changed the labels or the plan. `before` is nothing at a run's beginning.
pub(super) fn changed(before: Option<&RunState>, after: &RunState) -> Vec<String> {
    told(before, after)
        .into_iter()
        .map(|line| paint(Paint::Dim, &format!("                          ⇒ {line}")))
        .collect()
}

fn told(before: Option<&RunState>, after: &RunState) -> Vec<String> {
    let others = new(before, after, |state| {
        let others = state.labels.others();
        others.map(|(from, _)| output::head(from, 80)).collect()
    });
    let private = new(before, after, |state| {
        let private = state.labels.private();
        private
            .map(|(from, readers, _)| format!("{} ({})", output::head(from, 80), readers.text(Lang::English)))
            .collect()
    });
    let planned = new(before, after, |state| {
        let planned = state.evidence.planned();
        planned
            .map(|(command, most, left)| format!("{command} × {most} ({left} left)"))
            .collect()
    });
    let lines = [
        ("words of others", others),
        ("words that not everyone may read", private),
        ("announced", planned),
    ];
    lines
        .into_iter()
        .filter(|(_, parts)| !parts.is_empty())
        .map(|(what, parts)| format!("{what}: {}", parts.join(", ")))
        .collect()
}

/// The words about a state that were not said of the one before.
fn new(before: Option<&RunState>, after: &RunState, told: impl Fn(&RunState) -> BTreeSet<String>) -> Vec<String> {
    let known = before.map(&told).unwrap_or_default();
    told(after).difference(&known).cloned().collect()
}
