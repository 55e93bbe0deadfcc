//! Search over messages.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    auth::Reader,
    extract::Query,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};
use crate::{
    clock::Timestamp,
    id::{ChannelId, ContextId, MessageId, UserId},
    search::{self, Cursor, Found, Scope},
    store::messages::Direction,
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

/// A message that was found.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Match {
    /// The message.
    #[schema(value_type = String)]
    id: MessageId,
    /// Where it was said.
    #[schema(value_type = String)]
    channel_id: ChannelId,
    /// The platform's name.
    platform: String,
    /// The channel's name.
    channel_name: Option<String>,
    /// In which conversation.
    #[schema(value_type = String)]
    context_id: ContextId,
    /// Its name.
    context_name: Option<String>,
    /// Which way it went.
    direction: Direction,
    /// Around what was found, in Markdown; what was found is bold.
    snippet: String,
    /// When it was stored.
    #[schema(value_type = String)]
    created_at: Timestamp,
}

impl From<Found> for Match {
    fn from(found: Found) -> Self {
        Self {
            id: found.id,
            channel_id: found.channel_id,
            platform: found.platform,
            channel_name: found.channel_name,
            context_id: found.context_id,
            context_name: found.context_name,
            direction: found.direction,
            snippet: found.snippet,
            created_at: found.created_at,
        }
    }
}

/// A page of the messages that hold what is asked for, best first. A search is always in a person's private channels
/// or in one channel.
#[utoipa::path(get, path = "/api/search", tag = "messages", security(("bearer" = [])), params(Wanted),
    responses((status = 200, body = Page<Match>), (status = 400, body = ProblemBody)))]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Page<Match>>, Problem> {
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
    let items = found.items.into_iter().map(Match::from).collect();
    Ok(Json(Page::with_next(items, found.next.map(|next| next.to_string()))))
}
