//! The numbers that the rules go by.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    people::User,
    policy,
    runs::{Run, RunKind},
    settings::{Engine, Profile},
};

/// The window of a model of which nothing is known.
pub const ASSUMED_WINDOW: u64 = 32_000;
/// How many calls that fill the window a run may make where nothing is set.
const CALLS: u64 = 12;
/// The least tokens of a run, if no limit is set.
const LEAST_RUN_TOKENS: u64 = 80_000;
/// The weight of a cached token where no prices are known: providers charge from a tenth to a half.
pub const CACHED_SHARE: f64 = 0.25;

/// The numbers that the rules go by: settings, not state.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// `[engine]`, as it holds for the run: within its profile, its share and its person's time zone.
    pub engine: Engine,
    /// The context window of the run's model, in tokens.
    pub window: u64,
    /// The weight of a token that the provider had cached.
    pub cached_share: f64,
    /// Tools with exactly one command, and that command's full name.
    pub single_commands: BTreeMap<String, String>,
    /// The settings of policy checks.
    pub policy: policy::PolicySettings,
    /// The kinds of helpers there are, by name.
    pub profiles: BTreeMap<String, Profile>,
}

/// A subagent's share of the budget that its parent has left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Tokens, of the prompt and of the completion.
    pub tokens: u64,
    /// Money, if that is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Time at work, in milliseconds.
    pub ms: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self::from(Engine::default())
    }
}

/// The rules of a run of which nothing is known but the limits.
impl From<Engine> for Rules {
    fn from(engine: Engine) -> Self {
        Self {
            engine,
            window: ASSUMED_WINDOW,
            cached_share: CACHED_SHARE,
            single_commands: BTreeMap::new(),
            policy: policy::PolicySettings::default(),
            profiles: BTreeMap::new(),
        }
    }
}

impl Rules {
    /// The rules as they are for a person: their own time zone, if it is known.
    pub fn of(&self, user: Option<&User>) -> Self {
        let mut rules = self.clone();
        if let Some(own) = user.and_then(|user| user.time_zone.clone()) {
            rules.engine.time_zone = own;
        }
        rules
    }

    /// The numbers for one run: its profile's where that says so, within the share that its parent gave it.
    #[must_use]
    pub fn of_run(&self, run: &Run) -> Self {
        let mut rules = self.clone();
        if let Some(profile) = run.profile.as_ref().and_then(|name| self.profiles.get(name)) {
            let engine = &mut rules.engine;
            engine.planning_gate = profile.planning_gate.unwrap_or(engine.planning_gate);
            engine.max_iterations = profile.max_iterations.unwrap_or(engine.max_iterations);
        }
        if let Some(share) = share_of(run) {
            rules.engine.max_run_tokens = Some(rules.most_tokens().min(share.tokens));
            let engine = &mut rules.engine;
            engine.max_run_time = engine.max_run_time.min(Duration::from_millis(share.ms));
            engine.max_run_cost = match (engine.max_run_cost, share.cost) {
                (Some(limit), Some(share)) => Some(limit.min(share)),
                (limit, share) => limit.or(share),
            };
        }
        rules
    }

    /// How many tokens a run may use: what is set, or as many as a run of ten tool calls needs in a conversation that
    /// fills the window.
    pub fn most_tokens(&self) -> u64 {
        self.engine
            .max_run_tokens
            .unwrap_or_else(|| self.window.saturating_mul(CALLS).max(LEAST_RUN_TOKENS))
    }

    /// The same for a run whose model has this window.
    #[must_use]
    pub fn within(self, window: u64) -> Self {
        Self { window, ..self }
    }

    /// After how many iterations with no tool call, output or message a run that may make `max_iterations`
    /// calls has stalled.
    pub(crate) fn stall_limit(max_iterations: u32) -> u32 {
        max_iterations.saturating_sub(1).clamp(1, 5)
    }
}

/// The share that a subagent's parent gave it. The input of a coordinator holds no share.
fn share_of(run: &Run) -> Option<Share> {
    let given = run.input_json.as_ref().filter(|_| run.kind == RunKind::Subagent)?;
    Share::deserialize(given.0.get("share")?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{json_text::JsonText, settings::PlanningGate};

    fn subagent(profile: Option<&str>, input: Option<serde_json::Value>) -> Run {
        Run {
            kind: RunKind::Subagent,
            profile: profile.map(str::to_owned),
            input_json: input.map(JsonText),
            ..Run::sample()
        }
    }

    #[test]
    fn a_profile_and_a_share_change_what_they_name_and_nothing_else() {
        let reader = Profile {
            planning_gate: Some(PlanningGate::Off),
            max_iterations: Some(5),
            ..Profile::default()
        };
        let rules = Rules {
            profiles: [("reader".to_owned(), reader)].into(),
            ..Rules::default()
        };
        assert_eq!(rules.of_run(&subagent(None, None)), rules);
        assert_eq!(rules.of_run(&subagent(Some("unknown"), None)), rules);
        let input = json!({ "context": [], "share": { "tokens": 900, "ms": 5000 } });
        let expected = Rules {
            engine: Engine {
                planning_gate: PlanningGate::Off,
                max_iterations: 5,
                max_run_tokens: Some(900),
                max_run_time: Duration::from_secs(5),
                ..Engine::default()
            },
            ..rules.clone()
        };
        assert_eq!(rules.of_run(&subagent(Some("reader"), Some(input.clone()))), expected);
        let asked = Run {
            kind: RunKind::Coordinator,
            ..subagent(None, Some(input))
        };
        assert_eq!(rules.of_run(&asked), rules);
    }

    #[test]
    fn ten_calls_that_fill_the_window_are_within_what_a_run_may_use() {
        let most = |window| Rules::default().within(window).most_tokens();
        assert_eq!([4_096, 32_000, 128_000].map(most), [80_000, 384_000, 1_536_000]);
        let set = Rules::from(Engine {
            max_run_tokens: Some(50_000),
            ..Engine::default()
        });
        assert_eq!(set.within(128_000).most_tokens(), 50_000);
    }
}
