//! The replay of a run: the engine's state and decision at each step.

use axum::{Json, extract::State};
use clifford_core::{id::RunId, runs::RunStatus};
use clifford_store::runs::steps;
use serde::Serialize;
use serde_json::Value;

use super::{
    Shared,
    access::{Caller, Need, Reader},
    extract::Id,
    handler,
    problem::{Problem, ProblemBody},
    runs::allowed,
    step::StepView,
};

/// A run told again.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replay {
    /// The run.
    #[schema(value_type = String)]
    run_id: RunId,
    /// Where it stands.
    status: RunStatus,
    /// Its iterations, in order.
    iterations: Vec<ReplayIteration>,
}

/// One iteration: from a question to the model to the next one.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ReplayIteration {
    /// Its number; repeats for unreadable replies are not counted.
    iteration: u32,
    /// Its steps, in order.
    steps: Vec<ReplayStep>,
}

/// One step, and what the engine knew then.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct ReplayStep {
    /// The step.
    #[serde(flatten)]
    step: StepView,
    /// The state of the run after this step.
    #[schema(value_type = Object)]
    state: Value,
    /// The decision of the engine on the reply, if the step is one.
    #[schema(value_type = Option<Object>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Value>,
}

/// The fold of a run's steps, iteration by iteration: the engine's state and its decision on each reply.
#[utoipa::path(get, path = "/api/runs/{id}/replay", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = Replay), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn replay(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<RunId>,
) -> Result<Json<Replay>, Problem> {
    let run = allowed(&api, &caller, Need::See, id).await?;
    let steps = steps::of_run(&mut api.db.read().await?, id).await?;
    let mut rules = api.context.settings.rules.clone();
    // Those of servers too, as they are now.
    let options = api.context.tools.options(&[]);
    rules.single_commands = api.context.tools.registry.single_commands(&options);
    let iterations = clifford_core::run::replay::replay(&run, &rules, &steps)
        .into_iter()
        .map(|iteration| ReplayIteration {
            iteration: iteration.number,
            steps: iteration
                .frames
                .into_iter()
                .map(|frame| ReplayStep {
                    step: StepView::from(frame.step),
                    state: frame.state,
                    decision: frame.decision,
                })
                .collect(),
        })
        .collect();
    Ok(Json(Replay {
        run_id: id,
        status: run.status,
        iterations,
    }))
}
