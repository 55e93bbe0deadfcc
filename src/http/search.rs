//! Search over messages.

use axum::{Json, extract::State};
use serde::Deserialize;

use super::{
    Shared,
    auth::Reader,
    extract::Query,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};
use crate::{
    id::{ChannelId, UserId},
    search::{self, Cursor, Found, Scope},
};

/// What is looked for, and where.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Words that must all be there, the last one perhaps unfinished; "quoted" ones as a phrase.
    q: String,
    /// In the private channels of this person.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// In this channel; with `userId`, if it is a private one of that person.
    #[param(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// What `next` of the page before said.
    #[param(value_type = Option<String>)]
    before: Option<String>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of the messages that hold what is asked for, best first. A search is always in a person's private channels
/// or in one channel.
#[utoipa::path(get, path = "/api/search", tag = "messages", security(("bearer" = [])), params(Wanted),
    responses((status = 200, body = Page<Found>), (status = 400, body = ProblemBody)))]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Page<Found>>, Problem> {
    let wrong = |field: &str, detail: &str| Problem::new(Code::InvalidQuery, detail).of_field(field);
    let scope = match (wanted.user_id, wanted.channel_id) {
        (Some(user), Some(channel)) => Scope::Both(user, channel),
        (Some(user), None) => Scope::Person(user),
        (None, Some(channel)) => Scope::Channel(channel),
        (None, None) => return Err(wrong("userId", "say where to look: give userId, channelId or both")),
    };
    let request = search::Request {
        query: search::Query::parse(&wanted.q).ok_or_else(|| wrong("q", "there is no word in it to look for"))?,
        scope,
        except: None,
        from: wanted
            .before
            .map(|text| text.parse::<Cursor>())
            .transpose()
            .map_err(|fault| wrong("before", fault))?,
        limit: page::limit(wanted.limit)?,
    };
    let found = search::find(&api.engine.db, request).await?;
    Ok(Json(Page::with_next(
        found.items,
        found.next.map(|next| next.to_string()),
    )))
}
