//! How many connections there are: as many as the settings say, or as the gateway advises.
//! <https://docs.discord.com/developers/events/gateway#get-gateway-bot>

use std::{fmt, time::Duration};

use clifford_channel::{ConnectionStatus, Ingress};
use reqwest::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    api::{ApiError, Call},
    shared::Shared,
    wait::Backoff,
};

/// The most connections that a bot may have.
const MOST: u32 = 1_000;
/// The word for as many as Discord advises.
const AUTO: &str = "auto";

/// A number of connections: from 1 to 1000, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("type" = ["integer", "string"], "format" = "shard-count", "minimum" = 1, "maximum" = 1000))]
pub struct Shards(Option<u32>);

impl Shards {
    /// As many as Discord advises.
    pub const AUTO: Self = Self(None);

    /// This number, if there may be so many.
    pub fn of(number: u32) -> Option<Self> {
        (1..=MOST).contains(&number).then_some(Self(Some(number)))
    }

    /// The number that is set; `None`: as many as Discord advises.
    pub const fn set(self) -> Option<u32> {
        self.0
    }
}

impl Serialize for Shards {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(number) => serializer.serialize_u32(number),
            None => serializer.serialize_str(AUTO),
        }
    }
}

impl<'de> Deserialize<'de> for Shards {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShardsVisitor)
    }
}

struct ShardsVisitor;

impl ShardsVisitor {
    fn number<E: de::Error>(number: Option<u32>) -> Result<Shards, E> {
        let shards = number.and_then(Shards::of);
        shards.ok_or_else(|| E::custom("expected \"auto\", or a whole number from 1 to 1000"))
    }
}

impl de::Visitor<'_> for ShardsVisitor {
    type Value = Shards;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"auto\", or a whole number from 1 to 1000")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Shards, E> {
        Self::number(u32::try_from(number).ok())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Shards, E> {
        Self::number(u32::try_from(number).ok())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Shards, E> {
        match text {
            AUTO => Ok(Shards::AUTO),
            number => Self::number(number.parse().ok()),
        }
    }
}

/// How many connections there are. Asks Discord until it answers, where it is to say.
pub(crate) async fn count(shared: &Shared, ingress: &dyn Ingress) -> u32 {
    let shards = match shared.config.settings.shards.set() {
        Some(number) => number,
        None => advised(shared, ingress).await,
    };
    shared.split_over(shards);
    shards
}

async fn advised(shared: &Shared, ingress: &dyn Ingress) -> u32 {
    #[derive(Deserialize)]
    struct Advice {
        shards: u32,
    }
    let call = Call::new(Method::GET, "gateway", "bot", "/gateway/bot".to_owned());
    let mut backoff = Backoff::new(&shared.config.timing);
    loop {
        let wait: Duration = match shared.api.call::<Advice>(&call).await {
            Ok(advice) => {
                let shards = advice.shards.clamp(1, MOST);
                tracing::info!(shards, "Discord recommends this number of shards");
                return shards;
            }
            // Connecting tells it, and what helps.
            Err(ApiError::Refused(_)) => return 1,
            Err(ApiError::Limited(wait)) => wait,
            Err(error) => {
                let reason = format!("the gateway's address: {error}");
                ingress.status(crate::PLATFORM, ConnectionStatus::Disconnected(reason));
                backoff.next()
            }
        };
        tokio::time::sleep(wait).await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn it_is_a_number_or_as_discord_advises() {
        let read = |value: Value| serde_json::from_value::<Shards>(value).ok();
        let cases = [
            (json!("auto"), Some(Shards::AUTO)),
            (json!(1), Shards::of(1)),
            (json!("16"), Shards::of(16)),
            (json!(1_000), Shards::of(1_000)),
            (json!(0), None),
            (json!(1_001), None),
            (json!(-1), None),
            (json!("many"), None),
            (json!(null), None),
        ];
        for (value, expected) in cases {
            assert_eq!(read(value.clone()), expected, "{value}");
        }
        for shards in [Some(Shards::AUTO), Shards::of(3)].into_iter().flatten() {
            let written = serde_json::to_value(shards).unwrap();
            assert_eq!(read(written), Some(shards));
        }
    }
}
