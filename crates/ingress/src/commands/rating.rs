//! The buttons below an answer, by which people say whether it is good.

use clifford_chat::inbound::Verdict;
use clifford_core::{clock::Timestamp, id::RunId, people::User, places::Channel, runs::GivenBy};
use clifford_store::{
    StoreError, Tx,
    runs::{
        self,
        feedback::{self, GivenVerdict},
    },
};
use clifford_text::{Answer, Lang};

use super::Done;

pub(super) async fn rate(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    lang: Lang,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let Some((run, verdict)) = parse(argument) else {
        return Ok(aside(lang.say(Answer::NoSuchAnswer)));
    };
    // An answer is rated where it was given.
    let is_here = runs::get(tx, run)
        .await?
        .is_some_and(|run| run.channel_id == Some(channel.id));
    if !is_here {
        return Ok(aside(lang.say(Answer::NoSuchAnswer)));
    }
    let given = GivenVerdict {
        verdict,
        by: GivenBy::Button,
    };
    feedback::put(tx, run, user.id, given, now).await?;
    Ok(aside(lang.say(Answer::RatingThanks)))
}

fn parse(argument: &str) -> Option<(RunId, Verdict)> {
    let (run, word) = argument.trim().split_once(' ')?;
    let verdict = match word.trim() {
        "up" => Verdict::Liked,
        "down" => Verdict::Disliked,
        _ => return None,
    };
    Some((run.parse().ok()?, verdict))
}

fn aside(text: String) -> Done {
    Done {
        aside: Some(text.clone()),
        ..Done::say(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_names_a_run_and_a_verdict() {
        let run = RunId::new();
        assert_eq!(parse(&format!("{run} up")), Some((run, Verdict::Liked)));
        assert_eq!(parse(&format!(" {run}  down ")), Some((run, Verdict::Disliked)));
        for wrong in ["", "up", "x up", &format!("{run} sideways"), &run.to_string()] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
