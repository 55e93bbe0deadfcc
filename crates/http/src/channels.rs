//! Channels.

use axum::{
    Json,
    extract::{Request, State},
};
use clifford_chat::{inbound::Place, platform::Platform};
use clifford_core::{
    id::{AgentId, ChannelId, SpaceId},
    places::{Channel, Mode},
};
use clifford_store::{
    StoreError,
    places::{agents, channels},
};
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader},
    extract::{Id, Query, body, check_text, nullable},
    handler,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};

/// Which channels.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct ChannelsQuery {
    /// Only those of this space.
    #[param(value_type = Option<String>)]
    space_id: Option<SpaceId>,
    /// Only older than this one.
    #[param(value_type = Option<String>)]
    before: Option<ChannelId>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of channels, newest first. A person's token lists their own, and by `spaceId` those of a space that their
/// person manages.
#[utoipa::path(get, path = "/api/channels", tag = "channels", security(("bearer" = [])), params(ChannelsQuery),
    responses((status = 200, body = Page<Channel>), (status = 400, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<ChannelsQuery>,
) -> Result<Json<Page<Channel>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    if let Some(space) = wanted.space_id {
        let (object, what) = (Object::Space(space), format!("space {space}"));
        caller.allow_field(&api, Need::See, &object, "spaceId", what).await?;
    }
    let mut conn = api.db.read().await?;
    let found = match (wanted.space_id, caller.only()) {
        (Some(space), _) => channels::page_in(&mut conn, space, wanted.before, limit + 1).await?,
        (None, Some(user)) => channels::page_of(&mut conn, user, wanted.before, limit + 1).await?,
        (None, None) => channels::page(&mut conn, wanted.before, limit + 1).await?,
    };
    Ok(Json(Page::of(found, limit, |channel| channel.id.to_string())))
}

/// One channel.
#[utoipa::path(get, path = "/api/channels/{id}", tag = "channels", security(("bearer" = [])),
    params(("id" = String, Path, description = "The channel")),
    responses((status = 200, body = Channel), (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn get(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Id(id): Id<ChannelId>,
) -> Result<Json<Channel>, Problem> {
    find_visible(&api, &caller, Need::See, id).await.map(Json)
}

/// Changes to a channel; a field that is left out stays as it is.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ChannelChange {
    /// Whether the bot answers there.
    enabled: Option<bool>,
    /// Its name; a platform may name it again.
    name: Option<String>,
    /// Its own agent; `null`: the default one.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>)]
    agent_id: Option<Option<AgentId>>,
    /// How it is answered there; where its agent chats, it is always by chat.
    mode: Option<Mode>,
}

/// Changes a channel.
#[utoipa::path(patch, path = "/api/channels/{id}", tag = "channels", security(("bearer" = [])),
    request_body = ChannelChange, params(("id" = String, Path, description = "The channel")),
    responses((status = 200, body = Channel), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[handler]
pub(super) async fn change(
    State(api): State<Shared>,
    caller: Caller,
    Id(id): Id<ChannelId>,
    request: Request,
) -> Result<Json<Channel>, Problem> {
    if caller.only().is_none() {
        caller.allow_bot(Need::Administer)?;
    }
    find_visible(&api, &caller, Need::Administer, id).await?;
    let change: ChannelChange = body(request, &api).await?;
    if let Some(name) = &change.name {
        check_text("name", name, 200)?;
    }
    if let Some(Some(agent)) = change.agent_id {
        let known = agents::get(&mut api.db.read().await?, agent).await?;
        known.ok_or_else(|| Problem::input("agentId", format!("there is no agent {agent}")))?;
    }
    let now = api.clock.now();
    let change = channels::Change {
        enabled: change.enabled,
        name: change.name,
        agent: change.agent_id,
        mode: change.mode,
    };
    api.db
        .write(move |tx| Box::pin(async move { channels::change(tx, id, &change, now).await }))
        .await?;
    one(&api, id).await.map(Json)
}

/// A channel that the caller may do this with.
async fn find_visible(api: &Shared, caller: &Caller, need: Need, id: ChannelId) -> Result<Channel, Problem> {
    let channel = one(api, id).await?;
    caller
        .allow(api, need, &Object::channel(&channel), format!("channel {id}"))
        .await?;
    Ok(channel)
}

/// One channel.
pub(super) async fn one(api: &Shared, id: ChannelId) -> Result<Channel, Problem> {
    channels::get(&mut api.db.read().await?, id)
        .await?
        .ok_or_else(|| Problem::not_found(format!("channel {id}")))
}

/// Where a caller speaks: in a web channel that is named, else in one of its own.
pub(super) async fn place(api: &Shared, caller: &Caller, id: Option<ChannelId>) -> Result<Place, Problem> {
    let Some(id) = id else {
        let own = caller.place();
        let known = channels::by_place(&mut api.db.read().await?, own.platform, &own.external_id).await?;
        known.map_or(Ok(()), |channel| answering(&channel))?;
        return Ok(own);
    };
    let channel = one(api, id).await?;
    spoken_in(api, caller, &channel).await?;
    if channel.platform().map_err(StoreError::Corrupt)? != Platform::WEB {
        let detail = format!(
            "people write to it on {}; the API writes to web channels",
            channel.platform
        );
        return Err(Problem::new(Code::ChannelNotWeb, detail).of_field("channelId"));
    }
    answering(&channel)?;
    Ok(Place {
        platform: Platform::WEB,
        external_id: channel.external_id,
        parent: None,
        kind: channel.kind.into(),
        name: None,
        space: None,
    })
}

/// Refuses a channel where the caller may not speak: another person's private one, and a group that they do not manage.
///
/// # Errors
/// 404 or 403, about the field `channelId`.
pub(super) async fn spoken_in(api: &Shared, caller: &Caller, channel: &Channel) -> Result<(), Problem> {
    let (object, what) = (Object::channel(channel), format!("channel {}", channel.id));
    caller
        .allow_field(api, Need::Change, &object, "channelId", what)
        .await
        .map(|_| ())
}

/// Refuses a channel that was turned off.
pub(super) fn answering(channel: &Channel) -> Result<(), Problem> {
    if channel.is_turned_off() {
        let detail = "turn it on again with PATCH /api/channels/{id}";
        return Err(Problem::new(Code::ChannelDisabled, detail).of_field("channelId"));
    }
    Ok(())
}
