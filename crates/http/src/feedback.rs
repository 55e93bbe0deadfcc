//! What people think of answers.

use std::str::FromStr;

use axum::{Json, extract::State};
use clifford_chat::inbound::Verdict;
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, UserId},
};
use clifford_store::runs::feedback::{self, Filter, Position, RunFeedback};
use serde::Deserialize;

use super::{
    Shared,
    access::{Caller, Reader},
    extract::Query,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
};

/// The verdict of a query.
#[derive(Clone, Copy, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum FeedbackVerdict {
    /// The answer was liked.
    Liked,
    /// It was not.
    Disliked,
}

/// Which feedback.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct FeedbackQuery {
    /// Only these verdicts.
    #[param(inline)]
    verdict: Option<FeedbackVerdict>,
    /// Only what this person gave.
    #[param(value_type = Option<String>)]
    user_id: Option<UserId>,
    /// Only on runs of this channel, whoever gave it.
    #[param(value_type = Option<String>)]
    channel_id: Option<ChannelId>,
    /// Only behind this place, as `next` gave it.
    before: Option<String>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A page of feedback, newest first: likes and dislikes of answers, with their runs. A person's token lists what its
/// person gave, and by `channelId` what was given in a channel of theirs.
#[utoipa::path(get, path = "/api/feedback", tag = "feedback", security(("bearer" = [])), params(FeedbackQuery),
    responses((status = 200, body = Page<RunFeedback>), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody)))]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<FeedbackQuery>,
) -> Result<Json<Page<RunFeedback>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    let user = match wanted.channel_id {
        Some(channel) => {
            caller.sees_channel(&api, channel).await?;
            wanted.user_id
        }
        None => caller.whose(&api, wanted.user_id).await?,
    };
    let filter = Filter {
        verdict: wanted.verdict.map(|verdict| match verdict {
            FeedbackVerdict::Liked => Verdict::Liked,
            FeedbackVerdict::Disliked => Verdict::Disliked,
        }),
        user,
        channel: wanted.channel_id,
        before: wanted.before.as_deref().map(position).transpose()?,
    };
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut found = feedback::page(&mut api.db.read().await?, filter, limit + 1).await?;
    let has_more = found.len() > most;
    found.truncate(most);
    let next = found.last().filter(|_| has_more).map(cursor);
    Ok(Json(Page::with_next(found, next)))
}

/// The place of an item, as a cursor.
fn cursor(of: &RunFeedback) -> String {
    format!("{}.{}.{}", of.given_at.0, of.run_id, of.user_id)
}

fn position(cursor: &str) -> Result<Position, Problem> {
    let wrong = || Problem::new(Code::InvalidQuery, "it must be what `next` gave").of_field("before");
    let mut parts = cursor.split('.');
    let mut part = || parts.next().ok_or_else(wrong);
    let at = part()?.parse().map_err(|_| wrong())?;
    Ok(Position {
        given_at: Timestamp(at),
        run: id(part()?).ok_or_else(wrong)?,
        user: id(part()?).ok_or_else(wrong)?,
    })
}

fn id<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use clifford_core::id::RunId;

    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_given_and_nothing_else_is() {
        let item = RunFeedback {
            run_id: RunId::new(),
            channel_id: None,
            user_id: UserId::new(),
            verdict: "liked".to_owned(),
            given_by: "button".to_owned(),
            given_at: Timestamp(17),
        };
        let expected = Position {
            given_at: Timestamp(17),
            run: item.run_id,
            user: item.user_id,
        };
        assert_eq!(position(&cursor(&item)), Ok(expected));
        for wrong in ["", "17", "17.x.y", &item.run_id.to_string()] {
            assert!(position(wrong).is_err(), "{wrong}");
        }
    }
}
