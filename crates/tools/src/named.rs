//! Names of tools in rules. One that nothing has makes a rule that never holds, which nobody notices.

use clifford_core::{policy::Rule, search::near};

use crate::{Registry, ServerState};

/// The commands that a rule names, where they are not all there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// It is a slip, or nothing that a tool of this bot has.
    #[error("{0}")]
    Unknown(String),
    /// It may be of an MCP server that is not set up yet.
    #[error("there is no tool `{0}` now: the rule holds once an MCP server brings it")]
    Later(String),
}

/// The worst fault of the names in a rule.
pub fn fault(registry: &Registry, rule: &Rule) -> Option<NameFault> {
    let faults: Vec<_> = rule
        .tools
        .iter()
        .filter_map(|pattern| of(registry, pattern.trim()))
        .collect();
    let is_unknown = |fault: &&NameFault| matches!(fault, NameFault::Unknown(_));
    faults.iter().find(is_unknown).or(faults.first()).cloned()
}

fn of(registry: &Registry, pattern: &str) -> Option<NameFault> {
    let tools = registry.all();
    let names: Vec<_> = (tools.iter())
        .flat_map(|tool| {
            let commands = tool.commands.iter();
            commands.map(move |command| format!("{}.{}", tool.name, command.name))
        })
        .collect();
    let rule = Rule {
        tools: vec![pattern.to_owned()],
        ..Rule::default()
    };
    if names.iter().any(|name| rule.is_about(name)) || tools.iter().any(|tool| tool.name == pattern) {
        return None;
    }
    let (head, command) = pattern.split_once('.').unwrap_or((pattern, ""));
    match registry.server(head).map(|server| server.state) {
        Some(ServerState::AtWork) => return Some(NameFault::Later(pattern.to_owned())),
        // Which tools it has is known where it is at work.
        Some(_) => return None,
        None => {}
    }
    let tool = tools.iter().find(|tool| tool.name == head);
    let (known, there): (Vec<String>, String) = match tool {
        Some(tool) => {
            let own: Vec<_> = tool
                .commands
                .iter()
                .map(|command| format!("{head}.{}", command.name))
                .collect();
            let there = format!("`{head}` has no `{command}`; there are {}", own.join(", "));
            (own, there)
        }
        None => {
            let heads = tools.iter().map(|tool| match command {
                "" => tool.name.to_string(),
                command => format!("{}.{command}", tool.name),
            });
            (names.iter().cloned().chain(heads).collect(), String::new())
        }
    };
    let distance = |name: &&String| near::slips(name, pattern);
    let near = known.iter().min_by_key(distance).filter(|name| distance(name) <= 2);
    match near {
        Some(near) => Some(NameFault::Unknown(format!(
            "there is no tool `{pattern}`; did you mean `{near}`?"
        ))),
        None if tool.is_some() && !command.contains('*') => Some(NameFault::Unknown(there)),
        None => Some(NameFault::Later(pattern.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;

    #[test]
    fn a_name_that_nothing_has_is_told_with_the_nearest() {
        let registry = Registry::built_in(1);
        registry.announce(Tool::new("bank", "🔌", "mcp").foreign());
        let unknown = |text: &str| Some(NameFault::Unknown(text.to_owned()));
        let later = |name: &str| Some(NameFault::Later(name.to_owned()));
        for (patterns, expected) in [
            (&[][..], None),
            (&["web", "web.fetch", "web.*", "*.put", "*", "bank"][..], None),
            (&["bank.send", "bank.*"][..], None),
            (&["shop.buy"][..], later("shop.buy")),
            (&["*.purchase"][..], later("*.purchase")),
            (
                &["shop.buy", "memroy.put"][..],
                unknown("there is no tool `memroy.put`; did you mean `memory.put`?"),
            ),
            (
                &["memroy"][..],
                unknown("there is no tool `memroy`; did you mean `memory`?"),
            ),
            (
                &["memroy.*"][..],
                unknown("there is no tool `memroy.*`; did you mean `memory.*`?"),
            ),
            (
                &["compute.evl"][..],
                unknown("there is no tool `compute.evl`; did you mean `compute.eval`?"),
            ),
            (
                &["compute.explode"][..],
                unknown("`compute` has no `explode`; there are compute.eval, compute.stats, compute.date"),
            ),
        ] {
            let rule = Rule {
                tools: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(),
                ..Rule::default()
            };
            assert_eq!(fault(&registry, &rule), expected, "{patterns:?}");
        }
    }
}
