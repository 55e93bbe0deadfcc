//! The use of models and of tools, in sums.

use axum::{Json, extract::State};
use clifford_core::{
    clock::Timestamp,
    id::{SpaceId, UserId},
    models::Grouping,
};
use clifford_store::usage::{
    self, Filter, Group,
    tools::{self, ToolUsage},
};
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Need, Object, Reader},
    extract::Query,
    handler,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};

/// The usage to sum up, and how to group it.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct UsageQuery {
    /// `day` (the default), `model`, `user`, `space`, `channel` or `role`.
    #[param(value_type = Option<String>)]
    by: Option<String>,
    /// From this moment on (RFC 3339); without it, of the last 30 days.
    #[param(value_type = Option<String>)]
    since: Option<Timestamp>,
    /// Before this moment.
    #[param(value_type = Option<String>)]
    until: Option<Timestamp>,
    /// Only this person's.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Only in the channels of this space, whosever it is.
    #[param(value_type = Option<String>)]
    space_id: Option<SpaceId>,
    /// The most groups, at most 200.
    limit: Option<u32>,
}

/// The usage of models: the dearest groups, of days the newest. A person's token counts what is their person's, and by
/// `spaceId` what was used in a space that they manage.
#[utoipa::path(get, path = "/api/usage", tag = "usage", security(("bearer" = [])), params(UsageQuery),
    responses((status = 200, body = Page<Group>), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<UsageQuery>,
) -> Result<Json<Page<Group>>, Problem> {
    let by = match wanted.by {
        Some(by) => by
            .parse::<Grouping>()
            .map_err(|fault| Problem::new(Code::InvalidQuery, fault).of_field("by"))?,
        None => Grouping::Day,
    };
    let whose = (wanted.user_id, wanted.space_id);
    let filter = filter(&api, &caller, (wanted.since, wanted.until), whose).await?;
    let zone = api.context.settings.zone();
    let limit = page::limit(wanted.limit)?;
    let mut conn = api.db.read().await?;
    let groups = usage::grouped(&mut conn, by, filter, &zone, limit).await?;
    Ok(Json(Page::whole(groups)))
}

/// The use that the caller asks for, as far as they may see it: that of the last days unless they name a time.
async fn filter(
    api: &Shared,
    caller: &Caller,
    (since, until): (Option<Timestamp>, Option<Timestamp>),
    (user, space): (Option<UserId>, Option<SpaceId>),
) -> Result<Filter, Problem> {
    if let Some(space) = space {
        let (object, what) = (Object::Space(space), format!("space {space}"));
        caller.allow_field(api, Need::See, &object, "spaceId", what).await?;
    }
    Ok(Filter {
        since: since.unwrap_or_else(|| api.clock.now().before(usage::RECENT)),
        until,
        user: match space {
            Some(_) => user,
            None => caller.owner_filter(api, user).await?,
        },
        space,
    })
}

/// The calls of tools to sum up.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct ToolsQuery {
    /// From this moment on (RFC 3339); without it, of the last 30 days.
    #[param(value_type = Option<String>)]
    since: Option<Timestamp>,
    /// Before this moment.
    #[param(value_type = Option<String>)]
    until: Option<Timestamp>,
    /// Only of this person's runs.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Only of runs in the channels of this space, whosever they are.
    #[param(value_type = Option<String>)]
    space_id: Option<SpaceId>,
    /// The most tools, at most 200.
    limit: Option<u32>,
}

/// The calls of tools by runs: the most called tools.
#[utoipa::path(get, path = "/api/usage/tools", tag = "usage", security(("bearer" = [])), params(ToolsQuery),
    responses((status = 200, body = Page<ToolUsage>), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn by_tool(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<ToolsQuery>,
) -> Result<Json<Page<ToolUsage>>, Problem> {
    let whose = (wanted.user_id, wanted.space_id);
    let filter = filter(&api, &caller, (wanted.since, wanted.until), whose).await?;
    let limit = page::limit(wanted.limit)?;
    let found = tools::by_tool(&mut api.db.read().await?, filter, limit).await?;
    Ok(Json(Page::whole(found)))
}
