//! Taking back what a run changed of its person's own things.

use axum::{Json, extract::State};
use clifford_core::id::RunId;
use clifford_engine::run::undoing::{self, Undoer, Undone};
use clifford_tools::undoing::UndoReport;
use serde::Serialize;

use super::{
    Shared,
    access::{Caller, Need, Writer},
    extract::Id,
    handler,
    problem::{Code, Problem, ProblemBody},
    runs,
};

/// The effects that were taken back.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct UndoneBody {
    /// The things that are as they were before, in words.
    undone: Vec<String>,
    /// The things that stay as they are, and why.
    kept: Vec<String>,
}

/// Takes back the reminders and memories that a run set or changed: within an hour, once.
#[utoipa::path(post, path = "/api/runs/{id}/undo", tag = "runs", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")),
    responses((status = 200, body = UndoneBody), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody,
            description = "There is nothing to undo, it was undone before or is too long ago, or the caller may not")))]
#[handler]
pub(super) async fn undo(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<RunId>,
) -> Result<Json<UndoneBody>, Problem> {
    runs::allowed(&api, &caller, Need::Change, id).await?;
    let whose = match caller.own(&api).await? {
        _ if caller.is_admin() => Undoer::Operator,
        Some(own) => Undoer::User(own),
        None => {
            let detail = format!("run {id}: only its person or an owner may undo it");
            return Err(Problem::new(Code::WrongState, detail));
        }
    };
    match undoing::from_outside(&api.db, id, whose, api.clock.now()).await? {
        Undone::Done { undone, kept } => {
            // A reminder may be due again.
            api.context.notify.runs.notify_one();
            Ok(Json(UndoneBody {
                undone: undone.iter().map(UndoReport::english).collect(),
                kept: kept.iter().map(UndoReport::english).collect(),
            }))
        }
        other => Err(Problem::new(
            Code::WrongState,
            format!("run {id}: {}", other.sentence()),
        )),
    }
}
