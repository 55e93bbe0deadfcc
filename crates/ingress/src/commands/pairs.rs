//! `/pair`: an owner lists who asks to be let in, and decides.

use clifford_chat::outbound::Button;
use clifford_core::{
    clock::Timestamp,
    people::{User, UserRole},
    places::Channel,
};
use clifford_markup::{inline::inline, shortened};
use clifford_store::{StoreError, Tx, people::pairings};

use super::Done;
use crate::pairing::{self, Decision};

/// The most requests that are listed.
const MOST: usize = 10;
/// How much of a name is shown.
const NAME: usize = 30;
const NOT_THEIRS: &str = "Only an owner of mine decides who may talk to me.";

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    channel: &Channel,
    user: &User,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if user.role != UserRole::Owner {
        return Ok(Done {
            refusal: Some(NOT_THEIRS),
            ..Done::say(NOT_THEIRS)
        });
    }
    if !channel.is_private() {
        return Ok(Done::say("That is between you and me: send `/pair` in a private chat."));
    }
    let words: Vec<_> = argument.split_whitespace().collect();
    let (word, account) = match words[..] {
        [] => return list(tx, now).await,
        [word, account] => (word, pairing::account(account)),
        _ => ("", None),
    };
    let decision = Decision::ALL.into_iter().find(|decision| decision.name() == word);
    let (Some(decision), Some((platform, account))) = (decision, account) else {
        return Ok(Done::say(
            "Write `/pair` to see who waits, or `/pair approve telegram:123`; `refuse` and `block` go the same way.",
        ));
    };
    let decided = pairing::decide(tx, platform, account, decision, &user.name, now).await?;
    Ok(Done {
        text: match decided {
            Some(name) => told(decision, &name),
            None => "That is settled already, or nobody asked by that account. `/pair` lists who waits.".to_owned(),
        },
        work_to_claim: true,
        ..Done::default()
    })
}

fn told(decision: Decision, name: &str) -> String {
    let name = inline(&shortened(name, NAME));
    match decision {
        Decision::Approve => format!("{name} may talk to me now, and was told."),
        Decision::Refuse => format!("{name} was told that they are not let in. They may ask again."),
        Decision::Block => format!("{name} is not heard any more."),
    }
}

async fn list(tx: &mut Tx, now: Timestamp) -> Result<Done, StoreError> {
    let waiting = pairings::list(tx, now).await?;
    if waiting.is_empty() {
        return Ok(Done::say("Nobody waits to be let in."));
    }
    let shown = waiting.iter().take(MOST).map(|one| {
        let account = format!("{}:{}", one.platform, one.platform_user_id);
        (inline(&shortened(&one.name, NAME)), shortened(&one.name, NAME), account)
    });
    let shown: Vec<_> = shown.collect();
    let lines: Vec<_> = shown
        .iter()
        .map(|(name, _, account)| format!("- {name} (`{account}`)"))
        .collect();
    let more = match waiting.len() - shown.len() {
        0 => String::new(),
        more => format!("\n- and {more} more: `clifford pair list`"),
    };
    let buttons = shown.iter().map(|(_, name, account)| {
        Button::new(&format!("Approve {name}"), format!("pair approve {account}")).positive()
    });
    Ok(Done {
        text: format!(
            "These people wait to be let in:\n\n{}{more}\n\n`/pair refuse ACCOUNT` and `/pair block ACCOUNT` keep them \
             out.",
            lines.join("\n")
        ),
        buttons: buttons.collect(),
        ..Done::default()
    })
}
