//! Why the rules decided on a run's calls as they did.

use std::collections::BTreeSet;

use axum::{Json, extract::State};
use clifford_core::{clock::Timestamp, id::RunId, policy::PolicyOutcome, run::step::deleted_at};
use clifford_engine::run::verdicts::{self, CallVerdict};
use clifford_store::runs::steps;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Shared,
    access::{Caller, Need, Reader},
    extract::Id,
    handler,
    problem::{Problem, ProblemBody},
    question,
    runs::{allowed, reader_of},
};

/// The verdicts on a run's calls.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Why {
    /// The run.
    #[schema(value_type = String)]
    run_id: RunId,
    /// Its calls, in order. One that was asked for before it was made stands there twice.
    calls: Vec<CallWhy>,
    /// When retention deleted the steps of the run, and with them its calls; `null`: it did not.
    #[schema(value_type = Option<String>)]
    steps_deleted_at: Option<Timestamp>,
}

/// A call of a run, and what the rules of now say of it.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct CallWhy {
    /// The step in which it was made, or asked for.
    seq: u32,
    /// `tool.command`.
    call: String,
    /// Its arguments.
    #[schema(value_type = Object)]
    args: Map<String, Value>,
    /// The verdict; `null`: the call cannot be made any more.
    outcome: Option<PolicyOutcome>,
    /// Why, in a sentence.
    why: Option<String>,
    /// The rule that decided; `null`: the built-in profile did.
    rule: Option<String>,
    /// The limits that it counts against.
    limits: Vec<String>,
    /// Where the words from outside come from that the run had read by then.
    origins: BTreeSet<String>,
    /// Where its arguments come from.
    arguments: Vec<ArgumentWhy>,
}

/// An argument of a call.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ArgumentWhy {
    /// Where it stands among the arguments.
    argument: String,
    /// Where it comes from, in words.
    origin: String,
}

impl CallWhy {
    fn of(judged: CallVerdict, reader: question::Reader) -> Self {
        let verdict = judged.verdict;
        let limits = verdict.iter().flat_map(|verdict| &verdict.limits);
        Self {
            seq: judged.seq,
            call: judged.call.name,
            args: judged.call.args,
            outcome: verdict.as_ref().map(|verdict| verdict.outcome),
            limits: limits.map(|limit| limit.key.clone()).collect(),
            why: verdict.as_ref().map(|verdict| verdict.reason.english()),
            rule: verdict.and_then(|verdict| verdict.rule),
            origins: judged.origins,
            arguments: (judged.traced.into_iter())
                .map(|traced| ArgumentWhy {
                    argument: traced.argument,
                    origin: reader.origin(traced.origin.to_string()),
                })
                .collect(),
        }
    }
}

/// Why the rules allow, ask about or deny each call of a run: judged once more in the state in which it was decided on, by
/// the rules of now. Nothing is called or counted.
#[utoipa::path(get, path = "/api/runs/{id}/why", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = Why), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn why(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<RunId>,
) -> Result<Json<Why>, Problem> {
    let run = allowed(&api, &caller, Need::See, id).await?;
    let reader = reader_of(&api, &caller, &run).await?;
    let steps_deleted_at = deleted_at(&steps::of_run(&mut api.db.read().await?, id).await?);
    let found = verdicts::verdicts(&api.context, id).await?;
    Ok(Json(Why {
        run_id: id,
        steps_deleted_at,
        calls: found.into_iter().map(|judged| CallWhy::of(judged, reader)).collect(),
    }))
}
