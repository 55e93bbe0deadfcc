//! The platforms of a binary, and their sections of `bot.toml` once they are read.

use std::{any::Any, fmt, marker::PhantomData, sync::Arc};

use async_trait::async_trait;
use clifford_vault::Secret;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;

use crate::{
    About, Adapter, Bot, Built, ChannelError, Common, Fault, MenuCommand, Platform,
    settings::{fields, properties},
};

/// The platforms that a binary can be on, in the order in which they are shown.
#[derive(Clone, Copy, Default)]
pub struct Platforms(&'static [Row]);

impl Platforms {
    /// These platforms.
    pub const fn new(rows: &'static [Row]) -> Self {
        Self(rows)
    }

    /// The platforms one by one.
    pub fn rows(self) -> impl Iterator<Item = &'static Row> + Clone {
        self.0.iter()
    }

    /// The platform of a name.
    pub fn row(self, name: &str) -> Option<&'static Row> {
        self.rows().find(|row| row.about.platform.as_str() == name)
    }

    /// The names of all, and of Clifford's own: what a metric's label may say.
    pub fn names(self) -> Vec<Platform> {
        let mut names: Vec<_> = self.rows().map(|row| row.about.platform).collect();
        names.extend([Platform::TERMINAL, Platform::WEB]);
        names
    }
}

impl fmt::Debug for Platforms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.rows().map(|row| row.about.platform.as_str()))
            .finish()
    }
}

/// An adapter without its types.
#[derive(Clone, Copy)]
pub struct Row {
    /// The platform's name, and the source of its token.
    pub about: About,
    schema: fn(&mut SchemaGenerator) -> Schema,
    read: fn(Value) -> Result<Section, String>,
    default: fn() -> Section,
}

impl Row {
    /// The row of an adapter.
    pub const fn of<A: Adapter>() -> Self {
        Self {
            about: A::ABOUT,
            schema: |generator| A::Config::json_schema(generator),
            read: |value| {
                let mut own = fields(value);
                let common = Common::take(&A::ABOUT, &mut own).map_err(|error| error.to_string())?;
                let own = serde_json::from_value(Value::Object(own)).map_err(|error| error.to_string())?;
                Ok(Section::of::<A>(common, own))
            },
            default: || Section::of::<A>(Common::of(&A::ABOUT), A::Config::default()),
        }
    }

    /// The schema of its section: the common keys, then its own.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut keys = Common::schemas(&self.about, generator);
        keys.extend(properties(&(self.schema)(generator)));
        json_schema!({
            "type": "object",
            "description": self.about.summary,
            "additionalProperties": false,
            "properties": keys,
        })
    }

    /// The keys that its adapter declares although every platform has them. There must be none: nothing would set them.
    pub fn repeated(&self, generator: &mut SchemaGenerator) -> Vec<String> {
        let common = Common::schemas(&self.about, generator);
        let own = properties(&(self.schema)(generator));
        own.into_iter()
            .map(|(key, _)| key)
            .filter(|key| common.contains_key(key))
            .collect()
    }

    /// Its section, as it stands in `bot.toml`.
    ///
    /// # Errors
    /// Fails with the fault of the section.
    pub fn read(&self, section: Value) -> Result<Section, String> {
        (self.read)(section)
    }

    /// Its section with nothing in it.
    pub fn default_section(&self) -> Section {
        (self.default)()
    }

    /// The path of its section: `channels.NAME`.
    pub fn path(&self) -> String {
        self.about.path()
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Row").field(&self.about.platform).finish()
    }
}

impl About {
    /// The path of the platform's section: `channels.NAME`.
    pub fn path(&self) -> String {
        format!("channels.{}", self.platform)
    }
}

/// A platform's section that was read. Printing or writing it out shows no secret.
#[derive(Clone)]
pub struct Section {
    about: About,
    common: Common,
    own: Arc<dyn Erased>,
}

impl Section {
    fn of<A: Adapter>(common: Common, own: A::Config) -> Self {
        Self {
            about: A::ABOUT,
            common,
            own: Arc::new(Typed::<A>(own, PhantomData)),
        }
    }

    /// Its platform's name, and the source of its token.
    pub const fn about(&self) -> &About {
        &self.about
    }

    /// Its platform.
    pub const fn platform(&self) -> Platform {
        self.about.platform
    }

    /// The keys that every platform has.
    pub const fn common(&self) -> &Common {
        &self.common
    }

    /// Makes the adapter.
    ///
    /// # Errors
    /// As [`Adapter::build`].
    pub fn build(&self, token: &Secret, menu: &[MenuCommand]) -> Result<Built, ChannelError> {
        self.own.build(&self.common, token, menu)
    }

    /// Asks the platform whose token it is.
    ///
    /// # Errors
    /// As [`Adapter::probe`].
    pub async fn probe(&self, token: &Secret) -> Result<Bot, Fault> {
        self.own.probe(&self.common, token).await
    }
}

impl PartialEq for Section {
    fn eq(&self, other: &Self) -> bool {
        self.platform() == other.platform() && self.common == other.common && self.own.equals(&*other.own)
    }
}

impl fmt::Debug for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Section").field(&self.common).field(&self.own).finish()
    }
}

impl Serialize for Section {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut section = fields(serde_json::to_value(&self.common).map_err(S::Error::custom)?);
        section.extend(fields(self.own.to_json()));
        section.serialize(serializer)
    }
}

/// The keys of some adapter's own, which knows what to do with them.
#[async_trait]
trait Erased: Any + fmt::Debug + Send + Sync {
    fn build(&self, common: &Common, token: &Secret, menu: &[MenuCommand]) -> Result<Built, ChannelError>;
    async fn probe(&self, common: &Common, token: &Secret) -> Result<Bot, Fault>;
    fn equals(&self, other: &dyn Erased) -> bool;
    fn to_json(&self) -> Value;
}

struct Typed<A: Adapter>(A::Config, PhantomData<fn() -> A>);

impl<A: Adapter> fmt::Debug for Typed<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
impl<A: Adapter> Erased for Typed<A> {
    fn build(&self, common: &Common, token: &Secret, menu: &[MenuCommand]) -> Result<Built, ChannelError> {
        A::build(common, &self.0, token, menu)
    }

    async fn probe(&self, common: &Common, token: &Secret) -> Result<Bot, Fault> {
        A::probe(common, token).await
    }

    fn equals(&self, other: &dyn Erased) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|other| self.0 == other.0)
    }

    fn to_json(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }
}
