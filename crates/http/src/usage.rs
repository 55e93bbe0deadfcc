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

/// The most days that are summed up by their number.
const MOST_DAYS: u16 = 3660;

/// The usage to sum up, and how to group it.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct UsageQuery {
    /// `day` (the default), `model`, `user`, `space`, `channel` or `role`.
    #[param(value_type = Option<String>)]
    by: Option<String>,
    /// From this moment on (RFC 3339); without it, of the last `days`.
    #[param(value_type = Option<String>)]
    since: Option<Timestamp>,
    /// So many days in the bot's time zone, today among them; left out: 30. It goes without `since`.
    days: Option<u16>,
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
    let span = (begin(&api, wanted.since, wanted.days)?, wanted.until);
    let filter = filter(&api, &caller, span, whose).await?;
    let zone = api.context.settings.zone();
    let limit = page::limit(wanted.limit)?;
    let mut conn = api.db.read().await?;
    let groups = usage::grouped(&mut conn, by, filter, &zone, limit).await?;
    Ok(Json(Page::whole(groups)))
}

/// When the use begins that is asked for: at a moment, or with the first of the last days.
fn begin(api: &Shared, since: Option<Timestamp>, days: Option<u16>) -> Result<Timestamp, Problem> {
    let wrong = |detail: String| Problem::new(Code::InvalidQuery, detail).of_field("days");
    match (since, days) {
        (Some(since), None) => Ok(since),
        (Some(_), Some(_)) => Err(wrong("it goes without `since`".to_owned())),
        (None, Some(days)) if !(1..=MOST_DAYS).contains(&days) => Err(wrong(format!("from 1 to {MOST_DAYS}"))),
        (None, days) => {
            let days = days.unwrap_or(usage::RECENT_DAYS);
            Ok(usage::last_days(days, &api.context.settings.zone(), api.clock.now()))
        }
    }
}

/// The use that the caller asks for, as far as they may see it.
async fn filter(
    api: &Shared,
    caller: &Caller,
    (since, until): (Timestamp, Option<Timestamp>),
    (user, space): (Option<UserId>, Option<SpaceId>),
) -> Result<Filter, Problem> {
    if let Some(space) = space {
        let (object, what) = (Object::Space(space), format!("space {space}"));
        caller.allow_field(api, Need::See, &object, "spaceId", what).await?;
    }
    Ok(Filter {
        since,
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
    /// From this moment on (RFC 3339); without it, of the last `days`.
    #[param(value_type = Option<String>)]
    since: Option<Timestamp>,
    /// So many days in the bot's time zone, today among them; left out: 30. It goes without `since`.
    days: Option<u16>,
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
    let span = (begin(&api, wanted.since, wanted.days)?, wanted.until);
    let filter = filter(&api, &caller, span, whose).await?;
    let limit = page::limit(wanted.limit)?;
    let found = tools::by_tool(&mut api.db.read().await?, filter, limit).await?;
    Ok(Json(Page::whole(found)))
}
