//! Direct chat: the decision on the one reply of a run without tools.

use clifford_action::{Action, Reply, Unreadable};
use clifford_text::Outcome;

use crate::run::{
    decision::{Decision, Then},
    endings, sentences,
    state::RunState,
    step::EndingKind,
};

/// The decision on a reply: it is the answer, or there is none.
pub(super) fn decide(state: &RunState, reply: &Result<Reply, Unreadable>) -> Decision {
    match reply {
        Ok(Reply {
            action: Action::SendMessage { message, .. },
            ..
        }) => Decision::Say {
            before: Vec::new(),
            text: match state.is_cut {
                true => format!("{message}…\n\n{}", state.lang.say(Outcome::CutOff)),
                false => message.clone(),
            },
            then: Then::Complete,
        },
        Ok(other) => empty(state, &format!("the reply is a {}", other.action.kind())),
        Err(unreadable) => empty(state, &unreadable.message),
    }
}

fn empty(state: &RunState, error: &str) -> Decision {
    endings::give_up(
        state,
        EndingKind::BadReply,
        &sentences::of_bad_reply(state.is_cut),
        error,
    )
}
