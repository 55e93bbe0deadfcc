//! Search over messages.

use axum::{Json, extract::State};
use clifford_content::search::find::SearchHit;
use clifford_core::{
    id::{ChannelId, UserId},
    search::{self, Cursor, Form, Scope, SearchInput},
};
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Reader},
    extract::Query,
    handler,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};

/// The words to search for, and where.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct SearchQuery {
    /// A question or a few words. Any word counts, in any form; more and rarer ones rank higher; "quoted" words are
    /// required as a phrase. Messages of a time that it names ("in May", "last week") are ranked higher; a time alone,
    /// or nothing beside `from` or `to`, lists the messages of that time, the newest first.
    q: String,
    /// In the private channels of this person.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// In this channel; with `userId`, if it is a private one of that person.
    #[param(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// Only messages from then on: `2026-03-15`, `2026-03`, `2026`, `16.03.2026`, `yesterday`, `2026-03-15T11:00` by
    /// the server's time zone, or RFC 3339. A time that is not wholly understood is refused.
    from: Option<String>,
    /// Only messages until then, the day, month or year included.
    to: Option<String>,
    /// The `next` of the page before.
    #[param(value_type = Option<String>)]
    before: Option<String>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of the messages that answer a question, best first, each with those before and after it. Neighbours of a
/// match may hold no word of the question. A search is always in a person's private channels or in one channel.
#[utoipa::path(get, path = "/api/search", tag = "messages", security(("bearer" = [])), params(SearchQuery),
    responses((status = 200, body = Page<SearchHit>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<SearchQuery>,
) -> Result<Json<Page<SearchHit>>, Problem> {
    let wrong = |field: &str, detail: &str| Problem::new(Code::InvalidQuery, detail).of_field(field);
    if let Some(channel) = wanted.channel_id {
        caller.sees_channel(&api, channel).await?;
    }
    let user = match (wanted.user_id, wanted.channel_id) {
        // A caller who may see a channel finds all of it.
        (None, Some(_)) => None,
        (user, _) => caller.owner_filter(&api, user).await?,
    };
    let scope = match (user, wanted.channel_id) {
        (Some(user), Some(channel)) => Scope::Both(user, channel),
        (Some(user), None) => Scope::Person(user),
        (None, Some(channel)) => Scope::Channel(channel),
        (None, None) => return Err(wrong("userId", "say where to look: give userId, channelId or both")),
    };
    let asked = SearchInput {
        text: &wanted.q,
        from: wanted.from.as_deref(),
        to: wanted.to.as_deref(),
    };
    let zone = api.context.settings.zone();
    let request = search::Request::read(asked, scope, zone, api.clock.now())
        .map_err(|fault| wrong(if fault.field == "query" { "q" } else { fault.field }, &fault.detail))?;
    let request = search::Request {
        cursor: wanted
            .before
            .map(|text| text.parse::<Cursor>())
            .transpose()
            .map_err(|fault| wrong("before", fault))?,
        limit: page::limit(wanted.limit)?,
        form: Form::Markdown,
        ..request
    };
    let found = clifford_content::search::find::find(&api.db, request).await?;
    Ok(Json(Page::with_next(
        found.items,
        found.next.map(|next| next.to_string()),
    )))
}
