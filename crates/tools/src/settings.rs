//! `[tools]` of the configuration: a section for each tool that has something to set, made of the tool's own type.

pub mod catalogue;
pub(crate) mod scope;
pub mod tool_options;

use std::collections::BTreeMap;

use clifford_vault::SecretSource;
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value, json};

use super::{Common, Tool, options::merged, registry::built_in};

/// The settings of each tool, with defaults for the rest. Printing or writing them shows no secret.
#[derive(Clone, PartialEq)]
pub struct ToolSettings {
    /// The settings of a tool's own type.
    own: BTreeMap<String, Value>,
    /// The common settings.
    common: BTreeMap<String, Common>,
}

impl ToolSettings {
    /// The defaults of these tools.
    fn defaults(tools: &[Tool]) -> Self {
        let (mut own, mut common) = (BTreeMap::new(), BTreeMap::new());
        for tool in tools {
            if has_common(tool) {
                common.insert(tool.name.to_string(), Common::of(tool));
            }
            if let Some(config) = tool.config {
                own.insert(tool.name.to_string(), (config.default)());
            }
        }
        Self { own, common }
    }

    /// Reads the sections of these tools.
    ///
    /// # Errors
    /// The tool that is none of these or whose section is wrong, and why.
    pub fn read(mut given: Map<String, Value>, tools: &[Tool]) -> Result<Self, String> {
        let mut settings = Self::defaults(tools);
        for tool in tools {
            if let Some(section) = given.remove(tool.name.as_ref()) {
                let taken = settings.take(tool, tools, section);
                taken.map_err(|why| format!("{}: {why}", tool.name))?;
            }
        }
        match given.keys().next() {
            Some(tool) => Err(format!("there is no tool `{tool}`")),
            None => Ok(settings),
        }
    }

    /// A tool's own section; `null` if it has none.
    pub fn of(&self, tool: &str) -> &Value {
        self.own.get(tool).unwrap_or(&Value::Null)
    }

    /// The common settings of a tool.
    pub fn common(&self, tool: &str) -> Common {
        self.common.get(tool).copied().unwrap_or_default()
    }

    /// The secrets that are referred to, each by its path (`tool.key`, `tool[0].table.key`) with where it is to be
    /// found. A key is one if its schema says `writeOnly`.
    pub fn secrets(&self) -> Vec<(String, SecretSource)> {
        let mut secrets = Vec::new();
        let mut sections = self.own.clone();
        for_each_secret(&mut sections, &mut |path, value| {
            if let Ok(Some(source)) = Option::<SecretSource>::deserialize(&*value) {
                secrets.push((path, source));
            }
        });
        secrets
    }

    /// Lays what is given for a tool over its defaults.
    fn take(&mut self, tool: &Tool, tools: &[Tool], section: Value) -> Result<(), String> {
        let name = tool.name.to_string();
        let own = match section {
            Value::Object(section) if has_common(tool) => {
                let (common, own): (Map<_, _>, Map<_, _>) = section.into_iter().partition(|(key, _)| Common::has(key));
                let below = serde_json::to_value(self.common(&name)).unwrap_or_default();
                let common =
                    Common::deserialize(merged(below, Value::Object(common))).map_err(|why| why.to_string())?;
                self.common.insert(name.clone(), common);
                Value::Object(own)
            }
            other => other,
        };
        match (tool.config, own.as_object().and_then(|own| own.keys().next())) {
            (Some(config), _) => {
                let own = merged((config.default)(), own);
                match (config.fault)(&own, tools) {
                    Some(why) => Err(why),
                    None => {
                        self.own.insert(name, own);
                        Ok(())
                    }
                }
            }
            (None, Some(key)) => Err(format!("it has no setting `{key}`")),
            (None, None) => Ok(()),
        }
    }

    fn shown(&self) -> BTreeMap<String, Value> {
        let mut own = self.own.clone();
        for_each_secret(&mut own, &mut |_, value| {
            if let Ok(Some(source)) = Option::<SecretSource>::deserialize(&*value) {
                *value = serde_json::to_value(source).unwrap_or_default();
            }
        });
        let mut shown: BTreeMap<_, _> = (self.common.iter())
            .map(|(tool, common)| (tool.clone(), serde_json::to_value(common).unwrap_or_default()))
            .collect();
        for (tool, section) in own {
            let below = shown.remove(&tool).unwrap_or_default();
            shown.insert(tool, merged(below, section));
        }
        shown
    }
}

