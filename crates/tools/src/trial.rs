//! The verdict on a call: nothing is called, and nothing counted.

use clifford_core::{
    clock::Timestamp,
    id::{ContextId, SpaceId, UserId},
    people::UserRole,
    policy::{
        Call, Facts, Named, Outcome, Place, Settings,
        class::Class,
        judge,
        trace::{Fault, Grounds},
        words::{self, Known},
    },
    runs::RunKind,
};
use clifford_store::places::policies::Policy;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Registry;

/// Who would call, and where. What is left out is so: a coordinator that has read nothing from outside, in private, of
/// nobody known.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct Trial {
    /// The kind of run; left out: `coordinator`.
    pub kind: Option<RunKind>,
    /// The platform.
    pub platform: Option<String>,
    /// Who reads along; left out: `private`.
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
    /// What they may do.
    pub role: Option<UserRole>,
    /// It has read words from outside.
    pub tainted: bool,
}

/// What would become of a call.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tried {
    /// The call.
    pub call: String,
    /// Its class.
    pub class: Class,
    /// What would become of it.
    pub outcome: Outcome,
    /// Why.
    pub why: String,
    /// The rule that decided; left out: the default profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The limits that it would count against.
    pub limits: Vec<String>,
}

/// Every rule that holds: the database's, the configuration's, the built-in ones.
pub fn rules(settings: &Settings, made: Vec<Policy>) -> Vec<Named> {
    let mut rules = settings.named();
    rules.extend(made.into_iter().map(|policy| Named {
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
    rules: &[Named],
    name: &str,
    args: &Map<String, Value>,
    trial: &Trial,
    now: Timestamp,
    zone: &str,
) -> Result<Tried, String> {
    let command = tools
        .command(name)
        .ok_or_else(|| format!("there is no command `{name}`; write one as compute.eval"))?;
    let call = Call {
        name,
        class: command.class,
        args,
        leak: (command.reaches_out && trial.tainted)
            .then(|| words::leak(args, &command.schema, &Known::default(), &Known::default()))
            .flatten(),
        grounds: Grounds::Nothing(Fault {
            argument: None,
            source: None,
            was_announced: false,
        }),
    };
    let origins = trial.tainted.then(|| "words from outside".to_owned());
    let facts = Facts {
        kind: trial.kind.unwrap_or(RunKind::Coordinator),
        platform: trial.platform.clone(),
        place: trial.place,
        space: trial.space,
        context: trial.context,
        user: trial.user,
        role: trial.role,
        origins: origins.into_iter().collect(),
    };
    let verdict = judge(rules, &call, &facts, now, zone);
    Ok(Tried {
        call: name.to_owned(),
        class: command.class,
        outcome: verdict.outcome,
        why: verdict.why,
        rule: verdict.rule,
        limits: verdict.limits.into_iter().map(|limit| limit.why).collect(),
    })
}
