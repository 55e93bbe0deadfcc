//! People's verdicts on answers.

use std::str::FromStr;

use axum::{Json, extract::State, http::StatusCode};
use clifford_chat::inbound::Verdict;
use clifford_core::{
    clock::Timestamp,
    id::{ChannelId, ContextId, RunId, SpaceId, UserId},
    runs::GivenBy,
};
use clifford_store::runs::feedback::{self, Filter, GivenVerdict, Position, RunFeedback};
use serde::{Deserialize, Serialize};

use super::{
    Shared,
    access::{Caller, Need, Object, Reader, Writer},
    extract::{Body, Id, Query},
    handler,
    page::{self, Page},
    problem::{Code, Problem, ProblemBody},
    runs,
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

impl From<FeedbackVerdict> for Verdict {
    fn from(verdict: FeedbackVerdict) -> Self {
        match verdict {
            FeedbackVerdict::Liked => Self::Liked,
            FeedbackVerdict::Disliked => Self::Disliked,
        }
    }
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
    /// Only on runs of this conversation, whoever gave it.
    #[param(value_type = Option<String>)]
    context_id: Option<ContextId>,
    /// Only on runs of the channels of this space, whoever gave it.
    #[param(value_type = Option<String>)]
    space_id: Option<SpaceId>,
    /// Only behind this place, as `next` gave it.
    before: Option<String>,
    /// How many on a page, at most 200.
    limit: Option<u32>,
}

/// A verdict with its run.
#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct FeedbackItem {
    /// The verdict.
    #[serde(flatten)]
    given: RunFeedback,
    /// The beginning of the question; left out where the caller may not see the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
    /// The beginning of the answer, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<String>,
}

/// A page of feedback, newest first: likes and dislikes of answers, with their runs. A person's token lists what its
/// person gave, and by `channelId`, `contextId` or `spaceId` what was given in a channel or conversation of theirs or a
/// space that they manage.
#[utoipa::path(get, path = "/api/feedback", tag = "feedback", security(("bearer" = [])), params(FeedbackQuery),
    responses((status = 200, body = Page<FeedbackItem>), (status = 400, body = ProblemBody),
        (status = 404, body = ProblemBody)))]
#[handler]
pub(super) async fn list(
    State(api): State<Shared>,
    _: Reader,
    caller: Caller,
    Query(wanted): Query<FeedbackQuery>,
) -> Result<Json<Page<FeedbackItem>>, Problem> {
    let limit = page::limit(wanted.limit)?;
    if let Some(channel) = wanted.channel_id {
        caller.sees_channel(&api, channel).await?;
    }
    if let Some(context) = wanted.context_id {
        caller.sees_context(&api, context).await?;
    }
    if let Some(space) = wanted.space_id {
        let object = Object::Space(space);
        caller
            .allow_field(&api, Need::See, &object, "spaceId", format!("space {space}"))
            .await?;
    }
    let names_a_place = wanted.channel_id.is_some() || wanted.context_id.is_some() || wanted.space_id.is_some();
    let user = match names_a_place {
        true => wanted.user_id,
        false => caller.owner_filter(&api, wanted.user_id).await?,
    };
    let filter = Filter {
        verdict: wanted.verdict.map(Verdict::from),
        user,
        channel: wanted.channel_id,
        context: wanted.context_id,
        space: wanted.space_id,
        before: wanted.before.as_deref().map(position).transpose()?,
    };
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut found = feedback::page(&mut api.db.read().await?, filter, limit + 1).await?;
    let has_more = found.len() > most;
    found.truncate(most);
    let next = found.last().filter(|_| has_more).map(|last| cursor(&last.given));
    // Somebody who rated an answer to another person in a group knows no more of that run.
    let only = caller.only().filter(|_| !names_a_place);
    let items = found.into_iter().map(|found| {
        let sees = only.is_none_or(|only| found.asker == Some(only));
        FeedbackItem {
            given: found.given,
            asked: Some(found.asked).filter(|_| sees),
            answered: found.answered.filter(|_| sees),
        }
    });
    Ok(Json(Page::with_next(items.collect(), next)))
}

/// A verdict on an answer.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewFeedback {
    /// The verdict.
    verdict: FeedbackVerdict,
}

/// Says whether the answer of a run is good, in place of what the caller said of it before.
#[utoipa::path(put, path = "/api/runs/{id}/feedback", tag = "feedback", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")), request_body = NewFeedback,
    responses((status = 204, description = "It is kept"), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "The caller has no account yet: they never wrote")))]
#[handler]
pub(super) async fn give(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<RunId>,
    Body(new): Body<NewFeedback>,
) -> Result<StatusCode, Problem> {
    let user = rater(&api, &caller, id).await?;
    let given = GivenVerdict {
        verdict: new.verdict.into(),
        by: GivenBy::Button,
    };
    let now = api.clock.now();
    api.db
        .write(move |tx| Box::pin(async move { feedback::put(tx, id, user, given, now).await }))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes back what the caller said of the answer of a run.
#[utoipa::path(delete, path = "/api/runs/{id}/feedback", tag = "feedback", security(("bearer" = [])),
    params(("id" = String, Path, description = "The run")),
    responses((status = 204, description = "The caller says nothing of it any more"), (status = 404, body = ProblemBody),
        (status = 409, body = ProblemBody, description = "The caller has no account yet: they never wrote")))]
#[handler]
pub(super) async fn take_back(
    State(api): State<Shared>,
    _: Writer,
    caller: Caller,
    Id(id): Id<RunId>,
) -> Result<StatusCode, Problem> {
    let user = rater(&api, &caller, id).await?;
    api.db
        .write(move |tx| Box::pin(async move { feedback::take_back(tx, id, user).await }))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The person who rates a run that they may change.
async fn rater(api: &Shared, caller: &Caller, run: RunId) -> Result<UserId, Problem> {
    runs::allowed(api, caller, Need::Change, run).await?;
    let own = caller.own(api).await?;
    own.ok_or_else(|| {
        Problem::new(
            Code::WrongState,
            "nobody is known behind this token yet: write a message first",
        )
    })
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
