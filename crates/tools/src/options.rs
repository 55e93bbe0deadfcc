//! The settings of tools at a run's place: over `bot.toml` lie those of the bot, the space, the channel, the agent and
//! the person, the nearest on top.

use std::{collections::BTreeMap, sync::Arc};

use clifford_store::places::settings::Setting;
use serde_json::{Map, Value};

use super::{Common, Services};

/// How the names of tools' settings begin, where all settings are kept.
const PREFIX: &str = "tool.";

/// The settings of tools at a run's place.
#[derive(Clone, Debug, Default)]
pub struct Options {
    services: Arc<Services>,
    set: BTreeMap<String, Map<String, Value>>,
}

impl Options {
    /// The options of a place, from its settings, farthest first. Other settings among them are ignored.
    pub fn new(services: Arc<Services>, rows: &[Setting]) -> Self {
        let mut set: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
        for row in rows {
            if let (Some((tool, field)), Ok(value)) = (tool_and_field(&row.name), serde_json::from_str(&row.value)) {
                set.entry(tool.to_owned()).or_default().insert(field.to_owned(), value);
            }
        }
        Self { services, set }
    }

    /// The services that tools use.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// The common settings of a tool.
    pub fn common(&self, tool: &str) -> Common {
        let below = self.services.config.common(tool);
        self.set.get(tool).map_or(below, |set| below.with(set))
    }

    /// A tool's own section; `null` if it has none.
    pub fn section(&self, tool: &str) -> Value {
        let below = self.services.config.of(tool).clone();
        match self.set.get(tool) {
            Some(set) => {
                let own = set.iter().filter(|(field, _)| !Common::has(field));
                let own: Map<_, _> = own.map(|(field, value)| (field.clone(), value.clone())).collect();
                if own.is_empty() {
                    below
                } else {
                    merged(below, Value::Object(own))
                }
            }
            None => below,
        }
    }
}

/// The name under which a tool's field is kept.
pub(crate) fn setting_name(tool: &str, field: &str) -> String {
    format!("{PREFIX}{tool}.{field}")
}

/// The tool and the field of such a name. A tool's name has no dot.
pub(crate) fn tool_and_field(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(PREFIX)?.split_once('.')
}

/// A section laid over another, key by key.
pub(crate) fn merged(below: Value, above: Value) -> Value {
    match (below, above) {
        (Value::Object(mut below), Value::Object(above)) => {
            for (key, value) in above {
                let under = below.remove(&key).unwrap_or_default();
                below.insert(key, merged(under, value));
            }
            Value::Object(below)
        }
        (_, above) => above,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(name: &str, value: &str) -> Setting {
        Setting {
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }

    #[test]
    fn the_nearest_setting_holds_and_others_are_left_alone() {
        let rows = [
            row("memory", "true"),
            row("tool.compute.max_seconds", "5"),
            row("tool.compute.enabled", "false"),
            row("tool.compute.max_seconds", "7"),
            row("tool.compute.pinned", "not JSON"),
        ];
        let options = Options::new(Arc::default(), &rows);
        assert_eq!(options.section("compute"), json!({ "max_seconds": 7 }));
        let compute = options.common("compute");
        assert_eq!((compute.enabled, compute.pinned), (false, true));
        assert_eq!(options.common("memory"), Options::default().common("memory"));
        assert_eq!(options.section("system"), Value::Null);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        let name = setting_name("web", "max_bytes");
        assert_eq!(tool_and_field(&name), Some(("web", "max_bytes")));
        assert_eq!(tool_and_field("memory"), None);
    }
}
