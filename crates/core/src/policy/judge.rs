//! The verdict on a call: the first rule that fits decides, then the words that the run has read. Pure.

use std::{cmp::Reverse, collections::BTreeSet};

use clifford_chat::role::PlatformRole;
use clifford_markup::shortened;
use serde_json::{Map, Value};

use super::{
    reason::Reason,
    rule::{Action, By, Per, Place, Rule},
    table::{self, Doubt},
    trace::Grounds,
};
use crate::{
    clock::Timestamp,
    id::{ContextId, SpaceId, UserId},
    people::UserRole,
    policy::class::Class,
    runs::RunKind,
};

/// A rule, and what it is called in reports and counts.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedRule {
    /// Its id, or where it stands.
    pub key: String,
    /// The rule.
    pub rule: Rule,
}

/// A call that is judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    /// `tool.command`.
    pub name: &'a str,
    /// The class of the command.
    pub class: Class,
    /// Its arguments.
    pub args: &'a Map<String, Value>,
    /// The private text that it would carry out of this house, as far as it reaches out.
    pub leak: Option<String>,
    /// On what grounds it goes ahead, if the run has read words from outside.
    pub grounds: Grounds,
}

/// The caller, and the place of the call.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The audience of the run.
    pub kind: RunKind,
    /// The platform's name.
    pub platform: Option<String>,
    /// Others read along.
    pub place: Place,
    /// The group or server.
    pub space: Option<SpaceId>,
    /// The conversation.
    pub context: Option<ContextId>,
    /// The person who asked.
    pub user: Option<UserId>,
    /// The role.
    pub role: Option<UserRole>,
    /// The roles that they have on the platform, where they ask; `None`: not known.
    pub platform_roles: Option<Vec<PlatformRole>>,
    /// Where what the run has read came from, as far as that is outside: then it is tainted.
    pub origins: BTreeSet<String>,
}

/// The verdict on a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The resource.
    pub outcome: PolicyOutcome,
    /// Why.
    pub reason: Reason,
    /// The rule that decided; `None`: the default profile.
    pub rule: Option<String>,
    /// The limits that it counts against, unless it is denied.
    pub limits: Vec<Limit>,
    /// [`Rule::always`] would take the place of the question: from then on such a call is made.
    pub may_be_rule: bool,
}

/// The verdict on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(rename_all = "snake_case")]
pub enum PolicyOutcome {
    /// It is made.
    Allow,
    /// A person is asked.
    Confirm,
    /// It is refused.
    Deny,
}

/// A rule that counts a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The rule's key.
    pub key: String,
    /// The reason that a refused person reads.
    pub reason: Reason,
    /// The most calls.
    pub calls: u32,
    /// In which time.
    pub per: Per,
    /// The subject of the count.
    pub by: By,
}

/// Judges a call. `zone` is the time zone of rules that name none.
pub fn judge(rules: &[NamedRule], call: &Call<'_>, facts: &Facts, now: Timestamp, zone: &str) -> Verdict {
    let verdict = weighed(rules.iter(), call, facts, now, zone);
    let may_be_rule = verdict.outcome == PolicyOutcome::Confirm
        && facts.origins.is_empty()
        && always(call, facts).is_some_and(|always| {
            weighed(rules.iter().chain([&always]), call, facts, now, zone).outcome == PolicyOutcome::Allow
        });
    Verdict { may_be_rule, ..verdict }
}

/// The rule that a question becomes when it is answered for good. Without a conversation and a person it would hold
/// everywhere, for everybody.
fn always(call: &Call<'_>, facts: &Facts) -> Option<NamedRule> {
    Some(NamedRule {
        key: String::new(),
        rule: Rule::always(call.name, facts.context?, facts.user?),
    })
}

