//! The verdict on a call, as a run would get it: nothing is called, and nothing counted.
//!
//! The grounds of a verdict can be given: the person's words, the plan, and results that the run has heard. With them the
//! labels of the run, the origin of each argument and the verdict are those of a run that heard the same.

use std::collections::{BTreeMap, BTreeSet};

use clifford_action::Announced;
use clifford_chat::role::PlatformRole;
use clifford_core::{
    clock::Timestamp,
    id::{ContextId, SpaceId, UserId},
    people::UserRole,
    policy::{
        Call, Facts, NamedRule, Place, PolicyOutcome, PolicySettings,
        class::Class,
        evidence::Evidence,
        judge,
        trace::{self, Fault, Grounds, Request},
        words::{self, KnownWords},
    },
    runs::RunKind,
};
use clifford_store::places::policies::Policy;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Registry;

/// The caller, and the place of the call. The defaults: a coordinator that has read nothing from outside, in private,
/// of nobody known.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Trial {
    /// The kind of run; left out: `coordinator`.
    pub kind: Option<RunKind>,
    /// The platform.
    pub platform: Option<String>,
    /// The readers of the place; left out: `private`.
    pub place: Place,
    /// The group or server.
    #[schema(value_type = Option<String>)]
    pub space: Option<SpaceId>,
    /// The conversation.
    #[schema(value_type = Option<String>)]
    pub context: Option<ContextId>,
    /// The person.
    #[schema(value_type = Option<String>)]
    pub user: Option<UserId>,
    /// The role.
    pub role: Option<UserRole>,
    /// The roles on the platform, by id or name.
    #[serde(rename = "platformRoles", alias = "platform_roles")]
    pub platform_roles: Vec<String>,
    /// It has read words from outside. A result that others may have written says so by itself.
    pub tainted: bool,
    /// The person's own words of this turn.
    pub said: Vec<String>,
    /// The calls that were announced before anything of others was read: by command, how often at most.
    pub plan: BTreeMap<String, u32>,
    /// The results of commands, in order.
    pub results: Vec<TrialResult>,
}

/// A result that the run has heard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TrialResult)]
pub struct TrialResult {
    /// `tool.command`.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub args: Map<String, Value>,
    /// Its result.
    pub result: Value,
}

/// The labels of a run: whose words may lead it, and which words it may not carry out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Labels {
    /// Integrity: the words of others that the run has read, by what returned them. None: its person's and the owner's
    /// alone have led here.
    pub others: BTreeSet<String>,
    /// Confidentiality: the commands whose results are private. They may go back to their own tool.
    pub private: BTreeSet<String>,
    /// It would carry out something private that the tool has not told itself.
    pub carries_out: bool,
}

/// An argument, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Argument {
    /// Where it stands.
    pub argument: String,
    /// Where it comes from, in words.
    pub origin: String,
}

/// The outcome that a call would have.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrialOutcome {
    /// The call.
    pub call: String,
    /// Its class.
    pub class: Class,
    /// The outcome.
    pub outcome: PolicyOutcome,
    /// Why.
    pub why: String,
    /// The rule that decided; left out: the default profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The limits that it would count against.
    pub limits: Vec<String>,
    /// The labels of the run.
    pub labels: Labels,
    /// The arguments of the call, each with its origin.
    pub arguments: Vec<Argument>,
}

/// Every rule that holds: the database's, the configuration's, the built-in ones.
pub fn rules(settings: &PolicySettings, made: Vec<Policy>) -> Vec<NamedRule> {
    let mut rules = settings.named();
    rules.extend(made.into_iter().map(|policy| NamedRule {
        key: policy.id.to_string(),
        rule: policy.rule,
    }));
    rules
}

