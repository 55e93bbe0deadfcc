//! The rules that hold where nobody made others. They stand behind every rule of people.

use super::{Action, NamedRule, Rule};

/// Memories and reminders that a person asks for are theirs, and can be taken back: they are set at once wherever
/// the person asks, unless the run has read words from outside.
const OWN: [&str; 2] = ["memory.put", "reminders.*"];

/// Below every priority that people can give.
const LAST: i32 = -10_000;

pub(super) fn rules() -> Vec<NamedRule> {
    vec![NamedRule {
        key: "built-in:own".to_owned(),
        rule: Rule {
            name: "what people ask to be remembered or reminded of themselves".to_owned(),
            priority: LAST,
            action: Action::Allow,
            tools: OWN.map(str::to_owned).into(),
            ..Rule::default()
        },
    }]
}
