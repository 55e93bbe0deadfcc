//! The prices of tokens.

use clifford_core::models::Role;
use clifford_llm_api::model::Usage;

use super::Roles;
use crate::models::Own;

impl Roles {
    /// How many tokens a reply may have for its call to cost no more than `most`, at the dearest. `None`: its prompt costs
    /// more.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is positive, and more tokens than a number holds are as good as any"
    )]
    pub fn affordable_reply(&self, role: Role, own: Option<&Own>, prompt_tokens: u64, most: f64) -> Option<u32> {
        let assigned = self.assigned(role);
        let mut prices = match own {
            Some(own) if assigned.provider.as_deref() == Some(&own.provider) => assigned.prices,
            Some(own) => self.prices.get(&own.provider).copied().unwrap_or_default(),
            None => assigned.dearest,
        };
        prices.prompt = prices.prompt.max(prices.cache_write);
        let prompt = Usage {
            prompt_tokens,
            ..Usage::default()
        };
        let left = most - prices.of(&prompt);
        if left < 0.0 {
            return None;
        }
        if prices.completion <= 0.0 {
            return Some(u32::MAX);
        }
        Some((left * 1_000_000.0 / prices.completion) as u32)
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use clifford_core::models::Prices;
    use clifford_llm::Offline;

    use super::*;
    use crate::models::roles::Assigned;

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

    #[test]
    fn a_reply_may_be_as_long_as_its_call_can_be_paid_for() {
        let assigned = Assigned {
            provider: Some("a".to_owned()),
            prices: Prices::default(),
            dearest: PRICES,
            ..Roles::default().executor
        };
        let roles = Roles::new(assigned, [], BTreeMap::from([("b".to_owned(), PRICES)]), vec![]);
        let own = |provider: &str| Own {
            provider: provider.to_owned(),
            model: Arc::new(Offline),
        };
        let reply = |own: Option<&Own>, most| roles.affordable_reply(Role::Executor, own, 1_000_000, most);
        // All of the prompt may be written to a cache.
        assert_eq!(reply(None, 2.0), None);
        assert_eq!(reply(None, 3.0), Some(50_000));
        assert_eq!(reply(None, f64::MAX), Some(u32::MAX));
        assert_eq!(reply(Some(&own("a")), 0.0), Some(u32::MAX));
        assert_eq!(reply(Some(&own("b")), 2.0), None);
    }
}
