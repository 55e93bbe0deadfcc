//! Files: uploaded, listed, handed out and deleted.

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, FromRequest, Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use clifford_chat::inbound::Attachment;
use clifford_content::files::{FileError, NewFile};
use clifford_core::{
    id::{FileId, MessageId, UserId},
    search::Scope,
};
use clifford_store::files::{self, File};
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader, Writer},
    extract::{Id, Query, check_text},
    handler,
    messages::KEY,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};

/// The most bytes of a second of a recording: 48 kHz in 16 bits on two channels.
const DENSEST: u64 = 192_000;

/// A recording of a caller's voice.
#[derive(Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Voice {
    /// The file.
    pub(super) file_id: String,
    /// How long it plays, by which it is paid for. Left out: as long as any may.
    pub(super) seconds: Option<u32>,
}

impl From<FileError> for Problem {
    fn from(error: FileError) -> Self {
        let detail = error.to_string();
        match error {
            FileError::TooLarge { .. } => Self::new(Code::BodyTooLarge, detail),
            FileError::NoRoom { .. } => Self::new(Code::WrongState, detail),
            FileError::Gone { .. } => Self::new(Code::NotFound, detail),
            FileError::Unavailable(_) => Self::new(Code::DatabaseUnavailable, detail),
        }
    }
}

/// Which files.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct FilesQuery {
    /// The person; left out: the caller. Only a token with the scope `admin` may name somebody else.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Only files whose name contains this text; case does not matter.
    q: Option<String>,
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<FileId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of files, newest first.
#[utoipa::path(get, path = "/api/files", tag = "files", security(("bearer" = [])), params(FilesQuery),
    responses((status = 200, body = Page<File>), (status = 400, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<FilesQuery>,
) -> Result<Json<Page<File>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    let own = caller.own(&api).await?;
    if let Some(user) = wanted.user_id.filter(|user| Some(*user) != own) {
        if caller.only().is_none() && !caller.is_admin() {
            let detail = "they are another person's; only a token with the scope `admin` lists those";
            return Err(Problem::new(Code::MissingScope, detail).of_field("userId"));
        }
        let (object, what) = (Object::person(user), format!("user {user}"));
        caller.allow_field(&api, Need::Open, &object, "userId", what).await?;
    }
    let scope = wanted.user_id.or(own).map_or(Scope::Nothing, Scope::Person);
    let mut conn = api.db.read().await?;
    let found = files::visible(&mut conn, scope, wanted.q.as_deref(), wanted.before, limit + 1).await?;
    Ok(Json(Page::of(found, limit, |file| file.id.to_string())))
}

/// The name of an uploaded file.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct Named {
    /// Its name.
    name: String,
    /// The caller's own key: a repeat with the same key is the file of the first.
    #[param(max_length = 200)]
    idempotency_key: Option<String>,
}

/// Uploads a file: the body is its content. It belongs to the caller, and `fileIds` attaches it to a message.
#[utoipa::path(post, path = "/api/files", tag = "files", security(("bearer" = [])), params(Named),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 201, body = File), (status = 409, body = ProblemBody, description = "There is no room"),
        (status = 413, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn upload(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Query(Named { name, idempotency_key }): Query<Named>,
    request: Request,
) -> Result<(StatusCode, Json<File>), Problem> {
    check_text("name", &name, 1000)?;
    if let Some(key) = &idempotency_key {
        check_text("idempotencyKey", key, KEY)?;
    }
    let kept = &api.context.tools.services.files;
    let bytes = content_of(request, kept.most()).await?;
    let (user, channel) = api.ingress.api_visitor(caller.place(), caller.speaker()).await?;
    // A key is its caller's own: another person's repeat of it is another file.
    let key = idempotency_key.map(|key| clifford_vault::hash(&format!("upload {user} {key}")));
    let new = NewFile {
        name: api.context.masker().mask(&name).into_owned(),
        content: bytes,
        user: Some(user),
        place: Some((channel, None)),
        root_run: None,
        key,
    };
    let file = kept.create(&api.db, new, api.clock.now()).await?;
    Ok((StatusCode::CREATED, Json(file)))
}

/// A body of at most so many bytes: more than other routes take.
async fn content_of(mut request: Request, most: u64) -> Result<Bytes, Problem> {
    let limit = usize::try_from(most).unwrap_or(usize::MAX);
    DefaultBodyLimit::max(limit).apply(&mut request);
    Bytes::from_request(request, &()).await.map_err(|rejection| {
        if rejection.into_response().status() == StatusCode::PAYLOAD_TOO_LARGE {
            Problem::new(
                Code::BodyTooLarge,
                format!("at most {most} bytes are taken (files.max_file_bytes)"),
            )
        } else {
            Problem::new(Code::InvalidInput, "the body broke off")
        }
    })
}

/// The metadata of a file.
#[utoipa::path(get, path = "/api/files/{id}", tag = "files", security(("bearer" = [])),
    params(("id" = String, Path, description = "The file")),
    responses((status = 200, body = File), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<FileId>,
) -> Result<Json<File>, Problem> {
    find_file(&api, &caller, Need::Open, id).await.map(Json)
}

/// A file's content, as a download: no browser shows it as a page.
#[utoipa::path(get, path = "/api/files/{id}/content", tag = "files", security(("bearer" = [])),
    params(("id" = String, Path, description = "The file")),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn content(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<FileId>,
) -> Result<Response, Problem> {
    let file = find_file(&api, &caller, Need::Open, id).await?;
    let now = api.clock.now();
    let content = api.context.tools.services.files.content(&api.db, &file, now).await?;
    let media_type = file
        .media_type
        .as_deref()
        .and_then(|kind| HeaderValue::from_str(kind).ok());
    let media_type = media_type.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let head = [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_DISPOSITION, disposition(&file.name)),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("sandbox; default-src 'none'"),
        ),
    ];
    Ok((head, Body::from(content.bytes)).into_response())
}

