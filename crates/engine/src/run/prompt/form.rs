//! The schema of a reply: the actions, and the tools that the run may call. Made once for each set of tools.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use clifford_llm_api::model::Schema;
use clifford_tools::Visible;

/// The most sets of tools whose form is kept.
const KEPT: usize = 64;

/// The forms that were made, by the tools' names.
static MADE: LazyLock<Mutex<HashMap<Vec<String>, Schema>>> = LazyLock::new(Mutex::default);

/// The form for a run that may call these.
pub(super) fn of(visible: &[Visible]) -> Schema {
    let mut names: Vec<_> = visible.iter().flat_map(Visible::names).collect();
    names.sort_unstable();
    // Nothing in there can be half done.
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(schema) = made.get(&names) {
        return schema.clone();
    }
    let schema = Schema::new("action", &clifford_action::schema_for(&names));
    if made.len() >= KEPT {
        made.clear();
    }
    made.insert(names, schema.clone());
    schema
}
