//! `/approve`, `/deny`: answers to what a run asks before it makes a call.

use super::Done;
use crate::{
    clock::Timestamp,
    engine::answering::{self, Answer, Answered, By},
    policy::question,
    store::{StoreError, Tx, approvals, channels::Channel, runs::Run, users::User},
};

/// What makes an approval a rule.
const ALWAYS: &str = "always";

pub(super) async fn approve(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    by: &By,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let words: Vec<_> = argument.split_whitespace().collect();
    let (id, always) = match words[..] {
        [] => (None, false),
        [ALWAYS] => (None, true),
        [id] => (Some(id), false),
        [id, ALWAYS] => (Some(id), true),
        _ => {
            return Ok(Done::say(
                "Write `/approve`, or `/approve` with the id of what I asked.",
            ));
        }
    };
    answer(tx, id, true, always, channel, by, now).await
}

pub(super) async fn deny(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    by: &By,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let id = Some(argument.trim()).filter(|id| !id.is_empty());
    answer(tx, id, false, false, channel, by, now).await
}

async fn answer(
    tx: &mut Tx,
    id: Option<&str>,
    approved: bool,
    always: bool,
    channel: &Channel,
    by: &By,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let (run, code) = match id {
        Some(id) => match question::parse(id) {
            Some(found) => found,
            None => {
                return Ok(Done::say(
                    "I know no such question. `/approve` alone answers the one that is open.",
                ));
            }
        },
        // What was read is what is answered: without an id there must be one question, and its code is taken here.
        None => match &asked_of(tx, by, channel).await?[..] {
            [] => return Ok(Done::say("I am not waiting for an answer of yours here.")),
            [only] => match answering::asked(tx, only).await? {
                Some(asked) => (only.id, asked.code),
                None => return Ok(Done::say(NOTHING)),
            },
            several => return which(tx, several).await,
        },
    };
    let given = Answer {
        run,
        code: Some(code),
        approved,
        always,
        by: by.clone(),
    };
    let answered = match answering::answer(tx, &given, now).await {
        Err(StoreError::NotFound(_)) => Answered::NothingAsked,
        answered => answered?,
    };
    Ok(match answered {
        Answered::Taken(asked) => {
            let name = &asked.request.call.name;
            let text = match (approved, always) {
                (false, _) => format!("Denied: `{name}`."),
                (true, false) => format!("Approved: `{name}`."),
                (true, true) => {
                    format!("Approved: `{name}`. In this conversation I will not ask you again before I call it.")
                }
            };
            Done {
                text,
                work_to_claim: true,
                ..Done::default()
            }
        }
        Answered::NothingAsked => Done::say(NOTHING),
        Answered::Other => Done::say("That was an earlier question of mine; please answer the newest one."),
        Answered::NotTheirs => {
            Done::say("Only the person whom I work for here may answer that, or who manages this place.")
        }
        Answered::NoRule => Done::say(
            "This cannot be approved for good: words from outside may have asked for it, or a rule wants it asked each \
             time. `/approve` approves it this once.",
        ),
    })
}

/// What is asked here of whoever answers.
async fn asked_of(tx: &mut Tx, by: &By, channel: &Channel) -> Result<Vec<Run>, StoreError> {
    match by {
        By::User(user) | By::Manager(user, _) => approvals::asked_in(tx, user.id, channel.id).await,
        By::Operator => Ok(Vec::new()),
    }
}

/// Who answers by a command given in this channel.
pub(super) fn by(user: &User, channel: &Channel, manages: bool) -> By {
    match channel.space_id.filter(|_| manages) {
        Some(space) => By::Manager(user.clone(), space),
        None => By::User(user.clone()),
    }
}

const NOTHING: &str =
    "That is settled already: it was answered, its time is over, I was stopped, or a newer message took its place.";

/// Several questions are open: which one is meant must be said.
async fn which(tx: &mut Tx, runs: &[Run]) -> Result<Done, StoreError> {
    let mut lines = Vec::new();
    for run in runs {
        if let Some(asked) = answering::asked(tx, run).await? {
            let id = question::id(run.id, &asked.code);
            lines.push(format!("- `{}`: `{id}`", asked.request.call.name));
        }
    }
    Ok(Done::say(format!(
        "I wait for several answers here. Please press a button, or name the one you mean:\n\n{}",
        lines.join("\n")
    )))
}
