//! Times that `bot.toml` gives as whole numbers of the unit in which the key's name ends.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A unit of so many milliseconds, to be named in `#[serde(with = "…")]`.
pub(super) struct Unit<const MILLISECONDS: u64>;

pub(super) type Milliseconds = Unit<1>;
pub(super) type Seconds = Unit<1_000>;
pub(super) type Minutes = Unit<60_000>;
pub(super) type Hours = Unit<3_600_000>;
pub(super) type Days = Unit<86_400_000>;

impl<const MILLISECONDS: u64> Unit<MILLISECONDS> {
    pub(super) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = time.as_millis() / u128::from(MILLISECONDS);
        u64::try_from(whole).unwrap_or(u64::MAX).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let whole = u64::deserialize(deserializer)?;
        Ok(Duration::from_millis(whole.saturating_mul(MILLISECONDS)))
    }
}

impl<const MILLISECONDS: u64> JsonSchema for Unit<MILLISECONDS> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        u64::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        u64::json_schema(generator)
    }
}
