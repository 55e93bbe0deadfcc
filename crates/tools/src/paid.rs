//! Payments of a tool: calls of models on behalf of a run, which count as the run's own do.

use std::fmt;

use async_trait::async_trait;
use clifford_core::models::{MOST_TOKENS, Prices, Role};
use clifford_llm_api::model::{Completion, Request, Usage};
use futures::future::BoxFuture;
use serde_json::Value;

use super::ToolError;

/// The most seconds that a provider is believed: a day.
const MOST_SECONDS: f64 = 86_400.0;

/// How many times the estimate a provider's count may be.
const TIMES: u64 = 100;

/// An item with a price, whoever sells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Purchase {
    /// The provider under which it is counted.
    pub provider: String,
    /// The model that makes it.
    pub model: String,
    /// The role that it is counted with.
    pub role: Role,
    /// Its price.
    pub price: Price,
}

/// The price of an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Price {
    /// So much.
    Fixed(f64),
    /// A price for minutes of sound.
    Minutes {
        /// The price of one of them.
        minute: f64,
        /// How many seconds there are, as far as can be told before.
        seconds: u32,
    },
    /// A price for characters of text.
    Characters {
        /// The price of a million of them.
        million: f64,
        /// How many there are.
        characters: usize,
    },
    /// A price for tokens.
    Tokens {
        /// The price of a million of them.
        million: f64,
        /// How many it takes, as far as can be told before.
        guessed: u64,
    },
}

impl Price {
    /// The estimate of its price, before the call.
    pub fn guessed(self) -> (f64, Usage) {
        match self {
            Self::Fixed(cost) => (cost, Usage::default()),
            Self::Characters { million, characters } => (by_characters(million, characters), Usage::default()),
            Self::Minutes { minute, seconds } => (minute * f64::from(seconds) / 60.0, Usage::default()),
            Self::Tokens { million, guessed } => by_tokens(million, guessed, true),
        }
    }

    /// Its price, as the seller's answer gives it.
    pub fn of_answer(self, answer: &Value) -> (f64, Usage) {
        let usage = &answer["usage"];
        if let Self::Minutes { minute, .. } = self {
            // Some tell it next to the text, and others nowhere.
            let seconds = usage["seconds"].as_f64().or_else(|| answer["duration"].as_f64());
            let seconds = seconds.filter(|seconds| (0.0..=MOST_SECONDS).contains(seconds));
            return seconds.map_or_else(|| self.guessed(), |seconds| (minute * seconds / 60.0, Usage::default()));
        }
        let told = usage["prompt_tokens"]
            .as_u64()
            .or_else(|| usage["total_tokens"].as_u64());
        match (self, told) {
            (Self::Tokens { million, guessed }, Some(tokens)) if tokens <= guessed.saturating_mul(TIMES) => {
                by_tokens(million, tokens, false)
            }
            _ => self.guessed(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a text has far fewer than 2^52 characters")]
fn by_characters(million: f64, characters: usize) -> f64 {
    million * characters as f64 / 1_000_000.0
}

fn by_tokens(million: f64, tokens: u64, estimated: bool) -> (f64, Usage) {
    let usage = Usage {
        prompt_tokens: tokens.min(MOST_TOKENS),
        estimated,
        ..Usage::default()
    };
    let prices = Prices {
        prompt: million,
        ..Prices::default()
    };
    (prices.of(&usage), usage)
}

/// Pays: what budgets have left is reserved before a call, and what it cost is recorded after it.
#[async_trait]
pub trait Pays: Send + Sync + fmt::Debug {
    /// Asks the model that has a role.
    ///
    /// # Errors
    /// A budget is spent, or there is no answer.
    async fn ask(&self, role: Role, request: &Request) -> Result<Completion, ToolError>;

    /// Makes a call that has a price.
    ///
    /// # Errors
    /// A budget is spent, or the call's.
    async fn buy(&self, purchase: Purchase, call: BoxFuture<'_, Result<Value, ToolError>>) -> Result<Value, ToolError>;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tokens_are_those_that_the_seller_tells_and_a_guess_where_it_tells_none() {
        let by_tokens = Price::Tokens {
            million: 2_000_000.0,
            guessed: 7,
        };
        let minutes = Price::Minutes {
            minute: 0.5,
            seconds: 120,
        };
        let cases = [
            (
                by_tokens,
                json!({"usage": {"prompt_tokens": 3, "total_tokens": 4}}),
                (6.0, 3, false),
            ),
            (by_tokens, json!({"usage": {"total_tokens": 4}}), (8.0, 4, false)),
            (by_tokens, json!({"usage": null}), (14.0, 7, true)),
            (
                by_tokens,
                json!({"usage": {"total_tokens": 1_000_000_000}}),
                (14.0, 7, true),
            ),
            (by_tokens, json!({"usage": {"total_tokens": -4}}), (14.0, 7, true)),
            (minutes, json!({"text": "hi"}), (1.0, 0, false)),
            (
                minutes,
                json!({"usage": {"type": "duration", "seconds": 30}}),
                (0.25, 0, false),
            ),
            (minutes, json!({"duration": 90.0}), (0.75, 0, false)),
            (minutes, json!({"duration": -90.0}), (1.0, 0, false)),
            (
                Price::Characters {
                    million: 2_000_000.0,
                    characters: 3,
                },
                json!({"audio": ""}),
                (6.0, 0, false),
            ),
            (
                Price::Fixed(0.5),
                json!({"usage": {"total_tokens": 4}}),
                (0.5, 0, false),
            ),
        ];
        for (price, answer, expected) in cases {
            let (cost, usage) = price.of_answer(&answer);
            assert!((cost - expected.0).abs() < 1e-9, "{answer}: {cost}");
            assert_eq!(
                (usage.prompt_tokens, usage.estimated),
                (expected.1, expected.2),
                "{answer}"
            );
        }
    }
}