fn weighed<'a>(
    rules: impl Iterator<Item = &'a NamedRule>,
    call: &Call<'_>,
    facts: &Facts,
    now: Timestamp,
    zone: &str,
) -> Verdict {
    let mut fitting: Vec<_> = rules
        .filter(|named| fits(&named.rule, call, facts, now, zone))
        .collect();
    fitting.sort_by_key(|named| (Reverse(named.rule.priority), strictness(named.rule.action)));
    let limits = fitting
        .iter()
        .take_while(|named| named.rule.action != Action::Deny)
        .filter(|named| named.rule.action == Action::Limit)
        .map(|named| limit(named))
        .collect();
    let deciding = fitting.into_iter().find(|named| named.rule.action != Action::Limit);
    let (action, reason) = match deciding {
        Some(named) => (named.rule.action, rule_reason(named)),
        None => table::profile(call.class, facts.place),
    };
    let outcome = match action {
        Action::Deny => PolicyOutcome::Deny,
        Action::Confirm | Action::Limit => PolicyOutcome::Confirm,
        Action::Allow | Action::AllowTainted => PolicyOutcome::Allow,
    };
    let verdict = Verdict {
        outcome,
        reason,
        rule: deciding.map(|named| named.key.clone()),
        limits,
        may_be_rule: false,
    };
    match (action, tainted(call, facts)) {
        (Action::Allow, Some(reason)) => Verdict {
            outcome: PolicyOutcome::Confirm,
            reason,
            ..verdict
        },
        _ => verdict,
    }
}

fn fits(rule: &Rule, call: &Call<'_>, facts: &Facts, now: Timestamp, zone: &str) -> bool {
    let is = |wanted: &Option<_>, found: &Option<_>| wanted.is_none() || wanted == found;
    rule.is_about(call.name)
        && (rule.classes.is_empty() || rule.classes.contains(&call.class))
        && (rule.kinds.is_empty() || rule.kinds.contains(&facts.kind))
        && (rule.platforms.is_empty() || rule.platforms.iter().any(|name| Some(name) == facts.platform.as_ref()))
        && (rule.places.is_empty() || rule.places.contains(&facts.place))
        && is(&rule.space.map(|id| id.0), &facts.space.map(|id| id.0))
        && is(&rule.context.map(|id| id.0), &facts.context.map(|id| id.0))
        && is(&rule.user.map(|id| id.0), &facts.user.map(|id| id.0))
        && (rule.roles.is_empty() || facts.role.is_some_and(|role| rule.roles.contains(&role)))
        && rule.platform_roles_fit(facts.platform_roles.as_deref())
        && rule.is_time(now, zone)
        && rule.args_fit(call.args)
}

const fn strictness(action: Action) -> u8 {
    match action {
        Action::Deny => 0,
        Action::Limit => 1,
        Action::Confirm => 2,
        Action::Allow => 3,
        Action::AllowTainted => 4,
    }
}

fn limit(named: &NamedRule) -> Limit {
    let rule = &named.rule;
    Limit {
        key: named.key.clone(),
        reason: own_reason(named).unwrap_or_else(|| Reason::Limited {
            rule: rule_name(named),
            calls: rule.calls,
            per: rule.per,
        }),
        calls: rule.calls,
        per: rule.per,
        by: rule.by,
    }
}

fn rule_reason(named: &NamedRule) -> Reason {
    let rule = || rule_name(named);
    own_reason(named).unwrap_or_else(|| match named.rule.action {
        Action::Allow | Action::AllowTainted => Reason::Allowed { rule: rule() },
        Action::Confirm | Action::Limit => Reason::Confirmed { rule: rule() },
        Action::Deny => Reason::Forbidden { rule: rule() },
    })
}

/// The words of whoever made the rule.
fn own_reason(named: &NamedRule) -> Option<Reason> {
    let words = named.rule.reason.clone()?;
    Some(Reason::Told { words })
}

/// The most characters of what a rule without a name is told by.
const LONGEST_TERMS: usize = 120;

fn rule_name(named: &NamedRule) -> String {
    let name = named.rule.name.trim();
    if name.is_empty() {
        shortened(&named.rule.terms(), LONGEST_TERMS)
    } else {
        name.to_owned()
    }
}

/// Why a call that is allowed must be confirmed all the same: what the run has read may have asked for it.
fn tainted(call: &Call<'_>, facts: &Facts) -> Option<Reason> {
    if facts.origins.is_empty() {
        return None;
    }
    let read = facts.origins.iter().cloned().collect();
    Some(match table::doubt(call.class, call.leak.is_some(), &call.grounds)? {
        // It is not told here what: whoever shows the question would fetch an address in it. It stands in the arguments.
        Doubt::CarriesOut => Reason::CarriesOut { read },
        Doubt::MayBeOthers(fault) => Reason::MayBeOthers {
            read,
            fault: fault.cloned(),
        },
    })
}

#[cfg(test)]
mod tests;
