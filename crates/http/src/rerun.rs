//! A run once more from one of its steps, and two runs side by side.

use std::collections::BTreeMap;

use axum::{Json, extract::State};
use clifford_core::{
    id::RunId,
    run::{
        comparison::{Pair, side_by_side},
        rerun::{Effect, RerunEnd, RerunSpent},
    },
    runs::Run,
};
use clifford_engine::run::rerun::{self as engine, OtherPrompt, RerunError, RerunReport, RerunRequest};
use clifford_store::runs::steps;
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    access::{Caller, Need, Reader, Writer},
    extract::{Body, Id, Query, check_text},
    handler,
    pace::{self, LONGEST},
    problem::{Code, Problem, ProblemBody},
    runs::allowed,
    step::StepView,
};

/// The longest name of a model.
const MODEL: usize = 200;

/// The changes of a rerun.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NewRerun {
    /// The step from which on the model is asked once more; left out: the first request to it. A step between two
    /// requests means the later one.
    from: Option<u32>,
    /// Another model: the name of a choice, `model`, or `provider/model`.
    model: Option<String>,
    /// Another prompt of the agent. Only owners give one.
    #[schema(max_length = 1_048_576)]
    prompt: Option<String>,
    /// A version of the agent's prompt. Only owners choose one.
    prompt_version: Option<u32>,
    /// The first reply, in place of the model's.
    #[schema(max_length = 1_048_576)]
    reply: Option<String>,
}

/// A step on each side.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct StepPair {
    /// Both did the same: their times, ids and costs do not count.
    same: bool,
    /// The step on the left: of a rerun, the recorded one.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<StepView>,
    /// The step on the right: of a rerun, its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    right: Option<StepView>,
    /// The outcome of the step's effect; left out for steps of the recorded run.
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<Effect>,
}

fn pairs(found: Vec<Pair<'_>>, effects: &BTreeMap<u32, Effect>) -> Vec<StepPair> {
    let pairs = found.into_iter();
    pairs
        .map(|pair| StepPair {
            same: pair.is_same,
            left: pair.left.map(StepView::from),
            right: pair.right.map(StepView::from),
            effect: pair.right.and_then(|step| effects.get(&step.seq).copied()),
        })
        .collect()
}

/// A rerun. Nothing of it is stored but what it cost.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RerunView {
    /// The run.
    #[schema(value_type = String)]
    run_id: RunId,
    /// The step that it begins at.
    from: u32,
    /// How it ended.
    end: RerunEnd,
    /// Its first prompt is the recorded one, letter by letter. Memories, settings and tools are those of now.
    same_prompt: bool,
    /// Its requests to models, at the expense of its requester.
    spent: RerunSpent,
    /// The recorded steps and those of the rerun, side by side.
    steps: Vec<StepPair>,
}

impl From<RerunReport> for RerunView {
    fn from(report: RerunReport) -> Self {
        Self {
            run_id: report.run.id,
            from: report.from,
            end: report.end.clone(),
            same_prompt: report.is_same_prompt,
            spent: report.spent(),
            steps: pairs(report.pairs(), &report.effects),
        }
    }
}

/// Does a run once more from one of its steps on. The model is really asked; effects are answered from the recorded run,
/// and what is new is shown and not carried out. Nothing is sent or stored, but what the model costs. A caller who hangs
/// up stops it.
#[utoipa::path(post, path = "/api/runs/{id}/rerun", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")), request_body = NewRerun,
    responses((status = 200, body = RerunView), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "The run never asked a model"),
        (status = 422, body = ProblemBody),
        (status = 429, body = ProblemBody,
            description = "Too many are at work, or a person's token begins too many in a minute")))]
#[handler]
pub(super) async fn rerun(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<RunId>,
    Body(new): Body<NewRerun>,
) -> Result<Json<RerunView>, Problem> {
    allowed(&api, &caller, Need::Change, id).await?;
    let prompt = prompt(&caller, &new)?;
    if let Some(model) = &new.model {
        check_text("model", model, MODEL)?;
    }
    if let Some(reply) = &new.reply {
        check_text("reply", reply, LONGEST)?;
    }
    pace::check_pace(&api, &caller).await?;
    let request = RerunRequest {
        run: id,
        from: new.from,
        model: new.model,
        prompt,
        reply: new.reply,
        asker: caller.own(&api).await?,
    };
    let report = engine::rerun(&api.context, request).await?;
    Ok(Json(report.into()))
}

/// The other prompt of a rerun: what the bot is told is its owner's choice.
fn prompt(caller: &Caller, new: &NewRerun) -> Result<Option<OtherPrompt>, Problem> {
    let (field, prompt) = match (&new.prompt, new.prompt_version) {
        (None, None) => return Ok(None),
        (Some(text), None) => {
            check_text("prompt", text, LONGEST)?;
            ("prompt", OtherPrompt::Text(text.clone()))
        }
        (None, Some(version)) => ("promptVersion", OtherPrompt::Version(version.into())),
        (Some(_), Some(_)) => return Err(Problem::input("promptVersion", "give either it or `prompt`")),
    };
    caller
        .allow_bot(Need::Administer)
        .map_err(|problem| problem.of_field(field))?;
    Ok(Some(prompt))
}

impl From<RerunError> for Problem {
    fn from(error: RerunError) -> Self {
        let told = error.to_string();
        match error {
            RerunError::NeverAsked(_) | RerunError::Deleted(_) => Self::new(Code::WrongState, told),
            RerunError::Model { .. } => Self::input("model", told),
            RerunError::Version(_) => Self::input("promptVersion", told),
            RerunError::Busy => Self::new(Code::TooManyConnections, told),
            RerunError::Store(error) => error.into(),
        }
    }
}

/// Which run stands on the right.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct CompareQuery {
    /// The run on the right.
    #[param(value_type = String)]
    with: RunId,
}

/// Two runs side by side.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct Comparison {
    /// The run on the left.
    left: Run,
    /// The run on the right.
    right: Run,
    /// Their steps.
    steps: Vec<StepPair>,
}

/// Two runs side by side, step by step.
#[utoipa::path(get, path = "/api/runs/{id}/compare", tag = "runs", security(("bearer" = [])), params(CompareQuery,
        ("id" = String, Path, description = "The run on the left")),
    responses((status = 200, body = Comparison), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn compare(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<RunId>,
    Query(wanted): Query<CompareQuery>,
) -> Result<Json<Comparison>, Problem> {
    let left = allowed(&api, &caller, Need::See, id).await?;
    let right = allowed(&api, &caller, Need::See, wanted.with)
        .await
        .map_err(|problem| problem.of_field("with"))?;
    let mut conn = api.db.read().await?;
    let (ours, theirs) = (
        steps::of_run(&mut conn, left.id).await?,
        steps::of_run(&mut conn, right.id).await?,
    );
    Ok(Json(Comparison {
        left,
        right,
        steps: pairs(side_by_side(&ours, &theirs), &BTreeMap::new()),
    }))
}