/// Shows each secret that is referred to in the sections of tools, with its path.
fn for_each_secret(sections: &mut BTreeMap<String, Value>, see: &mut dyn FnMut(String, &mut Value)) {
    for tool in built_in() {
        if let (Some(config), Some(section)) = (tool.config, sections.get_mut(tool.name.as_ref())) {
            visit(&tool.name, &(config.schema)(&mut inlined()).to_value(), section, see);
        }
    }
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

/// The schemas of what can be set for a tool, by key: what every tool has, and its own.
pub fn fields(tool: &Tool) -> Map<String, Value> {
    let mut fields = if has_common(tool) {
        Common::of(tool).schemas()
    } else {
        Map::new()
    };
    fields.extend(own_schema(tool));
    fields
}

/// The schema of a tool's section.
pub fn section(tool: &Tool) -> Value {
    let mut schema = match tool.config {
        Some(config) => (config.schema)(&mut inlined()).to_value(),
        None => json!({ "type": "object", "additionalProperties": false }),
    };
    if tool.config.is_none() {
        schema["description"] = format!("The tool `{}`. Every tool's section takes these keys.", tool.name).into();
    }
    if has_common(tool) {
        schema["properties"] = Value::Object(fields(tool));
    }
    schema
}

/// Whether a section has the common settings: not the one that only says where more tools come from. The abilities of
/// somebody else's tool are unknown while it is absent.
fn has_common(tool: &Tool) -> bool {
    !tool.commands.is_empty() || tool.foreign
}

/// Whether a key holds a secret: its schema says `writeOnly`.
pub fn is_secret(schema: &Value) -> bool {
    schema["writeOnly"] == true
}

fn own_schema(tool: &Tool) -> Map<String, Value> {
    let mut schema = match tool.config {
        Some(config) => (config.schema)(&mut inlined()).to_value(),
        None => Value::Null,
    };
    match schema.get_mut("properties").map(Value::take) {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
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
        Self::defaults(&built_in())
    }
}

/// As without any platform: only rows know their tools (`ToolSettings::read`).
impl<'de> Deserialize<'de> for ToolSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Map::deserialize(deserializer)?, &built_in()).map_err(D::Error::custom)
    }
}

/// As without any platform.
impl JsonSchema for ToolSettings {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Tools".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let sections: Map<String, Value> = (built_in().iter())
            .map(|tool| (tool.name.to_string(), section(tool)))
            .collect();
        json_schema!({ "type": "object", "additionalProperties": false, "properties": sections })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_has_its_default() {
        let settings = ToolSettings::deserialize(json!({ "compute": {} })).expect("settings");
        assert_eq!(settings, ToolSettings::default());
        assert_eq!(settings.of("compute"), &json!({ "max_seconds": 2 }));
        assert_eq!(settings.of("system"), &Value::Null);
    }

    #[test]
    fn what_is_not_there_to_be_set_is_named() {
        let fault = ToolSettings::deserialize(json!({ "abacus": {} })).expect_err("no such tool");
        assert_eq!(fault.to_string(), "there is no tool `abacus`");
        let fault = ToolSettings::deserialize(json!({ "system": { "max_seconds": 2 } })).expect_err("no such key");
        assert_eq!(fault.to_string(), "system: it has no setting `max_seconds`");
    }

    #[test]
    fn what_every_tool_has_can_be_set_for_each() {
        let given = json!({ "system": { "enabled": false }, "compute": { "max_seconds": 3, "time_limit_seconds": 9 } });
        let settings = ToolSettings::deserialize(given).expect("settings");
        assert_eq!(settings.of("compute"), &json!({ "max_seconds": 3 }));
        let compute = Common {
            time_limit_seconds: Some(9),
            pinned: true,
            ..Common::default()
        };
        assert_eq!(settings.common("compute"), compute);
        assert_eq!(
            settings.common("system"),
            Common {
                enabled: false,
                ..Common::default()
            }
        );
        let written = serde_json::to_value(&settings).expect("JSON");
        assert_eq!(ToolSettings::deserialize(written).expect("settings"), settings);
    }
}
