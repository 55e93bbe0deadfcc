//! `GET /api/users/{id}/export`: all that is kept of a person, as it is read. A connection of the database is held for a
//! page of it, and not while its reader takes that.

use axum::{
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use clifford_core::id::UserId;
use clifford_engine::jobs::export::{self, Export};
use clifford_store::{StoreError, people::users};

use super::{
    Shared,
    access::{Caller, Need, Object},
    extract::Id,
    handler,
    problem::{Problem, ProblemBody},
    stream::Seat,
};

/// The export of a person's data, as JSON Lines: an object a line, whose `type` names its kind.
#[utoipa::path(get, path = "/api/users/{id}/export", tag = "users", security(("bearer" = [])),
    params(("id" = String, Path, description = "The person")),
    responses((status = 200, body = String, content_type = "application/jsonl"), (status = 404, body = ProblemBody),
        (status = 429, body = ProblemBody, description = "The token has too many streams open")))]
#[handler]
pub(super) async fn export(State(api): State<Shared>, caller: Caller, Id(id): Id<UserId>) -> Result<Response, Problem> {
    caller
        .allow(&api, Need::Export, &Object::person(id), format!("user {id}"))
        .await?;
    if users::get(&mut api.db.read().await?, id).await?.is_none() {
        return Err(Problem::not_found(format!("user {id}")));
    }
    let seat = Seat::take(&api, caller.token())?;
    let now = api.clock.now();
    let begun = (api, seat, Export::of(vec![id], now));
    let lines = futures::stream::try_unfold(begun, move |(api, seat, mut export)| async move {
        match page(&api, &mut export).await {
            Ok(lines) => Ok::<_, StoreError>(lines.map(|lines| (lines, (api, seat, export)))),
            Err(error) => {
                // The head was sent: all that can be done is to break off.
                tracing::warn!(user_id = %id, %error, "failed to finish an export");
                Err(error)
            }
        }
    });
    let disposition = format!("attachment; filename=\"{}\"", export::file_name(now));
    let head = [
        (header::CONTENT_TYPE, "application/jsonl".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((head, Body::from_stream(lines)).into_response())
}

async fn page(api: &Shared, under_way: &mut Export) -> Result<Option<String>, StoreError> {
    under_way.next(&mut api.db.read().await?).await
}
