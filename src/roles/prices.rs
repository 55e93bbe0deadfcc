//! What tokens cost.

use clifford_llm::Usage;

/// Prices of a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// Of a request.
    pub prompt: f64,
    /// Of a request, where the provider had them cached.
    pub cached: f64,
    /// Of a request, where the provider puts them into its cache.
    pub cache_write: f64,
    /// Of a reply.
    pub completion: f64,
}

/// The most tokens that one call is counted with, of each kind: a provider may report any number, and what is added up
/// must not overflow in 64 bits.
pub const MOST_TOKENS: u64 = 1_000_000_000;

/// What a provider reports of a call, within [`MOST_TOKENS`].
pub fn bounded(usage: Usage) -> Usage {
    Usage {
        prompt_tokens: usage.prompt_tokens.min(MOST_TOKENS),
        completion_tokens: usage.completion_tokens.min(MOST_TOKENS),
        cached_tokens: usage.cached_tokens.min(MOST_TOKENS),
        cache_write_tokens: usage.cache_write_tokens.min(MOST_TOKENS),
        ..usage
    }
}

impl Prices {
    /// What a call costs.
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    pub fn of(&self, usage: &Usage) -> f64 {
        let fresh = usage
            .prompt_tokens
            .saturating_sub(usage.cached_tokens)
            .saturating_sub(usage.cache_write_tokens);
        let parts = [
            (fresh, self.prompt),
            (usage.cached_tokens, self.cached),
            (usage.cache_write_tokens, self.cache_write),
            (usage.completion_tokens, self.completion),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / 1_000_000.0
    }

    /// The dearer of both, token by token.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            prompt: self.prompt.max(other.prompt),
            cached: self.cached.max(other.cached),
            cache_write: self.cache_write.max(other.cache_write),
            completion: self.completion.max(other.completion),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: Prices = Prices {
        prompt: 2.0,
        cached: 0.5,
        cache_write: 2.5,
        completion: 10.0,
    };

    fn near(cost: f64, expected: f64) {
        assert!((cost - expected).abs() < 1e-12, "{cost} instead of {expected}");
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let usage = Usage {
            prompt_tokens: 1000,
            cached_tokens: 600,
            cache_write_tokens: 300,
            completion_tokens: 50,
            estimated: false,
        };
        near(
            PRICES.of(&usage),
            (100.0 * 2.0 + 600.0 * 0.5 + 300.0 * 2.5 + 50.0 * 10.0) / 1e6,
        );
        // A provider that tells nonsense costs nothing less than nothing.
        let odd = Usage {
            cached_tokens: 600,
            ..Usage::default()
        };
        near(PRICES.of(&odd), 600.0 * 0.5 / 1e6);
    }
}
