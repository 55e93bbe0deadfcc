//! `[tools]` of the configuration: a section for each tool that has something to set, made of the tool's own type.

use std::collections::BTreeMap;

use clifford_vault::SecretSource;
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value};

use super::{ToolConfig, registry::built_in};

/// What is set for each tool; what is not set has its default. Printing or writing it out shows no secret.
#[derive(Clone, PartialEq)]
pub struct ToolSettings(BTreeMap<String, Value>);

impl ToolSettings {
    /// A tool's section; `null` if it has none.
    pub fn of(&self, tool: &str) -> &Value {
        self.0.get(tool).unwrap_or(&Value::Null)
    }

    /// Takes back what is set for a tool.
    #[cfg(test)]
    pub(crate) fn clear(&mut self, tool: &str) {
        if let Some(config) = configs().get(tool) {
            self.0.insert(tool.to_owned(), (config.default)());
        }
    }

    /// The secrets that are referred to, each by its path (`tool.key`, `tool[0].table.key`) with where it is to be
    /// found. A key is one if its schema says `writeOnly`.
    pub fn secrets(&self) -> Vec<(String, SecretSource)> {
        let mut secrets = Vec::new();
        let mut sections = self.0.clone();
        for (tool, schema, section) in with_schemas(&mut sections) {
            visit(tool, &schema, section, &mut |path, value| {
                if let Ok(Some(source)) = Option::<SecretSource>::deserialize(&*value) {
                    secrets.push((path, source));
                }
            });
        }
        secrets
    }

    fn shown(&self) -> BTreeMap<String, Value> {
        let mut shown = self.0.clone();
        for (tool, schema, section) in with_schemas(&mut shown) {
            visit(tool, &schema, section, &mut |_, value| {
                if let Ok(Some(source)) = Option::<SecretSource>::deserialize(&*value) {
                    *value = serde_json::to_value(source).unwrap_or_default();
                }
            });
        }
        shown
    }
}

/// The sections, each with its tool's name and its schema.
fn with_schemas(sections: &mut BTreeMap<String, Value>) -> impl Iterator<Item = (&str, Value, &mut Value)> {
    let configs = configs();
    sections.iter_mut().filter_map(move |(tool, section)| {
        let schema = (configs.get(tool)?.schema)(&mut inlined()).to_value();
        Some((tool.as_str(), schema, section))
    })
}

/// Shows each secret of what is turned on, with its path. In a table of names and values, such as an environment, a
/// text whose name does not speak of a secret is none: it may be any word, and would be hidden wherever that is said.
fn visit(path: &str, schema: &Value, value: &mut Value, see: &mut dyn FnMut(String, &mut Value)) {
    if schema["writeOnly"] == true {
        return see(path.to_owned(), value);
    }
    match value {
        Value::Object(entries) if entries.get("enabled") != Some(&Value::Bool(false)) => {
            for (key, value) in entries {
                let path = format!("{path}.{key}");
                if let Some(schema) = schema["properties"].get(key) {
                    visit(&path, schema, value, see);
                } else if let Some(schema) = schema.get("additionalProperties")
                    && (!value.is_string() || names_a_secret(key))
                {
                    visit(&path, schema, value, see);
                }
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter_mut().enumerate() {
                visit(&format!("{path}[{index}]"), &schema["items"], value, see);
            }
        }
        _ => {}
    }
}

/// Whether a variable or header of this name usually holds a secret.
fn names_a_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    ["auth", "cookie", "key", "pass", "secret", "token"]
        .iter()
        .any(|word| name.contains(word))
}

impl std::fmt::Debug for ToolSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ToolSettings").field(&self.shown()).finish()
    }
}

impl Serialize for ToolSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shown().serialize(serializer)
    }
}

/// A generator that writes each type where it is used.
fn inlined() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self(
            configs()
                .into_iter()
                .map(|(name, config)| (name, (config.default)()))
                .collect(),
        )
    }
}

impl<'de> Deserialize<'de> for ToolSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = BTreeMap::<String, Value>::deserialize(deserializer)?;
        let (mut settings, configs) = (Self::default(), configs());
        for (tool, section) in given {
            let config = (configs.get(&tool)).ok_or_else(|| D::Error::custom(format!("`{tool}` has no settings")))?;
            let merged = merged((config.default)(), section);
            if let Some(fault) = (config.fault)(&merged) {
                return Err(D::Error::custom(format!("{tool}: {fault}")));
            }
            settings.0.insert(tool, merged);
        }
        Ok(settings)
    }
}

impl JsonSchema for ToolSettings {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Tools".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let sections: Map<String, Value> = configs()
            .into_iter()
            .map(|(name, config)| (name, (config.schema)(generator).to_value()))
            .collect();
        json_schema!({ "type": "object", "additionalProperties": false, "properties": sections })
    }
}

/// What can be set, by tool.
fn configs() -> BTreeMap<String, ToolConfig> {
    let tools = built_in().into_iter();
    tools
        .filter_map(|tool| Some((tool.name.to_string(), tool.config?)))
        .collect()
}

/// A section laid over another, key by key.
pub(super) fn merged(below: Value, above: Value) -> Value {
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

    #[test]
    fn what_is_not_set_has_its_default() {
        let settings = ToolSettings::deserialize(json!({ "compute": {} })).expect("settings");
        assert_eq!(settings, ToolSettings::default());
        assert_eq!(settings.of("compute"), &json!({ "max_seconds": 2 }));
        assert_eq!(settings.of("system"), &Value::Null);
    }

    #[test]
    fn a_tool_that_has_nothing_to_set_is_named() {
        let fault = ToolSettings::deserialize(json!({ "abacus": {} })).expect_err("no such tool");
        assert_eq!(fault.to_string(), "`abacus` has no settings");
    }
}