/// `attachment` with the name in both of its forms: ASCII, and percent-encoded (RFC 6266).
fn disposition(name: &str) -> HeaderValue {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\') || c == ' ';
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let encoded: String = name
        .bytes()
        .map(|byte| match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    let text = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}");
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("attachment"))
}

/// Deletes a file.
#[utoipa::path(delete, path = "/api/files/{id}", tag = "files", security(("bearer" = [])),
    params(("id" = String, Path, description = "The file")),
    responses((status = 204, description = "It is gone"), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn delete(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<FileId>,
) -> Result<StatusCode, Problem> {
    find_file(&api, &caller, Need::Use, id).await?;
    api.db
        .write(move |tx| Box::pin(async move { files::delete(tx, id).await }))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Files as they go with a message of the caller's: their own, and each with one message. `earlier`: the message that
/// this one may repeat.
pub(super) async fn attachments(
    api: &Shared,
    caller: &Caller,
    ids: &[String],
    earlier: Option<MessageId>,
) -> Result<Vec<Attachment>, Problem> {
    let mut attachments = Vec::new();
    for text in ids {
        let unknown = || Problem::input("fileIds", format!("there is no file {text}"));
        let id: FileId = text.parse().map_err(|_| unknown())?;
        let file = find_file(api, caller, Need::Use, id).await.map_err(|_| unknown())?;
        if file.message_id.is_some() && file.message_id != earlier {
            return Err(Problem::input(
                "fileIds",
                format!("file {text} went with a message already"),
            ));
        }
        attachments.push(Attachment {
            kind: "document".to_owned(),
            id: file.id.to_string(),
            name: Some(file.name),
            media_type: file.media_type,
            size: file.size.and_then(|size| u64::try_from(size).ok()),
            seconds: None,
        });
    }
    Ok(attachments)
}

/// A recording as the voice of whoever sends it. It lasts at least as long as its bytes do, whatever the sender says.
pub(super) async fn store_voice(
    api: &Shared,
    caller: &Caller,
    voice: &Voice,
    earlier: Option<MessageId>,
) -> Result<Attachment, Problem> {
    let ids = std::slice::from_ref(&voice.file_id);
    let files = attachments(api, caller, ids, earlier).await;
    let file = files.map_err(|problem| problem.of_field("voice"))?.into_iter().next();
    let file = file.ok_or_else(|| Problem::input("voice", "there is no such file"))?;
    let is_recording = |kind: &str| ["audio/", "video/"].iter().any(|is| kind.starts_with(is));
    if !file.media_type.as_deref().is_some_and(is_recording) {
        return Err(Problem::input("voice", "it is no recording"));
    }
    let least = u32::try_from(file.size.unwrap_or_default() / DENSEST).unwrap_or(u32::MAX);
    Ok(Attachment {
        kind: "voice".to_owned(),
        name: None,
        seconds: voice.seconds.map(|seconds| seconds.max(least)),
        ..file
    })
}

/// A file that the caller may do this with.
async fn find_file(api: &Shared, caller: &Caller, need: Need, id: FileId) -> Result<File, Problem> {
    let unknown = || format!("file {id}");
    let file = files::get(&mut api.db.read().await?, id).await?;
    let file = file.ok_or_else(|| Problem::not_found(unknown()))?;
    caller.allow(api, need, &Object::file(&file), unknown()).await?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_into_a_header_whatever_it_holds() {
        let cases = [
            (
                "a b.txt",
                "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt",
            ),
            (
                "Zürich.md",
                "attachment; filename=\"Z_rich.md\"; filename*=UTF-8''Z%C3%BCrich.md",
            ),
            (
                "a\"; x=\"b",
                "attachment; filename=\"a_; x=_b\"; filename*=UTF-8''a%22%3B%20x%3D%22b",
            ),
        ];
        for (name, expected) in cases {
            assert_eq!(disposition(name), expected, "{name}");
        }
    }
}
