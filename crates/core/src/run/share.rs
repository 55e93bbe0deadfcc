//! Shares out a run's remaining budget among its subagents.

use super::{
    rules::{Rules, Share},
    state::RunState,
};

impl Rules {
    /// The share of each of so many subagents. Tokens and money are divided between them and the run itself, so that
    /// together they never exceed its budget; they work in parallel, so each has all of the time.
    pub fn share(&self, state: &RunState, children: usize) -> Share {
        let parts = u64::try_from(children).unwrap_or(u64::MAX).saturating_add(1);
        #[expect(clippy::cast_precision_loss, reason = "a number of subagents")]
        let cost = (self.engine.max_run_cost).map(|most| (most - state.cost).max(0.0) / parts as f64);
        let whole_ms = u64::try_from(self.engine.max_run_time.as_millis()).unwrap_or(u64::MAX);
        Share {
            tokens: self.most_tokens().saturating_sub(state.tokens) / parts,
            cost,
            ms: whole_ms.saturating_sub(state.worked_ms),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{runs::Run, settings::Engine};

    #[test]
    fn what_is_left_is_parted_between_a_run_and_its_subagents() {
        let rules = Rules::from(Engine {
            max_run_cost: Some(1.0),
            max_run_tokens: Some(80_000),
            ..Engine::default()
        });
        let mut state = RunState::new(&Run::sample(), &rules);
        state.tokens = 20_000;
        state.worked_ms = 30_000;
        state.cost = 0.2;
        let share = rules.share(&state, 3);
        assert_eq!((share.tokens, share.ms), (15_000, 90_000));
        assert!(share.cost.is_some_and(|cost| (cost - 0.2).abs() < 1e-9), "{share:?}");
        state.tokens = 100_000;
        assert_eq!(rules.share(&state, 1).tokens, 0);
    }
}