/// Tells what would become of a call.
///
/// # Errors
/// There is no such command, or its arguments are wrong.
pub fn run(
    tools: &Registry,
    rules: &[NamedRule],
    name: &str,
    args: &Map<String, Value>,
    trial: &Trial,
    now: Timestamp,
    zone: &str,
) -> Result<TrialOutcome, String> {
    let command = tools
        .command(name)
        .ok_or_else(|| format!("there is no command `{name}`; write one as compute.eval"))?;
    let heard = Story::read(tools, trial)?;
    let request = Request {
        name,
        args,
        schema: &command.schema,
        evidence: &heard.evidence,
        private: &heard.private,
    };
    let is_tainted = !heard.others.is_empty();
    let call = Call {
        name,
        class: command.class,
        args,
        leak: (command.reaches_out && is_tainted)
            .then(|| heard.leak(tools, &request))
            .flatten(),
        grounds: heard.grounds(trial, &request),
    };
    let facts = Facts {
        kind: trial.kind.unwrap_or(RunKind::Coordinator),
        platform: trial.platform.clone(),
        place: trial.place,
        space: trial.space,
        context: trial.context,
        user: trial.user,
        role: trial.role,
        platform_roles: Some(
            trial
                .platform_roles
                .iter()
                .map(|role| PlatformRole::word(role))
                .collect(),
        ),
        origins: heard.others.clone(),
    };
    let verdict = judge(rules, &call, &facts, now, zone);
    let arguments = trace::origins(&request).into_iter().map(|traced| Argument {
        argument: traced.argument,
        origin: traced.origin.to_string(),
    });
    Ok(TrialOutcome {
        call: name.to_owned(),
        class: command.class,
        outcome: verdict.outcome,
        why: verdict.reason.english(),
        rule: verdict.rule,
        limits: verdict.limits.into_iter().map(|limit| limit.reason.english()).collect(),
        arguments: arguments.collect(),
        labels: Labels {
            others: heard.others,
            private: heard.of_person,
            carries_out: call.leak.is_some(),
        },
    })
}

/// The words that a run has heard before the call, and the labels that follow from them.
#[derive(Default)]
struct Story {
    evidence: Evidence,
    /// The origins of words from outside that it has read.
    others: BTreeSet<String>,
    /// The commands whose results are private.
    of_person: BTreeSet<String>,
    /// The words that are known outside.
    outside: KnownWords,
    private: KnownWords,
}

impl Story {
    /// # Errors
    /// There is no such command.
    fn read(tools: &Registry, trial: &Trial) -> Result<Self, String> {
        let mut story = Self::default();
        for said in &trial.said {
            story.evidence.person_says(said);
            story.outside.learn(said);
        }
        let plan: Vec<_> = (trial.plan.iter())
            .map(|(command, at_most)| Announced {
                command: command.clone(),
                at_most: *at_most,
            })
            .collect();
        story.evidence.announce(&plan);
        if trial.tainted {
            story.others.insert("a web page".to_owned());
        }
        for heard in &trial.results {
            let name = &heard.command;
            let command =
                (tools.command(name)).ok_or_else(|| format!("there is no command `{name}` in the results"))?;
            let args = Value::Object(heard.args.clone());
            (story.evidence).hears(name, args, heard.result.clone(), command.untrusted);
            if command.untrusted {
                story.others.insert(name.clone());
            }
            if words::is_own(name) {
                story.private.learn_all(&heard.result);
                story.of_person.insert(name.clone());
            }
            if command.untrusted && words::is_public(name) {
                story.outside.learn_all(&heard.result);
            }
        }
        Ok(story)
    }

    fn leak(&self, tools: &Registry, request: &Request<'_>) -> Option<String> {
        let is_open = |name: &str| (tools.command(name)).is_some_and(|command| command.class != Class::Sensitive);
        let known = self.evidence.known_to(request.name, &self.outside, is_open);
        words::leak(request.args, request.schema, &known, &self.private)
    }

    /// Without anything that grounds it, nothing does.
    fn grounds(&self, trial: &Trial, request: &Request<'_>) -> Grounds {
        let is_told = !(trial.said.is_empty() && trial.plan.is_empty() && trial.results.is_empty());
        match (is_told, self.others.is_empty()) {
            (_, true) => Grounds::Said,
            (true, false) => trace::grounds(request),
            (false, false) => Grounds::Nothing(Fault {
                argument: None,
                source: None,
                was_announced: false,
            }),
        }
    }
}
