//! The gates: the refusals, in the order of judgement. Each gate is one function.

use clifford_action::{Action, Category};

use super::{
    rules::Rules,
    state::RunState,
    step::{NoteAbout, ToolCall},
};

/// The refusal of an action by a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Tell the model, and go on.
    Note(NoteAbout, String),
    /// The iterations are spent: the run completes with what it has.
    Spent,
    /// The run fails.
    Fail(Fatal),
}

/// The refusal that a run fails by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fatal {
    /// A tool failed for good, and the model would not finish.
    Limitation {
        /// `tool.command`.
        tool: String,
        /// The tool's error, if the user may read it.
        error: Option<String>,
    },
    /// The same call a third time.
    ToolRepeated {
        /// `tool.command`.
        tool: String,
    },
}

/// Judges one action.
type Gate = fn(&RunState, &Rules, &Action) -> Option<Refusal>;

/// Every gate, in order.
const GATES: [Gate; 6] = [
    iteration_limit,
    limitation,
    planning_gate,
    repeated_call,
    depth,
    tools_allowed,
];

/// The first gate that refuses an action, if one does.
pub fn refusal(state: &RunState, rules: &Rules, action: &Action) -> Option<Refusal> {
    GATES.iter().find_map(|gate| gate(state, rules, action))
}

/// In the last iteration only what can end the run, or give it more, is accepted.
fn iteration_limit(state: &RunState, _: &Rules, action: &Action) -> Option<Refusal> {
    let accepted = matches!(
        action,
        Action::Finish { .. } | Action::SendMessage { .. } | Action::SetRunLimits { .. }
    );
    (state.iterations >= state.max_iterations && !accepted).then_some(Refusal::Spent)
}

/// After a tool failed permanently, only an ending is accepted.
fn limitation(state: &RunState, _: &Rules, action: &Action) -> Option<Refusal> {
    let limitation = state.limitation.as_ref()?;
    if matches!(
        action,
        Action::Finish { .. } | Action::SendMessage { .. } | Action::Recover { .. }
    ) {
        return None;
    }
    Some(if limitation.refusals > 0 {
        Refusal::Fail(Fatal::Limitation {
            tool: limitation.tool.clone(),
            error: limitation.error.clone(),
        })
    } else {
        let text = format!(
            "The tool {} failed for good. Only finish, send_message and recover are accepted now: tell the user honestly what you could not do.",
            limitation.tool
        );
        Refusal::Note(NoteAbout::Limitation, text)
    })
}

/// Tools, output and finish need a requirements and a plan note.
fn planning_gate(state: &RunState, rules: &Rules, action: &Action) -> Option<Refusal> {
    let gated = matches!(
        action,
        Action::ToolCall { .. } | Action::SetOutput { .. } | Action::Finish { .. }
    );
    let missing: Vec<_> = [(Category::Requirements, "requirements"), (Category::Plan, "plan")]
        .into_iter()
        .filter(|(category, _)| !state.notes.contains(category))
        .map(|(_, name)| name)
        .collect();
    (rules.engine.planning_gate.is_required() && gated && !missing.is_empty()).then(|| {
        let text = format!(
            "Refused: note {} first. Repeat the action with \"notes\": [{{\"category\": \"requirements\", \"content\": \"…\"}}, {{\"category\": \"plan\", \"content\": \"…\"}}] in it.",
            missing.join(" and ")
        );
        Refusal::Note(NoteAbout::PlanningGate, text)
    })
}

/// The same call a third time ends the run.
fn repeated_call(state: &RunState, rules: &Rules, action: &Action) -> Option<Refusal> {
    let call = tool_call(state, rules, action)?;
    (state.times_called(&call) >= 2).then_some(Refusal::Fail(Fatal::ToolRepeated { tool: call.name }))
}

/// The deepest level spawns nothing.
fn depth(state: &RunState, _: &Rules, action: &Action) -> Option<Refusal> {
    let spawns = matches!(action, Action::SpawnSubagent { .. } | Action::SpawnSubagents { .. });
    (spawns && state.level >= 2).then(|| {
        Refusal::Note(
            NoteAbout::Depth,
            "Refused: at this level no subagents can be spawned. Do the work yourself.".to_owned(),
        )
    })
}

/// A run with a list of tools calls nothing else.
fn tools_allowed(state: &RunState, rules: &Rules, action: &Action) -> Option<Refusal> {
    let call = tool_call(state, rules, action)?;
    let allowed = state.allowed_tools.as_ref()?;
    (!is_allowed(state, &call)).then(|| {
        let text = format!(
            "Refused: {} may not be called here. Allowed: {}.",
            call.name,
            allowed.join(", ")
        );
        Refusal::Note(NoteAbout::ToolsAllowed, text)
    })
}

/// Whether a run may call it at all.
pub fn is_allowed(state: &RunState, call: &ToolCall) -> bool {
    let allowed = state.allowed_tools.as_ref();
    allowed.is_none_or(|allowed| allowed.iter().any(|pattern| covers(pattern, &call.name)))
}

/// Whether an entry of a tool list (`tool` or `tool.command`) covers a command or a narrower entry.
pub fn covers(entry: &str, name: &str) -> bool {
    entry == name || name.strip_prefix(entry).is_some_and(|rest| rest.starts_with('.'))
}

/// The call that an action asks for. A tool with exactly one command may be called by its own name.
pub fn tool_call(state: &RunState, rules: &Rules, action: &Action) -> Option<ToolCall> {
    let Action::ToolCall { name, args, .. } = action else {
        return None;
    };
    Some(with_full_name(
        rules,
        ToolCall {
            name: name.clone(),
            args: args.clone(),
            idempotency_key: format!("{}:{}", state.id, state.iterations),
        },
    ))
}

/// A call under the full name of its command.
pub fn with_full_name(rules: &Rules, call: ToolCall) -> ToolCall {
    match rules.single_commands.get(&call.name) {
        Some(name) => ToolCall {
            name: name.clone(),
            ..call
        },
        None => call,
    }
}
