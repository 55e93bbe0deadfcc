//! The values that a key may hold, read from the JSON schema that is generated from the types.

use clifford_channel::Platforms;
use clifford_tools::{registry, settings};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::Config;

/// The JSON schema of `bot.toml`, for editors, with a section for each of these platforms.
pub fn schema(platforms: Platforms) -> Value {
    let inline = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut generator = inline.into_generator();
    let mut schema = generator.root_schema_for::<Config>().to_value();
    for row in platforms.rows() {
        let mut section = row.schema(&mut generator).to_value();
        // It may be left out: that turns the platform off.
        section["type"] = json!(["object", "null"]);
        schema["properties"]["channels"]["properties"][row.about.platform.as_str()] = section;
    }
    for tool in registry::all(platforms) {
        schema["properties"]["tools"]["properties"][tool.name.as_ref()] = settings::section(&tool);
    }
    schema["title"] = "Clifford's bot.toml".into();
    schema
}

/// The schema of one key.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a>(&'a Value);

impl<'a> Shape<'a> {
    /// A key's schema; an optional one counts as what it holds when it is there. The mark of a secret stands outside.
    pub fn new(schema: &'a Value) -> Self {
        let alternatives = schema["anyOf"].as_array().into_iter().flatten();
        let mut present = alternatives.filter(|alternative| alternative["type"] != "null");
        match (present.next(), present.next()) {
            (Some(only), None) if schema["writeOnly"] != true => Self(only),
            _ => Self(schema),
        }
    }

    /// The keys of a table.
    pub fn keys(self) -> impl Iterator<Item = (&'a str, Self)> {
        let keys = self.0["properties"].as_object().into_iter().flatten();
        keys.map(|(key, schema)| (key.as_str(), Self::new(schema)))
    }

    /// One key of a table. A table of names and values takes any.
    pub fn key(self, name: &str) -> Option<Self> {
        let named = self.0["properties"].get(name);
        named
            .or_else(|| self.0.get("additionalProperties").filter(|schema| schema.is_object()))
            .map(Self::new)
    }

    /// The shape of a list's elements.
    pub fn items(self) -> Option<Self> {
        self.0.get("items").map(Self::new)
    }

    /// Whether a value of this JSON type may stand here.
    pub fn takes(self, kind: &str) -> bool {
        match &self.0["type"] {
            Value::String(only) => only == kind,
            Value::Array(several) => several.iter().any(|one| one == kind),
            _ => kind == "string" && (self.is_secret() || !self.choices().is_empty()),
        }
    }

    /// The words that may stand here, if only some may.
    pub fn choices(self) -> Vec<&'a str> {
        let listed = self.0["enum"].as_array().into_iter().flatten();
        let described = self.0["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| &one["const"]);
        listed
            .chain(described)
            .chain([&self.0["const"]])
            .filter_map(Value::as_str)
            .collect()
    }

    /// The named form that a text must have.
    pub fn format(self) -> Option<&'a str> {
        self.0["format"].as_str()
    }

    /// The bounds of a number.
    pub fn range(self) -> (Option<f64>, Option<f64>) {
        (self.0["minimum"].as_f64(), self.0["maximum"].as_f64())
    }

    /// The bounds of a text's length, in characters.
    pub fn length(self) -> (usize, usize) {
        let bound = |name: &str| self.0[name].as_u64().and_then(|bound| usize::try_from(bound).ok());
        (
            bound("minLength").unwrap_or(0),
            bound("maxLength").unwrap_or(usize::MAX),
        )
    }

    /// Whether the value must never be shown.
    pub fn is_secret(self) -> bool {
        self.0["writeOnly"] == true
    }
}
