//! Decides on an action that asks for subagents.

use clifford_action::{SubagentSpec, WakeOn};

use super::{Decision, invalid, note};
use crate::run::{
    endings::complete,
    rules::Rules,
    state::RunState,
    step::{EndingKind, NoteAbout, StepKind},
};

/// How many subagents one action may create for each that may run at once: the others wait for a place.
const SUBAGENTS_IN_LINE: usize = 8;

pub(super) fn spawn(
    state: &RunState,
    rules: &Rules,
    specs: &[SubagentSpec],
    wake_on: WakeOn,
    mut before: Vec<StepKind>,
) -> Decision {
    let unknown =
        (specs.iter().filter_map(|spec| spec.profile.as_ref())).find(|name| !rules.profiles.contains_key(*name));
    if let Some(name) = unknown {
        let there_are: Vec<_> = rules.profiles.keys().map(String::as_str).collect();
        let fault = match there_are.as_slice() {
            [] => format!("there is no profile {name:?}, nor any other: leave profile out."),
            names => format!(
                "there is no profile {name:?}; there are {}. Or leave it out.",
                names.join(", ")
            ),
        };
        return invalid(before, &fault);
    }
    let mut seen = state.specs.clone();
    let children: Vec<_> = specs
        .iter()
        .filter(|spec| seen.insert(spec_signature(spec)))
        .cloned()
        .collect();
    if !children.is_empty() {
        let most = rules.engine.max_parallel_subagents * SUBAGENTS_IN_LINE;
        if children.len() > most {
            return invalid(before, &format!("at most {most} subagents in one action."));
        }
        return Decision::Spawn {
            before,
            children,
            wake_on,
        };
    }
    if state.spawn_repeats > 0 {
        return complete(state, before, EndingKind::SpawnRepeated);
    }
    before.push(note(
        NoteAbout::SpawnRepeated,
        "Refused: these subagents were asked for before. Do the work yourself.",
    ));
    Decision::Record(before)
}

/// The canonical form of a subagent's spec, which detects repeats. The same task by another name is one.
pub fn spec_signature(spec: &SubagentSpec) -> String {
    let unnamed = SubagentSpec {
        id: None,
        ..spec.clone()
    };
    clifford_action::canonical(&serde_json::to_value(unnamed).unwrap_or_default())
}
