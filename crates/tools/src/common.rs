//! The settings of every tool, besides those of its own type.

use std::time::Duration;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Tool;

/// The settings that every tool has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Common {
    /// Whether models see the tool and may call it.
    pub enabled: bool,
    /// Whether subagents see its commands.
    pub pinned: bool,
    /// Whether subagents see its name; they can ask for the rest.
    pub important: bool,
    /// The most seconds of one of its commands. Left out: as each command says.
    #[schemars(range(min = 1, max = 3600), example = 20)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit_seconds: Option<u64>,
    /// How often a failed command of it is repeated. Left out: as `engine.max_tool_retries` says.
    #[schemars(range(min = 0, max = 10), example = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// Whether people may read its errors. Left out: as each command says.
    #[schemars(example = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expose_errors: Option<bool>,
}

impl Default for Common {
    fn default() -> Self {
        Self {
            enabled: true,
            pinned: false,
            important: false,
            time_limit_seconds: None,
            max_retries: None,
            expose_errors: None,
        }
    }
}

impl Common {
    /// The defaults of a tool.
    pub fn of(tool: &Tool) -> Self {
        Self {
            pinned: tool.pinned,
            important: tool.important,
            ..Self::default()
        }
    }

    /// How long its commands may take, if that is set.
    pub fn time_limit(&self) -> Option<Duration> {
        self.time_limit_seconds.map(Duration::from_secs)
    }

    /// The same under new settings; unreadable ones are left out.
    #[must_use]
    pub fn with(self, set: &Map<String, Value>) -> Self {
        let mut fields = match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => return self,
        };
        for (key, value) in set.iter().filter(|(key, _)| Self::has(key)) {
            fields.insert(key.clone(), value.clone());
        }
        Self::deserialize(Value::Object(fields)).unwrap_or(self)
    }

    /// Whether this is the name of one of them.
    pub fn has(key: &str) -> bool {
        [
            "enabled",
            "pinned",
            "important",
            "time_limit_seconds",
            "max_retries",
            "expose_errors",
        ]
        .contains(&key)
    }

    /// The schema of each field, with the default that holds for a tool. `x-common` tells them from a tool's own.
    pub fn schemas(self) -> Map<String, Value> {
        let mut generator = SchemaSettings::draft2020_12()
            .with(|settings| settings.inline_subschemas = true)
            .into_generator();
        let mut schema = Self::json_schema(&mut generator).to_value();
        let defaults = serde_json::to_value(self).unwrap_or_default();
        let mut fields = match schema["properties"].take() {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        for (key, field) in &mut fields {
            field["x-common"] = Value::Bool(true);
            if let Some(default) = defaults.get(key) {
                field["default"] = default.clone();
            }
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_has_a_schema_and_is_known_by_its_name() {
        let schemas = Common::default().schemas();
        assert_eq!(schemas.len(), 6);
        assert!(schemas.keys().all(|key| Common::has(key)), "{schemas:?}");
        assert_eq!(schemas["enabled"]["default"], true);
    }

    #[test]
    fn what_is_set_is_laid_over_and_what_cannot_be_read_does_not_hold() {
        let set = |value: Value| Common::default().with(value.as_object().expect("an object"));
        let expected = Common {
            enabled: false,
            time_limit_seconds: Some(3),
            ..Common::default()
        };
        assert_eq!(
            set(json!({ "enabled": false, "time_limit_seconds": 3, "max_seconds": 1 })),
            expected
        );
        assert_eq!(set(json!({ "enabled": "maybe" })), Common::default());
    }
}
