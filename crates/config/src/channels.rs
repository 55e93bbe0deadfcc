//! `[channels.…]`: the platforms, a section each, by the rows of the binary. A section that is there turns its platform
//! on.

use std::borrow::Cow;

use clifford_channel::{Platforms, Section};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::{Map, Value};

/// The platforms' sections that are there, in the order of the rows. Without a configuration file each one is on whose
/// token is in the environment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Channels(Vec<Section>);

impl Channels {
    /// Reads the sections of a table.
    ///
    /// # Errors
    /// The path of what is wrong, and what that is.
    pub(super) fn read(mut given: Map<String, Value>, platforms: Platforms) -> Result<Self, (String, String)> {
        let mut sections = Vec::new();
        for row in platforms.rows() {
            if let Some(section) = given.remove(row.about.platform.as_str()) {
                sections.push(row.read(section).map_err(|fault| (row.path(), fault))?);
            }
        }
        match given.keys().next() {
            Some(name) => Err((format!("channels.{name}"), "there is no such platform".to_owned())),
            None => Ok(Self(sections)),
        }
    }

    /// The sections.
    pub fn sections(&self) -> impl Iterator<Item = &Section> {
        self.0.iter()
    }

    /// The sections of the platforms that are on.
    pub fn enabled(&self) -> impl Iterator<Item = &Section> {
        self.sections().filter(|section| section.common().enabled)
    }

    /// The section of a platform.
    pub fn get(&self, platform: &str) -> Option<&Section> {
        self.sections().find(|section| section.platform().as_str() == platform)
    }

    /// Whether a platform is on.
    pub fn any_enabled(&self) -> bool {
        self.enabled().next().is_some()
    }
}

impl Serialize for Channels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.sections().map(|section| (section.platform(), section)))
    }
}

/// Only rows can read sections (`Channels::read`): without them there is none.
impl<'de> Deserialize<'de> for Channels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Map::deserialize(deserializer)?, Platforms::default())
            .map_err(|(path, fault)| D::Error::custom(format!("{path}: {fault}")))
    }
}

/// As without any platform; [`super::schema`] adds the sections of the rows.
impl JsonSchema for Channels {
    fn schema_name() -> Cow<'static, str> {
        "Channels".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": false, "properties": {} })
    }
}
