//! The rules that hold where nobody made others. They stand behind every rule of people.

use super::{Action, Named, Rule};

/// What a person asks to be remembered or reminded of is theirs, and can be taken back: it is done at once wherever
/// they ask, unless the run has read words from outside.
const OWN: [&str; 2] = ["memory.put", "reminders.*"];

/// Below every priority that people can give.
const LAST: i32 = -10_000;

pub(super) fn rules() -> Vec<Named> {
    vec![Named {
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
