//! Limits of a run: rules that judge each tool call, and the consequences of words from outside. Pure.
//!
//! [`judge`](judge::judge) says what becomes of a call; [`words`] tells what a call or message would carry out.
//!
//! **Judging.** `run/decide.rs` says which call a reply asks for; `engine/run/session/policy_check.rs` gathers facts
//! and rules, and `policy/judge.rs` says what becomes of it, purely. Calls that count against a limit are counted under
//! their own key before they are recorded, so a crash between counts them once. `run/approval.rs` turns the verdict
//! into a decision like any other.
//!
//! **Readings of a text** stand in layers, and each names only those below it: `addresses`, and the words of a text
//! (`texts`); the ways to hide one (`disguise`); what is known of somebody (`words`); whether it stands in what
//! somebody said (`phrase`); whether that grants (`granted`) or asks for something (`asked`); what prose may tell
//! (`prose`); and the origins and grounds of a call's arguments (`trace`).
//!
//! **Labels are in the fold.** `RunState.labels` ([`labels`]) tells since which step a run has read whose words, and
//! who may read what it holds. The replay, `runs show` and `/why` show them.
//!
//! **Taint is in the fold.** `RunState.origins` grows by tool results, by what the prompt begins with (a `tainted`
//! step, from `recall::origins`), and by subagents; a child begins with its parent's. `runs.tainted` tells later runs
//! of the conversation. `policy/words.rs` knows which addresses and words were read outside: only those go out of a
//! tainted run, in calls and messages. `policy/addresses.rs` finds addresses and says what would be called for each,
//! by the parser with which they are fetched (`fetch::parse`). A message is cleaned in its source
//! (`clifford_markup::cleaned`), by what its Markdown means.

mod addresses;
mod around;
mod asked;
mod built_in;
pub mod class;
mod condition;
mod disguise;
pub mod evidence;
mod granted;
pub mod judge;
pub mod labels;
mod phrase;
mod prose;
pub mod reason;
pub mod repeats;
pub(crate) mod rule;
pub mod sources;
mod table;
mod texts;
pub mod trace;
pub mod words;

pub use judge::{Call, Facts, Limit, NamedRule, PolicyOutcome, Verdict, judge};
pub use reason::Reason;
pub use rule::{Action, By, Day, Per, Place, Rule};

use crate::settings;

/// The settings of the policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicySettings {
    /// The rules of the configuration: `[[policies]]`.
    pub rules: Vec<Rule>,
    /// How approvals are asked for: `[policy]`.
    pub approvals: settings::Policy,
}

impl PolicySettings {
    /// Every rule that holds besides those of the database: the configuration's and the built-in ones.
    pub fn named(&self) -> Vec<NamedRule> {
        let own = self.rules.iter().enumerate().map(|(place, rule)| {
            let name = match rule.name.trim() {
                "" => format!("{}", place + 1),
                name => name.to_owned(),
            };
            NamedRule {
                key: format!("bot.toml:{name}"),
                rule: rule.clone(),
            }
        });
        own.chain(built_in::rules()).collect()
    }
}
