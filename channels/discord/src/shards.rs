//! How many connections there are: as many as the settings say, or as the gateway advises; and which of them may be
//! this process's.
//! <https://docs.discord.com/developers/events/gateway#get-gateway-bot>

use std::{fmt, ops::Range, time::Duration};

use clifford_channel::{ConnectionStatus, Ingress};
use reqwest::Method;
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Unexpected},
};

use crate::{
    api::{ApiError, Call},
    shared::Shared,
    wait::Backoff,
};

/// The most connections that a bot may have.
const MOST: u32 = 1_000;
/// The word for as many as Discord advises.
const AUTO: &str = "auto";

/// A number of connections: from 1 to 1000, a part of so many, such as `0-3/16`, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(extend("type" = ["integer", "string"], "format" = "shard-count", "minimum" = 1, "maximum" = 1000))]
pub struct Shards(#[schemars(with = "Option<u32>")] Option<Part>);

/// Connections that are next to each other, of all that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    first: u32,
    last: u32,
    of: u32,
}

impl Part {
    /// `0-3/16`: four of sixteen; `5/16`: one of them.
    fn read(text: &str) -> Option<Self> {
        let (part, of) = text.split_once('/')?;
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let part = Self {
            first: first.parse().ok()?,
            last: last.parse().ok()?,
            of: of.parse().ok()?,
        };
        let is_one = part.first <= part.last && part.last < part.of && part.of <= MOST;
        is_one.then_some(part)
    }
}

impl Shards {
    /// As many as Discord advises.
    pub const AUTO: Self = Self(None);

    /// This number, if there may be so many.
    pub fn of(number: u32) -> Option<Self> {
        (1..=MOST).contains(&number).then(|| {
            Self(Some(Part {
                first: 0,
                last: number - 1,
                of: number,
            }))
        })
    }

    /// The number that is set; `None`: as many as Discord advises.
    pub fn set(self) -> Option<u32> {
        self.0.map(|part| part.of)
    }

    fn read(text: &str) -> Option<Self> {
        match text {
            AUTO => Some(Self::AUTO),
            part if part.contains('/') => Part::read(part).map(|part| Self(Some(part))),
            number => Self::of(number.parse().ok()?),
        }
    }
}

impl Serialize for Shards {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            None => serializer.serialize_str(AUTO),
            Some(part) if Self::of(part.of) == Some(*self) => serializer.serialize_u32(part.of),
            Some(Part { first, last, of }) => serializer.collect_str(&format_args!("{first}-{last}/{of}")),
        }
    }
}

impl<'de> Deserialize<'de> for Shards {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShardsVisitor)
    }
}

struct ShardsVisitor;

impl de::Visitor<'_> for ShardsVisitor {
    type Value = Shards;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"auto\", a whole number from 1 to 1000, or a part such as \"0-3/16\"")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Shards, E> {
        let shards = u32::try_from(number).ok().and_then(Shards::of);
        shards.ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Shards, E> {
        let shards = u32::try_from(number).ok().and_then(Shards::of);
        shards.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Shards, E> {
        Shards::read(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// The connections that may be this process's. Asks Discord how many there are until it answers, where it is to say.
pub(crate) async fn own(shared: &Shared, ingress: &dyn Ingress) -> Range<u32> {
    let part = match shared.config.settings.shards.0 {
        Some(part) => part,
        None => {
            let of = advised(shared, ingress).await;
            let last = of.saturating_sub(1);
            Part { first: 0, last, of }
        }
    };
    shared.split_over(part.of);
    part.first..part.last.saturating_add(1)
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
    fn it_is_a_number_a_part_or_as_discord_advises() {
        let read = |value: Value| serde_json::from_value::<Shards>(value).ok();
        let part = |first, last, of| Some(Shards(Some(Part { first, last, of })));
        let cases = [
            (json!("auto"), Some(Shards::AUTO)),
            (json!(1), Shards::of(1)),
            (json!("16"), Shards::of(16)),
            (json!("0-3/16"), part(0, 3, 16)),
            (json!("15-15/16"), part(15, 15, 16)),
            (json!("5/16"), part(5, 5, 16)),
            (json!("0-15/16"), Shards::of(16)),
            (json!("0-16/16"), None),
            (json!("3-0/16"), None),
            (json!("0-3/1001"), None),
            (json!("0-3"), None),
            (json!("-3/16"), None),
            (json!("0-3/16/2"), None),
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
        for shards in [Some(Shards::AUTO), Shards::of(3), part(4, 7, 8)].into_iter().flatten() {
            let written = serde_json::to_value(shards).unwrap();
            assert_eq!(read(written), Some(shards));
        }
    }
}
