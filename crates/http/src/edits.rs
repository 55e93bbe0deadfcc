//! A caller's last message, edited and answered anew.

use axum::{Json, extract::State, http::StatusCode};
use clifford_core::id::MessageId;
use clifford_ingress::ApiEdit;
use clifford_store::messages;
use serde::Deserialize;

use super::{
    Shared,
    accepted::Accepted,
    access::{Caller, Need, Object, Writer},
    extract::{Body, Id, check_text},
    handler,
    pace::LONGEST,
    problem::{Code, Problem, ProblemBody},
    runs,
};

/// The new text of a message.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageEdit {
    /// The text; the same as before has it answered once more.
    #[schema(max_length = 1_048_576)]
    content: String,
}

/// Edits the caller's last message in a conversation of their own, and has it answered anew, also if that failed. What was
/// answered before is taken back: prompts and search leave it out. What its run did stays done.
#[utoipa::path(patch, path = "/api/messages/{id}", tag = "messages", security(("bearer" = [])),
    params(("id" = String, Path, description = "The message")), request_body = MessageEdit,
    responses((status = 202, body = Accepted, description = "Stored; its run goes on"),
        (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "It is not the last one, not the caller's own, or nothing answers it"),
        (status = 422, body = ProblemBody),
        (status = 429, body = ProblemBody, description = "A person's token sends too many in a minute")))]
#[handler]
pub(super) async fn edit(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<MessageId>,
    Body(new): Body<MessageEdit>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    check_text("content", &new.content, LONGEST)?;
    let unknown = || Problem::not_found(format!("message {id}"));
    let found = messages::get(&mut api.db.read().await?, id).await?;
    let object = found.as_ref().map_or_else(Object::nobodys, Object::message);
    caller
        .allow(&api, Need::Change, &object, format!("message {id}"))
        .await?;
    let found = found.ok_or_else(unknown)?;
    let Some(author) = caller.own(&api).await?.filter(|own| found.user_id == Some(*own)) else {
        return Err(Problem::new(Code::WrongState, "only its author edits a message"));
    };
    let edit = ApiEdit {
        message: id,
        author,
        text: new.content,
        place: caller.place(),
        speaker: caller.speaker(),
        is_limited: caller.only().is_some(),
    };
    let stored = api.ingress.api_edit(edit).await?;
    let run = match stored.run {
        Some(run) => Some(runs::one(&api, run).await?),
        None => None,
    };
    Ok((StatusCode::ACCEPTED, Json(Accepted::at_once(stored.message, run))))
}
